/* SPDX-License-Identifier: MIT
 *
 * test_sync CASE: fences and semaphores as the host sees them: wait for any or all, time-outs,
 * status, reset, counters. Work is held back by a timeline that the host signals, so that every
 * state can be looked at. */
#include "suite.h"

#include <string.h>

#define SHORT_NS (UINT64_C(2) * 1000 * 1000)

enum { FENCES = 12 };

struct held {
    VkSemaphore gates[FENCES]; /* one for each, on queues of their own where there are enough */
    VkFence fences[FENCES];
    VkQueue queues[VKF_MAX_FAMILIES * VKF_MAX_QUEUES];
    uint32_t queue_count;
};

static struct held hold(const struct vkf *f)
{
    struct held h = {0};
    for (uint32_t i = 0; i < f->family_count; i++)
        for (uint32_t q = 0; q < f->queue_counts[i]; q++)
            h.queues[h.queue_count++] = f->queues[i][q];
    for (uint32_t i = 0; i < FENCES; i++) {
        h.gates[i] = suite_timeline(f, 0);
        h.fences[i] = suite_fence(f);
    }
    return h;
}

static void release(const struct vkf *f, struct held *h)
{
    for (uint32_t i = 0; i < FENCES; i++) {
        vkDestroySemaphore(f->device, h->gates[i], NULL);
        vkDestroyFence(f->device, h->fences[i], NULL);
    }
}

static void expect(VkResult got, VkResult wanted, const char *what)
{
    VKF_CHECK(got == wanted, "%s: %s, not %s", what, vkf_result_name(got), vkf_result_name(wanted));
}

static void test_fences(const struct vkf *f)
{
    struct held h = hold(f);
    uint32_t n = h.queue_count < FENCES ? h.queue_count : (uint32_t)FENCES;
    for (uint32_t i = 0; i < n; i++)
        suite_submit(h.queues[i], &(struct suite_batch){.waits = {{h.gates[i], 1}}}, h.fences[i]);
    expect(vkGetFenceStatus(f->device, h.fences[0]), VK_NOT_READY, "status before");
    expect(vkWaitForFences(f->device, n, h.fences, VK_FALSE, 0), VK_TIMEOUT, "any, no time");
    expect(vkWaitForFences(f->device, n, h.fences, VK_FALSE, SHORT_NS), VK_TIMEOUT, "any, short");
    expect(vkWaitForFences(f->device, n, h.fences, VK_TRUE, SHORT_NS), VK_TIMEOUT, "all, short");
    suite_timeline_signal(f, h.gates[n - 1], 1);
    expect(vkWaitForFences(f->device, n, h.fences, VK_FALSE, SUITE_STUCK_NS), VK_SUCCESS, "any");
    expect(vkGetFenceStatus(f->device, h.fences[n - 1]), VK_SUCCESS, "status after");
    expect(vkWaitForFences(f->device, 1, &h.fences[n - 1], VK_TRUE, 0), VK_SUCCESS, "one, no time");
    if (n > 1) {
        expect(vkGetFenceStatus(f->device, h.fences[0]), VK_NOT_READY, "status of another");
        expect(vkWaitForFences(f->device, n, h.fences, VK_TRUE, SHORT_NS), VK_TIMEOUT, "all of n");
    }
    for (uint32_t i = 0; i + 1 < n; i++)
        suite_timeline_signal(f, h.gates[i], 1);
    expect(vkWaitForFences(f->device, n, h.fences, VK_TRUE, UINT64_MAX), VK_SUCCESS, "all");
    VKF_VK(vkResetFences(f->device, n, h.fences));
    for (uint32_t i = 0; i < n; i++)
        expect(vkGetFenceStatus(f->device, h.fences[i]), VK_NOT_READY, "status after reset");
    expect(vkWaitForFences(f->device, n, h.fences, VK_FALSE, SHORT_NS), VK_TIMEOUT, "after reset");
    release(f, &h);
}

/* More than any fixed number of fences, a fence again and again, one signalled from the start, and
 * submits of nothing but a fence, which come after what is ahead of them. */
static void test_more_fences(const struct vkf *f)
{
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                              .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    VkFence many[40], ready;
    VkSemaphore gate = suite_timeline(f, 0);
    VKF_VK(vkCreateFence(f->device, &info, NULL, &ready));
    expect(vkGetFenceStatus(f->device, ready), VK_SUCCESS, "created signalled");
    for (uint32_t i = 0; i < 100; i++) {
        VKF_VK(vkResetFences(f->device, 1, &ready));
        expect(vkGetFenceStatus(f->device, ready), VK_NOT_READY, "reset");
        suite_submit(f->queue, &(struct suite_batch){0}, ready);
        suite_fence_must(f, ready);
    }
    suite_submit(f->queue, &(struct suite_batch){.waits = {{gate, 1}}}, VK_NULL_HANDLE);
    for (uint32_t i = 0; i < 40; i++) {
        many[i] = suite_fence(f);
        if (i & 1)
            VKF_VK(vkQueueSubmit(f->queue, 0, NULL, many[i]));
        else
            VKF_VK(vkQueueSubmit2(f->queue, 0, NULL, many[i]));
    }
    expect(vkWaitForFences(f->device, 40, many, VK_FALSE, SHORT_NS), VK_TIMEOUT,
           "a fence overtook a submit");
    suite_timeline_signal(f, gate, 1);
    expect(vkWaitForFences(f->device, 40, many, VK_TRUE, SUITE_STUCK_NS), VK_SUCCESS, "forty");
    for (uint32_t i = 0; i < 40; i++)
        vkDestroyFence(f->device, many[i], NULL);
    vkDestroyFence(f->device, ready, NULL);
    vkDestroySemaphore(f->device, gate, NULL);
}

