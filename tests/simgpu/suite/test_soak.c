/* SPDX-License-Identifier: MIT
 *
 * test_soak [STEPS [SEED]]: random fills, checks and moves of sparse buffers on three queues and a
 * bind queue, in wait-before-signal order. Every byte checked is compared on the CPU. A watchdog
 * says who waits for whom when nothing moves any more. */
#include "soak.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "address.spv.h"

#define WATCHDOG_SECONDS 120

static struct soak soak;
static _Atomic uint64_t progress; /* operations seen done; only the watchdog reads it elsewhere */
static _Atomic bool finished;

static void print_ticket(const char *before, struct soak_ticket t)
{
    uint64_t value = 0;
    if (t.number == 0)
        return;
    vkGetSemaphoreCounterValue(soak.f->device, soak.lanes[t.lane], &value);
    fprintf(stderr, "%s%c%u:%llu%s", before, t.lane & 1 ? 'b' : 's', t.lane / 2,
            (unsigned long long)t.number, value >= t.number ? " (reached)" : "");
}

/* The main thread is stuck in a wait, so nothing changes under our hands. */
static void dump_state(void)
{
    static const char *const kinds[] = {"fill", "check", "move", "bind", "poison"};
    for (uint32_t i = 0; i < SOAK_LANES; i++) {
        uint64_t value = 0;
        vkGetSemaphoreCounterValue(soak.f->device, soak.lanes[i], &value);
        fprintf(stderr, "  lane %c%u: at %llu, planned to %llu\n", i & 1 ? 'b' : 's', i / 2,
                (unsigned long long)value, (unsigned long long)soak.planned[i]);
    }
    uint64_t gate = 0;
    vkGetSemaphoreCounterValue(soak.f->device, soak.gate, &gate);
    fprintf(stderr, "  gate: at %llu of %llu\n", (unsigned long long)gate,
            (unsigned long long)soak.gates);
    for (uint32_t n = 0; n < SOAK_WINDOWS; n++)
        for (uint32_t i = 0; i < soak.windows[n].op_count; i++) {
            const struct soak_op *op = &soak.windows[n].ops[i];
            fprintf(stderr, "  window %llu: %s of buffer %u",
                    (unsigned long long)soak.windows[n].number, kinds[op->kind], op->buffer);
            print_ticket(" is ", (struct soak_ticket){op->lane, op->number});
            for (uint32_t k = 0; k < 3; k++)
                print_ticket(" waits ", op->waits[k]);
            fprintf(stderr, "%s%s\n", op->gate > gate ? " waits for the host" : "",
                    op->submitted ? "" : " NOT SUBMITTED");
        }
}

static void *watchdog(void *unused)
{
    uint64_t seen = 0;
    (void)unused;
    for (int quiet = 0; !atomic_load(&finished); quiet++) {
        struct timespec second = {.tv_sec = 1};
        nanosleep(&second, NULL);
        uint64_t now = atomic_load(&progress);
        if (now != seen)
            quiet = 0;
        seen = now;
        if (quiet < WATCHDOG_SECONDS)
            continue;
        fprintf(stderr, "soak: nothing has moved for %d s\n", WATCHDOG_SECONDS);
        dump_state();
        _exit(VKF_EXIT_FAILED);
    }
    return NULL;
}

static void submit(struct soak *s, struct soak_op *op)
{
    struct suite_batch batch = {.commands = op->commands,
                                .signals = {{s->lanes[op->lane], op->number}}};
    uint32_t n = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (op->waits[i].number > 0)
            batch.waits[n++] =
                (struct suite_point){s->lanes[op->waits[i].lane], op->waits[i].number};
    if (op->gate > 0)
        batch.waits[n++] = (struct suite_point){s->gate, op->gate};
    if (op->kind == SOAK_BIND) {
        batch.buffer = s->buffers[op->buffer].sparse.handle;
        batch.binds = op->binds;
        batch.bind_count = op->bind_count;
        suite_bind(s->queues[op->queue], &batch, VK_NULL_HANDLE);
    } else if (op->number & 1) {
        suite_submit2(s->queues[op->queue], &batch, VK_NULL_HANDLE);
    } else {
        suite_submit(s->queues[op->queue], &batch, VK_NULL_HANDLE);
    }
    op->submitted = true;
}

