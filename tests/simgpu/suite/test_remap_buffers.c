/* SPDX-License-Identifier: MIT
 *
 * One sparse buffer used in every way a buffer can be, while its pages move about: copies, fills,
 * storage, device address, uniform, texels, vertices, indexes, indirect draws, query results. The
 * views, descriptor sets and the one command buffer are made before the first bind and never again.
 * After each move all results are compared, and so is what then lies in the memory itself. Every
 * region lies across a border of two blocks. */
#include "pipelines.h"

#include <stdlib.h>
#include <string.h>

#include "address.spv.h"
#include "gather.spv.h"
#include "lanes.h"
#include "scatter.spv.h"

/* In blocks: data is read; the rest up to COPIED is written; geometry lies across the borders
 * before blocks VERTICES … QUERIES. */
enum {
    DATA = 0,
    STORED = 4,
    ADDRESSED = 6,
    TEXELS = 8,
    FILLED = 10,
    COPIED = 12,
    VERTICES = 15,
    INDEXES = 16,
    INDIRECT = 17,
    QUERIES = 18,
    BLOCKS = 19,
};

enum {
    BLOCK_WORDS = 65536 / 4,
    WORDS = BLOCKS * BLOCK_WORDS,
    DATA_WORDS = 4 * BLOCK_WORDS,
    WRITE_WORDS = 2 * BLOCK_WORDS,
    UNIFORM_WORDS = 4096,
    UNIFORM_AT = BLOCK_WORDS - 2048,
    COLUMNS = 64,
    ROWS = 4,
    DRAWS = 4,
    QUADS_A_DRAW = COLUMNS / DRAWS,
    VERTICES_AT = VERTICES * BLOCK_WORDS - COLUMNS * 4 * 3 / 2,
    INDEXES_AT = INDEXES * BLOCK_WORDS - COLUMNS * 6 / 2,
    INDIRECT_AT = INDIRECT * BLOCK_WORDS - 5,
    QUERIES_AT = QUERIES * BLOCK_WORDS - 2,
    MAPPINGS = 9,
};

#define CLEAR_COLOUR UINT32_C(0x80402010)
#define FILL_WORD    UINT32_C(0xf111f111)
#define POISON       UINT32_C(0xdeadbeef)

struct world {
    struct vkf f;
    struct vkf_buffer buffer;
    struct suite_slab slabs[3]; /* VRAM, VRAM, host */
    struct suite_mapped gathered, copied, source, params, picture;
    struct suite_pipeline gather, scatter, draw;
    VkBufferView read_view, write_view;
    struct vkf_image target;
    VkDeviceMemory target_memory;
    VkImageView target_view;
    VkQueryPool queries;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkSemaphore chain;
    uint64_t chain_value;
    uint32_t model[WORDS];     /* what has to be in the buffer */
    uint32_t columns[COLUMNS]; /* and in the picture */
    uint32_t samples[2];
};

struct place {
    uint32_t slab, block;
};

static struct place place_of(uint32_t mapping, uint32_t block)
{
    uint32_t reverse = BLOCKS - 1 - block;
    switch (mapping) {
    case 0:
    case 7:
        return (struct place){0, block};
    case 1:
        return (struct place){1, block};
    case 2:
        return (struct place){0, reverse};
    case 3:
        return (struct place){2, block};
    case 4:
        return (struct place){block & 1, reverse};
    case 5:
        return (struct place){2, reverse};
    case 6:
        return (struct place){1, (block + 7) % BLOCKS};
    default:
        return (struct place){1 + (block / 3 & 1), (block * 5) % BLOCKS};
    }
}

static VkBufferView create_view(const struct world *w, uint32_t block, VkDeviceSize bytes)
{
    VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                   .buffer = w->buffer.handle,
                                   .format = VK_FORMAT_R32_UINT,
                                   .offset = block * SUITE_BLOCK,
                                   .range = bytes};
    VkBufferView view = VK_NULL_HANDLE;
    VKF_VK(vkCreateBufferView(w->f.device, &info, NULL, &view));
    return view;
}

