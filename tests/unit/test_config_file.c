/* SPDX-License-Identifier: MIT
 *
 * os/config_file: every complaint names the file, its line and the key path, and what is right
 * beside what is wrong stays in force. */
#include "unit.h"

#include "config_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEARD 32

struct heard {
    size_t count;
    enum spw_log_level levels[MAX_HEARD];
    char texts[MAX_HEARD][1100];
};

static void hear(void *user, enum spw_log_level level, const char *message)
{
    struct heard *heard = user;
    assert_true(heard->count < MAX_HEARD);
    heard->levels[heard->count] = level;
    snprintf(heard->texts[heard->count++], sizeof(heard->texts[0]), "%s", message);
}

struct checked {
    struct spw_config_file file;
    struct heard heard;
    struct spw_file_complaints complaints;
};

static struct checked *check(const char *text)
{
    static char path[] = "/f.json";
    struct checked *c = calloc(1, sizeof(*c));
    struct spw_json_error error;
    c->file.path = path;
    c->complaints = (struct spw_file_complaints){.path = path, .complain = hear, .user = &c->heard};
    assert_int_equal(spw_json_parse(text, strlen(text), &c->file.tree, &error), SPW_OK);
    spw_config_file_check(&c->file, &c->complaints);
    return c;
}

static void finish(struct checked *c)
{
    spw_json_destroy(c->file.tree);
    free(c);
}

/* The program and GPU of all tests here. */
static char *value_of(struct checked *c, const char *key)
{
    static char value[256];
    char executable[] = "/usr/bin/game";
    struct spw_config config = {.files = &c->file, .file_count = 1};
    const struct spw_program program = {.executable = executable};
    const struct spw_gpu gpu = {.vendor_id = 0x10de, .device_id = 7, .name = "Card"};
    struct spw_effective effective;
    assert_int_equal(spw_config_resolve(&config, &program, &gpu, NULL, &effective, NULL, NULL),
                     SPW_OK);
    assert_true(spw_settings_get(&effective.settings, key, value, sizeof(value)));
    spw_effective_finish(&effective);
    return value;
}

#define DEFAULTS(members) "{\n\"defaults\": {\n" members "}}"
#define PROFILE(members)  "{\n\"profiles\": [\n{\"match\": {\"executable\": \"*\"},\n" members "}]}"
#define MATCH(members)    "{\n\"profiles\": [\n{\"mode\": \"redirect\",\n\"match\": {" members "}}]}"

