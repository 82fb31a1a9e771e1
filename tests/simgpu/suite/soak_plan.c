/* SPDX-License-Identifier: MIT
 *
 * The soak's planner: see soak.h. */
#include "soak.h"

#include <string.h>

static uint32_t draw(struct soak *s, uint32_t below)
{
    return (uint32_t)(suite_random(&s->random) >> 16) % below;
}

uint32_t soak_hash(uint32_t seed, uint32_t i)
{
    uint32_t x = (i * 0x9e3779b1u) ^ seed;
    x ^= x >> 15;
    x *= 0x85ebca77u;
    x ^= x >> 13;
    return x;
}

/* A free block, in either slab; there are more blocks than buffers can ever hold, old and new. */
static struct soak_place take_place(struct soak *s, uint32_t slab)
{
    uint32_t start = draw(s, SOAK_SLAB_BLOCKS);
    for (uint32_t n = 0; n < SOAK_SLABS * SOAK_SLAB_BLOCKS; n++) {
        struct soak_place p = {.slab = (slab + n / SOAK_SLAB_BLOCKS) % SOAK_SLABS,
                               .block = (start + n) % SOAK_SLAB_BLOCKS};
        if (s->taken[p.slab][p.block])
            continue;
        s->taken[p.slab][p.block] = true;
        return p;
    }
    VKF_FAIL("no free block left");
}

static bool same(struct soak_ticket a, struct soak_ticket b)
{
    return a.lane == b.lane && a.number == b.number;
}

/* The next operation of a queue's submits or binds, after what the buffer has to wait for. */
static struct soak_op *add_op(struct soak *s, struct soak_window *w, enum soak_kind kind,
                              uint32_t queue, uint32_t buffer)
{
    const struct soak_buffer *b = &s->buffers[buffer];
    struct soak_op *op = &w->ops[w->op_count++];
    VKF_CHECK(w->op_count <= SOAK_OPS, "a window has too many operations");
    uint32_t lane = 2 * queue + (kind == SOAK_BIND);
    *op = (struct soak_op){.kind = kind,
                           .queue = queue,
                           .lane = lane,
                           .buffer = buffer,
                           .number = ++s->planned[lane],
                           .waits = {b->last}};
    if (!same(b->written, b->last))
        op->waits[1] = b->written; /* a bind between hands on no memory dependency */
    if (kind == SOAK_BIND)
        op->waits[2] = (struct soak_ticket){lane, op->number - 1};
    return op;
}

static struct soak_ticket ticket_of(const struct soak_op *op)
{
    return (struct soak_ticket){op->lane, op->number};
}

static VkCommandBuffer begin_commands(struct soak *s, struct soak_window *w, struct soak_op *op)
{
    uint32_t n = w->commands_used[op->queue]++;
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (w->commands[op->queue][n] == NULL)
        w->commands[op->queue][n] = suite_commands(s->f, s->pools[op->queue]);
    op->commands = w->commands[op->queue][n];
    VKF_VK(vkBeginCommandBuffer(op->commands, &info));
    return op->commands;
}

struct push {
    VkDeviceAddress from, to;
    uint32_t words, seed, mode;
};

static void dispatch(struct soak *s, VkCommandBuffer commands, const struct push *push)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, s->shader.pipeline);
    vkCmdPushConstants(commands, s->shader.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 28, push);
    vkCmdDispatch(commands, (push->words + 63) / 64, 1, 1);
}

static uint32_t draw_queue(struct soak *s)
{
    return draw(s, SOAK_QUEUES - 1);
}

static uint32_t draw_bind_queue(struct soak *s)
{
    return draw(s, 4) > 0 ? SOAK_QUEUES - 1 : draw_queue(s);
}

static uint32_t words_of(const struct soak_buffer *b)
{
    return (uint32_t)(b->sparse.size_bytes / 4);
}

static VkDeviceSize slot_offset(uint32_t slot)
{
    return slot * SOAK_MAX_BLOCKS * SUITE_BLOCK;
}

static void plan_fill(struct soak *s, struct soak_window *w, uint32_t index)
{
    struct soak_buffer *b = &s->buffers[index];
    struct soak_op *op = add_op(s, w, SOAK_FILL, draw_queue(s), index);
    b->seed = (uint32_t)suite_random(&s->random);
    b->filled = true;
    VkCommandBuffer commands = begin_commands(s, w, op);
    if (s->computes[op->queue] && draw(s, 2) == 0) {
        struct push push = {.from = b->address, .to = b->address, .words = words_of(b), b->seed, 0};
        dispatch(s, commands, &push);
    } else {
        uint32_t slot = w->slots_used++;
        uint32_t *words = w->slots.words + slot_offset(slot) / 4;
        for (uint32_t i = 0; i < words_of(b); i++)
            words[i] = soak_hash(b->seed, i);
        VkBufferCopy region = {.srcOffset = slot_offset(slot), .size = b->sparse.size_bytes};
        vkCmdCopyBuffer(commands, w->slots.buffer.handle, b->sparse.handle, 1, &region);
    }
    VKF_VK(vkEndCommandBuffer(commands));
    b->last = b->written = ticket_of(op);
}

