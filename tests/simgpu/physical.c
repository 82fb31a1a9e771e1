/* SPDX-License-Identifier: MIT
 *
 * What the card says about itself: the driver's answers with the profile's memory, queue families,
 * sparse binding, name and type put over them. */
#include "sim.h"

#include "control.h"
#include "offers.h"
#include "residency.h"

#include <stdio.h>
#include <string.h>

static void patch_properties(VkPhysicalDeviceProperties *p)
{
    const struct sim_card *card = sim_card_get();
    const struct sim_profile *profile = card->profile;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    snprintf(name, sizeof(name), "simgpu %s (%.200s)", profile->name, p->deviceName);
    memcpy(p->deviceName, name, sizeof(name));
    p->apiVersion = sim_offers_api_version(sim_driver_api_version(p->apiVersion));
    p->deviceType = profile->device_type;
    p->vendorID = profile->vendor_id;
    p->deviceID = profile->device_id;
    if (p->limits.bufferImageGranularity < profile->buffer_image_granularity)
        p->limits.bufferImageGranularity = profile->buffer_image_granularity;
    p->limits.sparseAddressSpaceSize = profile->sparse ? card->limits.sparse_space : 0;
    p->limits.maxMemoryAllocationCount = card->limits.max_allocations;
    /* Residency of buffers is simulated with writable holes, so not strict; images only bind
     * opaquely. */
    p->sparseProperties = (VkPhysicalDeviceSparseProperties){0};
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceProperties(VkPhysicalDevice handle,
                                                           VkPhysicalDeviceProperties *properties)
{
    *properties = sim_physical_find(handle)->driver_properties;
    patch_properties(properties);
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceProperties2(VkPhysicalDevice handle,
                                                            VkPhysicalDeviceProperties2 *properties)
{
    struct sim_newer_structs newer;
    sim_newer_structs_save(&newer, properties->pNext);
    sim_physical_find(handle)->instance->vk.GetPhysicalDeviceProperties2(handle, properties);
    sim_newer_structs_restore(&newer);
    patch_properties(&properties->properties);
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceFeatures(VkPhysicalDevice handle,
                                                         VkPhysicalDeviceFeatures *features)
{
    sim_physical_find(handle)->instance->vk.GetPhysicalDeviceFeatures(handle, features);
    sim_offers_patch_features(features);
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceFeatures2(VkPhysicalDevice handle,
                                                          VkPhysicalDeviceFeatures2 *features)
{
    struct sim_newer_structs newer;
    sim_newer_structs_save(&newer, features->pNext);
    sim_physical_find(handle)->instance->vk.GetPhysicalDeviceFeatures2(handle, features);
    sim_newer_structs_restore(&newer);
    sim_offers_patch_features(&features->features);
    sim_offers_patch_feature_chain(features->pNext);
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceMemoryProperties(
    VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties *memory)
{
    const struct sim_card *card = sim_card_get();
    (void)handle;
    *memory = (VkPhysicalDeviceMemoryProperties){.memoryTypeCount = card->profile->type_count,
                                                 .memoryHeapCount = card->profile->heap_count};
    for (uint32_t i = 0; i < card->profile->type_count; i++)
        memory->memoryTypes[i] = card->profile->types[i];
    for (uint32_t i = 0; i < card->profile->heap_count; i++)
        memory->memoryHeaps[i] =
            (VkMemoryHeap){.size = card->heaps[i].limit, .flags = card->profile->heaps[i].flags};
}

static void fill_budget(VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
    struct sim_card *card = sim_card_get();
    uint64_t evicted = 0;
    sim_control_poll(card);
    memset(budget->heapBudget, 0, sizeof(budget->heapBudget));
    memset(budget->heapUsage, 0, sizeof(budget->heapUsage));
    for (uint32_t i = 0; i < card->profile->heap_count; i++) {
        budget->heapBudget[i] = sim_card_heap_budget(card, i);
        budget->heapUsage[i] = sim_heap_numbers(&card->heaps[i]).used;
        /* what is evicted is in host memory */
        uint64_t gone = sim_residency_numbers(i).evicted;
        budget->heapUsage[i] -= gone < budget->heapUsage[i] ? gone : budget->heapUsage[i];
        evicted += gone;
    }
    for (uint32_t i = 0; i < card->profile->heap_count && evicted > 0; i++) {
        if (card->profile->heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            continue;
        budget->heapUsage[i] += evicted;
        evicted = 0;
    }
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceMemoryProperties2(
    VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties2 *memory)
{
    /* The driver is not asked: nothing but the budget extends this struct in the registry, and
     * SwiftShader complains on stderr about structs it does not know. */
    sim_GetPhysicalDeviceMemoryProperties(handle, &memory->memoryProperties);
    for (VkBaseOutStructure *s = memory->pNext; s != NULL; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)
            fill_budget((VkPhysicalDeviceMemoryBudgetPropertiesEXT *)s);
    }
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceQueueFamilyProperties(
    VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties *families)
{
    const struct sim_profile *profile = sim_card_get()->profile;
    (void)handle;
    if (families == NULL) {
        *count = profile->family_count;
        return;
    }
    if (*count > profile->family_count)
        *count = profile->family_count;
    memcpy(families, profile->families, *count * sizeof(*families));
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceQueueFamilyProperties2(
    VkPhysicalDevice handle, uint32_t *count, VkQueueFamilyProperties2 *families)
{
    const struct sim_profile *profile = sim_card_get()->profile;
    if (families == NULL) {
        *count = profile->family_count;
        return;
    }
    if (*count > profile->family_count)
        *count = profile->family_count;
    for (uint32_t i = 0; i < *count; i++) {
        /* One at a time: the driver has a single family, which fills each one's chain. */
        uint32_t one = 1;
        sim_physical_find(handle)->instance->vk.GetPhysicalDeviceQueueFamilyProperties2(
            handle, &one, &families[i]);
        families[i].queueFamilyProperties = profile->families[i];
    }
}