static VkDeviceAddress address_of(const struct vkf *f, VkBuffer buffer)
{
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                      .buffer = buffer};
    return vkGetBufferDeviceAddress(f->device, &info);
}

static void create_pipelines(struct world *w)
{
    static const VkDescriptorType reads[] = {
        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
        VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    static const VkDescriptorType writes[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                              VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                              VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    struct vkf *f = &w->f;
    w->read_view = create_view(w, DATA, DATA_WORDS * 4);
    w->write_view = create_view(w, TEXELS, WRITE_WORDS * 4);
    w->gather = suite_compute(f, gather_spv, sizeof(gather_spv), reads, 4, 16);
    suite_write_buffer(f, &w->gather, 0, reads[0], w->buffer.handle, DATA * SUITE_BLOCK,
                       DATA_WORDS * 4);
    suite_write_buffer(f, &w->gather, 1, reads[1], w->buffer.handle, UNIFORM_AT * 4,
                       UNIFORM_WORDS * 4);
    suite_write_view(f, &w->gather, 2, reads[2], w->read_view);
    suite_write_buffer(f, &w->gather, 3, reads[3], w->gathered.buffer.handle, 0, VK_WHOLE_SIZE);
    w->scatter = suite_compute(f, scatter_spv, sizeof(scatter_spv), writes, 3, 8);
    suite_write_buffer(f, &w->scatter, 0, writes[0], w->buffer.handle, STORED * SUITE_BLOCK,
                       WRITE_WORDS * 4);
    suite_write_view(f, &w->scatter, 1, writes[1], w->write_view);
    suite_write_buffer(f, &w->scatter, 2, writes[2], w->params.buffer.handle, 0, VK_WHOLE_SIZE);
    w->draw = suite_draw(f, COLUMNS, ROWS);
}

static void create_target(struct world *w)
{
    struct vkf *f = &w->f;
    w->target =
        vkf_image_create(f, COLUMNS, ROWS, 1, 1, VK_IMAGE_TILING_OPTIMAL,
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    w->target_memory = vkf_allocate(f, w->target.requirements.size,
                                    suite_vram_type(f, w->target.requirements.memoryTypeBits));
    VKF_VK(vkBindImageMemory(f->device, w->target.handle, w->target_memory, 0));
    w->target_view = suite_image_view(f, w->target.handle, 0, 1);
    VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .queryType = VK_QUERY_TYPE_OCCLUSION,
                                     .queryCount = 2};
    VKF_VK(vkCreateQueryPool(f->device, &queries, NULL, &w->queries));
}

static void record_shaders(const struct world *w, VkCommandBuffer c)
{
    struct {
        VkDeviceAddress address;
        uint32_t count;
    } push = {.address = address_of(&w->f, w->buffer.handle), .count = DATA_WORDS};
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, w->gather.pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, w->gather.layout, 0, 1,
                            &w->gather.set, 0, NULL);
    vkCmdPushConstants(c, w->gather.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 12, &push);
    vkCmdDispatch(c, DATA_WORDS / 64, 1, 1);
    push.address += ADDRESSED * SUITE_BLOCK;
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, w->scatter.pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, w->scatter.layout, 0, 1,
                            &w->scatter.set, 0, NULL);
    vkCmdPushConstants(c, w->scatter.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &push);
    vkCmdDispatch(c, WRITE_WORDS / 64, 1, 1);
}

static void record_transfers(const struct world *w, VkCommandBuffer c)
{
    VkBufferCopy out = {.srcOffset = DATA * SUITE_BLOCK, .size = DATA_WORDS * 4};
    VkBufferCopy in = {.dstOffset = COPIED * SUITE_BLOCK, .size = WRITE_WORDS * 4};
    vkCmdCopyBuffer(c, w->buffer.handle, w->copied.buffer.handle, 1, &out);
    vkCmdCopyBuffer(c, w->source.buffer.handle, w->buffer.handle, 1, &in);
    vkCmdFillBuffer(c, w->buffer.handle, FILLED * SUITE_BLOCK, WRITE_WORDS * 4, FILL_WORD);
}

