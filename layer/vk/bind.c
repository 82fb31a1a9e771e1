/* SPDX-License-Identifier: MIT
 *
 * vkBind{Buffer,Image}Memory{,2}: passed down, but for one check. Memory that named no resource
 * when it was allocated was placed where every class of resource known by then could live; should a
 * resource of a new kind come along later that cannot ("memory must have been allocated using one
 * of the memory types allowed in the memoryTypeBits member", VUID-vkBindBufferMemory-memory-01035,
 * VUID-vkBindImageMemory-memory-01047), the program gets VK_ERROR_OUT_OF_DEVICE_MEMORY rather than
 * undefined behaviour. */
#include "chain.h"
#include "log.h"
#include "memory.h"
#include "objects.h"

/* The record where it was placed elsewhere than asked; all other memory is the program's own
 * affair. */
static const struct spw_memory *find_redirected(struct spw_device *device, VkDeviceMemory memory)
{
    const struct spw_memory *m = memory ? spw_memory_find(device, memory) : NULL;
    return m && m->asked_type != m->placed_type ? m : NULL;
}

static VkResult check(struct spw_device *device, const struct spw_memory *m,
                      uint32_t memory_type_bits, const char *kind)
{
    /* Not allowed where it was asked either: the program's error, and not ours to judge. */
    if ((memory_type_bits >> m->placed_type & 1) || !(memory_type_bits >> m->asked_type & 1))
        return VK_SUCCESS;
    spw_log(SPW_LOG_ERROR,
            "'%s': %s with memoryTypeBits 0x%x cannot live in memory type %u, where its memory "
            "(asked of type "
            "%u) was placed: the bind fails with VK_ERROR_OUT_OF_DEVICE_MEMORY",
            device->physical->name, kind, memory_type_bits, m->placed_type, m->asked_type);
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static VkResult check_buffer(struct spw_device *device, VkBuffer buffer, VkDeviceMemory memory)
{
    const struct spw_memory *m = find_redirected(device, memory);
    if (!m)
        return VK_SUCCESS;
    VkMemoryRequirements requirements;
    device->next.GetBufferMemoryRequirements(device->handle, buffer, &requirements);
    return check(device, m, requirements.memoryTypeBits, "a buffer");
}

static VkResult check_image(struct spw_device *device, VkImage image, VkDeviceMemory memory)
{
    const struct spw_memory *m = find_redirected(device, memory);
    if (!m)
        return VK_SUCCESS;
    VkMemoryRequirements requirements;
    device->next.GetImageMemoryRequirements(device->handle, image, &requirements);
    return check(device, m, requirements.memoryTypeBits, "an image");
}

/* One plane of a disjoint image: VUID-vkGetImageMemoryRequirements-image-01588 wants the plane
 * named. */
static VkResult check_plane(struct spw_device *device, const VkBindImageMemoryInfo *info,
                            const VkBindImagePlaneMemoryInfo *bind_plane)
{
    const struct spw_memory *m = find_redirected(device, info->memory);
    if (!m || !device->next.GetImageMemoryRequirements2)
        return VK_SUCCESS;
    VkImagePlaneMemoryRequirementsInfo plane = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
        .planeAspect = bind_plane->planeAspect};
    VkImageMemoryRequirementsInfo2 ask = {.sType =
                                              VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                          .pNext = &plane,
                                          .image = info->image};
    VkMemoryRequirements2 requirements = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    device->next.GetImageMemoryRequirements2(device->handle, &ask, &requirements);
    return check(device, m, requirements.memoryRequirements.memoryTypeBits, "a plane of an image");
}

static VkResult check_image_2(struct spw_device *device, const VkBindImageMemoryInfo *info)
{
    const VkBindImagePlaneMemoryInfo *plane =
        spw_chain_find(info->pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
    return plane ? check_plane(device, info, plane)
                 : check_image(device, info->image, info->memory);
}

/* VkBindMemoryStatus: "pResult is a pointer to a VkResult value" for each element, which a program
 * that chains it reads when the call as a whole has failed. */
static void tell_status(const void *chain, VkResult result)
{
    const VkBindMemoryStatus *status = spw_chain_find(chain, VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS);
    if (status && status->pResult)
        *status->pResult = result;
}

VKAPI_ATTR VkResult VKAPI_CALL spw_BindBufferMemory(VkDevice device, VkBuffer buffer,
                                                    VkDeviceMemory memory,
                                                    VkDeviceSize memoryOffset)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = check_buffer(object, buffer, memory);
    return result == VK_SUCCESS
               ? object->next.BindBufferMemory(device, buffer, memory, memoryOffset)
               : result;
}

VKAPI_ATTR VkResult VKAPI_CALL spw_BindImageMemory(VkDevice device, VkImage image,
                                                   VkDeviceMemory memory, VkDeviceSize memoryOffset)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = check_image(object, image, memory);
    return result == VK_SUCCESS ? object->next.BindImageMemory(device, image, memory, memoryOffset)
                                : result;
}

/* A list fails as a whole, before anything is bound: the specification leaves the state of every
 * resource undefined then, and says so to the program through the result of each element. */
VKAPI_ATTR VkResult VKAPI_CALL spw_BindBufferMemory2(VkDevice device, uint32_t bindInfoCount,
                                                     const VkBindBufferMemoryInfo *pBindInfos)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return VK_ERROR_INITIALIZATION_FAILED;
    for (uint32_t i = 0; i < bindInfoCount; i++) {
        VkResult result = check_buffer(object, pBindInfos[i].buffer, pBindInfos[i].memory);
        if (result == VK_SUCCESS)
            continue;
        for (uint32_t k = 0; k < bindInfoCount; k++)
            tell_status(pBindInfos[k].pNext, result);
        return result;
    }
    return object->next.BindBufferMemory2(device, bindInfoCount, pBindInfos);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_BindImageMemory2(VkDevice device, uint32_t bindInfoCount,
                                                    const VkBindImageMemoryInfo *pBindInfos)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return VK_ERROR_INITIALIZATION_FAILED;
    for (uint32_t i = 0; i < bindInfoCount; i++) {
        VkResult result = check_image_2(object, &pBindInfos[i]);
        if (result == VK_SUCCESS)
            continue;
        for (uint32_t k = 0; k < bindInfoCount; k++)
            tell_status(pBindInfos[k].pNext, result);
        return result;
    }
    return object->next.BindImageMemory2(device, bindInfoCount, pBindInfos);
}
