/* SPDX-License-Identifier: MIT
 *
 * Sparse optimal images whose pages move about, VRAM → host → VRAM: uploaded, sampled, drawn into,
 * copied out, all mip levels, with views, descriptor sets and command buffers made before the first
 * move. They are moved in both ways there are: raw, block by block, while the image stays as it is;
 * and staged, out through a buffer and in again from UNDEFINED. */
#include "pipelines.h"

#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "sample.spv.h"

enum { MAX_MIPS = 8, MAX_BLOCKS = 64, COLUMNS = 64, MAPPINGS = 7 };

#define POISON UINT32_C(0xdeadbeef)

struct world {
    struct vkf *f;
    struct vkf_image image;
    uint32_t blocks, words;     /* words: texels of all levels */
    struct suite_slab slabs[3]; /* VRAM, VRAM, host */
    struct suite_mapped in, out, sampled, vertices;
    struct suite_pipeline sample, draw;
    VkSampler sampler;
    VkImageView all, top;
    VkCommandPool pool;
    VkCommandBuffer upload, look, render, leave, enter;
    VkBufferImageCopy levels[MAX_MIPS];
    VkSemaphore chain;
    uint64_t chain_value;
    uint32_t *model;
};

struct place {
    uint32_t slab, block;
};

static struct place place_of(const struct world *w, uint32_t mapping, uint32_t block)
{
    uint32_t reverse = w->blocks - 1 - block;
    switch (mapping) {
    case 0:
        return (struct place){0, block};
    case 1:
        return (struct place){1, reverse};
    case 2:
        return (struct place){2, block};
    case 3:
        return (struct place){block & 1, reverse};
    case 4:
        return (struct place){2, reverse};
    case 5:
        return (struct place){0, (block + 1) % w->blocks};
    default:
        return (struct place){1 + (block & 1), block};
    }
}

