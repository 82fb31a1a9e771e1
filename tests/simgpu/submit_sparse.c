/* SPDX-License-Identifier: MIT
 *
 * vkQueueBindSparse. Each range is checked before it is queued, for an unchecked one would map over
 * whatever lies behind the region; a bad one is refused, counted and told, the others go ahead. */
#include "lost.h"
#include "memory.h"
#include "queue.h"
#include "region.h"
#include "resource.h"

static const char *find_fault(const struct sim_resource *resource, const VkSparseMemoryBind *b,
                              const struct sim_memory *memory)
{
    if (resource == NULL || resource->region == NULL)
        return "the resource has no sparse binding";
    if (b->flags != 0)
        return "flags that the card does not have";
    if (b->resourceOffset % SIM_GRANULE != 0 || b->size % SIM_GRANULE != 0 || b->size == 0)
        return "resource range not in whole blocks of 64 KiB";
    if (b->resourceOffset > resource->region->size ||
        b->size > resource->region->size - b->resourceOffset)
        return "beyond the end of the resource";
    if (b->memory == VK_NULL_HANDLE)
        return NULL;
    if (memory == NULL)
        return "not a memory of this device";
    if (memory->heap == NULL)
        return "imported host memory cannot be bound";
    if (b->memoryOffset % SIM_GRANULE != 0)
        return "memory offset not a multiple of 64 KiB";
    if (b->memoryOffset > memory->size || b->size > memory->size - b->memoryOffset)
        return "beyond the end of the memory";
    if (!(resource->requirements.memoryTypeBits & (1u << memory->type)))
        return "a memory type that the resource does not take";
    return NULL;
}

static void add_binds(struct sim_device *device, struct sim_op *op,
                      const struct sim_resource *resource, uint64_t name, uint32_t count,
                      const VkSparseMemoryBind *binds)
{
    struct sim_card *card = sim_card_get();
    for (uint32_t i = 0; i < count; i++) {
        const VkSparseMemoryBind *b = &binds[i];
        struct sim_memory *memory = sim_memory_find(device, b->memory);
        const char *fault = find_fault(resource, b, memory);
        if (fault != NULL) {
            sim_card_note_bad_bind(
                card,
                "%s (resource 0x%llx offset 0x%llx size 0x%llx memory 0x%llx "
                "offset 0x%llx)",
                fault, (unsigned long long)name, (unsigned long long)b->resourceOffset,
                (unsigned long long)b->size, (unsigned long long)SIM_KEY(b->memory),
                (unsigned long long)b->memoryOffset);
            continue;
        }
        atomic_fetch_add_explicit(&card->bind_ranges, 1, memory_order_relaxed);
        sim_region_note_pending(resource->region, memory);
        op->binds[op->bind_count++] = (struct sim_bind){.region = resource->region,
                                                        .offset = b->resourceOffset,
                                                        .size = b->size,
                                                        .memory = memory,
                                                        .memory_offset = b->memoryOffset};
    }
}

static uint32_t count_ranges(const VkBindSparseInfo *info)
{
    uint32_t ranges = 0;
    for (uint32_t i = 0; i < info->bufferBindCount; i++)
        ranges += info->pBufferBinds[i].bindCount;
    for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++)
        ranges += info->pImageOpaqueBinds[i].bindCount;
    return ranges;
}

static void fill(struct sim_device *device, struct sim_op *op, const VkBindSparseInfo *info)
{
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
    op->is_bind = true;
    op->bind_count = 0; /* there is room for all; the good ones are counted */
    for (uint32_t i = 0; i < info->bufferBindCount; i++) {
        const VkSparseBufferMemoryBindInfo *b = &info->pBufferBinds[i];
        add_binds(device, op, sim_resource_find_buffer(device, b->buffer), SIM_KEY(b->buffer),
                  b->bindCount, b->pBinds);
    }
    for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++) {
        const VkSparseImageOpaqueMemoryBindInfo *b = &info->pImageOpaqueBinds[i];
        add_binds(device, op, sim_resource_find_image(device, b->image), SIM_KEY(b->image),
                  b->bindCount, b->pBinds);
    }
    if (info->imageBindCount > 0)
        sim_card_note_bad_bind(sim_card_get(),
                               "a bind by image block: the card has no residency of images");
}

VKAPI_ATTR VkResult VKAPI_CALL sim_QueueBindSparse(VkQueue handle, uint32_t count,
                                                   const VkBindSparseInfo *infos, VkFence fence)
{
    struct sim_queue *queue = sim_queue_from(handle);
    struct sim_card *card = sim_card_get();
    struct sim_op_list list;
    struct sim_op *op = NULL;
    struct sim_fifo *fifo = card->relaxed_bind ? &queue->binds : &queue->work;
    VkResult result = sim_device_status(queue->device);
    if (result == VK_SUCCESS)
        result = sim_fifo_start(fifo);
    if (result != VK_SUCCESS)
        return result;
    sim_op_list_init(&list);
    /* A call with only a fence is one operation that signals it. */
    for (uint32_t i = 0; i < count || (i == 0 && fence != VK_NULL_HANDLE); i++) {
        op = i < count ? sim_op_create(infos[i].waitSemaphoreCount, infos[i].signalSemaphoreCount,
                                       0, count_ranges(&infos[i]))
                       : sim_op_create(0, 0, 0, 0);
        if (op == NULL) {
            sim_op_list_finish(&list);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        sim_op_list_add(&list, op);
    }
    atomic_fetch_add_explicit(&card->bind_calls, 1, memory_order_relaxed);
    if (!(card->profile->families[queue->family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT))
        sim_card_note_bad_bind(card, "queue family %u has no sparse binding", queue->family);
    struct sim_op *each = list.first;
    for (uint32_t i = 0; i < count; i++, each = each->next)
        fill(queue->device, each, &infos[i]);
    if (op != NULL && fence != VK_NULL_HANDLE)
        op->fence = sim_fence_find(queue->device, fence);
    sim_fifo_push(fifo, &list);
    return VK_SUCCESS;
}
