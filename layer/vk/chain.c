/* SPDX-License-Identifier: MIT
 *
 * pNext chains: see chain.h. */
#include "chain.h"

const void *spw_chain_find(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *s = chain;
    while (s && s->sType != type)
        s = s->pNext;
    return s;
}

void *spw_chain_find_out(void *chain, VkStructureType type)
{
    VkBaseOutStructure *s = chain;
    while (s && s->sType != type)
        s = s->pNext;
    return s;
}

VkLayerInstanceCreateInfo *spw_chain_instance_link(const VkInstanceCreateInfo *info)
{
    const void *chain = info->pNext;
    const VkLayerInstanceCreateInfo *link;
    while ((link = spw_chain_find(chain, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO)) != NULL) {
        if (link->function == VK_LAYER_LINK_INFO)
            return (VkLayerInstanceCreateInfo *)link;
        chain = link->pNext;
    }
    return NULL;
}

VkLayerDeviceCreateInfo *spw_chain_device_link(const VkDeviceCreateInfo *info)
{
    const void *chain = info->pNext;
    const VkLayerDeviceCreateInfo *link;
    while ((link = spw_chain_find(chain, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)) != NULL) {
        if (link->function == VK_LAYER_LINK_INFO)
            return (VkLayerDeviceCreateInfo *)link;
        chain = link->pNext;
    }
    return NULL;
}
