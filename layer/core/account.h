/* SPDX-License-Identifier: MIT
 *
 * The books of one physical device: what was asked for, where it was placed, and what room is left.
 * They are kept per physical device of an instance rather than per VkDevice, since heap sizes and
 * budgets are asked of the physical device, and two VkDevices on it share its VRAM.
 *
 * Externally synchronised: the caller holds the physical device's lock (rank SPW_RANK_DEVICE).
 * Nothing here allocates or fails; room is reserved before the driver is called and given back when
 * it refuses, so that the lock is never held across a call down. */
#pragma once

#include "core_types.h"

/* Constant after init, resolved from the settings by the glue. */
struct spw_account_config {
    uint64_t limit[SPW_MAX_HEAPS];   /* bytes that may be used of a heap: its size, or vram_limit */
    uint64_t reserve[SPW_MAX_HEAPS]; /* device-local heaps; 0 for the others */
    uint64_t
        commit_cap; /* most that may be committed: the virtual size of all device-local heaps */
    uint64_t host_limit; /* most that the host tier may hold; UINT64_MAX: no limit */
};

struct spw_account {
    /* constant after init */
    struct spw_memory_layout layout;
    struct spw_account_config config;
    /* protected by the physical device's lock */
    uint64_t committed, host_bytes;
    uint64_t placed[SPW_MAX_HEAPS];
    uint64_t redirected_from[SPW_MAX_HEAPS], redirected_into[SPW_MAX_HEAPS];
    /* the driver's numbers when last asked, and what placed was then */
    bool polled;
    uint64_t driver_budget[SPW_MAX_HEAPS], driver_usage[SPW_MAX_HEAPS],
        placed_at_poll[SPW_MAX_HEAPS];
};

void spw_account_init(struct spw_account *account, const struct spw_memory_layout *layout,
                      const struct spw_account_config *config);

/* Takes the driver's numbers (heap_count of each). Without VK_EXT_memory_budget it is never called:
 * the budget is then the heap's size and the usage what we placed. */
void spw_account_note_poll(struct spw_account *account, const uint64_t *budget,
                           const uint64_t *usage);

/* Bytes of a heap in use by this process: the greater of what we placed and what the driver said,
 * brought up to date with what was placed and freed since. */
uint64_t spw_account_used(const struct spw_account *account, uint32_t heap);

/* What may be used of a heap before anything overflows: min(limit, budget) − reserve. Follows the
 * driver's budget. */
uint64_t spw_account_target(const struct spw_account *account, uint32_t heap);

/* Room left up to the target (budget and limit, less the reserve) and up to the limit (the reserve
 * may be used). The target follows the driver's budget; the limit does not: a budget is advice, a
 * limit is the user's word. */
uint64_t spw_account_room_to_target(const struct spw_account *account, uint32_t heap);
uint64_t spw_account_room_to_limit(const struct spw_account *account, uint32_t heap);

/* Room in the promise: commit_cap − committed. */
uint64_t spw_account_room_to_commit(const struct spw_account *account);
/* Room in the host tier's own limit: host_limit − host_bytes. */
uint64_t spw_account_room_in_host_tier(const struct spw_account *account);

/* Books a request for asked_type that is placed in placed_type, and takes it off again. size_bytes
 * may be anything: sums that would wrap stay at UINT64_MAX (and then no room is left). */
void spw_account_add(struct spw_account *account, uint32_t asked_type, uint32_t placed_type,
                     uint64_t size_bytes);
void spw_account_remove(struct spw_account *account, uint32_t asked_type, uint32_t placed_type,
                        uint64_t size_bytes);

bool spw_account_is_valid(const struct spw_account *account);
