/* SPDX-License-Identifier: MIT
 *
 * Counters of the exit summary: see stats.h. */
#include "stats.h"

static const char *const tier_names[SPW_TIER_COUNT] = {
    [SPW_TIER_VRAM] = "vram",
    [SPW_TIER_HOST] = "host",
};

static const char *const why_names[SPW_WHY_COUNT] = {
    [SPW_WHY_FITS] = "fits",
    [SPW_WHY_OTHER_VRAM] = "other-vram",
    [SPW_WHY_VRAM_FULL] = "vram-full",
    [SPW_WHY_DRIVER_FULL] = "driver-full",
    [SPW_WHY_VRAM_RESERVE] = "vram-reserve",
    [SPW_WHY_LEFT_ALONE] = "left-alone",
    [SPW_WHY_NOT_DEVICE_LOCAL] = "not-device-local",
};

static const char *const refusal_names[SPW_REFUSAL_COUNT] = {
    [SPW_REFUSAL_VIRTUAL_HEAP] = "virtual-heap-full",
    [SPW_REFUSAL_HOST_FLOOR] = "host-floor",
    [SPW_REFUSAL_NO_TYPE] = "no-memory-type",
    [SPW_REFUSAL_DRIVER] = "driver",
};

const char *spw_tier_name(enum spw_tier tier)
{
    return tier_names[tier];
}

const char *spw_why_name(enum spw_why why)
{
    return why_names[why];
}

const char *spw_refusal_name(enum spw_refusal refusal)
{
    return refusal_names[refusal];
}

static struct spw_stats_placement *placement_line(struct spw_stats *stats, enum spw_tier tier,
                                                  uint32_t asked_type, uint32_t placed_type,
                                                  enum spw_why why)
{
    for (uint32_t i = 0; i < stats->placement_count; i++) {
        struct spw_stats_placement *line = &stats->placements[i];
        if (line->asked_type == asked_type && line->placed_type == placed_type && line->why == why)
            return line;
    }
    if (stats->placement_count == SPW_STATS_PLACEMENTS)
        return NULL;
    struct spw_stats_placement *line = &stats->placements[stats->placement_count++];
    *line = (struct spw_stats_placement){
        .asked_type = asked_type, .placed_type = placed_type, .tier = tier, .why = why};
    return line;
}

void spw_stats_note_placed(struct spw_stats *stats, enum spw_tier tier, uint32_t asked_type,
                           uint32_t placed_type, enum spw_why why, uint64_t size_bytes)
{
    struct spw_stats_placement *line = placement_line(stats, tier, asked_type, placed_type, why);
    if (line) {
        line->allocations++;
        line->bytes = spw_add_sat_u64(line->bytes, size_bytes);
    } else {
        stats->placements_lost++;
    }
    if (tier == SPW_TIER_COUNT)
        return;
    struct spw_stats_tier *t = &stats->tiers[tier];
    t->allocations++;
    t->bytes = spw_add_sat_u64(t->bytes, size_bytes);
    t->peak_bytes = spw_max_u64(t->peak_bytes, t->bytes);
}

void spw_stats_note_freed(struct spw_stats *stats, enum spw_tier tier, uint64_t size_bytes)
{
    if (tier != SPW_TIER_COUNT)
        stats->tiers[tier].bytes = spw_sub_sat_u64(stats->tiers[tier].bytes, size_bytes);
}

void spw_stats_note_refused(struct spw_stats *stats, enum spw_refusal why)
{
    stats->refusals[why]++;
}
