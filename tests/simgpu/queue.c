/* SPDX-License-Identifier: MIT
 *
 * Queues and their workers: see queue.h. */
#include "queue.h"

#include "lost.h"
#include "present_hash.h"
#include "costing.h"
#include "layouts.h"
#include "oracle.h"
#include "region.h"

#include <signal.h>
#include <stdlib.h>
#include <vulkan/vk_icd.h>

/* One allocation: the operation and its lists, each list aligned because the elements before it are
 * multiples of 8 bytes. */
struct sim_op *sim_op_create(uint32_t waits, uint32_t signals, uint32_t commands, uint32_t binds)
{
    struct sim_op *op =
        calloc(1, sizeof(*op) + ((size_t)waits + signals) * sizeof(struct sim_point) +
                      (size_t)binds * sizeof(struct sim_bind) + commands * sizeof(VkCommandBuffer));
    if (op == NULL)
        return NULL;
    op->waits = (struct sim_point *)(op + 1);
    op->signals = op->waits + waits;
    op->binds = (struct sim_bind *)(op->signals + signals);
    op->commands = (VkCommandBuffer *)(op->binds + binds);
    op->wait_count = waits;
    op->signal_count = signals;
    op->command_count = commands;
    op->bind_count = binds;
    return op;
}

void sim_op_destroy(struct sim_op *op)
{
    free(op);
}

void sim_op_list_init(struct sim_op_list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

void sim_op_list_add(struct sim_op_list *list, struct sim_op *op)
{
    *list->end = op;
    list->end = &op->next;
}

void sim_op_list_finish(struct sim_op_list *list)
{
    while (list->first != NULL) {
        struct sim_op *op = list->first;
        list->first = op->next;
        sim_op_destroy(op);
    }
    list->end = &list->first;
}

static void run_commands(struct sim_fifo *fifo, const struct sim_op *op)
{
    struct sim_device *device = fifo->device;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .commandBufferCount = op->command_count,
                           .pCommandBuffers = op->commands};
    struct sim_oracle_bytes bytes;
    sim_oracle_begin(device);
    sim_layouts_check(device, fifo->queue, op);
    pthread_mutex_lock(&device->drv_lock);
    VkResult result = device->vk.QueueSubmit(device->driver_queue, 1, &submit, fifo->driver_fence);
    pthread_mutex_unlock(&device->drv_lock);
    if (result == VK_SUCCESS)
        result =
            device->vk.WaitForFences(device->handle, 1, &fifo->driver_fence, VK_TRUE, UINT64_MAX);
    if (result == VK_SUCCESS)
        result = device->vk.ResetFences(device->handle, 1, &fifo->driver_fence);
    if (result != VK_SUCCESS)
        sim_log("the software driver failed a submit: %d", (int)result);
    sim_oracle_end(device, fifo->queue, op, &bytes);
    sim_cost_set_work(device, op, &bytes);
    sim_region_close_opened(device);
}

static void run_binds(const struct sim_op *op)
{
    for (uint32_t i = 0; i < op->bind_count; i++) {
        const struct sim_bind *b = &op->binds[i];
        sim_region_bind(b->region, b->offset, b->size, b->memory, b->memory_offset);
    }
}

static void run_present(struct sim_device *device, struct sim_present *present)
{
    /* The waits are over; the rest of the chain is the program's, who waits for us. */
    VkPresentInfoKHR info = *present->info;
    info.waitSemaphoreCount = 0;
    info.pWaitSemaphores = NULL;
    sim_layouts_check_present(device, &info);
    sim_present_hash(device, &info);
    pthread_mutex_lock(&device->drv_lock);
    present->result = device->vk.QueuePresentKHR(device->driver_queue, &info);
    pthread_mutex_unlock(&device->drv_lock);
}

/* The device is being destroyed or is lost: nothing is done or signalled. But a present's caller
 * waits for its own fence, and keeps the present alive until then. */
static void drop_op(struct sim_device *device, const struct sim_op *op)
{
    pthread_mutex_lock(&device->sync_lock);
    if (op->present != NULL && !device->stopping) {
        op->fence->signalled = true;
        pthread_cond_broadcast(&device->sync_changed);
    }
    pthread_mutex_unlock(&device->sync_lock);
}

static void run_op(struct sim_fifo *fifo, const struct sim_op *op)
{
    struct sim_device *device = fifo->device;
    const struct sim_mishaps *mishaps = &sim_card_get()->mishaps;
    if (!sim_points_wait(device, op->waits, op->wait_count)) {
        drop_op(device, op);
        return;
    }
    sim_device_delay(device, op->is_bind ? mishaps->bind_delay_us : mishaps->submit_delay_us);
    if (op->loses_device)
        sim_device_lose(device);
    if (sim_device_is_lost(device)) {
        drop_op(device, op);
        return;
    }
    if (op->command_count > 0)
        run_commands(fifo, op);
    run_binds(op);
    if (op->present != NULL)
        run_present(device, op->present);
    sim_points_signal(device, op->signals, op->signal_count, op->fence);
}

