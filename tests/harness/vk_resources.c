/* SPDX-License-Identifier: MIT
 *
 * The fixture's second half: memory, buffers, images, commands, staging and compute pipelines. */
#include "vk_fixture.h"

#include <string.h>

VkResult vkf_try_allocate(const struct vkf *f, VkDeviceSize size_bytes, uint32_t type,
                          const void *next, VkDeviceMemory *out)
{
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = next,
        .allocationSize = size_bytes,
        .memoryTypeIndex = type,
    };
    return vkAllocateMemory(f->device, &info, NULL, out);
}

VkDeviceMemory vkf_allocate(const struct vkf *f, VkDeviceSize size_bytes, uint32_t type)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkResult result = vkf_try_allocate(f, size_bytes, type, NULL, &memory);
    if (result != VK_SUCCESS)
        vkf_exit_with(result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? VKF_EXIT_OOM : VKF_EXIT_FAILED,
                      __FILE__, __LINE__, "vkAllocateMemory of %llu bytes of type %u answered %s",
                      (unsigned long long)size_bytes, type, vkf_result_name(result));
    return memory;
}

void vkf_free(const struct vkf *f, VkDeviceMemory memory)
{
    vkFreeMemory(f->device, memory, NULL);
}

struct vkf_buffer vkf_buffer_create(const struct vkf *f, VkDeviceSize size_bytes,
                                    VkBufferUsageFlags usage)
{
    struct vkf_buffer buffer = {.size_bytes = size_bytes};
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size_bytes,
        .usage = usage ? usage
                       : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    VKF_VK(vkCreateBuffer(f->device, &info, NULL, &buffer.handle));
    vkGetBufferMemoryRequirements(f->device, buffer.handle, &buffer.requirements);
    return buffer;
}

void vkf_buffer_destroy(const struct vkf *f, struct vkf_buffer *buffer)
{
    vkDestroyBuffer(f->device, buffer->handle, NULL);
    *buffer = (struct vkf_buffer){0};
}

struct vkf_image vkf_image_create(const struct vkf *f, uint32_t width, uint32_t height,
                                  uint32_t mip_count, uint32_t layer_count, VkImageTiling tiling,
                                  VkImageUsageFlags usage)
{
    struct vkf_image image = {
        .width = width, .height = height, .mip_count = mip_count, .layer_count = layer_count};
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {width, height, 1},
        .mipLevels = mip_count,
        .arrayLayers = layer_count,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = tiling,
        .usage = usage ? usage
                       : VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                             VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    VKF_VK(vkCreateImage(f->device, &info, NULL, &image.handle));
    vkGetImageMemoryRequirements(f->device, image.handle, &image.requirements);
    return image;
}

void vkf_image_destroy(const struct vkf *f, struct vkf_image *image)
{
    vkDestroyImage(f->device, image->handle, NULL);
    *image = (struct vkf_image){0};
}

VkCommandBuffer vkf_commands_begin(struct vkf *f)
{
    VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    VKF_VK(vkBeginCommandBuffer(f->commands, &info));
    return f->commands;
}

void vkf_commands_run(struct vkf *f)
{
    /* What the GPU wrote is read by the CPU after the fence. */
    VkMemoryBarrier to_host = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(f->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
    VKF_VK(vkEndCommandBuffer(f->commands));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &f->commands,
    };
    if (f->queue_lock)
        pthread_mutex_lock(f->queue_lock);
    VKF_VK(vkQueueSubmit(f->queue, 1, &submit, f->fence));
    if (f->queue_lock)
        pthread_mutex_unlock(f->queue_lock);
    VKF_VK(vkWaitForFences(f->device, 1, &f->fence, VK_TRUE, UINT64_MAX));
    VKF_VK(vkResetFences(f->device, 1, &f->fence));
}

void vkf_full_barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void vkf_image_barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from,
                       VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                             VK_REMAINING_ARRAY_LAYERS},
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