static void config_file_complains_with_line_and_key_path(void **state)
{
    (void)state;
    static const struct {
        const char *text, *start, *words;
    } cases[] = {
        {"[]", "/f.json:1: ", "a configuration is an object"},
        {"{\"default\": {}}", "/f.json:1: default: ", "did you mean 'defaults'?"},
        {"{\"mode\": \"auto\"}", "/f.json:1: mode: ", "settings stand in 'defaults'"},
        {"{\"colour\": 1}", "/f.json:1: colour: ", "no such key here"},
        {"{\n\"defaults\": []}", "/f.json:2: defaults: ", "an object, not a list"},
        {"{\n\"profiles\": {}}", "/f.json:2: profiles: ", "a list of objects, not an object"},
        {"{\"comment\": 1}", "/f.json:1: comment: ", "a text, not a number"},
        {DEFAULTS("\"mdoe\": \"auto\""), "/f.json:3: defaults.mdoe: ", "did you mean 'mode'?"},
        {DEFAULTS("\"log\": {\"level\": \"info\"}"),
         "/f.json:3: defaults.log: ", "did you mean 'log.level'?"},
        {DEFAULTS("\"mode\": \"fast\""),
         "/f.json:3: defaults.mode: ", "'fast' is not auto, paging"},
        {DEFAULTS("\"mode\": 1"), "/f.json:3: defaults.mode: ", "(in double quotes), not a number"},
        {DEFAULTS("\"enabled\": \"true\""),
         "/f.json:3: defaults.enabled: ", "true or false (without quotes), not a text"},
        {DEFAULTS("\"enabled\": 1"), "/f.json:3: defaults.enabled: ", "not a number"},
        {DEFAULTS("\"vram_limit\": \"8 GB of it\""),
         "/f.json:3: defaults.vram_limit: ", "'8 GB of it' is not a size"},
        {DEFAULTS("\"vram_limit\": -1"), "/f.json:3: defaults.vram_limit: ", "'-1' is not a size"},
        {DEFAULTS("\"vram_limit\": 1.5"), "/f.json:3: defaults.vram_limit: ", "'1.5' is not"},
        {DEFAULTS("\"vram_limit\": \"\""), "/f.json:3: defaults.vram_limit: ", "'' is not a size"},
        {DEFAULTS("\"vram_limit\": true"), "/f.json:3: defaults.vram_limit: ", "not true or false"},
        {DEFAULTS("\"report\": 0"), "/f.json:3: defaults.report: ", "'0' is not virtual"},
        {DEFAULTS("\"log.file\": [\"/x\"]"), "/f.json:3: defaults.log.file: ", "not a list"},
        {DEFAULTS("\"mode\": \"auto\",\n\"stats\": \"exit\",\n\"mode\": \"auto\""),
         "/f.json:5: defaults.mode: ", "also in line 3): neither is used"},
        {PROFILE("\"reprot\": \"virtual\""),
         "/f.json:4: profiles[0].reprot: ", "did you mean 'report'?"},
        {PROFILE("\"mach\": 1"), "/f.json:4: profiles[0].mach: ", "did you mean 'match'?"},
        {PROFILE("\"name\": 1"), "/f.json:4: profiles[0].name: ", "a text"},
        {"{\"profiles\": [{\"match\": {\"executable\": \"a\"}},\n1]}",
         "/f.json:2: profiles[1]: ", "an object, not a number"},
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        struct checked *c = check(cases[i].text);
        const char *text = c->heard.texts[0];
        if (c->heard.count != 1 || c->heard.levels[0] != SPW_LOG_WARN ||
            strncmp(text, cases[i].start, strlen(cases[i].start)) != 0 ||
            strstr(text, cases[i].words) == NULL) {
            fail_msg("%s: %zu complaints: %s", cases[i].text, c->heard.count, text);
        }
        assert_int_equal(c->complaints.wrong, 1);
        finish(c);
    }
}

static void config_file_leaves_out_profiles_it_cannot_judge(void **state)
{
    (void)state;
    static const struct {
        const char *text, *start, *words;
    } cases[] = {
        {"{\n\"profiles\": [\n{\"mode\": \"redirect\"}]}",
         "/f.json:3: profiles[0]: ", "no 'match'"},
        {MATCH(""), "/f.json:4: profiles[0].match: ", "no condition"},
        {MATCH("\"comment\": \"x\""), "/f.json:4: profiles[0].match: ", "no condition"},
        {MATCH("\"exe\": \"a\""), "/f.json:4: profiles[0].match.exe: ", "no such key here"},
        {MATCH("\"executabel\": \"a\""),
         "/f.json:4: profiles[0].match.executabel: ", "did you mean 'executable'?"},
        {MATCH("\"executable\": []"), "/f.json:4: profiles[0].match.executable: ", "empty list"},
        {MATCH("\"executable\": [\"*\", \"\"]"),
         "/f.json:4: profiles[0].match.executable: ", "empty text"},
        {MATCH("\"executable\": 1"), "/f.json:4: profiles[0].match.executable: ", "double quotes"},
        {MATCH("\"executable\": {}"), "/f.json:4: profiles[0].match.executable: ", "a text, or"},
        {MATCH("\"steam_app_id\": \"Portal\""),
         "/f.json:4: profiles[0].match.steam_app_id: ", "a number, like 620"},
        {MATCH("\"gpu.vendor\": \"nvdia\""),
         "/f.json:4: profiles[0].match.gpu.vendor: ", "nvidia, amd, intel"},
        {MATCH("\"gpu.device\": \"0xzz\""), "/f.json:4: profiles[0].match.gpu.device: ", "PCI id"},
        {MATCH("\"gpu.device\": 4294967296"),
         "/f.json:4: profiles[0].match.gpu.device: ", "PCI id"},
        {MATCH("\"executable\": \"*\", \"executable\": \"*\""),
         "/f.json:4: profiles[0].match.executable: ", "stands twice"},
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        struct checked *c = check(cases[i].text);
        const char *text = c->heard.texts[0];
        if (c->heard.count != 2 || strncmp(text, cases[i].start, strlen(cases[i].start)) != 0 ||
            strstr(text, cases[i].words) == NULL ||
            strstr(c->heard.texts[1], "the profile is left out") == NULL) {
            fail_msg("%s: %zu complaints: %s", cases[i].text, c->heard.count, text);
        }
        assert_string_equal(value_of(c, "mode"), "auto");
        finish(c);
    }
}

