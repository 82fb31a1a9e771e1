/* SPDX-License-Identifier: MIT
 *
 * What the exit summary counts, per VkDevice. Fixed size, nothing allocated. Externally
 * synchronised: the caller holds the physical device's lock. */
#pragma once

#include "core_types.h"

#define SPW_STATS_PLACEMENTS 64

struct spw_stats_tier {
    uint64_t bytes, peak_bytes; /* live, and the most there ever were */
    uint64_t allocations;       /* ever */
};

/* One line of "placed where and why": counts all there ever were. */
struct spw_stats_placement {
    uint32_t asked_type, placed_type;
    enum spw_tier tier; /* SPW_TIER_COUNT: not device-local */
    enum spw_why why;
    uint64_t allocations, bytes;
};

struct spw_stats {
    struct spw_stats_tier tiers[SPW_TIER_COUNT];
    uint32_t placement_count;
    struct spw_stats_placement placements[SPW_STATS_PLACEMENTS];
    uint64_t placements_lost; /* did not fit the table: driver × why combinations beyond any real
                                 driver's */
    uint64_t refusals[SPW_REFUSAL_COUNT];
};

/* A request that was granted. `tier` counts only for device-local requests; pass SPW_TIER_COUNT
 * else. */
void spw_stats_note_placed(struct spw_stats *stats, enum spw_tier tier, uint32_t asked_type,
                           uint32_t placed_type, enum spw_why why, uint64_t size_bytes);
void spw_stats_note_freed(struct spw_stats *stats, enum spw_tier tier, uint64_t size_bytes);
void spw_stats_note_refused(struct spw_stats *stats, enum spw_refusal why);
