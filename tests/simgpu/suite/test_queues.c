/* SPDX-License-Identifier: MIT
 *
 * test_queues CASE: several queues, and the order that semaphores give them. What is asserted is
 * what ran before what, and content; never how long it took. */
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

static struct lanes l;

/* Every queue at once, twenty times through VRAM and back, none waiting for another. */
static void test_all_at_once(struct vkf *f)
{
    enum { ROUNDS = 20, WORDS = 16384 };
    struct suite_mapped in[LANES_MAX], out[LANES_MAX];
    struct suite_slab vram[LANES_MAX];
    VkSemaphore done[LANES_MAX];
    VkFence fences[LANES_MAX];
    for (uint32_t i = 0; i < l.count; i++) {
        in[i] = suite_mapped_create(f, WORDS * 4, 0);
        out[i] = suite_mapped_create(f, (VkDeviceSize)ROUNDS * WORDS * 4, 0);
        vram[i] = suite_slab_create(f, ROUNDS, suite_vram_type(f, UINT32_MAX));
        words_fill(in[i].words, i, WORDS);
        done[i] = suite_timeline(f, 0);
        fences[i] = suite_fence(f);
    }
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < l.count; i++) {
            VkDeviceSize offset = (VkDeviceSize)round * WORDS * 4;
            struct suite_batch up = {.commands =
                                         lane_record_copy(f, &l.at[i], in[i].buffer.handle, 0,
                                                          vram[i].raw.handle, offset, WORDS * 4),
                                     .signals = {{done[i], 2 * round + 1}}};
            struct suite_batch down = {.commands = lane_record_copy(f, &l.at[i], vram[i].raw.handle,
                                                                    offset, out[i].buffer.handle,
                                                                    offset, WORDS * 4),
                                       .waits = {{done[i], 2 * round + 1}},
                                       .signals = {{done[i], 2 * round + 2}}};
            suite_submit(l.at[i].queue, &up, VK_NULL_HANDLE);
            suite_submit2(l.at[i].queue, &down, round == ROUNDS - 1 ? fences[i] : VK_NULL_HANDLE);
        }
    for (uint32_t i = l.count; i-- > 0;) {
        suite_fence_must(f, fences[i]);
        VKF_CHECK(suite_timeline_value(f, done[i]) == (uint64_t)2 * ROUNDS,
                  "a fence came before the semaphore of its batch");
        for (uint32_t round = 0; round < ROUNDS; round++)
            words_check(out[i].words + (size_t)round * WORDS, i, WORDS, "all at once");
        suite_mapped_destroy(f, &in[i]);
        suite_mapped_destroy(f, &out[i]);
        suite_slab_destroy(f, &vram[i]);
        vkDestroySemaphore(f->device, done[i], NULL);
        vkDestroyFence(f->device, fences[i], NULL);
    }
}

/* A chain of copies from buffer to buffer, link i on queue i % 4. One queue after the other gets
 * all its links, the queue of the first link last: until then every single one is blocked. The
 * target of every fifth link is bound within the chain, on the next link's queue. */
