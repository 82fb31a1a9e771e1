/* SPDX-License-Identifier: MIT
 *
 * Memory requirements in every form: the driver's sizes, with a card's alignments and the profile's
 * types; whole sparse blocks for sparse resources. */
#include "resource.h"

/* What GPUs ask of plain buffers; software drivers ask less. */
#define BUFFER_ALIGNMENT ((VkDeviceSize)256)

void sim_requirements_patch(const struct sim_device *device, VkMemoryRequirements *r,
                            enum sim_class class, bool sparse)
{
    const struct sim_card *card = sim_card_get();
    VkDeviceSize alignment =
        class == SIM_CLASS_OPTIMAL ? card->profile->optimal_image_alignment : BUFFER_ALIGNMENT;
    (void)device;
    if (sparse)
        alignment = SIM_GRANULE;
    if (r->alignment < alignment)
        r->alignment = alignment;
    r->size = sim_round_up(r->size, sparse ? SIM_GRANULE : alignment);
    r->memoryTypeBits =
        class == SIM_CLASS_OPTIMAL ? card->profile->optimal_image_types : sim_card_all_types(card);
}

VKAPI_ATTR void VKAPI_CALL sim_GetBufferMemoryRequirements(VkDevice handle, VkBuffer buffer,
                                                           VkMemoryRequirements *requirements)
{
    struct sim_device *device = sim_device_find(handle);
    device->vk.GetBufferMemoryRequirements(handle, buffer, requirements);
    sim_requirements_patch(device, requirements, SIM_CLASS_LINEAR,
                           sim_resource_find_buffer(device, buffer) != NULL);
}

VKAPI_ATTR void VKAPI_CALL
sim_GetBufferMemoryRequirements2(VkDevice handle, const VkBufferMemoryRequirementsInfo2 *info,
                                 VkMemoryRequirements2 *requirements)
{
    struct sim_device *device = sim_device_find(handle);
    device->vk.GetBufferMemoryRequirements2(handle, info, requirements);
    sim_requirements_patch(device, &requirements->memoryRequirements, SIM_CLASS_LINEAR,
                           sim_resource_find_buffer(device, info->buffer) != NULL);
}

VKAPI_ATTR void VKAPI_CALL
sim_GetDeviceBufferMemoryRequirements(VkDevice handle, const VkDeviceBufferMemoryRequirements *info,
                                      VkMemoryRequirements2 *requirements)
{
    struct sim_device *device = sim_device_find(handle);
    VkBufferCreateInfo create = sim_driver_buffer_info(info->pCreateInfo);
    VkDeviceBufferMemoryRequirements copy = *info;
    copy.pCreateInfo = &create;
    device->vk.GetDeviceBufferMemoryRequirements(handle, &copy, requirements);
    sim_requirements_patch(device, &requirements->memoryRequirements, SIM_CLASS_LINEAR,
                           (info->pCreateInfo->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0);
}

static void patch_image(struct sim_device *device, VkImage image,
                        VkMemoryRequirements *requirements)
{
    const struct sim_resource *resource = sim_resource_find_image(device, image);
    /* Images simgpu has not seen made are the swapchain's. */
    sim_requirements_patch(device, requirements,
                           resource != NULL ? resource->class : SIM_CLASS_OPTIMAL,
                           resource != NULL && resource->region != NULL);
}

VKAPI_ATTR void VKAPI_CALL sim_GetImageMemoryRequirements(VkDevice handle, VkImage image,
                                                          VkMemoryRequirements *requirements)
{
    struct sim_device *device = sim_device_find(handle);
    device->vk.GetImageMemoryRequirements(handle, image, requirements);
    patch_image(device, image, requirements);
}

VKAPI_ATTR void VKAPI_CALL
sim_GetImageMemoryRequirements2(VkDevice handle, const VkImageMemoryRequirementsInfo2 *info,
                                VkMemoryRequirements2 *requirements)
{
    struct sim_device *device = sim_device_find(handle);
    device->vk.GetImageMemoryRequirements2(handle, info, requirements);
    patch_image(device, info->image, &requirements->memoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL
sim_GetDeviceImageMemoryRequirements(VkDevice handle, const VkDeviceImageMemoryRequirements *info,
                                     VkMemoryRequirements2 *requirements)
{
    struct sim_device *device = sim_device_find(handle);
    VkImageCreateInfo create = sim_driver_image_info(info->pCreateInfo);
    VkDeviceImageMemoryRequirements copy = *info;
    copy.pCreateInfo = &create;
    device->vk.GetDeviceImageMemoryRequirements(handle, &copy, requirements);
    sim_requirements_patch(device, &requirements->memoryRequirements,
                           sim_image_class(info->pCreateInfo),
                           (info->pCreateInfo->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0);
}

/* Opaque binds only: no image has a layout of sparse blocks. */

VKAPI_ATTR void VKAPI_CALL sim_GetImageSparseMemoryRequirements(
    VkDevice handle, VkImage image, uint32_t *count, VkSparseImageMemoryRequirements *out)
{
    (void)handle, (void)image, (void)out;
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL sim_GetImageSparseMemoryRequirements2(
    VkDevice handle, const VkImageSparseMemoryRequirementsInfo2 *info, uint32_t *count,
    VkSparseImageMemoryRequirements2 *out)
{
    (void)handle, (void)info, (void)out;
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL sim_GetDeviceImageSparseMemoryRequirements(
    VkDevice handle, const VkDeviceImageMemoryRequirements *info, uint32_t *count,
    VkSparseImageMemoryRequirements2 *out)
{
    (void)handle, (void)info, (void)out;
    *count = 0;
}
