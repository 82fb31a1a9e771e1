/* SPDX-License-Identifier: MIT
 *
 * pNext chains: find a structure, and the loader's link info. The application's structures are
 * never written to: what has to differ is a copy of the struct itself, with the chain behind it
 * shared. */
#pragma once

#include <vulkan/vulkan.h>

#include <vulkan/vk_layer.h>

/* The first structure of that type in the chain, or NULL. */
const void *spw_chain_find(const void *chain, VkStructureType type);

/* The same in an output chain, which the command is there to fill. */
void *spw_chain_find_out(void *chain, VkStructureType type);

/* The loader's VK_LAYER_LINK_INFO in a create chain, or NULL. The structure is the loader's and
 * const only because it hangs in the application's chain: the layer interface has each layer
 * advance pLayerInfo. */
VkLayerInstanceCreateInfo *spw_chain_instance_link(const VkInstanceCreateInfo *info);
VkLayerDeviceCreateInfo *spw_chain_device_link(const VkDeviceCreateInfo *info);
