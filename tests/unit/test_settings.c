/* SPDX-License-Identifier: MIT
 *
 * os/settings: every key set, got and copied; what is refused, and what is said about it. */
#include "unit_settings.h"

#include "host_alloc.h"
#include "settings_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const known_keys[] = {
#define SPW_SETTING(kind_, key_, field_, default_, scope_, doc_) key_,
#define SPW_SETTING_LATER(key_, doc_)
#include "settings_keys.h"
#undef SPW_SETTING
#undef SPW_SETTING_LATER
};

static const char *const later_keys[] = {
#define SPW_SETTING(kind_, key_, field_, default_, scope_, doc_)
#define SPW_SETTING_LATER(key_, doc_) key_,
#include "settings_keys.h"
#undef SPW_SETTING
#undef SPW_SETTING_LATER
};

struct fixture {
    struct spw_settings s;
    struct unit_complaints complaints;
    int64_t live_before;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    f->live_before = spw_host_alloc_live();
    spw_settings_init(&f->s);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    spw_settings_finish(&f->s);
    bool leaked = spw_host_alloc_live() != f->live_before;
    free(f);
    return leaked;
}

static enum spw_result set(struct fixture *f, const char *key, const char *text)
{
    return spw_settings_set(&f->s, key, text, "the source", unit_complain, &f->complaints);
}

static void set_quietly(struct fixture *f, const char *key, const char *text)
{
    assert_int_equal(set(f, key, text), SPW_OK);
    if (f->complaints.count != 0) {
        fail_msg("%s=%s: %s", key, text, f->complaints.last);
    }
}

static void assert_shows(struct fixture *f, const char *key, const char *expected)
{
    char text[256];
    assert_true(spw_settings_get(&f->s, key, text, sizeof(text)));
    assert_string_equal(text, expected);
}

static void settings_defaults_are_those_of_the_model(void **state)
{
    struct fixture *f = *state;
    assert_true(f->s.enabled);
    assert_int_equal(f->s.mode, SPW_MODE_AUTO);
    assert_int_equal(f->s.report.kind, SPW_REPORT_VIRTUAL);
    assert_int_equal(f->s.vram_limit.kind, SPW_SIZE_UNSET);
    assert_int_equal(f->s.host_limit.kind, SPW_SIZE_UNSET);
    assert_int_equal(f->s.host_floor.kind, SPW_SIZE_UNSET);
    assert_int_equal(f->s.reserve.kind, SPW_SIZE_UNSET);
    assert_int_equal(f->s.overflow.kind, SPW_SIZE_UNSET);
    assert_int_equal(f->s.log_level, SPW_LOG_WARN);
    assert_null(f->s.log_file);
    assert_int_equal(f->s.stats, SPW_STATS_NONE);
}

static void settings_words_set_their_values(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *text;
        bool value;
    } bools[] = {{"true", true},   {"1", true},  {"yes", true}, {"on", true},
                 {"false", false}, {"0", false}, {"no", false}, {"off", false}};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(bools); i++) {
        f->s.enabled = !bools[i].value;
        set_quietly(f, "enabled", bools[i].text);
        assert_int_equal(f->s.enabled, bools[i].value);
        assert_shows(f, "enabled", bools[i].value ? "true" : "false");
    }
    static const char *const modes[] = {"auto", "paging", "priority", "redirect", "passthrough"};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(modes); i++) {
        set_quietly(f, "mode", modes[i]);
        assert_int_equal(f->s.mode, i); /* in the order of the enumeration */
        assert_shows(f, "mode", modes[i]);
        assert_string_equal(spw_mode_name(f->s.mode), modes[i]);
    }
    static const char *const levels[] = {"error", "warn", "info", "debug"};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(levels); i++) {
        set_quietly(f, "log.level", levels[i]);
        assert_int_equal(f->s.log_level, i);
        assert_shows(f, "log.level", levels[i]);
    }
    set_quietly(f, "stats", "exit");
    assert_int_equal(f->s.stats, SPW_STATS_EXIT);
    set_quietly(f, "stats", "none");
    assert_int_equal(f->s.stats, SPW_STATS_NONE);
    set_quietly(f, "report", "truthful");
    assert_int_equal(f->s.report.kind, SPW_REPORT_TRUTHFUL);
    set_quietly(f, "report", "virtual");
    assert_int_equal(f->s.report.kind, SPW_REPORT_VIRTUAL);
}

