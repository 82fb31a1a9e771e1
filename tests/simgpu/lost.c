/* SPDX-License-Identifier: MIT
 *
 * Delays, and devices that are lost: see lost.h. */
#include "lost.h"

#include <errno.h>
#include <time.h>

#define US_PER_SECOND 1000000u

static _Atomic uint64_t submit_count; /* of the process */

VkResult sim_lost_submit(struct sim_device *device, bool *late)
{
    const struct sim_mishaps *m = &sim_card_get()->mishaps;
    uint64_t n = atomic_fetch_add_explicit(&submit_count, 1, memory_order_relaxed) + 1;
    *late = n == m->lost_at && m->lost_late;
    if (n == m->lost_at && !m->lost_late)
        sim_device_lose(device);
    return sim_device_status(device);
}

void sim_device_lose(struct sim_device *device)
{
    pthread_mutex_lock(&device->sync_lock);
    bool first = !device->lost;
    device->lost = true;
    pthread_cond_broadcast(&device->sync_changed);
    pthread_mutex_unlock(&device->sync_lock);
    if (!first)
        return;
    atomic_fetch_add_explicit(&sim_card_get()->devices_lost, 1, memory_order_relaxed);
    sim_log("SIMGPU_LOST: the device is lost");
}

bool sim_device_is_lost(struct sim_device *device)
{
    pthread_mutex_lock(&device->sync_lock);
    bool lost = device->lost;
    pthread_mutex_unlock(&device->sync_lock);
    return lost;
}

VkResult sim_device_status(struct sim_device *device)
{
    return sim_device_is_lost(device) ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

void sim_device_delay(struct sim_device *device, uint64_t us)
{
    struct timespec end;
    if (us == 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t ns = (uint64_t)end.tv_nsec + us % US_PER_SECOND * 1000;
    end.tv_sec += (time_t)(us / US_PER_SECOND + ns / 1000000000);
    end.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&device->sync_lock);
    while (!device->stopping && !device->lost &&
           pthread_cond_timedwait(&device->sync_changed, &device->sync_lock, &end) != ETIMEDOUT) {
    }
    pthread_mutex_unlock(&device->sync_lock);
}

/* A query that waits for work that will never run would wait for ever. */
VKAPI_ATTR VkResult VKAPI_CALL sim_GetQueryPoolResults(VkDevice handle, VkQueryPool pool,
                                                       uint32_t first, uint32_t count, size_t size,
                                                       void *data, VkDeviceSize stride,
                                                       VkQueryResultFlags flags)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = sim_device_status(device);
    if (result != VK_SUCCESS)
        return result;
    return device->vk.GetQueryPoolResults(handle, pool, first, count, size, data, stride, flags);
}
