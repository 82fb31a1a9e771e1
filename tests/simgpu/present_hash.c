/* SPDX-License-Identifier: MIT
 *
 * Hashes of what programs show: see present_hash.h. */
#include "present_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t hash_once = PTHREAD_ONCE_INIT;
static int hash_fd = -1; /* constant after hash_once; -1: no hashes are wanted */
static _Atomic uint32_t swapchain_count;

/* Constant after creation, except the frame, which is externally synchronised as the swapchain. */
struct sim_swapchain {
    uint32_t number;
    uint64_t frame;
    VkExtent2D extent;
    const struct texel_format *format;
    VkImage *images;
    uint32_t image_count;
    /* the driver's, to read back through */
    VkBuffer buffer;
    VkDeviceMemory memory;
    const uint8_t *bytes;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
};

static const struct texel_format {
    VkFormat format;
    const char *name;
    uint32_t bytes;
} formats[] = {
    {VK_FORMAT_B8G8R8A8_UNORM, "B8G8R8A8_UNORM", 4},
    {VK_FORMAT_B8G8R8A8_SRGB, "B8G8R8A8_SRGB", 4},
    {VK_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8_UNORM", 4},
    {VK_FORMAT_R8G8B8A8_SRGB, "R8G8B8A8_SRGB", 4},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, "A8B8G8R8_UNORM_PACK32", 4},
    {VK_FORMAT_A8B8G8R8_SRGB_PACK32, "A8B8G8R8_SRGB_PACK32", 4},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, "A2B10G10R10_UNORM_PACK32", 4},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, "A2R10G10B10_UNORM_PACK32", 4},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, "R5G6B5_UNORM_PACK16", 2},
    {VK_FORMAT_R16G16B16A16_SFLOAT, "R16G16B16A16_SFLOAT", 8},
};

static void open_file(void)
{
    char *path = sim_env_path("SIMGPU_PRESENT_HASHES");
    if (path == NULL)
        return;
    hash_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (hash_fd < 0)
        sim_log("cannot open SIMGPU_PRESENT_HASHES='%s': %s", path, strerror(errno));
    free(path);
}

static const struct texel_format *find_format(VkFormat format)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (formats[i].format == format)
            return &formats[i];
    }
    return NULL;
}

static void destroy(struct sim_device *device, struct sim_swapchain *s)
{
    if (s == NULL)
        return;
    const struct sim_device_table *vk = &device->vk;
    vk->DestroyFence(device->handle, s->fence, NULL);
    vk->DestroyCommandPool(device->handle, s->pool, NULL);
    vk->DestroyBuffer(device->handle, s->buffer, NULL);
    vk->FreeMemory(device->handle, s->memory, NULL);
    free(s->images);
    free(s);
}

/* Memory of the driver's own that is host-visible: nothing of the card's heaps. */
static VkResult allocate_buffer(struct sim_device *device, struct sim_swapchain *s)
{
    const struct sim_device_table *vk = &device->vk;
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = (VkDeviceSize)s->extent.width * s->extent.height * s->format->bytes,
        .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    VkPhysicalDeviceMemoryProperties memory;
    VkMemoryRequirements needs;
    void *bytes = NULL;
    VkResult result = vk->CreateBuffer(device->handle, &info, NULL, &s->buffer);
    if (result != VK_SUCCESS)
        return result;
    vk->GetBufferMemoryRequirements(device->handle, s->buffer, &needs);
    device->physical->instance->vk.GetPhysicalDeviceMemoryProperties(device->physical->handle,
                                                                     &memory);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs.size};
    while (allocate.memoryTypeIndex < memory.memoryTypeCount &&
           (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) ||
            (memory.memoryTypes[allocate.memoryTypeIndex].propertyFlags & wanted) != wanted))
        allocate.memoryTypeIndex++;
    result = vk->AllocateMemory(device->handle, &allocate, NULL, &s->memory);
    if (result == VK_SUCCESS)
        result = vk->BindBufferMemory(device->handle, s->buffer, s->memory, 0);
    if (result == VK_SUCCESS)
        result = vk->MapMemory(device->handle, s->memory, 0, VK_WHOLE_SIZE, 0, &bytes);
    s->bytes = bytes;
    return result;
}

static VkResult prepare(struct sim_device *device, struct sim_swapchain *s, VkSwapchainKHR handle)
{
    const struct sim_device_table *vk = &device->vk;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkResult result = vk->GetSwapchainImagesKHR(device->handle, handle, &s->image_count, NULL);
    s->images = calloc(s->image_count > 0 ? s->image_count : 1, sizeof(*s->images));
    if (s->images == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result == VK_SUCCESS)
        result = vk->GetSwapchainImagesKHR(device->handle, handle, &s->image_count, s->images);
    if (result == VK_SUCCESS)
        result = allocate_buffer(device, s);
    if (result == VK_SUCCESS)
        result = vk->CreateCommandPool(device->handle, &pool, NULL, &s->pool);
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = s->pool,
                                            .commandBufferCount = 1};
    if (result == VK_SUCCESS)
        result = vk->AllocateCommandBuffers(device->handle, &commands, &s->commands);
    if (result == VK_SUCCESS)
        result = vk->CreateFence(device->handle, &fence, NULL, &s->fence);
    return result;
}

