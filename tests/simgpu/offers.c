/* SPDX-License-Identifier: MIT
 *
 * What the card offers and hides: see offers.h. */
#include "offers.h"

#include <string.h>

uint32_t sim_offers_api_version(uint32_t version)
{
    uint32_t most = sim_card_get()->limits.api_version;
    return version <= most ? version : (most & ~UINT32_C(0xfff)) | (version & 0xfff);
}

/* Timeline semaphores came with 1.2; an older card is taken to lack the extension as well. */
static bool has_timelines(void)
{
    return sim_card_get()->limits.api_version >= VK_API_VERSION_1_2;
}

const VkExtensionProperties *sim_offers_extension(uint32_t n)
{
    static const VkExtensionProperties ours[] = {
        {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, VK_EXT_MEMORY_BUDGET_SPEC_VERSION},
        {VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME, VK_EXT_MEMORY_PRIORITY_SPEC_VERSION},
        {VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME,
         VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_SPEC_VERSION},
    };
    uint32_t count = sim_card_get()->pageable ? 3 : 1;
    return n < count ? &ours[n] : NULL;
}

bool sim_offers_adds(const char *extension)
{
    const VkExtensionProperties *ours;
    for (uint32_t i = 0; (ours = sim_offers_extension(i)) != NULL; i++) {
        if (strcmp(ours->extensionName, extension) == 0)
            return true;
    }
    return false;
}

bool sim_offers_hides(const char *extension)
{
    return !has_timelines() && strcmp(extension, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME) == 0;
}

/* Dawn refuses a card without all four of these, and lavapipe lacks two. Every real card has them,
 * and what the shaders then do, lavapipe does all the same. */
static void each_insisted(VkPhysicalDeviceFeatures *to, const VkPhysicalDeviceFeatures *mask)
{
    static const size_t offsets[] = {
        offsetof(VkPhysicalDeviceFeatures, shaderUniformBufferArrayDynamicIndexing),
        offsetof(VkPhysicalDeviceFeatures, shaderSampledImageArrayDynamicIndexing),
        offsetof(VkPhysicalDeviceFeatures, shaderStorageBufferArrayDynamicIndexing),
        offsetof(VkPhysicalDeviceFeatures, shaderStorageImageArrayDynamicIndexing),
    };
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        VkBool32 *feature = (VkBool32 *)(void *)((char *)to + offsets[i]);
        if (mask == NULL)
            *feature = VK_TRUE;
        else if (!*(const VkBool32 *)(const void *)((const char *)mask + offsets[i]))
            *feature = VK_FALSE;
    }
}

void sim_offers_patch_features(VkPhysicalDeviceFeatures *f)
{
    VkBool32 sparse = sim_card_get()->profile->sparse;
    f->sparseBinding = sparse;
    f->sparseResidencyBuffer = sparse;
    f->sparseResidencyAliased = sparse;
    each_insisted(f, NULL);
}

void sim_offers_mask_features(const struct sim_physical *physical, VkPhysicalDeviceFeatures *f)
{
    VkPhysicalDeviceFeatures has;
    f->sparseBinding = f->sparseResidencyBuffer = f->sparseResidencyAliased = VK_FALSE;
    physical->instance->vk.GetPhysicalDeviceFeatures(physical->handle, &has);
    each_insisted(f, &has);
}

void sim_offers_patch_feature_chain(void *chain)
{
    VkBool32 pageable = sim_card_get()->pageable;
    for (VkBaseOutStructure *s = chain; s != NULL; s = s->pNext) {
        switch ((int)s->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT:
            ((VkPhysicalDeviceMemoryPriorityFeaturesEXT *)s)->memoryPriority = pageable;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT:
            ((VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT *)s)->pageableDeviceLocalMemory =
                pageable;
            break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES:
            if (!has_timelines())
                ((VkPhysicalDeviceTimelineSemaphoreFeatures *)s)->timelineSemaphore = VK_FALSE;
            break;
        }
    }
}

bool sim_offers_keeps(VkStructureType type)
{
    return type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT ||
           type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT;
}

VkResult sim_offers_check_chain(const void *chain)
{
    bool pageable = sim_card_get()->pageable;
    const VkPhysicalDeviceTimelineSemaphoreFeatures *timeline =
        sim_chain_find(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    const VkPhysicalDeviceVulkan12Features *twelve =
        sim_chain_find(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const VkPhysicalDeviceMemoryPriorityFeaturesEXT *priority =
        sim_chain_find(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT);
    const VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT *paging = sim_chain_find(
        chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT);
    if ((!has_timelines() && ((timeline != NULL && timeline->timelineSemaphore) ||
                              (twelve != NULL && twelve->timelineSemaphore))) ||
        (!pageable && ((priority != NULL && priority->memoryPriority) ||
                       (paging != NULL && paging->pageableDeviceLocalMemory))))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    return VK_SUCCESS;
}

/* 0: not one of the structs that stand for a whole version, or this card has the version. */
static size_t newer_size(VkStructureType type)
{
    static const struct {
        VkStructureType type;
        size_t size;
        uint32_t since;
    } structs[] = {
        {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
         sizeof(VkPhysicalDeviceVulkan11Features), VK_API_VERSION_1_2},
        {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
         sizeof(VkPhysicalDeviceVulkan11Properties), VK_API_VERSION_1_2},
        {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
         sizeof(VkPhysicalDeviceVulkan12Features), VK_API_VERSION_1_2},
        {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
         sizeof(VkPhysicalDeviceVulkan12Properties), VK_API_VERSION_1_2},
        {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
         sizeof(VkPhysicalDeviceVulkan13Features), VK_API_VERSION_1_3},
        {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
         sizeof(VkPhysicalDeviceVulkan13Properties), VK_API_VERSION_1_3},
    };
    for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++) {
        if (structs[i].type == type && sim_card_get()->limits.api_version < structs[i].since)
            return structs[i].size;
    }
    return 0;
}

void sim_newer_structs_save(struct sim_newer_structs *newer, void *chain)
{
    newer->count = 0;
    for (VkBaseOutStructure *s = chain; s != NULL; s = s->pNext) {
        size_t size = newer_size(s->sType);
        if (size == 0 || newer->count == sizeof(newer->saved) / sizeof(newer->saved[0]))
            continue;
        newer->saved[newer->count].at = s;
        newer->saved[newer->count].size = size;
        memcpy(&newer->saved[newer->count].before, s, size);
        newer->count++;
    }
}

void sim_newer_structs_restore(const struct sim_newer_structs *newer)
{
    for (uint32_t i = 0; i < newer->count; i++)
        memcpy(newer->saved[i].at, &newer->saved[i].before, newer->saved[i].size);
}
