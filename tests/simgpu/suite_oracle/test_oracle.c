/* SPDX-License-Identifier: MIT
 *
 * The page-access oracle against accesses whose pages are known beforehand. argv[1] names the case.
 * Every case runs on both drivers and with both page sizes. */
#include "bench.h"

#include "corner.spv.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Enough for a hundred pages of either size, every second one. */
#define PAGES        100u
#define STRIDED_SIZE (2 * PAGES * b->page)

static void fill_words(struct bench_buffer *buffer, uint64_t stride, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        buffer->words[i * stride / 4] = 0x1000u + i;
}

/* 100 pages read, 100 others written, none between them. */
static void strided(struct bench *b)
{
    struct bench_buffer from = bench_buffer_create(b, "from", BENCH_HOST, STRIDED_SIZE);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_HOST, STRIDED_SIZE);
    fill_words(&from, 2 * b->page, PAGES);
    bench_stride(b, bench_commands(b, "strided"), from.buffer.handle, to.buffer.handle, PAGES,
                 2 * b->page, 2 * b->page);
    vkf_commands_run(&b->f);
    struct oracle_log *log = bench_log();
    size_t submit = oracle_find(log, "strided");
    bench_expect(b, log, "strided", "from", ORACLE_READ, 0, 4, 2 * b->page, PAGES);
    bench_expect(b, log, "strided", "to", ORACLE_WRITTEN, 0, 4, 2 * b->page, PAGES);
    bench_expect_none(log, "strided", "from", ORACLE_WRITTEN);
    bench_expect_none(log, "strided", "to", ORACLE_READ);
    VKF_CHECK(oracle_bytes(log, submit, "host_read") == PAGES * b->page &&
                  oracle_bytes(log, submit, "host_written") == PAGES * b->page,
              "not 100 pages read and 100 written");
    VKF_CHECK(oracle_bytes(log, submit, "vram_read") == 0 &&
                  oracle_bytes(log, submit, "vram_written") == 0,
              "VRAM was not touched");
    VKF_CHECK(oracle_heap_of(log, submit, "from", 0) == 1, "'from' is in the host heap");
    for (uint32_t i = 0; i < PAGES; i++)
        VKF_CHECK(to.words[i * 2 * b->page / 4] == 0x1000u + i, "word %u was not copied", i);
    oracle_destroy(log);
    bench_buffer_destroy(b, &from);
    bench_buffer_destroy(b, &to);
}

/* 40,000 bytes from the beginning of pages, then a copy that ends and begins within pages, and one
 * that reads and writes the same buffer. */
static void copies(struct bench *b)
{
    const VkDeviceSize offset = 3 * b->page - 100;
    struct bench_buffer from = bench_buffer_create(b, "from", BENCH_VRAM, 32 * b->page);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_VRAM, 32 * b->page);
    VkBufferCopy whole = {.size = 40000};
    vkCmdCopyBuffer(bench_commands(b, "whole"), from.buffer.handle, to.buffer.handle, 1, &whole);
    vkf_commands_run(&b->f);
    VkBufferCopy odd = {.srcOffset = offset, .dstOffset = 8, .size = 4 * b->page};
    vkCmdCopyBuffer(bench_commands(b, "odd"), from.buffer.handle, to.buffer.handle, 1, &odd);
    vkf_commands_run(&b->f);
    VkBufferCopy within = {.srcOffset = 0, .dstOffset = 16 * b->page, .size = b->page};
    vkCmdCopyBuffer(bench_commands(b, "within"), to.buffer.handle, to.buffer.handle, 1, &within);
    vkf_commands_run(&b->f);
    vkCmdFillBuffer(bench_commands(b, "fill"), to.buffer.handle, 4 * b->page, 5 * b->page, 7);
    vkf_commands_run(&b->f);
    struct oracle_log *log = bench_log();
    size_t submit = oracle_find(log, "whole");
    uint64_t pages = (40000 + b->page - 1) / b->page;
    bench_expect(b, log, "whole", "from", ORACLE_READ, 0, 40000, 0, 1);
    bench_expect(b, log, "whole", "to", ORACLE_WRITTEN, 0, 40000, 0, 1);
    VKF_CHECK(oracle_bytes(log, submit, "vram_read") == pages * b->page, "not %llu pages",
              (unsigned long long)pages);
    VKF_CHECK(oracle_range_count(log, submit) == 2, "more than two allocations were touched");
    bench_expect(b, log, "odd", "from", ORACLE_READ, offset, 4 * b->page, 0, 1);
    bench_expect(b, log, "odd", "to", ORACLE_WRITTEN, 8, 4 * b->page, 0, 1);
    bench_expect(b, log, "within", "to", ORACLE_READ, 0, b->page, 0, 1);
    bench_expect(b, log, "within", "to", ORACLE_WRITTEN, 16 * b->page, b->page, 0, 1);
    bench_expect(b, log, "fill", "to", ORACLE_WRITTEN, 4 * b->page, 5 * b->page, 0, 1);
    bench_expect_none(log, "fill", "to", ORACLE_READ);
    oracle_destroy(log);
    bench_buffer_destroy(b, &from);
    bench_buffer_destroy(b, &to);
}

