/* SPDX-License-Identifier: MIT
 *
 * vkGet*MemoryRequirements*: answered by the driver, unchanged; the memoryTypeBits are noted, since
 * memory that is allocated without naming its resource may be bound to any resource of a class seen
 * so far. */
#include "requirements.h"

#include "chain.h"
#include "log.h"
#include "placement.h"
#include "resource.h"

void spw_requirements_note(struct spw_device *device, uint32_t memory_type_bits)
{
    if (!spw_type_classes_note(&device->type_classes, memory_type_bits))
        return;
    const struct spw_memory_layout *layout = &device->physical->account.layout; /* constant */
    for (uint32_t type = 0; type < layout->type_count; type++) {
        uint32_t allowed = spw_type_classes_allowed(&device->type_classes, type);
        if ((memory_type_bits >> type & 1) &&
            (layout->types[type].flags & SPW_MEMORY_DEVICE_LOCAL) &&
            spw_placement_has_host_type(layout, type, UINT32_MAX) &&
            !spw_placement_has_host_type(layout, type, allowed))
            spw_log(
                SPW_LOG_WARN,
                "'%s': a resource with memoryTypeBits 0x%x exists: memory of type %u that names no "
                "resource can no longer overflow to host memory",
                device->physical->name, memory_type_bits, type);
    }
}

static void note_2(struct spw_device *device, bool exempt, const VkMemoryRequirements2 *answer)
{
    const VkMemoryDedicatedRequirements *dedicated =
        spw_chain_find(answer->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);
    /* A resource that must have memory of its own will name itself when it is allocated. */
    if (!exempt && !(dedicated && dedicated->requiresDedicatedAllocation))
        spw_requirements_note(device, answer->memoryRequirements.memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL spw_GetBufferMemoryRequirements(
    VkDevice device, VkBuffer buffer, VkMemoryRequirements *pMemoryRequirements)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    object->next.GetBufferMemoryRequirements(device, buffer, pMemoryRequirements);
    if (!spw_buffer_is_exempt(object, buffer))
        spw_requirements_note(object, pMemoryRequirements->memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL spw_GetImageMemoryRequirements(VkDevice device, VkImage image,
                                                          VkMemoryRequirements *pMemoryRequirements)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    object->next.GetImageMemoryRequirements(device, image, pMemoryRequirements);
    if (!spw_image_is_exempt(object, image))
        spw_requirements_note(object, pMemoryRequirements->memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL
spw_GetBufferMemoryRequirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2 *pInfo,
                                 VkMemoryRequirements2 *pMemoryRequirements)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    object->next.GetBufferMemoryRequirements2(device, pInfo, pMemoryRequirements);
    note_2(object, spw_buffer_is_exempt(object, pInfo->buffer), pMemoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL
spw_GetImageMemoryRequirements2(VkDevice device, const VkImageMemoryRequirementsInfo2 *pInfo,
                                VkMemoryRequirements2 *pMemoryRequirements)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    object->next.GetImageMemoryRequirements2(device, pInfo, pMemoryRequirements);
    note_2(object, spw_image_is_exempt(object, pInfo->image), pMemoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL spw_GetDeviceBufferMemoryRequirements(
    VkDevice device, const VkDeviceBufferMemoryRequirements *pInfo,
    VkMemoryRequirements2 *pMemoryRequirements)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    object->next.GetDeviceBufferMemoryRequirements(device, pInfo, pMemoryRequirements);
    note_2(object, spw_buffer_info_is_exempt(pInfo->pCreateInfo), pMemoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL
spw_GetDeviceImageMemoryRequirements(VkDevice device, const VkDeviceImageMemoryRequirements *pInfo,
                                     VkMemoryRequirements2 *pMemoryRequirements)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    object->next.GetDeviceImageMemoryRequirements(device, pInfo, pMemoryRequirements);
    note_2(object, spw_image_info_is_exempt(pInfo->pCreateInfo), pMemoryRequirements);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_GetVideoSessionMemoryRequirementsKHR(
    VkDevice device, VkVideoSessionKHR videoSession, uint32_t *pMemoryRequirementsCount,
    VkVideoSessionMemoryRequirementsKHR *pMemoryRequirements)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = object->next.GetVideoSessionMemoryRequirementsKHR(
        device, videoSession, pMemoryRequirementsCount, pMemoryRequirements);
    if (result >= 0 && pMemoryRequirements)
        for (uint32_t i = 0; i < *pMemoryRequirementsCount; i++)
            spw_requirements_note(object, pMemoryRequirements[i].memoryRequirements.memoryTypeBits);
    return result;
}

/* The rest have one shape: an info structure that we do not look into, and VkMemoryRequirements2.
 */
#define REQUIREMENTS_OF(name, info_type)                                                           \
    VKAPI_ATTR void VKAPI_CALL spw_##name(VkDevice device, const info_type *pInfo,                 \
                                          VkMemoryRequirements2 *pMemoryRequirements)              \
    {                                                                                              \
        struct spw_device *object = spw_device_find(device);                                       \
        if (!object)                                                                               \
            return;                                                                                \
        object->next.name(device, pInfo, pMemoryRequirements);                                     \
        note_2(object, false, pMemoryRequirements);                                                \
    }

REQUIREMENTS_OF(GetAccelerationStructureMemoryRequirementsNV,
                VkAccelerationStructureMemoryRequirementsInfoNV)
REQUIREMENTS_OF(GetGeneratedCommandsMemoryRequirementsNV,
                VkGeneratedCommandsMemoryRequirementsInfoNV)
REQUIREMENTS_OF(GetGeneratedCommandsMemoryRequirementsEXT,
                VkGeneratedCommandsMemoryRequirementsInfoEXT)
REQUIREMENTS_OF(GetTensorMemoryRequirementsARM, VkTensorMemoryRequirementsInfoARM)
REQUIREMENTS_OF(GetDeviceTensorMemoryRequirementsARM, VkDeviceTensorMemoryRequirementsARM)
REQUIREMENTS_OF(GetDataGraphPipelineSessionMemoryRequirementsARM,
                VkDataGraphPipelineSessionMemoryRequirementsInfoARM)
