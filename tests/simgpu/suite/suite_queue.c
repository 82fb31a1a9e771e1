/* SPDX-License-Identifier: MIT
 *
 * Shared by the tests of simgpu: semaphores, fences, batches, command buffers. See suite.h. */
#include "suite.h"

#include <string.h>

VkSemaphore suite_timeline(const struct vkf *f, uint64_t value)
{
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                      .initialValue = value};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    VKF_VK(vkCreateSemaphore(f->device, &info, NULL, &semaphore));
    return semaphore;
}

VkSemaphore suite_binary(const struct vkf *f)
{
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    VKF_VK(vkCreateSemaphore(f->device, &info, NULL, &semaphore));
    return semaphore;
}

uint64_t suite_timeline_value(const struct vkf *f, VkSemaphore timeline)
{
    uint64_t value = 0;
    VKF_VK(vkGetSemaphoreCounterValue(f->device, timeline, &value));
    return value;
}

bool suite_timeline_wait(const struct vkf *f, VkSemaphore timeline, uint64_t value,
                         uint64_t timeout_ns)
{
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &timeline,
                                .pValues = &value};
    VkResult result = vkWaitSemaphores(f->device, &info, timeout_ns);
    VKF_CHECK(result == VK_SUCCESS || result == VK_TIMEOUT, "vkWaitSemaphores answered %s",
              vkf_result_name(result));
    return result == VK_SUCCESS;
}

void suite_timeline_must(const struct vkf *f, VkSemaphore timeline, uint64_t value)
{
    VKF_CHECK(suite_timeline_wait(f, timeline, value, SUITE_STUCK_NS),
              "deadlock: a timeline stays at %llu, %llu is waited for",
              (unsigned long long)suite_timeline_value(f, timeline), (unsigned long long)value);
}

void suite_timeline_signal(const struct vkf *f, VkSemaphore timeline, uint64_t value)
{
    VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = timeline, .value = value};
    VKF_VK(vkSignalSemaphore(f->device, &info));
}

VkFence suite_fence(const struct vkf *f)
{
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    VKF_VK(vkCreateFence(f->device, &info, NULL, &fence));
    return fence;
}

void suite_fence_must(const struct vkf *f, VkFence fence)
{
    VkResult result = vkWaitForFences(f->device, 1, &fence, VK_TRUE, SUITE_STUCK_NS);
    VKF_CHECK(result != VK_TIMEOUT, "deadlock: a fence is not signalled");
    VKF_VK(result);
}

/* A batch in the arrays that the old structs want. */
struct arrays {
    VkSemaphore waits[SUITE_MAX_POINTS], signals[SUITE_MAX_POINTS];
    uint64_t wait_values[SUITE_MAX_POINTS], signal_values[SUITE_MAX_POINTS];
    VkPipelineStageFlags stages[SUITE_MAX_POINTS];
    uint32_t wait_count, signal_count;
    VkTimelineSemaphoreSubmitInfo values;
};

static uint32_t count_points(const struct suite_point *points)
{
    uint32_t n = 0;
    while (n < SUITE_MAX_POINTS && points[n].semaphore != VK_NULL_HANDLE)
        n++;
    return n;
}

static void split(const struct suite_batch *batch, struct arrays *a)
{
    a->wait_count = count_points(batch->waits);
    a->signal_count = count_points(batch->signals);
    for (uint32_t i = 0; i < a->wait_count; i++) {
        a->waits[i] = batch->waits[i].semaphore;
        a->wait_values[i] = batch->waits[i].value;
        a->stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    for (uint32_t i = 0; i < a->signal_count; i++) {
        a->signals[i] = batch->signals[i].semaphore;
        a->signal_values[i] = batch->signals[i].value;
    }
    a->values = (VkTimelineSemaphoreSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = a->wait_count,
        .pWaitSemaphoreValues = a->wait_values,
        .signalSemaphoreValueCount = a->signal_count,
        .pSignalSemaphoreValues = a->signal_values,
    };
}

void suite_submit(VkQueue queue, const struct suite_batch *batch, VkFence fence)
{
    struct arrays a;
    split(batch, &a);
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &a.values,
        .waitSemaphoreCount = a.wait_count,
        .pWaitSemaphores = a.waits,
        .pWaitDstStageMask = a.stages,
        .commandBufferCount = batch->commands != NULL ? 1 : 0,
        .pCommandBuffers = &batch->commands,
        .signalSemaphoreCount = a.signal_count,
        .pSignalSemaphores = a.signals,
    };
    VKF_VK(vkQueueSubmit(queue, 1, &info, fence));
}