static void plan_check(struct soak *s, struct soak_window *w, uint32_t index)
{
    struct soak_buffer *b = &s->buffers[index];
    struct soak_op *op = add_op(s, w, SOAK_CHECK, draw_queue(s), index);
    op->slot = w->slots_used++;
    op->words = words_of(b);
    op->seed = b->seed;
    VkCommandBuffer commands = begin_commands(s, w, op);
    if (s->computes[op->queue] && draw(s, 2) == 0) {
        struct push push = {.from = b->address,
                            .to = w->slots_address + slot_offset(op->slot),
                            .words = op->words,
                            .mode = 1};
        dispatch(s, commands, &push);
    } else {
        VkBufferCopy region = {.dstOffset = slot_offset(op->slot), .size = b->sparse.size_bytes};
        vkCmdCopyBuffer(commands, b->sparse.handle, w->slots.buffer.handle, 1, &region);
    }
    suite_commands_end(commands);
    b->last = ticket_of(op);
}

static void plan_bind(struct soak *s, struct soak_window *w, uint32_t index,
                      const struct soak_place *places)
{
    struct soak_buffer *b = &s->buffers[index];
    struct soak_op *op = add_op(s, w, SOAK_BIND, draw_bind_queue(s), index);
    for (uint32_t i = 0; i < b->block_count; i++) {
        b->places[i] = places[i];
        op->binds[i] = (VkSparseMemoryBind){.resourceOffset = i * SUITE_BLOCK,
                                            .size = SUITE_BLOCK,
                                            .memory = s->slabs[places[i].slab].memory,
                                            .memoryOffset = places[i].block * SUITE_BLOCK};
    }
    op->bind_count = b->block_count;
    b->last = ticket_of(op);
}

/* Copies the blocks, slab to slab, binds the new ones, then spoils the old ones: an access that
 * still reaches them shows. */
static void plan_move(struct soak *s, struct soak_window *w, uint32_t index)
{
    struct soak_buffer *b = &s->buffers[index];
    struct soak_place before[SOAK_MAX_BLOCKS], after[SOAK_MAX_BLOCKS];
    uint32_t slab = draw(s, SOAK_SLABS);
    struct soak_op *op = add_op(s, w, SOAK_MOVE_COPY, draw_queue(s), index);
    VkCommandBuffer commands = begin_commands(s, w, op);
    memcpy(before, b->places, sizeof(before));
    for (uint32_t i = 0; i < b->block_count; i++) {
        after[i] = take_place(s, slab);
        VkBufferCopy region = {.srcOffset = before[i].block * SUITE_BLOCK,
                               .dstOffset = after[i].block * SUITE_BLOCK,
                               .size = SUITE_BLOCK};
        vkCmdCopyBuffer(commands, s->slabs[before[i].slab].raw.handle,
                        s->slabs[after[i].slab].raw.handle, 1, &region);
    }
    VKF_VK(vkEndCommandBuffer(commands));
    b->last = b->written = ticket_of(op);
    plan_bind(s, w, index, after);
    struct soak_op *poison = add_op(s, w, SOAK_POISON, draw_queue(s), index);
    commands = begin_commands(s, w, poison);
    for (uint32_t i = 0; i < b->block_count; i++)
        vkCmdFillBuffer(commands, s->slabs[before[i].slab].raw.handle,
                        before[i].block * SUITE_BLOCK, SUITE_BLOCK, 0xdeadbeef);
    VKF_VK(vkEndCommandBuffer(commands));
    memcpy(poison->freed, before, sizeof(before));
    poison->freed_count = b->block_count;
    s->moves++;
}

void soak_buffer_make(struct soak *s, struct soak_window *w, uint32_t index)
{
    struct soak_buffer *b = &s->buffers[index];
    struct soak_place places[SOAK_MAX_BLOCKS];
    *b =
        (struct soak_buffer){.block_count = 1 + draw(s, SOAK_MAX_BLOCKS), .last_window = w->number};
    b->sparse = suite_sparse_buffer(s->f, b->block_count * SUITE_BLOCK - 4 * draw(s, 64), 0,
                                    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                      .buffer = b->sparse.handle};
    b->address = vkGetBufferDeviceAddress(s->f->device, &info);
    for (uint32_t i = 0; i < b->block_count; i++)
        places[i] = take_place(s, draw(s, SOAK_SLABS));
    plan_bind(s, w, index, places);
}

/* Everything that ever touched it has been waited for. */
static void remake(struct soak *s, struct soak_window *w, uint32_t index)
{
    struct soak_buffer *b = &s->buffers[index];
    vkf_buffer_destroy(s->f, &b->sparse);
    for (uint32_t i = 0; i < b->block_count; i++)
        s->taken[b->places[i].slab][b->places[i].block] = false;
    soak_buffer_make(s, w, index);
}

void soak_plan_window(struct soak *s, struct soak_window *w, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t index = draw(s, SOAK_BUFFERS), what = draw(s, 16);
        struct soak_buffer *b = &s->buffers[index];
        if (what == 0 && b->last_window <= s->reaped_windows)
            remake(s, w, index);
        else if (what < 6)
            plan_move(s, w, index);
        else if (what < 10 || !b->filled)
            plan_fill(s, w, index);
        else
            plan_check(s, w, index);
        b->last_window = w->number;
    }
    /* In every fourth window some operations also wait for the host, which signals when all has
     * been submitted. */
    if (draw(s, 4) > 0)
        return;
    s->gates++;
    for (uint32_t i = 0; i < w->op_count; i++)
        if (draw(s, 6) == 0)
            w->ops[i].gate = s->gates;
}
