/* SPDX-License-Identifier: MIT
 *
 * Image layouts and owner families, which software drivers do not care about. While a program
 * records, its command buffers note what they say of images (layout_record.c, layout_passes.c);
 * when a worker runs them, in that order, this is compared with the state of every subresource.
 * What does not fit is a layout fault, after which the program's belief is taken for the state, so
 * that each mistake counts once. */
#pragma once

#include "sim.h"

struct sim_layouts; /* of an image */
struct sim_op;
struct sim_queue;

/* One thing that a command says of a range of an image. */
struct sim_layout_step {
    const char *command;
    VkImage image;
    VkImageSubresourceRange range;
    bool transition; /* false: a use, in layout `from` */
    VkImageLayout from, to;
    uint32_t src_family, dst_family; /* VK_QUEUE_FAMILY_IGNORED: no transfer */
};

/* What a command buffer noted; externally synchronised as that. */
struct sim_layout_steps {
    struct sim_layout_step *steps;
    size_t count, capacity;
};

/* A view that may become an attachment. */
struct sim_view {
    VkImage image;
    VkImageSubresourceRange range;
};

/* Images are known from their creation to their destruction; where there is no memory for it, an
 * image is not checked. `swapchain`: families are not checked. Any thread. */
void sim_layouts_add(struct sim_device *device, VkImage image, const VkImageCreateInfo *info,
                     bool swapchain);
void sim_layouts_forget(struct sim_device *device, VkImage image);
/* All images of a swapchain. */
void sim_layouts_add_swapchain(struct sim_device *device, VkSwapchainKHR swapchain,
                               const VkSwapchainCreateInfoKHR *info);
void sim_layouts_forget_swapchain(struct sim_device *device, VkSwapchainKHR swapchain);
/* vkDestroyDevice: whatever the program did not destroy. */
void sim_layouts_finish(struct sim_device *device);

/* The aspects of an image as one mask; 0: not known. */
VkImageAspectFlags sim_layouts_aspects(struct sim_device *device, VkImage image);

void sim_layout_steps_add(struct sim_layout_steps *steps, const struct sim_layout_step *step);
void sim_layout_steps_append(struct sim_layout_steps *steps, const struct sim_layout_steps *more);
void sim_layout_steps_finish(struct sim_layout_steps *steps);

/* By the worker, before the driver gets the batch. */
void sim_layouts_check(struct sim_device *device, const struct sim_queue *queue,
                       const struct sim_op *op);
/* By the worker, before a present: the images are to be in VK_IMAGE_LAYOUT_PRESENT_SRC_KHR. */
void sim_layouts_check_present(struct sim_device *device, const VkPresentInfoKHR *info);
