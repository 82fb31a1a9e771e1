/* SPDX-License-Identifier: MIT
 *
 * vkCreateDevice and vkDestroyDevice: the device chain. Nothing is added to what the program asks
 * for: the extension whose figures we use (VK_EXT_memory_budget) works on the physical device. */
#include "chain.h"
#include "device_probe.h"
#include "host_alloc.h"
#include "memory.h"
#include "objects.h"
#include "physical_device.h"
#include "report.h"

static VkResult call_down(VkLayerDeviceCreateInfo *link, PFN_vkCreateDevice create,
                          VkPhysicalDevice physical_device, const VkDeviceCreateInfo *info,
                          const VkAllocationCallbacks *allocator, VkDevice *device)
{
    VkLayerDeviceLink *ours = link->u.pLayerInfo;
    link->u.pLayerInfo = ours->pNext;
    VkResult result = create(physical_device, info, allocator, device);
    link->u.pLayerInfo = ours;
    return result;
}

static bool is_group(const VkDeviceCreateInfo *info)
{
    const VkDeviceGroupDeviceCreateInfo *group =
        spw_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    return group && group->physicalDeviceCount > 1;
}

static void device_free(struct spw_device *object)
{
    if (!object)
        return;
    spw_handle_map_finish(&object->memories);
    spw_handle_map_finish(&object->exempt_buffers);
    spw_handle_map_finish(&object->exempt_images);
    spw_free(object);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_CreateDevice(VkPhysicalDevice physicalDevice,
                                                const VkDeviceCreateInfo *pCreateInfo,
                                                const VkAllocationCallbacks *pAllocator,
                                                VkDevice *pDevice)
{
    struct spw_instance *instance = spw_instance_of(physicalDevice);
    VkLayerDeviceCreateInfo *link = spw_chain_device_link(pCreateInfo);
    if (!instance || !link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)gipa(instance->handle, "vkCreateDevice");
    if (!create)
        return VK_ERROR_INITIALIZATION_FAILED;
    struct spw_physical_device *physical = spw_physical_device_get(instance, physicalDevice);
    struct spw_device *object = physical ? spw_calloc(1, sizeof(*object)) : NULL;
    if (!object)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    object->physical = physical;
    object->group = is_group(pCreateInfo);
    spw_handle_map_init(&object->memories);
    spw_handle_map_init(&object->exempt_buffers);
    spw_handle_map_init(&object->exempt_images);
    spw_type_classes_init(&object->type_classes);

    /* The loader's terminator finds its own half-built object in *pDevice: what stands there goes
     * down. */
    VkDevice device = *pDevice;
    VkResult result = call_down(link, create, physicalDevice, pCreateInfo, pAllocator, &device);
    if (result != VK_SUCCESS) {
        device_free(object);
        return result;
    }
    object->handle = device;
    object->next_gdpa = gdpa;
    spw_device_next_load(&object->next, gdpa, device);
    if (spw_handle_map_insert(&spw_process_get()->devices, spw_dispatch_key(device), object) !=
        SPW_OK) {
        object->next.DestroyDevice(device, pAllocator);
        device_free(object);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (physical->mode != SPW_MODE_PASSTHROUGH)
        spw_device_probe(object);
    spw_report_add_device(object);
    *pDevice = device;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL spw_DestroyDevice(VkDevice device,
                                             const VkAllocationCallbacks *pAllocator)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    spw_handle_map_remove(&spw_process_get()->devices, spw_dispatch_key(device));
    object->next.DestroyDevice(device, pAllocator);
    spw_report_remove_device(object);
    spw_memories_forget(object);
    device_free(object);
}
