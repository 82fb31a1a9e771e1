/* SPDX-License-Identifier: MIT
 *
 * vkQueueSubmit and vkQueueSubmit2: batches become operations. Nothing is numbered or pushed until
 * everything that can fail has been done. */
#include "queue.h"

#include "control.h"
#include "lost.h"

/* An operation that only signals a fence, behind everything before it. */
static struct sim_op *fence_op(struct sim_op_list *list)
{
    struct sim_op *op = sim_op_create(0, 0, 0, 0);
    if (op != NULL)
        sim_op_list_add(list, op);
    return op;
}

/* A driver that promises at allocation what it finds no room for when it has to be there. */
static bool has_room(struct sim_card *card)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < card->profile->heap_count; i++)
        used += sim_heap_numbers(&card->heaps[i]).used;
    return used <= card->mishaps.submit_room;
}

/* What can fail before anything is made. */
static VkResult begin(struct sim_queue *queue, bool *late)
{
    sim_control_poll(sim_card_get());
    if (!has_room(sim_card_get()))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkResult result = sim_lost_submit(queue->device, late);
    return result == VK_SUCCESS ? sim_fifo_start(&queue->work) : result;
}

static void push(struct sim_queue *queue, struct sim_op_list *list, struct sim_op *last,
                 VkFence fence, bool late)
{
    if (list->first != NULL)
        list->first->loses_device = late;
    else if (late)
        sim_device_lose(queue->device);
    if (last != NULL && fence != VK_NULL_HANDLE)
        last->fence = sim_fence_find(queue->device, fence);
    atomic_fetch_add_explicit(&sim_card_get()->submits, 1, memory_order_relaxed);
    sim_fifo_push(&queue->work, list);
}

static void fill(struct sim_device *device, struct sim_op *op, const void *infos, uint32_t index)
{
    const VkSubmitInfo *info = (const VkSubmitInfo *)infos + index;
    const VkTimelineSemaphoreSubmitInfo *values =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++) {
        bool given = values != NULL && i < values->waitSemaphoreValueCount;
        op->waits[i] = sim_point_for_wait(device, info->pWaitSemaphores[i],
                                          given ? values->pWaitSemaphoreValues[i] : 0);
    }
    for (uint32_t i = 0; i < info->signalSemaphoreCount; i++) {
        bool given = values != NULL && i < values->signalSemaphoreValueCount;
        op->signals[i] = sim_point_for_signal(device, info->pSignalSemaphores[i],
                                              given ? values->pSignalSemaphoreValues[i] : 0);
    }
    for (uint32_t i = 0; i < info->commandBufferCount; i++)
        op->commands[i] = info->pCommandBuffers[i];
}

static struct sim_op *create(const void *infos, uint32_t index)
{
    const VkSubmitInfo *info = (const VkSubmitInfo *)infos + index;
    return sim_op_create(info->waitSemaphoreCount, info->signalSemaphoreCount,
                         info->commandBufferCount, 0);
}

static struct sim_op *create2(const void *infos, uint32_t index)
{
    const VkSubmitInfo2 *info = (const VkSubmitInfo2 *)infos + index;
    return sim_op_create(info->waitSemaphoreInfoCount, info->signalSemaphoreInfoCount,
                         info->commandBufferInfoCount, 0);
}

static void fill2(struct sim_device *device, struct sim_op *op, const void *infos, uint32_t index)
{
    const VkSubmitInfo2 *info = (const VkSubmitInfo2 *)infos + index;
    for (uint32_t i = 0; i < info->waitSemaphoreInfoCount; i++)
        op->waits[i] = sim_point_for_wait(device, info->pWaitSemaphoreInfos[i].semaphore,
                                          info->pWaitSemaphoreInfos[i].value);
    for (uint32_t i = 0; i < info->signalSemaphoreInfoCount; i++)
        op->signals[i] = sim_point_for_signal(device, info->pSignalSemaphoreInfos[i].semaphore,
                                              info->pSignalSemaphoreInfos[i].value);
    for (uint32_t i = 0; i < info->commandBufferInfoCount; i++)
        op->commands[i] = info->pCommandBufferInfos[i].commandBuffer;
}

/* What the two versions of a submit differ in: how their array of infos is read. */
struct submit_version {
    struct sim_op *(*create)(const void *infos, uint32_t index);
    void (*fill)(struct sim_device *device, struct sim_op *op, const void *infos, uint32_t index);
};

static VkResult submit(VkQueue handle, uint32_t count, const void *infos, VkFence fence,
                       const struct submit_version *version)
{
    struct sim_queue *queue = sim_queue_from(handle);
    struct sim_op_list list;
    struct sim_op *op = NULL;
    bool late;
    VkResult result = begin(queue, &late);
    if (result != VK_SUCCESS)
        return result;
    sim_op_list_init(&list);
    for (uint32_t i = 0; i < count; i++) {
        op = version->create(infos, i);
        if (op == NULL) {
            sim_op_list_finish(&list);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        sim_op_list_add(&list, op);
    }
    if (count == 0 && fence != VK_NULL_HANDLE && (op = fence_op(&list)) == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct sim_op *each = list.first;
    for (uint32_t i = 0; i < count; i++, each = each->next)
        version->fill(queue->device, each, infos, i);
    push(queue, &list, op, fence, late);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_QueueSubmit(VkQueue handle, uint32_t count,
                                               const VkSubmitInfo *infos, VkFence fence)
{
    static const struct submit_version version = {create, fill};
    return submit(handle, count, infos, fence, &version);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_QueueSubmit2(VkQueue handle, uint32_t count,
                                                const VkSubmitInfo2 *infos, VkFence fence)
{
    static const struct submit_version version = {create2, fill2};
    return submit(handle, count, infos, fence, &version);
}
