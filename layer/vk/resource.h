/* SPDX-License-Identifier: MIT
 *
 * Which buffers and images are exempt from placement: external, protected, and images that only
 * take memory of their own kind (DRM modifiers, transient attachments). Any thread. */
#pragma once

#include "objects.h"

bool spw_buffer_info_is_exempt(const VkBufferCreateInfo *info);
bool spw_image_info_is_exempt(const VkImageCreateInfo *info);

static inline bool spw_buffer_is_exempt(struct spw_device *device, VkBuffer buffer)
{
    return spw_handle_map_find(&device->exempt_buffers, SPW_HANDLE_KEY(buffer)) != NULL;
}

static inline bool spw_image_is_exempt(struct spw_device *device, VkImage image)
{
    return spw_handle_map_find(&device->exempt_images, SPW_HANDLE_KEY(image)) != NULL;
}
