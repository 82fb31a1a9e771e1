/* SPDX-License-Identifier: MIT
 *
 * Instances: the driver's, created at its own full API version so that everything simgpu needs can
 * be resolved, with one physical device: the card. */
#include "sim.h"

#include "offers.h"

#include <stdlib.h>
#include <string.h>

static struct sim_map instances = SIM_MAP_INITIALIZER;
static struct sim_map physicals = SIM_MAP_INITIALIZER;
static _Atomic int instance_count;

struct sim_instance *sim_instance_find(VkInstance handle)
{
    return sim_map_find(&instances, sim_key(handle));
}

struct sim_physical *sim_physical_find(VkPhysicalDevice handle)
{
    return sim_map_find(&physicals, sim_key(handle));
}

VKAPI_ATTR VkResult VKAPI_CALL sim_EnumerateInstanceVersion(uint32_t *version)
{
    const struct sim_driver *driver = sim_driver_get();
    *version = VK_API_VERSION_1_0;
    if (driver == NULL || driver->enumerate_version == NULL)
        return VK_SUCCESS;
    VkResult result = driver->enumerate_version(version);
    *version = sim_driver_api_version(*version);
    return result;
}

/* Copies what is not hidden; the usual two-call protocol. */
static VkResult copy_extensions(const VkExtensionProperties *from, uint32_t from_count,
                                bool instance, uint32_t *count, VkExtensionProperties *to)
{
    uint32_t shown = 0;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < from_count; i++) {
        int index = sim_extension_find(from[i].extensionName);
        if (index < 0 || sim_extensions[index].hidden ||
            sim_extensions[index].instance != instance || sim_offers_hides(from[i].extensionName))
            continue;
        if (to != NULL && shown == *count) {
            result = VK_INCOMPLETE;
            break;
        }
        if (to != NULL)
            to[shown] = from[i];
        shown++;
    }
    *count = shown;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_EnumerateInstanceExtensionProperties(
    const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
    const struct sim_driver *driver = sim_driver_get();
    if (layer != NULL)
        return VK_ERROR_LAYER_NOT_PRESENT;
    if (driver == NULL) {
        *count = 0;
        return VK_SUCCESS;
    }
    uint32_t n = 0;
    VkResult result = driver->enumerate_extensions(NULL, &n, NULL);
    VkExtensionProperties *all = calloc(n > 0 ? n : 1, sizeof(*all));
    if (all == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result >= 0)
        result = driver->enumerate_extensions(NULL, &n, all);
    if (result >= 0)
        result = copy_extensions(all, n, true, count, properties);
    free(all);
    return result;
}

/* The first device of the driver that can import host memory becomes the card. */
static void find_device(struct sim_instance *instance)
{
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    uint32_t count = 1;
    VkResult result = instance->vk.EnumeratePhysicalDevices(instance->handle, &count, &handle);
    if (result < 0 || count == 0 || instance->vk.GetPhysicalDeviceProperties2 == NULL) {
        sim_log("the software driver shows no device");
        return;
    }
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
    instance->vk.GetPhysicalDeviceProperties2(handle, &properties);
    if (host.minImportedHostPointerAlignment == 0 ||
        host.minImportedHostPointerAlignment > SIM_GRANULE) {
        sim_log("'%s' cannot import host memory", properties.properties.deviceName);
        return;
    }
    instance->physical = (struct sim_physical){
        .handle = handle,
        .instance = instance,
        .driver_properties = properties.properties,
        .import_alignment = host.minImportedHostPointerAlignment,
    };
    instance->has_device = true;
}

