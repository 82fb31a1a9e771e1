/* SPDX-License-Identifier: MIT
 *
 * Format and external-handle questions: sparse flags are answered here, the rest by the driver
 * without them; memory is shared with nobody, except that host memory can be imported. */
#include "sim.h"

#define RESIDENCY_FLAGS (VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)
#define SPARSE_FLAGS    (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | RESIDENCY_FLAGS)

/* Can the card have images with these flags at all? Residency of images is not simulated. */
static bool flags_possible(VkImageCreateFlags flags)
{
    if (flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)
        return false;
    return !(flags & SPARSE_FLAGS) || sim_card_get()->profile->sparse;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_GetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice handle, VkFormat format, VkImageType type, VkImageTiling tiling,
    VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *properties)
{
    *properties = (VkImageFormatProperties){0};
    if (!flags_possible(flags))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    return sim_physical_find(handle)->instance->vk.GetPhysicalDeviceImageFormatProperties(
        handle, format, type, tiling, usage, flags & ~(VkImageCreateFlags)SPARSE_FLAGS, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceImageFormatInfo2 *info,
    VkImageFormatProperties2 *properties)
{
    const VkPhysicalDeviceExternalImageFormatInfo *external =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
    if (!flags_possible(info->flags) ||
        (external != NULL && external->handleType != 0 &&
         external->handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT)) {
        properties->imageFormatProperties = (VkImageFormatProperties){0};
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    VkPhysicalDeviceImageFormatInfo2 copy = *info;
    copy.flags &= ~(VkImageCreateFlags)SPARSE_FLAGS;
    return sim_physical_find(handle)->instance->vk.GetPhysicalDeviceImageFormatProperties2(
        handle, &copy, properties);
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceSparseImageFormatProperties(
    VkPhysicalDevice handle, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,
    VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *count,
    VkSparseImageFormatProperties *properties)
{
    (void)handle, (void)format, (void)type, (void)samples, (void)usage, (void)tiling,
        (void)properties;
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
    VkSparseImageFormatProperties2 *properties)
{
    (void)handle, (void)info, (void)properties;
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalBufferInfo *info,
    VkExternalBufferProperties *properties)
{
    VkPhysicalDeviceExternalBufferInfo copy = *info;
    copy.flags &= ~(VkBufferCreateFlags)(VK_BUFFER_CREATE_SPARSE_BINDING_BIT |
                                         VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                                         VK_BUFFER_CREATE_SPARSE_ALIASED_BIT);
    sim_physical_find(handle)->instance->vk.GetPhysicalDeviceExternalBufferProperties(handle, &copy,
                                                                                      properties);
    if (info->handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT)
        properties->externalMemoryProperties = (VkExternalMemoryProperties){0};
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalSemaphoreInfo *info,
    VkExternalSemaphoreProperties *properties)
{
    (void)handle, (void)info;
    properties->exportFromImportedHandleTypes = 0;
    properties->compatibleHandleTypes = 0;
    properties->externalSemaphoreFeatures = 0;
}

VKAPI_ATTR void VKAPI_CALL sim_GetPhysicalDeviceExternalFenceProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalFenceInfo *info,
    VkExternalFenceProperties *properties)
{
    (void)handle, (void)info;
    properties->exportFromImportedHandleTypes = 0;
    properties->compatibleHandleTypes = 0;
    properties->externalFenceFeatures = 0;
}
