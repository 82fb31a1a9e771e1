/* SPDX-License-Identifier: MIT
 *
 * Host memory promised to overflow, by the whole process. MemAvailable alone does not tell what is
 * left: memory that was handed out but not touched yet has not lowered it. So promises are counted
 * too, without counting twice what was touched:
 *
 *     room = min(now, baseline − promised) − floor
 *
 * where `now` is MemAvailable and `baseline` the highest MemAvailable seen since nothing was
 * promised: as long as MemAvailable fell by less than what we promised, the rest of the promise
 * counts as untouched.
 *
 * Any thread: own lock (rank SPW_RANK_HOST_PROMISE). */
#pragma once

#include "base.h"
#include "lock.h"

struct spw_host_promise {
    struct spw_mutex lock;
    /* protected by lock */
    uint64_t baseline_bytes, promised_bytes;
};

/* Promises size_bytes if that leaves floor_bytes available. NO_ROOM: it does not; nothing changed.
 */
SPW_MUST_CHECK enum spw_result spw_host_promise_take(struct spw_host_promise *p,
                                                     uint64_t size_bytes, uint64_t available_bytes,
                                                     uint64_t floor_bytes);
void spw_host_promise_give_back(struct spw_host_promise *p, uint64_t size_bytes);

/* What could be promised now. */
uint64_t spw_host_promise_room(struct spw_host_promise *p, uint64_t available_bytes,
                               uint64_t floor_bytes);