static void settings_each_size_has_its_own_field(void **state)
{
    struct fixture *f = *state;
    const struct {
        const char *key;
        const struct spw_size *field;
    } sizes[] = {{"vram_limit", &f->s.vram_limit}, {"host_limit", &f->s.host_limit},
                 {"host_floor", &f->s.host_floor}, {"reserve", &f->s.reserve},
                 {"overflow", &f->s.overflow},     {"report", &f->s.report.fixed}};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(sizes); i++) {
        char text[16];
        snprintf(text, sizeof(text), "%zuGiB", i + 1);
        set_quietly(f, sizes[i].key, text);
    }
    for (size_t i = 0; i < SPW_ARRAY_SIZE(sizes); i++) {
        assert_int_equal(sizes[i].field->kind, SPW_SIZE_BYTES);
        assert_int_equal(sizes[i].field->bytes, (i + 1) * SPW_GIB);
    }
    assert_int_equal(f->s.report.kind, SPW_REPORT_FIXED);
    set_quietly(f, "report", "80%");
    assert_int_equal(f->s.report.fixed.kind, SPW_SIZE_PERCENT);
    assert_true(f->s.report.fixed.percent == 80);
    set_quietly(f, "vram_limit", "0"); /* nothing of VRAM: strange, but a size */
    assert_int_equal(f->s.vram_limit.bytes, 0);
}

static void settings_string_is_owned(void **state)
{
    struct fixture *f = *state;
    char text[] = "/tmp/a";
    set_quietly(f, "log.file", text);
    text[5] = 'b';
    assert_string_equal(f->s.log_file, "/tmp/a");
    set_quietly(f, "log.file", text);
    assert_string_equal(f->s.log_file, "/tmp/b");
}

static void settings_empty_text_is_the_default(void **state)
{
    struct fixture *f = *state;
    char defaults[UNIT_SETTINGS_TEXT], now[UNIT_SETTINGS_TEXT];
    unit_settings_print(&f->s, defaults);
    set_quietly(f, "enabled", "off");
    set_quietly(f, "mode", "redirect");
    set_quietly(f, "report", "12GiB");
    set_quietly(f, "vram_limit", "50%");
    set_quietly(f, "log.file", "x");
    set_quietly(f, "log.level", "debug");
    set_quietly(f, "stats", "exit");
    unit_settings_print(&f->s, now);
    assert_string_not_equal(now, defaults);
    for (size_t i = 0; i < SPW_ARRAY_SIZE(known_keys); i++) {
        set_quietly(f, known_keys[i], "");
    }
    unit_settings_print(&f->s, now);
    assert_string_equal(now, defaults);
    assert_null(f->s.log_file);
}

static void settings_wrong_values_keep_the_one_before(void **state)
{
    struct fixture *f = *state;
    set_quietly(f, "mode", "redirect");
    set_quietly(f, "report", "truthful");
    set_quietly(f, "vram_limit", "6GiB");
    static const struct {
        const char *key, *text, *kept;
    } cases[] = {
        {"enabled", "TRUE", "'true'"},         {"enabled", "2", "'true'"},
        {"enabled", " true", "'true'"},        {"mode", "Redirect", "'redirect'"},
        {"mode", "redirect ", "'redirect'"},   {"mode", "3", "'redirect'"},
        {"report", "0", "'truthful'"},         {"report", "0%", "'truthful'"},
        {"report", "real", "'truthful'"},      {"report", "Virtual", "'truthful'"},
        {"vram_limit", "six", "'6442450944'"}, {"vram_limit", "-1", "'6442450944'"},
        {"reserve", "120%", "the default"},    {"log.level", "verbose", "'warn'"},
        {"log.level", "warning", "'warn'"},    {"stats", "json", "'none'"},
    };
    char before[UNIT_SETTINGS_TEXT], now[UNIT_SETTINGS_TEXT];
    unit_settings_print(&f->s, before);
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        assert_int_equal(set(f, cases[i].key, cases[i].text), SPW_INVALID);
        unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "the source", cases[i].text,
                              cases[i].kept, NULL);
        unit_settings_print(&f->s, now);
        assert_string_equal(now, before);
    }
}