/* Linear tiling: where a row lies is known. Widths of one page and of one and a half. */
struct picture {
    struct vkf_image image;
    VkDeviceMemory memory;
    VkSubresourceLayout layout;
};

static struct picture picture_create(struct bench *b, uint32_t width, uint32_t height)
{
    struct picture p;
    VkImageSubresource subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
    p.image = vkf_image_create(&b->f, width, height, 1, 1, VK_IMAGE_TILING_LINEAR, 0);
    p.memory = vkf_allocate(&b->f, p.image.requirements.size,
                            vkf_want_type(&b->f, p.image.requirements.memoryTypeBits,
                                          VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
    VKF_VK(vkBindImageMemory(b->f.device, p.image.handle, p.memory, 0));
    vkGetImageSubresourceLayout(b->f.device, p.image.handle, &subresource, &p.layout);
    bench_name(b, VK_OBJECT_TYPE_IMAGE, (uint64_t)p.image.handle, "picture");
    vkf_image_barrier(bench_commands(b, NULL), p.image.handle, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_GENERAL);
    vkf_commands_run(&b->f);
    return p;
}

static void picture_destroy(struct bench *b, struct picture *p)
{
    vkf_image_destroy(&b->f, &p->image);
    vkf_free(&b->f, p->memory);
}

/* 50 rows up, 50 others down. */
static void rows(struct bench *b)
{
    for (uint32_t width = 1024; width <= 1536; width += 512) {
        struct picture p = picture_create(b, width, 256);
        struct bench_buffer buffer = bench_buffer_create(b, "texels", BENCH_HOST, width * 4 * 50);
        VkBufferImageCopy up = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageOffset = {0, 20, 0},
                                .imageExtent = {width, 50, 1}};
        VkBufferImageCopy down = up;
        down.imageOffset.y = 120;
        vkCmdCopyBufferToImage(bench_commands(b, "up"), buffer.buffer.handle, p.image.handle,
                               VK_IMAGE_LAYOUT_GENERAL, 1, &up);
        vkf_commands_run(&b->f);
        vkCmdCopyImageToBuffer(bench_commands(b, "down"), p.image.handle, VK_IMAGE_LAYOUT_GENERAL,
                               buffer.buffer.handle, 1, &down);
        vkf_commands_run(&b->f);
        struct oracle_log *log = bench_log();
        bench_expect(b, log, "up", "picture", ORACLE_WRITTEN,
                     p.layout.offset + 20 * p.layout.rowPitch, width * 4, p.layout.rowPitch, 50);
        bench_expect_none(log, "up", "picture", ORACLE_READ);
        bench_expect(b, log, "up", "texels", ORACLE_READ, 0, width * 4 * 50, 0, 1);
        bench_expect(b, log, "down", "picture", ORACLE_READ,
                     p.layout.offset + 120 * p.layout.rowPitch, width * 4, p.layout.rowPitch, 50);
        bench_expect_none(log, "down", "picture", ORACLE_WRITTEN);
        oracle_destroy(log);
        bench_buffer_destroy(b, &buffer);
        picture_destroy(b, &p);
    }
}

struct sampling {
    VkSampler sampler;
    VkImageView view;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorSet set;
};

static void create_sampling_layout(struct bench *b, struct sampling *s)
{
    VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    VkDescriptorSetLayoutCreateInfo set = {.sType =
                                               VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = 2,
                                           .pBindings = bindings};
    VKF_VK(vkCreateDescriptorSetLayout(b->f.device, &set, NULL, &s->set_layout));
    VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &s->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &push};
    VKF_VK(vkCreatePipelineLayout(b->f.device, &layout, NULL, &s->layout));
    VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = sizeof(corner_spv),
                                     .pCode = corner_spv};
    VkShaderModule module = VK_NULL_HANDLE;
    VKF_VK(vkCreateShaderModule(b->f.device, &code, NULL, &module));
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = s->layout};
    VKF_VK(vkCreateComputePipelines(b->f.device, VK_NULL_HANDLE, 1, &pipeline, NULL, &s->pipeline));
    vkDestroyShaderModule(b->f.device, module, NULL);
}

