/* SPDX-License-Identifier: MIT
 *
 * Command buffers as far as the reports need them: see record.h. */
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct sim_map all = SIM_MAP_INITIALIZER; /* VkCommandBuffer → struct sim_commands */

struct sim_commands *sim_commands_find(VkCommandBuffer handle)
{
    return sim_map_find(&all, sim_key(handle));
}

static void forget_recording(struct sim_commands *c)
{
    for (uint32_t i = 0; i < c->label_count; i++)
        free(c->labels[i]);
    c->label_count = 0;
    c->compute_ns = 0;
    c->transfer_count = 0;
    c->layouts.count = 0;
}

static void destroy_commands(struct sim_commands *c)
{
    if (c == NULL)
        return;
    forget_recording(c);
    free(c->transfers);
    sim_layout_steps_finish(&c->layouts);
    free(c);
}

static bool note_allocated(struct sim_device *device, VkCommandPool pool, VkCommandBuffer handle)
{
    struct sim_commands *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return false;
    c->device = device;
    c->handle = handle;
    c->pool = pool;
    if (sim_map_insert(&all, sim_key(handle), c) == 0)
        return true;
    free(c);
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_AllocateCommandBuffers(VkDevice handle,
                                                          const VkCommandBufferAllocateInfo *info,
                                                          VkCommandBuffer *out)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = device->vk.AllocateCommandBuffers(handle, info, out);
    if (result != VK_SUCCESS)
        return result;
    uint32_t known = 0;
    while (known < info->commandBufferCount &&
           note_allocated(device, info->commandPool, out[known]))
        known++;
    if (known == info->commandBufferCount)
        return VK_SUCCESS;
    sim_FreeCommandBuffers(handle, info->commandPool, info->commandBufferCount, out);
    for (uint32_t i = 0; i < info->commandBufferCount; i++)
        out[i] = VK_NULL_HANDLE; /* as Vulkan 1.3, 6.3 wants it after a failure */
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL sim_FreeCommandBuffers(VkDevice handle, VkCommandPool pool,
                                                  uint32_t count, const VkCommandBuffer *commands)
{
    for (uint32_t i = 0; i < count; i++)
        destroy_commands(sim_map_remove(&all, sim_key(commands[i])));
    sim_device_find(handle)->vk.FreeCommandBuffers(handle, pool, count, commands);
}

/* The command buffers of a pool or of a device: listed first, removed after, for the map is locked
 * while it is walked. */
struct selection {
    const struct sim_device *device;
    VkCommandPool pool; /* VK_NULL_HANDLE: any */
    VkCommandBuffer *found;
    size_t count, capacity;
};

static void select_one(void *value, void *user)
{
    const struct sim_commands *c = value;
    struct selection *s = user;
    if (c->device != s->device || (s->pool != VK_NULL_HANDLE && c->pool != s->pool))
        return;
    if (s->count == s->capacity) {
        size_t capacity = s->capacity > 0 ? 2 * s->capacity : 16;
        VkCommandBuffer *bigger = realloc(s->found, capacity * sizeof(*bigger));
        if (bigger == NULL)
            return;
        s->found = bigger;
        s->capacity = capacity;
    }
    s->found[s->count++] = c->handle;
}

static void forget(const struct sim_device *device, VkCommandPool pool)
{
    struct selection s = {.device = device, .pool = pool};
    sim_map_for_each(&all, select_one, &s);
    for (size_t i = 0; i < s.count; i++)
        destroy_commands(sim_map_remove(&all, sim_key(s.found[i])));
    free(s.found);
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyCommandPool(VkDevice handle, VkCommandPool pool,
                                                  const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    if (pool != VK_NULL_HANDLE)
        forget(device, pool);
    device->vk.DestroyCommandPool(handle, pool, allocator);
}

void sim_commands_forget_device(const struct sim_device *device)
{
    forget(device, VK_NULL_HANDLE);
}

/* --- recording: every command buffer that the program has is known */

VKAPI_ATTR VkResult VKAPI_CALL sim_BeginCommandBuffer(VkCommandBuffer handle,
                                                      const VkCommandBufferBeginInfo *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    forget_recording(c);
    return c->device->vk.BeginCommandBuffer(handle, info);
}

static void add_label(struct sim_commands *c, const char *text)
{
    static const char compute[] = "simgpu:compute_ns=";
    if (text == NULL)
        return;
    if (strncmp(text, compute, sizeof(compute) - 1) == 0) {
        char *end;
        const char *number = text + sizeof(compute) - 1;
        errno = 0;
        unsigned long long ns = strtoull(number, &end, 10);
        if (number[0] < '0' || number[0] > '9' || *end != '\0' || errno != 0)
            sim_log("a label with a number that is none: '%s'", text);
        else
            c->compute_ns += ns;
        return;
    }
    char *copy = c->label_count < SIM_MAX_LABELS ? strdup(text) : NULL;
    if (copy != NULL)
        c->labels[c->label_count++] = copy;
}

VKAPI_ATTR void VKAPI_CALL sim_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer handle,
                                                          const VkDebugUtilsLabelEXT *label)
{
    struct sim_commands *c = sim_commands_find(handle);
    add_label(c, label->pLabelName);
    if (c->device->vk.CmdBeginDebugUtilsLabelEXT != NULL)
        c->device->vk.CmdBeginDebugUtilsLabelEXT(handle, label);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer handle,
                                                           const VkDebugUtilsLabelEXT *label)
{
    struct sim_commands *c = sim_commands_find(handle);
    add_label(c, label->pLabelName);
    if (c->device->vk.CmdInsertDebugUtilsLabelEXT != NULL)
        c->device->vk.CmdInsertDebugUtilsLabelEXT(handle, label);
}

static void add_transfer(struct sim_commands *c, struct sim_transfer transfer)
{
    if (c->transfer_count == c->transfer_capacity) {
        size_t capacity = c->transfer_capacity > 0 ? 2 * c->transfer_capacity : 8;
        struct sim_transfer *bigger = realloc(c->transfers, capacity * sizeof(*bigger));
        if (bigger == NULL)
            return;
        c->transfers = bigger;
        c->transfer_capacity = capacity;
    }
    c->transfers[c->transfer_count++] = transfer;
}

VKAPI_ATTR void VKAPI_CALL sim_CmdCopyBuffer(VkCommandBuffer handle, VkBuffer src, VkBuffer dst,
                                             uint32_t count, const VkBufferCopy *regions)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++)
        add_transfer(c, (struct sim_transfer){.src = src,
                                              .dst = dst,
                                              .src_offset = regions[i].srcOffset,
                                              .dst_offset = regions[i].dstOffset,
                                              .size = regions[i].size});
    c->device->vk.CmdCopyBuffer(handle, src, dst, count, regions);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2 *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < info->regionCount; i++)
        add_transfer(c, (struct sim_transfer){.src = info->srcBuffer,
                                              .dst = info->dstBuffer,
                                              .src_offset = info->pRegions[i].srcOffset,
                                              .dst_offset = info->pRegions[i].dstOffset,
                                              .size = info->pRegions[i].size});
    c->device->vk.CmdCopyBuffer2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdFillBuffer(VkCommandBuffer handle, VkBuffer dst,
                                             VkDeviceSize offset, VkDeviceSize size, uint32_t data)
{
    struct sim_commands *c = sim_commands_find(handle);
    add_transfer(c, (struct sim_transfer){.dst = dst, .dst_offset = offset, .size = size});
    c->device->vk.CmdFillBuffer(handle, dst, offset, size, data);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer dst,
                                               VkDeviceSize offset, VkDeviceSize size,
                                               const void *data)
{
    struct sim_commands *c = sim_commands_find(handle);
    add_transfer(c, (struct sim_transfer){.dst = dst, .dst_offset = offset, .size = size});
    c->device->vk.CmdUpdateBuffer(handle, dst, offset, size, data);
}

/* A secondary command buffer is complete when it is named here, and recording it anew makes this
 * one invalid (Vulkan 1.3, 6.3): so a copy of what is in it stays right. */
static void add_secondary(struct sim_commands *c, const struct sim_commands *secondary)
{
    c->compute_ns += secondary->compute_ns;
    for (uint32_t i = 0; i < secondary->label_count; i++)
        add_label(c, secondary->labels[i]);
    for (size_t i = 0; i < secondary->transfer_count; i++)
        add_transfer(c, secondary->transfers[i]);
    sim_layout_steps_append(&c->layouts, &secondary->layouts);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                                  const VkCommandBuffer *secondaries)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++)
        add_secondary(c, sim_commands_find(secondaries[i]));
    c->device->vk.CmdExecuteCommands(handle, count, secondaries);
}
