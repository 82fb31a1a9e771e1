/* SPDX-License-Identifier: MIT
 *
 * Hashes of what programs show (SIMGPU_PRESENT_HASHES=file): a line for each presented image,
 *
 *   swapchain 1 frame 1 640x480 B8G8R8A8_UNORM 8f0c1b5d27a3e964
 *
 * numbered in the order of creation and, within a swapchain, of presenting. The hash is FNV-1a, 64
 * bit, over the rows of the first layer, all channels. The image is read on the present's own
 * worker, after the semaphores it waits for and before the driver gets it. */
#pragma once

#include "sim.h"

/* vkCreateSwapchainKHR of the driver, with what reading back needs. info is a copy that may be
 * changed. */
VkResult sim_present_hash_create(struct sim_device *device, VkSwapchainCreateInfoKHR *info,
                                 const VkAllocationCallbacks *allocator, VkSwapchainKHR *swapchain);
void sim_present_hash_forget(struct sim_device *device, VkSwapchainKHR swapchain);

/* All images of a present whose waits are over. */
void sim_present_hash(struct sim_device *device, const VkPresentInfoKHR *info);
