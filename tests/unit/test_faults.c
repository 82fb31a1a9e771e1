/* SPDX-License-Identifier: MIT
 *
 * Every allocation of a scenario fails once: no crash, no leak, and what was there before is still
 * there. Run under ASan as well, this is the proof for the error paths of base and os. */
#include "unit_settings.h"

#include "handle_map.h"
#include "host_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scenario ends at the first failure, as the glue does, and cleans up after itself. Returns
 * whether it got to its end. */
typedef bool scenario_fn(void);

static bool set_and_copy_settings(void)
{
    struct spw_settings s, copy = {0}, second = {0};
    bool well = false;
    spw_settings_init(&s);
    spw_settings_read_env(&s, NULL, NULL);
    if (s.log_file == NULL || spw_settings_copy(&copy, &s) != SPW_OK) {
        goto end;
    }
    if (spw_settings_set(&copy, "log.file", "/tmp/other", "x", NULL, NULL) != SPW_OK ||
        spw_settings_copy(&second, &copy) != SPW_OK) {
        goto end;
    }
    assert_string_equal(second.log_file, "/tmp/other");
    assert_string_equal(s.log_file, "/tmp/first");
    well = true;
end:
    spw_settings_finish(&second);
    spw_settings_finish(&copy);
    spw_settings_finish(&s);
    return well;
}

/* Objects as the glue keeps them: allocated, put in a map, found again, taken out. */
static bool fill_and_empty_map(void)
{
    struct spw_handle_map map;
    bool well = true;
    uint64_t filled = 0;
    spw_handle_map_init(&map);
    for (uint64_t key = 1; key <= 60 && well; key++) {
        char *object = spw_strdup("object");
        if (object == NULL || spw_handle_map_insert(&map, key, object) != SPW_OK) {
            spw_free(object);
            well = false;
        } else {
            filled = key;
        }
    }
    assert_true(spw_handle_map_is_valid(&map));
    for (uint64_t key = 1; key <= filled; key++) {
        char *object = spw_handle_map_find(&map, key);
        assert_non_null(object);
        assert_string_equal(object, "object");
        assert_ptr_equal(spw_handle_map_remove(&map, key), object);
        spw_free(object);
    }
    assert_int_equal(map.live_count, 0);
    spw_handle_map_finish(&map);
    return well;
}

static bool churn_map(void)
{
    static char object;
    struct spw_handle_map map;
    bool well = true;
    spw_handle_map_init(&map);
    for (uint64_t key = 1; key <= 300 && well; key++) {
        well = spw_handle_map_insert(&map, key, &object) == SPW_OK;
        if (well && key % 3 != 0) {
            assert_ptr_equal(spw_handle_map_remove(&map, key), &object);
        }
    }
    assert_true(spw_handle_map_is_valid(&map));
    spw_handle_map_finish(&map);
    return well;
}

/* Returns how many failures it took. */
static uint32_t fail_each_allocation(scenario_fn *scenario)
{
    int64_t live_before = spw_host_alloc_live();
    for (uint32_t n = 1;; n++) {
        spw_host_alloc_fail_nth(n);
        bool well = scenario();
        bool failed = !spw_host_alloc_fail_pending();
        spw_host_alloc_fail_nth(0);
        assert_int_equal(well, !failed); /* every failure is noticed, and nothing else is one */
        assert_int_equal(spw_host_alloc_live(), live_before);
        if (!failed) {
            return n - 1;
        }
    }
}

static void faults_in_settings_leave_no_trace(void **state)
{
    (void)state;
    clearenv();
    setenv("SPILLWAY_LOG_FILE", "/tmp/first", 1);
    setenv("SPILLWAY_VRAM_LIMIT", "1GiB", 1);
    assert_int_equal(fail_each_allocation(set_and_copy_settings), 4);
}

static void faults_in_handle_map_leave_no_trace(void **state)
{
    (void)state;
    /* 60 objects; tables of 16, 32, 64 and 128 slots, of which three quarters are used. */
    assert_int_equal(fail_each_allocation(fill_and_empty_map), 60 + 4);
    /* The 100 that stay need up to 256 slots: five sizes, with a second table for some of them. */
    uint32_t count = fail_each_allocation(churn_map);
    assert_true(count >= 5 && count <= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_in_settings_leave_no_trace),
        cmocka_unit_test(faults_in_handle_map_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