static bool is_submitted(const struct soak_window *w, struct soak_ticket t)
{
    for (uint32_t i = 0; i < w->op_count; i++)
        if (w->ops[i].lane == t.lane && w->ops[i].number == t.number)
            return w->ops[i].submitted;
    return true; /* an earlier window's */
}

/* Each queue its own operations in their order, but the queues by lot. */
static void submit_window(struct soak *s, struct soak_window *w)
{
    uint32_t next[SOAK_QUEUES] = {0}, left = w->op_count;
    while (left > 0) {
        uint32_t queue = (uint32_t)(suite_random(&s->random) >> 20) % SOAK_QUEUES;
        /* Several at a time: longer chains before their beginning is there. */
        for (uint32_t run = 1 + (suite_random(&s->random) >> 30) % 6; run > 0; run--) {
            while (next[queue] < w->op_count && w->ops[next[queue]].queue != queue)
                next[queue]++;
            if (next[queue] == w->op_count)
                break;
            struct soak_op *op = &w->ops[next[queue]++];
            for (uint32_t i = 0; i < 3; i++)
                s->waits_ahead += !is_submitted(w, op->waits[i]);
            submit(s, op);
            left--;
        }
    }
    if (suite_timeline_value(s->f, s->gate) < s->gates)
        suite_timeline_signal(s->f, s->gate, s->gates);
}

static void check_slot(struct soak *s, const struct soak_window *w, const struct soak_op *op)
{
    const uint32_t *words = w->slots.words + op->slot * SOAK_MAX_BLOCKS * SUITE_BLOCK / 4;
    for (uint32_t i = 0; i < op->words; i++) {
        uint32_t expected = soak_hash(op->seed, i);
        if (words[i] == expected)
            continue;
        fprintf(
            stderr, "soak: buffer %u has %#010x at word %u of %u, not %#010x (ticket %u:%llu)\n",
            op->buffer, words[i], i, op->words, expected, op->lane, (unsigned long long)op->number);
        exit(VKF_EXIT_CONTENT);
    }
    s->checks++;
}

/* Waits for a window's operations, compares what they read, takes back what they freed. */
static void reap_window(struct soak *s, struct soak_window *w)
{
    for (uint32_t i = 0; i < w->op_count; i++) {
        struct soak_op *op = &w->ops[i];
        /* The watchdog is who says that it takes too long. */
        suite_timeline_wait(s->f, s->lanes[op->lane], op->number, UINT64_MAX);
        atomic_fetch_add(&progress, 1);
        if (op->kind == SOAK_CHECK)
            check_slot(s, w, op);
        for (uint32_t k = 0; k < op->freed_count; k++)
            s->taken[op->freed[k].slab][op->freed[k].block] = false;
    }
    s->reaped_windows = w->number;
    w->op_count = w->slots_used = 0;
    memset(w->commands_used, 0, sizeof(w->commands_used));
}

static void choose_queues(struct soak *s)
{
    struct vkf *f = s->f;
    uint32_t families[SOAK_QUEUES], n = 0;
    for (uint32_t q = 0; q < VKF_MAX_QUEUES; q++)
        for (uint32_t i = 0; i < f->family_count && n < SOAK_QUEUES; i++)
            if (q < f->queue_counts[i] &&
                (f->families[i].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT)) {
                families[n] = i;
                s->queues[n++] = f->queues[i][q];
            }
    if (n < SOAK_QUEUES)
        VKF_SKIP("this card has fewer than %d queues that bind", SOAK_QUEUES);
    for (uint32_t i = 0; i < SOAK_QUEUES; i++) {
        s->computes[i] = f->families[families[i]].queueFlags & VK_QUEUE_COMPUTE_BIT;
        s->pools[i] = suite_pool(f, families[i]);
    }
}