static struct sampling sampling_create(struct bench *b, VkImage image, VkBuffer to)
{
    struct sampling s = {0};
    create_sampling_layout(b, &s);
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VKF_VK(vkCreateSampler(b->f.device, &sampler, NULL, &s.sampler));
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = VK_FORMAT_R8G8B8A8_UNORM,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VKF_VK(vkCreateImageView(b->f.device, &view, NULL, &s.view));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = b->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &s.set_layout};
    VKF_VK(vkAllocateDescriptorSets(b->f.device, &allocate, &s.set));
    VkDescriptorImageInfo images = {s.sampler, s.view, VK_IMAGE_LAYOUT_GENERAL};
    VkDescriptorBufferInfo buffers = {to, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet writes[] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = s.set,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                      .pImageInfo = &images},
                                     {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = s.set,
                                      .dstBinding = 1,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffers}};
    vkUpdateDescriptorSets(b->f.device, 2, writes, 0, NULL);
    return s;
}

static void sampling_destroy(struct bench *b, struct sampling *s)
{
    vkDestroyImageView(b->f.device, s->view, NULL);
    vkDestroySampler(b->f.device, s->sampler, NULL);
    vkDestroyPipeline(b->f.device, s->pipeline, NULL);
    vkDestroyPipelineLayout(b->f.device, s->layout, NULL);
    vkDestroyDescriptorSetLayout(b->f.device, s->set_layout, NULL);
}

/* The 16 × 16 texels at the corner of 1024 × 1024: their 16 rows. */
static void corner(struct bench *b)
{
    struct picture p = picture_create(b, 1024, 1024);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_HOST, 1024);
    struct sampling s = sampling_create(b, p.image.handle, to.buffer.handle);
    const float push[] = {1.0f / 1024, 1.0f / 1024};
    VkCommandBuffer commands = bench_commands(b, "corner");
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, s.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, s.layout, 0, 1, &s.set, 0,
                            NULL);
    vkCmdPushConstants(commands, s.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
    vkCmdDispatch(commands, 16, 16, 1);
    vkf_commands_run(&b->f);
    struct oracle_log *log = bench_log();
    bench_expect(b, log, "corner", "picture", ORACLE_READ, p.layout.offset, 64, p.layout.rowPitch,
                 16);
    bench_expect_none(log, "corner", "picture", ORACLE_WRITTEN);
    bench_expect(b, log, "corner", "to", ORACLE_WRITTEN, 0, 1024, 0, 1);
    oracle_destroy(log);
    sampling_destroy(b, &s);
    bench_buffer_destroy(b, &to);
    picture_destroy(b, &p);
}

/* Everything a program does but submitting touches nothing: creating, binding, descriptors,
 * recording, and the CPU's own reads and writes. */
