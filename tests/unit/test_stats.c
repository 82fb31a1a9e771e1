/* SPDX-License-Identifier: MIT
 *
 * core/stats and os/stats_json: what is counted, and that a JSON reader finds the same numbers. */
#include "unit.h"

#include "host_alloc.h"
#include "stats.h"
#include "stats_json.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static void stats_peak_is_the_most_there_was(void **state)
{
    (void)state;
    struct spw_stats s = {0};
    struct unit_rng rng = {.state = 50};
    uint64_t live[20] = {0}, bytes = 0, peak = 0, allocations = 0;
    for (int i = 0; i < 2000; i++) {
        size_t at = (size_t)unit_rng_below(&rng, SPW_ARRAY_SIZE(live));
        if (live[at] != 0) {
            spw_stats_note_freed(&s, SPW_TIER_HOST, live[at]);
            bytes -= live[at];
            live[at] = 0;
        } else {
            live[at] = 1 + unit_rng_below(&rng, 1000);
            spw_stats_note_placed(&s, SPW_TIER_HOST, 1, 0, SPW_WHY_VRAM_FULL, live[at]);
            bytes += live[at];
            allocations++;
        }
        peak = bytes > peak ? bytes : peak;
        assert_int_equal(s.tiers[SPW_TIER_HOST].bytes, bytes);
        assert_int_equal(s.tiers[SPW_TIER_HOST].peak_bytes, peak);
        assert_int_equal(s.tiers[SPW_TIER_HOST].allocations, allocations);
    }
    assert_int_equal(s.tiers[SPW_TIER_VRAM].allocations, 0);
    assert_int_equal(s.placement_count, 1);
    assert_int_equal(s.placements[0].allocations, allocations);
}

static void stats_each_way_has_its_line(void **state)
{
    (void)state;
    struct spw_stats s = {0};
    spw_stats_note_placed(&s, SPW_TIER_VRAM, 1, 1, SPW_WHY_FITS, 10);
    spw_stats_note_placed(&s, SPW_TIER_HOST, 1, 0, SPW_WHY_VRAM_FULL, 20);
    spw_stats_note_placed(&s, SPW_TIER_VRAM, 1, 1, SPW_WHY_FITS, 30);
    spw_stats_note_placed(&s, SPW_TIER_VRAM, 1, 1, SPW_WHY_VRAM_RESERVE, 40);
    spw_stats_note_placed(&s, SPW_TIER_COUNT, 2, 2, SPW_WHY_NOT_DEVICE_LOCAL, 50);
    spw_stats_note_freed(&s, SPW_TIER_VRAM, 10); /* lines count what there ever was */
    spw_stats_note_freed(&s, SPW_TIER_COUNT, 50);
    assert_int_equal(s.placement_count, 4);
    assert_int_equal(s.placements[0].bytes, 40);
    assert_int_equal(s.placements[0].allocations, 2);
    assert_int_equal(s.placements[1].bytes, 20);
    assert_int_equal(s.placements[2].why, SPW_WHY_VRAM_RESERVE);
    assert_int_equal(s.placements[3].tier, SPW_TIER_COUNT);
    assert_int_equal(s.tiers[SPW_TIER_VRAM].bytes, 70);
    assert_int_equal(s.tiers[SPW_TIER_HOST].bytes, 20);
}

static void stats_beyond_the_table_are_counted_as_lost(void **state)
{
    (void)state;
    struct spw_stats s = {0};
    for (uint32_t i = 0; i < SPW_STATS_PLACEMENTS + 5; i++) {
        spw_stats_note_placed(&s, SPW_TIER_VRAM, i / 32, i % 32, SPW_WHY_FITS, 1);
    }
    spw_stats_note_placed(&s, SPW_TIER_VRAM, 0, 0, SPW_WHY_FITS, 1); /* has its line */
    assert_int_equal(s.placement_count, SPW_STATS_PLACEMENTS);
    assert_int_equal(s.placements_lost, 5);
    assert_int_equal(s.placements[0].allocations, 2);
    assert_int_equal(s.tiers[SPW_TIER_VRAM].bytes, SPW_STATS_PLACEMENTS + 6);
}

static void stats_sums_do_not_wrap(void **state)
{
    (void)state;
    struct spw_stats s = {0};
    spw_stats_note_placed(&s, SPW_TIER_HOST, 1, 0, SPW_WHY_VRAM_FULL, UINT64_MAX - 1);
    spw_stats_note_placed(&s, SPW_TIER_HOST, 1, 0, SPW_WHY_VRAM_FULL, 100);
    assert_int_equal(s.tiers[SPW_TIER_HOST].bytes, UINT64_MAX);
    assert_int_equal(s.placements[0].bytes, UINT64_MAX);
    spw_stats_note_freed(&s, SPW_TIER_VRAM, 7);
    assert_int_equal(s.tiers[SPW_TIER_VRAM].bytes, 0);
}