static bool can_read_back(const struct sim_device *device, const VkSwapchainCreateInfoKHR *info)
{
    VkSurfaceCapabilitiesKHR surface;
    return find_format(info->imageFormat) != NULL &&
           device->physical->instance->vk.GetPhysicalDeviceSurfaceCapabilitiesKHR(
               device->physical->handle, info->surface, &surface) == VK_SUCCESS &&
           (surface.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
}

VkResult sim_present_hash_create(struct sim_device *device, VkSwapchainCreateInfoKHR *info,
                                 const VkAllocationCallbacks *allocator, VkSwapchainKHR *swapchain)
{
    pthread_once(&hash_once, open_file);
    bool wanted = hash_fd >= 0;
    if (wanted && !can_read_back(device, info)) {
        sim_log("SIMGPU_PRESENT_HASHES: format %d, or this surface, cannot be read back",
                (int)info->imageFormat);
        wanted = false;
    }
    if (wanted)
        info->imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    VkResult result = device->vk.CreateSwapchainKHR(device->handle, info, allocator, swapchain);
    if (result != VK_SUCCESS || !wanted)
        return result;
    struct sim_swapchain *s = calloc(1, sizeof(*s));
    if (s != NULL) {
        s->extent = info->imageExtent;
        s->format = find_format(info->imageFormat);
        s->number = atomic_fetch_add(&swapchain_count, 1) + 1;
        result = prepare(device, s, *swapchain);
    }
    if (s == NULL || result != VK_SUCCESS ||
        sim_map_insert(&device->swapchains, SIM_KEY(*swapchain), s) != 0) {
        sim_log("SIMGPU_PRESENT_HASHES: no memory to read a swapchain back with");
        destroy(device, s);
    }
    return VK_SUCCESS;
}

void sim_present_hash_forget(struct sim_device *device, VkSwapchainKHR swapchain)
{
    destroy(device, sim_map_remove(&device->swapchains, SIM_KEY(swapchain)));
}

static void barrier(const struct sim_device_table *vk, VkCommandBuffer commands, VkImage image,
                    VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier b = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 0,
                           NULL, 0, NULL, 1, &b);
}

static VkResult record(const struct sim_device *device, const struct sim_swapchain *s,
                       VkImage image)
{
    const struct sim_device_table *vk = &device->vk;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {s->extent.width, s->extent.height, 1}};
    VkResult result = vk->BeginCommandBuffer(s->commands, &begin);
    if (result != VK_SUCCESS)
        return result;
    barrier(vk, s->commands, image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
            VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vk->CmdCopyImageToBuffer(s->commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, s->buffer, 1,
                             &copy);
    barrier(vk, s->commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
            VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    return vk->EndCommandBuffer(s->commands);
}

static VkResult read_back(struct sim_device *device, const struct sim_swapchain *s, VkImage image)
{
    const struct sim_device_table *vk = &device->vk;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &s->commands};
    VkResult result = record(device, s, image);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&device->drv_lock);
    result = vk->QueueSubmit(device->driver_queue, 1, &submit, s->fence);
    pthread_mutex_unlock(&device->drv_lock);
    if (result == VK_SUCCESS)
        result = vk->WaitForFences(device->handle, 1, &s->fence, VK_TRUE, UINT64_MAX);
    if (result == VK_SUCCESS)
        result = vk->ResetFences(device->handle, 1, &s->fence);
    return result;
}

static uint64_t hash(const uint8_t *bytes, size_t count)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h;
}

void sim_present_hash(struct sim_device *device, const VkPresentInfoKHR *info)
{
    for (uint32_t i = 0; i < info->swapchainCount; i++) {
        struct sim_swapchain *s = sim_map_find(&device->swapchains, SIM_KEY(info->pSwapchains[i]));
        if (s == NULL || info->pImageIndices[i] >= s->image_count)
            continue;
        s->frame++;
        VkResult result = read_back(device, s, s->images[info->pImageIndices[i]]);
        if (result != VK_SUCCESS) {
            sim_log("SIMGPU_PRESENT_HASHES: reading back failed: %d", (int)result);
            continue;
        }
        char line[160];
        size_t size = (size_t)s->extent.width * s->extent.height * s->format->bytes;
        int length =
            snprintf(line, sizeof(line), "swapchain %u frame %" PRIu64 " %ux%u %s %016" PRIx64 "\n",
                     s->number, s->frame, s->extent.width, s->extent.height, s->format->name,
                     hash(s->bytes, size));
        if (write(hash_fd, line, (size_t)length) != length)
            sim_log("cannot write to SIMGPU_PRESENT_HASHES: %s", strerror(errno));
    }
}