static void no_submit(struct bench *b)
{
    struct bench_buffer from = bench_buffer_create(b, "from", BENCH_HOST, STRIDED_SIZE);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_VRAM, STRIDED_SIZE);
    fill_words(&from, b->page, 2 * PAGES);
    for (uint32_t i = 0; i < 2 * PAGES; i++)
        VKF_CHECK(from.words[i * b->page / 4] == 0x1000u + i, "the CPU's own mapping is wrong");
    VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                 .memory = from.memory,
                                 .size = VK_WHOLE_SIZE};
    VKF_VK(vkFlushMappedMemoryRanges(b->f.device, 1, &range));
    VKF_VK(vkInvalidateMappedMemoryRanges(b->f.device, 1, &range));
    VkCommandBuffer commands = bench_commands(b, "never submitted");
    bench_stride(b, commands, from.buffer.handle, to.buffer.handle, PAGES, b->page, b->page);
    vkCmdFillBuffer(commands, to.buffer.handle, 0, VK_WHOLE_SIZE, 1);
    VKF_VK(vkEndCommandBuffer(commands));
    bench_commands(b, "empty");
    vkf_commands_run(&b->f);
    struct oracle_log *log = bench_log();
    VKF_CHECK(oracle_count(log) == 1, "%zu lines and one submit", oracle_count(log));
    VKF_CHECK(oracle_find(log, "empty") == 0, "the empty submit is missing");
    VKF_CHECK(oracle_range_count(log, 0) == 0, "something was touched");
    oracle_destroy(log);
    bench_buffer_destroy(b, &from);
    bench_buffer_destroy(b, &to);
}