static void record_draw(const struct world *w, VkCommandBuffer c)
{
    VkDeviceSize vertices = VERTICES_AT * 4;
    vkCmdResetQueryPool(c, w->queries, 0, 2);
    vkf_image_barrier(c, w->target.handle, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    suite_rendering_begin(c, w->target_view, COLUMNS, ROWS, CLEAR_COLOUR);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, w->draw.pipeline);
    vkCmdBindVertexBuffers(c, 0, 1, &w->buffer.handle, &vertices);
    /* From the beginning of the buffer: lavapipe of Mesa 22.3 passes over the offset given here
     * when the draw is an indirect one. */
    vkCmdBindIndexBuffer(c, w->buffer.handle, 0, VK_INDEX_TYPE_UINT32);
    for (uint32_t query = 0; query < 2; query++) {
        vkCmdBeginQuery(c, w->queries, query, VK_QUERY_CONTROL_PRECISE_BIT);
        for (uint32_t i = 2 * query; i < 2 * query + 2; i++)
            vkCmdDrawIndexedIndirect(c, w->buffer.handle, (INDIRECT_AT + 5 * i) * 4, 1, 20);
        vkCmdEndQuery(c, w->queries, query);
    }
    vkCmdEndRendering(c);
    vkCmdCopyQueryPoolResults(c, w->queries, 0, 2, w->buffer.handle, QUERIES_AT * 4, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    vkf_image_barrier(c, w->target.handle, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy picture = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageExtent = {COLUMNS, ROWS, 1}};
    vkCmdCopyImageToBuffer(c, w->target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           w->picture.buffer.handle, 1, &picture);
}

static void begin(struct world *w)
{
    struct vkf *f = &w->f;
    suite_begin(f);
    w->buffer = suite_sparse_buffer(
        f, BLOCKS * SUITE_BLOCK, 0,
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
            VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
            VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
            VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    uint32_t vram = suite_vram_type(f, UINT32_MAX), host = suite_host_type(f, UINT32_MAX);
    for (uint32_t i = 0; i < 3; i++)
        w->slabs[i] = suite_slab_create(f, BLOCKS, i == 2 && host != VKF_NONE ? host : vram);
    w->gathered = suite_mapped_create(f, (3 * DATA_WORDS + UNIFORM_WORDS) * 4,
                                      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    w->copied = suite_mapped_create(f, DATA_WORDS * 4, 0);
    w->source = suite_mapped_create(f, WRITE_WORDS * 4, 0);
    w->params = suite_mapped_create(f, 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    w->picture = suite_mapped_create(f, COLUMNS * ROWS * 4, 0);
    w->chain = suite_timeline(f, 0);
    create_target(w);
    create_pipelines(w);
    w->pool = suite_pool(f, f->main_family);
    w->commands = suite_commands_begin(f, w->pool);
    record_shaders(w, w->commands);
    record_transfers(w, w->commands);
    record_draw(w, w->commands);
    suite_commands_end(w->commands);
}

static void end(struct world *w)
{
    struct vkf *f = &w->f;
    suite_pipeline_destroy(f, &w->gather);
    suite_pipeline_destroy(f, &w->scatter);
    suite_pipeline_destroy(f, &w->draw);
    vkDestroyCommandPool(f->device, w->pool, NULL);
    vkDestroyQueryPool(f->device, w->queries, NULL);
    vkDestroyImageView(f->device, w->target_view, NULL);
    vkf_image_destroy(f, &w->target);
    vkf_free(f, w->target_memory);
    vkDestroyBufferView(f->device, w->read_view, NULL);
    vkDestroyBufferView(f->device, w->write_view, NULL);
    vkDestroySemaphore(f->device, w->chain, NULL);
    struct suite_mapped *mapped[] = {&w->gathered, &w->copied, &w->source, &w->params, &w->picture};
    for (size_t i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++)
        suite_mapped_destroy(f, mapped[i]);
    vkf_buffer_destroy(f, &w->buffer);
    for (uint32_t i = 0; i < 3; i++)
        suite_slab_destroy(f, &w->slabs[i]);
    vkf_end(f);
}

static void put(struct world *w, uint32_t word, const void *data, size_t bytes)
{
    memcpy(w->model + word, data, bytes);
}

/* Quads over a column each, drawn in an order of this round, the last ones not at all. */
static void model_geometry(struct world *w, uint32_t round)
{
    uint32_t drawn[DRAWS];
    for (uint32_t i = 0; i < COLUMNS; i++)
        w->columns[i] = CLEAR_COLOUR;
    for (uint32_t i = 0; i < DRAWS; i++) {
        drawn[i] = QUADS_A_DRAW - (round + i) % 5;
        VkDrawIndexedIndirectCommand draw = {.indexCount = 6 * drawn[i],
                                             .instanceCount = 1,
                                             .firstIndex = INDEXES_AT + 6 * QUADS_A_DRAW * i};
        put(w, INDIRECT_AT + 5 * i, &draw, sizeof(draw));
    }
    for (uint32_t q = 0; q < COLUMNS; q++) {
        uint32_t column = (q * 13 + round * 7) % COLUMNS, colour = suite_word(round, q);
        float left = (float)column / (COLUMNS / 2) - 1.0f, right = left + 1.0f / (COLUMNS / 2);
        struct suite_vertex corners[] = {{left, -1.0f, colour},
                                         {right, -1.0f, colour},
                                         {left, 1.0f, colour},
                                         {right, 1.0f, colour}};
        uint32_t indexes[] = {4 * q, 4 * q + 1, 4 * q + 2, 4 * q + 2, 4 * q + 1, 4 * q + 3};
        put(w, VERTICES_AT + 12 * q, corners, sizeof(corners));
        put(w, INDEXES_AT + 6 * q, indexes, sizeof(indexes));
        if (q % QUADS_A_DRAW < drawn[q / QUADS_A_DRAW])
            w->columns[column] = colour;
    }
    w->samples[0] = (drawn[0] + drawn[1]) * ROWS;
    w->samples[1] = (drawn[2] + drawn[3]) * ROWS;
}

static void model_before(struct world *w, uint32_t round)
{
    for (uint32_t i = 0; i < WORDS; i++)
        w->model[i] = suite_word(100 + round, i);
    model_geometry(w, round);
    w->params.words[0] = round + 1;
    words_fill(w->source.words, 200 + round, WRITE_WORDS);
}

static void model_after(struct world *w, uint32_t round)
{
    for (uint32_t i = 0; i < WRITE_WORDS; i++) {
        w->model[STORED * BLOCK_WORDS + i] = (round + 1) * 3 + i;
        w->model[ADDRESSED * BLOCK_WORDS + i] = (round + 1) * 5 + i;
        w->model[TEXELS * BLOCK_WORDS + i] = (round + 1) * 7 + i;
        w->model[FILLED * BLOCK_WORDS + i] = FILL_WORD;
        w->model[COPIED * BLOCK_WORDS + i] = w->source.words[i];
    }
    uint64_t results[] = {w->samples[0], w->samples[1]};
    put(w, QUERIES_AT, results, sizeof(results));
}

/* Ranges as long as they can be, the last block's first. */
static uint32_t make_binds(const struct world *w, uint32_t mapping, VkSparseMemoryBind *binds)
{
    uint32_t n = 0;
    for (uint32_t i = BLOCKS; i-- > 0;) {
        struct place p = place_of(mapping, i);
        VkDeviceMemory memory = w->slabs[p.slab].memory;
        VkSparseMemoryBind *before = n > 0 ? &binds[n - 1] : NULL;
        if (before && before->memory == memory &&
            before->memoryOffset == (p.block + 1) * SUITE_BLOCK) {
            before->resourceOffset -= SUITE_BLOCK;
            before->memoryOffset -= SUITE_BLOCK;
            before->size += SUITE_BLOCK;
            continue;
        }
        binds[n++] = (VkSparseMemoryBind){.resourceOffset = i * SUITE_BLOCK,
                                          .size = SUITE_BLOCK,
                                          .memory = memory,
                                          .memoryOffset = p.block * SUITE_BLOCK};
    }
    return n;
}

/* Copies block by block from the old memory to the new, then spoils the old. */
static VkCommandBuffer record_move(struct world *w, uint32_t from, uint32_t to)
{
    VkCommandBuffer c = suite_commands_begin(&w->f, w->pool);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct place a = place_of(from, i), b = place_of(to, i);
        VkBufferCopy region = {.srcOffset = a.block * SUITE_BLOCK,
                               .dstOffset = b.block * SUITE_BLOCK,
                               .size = SUITE_BLOCK};
        vkCmdCopyBuffer(c, w->slabs[a.slab].raw.handle, w->slabs[b.slab].raw.handle, 1, &region);
    }
    vkf_full_barrier(c);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct place a = place_of(from, i);
        vkCmdFillBuffer(c, w->slabs[a.slab].raw.handle, a.block * SUITE_BLOCK, SUITE_BLOCK, POISON);
    }
    suite_commands_end(c);
    return c;
}

/* Move, bind and use are handed over at once, ordered by semaphores alone. */
static void move_and_run(struct world *w, uint32_t from, uint32_t to)
{
    struct vkf *f = &w->f;
    VkSparseMemoryBind binds[BLOCKS];
    VkCommandBuffer moving = record_move(w, from, to);
    uint64_t v = w->chain_value;
    struct suite_batch move = {.commands = moving, .signals = {{w->chain, v + 1}}};
    struct suite_batch bind = {.buffer = w->buffer.handle,
                               .binds = binds,
                               .bind_count = make_binds(w, to, binds),
                               .waits = {{w->chain, v + 1}},
                               .signals = {{w->chain, v + 2}}};
    struct suite_batch run = {
        .commands = w->commands, .waits = {{w->chain, v + 2}}, .signals = {{w->chain, v + 3}}};
    suite_submit(f->queue, &move, VK_NULL_HANDLE);
    suite_bind(f->queue, &bind, VK_NULL_HANDLE);
    suite_submit2(f->queue, &run, VK_NULL_HANDLE);
    w->chain_value += 3;
    suite_timeline_must(f, w->chain, w->chain_value);
    VKF_VK(vkQueueWaitIdle(f->queue));
    vkFreeCommandBuffers(f->device, w->pool, 1, &moving);
}

static void compare(const uint32_t *got, const uint32_t *wanted, uint32_t count, const char *what,
                    uint32_t mapping)
{
    for (uint32_t i = 0; i < count; i++)
        if (got[i] != wanted[i])
            vkf_exit_with(VKF_EXIT_CONTENT, __FILE__, __LINE__,
                          "mapping %u: %s: word %u is %#x, not %#x", mapping, what, i, got[i],
                          wanted[i]);
}

static void check_reads(const struct world *w, uint32_t mapping)
{
    const uint32_t *g = w->gathered.words;
    compare(g, w->model, DATA_WORDS, "read as storage", mapping);
    compare(g + DATA_WORDS, w->model, DATA_WORDS, "read by address", mapping);
    compare(g + 2 * DATA_WORDS, w->model, DATA_WORDS, "read as texels", mapping);
    compare(g + 3 * DATA_WORDS, w->model + UNIFORM_AT, UNIFORM_WORDS, "read as uniform", mapping);
    compare(w->copied.words, w->model, DATA_WORDS, "copied from", mapping);
    for (uint32_t y = 0; y < ROWS; y++)
        compare(w->picture.words + y * COLUMNS, w->columns, COLUMNS, "picture", mapping);
}

/* Through the buffer, and in the memory it is bound to. */
static void check_writes(struct world *w, uint32_t mapping)
{
    static uint32_t got[WORDS];
    vkf_buffer_read(&w->f, w->buffer.handle, 0, got, sizeof(got));
    compare(got, w->model, WORDS, "the buffer", mapping);
    for (uint32_t s = 0; s < 3; s++) {
        vkf_buffer_read(&w->f, w->slabs[s].raw.handle, 0, got, sizeof(got));
        for (uint32_t i = 0; i < BLOCKS; i++) {
            struct place p = place_of(mapping, i);
            if (p.slab == s)
                compare(got + p.block * BLOCK_WORDS, w->model + i * BLOCK_WORDS, BLOCK_WORDS,
                        "the memory", mapping);
        }
    }
}

static void test_every_use(struct world *w)
{
    VkSparseMemoryBind binds[BLOCKS];
    suite_bind_now(&w->f, w->buffer.handle, VK_NULL_HANDLE, binds, make_binds(w, 0, binds));
    for (uint32_t to = 1; to < MAPPINGS; to++) {
        model_before(w, to);
        vkf_buffer_write(&w->f, w->buffer.handle, 0, w->model, sizeof(w->model));
        memset(w->gathered.words, 0, (3 * DATA_WORDS + UNIFORM_WORDS) * 4);
        move_and_run(w, to - 1, to);
        check_reads(w, to);
        model_after(w, to);
        check_writes(w, to);
    }
}

/* Two buffers over one range: what goes in through one comes out through the other, within one
 * command buffer and within one dispatch, before and after both were moved. */
static void test_aliases(struct vkf *f)
{
    struct suite_slab slabs[] = {suite_slab_create(f, 2, suite_vram_type(f, UINT32_MAX)),
                                 suite_slab_create(f, 2, suite_vram_type(f, UINT32_MAX))};
    struct suite_mapped out = suite_mapped_create(f, 2 * SUITE_BLOCK, 0);
    struct vkf_compute shader = vkf_compute_create(f, address_spv, sizeof(address_spv), 0, 28);
    struct vkf_buffer a, b;
    a = suite_sparse_buffer(f, 2 * SUITE_BLOCK, VK_BUFFER_CREATE_SPARSE_ALIASED_BIT,
                            VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    b = suite_sparse_buffer(f, 2 * SUITE_BLOCK, VK_BUFFER_CREATE_SPARSE_ALIASED_BIT,
                            VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    struct {
        VkDeviceAddress from, to;
        uint32_t words, seed, mode;
    } push = {.from = address_of(f, a.handle),
              .to = address_of(f, b.handle) + SUITE_BLOCK,
              .words = BLOCK_WORDS,
              .mode = 1};
    for (uint32_t i = 0; i < 4; i++) {
        VkSparseMemoryBind bind = {.size = 2 * SUITE_BLOCK, .memory = slabs[i & 1].memory};
        suite_bind_now(f, a.handle, VK_NULL_HANDLE, &bind, 1);
        suite_bind_now(f, b.handle, VK_NULL_HANDLE, &bind, 1);
        VkCommandBuffer c = vkf_commands_begin(f);
        vkCmdFillBuffer(c, a.handle, 0, SUITE_BLOCK, 0xa11a5000 + i);
        vkCmdFillBuffer(c, a.handle, SUITE_BLOCK, SUITE_BLOCK, 0);
        vkf_full_barrier(c);
        /* Reads the first block through a, writes the second through b. */
        vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, shader.pipeline);
        vkCmdPushConstants(c, shader.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 28, &push);
        vkCmdDispatch(c, BLOCK_WORDS / 64, 1, 1);
        vkf_full_barrier(c);
        VkBufferCopy first = {.size = SUITE_BLOCK};
        VkBufferCopy second = {
            .srcOffset = SUITE_BLOCK, .dstOffset = SUITE_BLOCK, .size = SUITE_BLOCK};
        vkCmdCopyBuffer(c, b.handle, out.buffer.handle, 1, &first);
        vkCmdCopyBuffer(c, a.handle, out.buffer.handle, 1, &second);
        vkf_commands_run(f);
        for (uint32_t k = 0; k < 2 * BLOCK_WORDS; k++)
            if (out.words[k] != 0xa11a5000 + i)
                vkf_exit_with(VKF_EXIT_CONTENT, __FILE__, __LINE__, "alias: word %u is %#x", k,
                              out.words[k]);
    }
    vkf_compute_destroy(f, &shader);
    vkf_buffer_destroy(f, &a);
    vkf_buffer_destroy(f, &b);
    suite_mapped_destroy(f, &out);
    suite_slab_destroy(f, &slabs[0]);
    suite_slab_destroy(f, &slabs[1]);
}

int main(void)
{
    static struct world w;
    begin(&w);
    test_every_use(&w);
    test_aliases(&w.f);
    end(&w);
    return 0;
}
