/* SPDX-License-Identifier: MIT
 *
 * Semaphores and fences: see sync.h. */
#include "sync.h"

#include "costing.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_SECOND UINT64_C(1000000000)

static struct sim_semaphore *semaphore_find(struct sim_device *device, VkSemaphore handle)
{
    return sim_map_find(&device->semaphores, SIM_KEY(handle));
}

struct sim_fence *sim_fence_find(struct sim_device *device, VkFence fence)
{
    return sim_map_find(&device->fences, SIM_KEY(fence));
}

struct sim_point sim_point_for_wait(struct sim_device *device, VkSemaphore handle, uint64_t value)
{
    struct sim_point point = {.semaphore = semaphore_find(device, handle), .value = value};
    pthread_mutex_lock(&device->sync_lock);
    if (point.semaphore->binary)
        point.value = point.semaphore->submitted;
    pthread_mutex_unlock(&device->sync_lock);
    return point;
}

struct sim_point sim_point_for_signal(struct sim_device *device, VkSemaphore handle, uint64_t value)
{
    struct sim_point point = {.semaphore = semaphore_find(device, handle), .value = value};
    pthread_mutex_lock(&device->sync_lock);
    if (point.semaphore->binary)
        point.value = ++point.semaphore->submitted;
    pthread_mutex_unlock(&device->sync_lock);
    return point;
}

static bool points_reached_locked(const struct sim_point *points, uint32_t count, bool any)
{
    for (uint32_t i = 0; i < count; i++) {
        bool reached = points[i].semaphore->value >= points[i].value;
        if (reached == any)
            return any;
    }
    return !any;
}

bool sim_points_wait(struct sim_device *device, const struct sim_point *points, uint32_t count)
{
    pthread_mutex_lock(&device->sync_lock);
    while (!device->stopping && !device->lost && !points_reached_locked(points, count, false))
        pthread_cond_wait(&device->sync_changed, &device->sync_lock);
    bool running = !device->stopping && !device->lost;
    pthread_mutex_unlock(&device->sync_lock);
    return running;
}

void sim_points_signal(struct sim_device *device, const struct sim_point *points, uint32_t count,
                       struct sim_fence *fence)
{
    if (count == 0 && fence == NULL)
        return;
    pthread_mutex_lock(&device->sync_lock);
    for (uint32_t i = 0; i < count; i++) {
        if (points[i].semaphore->value < points[i].value)
            points[i].semaphore->value = points[i].value;
    }
    if (fence != NULL)
        fence->signalled = true;
    pthread_cond_broadcast(&device->sync_changed);
    pthread_mutex_unlock(&device->sync_lock);
}

bool sim_fence_wait(struct sim_device *device, const struct sim_fence *fence)
{
    pthread_mutex_lock(&device->sync_lock);
    while (!device->stopping && !fence->signalled)
        pthread_cond_wait(&device->sync_changed, &device->sync_lock);
    bool signalled = fence->signalled;
    pthread_mutex_unlock(&device->sync_lock);
    return signalled;
}

/* A time-out in ns from now as a point of CLOCK_MONOTONIC; false: so far away that it is forever.
 */
static bool deadline_after(uint64_t timeout_ns, struct timespec *deadline)
{
    clock_gettime(CLOCK_MONOTONIC, deadline);
    if (timeout_ns / NS_PER_SECOND > (uint64_t)INT32_MAX)
        return false;
    uint64_t ns = (uint64_t)deadline->tv_nsec + timeout_ns % NS_PER_SECOND;
    deadline->tv_sec += (time_t)(timeout_ns / NS_PER_SECOND + ns / NS_PER_SECOND);
    deadline->tv_nsec = (long)(ns % NS_PER_SECOND);
    return true;
}

