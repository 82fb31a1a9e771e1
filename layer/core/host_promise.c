/* SPDX-License-Identifier: MIT
 *
 * Host memory promised to overflow: see host_promise.h. */
#include "host_promise.h"

static uint64_t room_locked(struct spw_host_promise *p, uint64_t available_bytes,
                            uint64_t floor_bytes) SPW_REQUIRES(&p->lock)
{
    spw_assert_held(&p->lock);
    if (p->promised_bytes == 0)
        p->baseline_bytes = available_bytes;
    p->baseline_bytes = spw_max_u64(p->baseline_bytes, available_bytes);
    uint64_t unpromised = spw_sub_sat_u64(p->baseline_bytes, p->promised_bytes);
    return spw_sub_sat_u64(spw_min_u64(available_bytes, unpromised), floor_bytes);
}

enum spw_result spw_host_promise_take(struct spw_host_promise *p, uint64_t size_bytes,
                                      uint64_t available_bytes, uint64_t floor_bytes)
{
    spw_mutex_lock(&p->lock);
    enum spw_result result = SPW_NO_ROOM;
    if (size_bytes <= room_locked(p, available_bytes, floor_bytes)) {
        p->promised_bytes += size_bytes; /* cannot wrap: size ≤ room ≤ baseline − promised */
        result = SPW_OK;
    }
    spw_mutex_unlock(&p->lock);
    return result;
}

void spw_host_promise_give_back(struct spw_host_promise *p, uint64_t size_bytes)
{
    spw_mutex_lock(&p->lock);
    p->promised_bytes = spw_sub_sat_u64(p->promised_bytes, size_bytes);
    spw_mutex_unlock(&p->lock);
}

uint64_t spw_host_promise_room(struct spw_host_promise *p, uint64_t available_bytes,
                               uint64_t floor_bytes)
{
    spw_mutex_lock(&p->lock);
    uint64_t room = room_locked(p, available_bytes, floor_bytes);
    spw_mutex_unlock(&p->lock);
    return room;
}