static void settings_complaint_lists_every_word(void **state)
{
    struct fixture *f = *state;
    (void)set(f, "mode", "?");
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "auto", "paging", "priority", "redirect",
                          "passthrough", NULL);
    (void)set(f, "log.level", "?");
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "error", "warn", "info", "debug", NULL);
    (void)set(f, "stats", "?");
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "none", "page", "exit", NULL);
    (void)set(f, "report", "?");
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "virtual", "truthful", "size", NULL);
}

static void settings_long_value_is_cut_in_the_complaint(void **state)
{
    struct fixture *f = *state;
    char text[5000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(set(f, "mode", text), SPW_INVALID);
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "xxxx", "keeping 'auto'", NULL);
    assert_int_equal(set(f, text, "1"), SPW_NOT_FOUND);
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "xxxx", NULL);
}

static void settings_without_anyone_to_complain_to(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(spw_settings_set(&f->s, "mode", "?", "x", NULL, NULL), SPW_INVALID);
    assert_int_equal(spw_settings_set(&f->s, "?", "?", "x", NULL, NULL), SPW_NOT_FOUND);
}

static void settings_statistics_page_is_announced_as_missing(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(set(f, "stats", "page"), SPW_OK);
    assert_int_equal(f->s.stats, SPW_STATS_PAGE);
    unit_assert_complaint(&f->complaints, SPW_LOG_INFO, "the source", "no statistics page", NULL);
}

static void settings_of_later_versions_are_told_apart(void **state)
{
    struct fixture *f = *state;
    char text[16];
    for (size_t i = 0; i < SPW_ARRAY_SIZE(later_keys); i++) {
        assert_int_equal(set(f, later_keys[i], "1"), SPW_NOT_FOUND);
        unit_assert_complaint(&f->complaints, SPW_LOG_INFO, "the source", later_keys[i],
                              "this version", NULL);
        assert_false(spw_settings_get(&f->s, later_keys[i], text, sizeof(text)));
    }
    assert_false(spw_settings_get(&f->s, "mdoe", text, sizeof(text)));
}

static void settings_get_cuts_to_the_buffer(void **state)
{
    struct fixture *f = *state;
    char text[4] = "zzz";
    set_quietly(f, "mode", "redirect");
    assert_true(spw_settings_get(&f->s, "mode", text, sizeof(text)));
    assert_string_equal(text, "red");
}

/* ---- misspelt keys ---- */

static void settings_misspelt_key_is_suggested(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *wrong, *right;
    } cases[] = {{"mdoe", "'mode'"},
                 {"vramlimit", "'vram_limit'"},
                 {"log_level", "'log.level'"},
                 {"loglevel", "'log.level'"},
                 {"host-floor", "'host_floor'"},
                 {"enable", "'enabled'"},
                 {"stat", "'stats'"},
                 {"log", "'log.level'"},
                 {"vram", "'vram_limit'"},
                 {"policy.halflife", "'policy.half_life'"},
                 {"paging.min_bufer", "'paging.min_buffer'"}};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        assert_int_equal(set(f, cases[i].wrong, "1"), SPW_NOT_FOUND);
        unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "the source", cases[i].wrong,
                              "did you mean", cases[i].right, NULL);
    }
    static const char *const strange[] = {"colour", "xyzzy", "", "directory_of_everything"};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(strange); i++) {
        assert_int_equal(set(f, strange[i], "1"), SPW_NOT_FOUND);
        assert_null(strstr(f->complaints.last, "did you mean"));
        f->complaints.count = 0;
    }
}

