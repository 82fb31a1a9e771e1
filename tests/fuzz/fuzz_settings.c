/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a configuration: a JSON file, or (first byte '#') vk_layer_settings.txt. Beside not
 * crashing it has to hold that
 *   - what our reader takes, json-c's strict mode takes too, with the same structure and texts
 *   - whatever is left in force is a value: it can be set again as it is printed
 *   - a file with nothing wrong in it is one that resolves without a word
 * One input per call, as libFuzzer wants it; fuzz_driver.c is the driver where there is none. */
#include "config_data.h"
#include "host_alloc.h"

#include <json-c/json.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void count_complaint(void *user, enum spw_log_level level, const char *message)
{
    MUST(message[0] != '\0' && strlen(message) < 1024);
    size_t *counts = user;
    counts[level]++;
}

/* ---- the judge ---- */

static enum json_type judge_type(enum spw_json_type type)
{
    switch (type) {
    case SPW_JSON_NULL:
        return json_type_null;
    case SPW_JSON_BOOL:
        return json_type_boolean;
    case SPW_JSON_STRING:
        return json_type_string;
    case SPW_JSON_ARRAY:
        return json_type_array;
    case SPW_JSON_OBJECT:
        return json_type_object;
    case SPW_JSON_NUMBER:
        break;
    }
    return json_type_int;
}

static void compare(const struct spw_json *ours, struct json_object *theirs)
{
    if (ours->type == SPW_JSON_NUMBER) {
        MUST(json_object_is_type(theirs, json_type_int) ||
             json_object_is_type(theirs, json_type_double));
        return;
    }
    MUST(json_object_is_type(theirs, judge_type(ours->type)));
    if (ours->type == SPW_JSON_STRING) {
        MUST(strcmp(ours->text, json_object_get_string(theirs)) == 0);
    } else if (ours->type == SPW_JSON_BOOL) {
        MUST(json_object_get_boolean(theirs) == (strcmp(ours->text, "true") == 0));
    } else if (ours->type == SPW_JSON_ARRAY) {
        MUST(json_object_array_length(theirs) == ours->count);
        size_t i = 0;
        for (const struct spw_json *value = ours->first; value != NULL; value = value->next) {
            compare(value, json_object_array_get_idx(theirs, i++));
        }
    } else if (ours->type == SPW_JSON_OBJECT) {
        size_t once = 0;
        for (const struct spw_json *member = ours->first; member != NULL; member = member->next) {
            struct json_object *value = NULL;
            MUST(json_object_object_get_ex(theirs, member->key, &value));
            once += !member->again;
            if (member->repeated == 0) {
                compare(member, value);
            }
        }
        MUST((size_t)json_object_object_length(theirs) == once);
    }
}

static void judge(const char *text, size_t length, const struct spw_json *root)
{
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    static struct json_tokener *tokener;
    if (tokener == NULL) {
        tokener = json_tokener_new_ex(SPW_JSON_MAX_DEPTH + 2);
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    }
    json_tokener_reset(tokener);
    /* With the NUL behind it, which ends a number at the top. */
    struct json_object *theirs = json_tokener_parse_ex(tokener, text, (int)length + 1);
    MUST(json_tokener_get_error(tokener) == json_tokener_success);
    compare(root, theirs);
    json_object_put(theirs);
}

/* ---- what is left in force ---- */

static void check_values(const struct spw_effective *effective)
{
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        char value[4096], again[4096], from[256];
        const char *key = spw_setting_info(i).key;
        if (!spw_settings_get(&effective->settings, key, value, sizeof(value))) {
            continue;
        }
        struct spw_settings copy;
        spw_settings_init(&copy);
        MUST(spw_settings_set(&copy, key, value, "again", NULL, NULL) == SPW_OK);
        MUST(spw_settings_get(&copy, key, again, sizeof(again)));
        /* An empty text is the default, and so is what prints as one. */
        MUST(strcmp(value, again) == 0 || value[0] == '\0');
        spw_settings_finish(&copy);
        spw_origin_print(&effective->origins[i], key, from, sizeof(from));
        MUST(from[0] != '\0');
    }
}

static void visit_match(void *user, const struct spw_match *match)
{
    (void)user;
    MUST(match->file != NULL && match->line > 0);
}

static void resolve(struct spw_config_file *file)
{
    struct spw_config config = {.files = file, .file_count = 1};
    char executable[] = "/usr/bin/a", id[] = "620";
    const struct spw_program program = {
        .executable = executable, .steam_ids = {id, NULL}, .application = "a", .engine = "DXVK"};
    const struct spw_gpu gpu = {.vendor_id = 0x10de, .device_id = 1, .name = "a"};
    const struct spw_gpu *gpus[] = {NULL, &gpu};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(gpus); i++) {
        struct spw_effective effective;
        size_t counts[4] = {0};
        MUST(spw_config_resolve(&config, &program, gpus[i], NULL, &effective, count_complaint,
                                counts) == SPW_OK);
        MUST(counts[SPW_LOG_WARN] == 0);
        check_values(&effective);
        spw_effective_finish(&effective);
        spw_config_for_each_match(&config, &program, gpus[i], visit_match, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t live = spw_host_alloc_live();
    /* A copy with a NUL behind it, as text_file.c gives it, and nothing else that may be read. */
    char *text = malloc(size + 1);
    MUST(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    char path[] = "/f";
    size_t counts[4] = {0};
    struct spw_file_complaints complaints = {
        .path = path, .complain = count_complaint, .user = counts};
    struct spw_config_file file = {.path = path, .place = SPW_PLACE_USER};
    struct spw_json_error error = {0};
    if (size > 0 && text[0] == '#') {
        file.place = SPW_PLACE_LAYER_SETTINGS;
        spw_layer_settings_parse(text, &file.layer_settings, &complaints);
        resolve(&file);
    } else if (spw_json_parse(text, size, &file.tree, &error) == SPW_OK) {
        judge(text, size, spw_json_root(file.tree));
        spw_config_file_check(&file, &complaints);
        resolve(&file);
    } else {
        MUST(error.line > 0 && error.text[0] != '\0');
    }
    MUST(counts[SPW_LOG_WARN] == complaints.wrong);
    spw_json_destroy(file.tree);
    spw_config_values_finish(&file.layer_settings);
    free(text);
    MUST(spw_host_alloc_live() == live);
    return 0;
}