static void *worker_main(void *argument)
{
    struct sim_fifo *fifo = argument;
    pthread_mutex_lock(&fifo->lock);
    while (!fifo->stopping) {
        struct sim_op *op = fifo->first;
        if (op == NULL) {
            pthread_cond_wait(&fifo->changed, &fifo->lock);
            continue;
        }
        fifo->first = op->next;
        if (fifo->first == NULL)
            fifo->end = &fifo->first;
        pthread_mutex_unlock(&fifo->lock);
        run_op(fifo, op);
        sim_op_destroy(op);
        pthread_mutex_lock(&fifo->lock);
        fifo->pending--;
        pthread_cond_broadcast(&fifo->changed);
    }
    pthread_mutex_unlock(&fifo->lock);
    return NULL;
}

static void fifo_init(struct sim_fifo *fifo, const struct sim_queue *queue)
{
    static _Atomic uint32_t last_lane;
    *fifo = (struct sim_fifo){.device = queue->device, .queue = queue};
    fifo->lane = atomic_fetch_add_explicit(&last_lane, 1, memory_order_relaxed) + 1;
    pthread_mutex_init(&fifo->lock, NULL);
    pthread_cond_init(&fifo->changed, NULL);
    fifo->end = &fifo->first;
}

/* The program's signals are not the worker's business; faults must come through (fault.c). */
static VkResult start_worker(struct sim_fifo *fifo)
{
    struct sim_device *device = fifo->device;
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkResult result = device->vk.CreateFence(device->handle, &info, NULL, &fifo->driver_fence);
    sigset_t blocked, before;
    if (result != VK_SUCCESS)
        return result;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGBUS);
    sigdelset(&blocked, SIGFPE);
    sigdelset(&blocked, SIGILL);
    sigdelset(&blocked, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    fifo->started = pthread_create(&fifo->worker, NULL, worker_main, fifo) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (fifo->started)
        return VK_SUCCESS;
    device->vk.DestroyFence(device->handle, fifo->driver_fence, NULL);
    fifo->driver_fence = VK_NULL_HANDLE;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

VkResult sim_fifo_start(struct sim_fifo *fifo)
{
    pthread_mutex_lock(&fifo->lock);
    VkResult result = fifo->started ? VK_SUCCESS : start_worker(fifo);
    pthread_mutex_unlock(&fifo->lock);
    return result;
}

void sim_fifo_push(struct sim_fifo *fifo, struct sim_op_list *list)
{
    static _Atomic uint64_t last_number;
    uint64_t count = 0;
    for (struct sim_op *op = list->first; op != NULL; op = op->next) {
        if (op->command_count > 0)
            op->number = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
        sim_cost_add(fifo, op);
        count++;
    }
    if (count == 0)
        return;
    pthread_mutex_lock(&fifo->lock);
    *fifo->end = list->first;
    fifo->end = list->end;
    fifo->pending += count;
    pthread_cond_broadcast(&fifo->changed);
    pthread_mutex_unlock(&fifo->lock);
    sim_op_list_init(list);
}

void sim_fifo_wait_idle(struct sim_fifo *fifo)
{
    pthread_mutex_lock(&fifo->lock);
    while (fifo->pending > 0)
        pthread_cond_wait(&fifo->changed, &fifo->lock);
    pthread_mutex_unlock(&fifo->lock);
}

static void fifo_finish(struct sim_fifo *fifo)
{
    pthread_mutex_lock(&fifo->lock);
    fifo->stopping = true;
    pthread_cond_broadcast(&fifo->changed);
    pthread_mutex_unlock(&fifo->lock);
    if (fifo->started) {
        pthread_join(fifo->worker, NULL);
        fifo->device->vk.DestroyFence(fifo->device->handle, fifo->driver_fence, NULL);
    }
    struct sim_op_list rest = {.first = fifo->first};
    sim_op_list_finish(&rest);
    pthread_cond_destroy(&fifo->changed);
    pthread_mutex_destroy(&fifo->lock);
}

VkResult sim_queue_create(struct sim_device *device, uint32_t family, uint32_t index,
                          VkDeviceQueueCreateFlags flags, struct sim_queue **out)
{
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    struct sim_queue *queue = calloc(1, sizeof(*queue));
    if (queue == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = device->vk.CreateSemaphore(device->handle, &info, NULL, &queue->stand_in);
    if (result != VK_SUCCESS) {
        free(queue);
        return result;
    }
    set_loader_magic_value(queue);
    queue->device = device;
    queue->family = family;
    queue->index = index;
    queue->flags = flags;
    fifo_init(&queue->work, queue);
    fifo_init(&queue->binds, queue);
    *out = queue;
    return VK_SUCCESS;
}

void sim_queue_destroy(struct sim_queue *queue)
{
    if (queue == NULL)
        return;
    fifo_finish(&queue->work);
    fifo_finish(&queue->binds);
    queue->device->vk.DestroySemaphore(queue->device->handle, queue->stand_in, NULL);
    free(queue);
}

static void wait_idle(struct sim_queue *queue)
{
    sim_fifo_wait_idle(&queue->work);
    sim_fifo_wait_idle(&queue->binds);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_QueueWaitIdle(VkQueue handle)
{
    wait_idle(sim_queue_from(handle));
    return sim_device_status(sim_queue_from(handle)->device);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_DeviceWaitIdle(VkDevice handle)
{
    struct sim_device *device = sim_device_find(handle);
    for (uint32_t f = 0; f < SIM_MAX_FAMILIES; f++) {
        for (uint32_t k = 0; k < SIM_MAX_QUEUES; k++) {
            if (device->queues[f][k] != NULL)
                wait_idle(device->queues[f][k]);
        }
    }
    return sim_device_status(device);
}