/* The definition, without a table: what it costs to turn the one's tail into the other's. */
static unsigned naive_distance(const char *a, const char *b)
{
    if (*a == '\0' || *b == '\0') {
        return (unsigned)(strlen(a) + strlen(b));
    }
    if (*a == *b) {
        return naive_distance(a + 1, b + 1);
    }
    unsigned best = naive_distance(a + 1, b + 1);
    unsigned dropped = naive_distance(a + 1, b);
    unsigned added = naive_distance(a, b + 1);
    best = dropped < best ? dropped : best;
    best = added < best ? added : best;
    if (a[1] != '\0' && a[0] == b[1] && a[1] == b[0]) {
        unsigned swapped = naive_distance(a + 2, b + 2);
        best = swapped < best ? swapped : best;
    }
    return best + 1;
}

static void settings_edit_distance_is_the_least(void **state)
{
    (void)state;
    struct unit_rng rng = {.state = 6};
    for (int i = 0; i < 3000; i++) {
        char words[2][8];
        for (int w = 0; w < 2; w++) {
            size_t length = (size_t)unit_rng_below(&rng, 7);
            for (size_t n = 0; n < length; n++) {
                words[w][n] = (char)('a' + unit_rng_below(&rng, 3));
            }
            words[w][length] = '\0';
        }
        assert_int_equal(spw_edit_distance(words[0], words[1]), naive_distance(words[0], words[1]));
    }
    char longest[SPW_NAME_MAX + 2];
    memset(longest, 'a', sizeof(longest));
    longest[SPW_NAME_MAX] = '\0';
    assert_int_equal(spw_edit_distance(longest, ""), SPW_NAME_MAX);
    longest[SPW_NAME_MAX] = 'a';
    longest[SPW_NAME_MAX + 1] = '\0';
    assert_true(spw_edit_distance(longest, "a") > SPW_NAME_MAX);
}

/* ---- copies ---- */

static void settings_copy_is_deep(void **state)
{
    struct fixture *f = *state;
    set_quietly(f, "mode", "redirect");
    set_quietly(f, "report", "33%");
    set_quietly(f, "log.file", "/tmp/a");
    char before[UNIT_SETTINGS_TEXT], now[UNIT_SETTINGS_TEXT];
    unit_settings_print(&f->s, before);
    struct spw_settings copy;
    memset(&copy, 0xa5, sizeof(copy)); /* written as if uninitialised */
    assert_int_equal(spw_settings_copy(&copy, &f->s), SPW_OK);
    unit_settings_print(&copy, now);
    assert_string_equal(now, before);
    assert_ptr_not_equal(copy.log_file, f->s.log_file);
    set_quietly(f, "log.file", "/tmp/b");
    set_quietly(f, "mode", "auto");
    unit_settings_print(&copy, now);
    assert_string_equal(now, before);
    spw_settings_finish(&copy);
    spw_settings_finish(&copy);
    spw_settings_finish(&(struct spw_settings){0});
    spw_settings_finish(NULL);
}

static void settings_without_memory_stay(void **state)
{
    struct fixture *f = *state;
    set_quietly(f, "log.file", "/tmp/a");
    spw_host_alloc_fail_nth(1);
    assert_int_equal(set(f, "log.file", "/tmp/b"), SPW_NO_HOST_MEMORY);
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "the source", "memory", "'/tmp/a'", NULL);
    assert_string_equal(f->s.log_file, "/tmp/a");
    struct spw_settings copy = {.log_file = (char *)(uintptr_t) "untouched"};
    spw_host_alloc_fail_nth(1);
    assert_int_equal(spw_settings_copy(&copy, &f->s), SPW_NO_HOST_MEMORY);
    assert_string_equal(copy.log_file, "untouched");
    assert_string_equal(f->s.log_file, "/tmp/a");
}