static void test_reverse_chain(struct vkf *f)
{
    enum { QUEUES = 4, LINKS = 41, WORDS = 1024, BYTES = WORDS * 4 };
    struct suite_slab slab = suite_slab_create(f, LINKS, suite_vram_type(f, UINT32_MAX));
    struct suite_mapped io = suite_mapped_create(f, (VkDeviceSize)2 * BYTES, 0);
    struct vkf_buffer buffers[LINKS];
    VkSparseMemoryBind binds[LINKS];
    VkSemaphore copied[LINKS], bound[LINKS];
    words_fill(io.words, 77, WORDS);
    for (uint32_t i = 0; i < LINKS; i++) {
        copied[i] = suite_timeline(f, 0);
        bound[i] = suite_timeline(f, i % 5 != 0);
        buffers[i] = suite_sparse_buffer(f, SUITE_BLOCK, 0, 0);
        binds[i] = (VkSparseMemoryBind){
            .size = SUITE_BLOCK, .memory = slab.memory, .memoryOffset = i * SUITE_BLOCK};
        if (i % 5 != 0)
            suite_bind_now(f, buffers[i].handle, VK_NULL_HANDLE, &binds[i], 1);
    }
    for (uint32_t q = QUEUES; q-- > 0;)
        for (uint32_t i = q; i <= LINKS; i += QUEUES) {
            bool last = i == LINKS;
            if (i > 0 && (i - 1) % 5 == 0) {
                struct suite_batch bind = {.buffer = buffers[i - 1].handle,
                                           .binds = &binds[i - 1],
                                           .bind_count = 1,
                                           .signals = {{bound[i - 1], 1}}};
                if (i > 1)
                    bind.waits[0] = (struct suite_point){copied[i - 2], 1};
                suite_bind(l.at[q].queue, &bind, VK_NULL_HANDLE);
            }
            struct suite_batch copy = {
                .commands = lane_record_copy(
                    f, &l.at[q], i == 0 ? io.buffer.handle : buffers[i - 1].handle, 0,
                    last ? io.buffer.handle : buffers[i].handle, last ? BYTES : 0, BYTES)};
            if (!last) {
                copy.signals[0] = (struct suite_point){copied[i], 1};
                copy.waits[0] = (struct suite_point){bound[i], 1};
            }
            if (i > 0)
                copy.waits[last ? 0 : 1] = (struct suite_point){copied[i - 1], 1};
            VKF_CHECK(q == 0 || suite_timeline_value(f, copied[0]) == 0,
                      "a link ran before the chain had a beginning");
            if (i % 3 == 0)
                suite_submit2(l.at[q].queue, &copy, last ? f->fence : VK_NULL_HANDLE);
            else
                suite_submit(l.at[q].queue, &copy, last ? f->fence : VK_NULL_HANDLE);
        }
    suite_fence_must(f, f->fence);
    words_check(io.words + WORDS, 77, WORDS, "reverse chain");
    for (uint32_t i = 0; i < LINKS; i++) {
        vkDestroySemaphore(f->device, copied[i], NULL);
        vkDestroySemaphore(f->device, bound[i], NULL);
        vkf_buffer_destroy(f, &buffers[i]);
    }
    suite_slab_destroy(f, &slab);
    suite_mapped_destroy(f, &io);
}

/* A sparse buffer of one block with memory for it, and a bind of the one to the other. */
struct scene {
    struct suite_slab slab;
    struct vkf_buffer buffer;
    VkSparseMemoryBind bind;
    struct suite_mapped io; /* 2 blocks: in, out */
    VkSemaphore gate, done;
};

static struct scene scene_create(const struct vkf *f)
{
    struct scene s = {.slab = suite_slab_create(f, 1, suite_vram_type(f, UINT32_MAX)),
                      .buffer = suite_sparse_buffer(f, SUITE_BLOCK, 0, 0),
                      .io = suite_mapped_create(f, 2 * SUITE_BLOCK, 0),
                      .gate = suite_timeline(f, 0),
                      .done = suite_timeline(f, 0)};
    s.bind = (VkSparseMemoryBind){.size = SUITE_BLOCK, .memory = s.slab.memory};
    return s;
}

static void scene_destroy(const struct vkf *f, struct scene *s)
{
    vkDestroySemaphore(f->device, s->gate, NULL);
    vkDestroySemaphore(f->device, s->done, NULL);
    suite_mapped_destroy(f, &s->io);
    vkf_buffer_destroy(f, &s->buffer);
    suite_slab_destroy(f, &s->slab);
}

