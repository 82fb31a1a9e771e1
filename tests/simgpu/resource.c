/* SPDX-License-Identifier: MIT
 *
 * Buffers and images. A sparse one is a plain one of the driver's, bound for good to a region whose
 * pages come and go. */
#include "resource.h"

#include "bound.h"
#include "layouts.h"
#include "memory.h"
#include "region.h"

#include <stdlib.h>

struct sim_resource *sim_resource_find_buffer(struct sim_device *device, VkBuffer buffer)
{
    return sim_map_find(&device->buffers, SIM_KEY(buffer));
}

struct sim_resource *sim_resource_find_image(struct sim_device *device, VkImage image)
{
    return sim_map_find(&device->images, SIM_KEY(image));
}

VkBufferCreateInfo sim_driver_buffer_info(const VkBufferCreateInfo *info)
{
    VkBufferCreateInfo copy = *info;
    copy.flags &= ~(VkBufferCreateFlags)(VK_BUFFER_CREATE_SPARSE_BINDING_BIT |
                                         VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                                         VK_BUFFER_CREATE_SPARSE_ALIASED_BIT);
    copy.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    copy.queueFamilyIndexCount = 0;
    copy.pQueueFamilyIndices = NULL;
    return copy;
}

VkImageCreateInfo sim_driver_image_info(const VkImageCreateInfo *info)
{
    VkImageCreateInfo copy = *info;
    copy.flags &= ~(VkImageCreateFlags)(VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
                                        VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
                                        VK_IMAGE_CREATE_SPARSE_ALIASED_BIT);
    copy.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    copy.queueFamilyIndexCount = 0;
    copy.pQueueFamilyIndices = NULL;
    return copy;
}

enum sim_class sim_image_class(const VkImageCreateInfo *info)
{
    return info->tiling == VK_IMAGE_TILING_LINEAR ? SIM_CLASS_LINEAR : SIM_CLASS_OPTIMAL;
}

/* The features are not offered, so only a program with a bug comes here for nothing. */
static bool sparse_possible(bool binding, bool image_residency)
{
    if (!image_residency && (!binding || sim_card_get()->profile->sparse))
        return true;
    sim_log("a resource with sparse %s was asked for: the card has no such feature",
            image_residency ? "residency of images" : "binding");
    return false;
}

static void destroy_resource(struct sim_device *device, struct sim_resource *resource,
                             const VkAllocationCallbacks *allocator)
{
    if (resource == NULL)
        return;
    if (resource->memory != VK_NULL_HANDLE)
        device->vk.FreeMemory(device->handle, resource->memory, allocator);
    if (resource->region != NULL)
        atomic_fetch_sub(&device->sparse_bytes, resource->requirements.size);
    sim_region_destroy(resource->region);
    free(resource);
}

/* false: more than the card's sparseAddressSpaceSize. */
static bool take_space(struct sim_device *device, uint64_t size)
{
    struct sim_card *card = sim_card_get();
    uint64_t used = atomic_load(&device->sparse_bytes);
    do {
        if (size > card->limits.sparse_space || used > card->limits.sparse_space - size) {
            atomic_fetch_add_explicit(&card->sparse_refusals, 1, memory_order_relaxed);
            return false;
        }
    } while (!atomic_compare_exchange_weak(&device->sparse_bytes, &used, used + size));
    return true;
}

