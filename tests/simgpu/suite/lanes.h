/* SPDX-License-Identifier: MIT
 *
 * All queues of the card, each with a command pool, for the tests that use many at once. */
#pragma once

#include "suite.h"

enum { LANES_MAX = VKF_MAX_FAMILIES * VKF_MAX_QUEUES };

struct lane {
    VkQueue queue;
    VkCommandPool pool;
};

struct lanes {
    struct lane at[LANES_MAX]; /* neighbours are of different families where there are several */
    uint32_t count;
};

/* Skips where there are fewer than `wanted`. */
void lanes_open(const struct vkf *f, struct lanes *l, uint32_t wanted);
void lanes_close(const struct vkf *f, struct lanes *l);

VkCommandBuffer lane_record_copy(const struct vkf *f, const struct lane *lane, VkBuffer from,
                                 VkDeviceSize from_offset, VkBuffer to, VkDeviceSize to_offset,
                                 VkDeviceSize size_bytes);

/* suite_word() of the seed; a wrong word ends the test with VKF_EXIT_CONTENT. */
void words_fill(uint32_t *words, uint64_t seed, uint32_t count);
void words_check(const uint32_t *words, uint64_t seed, uint32_t count, const char *what);
