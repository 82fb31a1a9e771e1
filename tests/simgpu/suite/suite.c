/* SPDX-License-Identifier: MIT
 *
 * Shared by the tests of simgpu: see suite.h. */
#include "suite.h"

#include <string.h>

void suite_begin(struct vkf *f)
{
    static const VkPhysicalDeviceFeatures features = {.sparseBinding = VK_TRUE,
                                                      .sparseResidencyBuffer = VK_TRUE,
                                                      .sparseResidencyAliased = VK_TRUE,
                                                      .occlusionQueryPrecise = VK_TRUE};
    VkPhysicalDeviceVulkan13Features thirteen = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .synchronization2 = VK_TRUE,
        .dynamicRendering = VK_TRUE,
    };
    VkPhysicalDeviceVulkan12Features twelve = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &thirteen,
        .timelineSemaphore = VK_TRUE,
        .bufferDeviceAddress = VK_TRUE,
    };
    struct vkf_options options = {.api_version = VK_API_VERSION_1_3,
                                  .queues_per_family = VKF_MAX_QUEUES,
                                  .device_next = &twelve,
                                  .features = &features};
    struct vkf look;
    vkf_begin(&look, &(struct vkf_options){.instance_only = true});
    VkPhysicalDeviceFeatures has;
    vkGetPhysicalDeviceFeatures(look.gpu, &has);
    vkf_end(&look);
    if (!has.sparseBinding)
        VKF_SKIP("this card has no sparse binding");
    vkf_begin(f, &options);
}

struct vkf_buffer suite_sparse_buffer(const struct vkf *f, VkDeviceSize size_bytes,
                                      VkBufferCreateFlags more_flags, VkBufferUsageFlags usage)
{
    struct vkf_buffer buffer = {.size_bytes = size_bytes};
    uint32_t families[VKF_MAX_FAMILIES];
    for (uint32_t i = 0; i < f->family_count; i++)
        families[i] = i;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | more_flags,
        .size = size_bytes,
        .usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .sharingMode = f->family_count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = f->family_count,
        .pQueueFamilyIndices = families,
    };
    VKF_VK(vkCreateBuffer(f->device, &info, NULL, &buffer.handle));
    vkGetBufferMemoryRequirements(f->device, buffer.handle, &buffer.requirements);
    VKF_CHECK(buffer.requirements.alignment == SUITE_BLOCK &&
                  buffer.requirements.size % SUITE_BLOCK == 0,
              "a sparse buffer is not made of blocks of 64 KiB");
    return buffer;
}

struct vkf_image suite_sparse_image(const struct vkf *f, uint32_t width, uint32_t height,
                                    uint32_t mip_count, VkImageUsageFlags usage)
{
    struct vkf_image image = {
        .width = width, .height = height, .mip_count = mip_count, .layer_count = 1};
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {width, height, 1},
        .mipLevels = mip_count,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    VKF_VK(vkCreateImage(f->device, &info, NULL, &image.handle));
    vkGetImageMemoryRequirements(f->device, image.handle, &image.requirements);
    VKF_CHECK(image.requirements.alignment == SUITE_BLOCK &&
                  image.requirements.size % SUITE_BLOCK == 0,
              "a sparse image is not made of blocks of 64 KiB");
    return image;
}

uint32_t suite_vram_type(const struct vkf *f, uint32_t type_bits)
{
    uint32_t heap = vkf_vram_heap(f);
    for (uint32_t i = 0; i < f->memory.memoryTypeCount; i++)
        if ((type_bits >> i & 1) && f->memory.memoryTypes[i].heapIndex == heap)
            return i;
    return VKF_NONE;
}

uint32_t suite_host_type(const struct vkf *f, uint32_t type_bits)
{
    return vkf_find_type(f, type_bits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static VkDeviceMemory allocate_addressable(const struct vkf *f, VkDeviceSize size, uint32_t type)
{
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VKF_VK(vkf_try_allocate(f, size, type, &flags, &memory));
    return memory;
}

static bool host_visible(const struct vkf *f, uint32_t type)
{
    return f->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
}

/* Plain, for all families. */
static struct vkf_buffer shared_buffer(const struct vkf *f, VkDeviceSize size,
                                       VkBufferUsageFlags usage)
{
    struct vkf_buffer buffer = {.size_bytes = size};
    uint32_t families[VKF_MAX_FAMILIES];
    for (uint32_t i = 0; i < f->family_count; i++)
        families[i] = i;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .sharingMode = f->family_count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = f->family_count,
        .pQueueFamilyIndices = families,
    };
    VKF_VK(vkCreateBuffer(f->device, &info, NULL, &buffer.handle));
    vkGetBufferMemoryRequirements(f->device, buffer.handle, &buffer.requirements);
    return buffer;
}

struct suite_slab suite_slab_create(const struct vkf *f, uint32_t block_count, uint32_t type)
{
    struct suite_slab slab = {.type = type, .block_count = block_count};
    slab.raw = shared_buffer(f, block_count * SUITE_BLOCK, 0);
    VKF_CHECK(slab.raw.requirements.size == block_count * SUITE_BLOCK,
              "a plain buffer of whole blocks needs more than its size");
    slab.memory = allocate_addressable(f, slab.raw.requirements.size, type);
    VKF_VK(vkBindBufferMemory(f->device, slab.raw.handle, slab.memory, 0));
    if (host_visible(f, type))
        VKF_VK(vkMapMemory(f->device, slab.memory, 0, VK_WHOLE_SIZE, 0, (void **)&slab.bytes));
    return slab;
}

void suite_slab_destroy(const struct vkf *f, struct suite_slab *slab)
{
    vkf_buffer_destroy(f, &slab->raw);
    vkf_free(f, slab->memory);
    *slab = (struct suite_slab){0};
}

struct suite_mapped suite_mapped_create(const struct vkf *f, VkDeviceSize size_bytes,
                                        VkBufferUsageFlags usage)
{
    struct suite_mapped m = {.buffer = shared_buffer(f, size_bytes, usage)};
    VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t bits = m.buffer.requirements.memoryTypeBits;
    uint32_t type = vkf_find_type(f, bits, flags, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type == VKF_NONE)
        type = vkf_want_type(f, bits, flags);
    m.memory = allocate_addressable(f, m.buffer.requirements.size, type);
    VKF_VK(vkBindBufferMemory(f->device, m.buffer.handle, m.memory, 0));
    VKF_VK(vkMapMemory(f->device, m.memory, 0, VK_WHOLE_SIZE, 0, (void **)&m.words));
    return m;
}

void suite_mapped_destroy(const struct vkf *f, struct suite_mapped *m)
{
    vkf_buffer_destroy(f, &m->buffer);
    vkf_free(f, m->memory);
    *m = (struct suite_mapped){0};
}

uint64_t suite_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

uint32_t suite_word(uint64_t seed, uint64_t index)
{
    uint64_t x = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + index * UINT64_C(0xd1342543de82ef95);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}