static void use_buffer(const struct vkf *f, struct scene *s, uint64_t seed)
{
    VkFence fence = suite_fence(f);
    uint32_t words = SUITE_BLOCK / 4;
    words_fill(s->io.words, seed, words);
    VkCommandBuffer in =
        lane_record_copy(f, &l.at[0], s->io.buffer.handle, 0, s->buffer.handle, 0, SUITE_BLOCK);
    VkCommandBuffer out = lane_record_copy(f, &l.at[0], s->buffer.handle, 0, s->io.buffer.handle,
                                           SUITE_BLOCK, SUITE_BLOCK);
    VkSemaphore between = suite_timeline(f, 0);
    suite_submit(l.at[0].queue, &(struct suite_batch){.commands = in, .signals = {{between, 1}}},
                 VK_NULL_HANDLE);
    suite_submit(l.at[0].queue, &(struct suite_batch){.commands = out, .waits = {{between, 1}}},
                 fence);
    suite_fence_must(f, fence);
    words_check(s->io.words + words, seed, words, "the bound buffer");
    vkDestroyFence(f->device, fence, NULL);
    vkDestroySemaphore(f->device, between, NULL);
}

/* A bind that waits for the host on one queue leaves all others running. */
static void test_blocked_bind(struct vkf *f)
{
    struct scene s = scene_create(f);
    VkFence bound = suite_fence(f);
    struct suite_batch bind = {.buffer = s.buffer.handle,
                               .binds = &s.bind,
                               .bind_count = 1,
                               .waits = {{s.gate, 1}},
                               .signals = {{s.done, 1}}};
    suite_bind(l.at[0].queue, &bind, bound);
    for (uint32_t i = 1; i < l.count; i++)
        for (uint32_t k = 0; k < 5; k++) {
            words_fill(s.io.words, k, 64);
            struct suite_batch copy = {.commands =
                                           lane_record_copy(f, &l.at[i], s.io.buffer.handle, 0,
                                                            s.io.buffer.handle, SUITE_BLOCK, 256)};
            suite_submit(l.at[i].queue, &copy, f->fence);
            suite_fence_must(f, f->fence);
            VKF_VK(vkResetFences(f->device, 1, &f->fence));
            words_check(s.io.words + SUITE_BLOCK / 4, k, 64, "beside a blocked bind");
        }
    VKF_CHECK(vkGetFenceStatus(f->device, bound) == VK_NOT_READY &&
                  suite_timeline_value(f, s.done) == 0,
              "a bind did not wait for its semaphore");
    suite_timeline_signal(f, s.gate, 1);
    suite_fence_must(f, bound);
    VKF_CHECK(suite_timeline_value(f, s.done) == 1, "a fence came before its batch's semaphore");
    use_buffer(f, &s, 5);
    vkDestroyFence(f->device, bound, NULL);
    scene_destroy(f, &s);
}

/* A bind submitted behind a blocked submit: with relaxed binds it runs ahead, as the specification
 * allows; in strict order it waits. */
static void test_bind_order(struct vkf *f, bool relaxed)
{
    struct scene s = scene_create(f);
    VkFence blocked = suite_fence(f);
    suite_submit(l.at[0].queue, &(struct suite_batch){.waits = {{s.gate, 1}}}, blocked);
    struct suite_batch bind = {
        .buffer = s.buffer.handle, .binds = &s.bind, .bind_count = 1, .signals = {{s.done, 1}}};
    suite_bind(l.at[0].queue, &bind, VK_NULL_HANDLE);
    if (relaxed)
        suite_timeline_must(f, s.done, 1);
    else
        VKF_CHECK(!suite_timeline_wait(f, s.done, 1, 50 * 1000 * 1000),
                  "a bind overtook a submit in strict order");
    VKF_CHECK(vkGetFenceStatus(f->device, blocked) == VK_NOT_READY, "a submit did not wait");
    suite_timeline_signal(f, s.gate, 1);
    suite_fence_must(f, blocked);
    suite_timeline_must(f, s.done, 1);
    use_buffer(f, &s, 6);
    vkDestroyFence(f->device, blocked, NULL);
    scene_destroy(f, &s);
}

/* Submit → bind → submit over binary semaphores, on three queues, the same semaphores each time;
 * and with each kind of submit. */