static void config_file_keeps_what_is_right_beside_it(void **state)
{
    (void)state;
    struct checked *c =
        check("{\"defaults\": {\"mode\": \"fast\", \"stats\": \"exit\", \"x\": 1, \"reserve\": "
              "\"5%\", \"reserve\": \"6%\"}, \"profiles\": [{\"match\": {\"exe\": 1}, \"report\": "
              "\"truthful\"}, {\"match\": {\"executable\": \"game\"}, \"overflow\": 4096, "
              "\"host_limit\": false}]}");
    assert_string_equal(value_of(c, "mode"), "auto");
    assert_string_equal(value_of(c, "stats"), "exit");
    assert_string_equal(value_of(c, "reserve"), "");
    assert_string_equal(value_of(c, "report"), "virtual");
    assert_string_equal(value_of(c, "overflow"), "4096");
    assert_string_equal(value_of(c, "host_limit"), "");
    finish(c);
}

static void config_file_null_is_the_built_in_default(void **state)
{
    (void)state;
    struct checked *c =
        check("{\"defaults\": {\"report\": \"truthful\", \"log.file\": \"/x\"}, "
              "\"profiles\": [{\"match\": {\"executable\": \"*\"}, \"report\": null, "
              "\"log.file\": null}]}");
    assert_int_equal(c->heard.count, 0);
    assert_string_equal(value_of(c, "report"), "virtual");
    assert_string_equal(value_of(c, "log.file"), "");
    finish(c);
}

static void config_file_notes_a_later_versions_key_for_debugging(void **state)
{
    (void)state;
    struct checked *c = check("{\"defaults\": {\"paging.rebar\": \"hide\", \"policy.pins\": []}}");
    assert_int_equal(c->heard.count, 2);
    assert_int_equal(c->heard.levels[0], SPW_LOG_DEBUG);
    assert_int_equal(c->heard.levels[1], SPW_LOG_DEBUG);
    assert_int_equal(c->complaints.wrong, 0);
    finish(c);
}

static void config_file_process_settings_cannot_depend_on_a_gpu(void **state)
{
    (void)state;
    struct checked *c =
        check("{\"profiles\": [{\"match\": {\"gpu.vendor\": 4318}, \"log.level\": \"debug\", "
              "\"enabled\": false}]}");
    assert_int_equal(c->heard.count, 1);
    assert_non_null(strstr(c->heard.texts[0], "profiles[0].log.level: "));
    assert_string_equal(value_of(c, "log.level"), "warn");
    assert_string_equal(value_of(c, "enabled"), "false");
    finish(c);
}

static void config_file_complaints_end_somewhere(void **state)
{
    (void)state;
    struct checked *c = check("{\"defaults\": {}}");
    c->complaints.max_shown = 3;
    for (int i = 0; i < 10; i++) {
        spw_complain_file(&c->complaints, SPW_LOG_WARN, 1, "k", "wrong");
    }
    spw_complain_rest(&c->complaints);
    assert_int_equal(c->heard.count, 4);
    assert_non_null(strstr(c->heard.texts[3], "7 more"));
    assert_int_equal(c->complaints.wrong, 10);
    finish(c);
}

static void config_file_terminal_codes_are_not_shown(void **state)
{
    (void)state;
    struct checked *c = check("{\"\\u001b[31m\": 1}");
    assert_int_equal(c->heard.count, 1);
    assert_null(strchr(c->heard.texts[0], 0x1b));
    finish(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config_file_complains_with_line_and_key_path),
        cmocka_unit_test(config_file_leaves_out_profiles_it_cannot_judge),
        cmocka_unit_test(config_file_keeps_what_is_right_beside_it),
        cmocka_unit_test(config_file_null_is_the_built_in_default),
        cmocka_unit_test(config_file_notes_a_later_versions_key_for_debugging),
        cmocka_unit_test(config_file_process_settings_cannot_depend_on_a_gpu),
        cmocka_unit_test(config_file_complaints_end_somewhere),
        cmocka_unit_test(config_file_terminal_codes_are_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
