/* SPDX-License-Identifier: MIT
 *
 * Queues. Each has a FIFO and a worker thread for submits and presents, and, where binds are
 * relaxed, a second pair for sparse binds, which then run as soon as their own semaphores allow. A
 * worker waits for an operation's semaphores, has the driver carry it out and waits for that, then
 * signals: so the driver only ever sees work whose waits are over, and its single queue cannot
 * block one simulated queue behind another. */
#pragma once

#include "sync.h"

struct sim_memory;
struct sim_region;

/* One checked range of a vkQueueBindSparse. */
struct sim_bind {
    struct sim_region *region;
    uint64_t offset, size;
    struct sim_memory *memory; /* NULL: unbind */
    uint64_t memory_offset;
};

/* A present in progress; lives on the stack of the thread that waits for it. */
struct sim_present {
    const VkPresentInfoKHR *info;
    VkResult result;
};

/* One batch: everything copied, nothing points into the program's structs (except a present's). */
struct sim_op {
    struct sim_op *next;
    struct sim_point *waits, *signals;
    uint32_t wait_count, signal_count;
    VkCommandBuffer *commands;
    uint32_t command_count;
    struct sim_bind *binds;
    uint32_t bind_count;
    bool is_bind; /* of vkQueueBindSparse, with or without ranges */
    struct sim_present *present;
    struct sim_fence *fence; /* NULL: none */
    bool loses_device;       /* lost.h */
    uint64_t number;         /* of submits with command buffers: 1, 2, … over the whole process */
    uint64_t cost_event;     /* in the cost list (costing.h) */
};

struct sim_fifo {
    struct sim_device *device;
    const struct sim_queue *queue;
    uint32_t lane;        /* of the cost model: never used twice in the process */
    VkFence driver_fence; /* the worker's own */
    pthread_t worker;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* protected by lock */
    bool started, stopping;
    struct sim_op *first, **end;
    uint64_t pending; /* pushed, not yet done with */
};

struct sim_queue {
    uintptr_t loader_word; /* must be first: the loader keeps its dispatch table here */
    struct sim_device *device;
    uint32_t family, index;
    VkDeviceQueueCreateFlags flags;
    VkSemaphore stand_in; /* a driver object that carries names and private data set on the queue */
    struct sim_fifo work, binds;
};

static inline struct sim_queue *sim_queue_from(VkQueue handle)
{
    return (struct sim_queue *)handle;
}

VkResult sim_queue_create(struct sim_device *device, uint32_t family, uint32_t index,
                          VkDeviceQueueCreateFlags flags, struct sim_queue **out);
/* Accepts NULL. device->stopping must be set: what still waits is dropped. */
void sim_queue_destroy(struct sim_queue *queue);

/* An operation with room for its lists, which the caller fills; NULL: no memory. */
struct sim_op *sim_op_create(uint32_t waits, uint32_t signals, uint32_t commands, uint32_t binds);
void sim_op_destroy(struct sim_op *op);

/* A list of operations that is pushed as a whole once nothing can fail any more. */
struct sim_op_list {
    struct sim_op *first, **end;
};
void sim_op_list_init(struct sim_op_list *list);
void sim_op_list_add(struct sim_op_list *list, struct sim_op *op);
void sim_op_list_finish(struct sim_op_list *list); /* destroys what is in it */

/* Starts the worker on first use: the only thing about queueing that can fail. Any thread. */
VkResult sim_fifo_start(struct sim_fifo *fifo);
/* Takes the list's operations over. The worker has been started. Externally synchronised as the
 * queue. */
void sim_fifo_push(struct sim_fifo *fifo, struct sim_op_list *list);
void sim_fifo_wait_idle(struct sim_fifo *fifo);
