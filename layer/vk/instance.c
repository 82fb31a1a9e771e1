/* SPDX-License-Identifier: MIT
 *
 * vkCreateInstance and vkDestroyInstance: the instance chain, and the settings of this instance. */
#include "chain.h"
#include "host_alloc.h"
#include "instance_settings.h"
#include "objects.h"
#include "physical_device.h"
#include "test_switches.h"

#include <string.h>

/* VK_EXT_memory_budget is read through vkGetPhysicalDeviceMemoryProperties2: core since 1.1, before
 * that an extension of the instance, which the loader itself supplies where a driver lacks it.
 * Adding it, unlike raising apiVersion, changes nothing else that the program could see. */
static bool needs_properties2(const VkInstanceCreateInfo *info)
{
    uint32_t version = info->pApplicationInfo ? info->pApplicationInfo->apiVersion : 0;
    if (version >= VK_API_VERSION_1_1)
        return false;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i],
                   VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME) == 0)
            return false;
    return true;
}

/* Calls down with the link info advanced, and sets it back: a caller that tries again finds it as
 * it was. */
static VkResult call_down(VkLayerInstanceCreateInfo *link, PFN_vkCreateInstance create,
                          const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                          VkInstance *instance)
{
    VkLayerInstanceLink *ours = link->u.pLayerInfo;
    link->u.pLayerInfo = ours->pNext;
    VkResult result = create(info, allocator, instance);
    link->u.pLayerInfo = ours;
    return result;
}

static VkResult create_with_properties2(VkLayerInstanceCreateInfo *link,
                                        PFN_vkCreateInstance create,
                                        const VkInstanceCreateInfo *info,
                                        const VkAllocationCallbacks *allocator,
                                        VkInstance *instance)
{
    uint32_t count = info->enabledExtensionCount;
    const char **names = spw_calloc(count + 1, sizeof(*names));
    if (!names)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        names[i] = info->ppEnabledExtensionNames[i];
    names[count] = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
    VkInstanceCreateInfo copy = *info;
    copy.enabledExtensionCount = count + 1;
    copy.ppEnabledExtensionNames = names;
    VkResult result = call_down(link, create, &copy, allocator, instance);
    spw_free(names);
    /* Not there after all, or the program's own list is at fault: its own create info decides. */
    if (result == VK_ERROR_EXTENSION_NOT_PRESENT)
        result = call_down(link, create, info, allocator, instance);
    return result;
}

static void instance_free(struct spw_instance *object)
{
    if (!object)
        return;
    spw_physical_devices_destroy(object);
    spw_instance_settings_finish(object);
    spw_mutex_finish(&object->lock);
    spw_free(object);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_CreateInstance(const VkInstanceCreateInfo *pCreateInfo,
                                                  const VkAllocationCallbacks *pAllocator,
                                                  VkInstance *pInstance)
{
    VkLayerInstanceCreateInfo *link = spw_chain_instance_link(pCreateInfo);
    if (!link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_GetPhysicalDeviceProcAddr gpdpa = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(VK_NULL_HANDLE, "vkCreateInstance");
    if (!create)
        return VK_ERROR_INITIALIZATION_FAILED;

#ifdef SPW_CHECK
    spw_test_switches_read();
#endif
    struct spw_instance *object = spw_calloc(1, sizeof(*object));
    if (!object)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    spw_mutex_init(&object->lock, SPW_RANK_INSTANCE);
    spw_handle_map_init(&object->physical_devices);
    object->disabled = spw_settings_env_disabled();
    VkResult result = VK_SUCCESS;
    if (object->disabled)
        spw_instance_settings_init_disabled(object);
    else
        result = spw_instance_settings_init(object, pCreateInfo);
    if (result != VK_SUCCESS) {
        instance_free(object);
        return result;
    }

    /* The loader's terminator finds its own half-built object in *pInstance: what stands there goes
     * down. */
    VkInstance instance = *pInstance;
    bool pass = object->disabled || !object->effective.settings.enabled;
    result = !pass && needs_properties2(pCreateInfo)
                 ? create_with_properties2(link, create, pCreateInfo, pAllocator, &instance)
                 : call_down(link, create, pCreateInfo, pAllocator, &instance);
    if (result != VK_SUCCESS) {
        instance_free(object);
        return result;
    }

    object->handle = instance;
    object->next_gpdpa = gpdpa;
    /* Here and not later: with a live instance the loader's terminator answers with the top of the
     * chain, and we would call ourselves. */
    spw_instance_next_load(&object->next, gipa, instance);
    object->next.GetInstanceProcAddr = gipa;
    if (spw_handle_map_insert(&spw_process_get()->instances, spw_dispatch_key(instance), object) !=
        SPW_OK) {
        object->next.DestroyInstance(instance, pAllocator);
        instance_free(object);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *pInstance = instance;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL spw_DestroyInstance(VkInstance instance,
                                               const VkAllocationCallbacks *pAllocator)
{
    if (instance == VK_NULL_HANDLE)
        return;
    struct spw_instance *object =
        spw_handle_map_remove(&spw_process_get()->instances, spw_dispatch_key(instance));
    if (!object)
        return;
    object->next.DestroyInstance(instance, pAllocator);
    instance_free(object);
}
