/* SPDX-License-Identifier: MIT
 *
 * All queues at once: see lanes.h. */
#include "lanes.h"

void lanes_open(const struct vkf *f, struct lanes *l, uint32_t wanted)
{
    *l = (struct lanes){0};
    for (uint32_t q = 0; q < VKF_MAX_QUEUES; q++)
        for (uint32_t i = 0; i < f->family_count; i++)
            if (q < f->queue_counts[i])
                l->at[l->count++] = (struct lane){f->queues[i][q], suite_pool(f, i)};
    if (l->count < wanted)
        VKF_SKIP("this card has only %u queues", l->count);
}

void lanes_close(const struct vkf *f, struct lanes *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        vkDestroyCommandPool(f->device, l->at[i].pool, NULL);
    l->count = 0;
}

VkCommandBuffer lane_record_copy(const struct vkf *f, const struct lane *lane, VkBuffer from,
                                 VkDeviceSize from_offset, VkBuffer to, VkDeviceSize to_offset,
                                 VkDeviceSize size_bytes)
{
    VkCommandBuffer commands = suite_commands_begin(f, lane->pool);
    VkBufferCopy region = {.srcOffset = from_offset, .dstOffset = to_offset, .size = size_bytes};
    vkCmdCopyBuffer(commands, from, to, 1, &region);
    suite_commands_end(commands);
    return commands;
}

void words_fill(uint32_t *words, uint64_t seed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        words[i] = suite_word(seed, i);
}

void words_check(const uint32_t *words, uint64_t seed, uint32_t count, const char *what)
{
    for (uint32_t i = 0; i < count; i++)
        if (words[i] != suite_word(seed, i))
            vkf_exit_with(VKF_EXIT_CONTENT, __FILE__, __LINE__, "%s: word %u is %#x, not %#x", what,
                          i, words[i], suite_word(seed, i));
}
