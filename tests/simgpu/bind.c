/* SPDX-License-Identifier: MIT
 *
 * Plain binds, checked as a card's driver could not forgive: memory type, alignment, range. A bad
 * one is counted with the bad sparse binds and refused, for software drivers would bind anything.
 */
#include "bound.h"
#include "memory.h"
#include "resource.h"

static const char *find_fault(const struct sim_memory *memory, uint64_t offset,
                              const VkMemoryRequirements *r, bool sparse)
{
    if (sparse)
        return "a sparse resource is bound by vkQueueBindSparse only";
    if (memory == NULL)
        return "not a memory of this device";
    if (!(r->memoryTypeBits & (1u << memory->type)))
        return "a memory type that the resource does not take";
    if (offset % r->alignment != 0)
        return "memory offset not aligned";
    if (offset > memory->size || r->size > memory->size - offset)
        return "beyond the end of the memory";
    return NULL;
}

static VkResult judge(const char *fault, const char *kind, uint64_t name, VkDeviceMemory memory,
                      uint64_t offset)
{
    if (fault == NULL)
        return VK_SUCCESS;
    sim_card_note_bad_bind(sim_card_get(), "%s (%s 0x%llx memory 0x%llx offset 0x%llx)", fault,
                           kind, (unsigned long long)name, (unsigned long long)SIM_KEY(memory),
                           (unsigned long long)offset);
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static VkResult check_buffer(struct sim_device *device, VkBuffer buffer, VkDeviceMemory memory,
                             uint64_t offset)
{
    VkMemoryRequirements r;
    sim_GetBufferMemoryRequirements(device->handle, buffer, &r);
    const char *fault = find_fault(sim_memory_find(device, memory), offset, &r,
                                   sim_resource_find_buffer(device, buffer) != NULL);
    if (fault == NULL)
        sim_bound_note(SIM_KEY(buffer), false, sim_memory_find(device, memory), offset, r.size);
    return judge(fault, "buffer", SIM_KEY(buffer), memory, offset);
}

/* plane: NULL, or which plane of a disjoint image. */
static VkResult check_image(struct sim_device *device, VkImage image, VkDeviceMemory memory,
                            uint64_t offset, const VkBindImagePlaneMemoryInfo *plane)
{
    const struct sim_resource *resource = sim_resource_find_image(device, image);
    VkImagePlaneMemoryRequirementsInfo aspect = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
        .planeAspect = plane != NULL ? plane->planeAspect : 0};
    VkImageMemoryRequirementsInfo2 info = {.sType =
                                               VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
                                           .pNext = plane != NULL ? &aspect : NULL,
                                           .image = image};
    VkMemoryRequirements2 r = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    sim_GetImageMemoryRequirements2(device->handle, &info, &r);
    const char *fault = find_fault(sim_memory_find(device, memory), offset, &r.memoryRequirements,
                                   resource != NULL && resource->region != NULL);
    if (fault == NULL)
        sim_bound_note(SIM_KEY(image), true, sim_memory_find(device, memory), offset,
                       r.memoryRequirements.size);
    return judge(fault, "image", SIM_KEY(image), memory, offset);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_BindBufferMemory(VkDevice handle, VkBuffer buffer,
                                                    VkDeviceMemory memory, VkDeviceSize offset)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = check_buffer(device, buffer, memory, offset);
    return result == VK_SUCCESS ? device->vk.BindBufferMemory(handle, buffer, memory, offset)
                                : result;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_BindBufferMemory2(VkDevice handle, uint32_t count,
                                                     const VkBindBufferMemoryInfo *infos)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++)
        result = check_buffer(device, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
    return result == VK_SUCCESS ? device->vk.BindBufferMemory2(handle, count, infos) : result;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_BindImageMemory(VkDevice handle, VkImage image,
                                                   VkDeviceMemory memory, VkDeviceSize offset)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = check_image(device, image, memory, offset, NULL);
    return result == VK_SUCCESS ? device->vk.BindImageMemory(handle, image, memory, offset)
                                : result;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_BindImageMemory2(VkDevice handle, uint32_t count,
                                                    const VkBindImageMemoryInfo *infos)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        const VkBindImageMemorySwapchainInfoKHR *swapchain =
            sim_chain_find(infos[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
        if (swapchain == NULL || swapchain->swapchain == VK_NULL_HANDLE)
            result = check_image(
                device, infos[i].image, infos[i].memory, infos[i].memoryOffset,
                sim_chain_find(infos[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO));
    }
    return result == VK_SUCCESS ? device->vk.BindImageMemory2(handle, count, infos) : result;
}