static VkResult wait_points(const struct vkf *f, bool any, uint32_t count,
                            const VkSemaphore *semaphores, const uint64_t *values, uint64_t timeout)
{
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .flags = any ? VK_SEMAPHORE_WAIT_ANY_BIT : 0,
                                .semaphoreCount = count,
                                .pSemaphores = semaphores,
                                .pValues = values};
    return vkWaitSemaphores(f->device, &info, timeout);
}

static void test_timelines(const struct vkf *f)
{
    VkSemaphore s[10];
    uint64_t values[10];
    for (uint32_t i = 0; i < 10; i++) {
        s[i] = suite_timeline(f, 100 + i);
        values[i] = 101 + i;
        VKF_CHECK(suite_timeline_value(f, s[i]) == 100 + i, "the initial value is lost");
    }
    expect(wait_points(f, true, 10, s, values, 0), VK_TIMEOUT, "any, no time");
    expect(wait_points(f, true, 10, s, values, SHORT_NS), VK_TIMEOUT, "any, short");
    suite_timeline_signal(f, s[9], 1000);
    expect(wait_points(f, true, 10, s, values, SUITE_STUCK_NS), VK_SUCCESS, "any");
    expect(wait_points(f, false, 10, s, values, SHORT_NS), VK_TIMEOUT, "all, short");
    for (uint32_t i = 0; i < 9; i++) {
        struct suite_batch batch = {.signals = {{s[i], 500}}};
        if (i & 1)
            suite_submit(f->queue, &batch, VK_NULL_HANDLE);
        else
            suite_submit2(f->queue, &batch, VK_NULL_HANDLE);
    }
    expect(wait_points(f, false, 10, s, values, SUITE_STUCK_NS), VK_SUCCESS, "all");
    for (uint32_t i = 0; i < 10; i++) {
        VKF_CHECK(suite_timeline_value(f, s[i]) == (i == 9 ? 1000 : 500), "a wrong value");
        vkDestroySemaphore(f->device, s[i], NULL);
    }
}

/* A submit waits for all of its waits, of both kinds, and what it signals comes after its work. */
static void test_many_waits(struct vkf *f)
{
    struct suite_mapped m = suite_mapped_create(f, 8192, 0);
    VkSemaphore gates[3], binary = suite_binary(f), done = suite_timeline(f, 0);
    VkCommandPool pool = suite_pool(f, f->main_family);
    VkCommandBuffer commands = suite_commands_begin(f, pool);
    vkCmdFillBuffer(commands, m.buffer.handle, 0, 8192, 0x5a17e111);
    suite_commands_end(commands);
    for (uint32_t i = 0; i < 3; i++)
        gates[i] = suite_timeline(f, 0);
    uint32_t other = f->family_count - 1;
    suite_submit(f->queues[other][0], &(struct suite_batch){.signals = {{binary, 0}}},
                 VK_NULL_HANDLE);
    struct suite_batch batch = {.commands = commands,
                                .waits = {{gates[0], 2}, {binary, 0}, {gates[1], 3}, {gates[2], 1}},
                                .signals = {{done, 9}}};
    m.words[2047] = 0;
    VkQueue queue =
        other == f->main_family && f->queue_counts[other] > 1 ? f->queues[other][1] : f->queue;
    suite_submit(queue, &batch, f->fence);
    static const struct {
        uint32_t gate;
        uint64_t value;
    } order[] = {{1, 3}, {0, 1}, {2, 1}, {0, 2}};
    for (uint32_t i = 0; i < 4; i++) {
        expect(vkWaitForFences(f->device, 1, &f->fence, VK_TRUE, SHORT_NS), VK_TIMEOUT,
               "not all waits were over");
        VKF_CHECK(m.words[2047] == 0, "work ran before its waits were over");
        suite_timeline_signal(f, gates[order[i].gate], order[i].value);
    }
    suite_timeline_must(f, done, 9);
    suite_fence_must(f, f->fence);
    VKF_VK(vkResetFences(f->device, 1, &f->fence));
    VKF_CHECK(m.words[2047] == 0x5a17e111, "work was not done when its signal came");
    VKF_VK(vkDeviceWaitIdle(f->device));
    for (uint32_t i = 0; i < 3; i++)
        vkDestroySemaphore(f->device, gates[i], NULL);
    vkDestroySemaphore(f->device, binary, NULL);
    vkDestroySemaphore(f->device, done, NULL);
    vkDestroyCommandPool(f->device, pool, NULL);
    suite_mapped_destroy(f, &m);
}

int main(int argc, char **argv)
{
    const char *name = argc == 2 ? argv[1] : "";
    struct vkf f;
    suite_begin(&f);
    if (strcmp(name, "fences") == 0)
        test_fences(&f);
    else if (strcmp(name, "more_fences") == 0)
        test_more_fences(&f);
    else if (strcmp(name, "timelines") == 0)
        test_timelines(&f);
    else if (strcmp(name, "many_waits") == 0)
        test_many_waits(&f);
    else
        return VKF_EXIT_USAGE;
    vkf_end(&f);
    return 0;
}
