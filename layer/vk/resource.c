/* SPDX-License-Identifier: MIT
 *
 * Buffers and images whose memory is never ours to place (external, protected): remembered, so that
 * what they demand of memory types does not narrow where everything else may go. All others cost
 * one walk of the create info's chain and are not remembered. */
#include "resource.h"

#include "chain.h"

bool spw_buffer_info_is_exempt(const VkBufferCreateInfo *info)
{
    const VkExternalMemoryBufferCreateInfo *external =
        spw_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
    return (info->flags & VK_BUFFER_CREATE_PROTECTED_BIT) || (external && external->handleTypes);
}

bool spw_image_info_is_exempt(const VkImageCreateInfo *info)
{
    const VkExternalMemoryImageCreateInfo *external =
        spw_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
    const VkExternalMemoryImageCreateInfoNV *external_nv =
        spw_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO_NV);
    return (info->flags & VK_IMAGE_CREATE_PROTECTED_BIT) || (external && external->handleTypes) ||
           (external_nv && external_nv->handleTypes) ||
           info->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT ||
           (info->usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
}

static void note_exempt(struct spw_handle_map *exempt, uint64_t handle)
{
    /* Only the value's presence counts. Without host memory for it the resource narrows placement,
     * no more. */
    (void)!spw_handle_map_insert(exempt, handle, exempt);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_CreateBuffer(VkDevice device,
                                                const VkBufferCreateInfo *pCreateInfo,
                                                const VkAllocationCallbacks *pAllocator,
                                                VkBuffer *pBuffer)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = object->next.CreateBuffer(device, pCreateInfo, pAllocator, pBuffer);
    if (result == VK_SUCCESS && spw_buffer_info_is_exempt(pCreateInfo))
        note_exempt(&object->exempt_buffers, SPW_HANDLE_KEY(*pBuffer));
    return result;
}

VKAPI_ATTR void VKAPI_CALL spw_DestroyBuffer(VkDevice device, VkBuffer buffer,
                                             const VkAllocationCallbacks *pAllocator)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    if (spw_buffer_is_exempt(object, buffer)) /* read without a lock: hardly any is */
        spw_handle_map_remove(&object->exempt_buffers, SPW_HANDLE_KEY(buffer));
    object->next.DestroyBuffer(device, buffer, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_CreateImage(VkDevice device,
                                               const VkImageCreateInfo *pCreateInfo,
                                               const VkAllocationCallbacks *pAllocator,
                                               VkImage *pImage)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = object->next.CreateImage(device, pCreateInfo, pAllocator, pImage);
    if (result == VK_SUCCESS && spw_image_info_is_exempt(pCreateInfo))
        note_exempt(&object->exempt_images, SPW_HANDLE_KEY(*pImage));
    return result;
}

VKAPI_ATTR void VKAPI_CALL spw_DestroyImage(VkDevice device, VkImage image,
                                            const VkAllocationCallbacks *pAllocator)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    if (spw_image_is_exempt(object, image))
        spw_handle_map_remove(&object->exempt_images, SPW_HANDLE_KEY(image));
    object->next.DestroyImage(device, image, pAllocator);
}