static uint32_t infos(const struct suite_point *points, VkSemaphoreSubmitInfo *out)
{
    uint32_t count = count_points(points);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                         .semaphore = points[i].semaphore,
                                         .value = points[i].value,
                                         .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    return count;
}

void suite_submit2(VkQueue queue, const struct suite_batch *batch, VkFence fence)
{
    VkSemaphoreSubmitInfo waits[SUITE_MAX_POINTS], signals[SUITE_MAX_POINTS];
    VkCommandBufferSubmitInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                          .commandBuffer = batch->commands};
    VkSubmitInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .waitSemaphoreInfoCount = infos(batch->waits, waits),
        .pWaitSemaphoreInfos = waits,
        .commandBufferInfoCount = batch->commands != NULL ? 1 : 0,
        .pCommandBufferInfos = &commands,
        .signalSemaphoreInfoCount = infos(batch->signals, signals),
        .pSignalSemaphoreInfos = signals,
    };
    VKF_VK(vkQueueSubmit2(queue, 1, &info, fence));
}

void suite_bind(VkQueue queue, const struct suite_batch *batch, VkFence fence)
{
    struct arrays a;
    split(batch, &a);
    VkSparseBufferMemoryBindInfo buffer = {
        .buffer = batch->buffer, .bindCount = batch->bind_count, .pBinds = batch->binds};
    VkSparseImageOpaqueMemoryBindInfo image = {
        .image = batch->image, .bindCount = batch->bind_count, .pBinds = batch->binds};
    bool has_buffer = batch->buffer != VK_NULL_HANDLE, has_image = batch->image != VK_NULL_HANDLE;
    VkBindSparseInfo info = {
        .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
        .pNext = &a.values,
        .waitSemaphoreCount = a.wait_count,
        .pWaitSemaphores = a.waits,
        .bufferBindCount = has_buffer ? 1 : 0,
        .pBufferBinds = has_buffer ? &buffer : NULL,
        .imageOpaqueBindCount = has_image ? 1 : 0,
        .pImageOpaqueBinds = has_image ? &image : NULL,
        .signalSemaphoreCount = a.signal_count,
        .pSignalSemaphores = a.signals,
    };
    VKF_VK(vkQueueBindSparse(queue, 1, &info, fence));
}

void suite_bind_now(struct vkf *f, VkBuffer buffer, VkImage image, const VkSparseMemoryBind *binds,
                    uint32_t bind_count)
{
    struct suite_batch batch = {
        .buffer = buffer, .image = image, .binds = binds, .bind_count = bind_count};
    suite_bind(f->queue, &batch, f->fence);
    suite_fence_must(f, f->fence);
    VKF_VK(vkResetFences(f->device, 1, &f->fence));
}

VkCommandPool suite_pool(const struct vkf *f, uint32_t family)
{
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = family};
    VkCommandPool pool = VK_NULL_HANDLE;
    VKF_VK(vkCreateCommandPool(f->device, &info, NULL, &pool));
    return pool;
}

VkCommandBuffer suite_commands(const struct vkf *f, VkCommandPool pool)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VkCommandBuffer commands = NULL;
    VKF_VK(vkAllocateCommandBuffers(f->device, &info, &commands));
    return commands;
}

VkCommandBuffer suite_commands_begin(const struct vkf *f, VkCommandPool pool)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands = suite_commands(f, pool);
    VKF_VK(vkBeginCommandBuffer(commands, &begin));
    return commands;
}

void suite_commands_end(VkCommandBuffer commands)
{
    VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &to_host, 0, NULL, 0, NULL);
    VKF_VK(vkEndCommandBuffer(commands));
}
