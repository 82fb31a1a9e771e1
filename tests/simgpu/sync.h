/* SPDX-License-Identifier: MIT
 *
 * Semaphores and fences. The handles are real driver objects, so that naming and private data work,
 * but the driver never waits for or signals them: their state is here, under one lock and one
 * condition variable per device. Every semaphore is a timeline. A binary one gets its values when
 * it is submitted, on the program's thread: a signal takes the next number, a wait the number of
 * the last signal, which the specification wants submitted before the wait. */
#pragma once

#include "sim.h"

/* protected by device->sync_lock; lives from create to destroy, which take that lock as well: no
 * worker is still inside a signal when the object goes. */
struct sim_semaphore {
    bool binary;        /* constant */
    uint64_t id;        /* constant; never used twice in the process */
    uint64_t value;     /* reached */
    uint64_t submitted; /* binary: what the last submitted signal will reach */
};

struct sim_fence {
    bool signalled;
};

/* A semaphore and the value to wait for, or to reach. */
struct sim_point {
    struct sim_semaphore *semaphore;
    uint64_t value;
};

/* Called in submission order on the program's thread. value is ignored for binary semaphores. */
struct sim_point sim_point_for_wait(struct sim_device *device, VkSemaphore semaphore,
                                    uint64_t value);
struct sim_point sim_point_for_signal(struct sim_device *device, VkSemaphore semaphore,
                                      uint64_t value);

/* NULL for VK_NULL_HANDLE. */
struct sim_fence *sim_fence_find(struct sim_device *device, VkFence fence);

/* Waits without limit; false: the device is being destroyed or is lost. */
bool sim_points_wait(struct sim_device *device, const struct sim_point *points, uint32_t count);
/* The semaphores first, then the fence (may be NULL), at one go. */
void sim_points_signal(struct sim_device *device, const struct sim_point *points, uint32_t count,
                       struct sim_fence *fence);
/* false: the device is being destroyed. */
bool sim_fence_wait(struct sim_device *device, const struct sim_fence *fence);