static void stats_every_name_is_its_own(void **state)
{
    (void)state;
    const char *names[SPW_TIER_COUNT + SPW_WHY_COUNT + SPW_REFUSAL_COUNT];
    size_t count = 0;
    for (int i = 0; i < SPW_TIER_COUNT; i++) {
        names[count++] = spw_tier_name((enum spw_tier)i);
    }
    for (int i = 0; i < SPW_WHY_COUNT; i++) {
        names[count++] = spw_why_name((enum spw_why)i);
    }
    for (int i = 0; i < SPW_REFUSAL_COUNT; i++) {
        names[count++] = spw_refusal_name((enum spw_refusal)i);
    }
    for (size_t i = 0; i < count; i++) {
        assert_non_null(names[i]);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(names[i], names[j]);
        }
    }
}

/* ---- as JSON ---- */

static struct json_object *get(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    if (!json_object_object_get_ex(object, key, &value) || value == NULL) {
        fail_msg("no '%s' in %s", key, json_object_to_json_string(object));
    }
    return value;
}

static uint64_t number(struct json_object *object, const char *key)
{
    return json_object_get_uint64(get(object, key));
}

static const char *text_of(struct json_object *object, const char *key)
{
    return json_object_get_string(get(object, key));
}

static void stats_json_says_what_was_counted(void **state)
{
    (void)state;
    static struct spw_device_summary d = {.name = "A \"card\" \\ of\n\xc2\xb5",
                                          .mode = "redirect",
                                          .reason = "no paging yet",
                                          .vram_target = 7600,
                                          .virtual_size = UINT64_MAX};
    spw_stats_note_placed(&d.stats, SPW_TIER_VRAM, 1, 1, SPW_WHY_FITS, 10);
    spw_stats_note_placed(&d.stats, SPW_TIER_HOST, 1, 0, SPW_WHY_VRAM_FULL, UINT64_MAX - 2);
    spw_stats_note_freed(&d.stats, SPW_TIER_VRAM, 4);
    spw_stats_note_refused(&d.stats, SPW_REFUSAL_HOST_FLOOR);
    spw_stats_note_refused(&d.stats, SPW_REFUSAL_HOST_FLOOR);
    char *text = spw_stats_to_json("9.9", &d, 1, 3);
    assert_non_null(text);
    assert_null(strchr(text, '\n')); /* a line */

    struct json_object *root = json_tokener_parse(text);
    assert_non_null(root);
    struct json_object *spillway = get(root, "spillway");
    assert_string_equal(text_of(spillway, "version"), "9.9");
    assert_int_equal(number(spillway, "devices_left_out"), 3);
    struct json_object *devices = get(spillway, "devices");
    assert_int_equal(json_object_array_length(devices), 1);
    struct json_object *device = json_object_array_get_idx(devices, 0);
    assert_string_equal(text_of(device, "name"), d.name);
    assert_string_equal(text_of(device, "mode"), "redirect");
    assert_string_equal(text_of(device, "reason"), "no paging yet");
    assert_int_equal(number(device, "vram_target"), 7600);
    assert_int_equal(number(device, "virtual_size"), UINT64_MAX);
    struct json_object *vram = get(get(device, "tiers"), "vram");
    assert_int_equal(number(vram, "bytes"), 6);
    assert_int_equal(number(vram, "peak_bytes"), 10);
    assert_int_equal(number(vram, "allocations"), 1);
    assert_int_equal(number(get(get(device, "tiers"), "host"), "bytes"), UINT64_MAX - 2);
    struct json_object *placements = get(device, "placements");
    assert_int_equal(json_object_array_length(placements), 2);
    struct json_object *line = json_object_array_get_idx(placements, 1);
    assert_int_equal(number(line, "asked_type"), 1);
    assert_int_equal(number(line, "placed_type"), 0);
    assert_string_equal(text_of(line, "tier"), "host");
    assert_string_equal(text_of(line, "why"), "vram-full");
    assert_int_equal(number(line, "allocations"), 1);
    assert_int_equal(number(line, "bytes"), UINT64_MAX - 2);
    assert_int_equal(number(get(device, "refusals"), "host-floor"), 2);
    assert_int_equal(number(get(device, "refusals"), "virtual-heap-full"), 0);
    assert_int_equal(number(get(device, "refusals"), "driver"), 0);
    json_object_put(root);
    spw_free(text);
}

static void stats_json_of_nothing_is_still_json(void **state)
{
    (void)state;
    char *text = spw_stats_to_json("1", NULL, 0, 0);
    assert_string_equal(text, "{\"spillway\":{\"version\":\"1\",\"devices\":[]}}");
    spw_free(text);
    spw_host_alloc_fail_nth(1);
    assert_null(spw_stats_to_json("1", NULL, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats_peak_is_the_most_there_was),
        cmocka_unit_test(stats_each_way_has_its_line),
        cmocka_unit_test(stats_beyond_the_table_are_counted_as_lost),
        cmocka_unit_test(stats_sums_do_not_wrap),
        cmocka_unit_test(stats_every_name_is_its_own),
        cmocka_unit_test(stats_json_says_what_was_counted),
        cmocka_unit_test(stats_json_of_nothing_is_still_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