static void record_upload(struct world *w)
{
    VkCommandBuffer c = w->upload = suite_commands_begin(w->f, w->pool);
    vkf_image_barrier(c, w->image.handle, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(c, w->in.buffer.handle, w->image.handle,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, w->image.mip_count, w->levels);
    vkf_image_barrier(c, w->image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    suite_commands_end(c);
}

static void record_copy_out(const struct world *w, VkCommandBuffer c)
{
    vkf_image_barrier(c, w->image.handle, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(c, w->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           w->out.buffer.handle, w->image.mip_count, w->levels);
    vkf_image_barrier(c, w->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

static void record_look(struct world *w)
{
    uint32_t push[] = {w->image.width, w->image.height, w->image.mip_count};
    VkCommandBuffer c = w->look = suite_commands_begin(w->f, w->pool);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, w->sample.pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, w->sample.layout, 0, 1,
                            &w->sample.set, 0, NULL);
    vkCmdPushConstants(c, w->sample.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), push);
    vkCmdDispatch(c, (w->image.width * w->image.height + 63) / 64, 1, 1);
    record_copy_out(w, c);
    suite_commands_end(c);
}

static void record_render(struct world *w)
{
    VkDeviceSize zero = 0;
    VkCommandBuffer c = w->render = suite_commands_begin(w->f, w->pool);
    vkf_image_barrier(c, w->image.handle, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                      VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    suite_rendering_begin(c, w->top, w->image.width, w->image.height, 0x01020304);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, w->draw.pipeline);
    vkCmdBindVertexBuffers(c, 0, 1, &w->vertices.buffer.handle, &zero);
    vkCmdDraw(c, COLUMNS * 6, 1, 0, 0);
    vkCmdEndRendering(c);
    vkf_image_barrier(c, w->image.handle, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    suite_commands_end(c);
}

/* The two halves of a staged move; `out` is what it is staged in. */
static void record_staged(struct world *w)
{
    w->leave = suite_commands_begin(w->f, w->pool);
    record_copy_out(w, w->leave);
    suite_commands_end(w->leave);
    VkCommandBuffer c = w->enter = suite_commands_begin(w->f, w->pool);
    vkf_image_barrier(c, w->image.handle, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(c, w->out.buffer.handle, w->image.handle,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, w->image.mip_count, w->levels);
    vkf_image_barrier(c, w->image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    suite_commands_end(c);
}

static void create_levels(struct world *w)
{
    for (uint32_t i = 0; i < w->image.mip_count; i++) {
        uint32_t width = w->image.width >> i ? w->image.width >> i : 1;
        uint32_t height = w->image.height >> i ? w->image.height >> i : 1;
        w->levels[i] = (VkBufferImageCopy){.bufferOffset = (VkDeviceSize)w->words * 4,
                                           .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1},
                                           .imageExtent = {width, height, 1}};
        w->words += width * height;
    }
    w->model = calloc(w->words, 4);
    VKF_CHECK(w->model, "no memory");
}

static void create_pipelines(struct world *w)
{
    static const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                             VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                   .maxLod = VK_LOD_CLAMP_NONE,
                                   .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                   .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
    struct vkf *f = w->f;
    VKF_VK(vkCreateSampler(f->device, &sampler, NULL, &w->sampler));
    w->all = suite_image_view(f, w->image.handle, 0, w->image.mip_count);
    w->top = suite_image_view(f, w->image.handle, 0, 1);
    w->sample = suite_compute(f, sample_spv, sizeof(sample_spv), types, 2, 12);
    suite_write_image(f, &w->sample, 0, w->sampler, w->all);
    suite_write_buffer(f, &w->sample, 1, types[1], w->sampled.buffer.handle, 0, VK_WHOLE_SIZE);
    w->draw = suite_draw(f, w->image.width, w->image.height);
}

static void bind(struct world *w, uint32_t mapping)
{
    VkSparseMemoryBind binds[MAX_BLOCKS];
    VKF_CHECK(w->blocks <= MAX_BLOCKS, "the image is too large");
    for (uint32_t i = 0; i < w->blocks; i++) {
        struct place p = place_of(w, mapping, i);
        binds[w->blocks - 1 - i] = (VkSparseMemoryBind){.resourceOffset = i * SUITE_BLOCK,
                                                        .size = SUITE_BLOCK,
                                                        .memory = w->slabs[p.slab].memory,
                                                        .memoryOffset = p.block * SUITE_BLOCK};
    }
    struct suite_batch batch = {.image = w->image.handle,
                                .binds = binds,
                                .bind_count = w->blocks,
                                .waits = {{w->chain, w->chain_value}},
                                .signals = {{w->chain, w->chain_value + 1}}};
    suite_bind(w->f->queue, &batch, VK_NULL_HANDLE);
    w->chain_value++;
}

static void begin(struct world *w, struct vkf *f, uint32_t width, uint32_t height, uint32_t mips)
{
    *w = (struct world){.f = f};
    w->image = suite_sparse_image(f, width, height, mips,
                                  VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    w->blocks = (uint32_t)(w->image.requirements.size / SUITE_BLOCK);
    uint32_t bits = w->image.requirements.memoryTypeBits;
    uint32_t vram = suite_vram_type(f, bits), host = suite_host_type(f, bits);
    for (uint32_t i = 0; i < 3; i++)
        w->slabs[i] = suite_slab_create(f, w->blocks, i == 2 && host != VKF_NONE ? host : vram);
    create_levels(w);
    w->in = suite_mapped_create(f, w->words * 4, 0);
    w->out = suite_mapped_create(f, w->words * 4, 0);
    w->sampled = suite_mapped_create(f, w->words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    w->vertices = suite_mapped_create(f, COLUMNS * 6 * sizeof(struct suite_vertex),
                                      VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    w->chain = suite_timeline(f, 0);
    w->pool = suite_pool(f, f->main_family);
    /* Before any view: validation 1.4 wants an image without residency bound by then. */
    bind(w, 0);
    create_pipelines(w);
    record_upload(w);
    record_look(w);
    record_render(w);
    record_staged(w);
}

static void end(struct world *w)
{
    struct vkf *f = w->f;
    suite_pipeline_destroy(f, &w->sample);
    suite_pipeline_destroy(f, &w->draw);
    vkDestroySampler(f->device, w->sampler, NULL);
    vkDestroyImageView(f->device, w->all, NULL);
    vkDestroyImageView(f->device, w->top, NULL);
    vkDestroyCommandPool(f->device, w->pool, NULL);
    vkDestroySemaphore(f->device, w->chain, NULL);
    suite_mapped_destroy(f, &w->in);
    suite_mapped_destroy(f, &w->out);
    suite_mapped_destroy(f, &w->sampled);
    suite_mapped_destroy(f, &w->vertices);
    vkf_image_destroy(f, &w->image);
    for (uint32_t i = 0; i < 3; i++)
        suite_slab_destroy(f, &w->slabs[i]);
    free(w->model);
}

/* One after the other on the main queue, each ordered behind the one before by the chain. */
static void submit(struct world *w, VkCommandBuffer commands)
{
    struct suite_batch batch = {.commands = commands,
                                .waits = {{w->chain, w->chain_value}},
                                .signals = {{w->chain, w->chain_value + 1}}};
    suite_submit(w->f->queue, &batch, VK_NULL_HANDLE);
    w->chain_value++;
}

static void finish(struct world *w)
{
    suite_timeline_must(w->f, w->chain, w->chain_value);
    VKF_VK(vkQueueWaitIdle(w->f->queue));
}

static void poison(struct world *w, VkCommandBuffer c, uint32_t mapping)
{
    for (uint32_t i = 0; i < w->blocks; i++) {
        struct place p = place_of(w, mapping, i);
        vkCmdFillBuffer(c, w->slabs[p.slab].raw.handle, p.block * SUITE_BLOCK, SUITE_BLOCK, POISON);
    }
}

static void move(struct world *w, uint32_t from, uint32_t to, bool staged)
{
    VkCommandBuffer c = suite_commands_begin(w->f, w->pool);
    for (uint32_t i = 0; i < w->blocks && !staged; i++) {
        struct place a = place_of(w, from, i), b = place_of(w, to, i);
        VkBufferCopy region = {.srcOffset = a.block * SUITE_BLOCK,
                               .dstOffset = b.block * SUITE_BLOCK,
                               .size = SUITE_BLOCK};
        vkCmdCopyBuffer(c, w->slabs[a.slab].raw.handle, w->slabs[b.slab].raw.handle, 1, &region);
    }
    vkf_full_barrier(c);
    poison(w, c, from);
    suite_commands_end(c);
    if (staged)
        submit(w, w->leave);
    submit(w, c);
    bind(w, to);
    if (staged)
        submit(w, w->enter);
    finish(w);
    vkFreeCommandBuffers(w->f->device, w->pool, 1, &c);
}

static void check(struct world *w, uint32_t mapping, const char *when)
{
    memset(w->out.words, 0, (size_t)w->words * 4);
    memset(w->sampled.words, 0, (size_t)w->words * 4);
    submit(w, w->look);
    finish(w);
    for (uint32_t i = 0; i < w->words; i++)
        if (w->out.words[i] != w->model[i] || w->sampled.words[i] != w->model[i])
            vkf_exit_with(VKF_EXIT_CONTENT, __FILE__, __LINE__,
                          "mapping %u, %s: texel %u of %ux%u is %#x copied, %#x sampled, not %#x",
                          mapping, when, i, w->image.width, w->image.height, w->out.words[i],
                          w->sampled.words[i], w->model[i]);
}

static void upload(struct world *w, uint32_t seed)
{
    words_fill(w->model, seed, w->words);
    memcpy(w->in.words, w->model, (size_t)w->words * 4);
    submit(w, w->upload);
    finish(w);
}

/* Coloured columns over the whole of level 0. */
static void render(struct world *w, uint32_t seed)
{
    static const float corner[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
    struct suite_vertex *v = (struct suite_vertex *)w->vertices.words;
    for (uint32_t i = 0; i < COLUMNS; i++)
        for (uint32_t k = 0; k < 6; k++)
            *v++ = (struct suite_vertex){((float)i + corner[k][0]) / (COLUMNS / 2) - 1.0f,
                                         corner[k][1] * 2.0f - 1.0f, suite_word(seed, i)};
    for (uint32_t y = 0; y < w->image.height; y++)
        for (uint32_t x = 0; x < w->image.width; x++)
            w->model[y * w->image.width + x] = suite_word(seed, x / (w->image.width / COLUMNS));
    submit(w, w->render);
    finish(w);
}

static void test_image(struct vkf *f, uint32_t width, uint32_t height, uint32_t mips)
{
    struct world w;
    begin(&w, f, width, height, mips);
    upload(&w, 1);
    check(&w, 0, "uploaded");
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t to = 1; to <= MAPPINGS; to++) {
            /* Each move in both ways, on the one round or the other; back to mapping 0 at the end.
             */
            uint32_t next = to % MAPPINGS;
            move(&w, to - 1, next, (to + round) & 1);
            check(&w, next, "moved");
            render(&w, 10 * round + to);
            check(&w, next, "drawn into");
            upload(&w, 100 + 10 * round + to);
            check(&w, next, "uploaded");
        }
    end(&w);
}

int main(void)
{
    struct vkf f;
    suite_begin(&f);
    test_image(&f, 256, 256, 4);
    test_image(&f, 192, 129, 1); /* an odd height: the last block is not full */
    test_image(&f, 64, 64, 7);   /* all levels in one or two blocks */
    vkf_end(&f);
    return 0;
}