uint8_t *vkf_staging(struct vkf *f)
{
    if (f->staging_bytes)
        return f->staging_bytes;
    f->staging = vkf_buffer_create(
        f, VKF_STAGING_BYTES, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t bits = f->staging.requirements.memoryTypeBits;
    /* Cached is faster to read back; and staging should not take device-local memory from the test.
     */
    uint32_t type = vkf_find_type(f, bits, flags | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type == VKF_NONE)
        type = vkf_find_type(f, bits, flags, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type == VKF_NONE)
        type = vkf_want_type(f, bits, flags);
    f->staging_memory = vkf_allocate(f, f->staging.requirements.size, type);
    VKF_VK(vkBindBufferMemory(f->device, f->staging.handle, f->staging_memory, 0));
    void *bytes = NULL;
    VKF_VK(vkMapMemory(f->device, f->staging_memory, 0, VK_WHOLE_SIZE, 0, &bytes));
    f->staging_bytes = bytes;
    return f->staging_bytes;
}

void vkf_buffer_write(struct vkf *f, VkBuffer buffer, VkDeviceSize offset, const void *bytes,
                      VkDeviceSize size_bytes)
{
    VKF_CHECK(size_bytes <= VKF_STAGING_BYTES, "more than the staging buffer holds");
    memcpy(vkf_staging(f), bytes, size_bytes);
    VkBufferCopy region = {.dstOffset = offset, .size = size_bytes};
    vkCmdCopyBuffer(vkf_commands_begin(f), f->staging.handle, buffer, 1, &region);
    vkf_commands_run(f);
}

void vkf_buffer_read(struct vkf *f, VkBuffer buffer, VkDeviceSize offset, void *bytes,
                     VkDeviceSize size_bytes)
{
    VKF_CHECK(size_bytes <= VKF_STAGING_BYTES, "more than the staging buffer holds");
    uint8_t *staging = vkf_staging(f);
    VkBufferCopy region = {.srcOffset = offset, .size = size_bytes};
    vkCmdCopyBuffer(vkf_commands_begin(f), buffer, f->staging.handle, 1, &region);
    vkf_commands_run(f);
    memcpy(bytes, staging, size_bytes);
}

struct vkf_compute vkf_compute_create(const struct vkf *f, const uint32_t *spirv,
                                      size_t spirv_bytes, uint32_t storage_buffers,
                                      uint32_t push_constant_bytes)
{
    struct vkf_compute compute = {0};
    VkDescriptorSetLayoutBinding bindings[8] = {0};
    VKF_CHECK(storage_buffers <= 8, "%u storage buffers are too many", storage_buffers);
    for (uint32_t i = 0; i < storage_buffers; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = storage_buffers,
        .pBindings = bindings,
    };
    VKF_VK(vkCreateDescriptorSetLayout(f->device, &set, NULL, &compute.set_layout));
    VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                .size = push_constant_bytes};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &compute.set_layout,
        .pushConstantRangeCount = push_constant_bytes ? 1 : 0,
        .pPushConstantRanges = push_constant_bytes ? &push : NULL,
    };
    VKF_VK(vkCreatePipelineLayout(f->device, &layout, NULL, &compute.layout));
    VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = spirv_bytes,
        .pCode = spirv,
    };
    VkShaderModule module = VK_NULL_HANDLE;
    VKF_VK(vkCreateShaderModule(f->device, &code, NULL, &module));
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = compute.layout,
    };
    VKF_VK(
        vkCreateComputePipelines(f->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &compute.pipeline));
    vkDestroyShaderModule(f->device, module, NULL);
    return compute;
}

void vkf_compute_destroy(const struct vkf *f, struct vkf_compute *compute)
{
    vkDestroyPipeline(f->device, compute->pipeline, NULL);
    vkDestroyPipelineLayout(f->device, compute->layout, NULL);
    vkDestroyDescriptorSetLayout(f->device, compute->set_layout, NULL);
    *compute = (struct vkf_compute){0};
}