static void test_binary(struct vkf *f)
{
    enum { ROUNDS = 40, WORDS = 1024, BYTES = WORDS * 4 };
    struct scene s = scene_create(f);
    struct suite_slab other = suite_slab_create(f, 1, suite_vram_type(f, UINT32_MAX));
    /* The read waits for the write as well: a bind hands on no memory dependency. */
    VkSemaphore written = suite_binary(f), bound = suite_binary(f), visible = suite_binary(f);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        /* Written into the plain buffer over the memory that is bound next, read through the
         * sparse buffer: so the bind cannot be left out. */
        struct suite_slab *slab = round & 1 ? &other : &s.slab;
        VkSparseMemoryBind range = {.size = SUITE_BLOCK, .memory = slab->memory};
        words_fill(s.io.words, round, WORDS);
        struct suite_batch write = {.commands = lane_record_copy(f, &l.at[0], s.io.buffer.handle, 0,
                                                                 slab->raw.handle, 0, BYTES),
                                    .signals = {{written, 0}, {visible, 0}}};
        struct suite_batch bind = {.buffer = s.buffer.handle,
                                   .binds = &range,
                                   .bind_count = 1,
                                   .waits = {{written, 0}},
                                   .signals = {{bound, 0}}};
        struct suite_batch read = {.commands =
                                       lane_record_copy(f, &l.at[2], s.buffer.handle, 0,
                                                        s.io.buffer.handle, SUITE_BLOCK, BYTES),
                                   .waits = {{bound, 0}, {visible, 0}}};
        (round % 3 ? suite_submit : suite_submit2)(l.at[0].queue, &write, VK_NULL_HANDLE);
        suite_bind(l.at[1].queue, &bind, VK_NULL_HANDLE);
        (round % 3 ? suite_submit2 : suite_submit)(l.at[2].queue, &read, f->fence);
        suite_fence_must(f, f->fence);
        VKF_VK(vkResetFences(f->device, 1, &f->fence));
        words_check(s.io.words + SUITE_BLOCK / 4, round, WORDS, "over binary semaphores");
    }
    vkDestroySemaphore(f->device, written, NULL);
    vkDestroySemaphore(f->device, bound, NULL);
    vkDestroySemaphore(f->device, visible, NULL);
    suite_slab_destroy(f, &other);
    scene_destroy(f, &s);
}

/* Several batches in one call, one waiting for the next: allowed for binds, whose batches may run
 * in any order. */
static void test_batches_in_bind(struct vkf *f)
{
    struct scene s = scene_create(f);
    uint64_t values[] = {0, 1, 2, 3};
    VkTimelineSemaphoreSubmitInfo timeline[3];
    VkBindSparseInfo infos[3];
    VkSparseBufferMemoryBindInfo buffer = {
        .buffer = s.buffer.handle, .bindCount = 1, .pBinds = &s.bind};
    for (uint32_t i = 0; i < 3; i++) {
        timeline[i] = (VkTimelineSemaphoreSubmitInfo){
            .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            .waitSemaphoreValueCount = 1,
            .pWaitSemaphoreValues = i == 0 ? &values[1] : &values[i],
            .signalSemaphoreValueCount = 1,
            .pSignalSemaphoreValues = &values[i + 1]};
        infos[i] = (VkBindSparseInfo){.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                      .pNext = &timeline[i],
                                      .waitSemaphoreCount = 1,
                                      .pWaitSemaphores = i == 0 ? &s.gate : &s.done,
                                      .bufferBindCount = i == 1,
                                      .pBufferBinds = i == 1 ? &buffer : NULL,
                                      .signalSemaphoreCount = 1,
                                      .pSignalSemaphores = &s.done};
    }
    VKF_VK(vkQueueBindSparse(f->queue, 3, infos, f->fence));
    VKF_CHECK(vkGetFenceStatus(f->device, f->fence) == VK_NOT_READY &&
                  suite_timeline_value(f, s.done) == 0,
              "batches of a bind did not wait");
    suite_timeline_signal(f, s.gate, 1);
    suite_fence_must(f, f->fence);
    VKF_VK(vkResetFences(f->device, 1, &f->fence));
    VKF_CHECK(suite_timeline_value(f, s.done) == 3, "a fence came before all batches were done");
    use_buffer(f, &s, 7);
    /* Only a fence. */
    VKF_VK(vkQueueBindSparse(f->queue, 0, NULL, f->fence));
    suite_fence_must(f, f->fence);
    VKF_VK(vkResetFences(f->device, 1, &f->fence));
    scene_destroy(f, &s);
}

