/* SPDX-License-Identifier: MIT
 *
 * The oracle tests' common part: see bench.h. */
#include "bench.h"

#include "stride.spv.h"

#include <stdlib.h>
#include <string.h>

static uint64_t page_from_environment(void)
{
    const char *text = getenv("SIMGPU_ORACLE");
    if (!text || strcmp(text, "0") == 0)
        return 0;
    return strcmp(text, "64k") == 0 ? 65536 : 4096;
}

void bench_begin(struct bench *b)
{
    static const char *const extensions[] = {"VK_EXT_debug_utils"};
    VkPhysicalDeviceFeatures features = {.sparseBinding = VK_TRUE};
    struct vkf_options options = {.queues_per_family = 2,
                                  .instance_extensions = extensions,
                                  .instance_extension_count = 1,
                                  .features = &features};
    *b = (struct bench){.page = page_from_environment()};
    vkf_begin(&b->f, &options);
    b->set_name =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkf_instance_proc(&b->f, "vkSetDebugUtilsObjectNameEXT");
    b->label = (PFN_vkCmdInsertDebugUtilsLabelEXT)vkf_instance_proc(
        &b->f, "vkCmdInsertDebugUtilsLabelEXT");
    b->stride = vkf_compute_create(&b->f, stride_spv, sizeof(stride_spv), 2, 8);
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64},
                                    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 4}};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 32,
                                       .poolSizeCount = 2,
                                       .pPoolSizes = sizes};
    VKF_VK(vkCreateDescriptorPool(b->f.device, &pool, NULL, &b->pool));
}

void bench_end(struct bench *b)
{
    vkDestroyDescriptorPool(b->f.device, b->pool, NULL);
    vkf_compute_destroy(&b->f, &b->stride);
    vkf_end(&b->f);
}

void bench_name(struct bench *b, VkObjectType type, uint64_t handle, const char *name)
{
    VkDebugUtilsObjectNameInfoEXT info = {.sType =
                                              VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = type,
                                          .objectHandle = handle,
                                          .pObjectName = name};
    VKF_VK(b->set_name(b->f.device, &info));
}

struct bench_buffer bench_buffer_create(struct bench *b, const char *name, enum bench_place place,
                                        VkDeviceSize size_bytes)
{
    struct bench_buffer out = {.buffer = vkf_buffer_create(&b->f, size_bytes, 0)};
    VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    if (place == BENCH_HOST)
        wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = vkf_find_type(&b->f, out.buffer.requirements.memoryTypeBits, wanted,
                                  place == BENCH_HOST ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT : 0);
    VKF_CHECK(type != VKF_NONE, "no memory type for '%s'", name);
    out.memory = vkf_allocate(&b->f, out.buffer.requirements.size, type);
    VKF_VK(vkBindBufferMemory(b->f.device, out.buffer.handle, out.memory, 0));
    bench_name(b, VK_OBJECT_TYPE_BUFFER, (uint64_t)out.buffer.handle, name);
    if (place == BENCH_HOST) {
        void *bytes = NULL;
        VKF_VK(vkMapMemory(b->f.device, out.memory, 0, VK_WHOLE_SIZE, 0, &bytes));
        out.words = bytes;
    }
    return out;
}

void bench_buffer_destroy(struct bench *b, struct bench_buffer *buffer)
{
    vkf_buffer_destroy(&b->f, &buffer->buffer);
    vkf_free(&b->f, buffer->memory);
}

struct vkf_buffer bench_sparse_buffer(struct bench *b, const char *name, VkDeviceSize size_bytes)
{
    struct vkf_buffer buffer = {.size_bytes = size_bytes};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT,
                               .size = size_bytes,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VKF_VK(vkCreateBuffer(b->f.device, &info, NULL, &buffer.handle));
    vkGetBufferMemoryRequirements(b->f.device, buffer.handle, &buffer.requirements);
    bench_name(b, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer.handle, name);
    return buffer;
}

