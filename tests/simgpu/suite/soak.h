/* SPDX-License-Identifier: MIT
 *
 * The soak. Steps are planned in windows; an operation waits only for operations planned before it,
 * and a queue gets its operations in the order of planning, but which queue gets its next one first
 * is drawn by lot: so most waits are submitted long before what they wait for.
 *
 * A lane is one timeline: the submits of a queue, or its binds (which need not follow submission
 * order, so they have a lane of their own and are chained). The ticket of an operation is its
 * number in its lane; tickets grow in submission order.
 *
 * soak_plan.c draws steps and records them, soak.c owns the run: submission, reaping, checking. */
#pragma once

#include "suite.h"

enum {
    SOAK_QUEUES = 4, /* the last one is the bind queue */
    SOAK_LANES = 2 * SOAK_QUEUES,
    SOAK_BUFFERS = 20,
    SOAK_MAX_BLOCKS = 4, /* of a buffer */
    SOAK_SLAB_BLOCKS = 96,
    SOAK_SLABS = 2,   /* VRAM, host */
    SOAK_WINDOW = 16, /* steps */
    SOAK_WINDOWS = 2, /* in flight */
    SOAK_OPS = 4 * SOAK_WINDOW,
};

struct soak_ticket {
    uint32_t lane;
    uint64_t number; /* 0: none */
};

struct soak_place {
    uint32_t slab, block;
};

struct soak_buffer {
    struct vkf_buffer sparse;
    VkDeviceAddress address;
    uint32_t block_count;
    struct soak_place places[SOAK_MAX_BLOCKS];
    bool filled;
    uint32_t seed;
    struct soak_ticket last, written; /* what the next operation on it has to wait for */
    uint64_t last_window;
};

enum soak_kind { SOAK_FILL, SOAK_CHECK, SOAK_MOVE_COPY, SOAK_BIND, SOAK_POISON };

struct soak_op {
    enum soak_kind kind;
    uint32_t queue, lane, buffer;
    uint64_t number;
    struct soak_ticket waits[3];
    uint64_t gate; /* 0: none; else waits for the host's timeline too */
    VkCommandBuffer commands;
    VkSparseMemoryBind binds[SOAK_MAX_BLOCKS];
    uint32_t bind_count;
    struct soak_place freed[SOAK_MAX_BLOCKS]; /* by SOAK_POISON, once it is done */
    uint32_t freed_count;
    uint32_t slot, words, seed; /* SOAK_CHECK: what has to be in the slot */
    bool submitted;
};

struct soak_window {
    uint64_t number; /* from 1; 0: never used */
    struct soak_op ops[SOAK_OPS];
    uint32_t op_count;
    VkCommandBuffer commands[SOAK_QUEUES][SOAK_OPS];
    uint32_t commands_used[SOAK_QUEUES];
    uint32_t slots_used;
    struct suite_mapped slots; /* SOAK_WINDOW of SOAK_MAX_BLOCKS each */
    VkDeviceAddress slots_address;
};

struct soak {
    struct vkf *f;
    uint64_t random;
    VkQueue queues[SOAK_QUEUES];
    bool computes[SOAK_QUEUES];
    VkCommandPool pools[SOAK_QUEUES];
    VkSemaphore lanes[SOAK_LANES], gate;
    uint64_t planned[SOAK_LANES], gates;
    struct vkf_compute shader;
    struct suite_slab slabs[SOAK_SLABS];
    bool taken[SOAK_SLABS][SOAK_SLAB_BLOCKS];
    struct soak_buffer buffers[SOAK_BUFFERS];
    struct soak_window windows[SOAK_WINDOWS];
    uint64_t window_count, reaped_windows;
    uint64_t steps, checks, moves, waits_ahead; /* what was done */
};

/* Plans up to SOAK_WINDOW steps. */
void soak_plan_window(struct soak *s, struct soak_window *w, uint32_t steps);
void soak_buffer_make(struct soak *s, struct soak_window *w, uint32_t index);

/* The same as hash() in address.comp. */
uint32_t soak_hash(uint32_t seed, uint32_t i);