/* ---- anything at all ---- */

/* Every byte but those of the key's own field is as it was. */
static void assert_only_changed(const struct fixture *f, const struct spw_settings *before,
                                const char *key)
{
    const struct spw_setting_row *row = spw_setting_find(key);
    const char *now = (const char *)&f->s, *then = (const char *)before;
    size_t end = row->offset + row->size;
    assert_memory_equal(now, then, row->offset);
    assert_memory_equal(now + end, then + end, sizeof(f->s) - end);
}

static void settings_mutated_texts_set_or_keep(void **state)
{
    struct fixture *f = *state;
    static const char *const values[] = {
        "true", "off", "auto", "redirect", "passthrough", "virtual", "truthful", "8GiB",
        "60%",  "0",   "warn", "debug",    "exit",        "page",    "/tmp/log", ""};
    static const char *const keys[] = {"enabled",   "mode",     "report", "vram_limit", "overflow",
                                       "log.level", "log.file", "stats",  "trace"};
    struct unit_rng rng = {.state = 7};
    unsigned results[SPW_NOT_FOUND + 1] = {0};
    for (int i = 0; i < 100000; i++) {
        char key[48], text[64];
        snprintf(key, sizeof(key), "%s", keys[unit_rng_below(&rng, SPW_ARRAY_SIZE(keys))]);
        snprintf(text, sizeof(text), "%s", values[unit_rng_below(&rng, SPW_ARRAY_SIZE(values))]);
        if (unit_rng_below(&rng, 4) == 0) {
            unit_mutate(&rng, key, sizeof(key), keys, SPW_ARRAY_SIZE(keys));
        }
        if (unit_rng_below(&rng, 2) == 0) {
            unit_mutate(&rng, text, sizeof(text), values, SPW_ARRAY_SIZE(values));
        }
        struct spw_settings before = f->s;
        f->complaints.count = 0;
        enum spw_result result = set(f, key, text);
        assert_true(result == SPW_OK || result == SPW_INVALID || result == SPW_NOT_FOUND);
        results[result]++;
        if (result != SPW_OK) {
            assert_int_equal(f->complaints.count, 1);
            assert_memory_equal(&f->s, &before, sizeof(before));
            continue;
        }
        assert_only_changed(f, &before, key);
        /* What get shows is another way to write the same. */
        char shown[80], again[80];
        assert_true(spw_settings_get(&f->s, key, shown, sizeof(shown)));
        assert_int_equal(set(f, key, shown), SPW_OK);
        assert_true(spw_settings_get(&f->s, key, again, sizeof(again)));
        assert_string_equal(again, shown);
    }
    assert_true(results[SPW_OK] > 5000 && results[SPW_INVALID] > 5000 &&
                results[SPW_NOT_FOUND] > 5000);
}

int main(void)
{
#define FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FIXTURE(settings_defaults_are_those_of_the_model),
        FIXTURE(settings_words_set_their_values),
        FIXTURE(settings_each_size_has_its_own_field),
        FIXTURE(settings_string_is_owned),
        FIXTURE(settings_empty_text_is_the_default),
        FIXTURE(settings_wrong_values_keep_the_one_before),
        FIXTURE(settings_complaint_lists_every_word),
        FIXTURE(settings_long_value_is_cut_in_the_complaint),
        FIXTURE(settings_without_anyone_to_complain_to),
        FIXTURE(settings_statistics_page_is_announced_as_missing),
        FIXTURE(settings_of_later_versions_are_told_apart),
        FIXTURE(settings_get_cuts_to_the_buffer),
        FIXTURE(settings_misspelt_key_is_suggested),
        FIXTURE(settings_edit_distance_is_the_least),
        FIXTURE(settings_copy_is_deep),
        FIXTURE(settings_without_memory_stay),
        FIXTURE(settings_mutated_texts_set_or_keep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