void bench_stride(struct bench *b, VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                  uint32_t count, VkDeviceSize from_stride, VkDeviceSize to_stride)
{
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = b->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &b->stride.set_layout};
    VkDescriptorSet set = VK_NULL_HANDLE;
    VKF_VK(vkAllocateDescriptorSets(b->f.device, &allocate, &set));
    VkDescriptorBufferInfo buffers[] = {{from, 0, VK_WHOLE_SIZE}, {to, 0, VK_WHOLE_SIZE}};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .descriptorCount = 2,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = buffers};
    vkUpdateDescriptorSets(b->f.device, 1, &write, 0, NULL);
    uint32_t words[] = {(uint32_t)(from_stride / 4), (uint32_t)(to_stride / 4)};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, b->stride.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, b->stride.layout, 0, 1, &set,
                            0, NULL);
    vkCmdPushConstants(commands, b->stride.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(words),
                       words);
    vkCmdDispatch(commands, count, 1, 1);
}

VkCommandBuffer bench_commands(struct bench *b, const char *label)
{
    VkCommandBuffer commands = vkf_commands_begin(&b->f);
    VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                 .pLabelName = label};
    if (label)
        b->label(commands, &info);
    return commands;
}

struct oracle_log *bench_log(void)
{
    const char *why = "";
    const char *path = getenv("SIMGPU_ORACLE_FILE");
    VKF_CHECK(path, "SIMGPU_ORACLE_FILE is not set");
    struct oracle_log *log = oracle_load(path, &why);
    VKF_CHECK(log, "cannot read %s: %s", path, why);
    return log;
}

static struct oracle_runs runs_of(const struct oracle_log *log, const char *label,
                                  const char *resource, enum oracle_access access)
{
    struct oracle_runs runs;
    size_t submit = oracle_find(log, label);
    VKF_CHECK(submit != SIZE_MAX, "no submit is labelled '%s'", label);
    VKF_CHECK(oracle_runs_of(log, submit, resource, access, &runs), "no memory");
    return runs;
}

static bool is_in(const struct oracle_runs *runs, uint64_t offset)
{
    for (size_t i = 0; i < runs->count; i++)
        if (offset >= runs->runs[i].offset && offset - runs->runs[i].offset < runs->runs[i].size)
            return true;
    return false;
}

static bool page_is_wanted(uint64_t page_offset, uint64_t page, uint64_t offset, uint64_t size,
                           uint64_t stride, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t begin = offset + i * stride;
        if (begin < page_offset + page && page_offset < begin + size)
            return true;
    }
    return false;
}

void bench_expect(const struct bench *b, const struct oracle_log *log, const char *label,
                  const char *resource, enum oracle_access access, uint64_t offset, uint64_t size,
                  uint64_t stride, uint64_t count)
{
    struct oracle_runs runs = runs_of(log, label, resource, access);
    const char *verb = access == ORACLE_READ ? "read" : "written";
    uint64_t end = offset + (count - 1) * stride + size;
    VKF_CHECK(!runs.imprecise, "%s: '%s' is imprecise", label, resource);
    for (size_t i = 0; i < runs.count; i++)
        end = runs.runs[i].offset + runs.runs[i].size > end
                  ? runs.runs[i].offset + runs.runs[i].size
                  : end;
    for (uint64_t page = 0; page < end; page += b->page) {
        bool wanted = page_is_wanted(page, b->page, offset, size, stride, count);
        VKF_CHECK(is_in(&runs, page) == wanted, "%s: page at %llu of '%s' was %s%s", label,
                  (unsigned long long)page, resource, wanted ? "not " : "", verb);
    }
    oracle_runs_finish(&runs);
}

void bench_expect_none(const struct oracle_log *log, const char *label, const char *resource,
                       enum oracle_access access)
{
    struct oracle_runs runs = runs_of(log, label, resource, access);
    VKF_CHECK(runs.count == 0, "%s: '%s' was %s at %llu", label, resource,
              access == ORACLE_READ ? "read" : "written", (unsigned long long)runs.runs[0].offset);
    oracle_runs_finish(&runs);
}
