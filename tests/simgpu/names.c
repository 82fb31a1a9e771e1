/* SPDX-License-Identifier: MIT
 *
 * Names, tags and private data. All handles are the driver's but the queue's, for which a driver
 * object of its own stands in. Labels on queues are dropped: the driver has one queue for all of
 * them. */
#include "bound.h"
#include "queue.h"

VKAPI_ATTR void VKAPI_CALL sim_QueueBeginDebugUtilsLabelEXT(VkQueue queue,
                                                            const VkDebugUtilsLabelEXT *label)
{
    (void)queue, (void)label;
}

VKAPI_ATTR void VKAPI_CALL sim_QueueEndDebugUtilsLabelEXT(VkQueue queue)
{
    (void)queue;
}

VKAPI_ATTR void VKAPI_CALL sim_QueueInsertDebugUtilsLabelEXT(VkQueue queue,
                                                             const VkDebugUtilsLabelEXT *label)
{
    (void)queue, (void)label;
}

static void replace_queue(VkObjectType *type, uint64_t *handle)
{
    if (*type != VK_OBJECT_TYPE_QUEUE || *handle == 0)
        return;
    *type = VK_OBJECT_TYPE_SEMAPHORE;
    *handle = SIM_KEY(sim_queue_from((VkQueue)(uintptr_t)*handle)->stand_in);
}

VKAPI_ATTR VkResult VKAPI_CALL
sim_SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
{
    struct sim_device *device = sim_device_find(handle);
    VkDebugUtilsObjectNameInfoEXT copy = *info;
    if (info->objectType == VK_OBJECT_TYPE_BUFFER || info->objectType == VK_OBJECT_TYPE_IMAGE ||
        info->objectType == VK_OBJECT_TYPE_DEVICE_MEMORY)
        sim_name_set(info->objectHandle, info->pObjectName);
    if (device->vk.SetDebugUtilsObjectNameEXT == NULL)
        return VK_SUCCESS;
    replace_queue(&copy.objectType, &copy.objectHandle);
    return device->vk.SetDebugUtilsObjectNameEXT(handle, &copy);
}

VKAPI_ATTR VkResult VKAPI_CALL
sim_SetDebugUtilsObjectTagEXT(VkDevice handle, const VkDebugUtilsObjectTagInfoEXT *info)
{
    struct sim_device *device = sim_device_find(handle);
    VkDebugUtilsObjectTagInfoEXT copy = *info;
    if (device->vk.SetDebugUtilsObjectTagEXT == NULL)
        return VK_SUCCESS;
    replace_queue(&copy.objectType, &copy.objectHandle);
    return device->vk.SetDebugUtilsObjectTagEXT(handle, &copy);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_SetPrivateData(VkDevice handle, VkObjectType type,
                                                  uint64_t object, VkPrivateDataSlot slot,
                                                  uint64_t data)
{
    replace_queue(&type, &object);
    return sim_device_find(handle)->vk.SetPrivateData(handle, type, object, slot, data);
}

VKAPI_ATTR void VKAPI_CALL sim_GetPrivateData(VkDevice handle, VkObjectType type, uint64_t object,
                                              VkPrivateDataSlot slot, uint64_t *data)
{
    replace_queue(&type, &object);
    sim_device_find(handle)->vk.GetPrivateData(handle, type, object, slot, data);
}

VKAPI_ATTR VkResult VKAPI_CALL
sim_DebugMarkerSetObjectNameEXT(VkDevice handle, const VkDebugMarkerObjectNameInfoEXT *info)
{
    struct sim_device *device = sim_device_find(handle);
    if (info->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_QUEUE_EXT ||
        device->vk.DebugMarkerSetObjectNameEXT == NULL)
        return VK_SUCCESS;
    return device->vk.DebugMarkerSetObjectNameEXT(handle, info);
}

VKAPI_ATTR VkResult VKAPI_CALL
sim_DebugMarkerSetObjectTagEXT(VkDevice handle, const VkDebugMarkerObjectTagInfoEXT *info)
{
    struct sim_device *device = sim_device_find(handle);
    if (info->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_QUEUE_EXT ||
        device->vk.DebugMarkerSetObjectTagEXT == NULL)
        return VK_SUCCESS;
    return device->vk.DebugMarkerSetObjectTagEXT(handle, info);
}