/* Memory that is not coherent: flushing and invalidating are the CPU's doing and not a submit's. */
static void flush(struct bench *b)
{
    struct vkf_buffer buffer = vkf_buffer_create(&b->f, 4 * b->page, 0);
    uint32_t type =
        vkf_find_type(&b->f, buffer.requirements.memoryTypeBits,
                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    VKF_CHECK(type != VKF_NONE, "all types are coherent: the wrong card");
    VkDeviceMemory memory = vkf_allocate(&b->f, buffer.requirements.size, type);
    VkMappedMemoryRange range = {
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, .memory = memory, .size = VK_WHOLE_SIZE};
    void *bytes = NULL;
    VKF_VK(vkBindBufferMemory(b->f.device, buffer.handle, memory, 0));
    VKF_VK(vkMapMemory(b->f.device, memory, 0, VK_WHOLE_SIZE, 0, &bytes));
    bench_name(b, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer.handle, "flushed");
    uint32_t *words = bytes;
    words[0] = 0xabcd;
    VKF_VK(vkFlushMappedMemoryRanges(b->f.device, 1, &range));
    VkBufferCopy copy = {.dstOffset = 2 * b->page, .size = 4};
    vkCmdCopyBuffer(bench_commands(b, "copy"), buffer.handle, buffer.handle, 1, &copy);
    vkf_commands_run(&b->f);
    VKF_VK(vkInvalidateMappedMemoryRanges(b->f.device, 1, &range));
    VKF_CHECK(words[2 * b->page / 4] == 0xabcd, "the word was not copied");
    struct oracle_log *log = bench_log();
    VKF_CHECK(oracle_count(log) == 1, "%zu lines and one submit", oracle_count(log));
    bench_expect(b, log, "copy", "flushed", ORACLE_READ, 0, 4, 0, 1);
    bench_expect(b, log, "copy", "flushed", ORACLE_WRITTEN, 2 * b->page, 4, 0, 1);
    oracle_destroy(log);
    vkf_buffer_destroy(&b->f, &buffer);
    vkf_free(&b->f, memory);
}

/* Two plain buffers in one allocation and one alone: whose bytes were touched is told apart. */
static void resources(struct bench *b)
{
    struct vkf_buffer first = vkf_buffer_create(&b->f, 4 * b->page, 0);
    struct vkf_buffer second = vkf_buffer_create(&b->f, 4 * b->page, 0);
    VkDeviceMemory memory = vkf_allocate(&b->f, 16 * b->page,
                                         vkf_want_type(&b->f, first.requirements.memoryTypeBits,
                                                       VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_HOST, 4 * b->page);
    char handle[32];
    VKF_VK(vkBindBufferMemory(b->f.device, first.handle, memory, 2 * b->page));
    VKF_VK(vkBindBufferMemory(b->f.device, second.handle, memory, 8 * b->page));
    bench_name(b, VK_OBJECT_TYPE_BUFFER, (uint64_t)first.handle, "first \"quoted\\\n");
    bench_name(b, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)memory, "slab");
    snprintf(handle, sizeof(handle), "0x%llx", (unsigned long long)second.handle);
    VkBufferCopy copy = {.srcOffset = b->page, .size = 2 * b->page};
    vkCmdCopyBuffer(bench_commands(b, "copy"), second.handle, to.buffer.handle, 1, &copy);
    vkf_commands_run(&b->f);
    vkCmdFillBuffer(bench_commands(b, "fill"), first.handle, 0, VK_WHOLE_SIZE, 3);
    vkf_commands_run(&b->f);
    struct oracle_log *log = bench_log();
    bench_expect(b, log, "copy", handle, ORACLE_READ, b->page, 2 * b->page, 0, 1);
    bench_expect(b, log, "copy", "slab", ORACLE_READ, 9 * b->page, 2 * b->page, 0, 1);
    bench_expect_none(log, "copy", "first \"quoted\\\n", ORACLE_READ);
    bench_expect(b, log, "fill", "first \"quoted\\\n", ORACLE_WRITTEN, 0, 4 * b->page, 0, 1);
    bench_expect_none(log, "fill", handle, ORACLE_WRITTEN);
    VKF_CHECK(oracle_heap_of(log, oracle_find(log, "fill"), "slab", 0) == 0, "it is in VRAM");
    oracle_destroy(log);
    vkf_buffer_destroy(&b->f, &first);
    vkf_buffer_destroy(&b->f, &second);
    vkf_free(&b->f, memory);
    bench_buffer_destroy(b, &to);
}

#define BLOCK ((VkDeviceSize)65536)

static void bind(struct bench *b, VkBuffer buffer, uint32_t count, const VkSparseMemoryBind *binds)
{
    VkSparseBufferMemoryBindInfo info = {.buffer = buffer, .bindCount = count, .pBinds = binds};
    VkBindSparseInfo batch = {
        .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &info};
    VKF_VK(vkQueueBindSparse(b->f.queue, 1, &batch, b->f.fence));
    VKF_VK(vkWaitForFences(b->f.device, 1, &b->f.fence, VK_TRUE, UINT64_MAX));
    VKF_VK(vkResetFences(b->f.device, 1, &b->f.fence));
}

/* A sparse buffer, half in VRAM and half in host memory, then rebound the other way round. */
static void sparse(struct bench *b)
{
    struct vkf_buffer buffer = bench_sparse_buffer(b, "sparse", 4 * BLOCK);
    struct bench_buffer vram = bench_buffer_create(b, "vram", BENCH_VRAM, 4 * BLOCK);
    struct bench_buffer host = bench_buffer_create(b, "host", BENCH_HOST, 4 * BLOCK);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_HOST, 4 * BLOCK);
    VkSparseMemoryBind binds[] = {{0, 2 * BLOCK, vram.memory, BLOCK, 0},
                                  {2 * BLOCK, 2 * BLOCK, host.memory, 0, 0}};
    for (int round = 0; round < 2; round++) {
        const char *label = round == 0 ? "before" : "after";
        bind(b, buffer.handle, 2, binds);
        VkBufferCopy copy = {.srcOffset = BLOCK, .dstOffset = BLOCK, .size = 2 * BLOCK};
        vkCmdCopyBuffer(bench_commands(b, label), buffer.handle, to.buffer.handle, 1, &copy);
        vkf_commands_run(&b->f);
        struct oracle_log *log = bench_log();
        size_t submit = oracle_find(log, label);
        bench_expect(b, log, label, "sparse", ORACLE_READ, BLOCK, 2 * BLOCK, 0, 1);
        bench_expect_none(log, label, "sparse", ORACLE_WRITTEN);
        bench_expect_none(log, label, "vram", ORACLE_READ); /* through another resource */
        VKF_CHECK(oracle_heap_of(log, submit, "sparse", BLOCK) == (round == 0 ? 0 : 1) &&
                      oracle_heap_of(log, submit, "sparse", 2 * BLOCK) == (round == 0 ? 1 : 0),
                  "the blocks are not where they were bound to");
        VKF_CHECK(oracle_bytes(log, submit, "vram_read") == BLOCK &&
                      oracle_bytes(log, submit, "host_read") == BLOCK,
                  "one block in either heap was read");
        oracle_destroy(log);
        binds[0].memory = host.memory;
        binds[1].memory = vram.memory;
    }
    vkf_buffer_destroy(&b->f, &buffer);
    bench_buffer_destroy(b, &vram);
    bench_buffer_destroy(b, &host);
    bench_buffer_destroy(b, &to);
}

/* Run with room for few mappings: all goes well, the line says that it cannot be relied upon, and
 * the next submit is exact again. */
