/* SPDX-License-Identifier: MIT
 *
 * What stands elsewhere about the settings agrees with the table: the schema, the block of the
 * manifest that Vulkan Configurator shows, and the files that are shipped, in which nothing is
 * wrong.
 *
 *   test_texts SCHEMA MANIFEST SHIPPED_FILE... */
#include "config.h"

#include <json-c/json.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned wrong_count;

static SPW_PRINTF(1, 2) void wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    wrong_count++;
}

/* The member at a path like "definitions.settings", keys with dots excepted; exits where it is not.
 */
static struct json_object *at(struct json_object *object, const char *path)
{
    char copy[128];
    snprintf(copy, sizeof(copy), "%s", path);
    char *rest = NULL;
    for (char *key = strtok_r(copy, "/", &rest); key != NULL; key = strtok_r(NULL, "/", &rest)) {
        if (!json_object_object_get_ex(object, key, &object)) {
            fprintf(stderr, "no '%s' of '%s'\n", key, path);
            exit(1);
        }
    }
    return object;
}

static const char *text_at(struct json_object *object, const char *key)
{
    return json_object_get_string(at(object, key));
}

static bool is_value(const char *key, const char *text)
{
    struct spw_settings s;
    spw_settings_init(&s);
    bool good = spw_settings_set(&s, key, text, "", NULL, NULL) == SPW_OK;
    spw_settings_finish(&s);
    return good;
}

/* ---- the schema ---- */

static bool is_named(struct json_object *names, const char *key)
{
    for (size_t i = 0; i < json_object_array_length(names); i++) {
        if (strcmp(json_object_get_string(json_object_array_get_idx(names, i)), key) == 0) {
            return true;
        }
    }
    return false;
}

/* Each word of an enumeration is a value, and each word that `expects` lists is in it. */
static void check_words(const char *key, struct json_object *words, const char *expects)
{
    size_t count = 0;
    for (size_t i = 0; i < json_object_array_length(words); i++) {
        struct json_object *word = json_object_array_get_idx(words, i);
        if (word == NULL) {
            continue; /* null: the default */
        }
        count++;
        const char *text = json_object_get_string(word);
        if (!is_value(key, text)) {
            wrong("schema: '%s' is no value of '%s'", text, key);
        }
        if (strstr(expects, text) == NULL) {
            wrong("schema: '%s' of '%s' is not among '%s'", text, key, expects);
        }
    }
    size_t listed = 2;
    for (const char *c = expects; *c != '\0'; c++) {
        listed += *c == ',';
    }
    if (count != listed) {
        wrong("schema: '%s' has %zu words, not those of '%s'", key, count, expects);
    }
}

static void check_schema(const char *path)
{
    struct json_object *root = json_object_from_file(path);
    struct json_object *names = at(root, "definitions/setting_name/enum");
    struct json_object *settings = at(root, "definitions/settings/properties");
    if (json_object_array_length(names) != SPW_SETTING_COUNT ||
        json_object_object_length(settings) != (int)SPW_SETTING_COUNT) {
        wrong("schema: not as many settings as in settings_keys.h");
    }
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        struct spw_setting_info info = spw_setting_info(i);
        struct json_object *setting = NULL, *words = NULL;
        if (!is_named(names, info.key) ||
            !json_object_object_get_ex(settings, info.key, &setting)) {
            wrong("schema: no '%s'", info.key);
            continue;
        }
        const char *text = text_at(setting, "description");
        if (strncmp(text, info.doc, strlen(info.doc)) != 0) {
            wrong("schema: '%s' is described as '%s', not '%s'", info.key, text, info.doc);
        }
        if (json_object_object_get_ex(setting, "enum", &words)) {
            check_words(info.key, words, info.expects);
        }
    }
    json_object_put(root);
}

/* ---- the manifest ---- */