/* Waits for a change; false: the time is up. */
static bool wait_change_locked(struct sim_device *device, bool finite,
                               const struct timespec *deadline)
{
    if (!finite)
        return pthread_cond_wait(&device->sync_changed, &device->sync_lock) == 0;
    return pthread_cond_timedwait(&device->sync_changed, &device->sync_lock, deadline) != ETIMEDOUT;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateSemaphore(VkDevice handle,
                                                   const VkSemaphoreCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkSemaphore *out)
{
    struct sim_device *device = sim_device_find(handle);
    const VkSemaphoreTypeCreateInfo *asked =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    const VkExportSemaphoreCreateInfo *export =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo copy = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    if (export != NULL && export->handleTypes != 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY; /* the command has no better answer; not offered either
                                             */
    static _Atomic uint64_t last_id;
    struct sim_semaphore *semaphore = calloc(1, sizeof(*semaphore));
    if (semaphore == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    semaphore->id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    semaphore->binary = asked == NULL || asked->semaphoreType == VK_SEMAPHORE_TYPE_BINARY;
    semaphore->value = semaphore->binary ? 0 : asked->initialValue;
    VkSemaphore created;
    VkResult result = device->vk.CreateSemaphore(handle, &copy, allocator, &created);
    if (result == VK_SUCCESS &&
        sim_map_insert(&device->semaphores, SIM_KEY(created), semaphore) != 0) {
        device->vk.DestroySemaphore(handle, created, allocator);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result != VK_SUCCESS) {
        free(semaphore);
        return result;
    }
    if (semaphore->value > 0)
        sim_cost_add_host(&(struct sim_point){.semaphore = semaphore, .value = semaphore->value});
    *out = created;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
                                                const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    pthread_mutex_lock(&device->sync_lock);
    free(sim_map_remove(&device->semaphores, SIM_KEY(semaphore)));
    pthread_mutex_unlock(&device->sync_lock);
    device->vk.DestroySemaphore(handle, semaphore, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore key,
                                                            uint64_t *value)
{
    struct sim_device *device = sim_device_find(handle);
    struct sim_semaphore *semaphore = semaphore_find(device, key);
    pthread_mutex_lock(&device->sync_lock);
    *value = semaphore->value;
    VkResult result = device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
    pthread_mutex_unlock(&device->sync_lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_SignalSemaphore(VkDevice handle,
                                                   const VkSemaphoreSignalInfo *info)
{
    struct sim_device *device = sim_device_find(handle);
    struct sim_point point = {.semaphore = semaphore_find(device, info->semaphore),
                              .value = info->value};
    sim_cost_add_host(&point);
    sim_points_signal(device, &point, 1, NULL);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                  uint64_t timeout)
{
    struct sim_device *device = sim_device_find(handle);
    struct sim_point few[8];
    struct sim_point *points = few;
    struct timespec deadline;
    bool finite = deadline_after(timeout, &deadline);
    bool any = (info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 && info->semaphoreCount > 0;
    if (info->semaphoreCount > sizeof(few) / sizeof(few[0]))
        points = calloc(info->semaphoreCount, sizeof(*points));
    if (points == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->semaphoreCount; i++)
        points[i] = (struct sim_point){.semaphore = semaphore_find(device, info->pSemaphores[i]),
                                       .value = info->pValues[i]};
    pthread_mutex_lock(&device->sync_lock);
    bool reached;
    while (!(reached = points_reached_locked(points, info->semaphoreCount, any)) && timeout > 0 &&
           !device->lost) {
        if (!wait_change_locked(device, finite, &deadline))
            timeout = 0;
    }
    VkResult unmet = device->lost ? VK_ERROR_DEVICE_LOST : VK_TIMEOUT;
    pthread_mutex_unlock(&device->sync_lock);
    if (points != few)
        free(points);
    return reached ? VK_SUCCESS : unmet;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateFence(VkDevice handle, const VkFenceCreateInfo *info,
                                               const VkAllocationCallbacks *allocator, VkFence *out)
{
    struct sim_device *device = sim_device_find(handle);
    const VkExportFenceCreateInfo *export =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO);
    VkFenceCreateInfo copy = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (export != NULL && export->handleTypes != 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY; /* as for semaphores */
    struct sim_fence *fence = calloc(1, sizeof(*fence));
    if (fence == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    fence->signalled = (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
    VkFence created;
    VkResult result = device->vk.CreateFence(handle, &copy, allocator, &created);
    if (result == VK_SUCCESS && sim_map_insert(&device->fences, SIM_KEY(created), fence) != 0) {
        device->vk.DestroyFence(handle, created, allocator);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result != VK_SUCCESS) {
        free(fence);
        return result;
    }
    *out = created;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyFence(VkDevice handle, VkFence fence,
                                            const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    pthread_mutex_lock(&device->sync_lock);
    free(sim_map_remove(&device->fences, SIM_KEY(fence)));
    pthread_mutex_unlock(&device->sync_lock);
    device->vk.DestroyFence(handle, fence, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_ResetFences(VkDevice handle, uint32_t count,
                                               const VkFence *fences)
{
    struct sim_device *device = sim_device_find(handle);
    for (uint32_t i = 0; i < count; i++) {
        struct sim_fence *fence = sim_fence_find(device, fences[i]);
        pthread_mutex_lock(&device->sync_lock);
        fence->signalled = false;
        pthread_mutex_unlock(&device->sync_lock);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_GetFenceStatus(VkDevice handle, VkFence key)
{
    struct sim_device *device = sim_device_find(handle);
    const struct sim_fence *fence = sim_fence_find(device, key);
    pthread_mutex_lock(&device->sync_lock);
    VkResult unmet = device->lost ? VK_ERROR_DEVICE_LOST : VK_NOT_READY;
    bool signalled = fence->signalled;
    pthread_mutex_unlock(&device->sync_lock);
    return signalled ? VK_SUCCESS : unmet;
}

static bool fences_done_locked(struct sim_fence *const *fences, uint32_t count, bool any)
{
    for (uint32_t i = 0; i < count; i++) {
        if (fences[i]->signalled == any)
            return any;
    }
    return !any;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_WaitForFences(VkDevice handle, uint32_t count,
                                                 const VkFence *keys, VkBool32 all,
                                                 uint64_t timeout)
{
    struct sim_device *device = sim_device_find(handle);
    struct sim_fence *few[8];
    struct sim_fence **fences = few;
    struct timespec deadline;
    bool finite = deadline_after(timeout, &deadline);
    if (count > sizeof(few) / sizeof(few[0]))
        fences = calloc(count, sizeof(struct sim_fence *));
    if (fences == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        fences[i] = sim_fence_find(device, keys[i]);
    pthread_mutex_lock(&device->sync_lock);
    bool done;
    while (!(done = fences_done_locked(fences, count, !all && count > 0)) && timeout > 0 &&
           !device->lost) {
        if (!wait_change_locked(device, finite, &deadline))
            timeout = 0;
    }
    VkResult unmet = device->lost ? VK_ERROR_DEVICE_LOST : VK_TIMEOUT;
    pthread_mutex_unlock(&device->sync_lock);
    if (fences != few)
        free(fences);
    return done ? VK_SUCCESS : unmet;
}