/* Reserves the region of a sparse resource and tells the driver that it is memory. */
static VkResult back_sparse(struct sim_device *device, struct sim_resource *resource, uint64_t name,
                            const VkMemoryRequirements *drivers, bool holes, bool device_address,
                            const VkAllocationCallbacks *allocator)
{
    resource->requirements = *drivers;
    sim_requirements_patch(device, &resource->requirements, resource->class, true);
    if (!take_space(device, resource->requirements.size))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    resource->region = sim_region_create(device, resource->requirements.size, holes);
    if (resource->region == NULL) {
        atomic_fetch_sub(&device->sparse_bytes, resource->requirements.size);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    resource->region->name = name;
    resource->region->image = resource->image;
    return sim_import(device, resource->region->base, resource->region->size, device_address,
                      allocator, &resource->memory);
}

static VkResult make_buffer_sparse(struct sim_device *device, const VkBufferCreateInfo *info,
                                   const VkAllocationCallbacks *allocator, VkBuffer buffer)
{
    VkMemoryRequirements drivers;
    struct sim_resource *resource = calloc(1, sizeof(*resource));
    if (resource == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    resource->class = SIM_CLASS_LINEAR;
    device->vk.GetBufferMemoryRequirements(device->handle, buffer, &drivers);
    VkResult result =
        back_sparse(device, resource, SIM_KEY(buffer), &drivers,
                    (info->flags & VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT) != 0,
                    (info->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0, allocator);
    if (result == VK_SUCCESS)
        result = device->vk.BindBufferMemory(device->handle, buffer, resource->memory, 0);
    if (result == VK_SUCCESS && sim_map_insert(&device->buffers, SIM_KEY(buffer), resource) != 0)
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS)
        destroy_resource(device, resource, allocator);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                const VkAllocationCallbacks *allocator,
                                                VkBuffer *out)
{
    struct sim_device *device = sim_device_find(handle);
    VkBufferCreateInfo copy = sim_driver_buffer_info(info);
    VkBuffer buffer;
    if (!sparse_possible((info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0, false))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkResult result = device->vk.CreateBuffer(handle, &copy, allocator, &buffer);
    if (result != VK_SUCCESS)
        return result;
    if (info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT)
        result = make_buffer_sparse(device, info, allocator, buffer);
    if (result != VK_SUCCESS) {
        device->vk.DestroyBuffer(handle, buffer, allocator);
        return result;
    }
    *out = buffer;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyBuffer(VkDevice handle, VkBuffer buffer,
                                             const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    struct sim_resource *resource = sim_map_remove(&device->buffers, SIM_KEY(buffer));
    sim_bound_forget(SIM_KEY(buffer));
    device->vk.DestroyBuffer(handle, buffer, allocator);
    destroy_resource(device, resource, allocator);
}

static VkResult back_image(struct sim_device *device, const VkImageCreateInfo *info,
                           struct sim_resource *resource, const VkAllocationCallbacks *allocator,
                           VkImage image)
{
    VkMemoryRequirements drivers;
    if (!(info->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT))
        return VK_SUCCESS;
    device->vk.GetImageMemoryRequirements(device->handle, image, &drivers);
    VkResult result =
        back_sparse(device, resource, SIM_KEY(image), &drivers, false, false, allocator);
    if (result != VK_SUCCESS)
        return result;
    return device->vk.BindImageMemory(device->handle, image, resource->memory, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateImage(VkDevice handle, const VkImageCreateInfo *info,
                                               const VkAllocationCallbacks *allocator, VkImage *out)
{
    struct sim_device *device = sim_device_find(handle);
    VkImageCreateInfo copy = sim_driver_image_info(info);
    VkImage image = VK_NULL_HANDLE;
    if (!sparse_possible((info->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0,
                         (info->flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct sim_resource *resource = calloc(1, sizeof(*resource));
    if (resource == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    resource->image = true;
    resource->class = sim_image_class(info);
    VkResult result = device->vk.CreateImage(handle, &copy, allocator, &image);
    if (result == VK_SUCCESS) {
        result = back_image(device, info, resource, allocator, image);
        if (result == VK_SUCCESS && sim_map_insert(&device->images, SIM_KEY(image), resource) != 0)
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        if (result != VK_SUCCESS)
            device->vk.DestroyImage(handle, image, allocator);
    }
    if (result != VK_SUCCESS) {
        destroy_resource(device, resource, allocator);
        return result;
    }
    sim_layouts_add(device, image, info, false);
    *out = image;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyImage(VkDevice handle, VkImage image,
                                            const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    struct sim_resource *resource = sim_map_remove(&device->images, SIM_KEY(image));
    sim_bound_forget(SIM_KEY(image));
    sim_layouts_forget(device, image);
    device->vk.DestroyImage(handle, image, allocator);
    destroy_resource(device, resource, allocator);
}
