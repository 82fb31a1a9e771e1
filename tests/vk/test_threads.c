/* SPDX-License-Identifier: MIT
 *
 * Many threads that allocate, fill, check and free device-local memory at once, beyond what the
 * card has. Each has its own content model and command buffer; the queue is theirs in common, under
 * a lock, as the specification wants it. vkAllocateMemory and vkFreeMemory are called with no lock
 * at all.
 *
 *   test_threads THREADS ROUNDS PER_THREAD */
#include "vk_fixture.h"

#include <pthread.h>
#include <stdlib.h>

#include "hoard.h"

static struct vkf f;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned rounds;
static VkDeviceSize per_thread;
/* The first refusal that a thread met. All stop then, and main ends the program: an exit from
 * within one thread would tear the driver down under the others. */
static _Atomic int refusal = VK_SUCCESS;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void *work(void *argument)
{
    uint32_t seed = *(const uint32_t *)argument, state = seed * 2654435761u + 1;
    struct vkf view;
    struct hoard hoard;
    vkf_share(&view, &f, &queue_lock);
    hoard_begin(&hoard, &view, 1000 + seed);
    for (unsigned round = 0; round < rounds && refusal == VK_SUCCESS; round++) {
        static const enum hoard_shape shapes[] = {HOARD_BUFFER, HOARD_BARE, HOARD_IMAGE,
                                                  HOARD_BUFFER};
        enum hoard_shape shape = shapes[next_random(&state) % 4];
        VkDeviceSize size = (VkDeviceSize)(1 + next_random(&state) % 16) << 16;
        if (hoard.total_bytes + size > per_thread && hoard.count > 0) {
            uint32_t victim = next_random(&state) % hoard.count;
            for (uint32_t i = 0; i < hoard.holdings[victim].item_count; i++)
                content_verify(hoard.content, hoard.holdings[victim].items[i], CONTENT_BY_COPY);
            hoard_remove(&hoard, victim);
            continue;
        }
        VkResult result = hoard_try_add(&hoard, shape, HOARD_DEVICE, size);
        if (result != VK_SUCCESS) {
            refusal = result;
            break;
        }
        struct holding *added = &hoard.holdings[hoard.count - 1];
        for (uint32_t i = 0; i < added->item_count; i++)
            content_fill(hoard.content, added->items[i], CONTENT_BY_COPY);
    }
    content_verify_all(hoard.content, CONTENT_BY_SHADER);
    hoard_end(&hoard);
    vkf_share_end(&view);
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MAX_THREADS = 32 };
    pthread_t threads[MAX_THREADS];
    uint32_t seeds[MAX_THREADS];
    if (argc != 4)
        return VKF_EXIT_USAGE;
    uint32_t count = (uint32_t)atoi(argv[1]);
    rounds = (unsigned)atoi(argv[2]);
    per_thread = vkf_parse_size(argv[3]);
    VKF_CHECK(count > 0 && count <= MAX_THREADS, "1 to %d threads", MAX_THREADS);
    vkf_begin(&f, NULL);
    for (uint32_t i = 0; i < count; i++) {
        seeds[i] = i;
        VKF_CHECK(pthread_create(&threads[i], NULL, work, &seeds[i]) == 0, "no thread");
    }
    for (uint32_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    if (refusal != VK_SUCCESS)
        vkf_exit_result((VkResult)refusal, __FILE__, __LINE__, "vkAllocateMemory in a thread");
    vkf_end(&f);
    return 0;
}