static void *signal_gate(void *argument)
{
    void **pair = argument;
    const struct vkf *f = pair[0];
    const struct scene *s = pair[1];
    suite_timeline_signal(f, s->gate, suite_timeline_value(f, s->gate) + 1);
    return NULL;
}

/* Waiting until idle: for blocked submits and binds, which another thread lets go. */
static void test_idle(struct vkf *f)
{
    struct scene s = scene_create(f);
    void *pair[] = {f, &s};
    for (uint64_t i = 1; i <= 20; i++) {
        pthread_t thread;
        struct suite_batch work = {.waits = {{s.gate, i}}, .signals = {{s.done, 2 * i - 1}}};
        struct suite_batch bind = {.buffer = s.buffer.handle,
                                   .binds = &s.bind,
                                   .bind_count = 1,
                                   .waits = {{s.done, 2 * i - 1}},
                                   .signals = {{s.done, 2 * i}}};
        suite_submit(l.at[1].queue, &work, VK_NULL_HANDLE);
        suite_bind(l.at[1].queue, &bind, VK_NULL_HANDLE);
        VKF_CHECK(pthread_create(&thread, NULL, signal_gate, pair) == 0, "no thread");
        if (i & 1)
            VKF_VK(vkQueueWaitIdle(l.at[1].queue));
        else
            VKF_VK(vkDeviceWaitIdle(f->device));
        VKF_CHECK(suite_timeline_value(f, s.done) == 2 * i, "idle before all work was done");
        pthread_join(thread, NULL);
    }
    use_buffer(f, &s, 8);
    scene_destroy(f, &s);
}

/* Everything goes as soon as it may: right after the wait that saw it done. */
static void test_destroy_at_once(struct vkf *f)
{
    for (uint32_t i = 0; i < 300; i++) {
        const struct lane *lane = &l.at[i % l.count];
        struct scene s = scene_create(f);
        VkSemaphore binary = suite_binary(f);
        VkFence fence = suite_fence(f);
        VkCommandPool pool = lane->pool;
        struct suite_batch bind = {
            .buffer = s.buffer.handle, .binds = &s.bind, .bind_count = 1, .signals = {{binary, 0}}};
        VkCommandBuffer commands =
            lane_record_copy(f, lane, s.io.buffer.handle, 0, s.buffer.handle, 0, SUITE_BLOCK);
        struct suite_batch use = {
            .commands = commands, .waits = {{binary, 0}}, .signals = {{s.done, 1}}};
        suite_bind(l.at[(i + 1) % l.count].queue, &bind, VK_NULL_HANDLE);
        suite_submit(lane->queue, &use, fence);
        suite_fence_must(f, fence);
        vkFreeCommandBuffers(f->device, pool, 1, &commands);
        vkDestroyFence(f->device, fence, NULL);
        vkDestroySemaphore(f->device, binary, NULL);
        scene_destroy(f, &s);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc == 2 ? argv[1] : "";
    struct vkf f;
    suite_begin(&f);
    lanes_open(&f, &l, 4);
    if (strcmp(name, "all_at_once") == 0)
        test_all_at_once(&f);
    else if (strcmp(name, "reverse_chain") == 0)
        test_reverse_chain(&f);
    else if (strcmp(name, "blocked_bind") == 0)
        test_blocked_bind(&f);
    else if (strcmp(name, "relaxed_binds") == 0)
        test_bind_order(&f, true);
    else if (strcmp(name, "strict_binds") == 0)
        test_bind_order(&f, false);
    else if (strcmp(name, "binary") == 0)
        test_binary(&f);
    else if (strcmp(name, "batches_in_bind") == 0)
        test_batches_in_bind(&f);
    else if (strcmp(name, "idle") == 0)
        test_idle(&f);
    else if (strcmp(name, "destroy_at_once") == 0)
        test_destroy_at_once(&f);
    else
        return VKF_EXIT_USAGE;
    lanes_close(&f, &l);
    vkf_end(&f);
    return 0;
}