static VkDeviceAddress address_of(const struct vkf *f, VkBuffer buffer)
{
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                      .buffer = buffer};
    return vkGetBufferDeviceAddress(f->device, &info);
}

static void begin(struct soak *s, struct vkf *f)
{
    s->f = f;
    choose_queues(s);
    s->shader = vkf_compute_create(f, address_spv, sizeof(address_spv), 0, 28);
    s->slabs[0] = suite_slab_create(f, SOAK_SLAB_BLOCKS, suite_vram_type(f, UINT32_MAX));
    uint32_t host = suite_host_type(f, UINT32_MAX);
    s->slabs[1] =
        suite_slab_create(f, SOAK_SLAB_BLOCKS, host == VKF_NONE ? s->slabs[0].type : host);
    s->gate = suite_timeline(f, 0);
    for (uint32_t i = 0; i < SOAK_LANES; i++)
        s->lanes[i] = suite_timeline(f, 0);
    for (uint32_t i = 0; i < SOAK_WINDOWS; i++) {
        s->windows[i].slots = suite_mapped_create(f, SOAK_WINDOW * SOAK_MAX_BLOCKS * SUITE_BLOCK,
                                                  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
        s->windows[i].slots_address = address_of(f, s->windows[i].slots.buffer.handle);
    }
}

static void end(struct soak *s)
{
    struct vkf *f = s->f;
    VKF_VK(vkDeviceWaitIdle(f->device));
    for (uint32_t i = 0; i < SOAK_BUFFERS; i++)
        vkf_buffer_destroy(f, &s->buffers[i].sparse);
    for (uint32_t i = 0; i < SOAK_WINDOWS; i++)
        suite_mapped_destroy(f, &s->windows[i].slots);
    for (uint32_t i = 0; i < SOAK_LANES; i++)
        vkDestroySemaphore(f->device, s->lanes[i], NULL);
    vkDestroySemaphore(f->device, s->gate, NULL);
    for (uint32_t i = 0; i < SOAK_QUEUES; i++)
        vkDestroyCommandPool(f->device, s->pools[i], NULL);
    for (uint32_t i = 0; i < SOAK_SLABS; i++)
        suite_slab_destroy(f, &s->slabs[i]);
    vkf_compute_destroy(f, &s->shader);
}

static void run(struct soak *s, uint64_t steps)
{
    while (s->steps < steps) {
        struct soak_window *w = &s->windows[s->window_count % SOAK_WINDOWS];
        if (w->number > 0)
            reap_window(s, w);
        w->number = ++s->window_count;
        if (w->number == 1) { /* the first window makes the buffers */
            for (uint32_t i = 0; i < SOAK_BUFFERS; i++)
                soak_buffer_make(s, w, i);
        } else {
            uint32_t n = steps - s->steps < SOAK_WINDOW ? (uint32_t)(steps - s->steps)
                                                        : (uint32_t)SOAK_WINDOW;
            soak_plan_window(s, w, n);
            s->steps += n;
        }
        submit_window(s, w);
    }
    for (uint32_t i = 0; i < SOAK_WINDOWS; i++)
        reap_window(s, &s->windows[(s->window_count + i) % SOAK_WINDOWS]);
}

int main(int argc, char **argv)
{
    struct vkf f;
    pthread_t dog;
    uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    suite_begin(&f);
    soak.random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    begin(&soak, &f);
    VKF_CHECK(pthread_create(&dog, NULL, watchdog, NULL) == 0, "no thread for the watchdog");
    run(&soak, steps);
    atomic_store(&finished, true);
    pthread_join(dog, NULL);
    end(&soak);
    vkf_end(&f);
    printf("soak: seed %llu: %llu steps, %llu checks, %llu moves, %llu waits before their signal\n",
           (unsigned long long)seed, (unsigned long long)soak.steps,
           (unsigned long long)soak.checks, (unsigned long long)soak.moves,
           (unsigned long long)soak.waits_ahead);
    VKF_CHECK(soak.checks > steps / 10 && soak.moves > steps / 10 && soak.waits_ahead > steps / 10,
              "too little was done for a soak");
    return 0;
}
