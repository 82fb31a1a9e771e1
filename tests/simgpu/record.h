/* SPDX-License-Identifier: MIT
 *
 * What simgpu keeps of a command buffer: labels, the compute time they tell, and buffer transfers,
 * whose ranges stand in the commands themselves, and image layouts. Filled while the program
 * records (externally synchronised as the command buffer), read by the worker that runs it. */
#pragma once

#include "layouts.h"

#define SIM_MAX_LABELS 16 /* of one command buffer; further ones still count for compute_ns */

/* src VK_NULL_HANDLE: a fill or an update. */
struct sim_transfer {
    VkBuffer src, dst;
    uint64_t src_offset, dst_offset, size; /* VK_WHOLE_SIZE: to the end of dst */
};

struct sim_commands {
    /* constant after creation */
    struct sim_device *device;
    VkCommandBuffer handle;
    VkCommandPool pool;

    /* what was recorded since vkBeginCommandBuffer, secondary command buffers included */
    uint64_t compute_ns; /* sum of the labels "simgpu:compute_ns=N" */
    uint32_t label_count;
    char *labels[SIM_MAX_LABELS];
    struct sim_transfer *transfers;
    size_t transfer_count, transfer_capacity;
    struct sim_layout_steps layouts;
};

/* Of a live command buffer; never NULL. Any thread. */
struct sim_commands *sim_commands_find(VkCommandBuffer handle);
/* vkDestroyDevice: forgets what the program did not free. */
void sim_commands_forget_device(const struct sim_device *device);