static void imprecise(struct bench *b)
{
    struct bench_buffer from = bench_buffer_create(b, "from", BENCH_HOST, STRIDED_SIZE);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_HOST, STRIDED_SIZE);
    struct oracle_runs runs;
    fill_words(&from, 2 * b->page, PAGES);
    bench_stride(b, bench_commands(b, "strided"), from.buffer.handle, to.buffer.handle, PAGES,
                 2 * b->page, 2 * b->page);
    vkf_commands_run(&b->f);
    for (uint32_t i = 0; i < PAGES; i++)
        VKF_CHECK(to.words[i * 2 * b->page / 4] == 0x1000u + i, "word %u was not copied", i);
    VkBufferCopy copy = {.size = 40};
    vkCmdCopyBuffer(bench_commands(b, "copy"), from.buffer.handle, to.buffer.handle, 1, &copy);
    vkf_commands_run(&b->f);
    struct oracle_log *log = bench_log();
    size_t submit = oracle_find(log, "strided");
    VKF_CHECK(oracle_imprecise(log, submit), "the submit is not marked");
    VKF_CHECK(oracle_runs_of(log, submit, "from", ORACLE_READ, &runs), "no memory");
    VKF_CHECK(runs.imprecise && runs.count > 0 && runs.count < PAGES,
              "'from' is not marked, or there was room for it: %zu runs", runs.count);
    VKF_CHECK(oracle_bytes(log, submit, "host_read") >= STRIDED_SIZE,
              "an imprecise range counts as a whole");
    oracle_runs_finish(&runs);
    VKF_CHECK(!oracle_imprecise(log, oracle_find(log, "copy")), "the next one is marked as well");
    bench_expect(b, log, "copy", "from", ORACLE_READ, 0, 40, 0, 1);
    bench_expect(b, log, "copy", "to", ORACLE_WRITTEN, 0, 40, 0, 1);
    oracle_destroy(log);
    bench_buffer_destroy(b, &from);
    bench_buffer_destroy(b, &to);
}

/* More pages than the kernel gives mappings for, every second one, with the oracle's own limit out
 * of the way: the kernel itself says no. */
static void kernel_limit(struct bench *b)
{
    enum { WORDS = 34000, STRIDE = 8192 };
    struct bench_buffer from =
        bench_buffer_create(b, "from", BENCH_VRAM, (VkDeviceSize)WORDS * STRIDE);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_HOST, (VkDeviceSize)WORDS * 4);
    static VkBufferCopy copies_of[WORDS];
    vkCmdFillBuffer(bench_commands(b, "fill"), from.buffer.handle, 0, VK_WHOLE_SIZE, 0x77);
    for (uint32_t i = 0; i < WORDS; i++)
        copies_of[i] = (VkBufferCopy){(VkDeviceSize)i * STRIDE, (VkDeviceSize)i * 4, 4};
    vkf_commands_run(&b->f);
    vkCmdCopyBuffer(bench_commands(b, "copy"), from.buffer.handle, to.buffer.handle, WORDS,
                    copies_of);
    vkf_commands_run(&b->f);
    struct oracle_log *log = bench_log();
    struct oracle_runs runs;
    VKF_CHECK(!oracle_imprecise(log, oracle_find(log, "fill")), "pages in a row need no mappings");
    size_t submit = oracle_find(log, "copy");
    VKF_CHECK(oracle_imprecise(log, submit), "the copy is not marked");
    VKF_CHECK(oracle_runs_of(log, submit, "from", ORACLE_READ, &runs), "no memory");
    VKF_CHECK(runs.imprecise && runs.count > 30000 && runs.count < WORDS,
              "'from' is not marked, or the kernel had no limit: %zu runs", runs.count);
    for (uint32_t i = 0; i < WORDS; i++)
        VKF_CHECK(to.words[i] == 0x77, "word %u was not copied", i);
    oracle_runs_finish(&runs);
    oracle_destroy(log);
    bench_buffer_destroy(b, &from);
    bench_buffer_destroy(b, &to);
}

/* One of two threads that submit at once, each to a queue of its own, each its own buffers. */
struct racer {
    struct bench *b;
    VkQueue queue;
    uint32_t index;
    struct bench_buffer from, to;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
};

#define ROUNDS 20

