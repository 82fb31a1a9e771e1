/* SPDX-License-Identifier: MIT
 *
 * Probes by class of resource: see device_probe.h. The classes follow from what the specification
 * says memoryTypeBits may depend on ("Resource Memory Association"): for buffers flags and usage,
 * for colour images tiling (sparse, protected and transient ones apart), for depth/stencil images
 * the format as well. Sparse resources are left to what the program itself asks about: on some
 * drivers they are more choosy, and a program that has none should not pay for it. */
#include "device_probe.h"

#include "requirements.h"

/* Small enough to be free, large enough that no driver treats it as a special case. */
#define PROBE_BYTES  65536
#define PROBE_EXTENT 64

static const VkFormat depth_formats[] = {VK_FORMAT_D16_UNORM,         VK_FORMAT_X8_D24_UNORM_PACK32,
                                         VK_FORMAT_D32_SFLOAT,        VK_FORMAT_S8_UINT,
                                         VK_FORMAT_D16_UNORM_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT,
                                         VK_FORMAT_D32_SFLOAT_S8_UINT};

static void probe_buffer(struct spw_device *device, VkBufferUsageFlags usage)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = PROBE_BYTES,
                               .usage = usage,
                               .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    VkBuffer buffer;
    if (device->next.CreateBuffer(device->handle, &info, NULL, &buffer) != VK_SUCCESS)
        return;
    VkMemoryRequirements requirements;
    device->next.GetBufferMemoryRequirements(device->handle, buffer, &requirements);
    device->next.DestroyBuffer(device->handle, buffer, NULL);
    spw_requirements_note(device, requirements.memoryTypeBits);
}

static void probe_image(struct spw_device *device, VkFormat format, VkImageTiling tiling,
                        VkImageUsageFlags usage)
{
    const struct spw_instance_next *instance = &device->physical->instance->next;
    VkPhysicalDevice physical = device->physical->handle;
    /* VUID-VkImageCreateInfo-imageCreateMaxMipLevels-02251: only combinations that the driver
     * supports. */
    VkImageFormatProperties supported;
    if (instance->GetPhysicalDeviceImageFormatProperties(physical, format, VK_IMAGE_TYPE_2D, tiling,
                                                         usage, 0, &supported) != VK_SUCCESS)
        return;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {PROBE_EXTENT, PROBE_EXTENT, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = tiling,
                              .usage = usage,
                              .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
                              .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
    VkImage image;
    if (device->next.CreateImage(device->handle, &info, NULL, &image) != VK_SUCCESS)
        return;
    VkMemoryRequirements requirements;
    device->next.GetImageMemoryRequirements(device->handle, image, &requirements);
    device->next.DestroyImage(device->handle, image, NULL);
    spw_requirements_note(device, requirements.memoryTypeBits);
}

void spw_device_probe(struct spw_device *device)
{
    /* All usages of Vulkan 1.0 at once: more usage never adds types ("the bits set in
     * memoryTypeBits … for usage1 must be a subset of … usage2" where usage2 is a subset of
     * usage1). */
    probe_buffer(device,
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                     VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                     VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                     VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    probe_buffer(device, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);

    const VkImageUsageFlags texture = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    probe_image(device, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TILING_OPTIMAL, texture);
    probe_image(device, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TILING_LINEAR, texture);
    for (size_t i = 0; i < SPW_ARRAY_SIZE(depth_formats); i++)
        probe_image(device, depth_formats[i], VK_IMAGE_TILING_OPTIMAL,
                    VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
}