static VkResult create_driver_instance(struct sim_instance *instance,
                                       const VkInstanceCreateInfo *info,
                                       const VkAllocationCallbacks *allocator)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    if (info->pApplicationInfo != NULL)
        application = *info->pApplicationInfo;
    uint32_t asked = application.apiVersion != 0 ? application.apiVersion : VK_API_VERSION_1_0;
    uint32_t offered = VK_API_VERSION_1_0;
    sim_EnumerateInstanceVersion(&offered);
    instance->api_version = asked;
    application.apiVersion = asked > offered ? asked : offered;
    VkInstanceCreateInfo copy = *info;
    copy.pApplicationInfo = &application;
    VkResult result = sim_driver_get()->create_instance(&copy, allocator, &instance->handle);
    if (result == VK_SUCCESS)
        sim_instance_table_load(&instance->vk, sim_driver_get()->get_instance_proc_addr,
                                instance->handle);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateInstance(const VkInstanceCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkInstance *out)
{
    if (sim_driver_get() == NULL)
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    struct sim_instance *instance = calloc(1, sizeof(*instance));
    if (instance == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        sim_extension_set_add(&instance->extensions, info->ppEnabledExtensionNames[i]);
    VkResult result = create_driver_instance(instance, info, allocator);
    if (result != VK_SUCCESS) {
        free(instance);
        return result;
    }
    find_device(instance);
    if (sim_map_insert(&instances, sim_key(instance->handle), instance) != 0 ||
        (instance->has_device && sim_map_insert(&physicals, sim_key(instance->physical.handle),
                                                &instance->physical) != 0)) {
        sim_map_remove(&instances, sim_key(instance->handle));
        instance->vk.DestroyInstance(instance->handle, allocator);
        free(instance);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    atomic_fetch_add(&instance_count, 1);
    *out = instance->handle;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyInstance(VkInstance handle,
                                               const VkAllocationCallbacks *allocator)
{
    struct sim_instance *instance = sim_map_remove(&instances, sim_key(handle));
    if (instance == NULL)
        return;
    if (instance->has_device)
        sim_map_remove(&physicals, sim_key(instance->physical.handle));
    instance->vk.DestroyInstance(handle, allocator);
    free(instance);
    if (atomic_fetch_sub(&instance_count, 1) == 1)
        sim_stats_write();
}

VKAPI_ATTR VkResult VKAPI_CALL sim_EnumeratePhysicalDevices(VkInstance handle, uint32_t *count,
                                                            VkPhysicalDevice *devices)
{
    const struct sim_instance *instance = sim_instance_find(handle);
    uint32_t present = instance->has_device ? 1 : 0;
    if (devices == NULL) {
        *count = present;
        return VK_SUCCESS;
    }
    if (*count < present)
        return VK_INCOMPLETE;
    if (present > 0)
        devices[0] = instance->physical.handle;
    *count = present;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_EnumeratePhysicalDeviceGroups(
    VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *groups)
{
    const struct sim_instance *instance = sim_instance_find(handle);
    uint32_t present = instance->has_device ? 1 : 0;
    if (groups == NULL) {
        *count = present;
        return VK_SUCCESS;
    }
    if (*count < present)
        return VK_INCOMPLETE;
    *count = present;
    if (present > 0) {
        memset(groups[0].physicalDevices, 0, sizeof(groups[0].physicalDevices));
        groups[0].physicalDeviceCount = 1;
        groups[0].physicalDevices[0] = instance->physical.handle;
        groups[0].subsetAllocation = VK_FALSE;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_EnumerateDeviceExtensionProperties(
    VkPhysicalDevice handle, const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
    const struct sim_physical *physical = sim_physical_find(handle);
    if (layer != NULL)
        return VK_ERROR_LAYER_NOT_PRESENT;
    const struct sim_instance_table *vk = &physical->instance->vk;
    uint32_t n = 0, room = *count;
    VkResult result = vk->EnumerateDeviceExtensionProperties(handle, NULL, &n, NULL);
    VkExtensionProperties *all = calloc(n > 0 ? n : 1, sizeof(*all));
    if (all == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result >= 0)
        result = vk->EnumerateDeviceExtensionProperties(handle, NULL, &n, all);
    if (result >= 0)
        result = copy_extensions(all, n, false, count, properties);
    free(all);
    const VkExtensionProperties *ours;
    for (uint32_t i = 0; result == VK_SUCCESS && (ours = sim_offers_extension(i)) != NULL; i++) {
        if (properties != NULL && *count == room)
            return VK_INCOMPLETE;
        if (properties != NULL)
            properties[*count] = *ours;
        (*count)++;
    }
    return result;
}
