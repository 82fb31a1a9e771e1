/* SPDX-License-Identifier: MIT
 *
 * Images, and buffers with sparse binding: what requirement queries and binds must know. */
#pragma once

#include "sim.h"

enum sim_class { SIM_CLASS_LINEAR, SIM_CLASS_OPTIMAL };

/* Constant after creation. */
struct sim_resource {
    struct sim_region *region; /* NULL: not sparse */
    VkDeviceMemory memory;     /* the region, as the driver knows it */
    bool image;
    enum sim_class class;
    VkMemoryRequirements requirements; /* of sparse ones, as the program sees them */
};

struct sim_resource *sim_resource_find_buffer(struct sim_device *device, VkBuffer buffer);
struct sim_resource *sim_resource_find_image(struct sim_device *device, VkImage image);

/* The create infos as the driver may see them: no sparse flags, no families it does not have. */
VkBufferCreateInfo sim_driver_buffer_info(const VkBufferCreateInfo *info);
VkImageCreateInfo sim_driver_image_info(const VkImageCreateInfo *info);
enum sim_class sim_image_class(const VkImageCreateInfo *info);

/* Makes the driver's requirements the card's. */
void sim_requirements_patch(const struct sim_device *device, VkMemoryRequirements *requirements,
                            enum sim_class class, bool sparse);