static void racer_begin(struct racer *r, struct bench *b, uint32_t index)
{
    *r = (struct racer){.b = b, .queue = b->f.queues[b->f.main_family][index], .index = index};
    const char *from = index == 0 ? "from 0" : "from 1", *to = index == 0 ? "to 0" : "to 1";
    const char *label = index == 0 ? "racer 0" : "racer 1";
    r->from = bench_buffer_create(b, from, BENCH_VRAM, 8 * b->page);
    r->to = bench_buffer_create(b, to, BENCH_VRAM, 8 * b->page);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = b->f.main_family};
    VKF_VK(vkCreateCommandPool(b->f.device, &pool, NULL, &r->pool));
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = r->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VKF_VK(vkAllocateCommandBuffers(b->f.device, &allocate, &r->commands));
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VKF_VK(vkCreateFence(b->f.device, &fence, NULL, &r->fence));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                 .pLabelName = label};
    VKF_VK(vkBeginCommandBuffer(r->commands, &begin));
    b->label(r->commands, &text);
    bench_stride(b, r->commands, r->from.buffer.handle, r->to.buffer.handle, 4, 2 * b->page,
                 2 * b->page);
    VKF_VK(vkEndCommandBuffer(r->commands));
}

static void *racer_main(void *argument)
{
    struct racer *r = argument;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &r->commands};
    for (int i = 0; i < ROUNDS; i++) {
        VKF_VK(vkQueueSubmit(r->queue, 1, &submit, r->fence));
        VKF_VK(vkWaitForFences(r->b->f.device, 1, &r->fence, VK_TRUE, UINT64_MAX));
        VKF_VK(vkResetFences(r->b->f.device, 1, &r->fence));
    }
    return NULL;
}

static void racer_end(struct racer *r)
{
    vkDestroyFence(r->b->f.device, r->fence, NULL);
    vkDestroyCommandPool(r->b->f.device, r->pool, NULL);
    bench_buffer_destroy(r->b, &r->from);
    bench_buffer_destroy(r->b, &r->to);
}

static void queues(struct bench *b)
{
    struct racer racers[2];
    pthread_t threads[2];
    VKF_CHECK(b->f.queue_counts[b->f.main_family] >= 2, "the card has two graphics queues");
    for (uint32_t i = 0; i < 2; i++)
        racer_begin(&racers[i], b, i);
    for (uint32_t i = 0; i < 2; i++)
        VKF_CHECK(pthread_create(&threads[i], NULL, racer_main, &racers[i]) == 0, "no thread");
    for (uint32_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    struct oracle_log *log = bench_log();
    VKF_CHECK(oracle_count(log) == 2 * ROUNDS, "%zu lines", oracle_count(log));
    for (size_t i = 0; i < oracle_count(log); i++) {
        uint32_t family, index;
        struct oracle_runs runs;
        VKF_CHECK(oracle_queue(log, i, &family, &index), "no queue in line %zu", i);
        VKF_CHECK(oracle_range_count(log, i) == 2, "line %zu has the other's accesses as well", i);
        VKF_CHECK(oracle_runs_of(log, i, index == 0 ? "from 0" : "from 1", ORACLE_READ, &runs) &&
                      runs.count == 4 && runs.bytes == 4 * b->page,
                  "line %zu has not its own queue's reads", i);
        oracle_runs_finish(&runs);
        VKF_CHECK(oracle_runs_of(log, i, index == 0 ? "to 0" : "to 1", ORACLE_WRITTEN, &runs) &&
                      runs.count == 4,
                  "line %zu has not its own queue's writes", i);
        oracle_runs_finish(&runs);
    }
    oracle_destroy(log);
    for (uint32_t i = 0; i < 2; i++)
        racer_end(&racers[i]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(struct bench *b);
    } cases[] = {{"strided", strided},     {"copies", copies},
                 {"rows", rows},           {"corner", corner},
                 {"no_submit", no_submit}, {"flush", flush},
                 {"resources", resources}, {"sparse", sparse},
                 {"imprecise", imprecise}, {"kernel_limit", kernel_limit},
                 {"queues", queues}};
    for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bench b;
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        bench_begin(&b);
        VKF_CHECK(b.page != 0, "SIMGPU_ORACLE is off");
        cases[i].run(&b);
        bench_end(&b);
        return VKF_EXIT_OK;
    }
    return VKF_EXIT_USAGE;
}