static void check_manifest_setting(struct json_object *setting)
{
    const char *key = text_at(setting, "key"), *type = text_at(setting, "type");
    char variable[128];
    spw_setting_variable(key, variable, sizeof(variable));
    if (strcmp(text_at(setting, "env"), variable) != 0) {
        wrong("manifest: the variable of '%s' is not '%s'", key, text_at(setting, "env"));
    }
    const char *standard = text_at(setting, "default");
    if (standard[0] != '\0' && !is_value(key, standard)) {
        wrong("manifest: '%s' is no value of '%s'", standard, key);
    }
    struct spw_settings s;
    char value[256];
    spw_settings_init(&s);
    if (!spw_settings_get(&s, key, value, sizeof(value)) || strcmp(value, standard) != 0) {
        wrong("manifest: the default of '%s' is not '%s'", key, standard);
    }
    if (strcmp(type, "ENUM") == 0) {
        struct json_object *flags = at(setting, "flags");
        for (size_t i = 0; i < json_object_array_length(flags); i++) {
            const char *word = text_at(json_object_array_get_idx(flags, i), "key");
            if (!is_value(key, word)) {
                wrong("manifest: '%s' is no value of '%s'", word, key);
            }
        }
    }
}

static void check_manifest(const char *path)
{
    struct json_object *root = json_object_from_file(path);
    struct json_object *settings = at(root, "layer/features/settings");
    struct json_object *presets = at(root, "layer/features/presets");
    size_t now = 0;
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        struct spw_setting_info info = spw_setting_info(i);
        if (info.later) {
            continue;
        }
        /* In the same order, so that none is missing. */
        struct json_object *setting = json_object_array_get_idx(settings, now++);
        if (setting == NULL || strcmp(text_at(setting, "key"), info.key) != 0) {
            wrong("manifest: '%s' is not setting %zu", info.key, now);
        } else {
            check_manifest_setting(setting);
        }
    }
    if (json_object_array_length(settings) != now) {
        wrong("manifest: more settings than there are");
    }
    for (size_t i = 0; i < json_object_array_length(presets); i++) {
        struct json_object *preset = json_object_array_get_idx(presets, i);
        struct json_object *list = at(preset, "settings");
        for (size_t k = 0; k < json_object_array_length(list); k++) {
            struct json_object *setting = json_object_array_get_idx(list, k);
            if (!is_value(text_at(setting, "key"), text_at(setting, "value"))) {
                wrong("manifest: preset '%s': '%s' is no value of '%s'", text_at(preset, "label"),
                      text_at(setting, "value"), text_at(setting, "key"));
            }
        }
    }
    json_object_put(root);
}

/* ---- shipped files ---- */

static void complain(void *user, enum spw_log_level level, const char *message)
{
    (void)user;
    if (level <= SPW_LOG_INFO) {
        wrong("%s", message);
    }
}

static void check_shipped(const char *path)
{
    if (spw_config_check_file(path, complain, NULL) != SPW_OK) {
        wrong("'%s' is not right", path);
        return;
    }
    struct json_object *root = json_object_from_file(path);
    struct json_object *profiles = at(root, "profiles");
    for (size_t i = 0; i < json_object_array_length(profiles); i++) {
        struct json_object *profile = json_object_array_get_idx(profiles, i);
        const char *name = text_at(profile, "name");
        /* Why, and from where. */
        if (strlen(text_at(profile, "comment")) < 40) {
            wrong("%s: profile '%s' does not say why", path, name);
        }
        if (json_object_object_length(profile) < 4) {
            wrong("%s: profile '%s' sets nothing", path, name);
        }
    }
    json_object_put(root);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: test_texts SCHEMA MANIFEST SHIPPED_FILE...\n");
        return 2;
    }
    check_schema(argv[1]);
    check_manifest(argv[2]);
    for (int i = 3; i < argc; i++) {
        check_shipped(argv[i]);
    }
    return wrong_count == 0 ? 0 : 1;
}
