/* SPDX-License-Identifier: MIT
 *
 * One configuration file: what may stand where, and complaints about what does not belong, each
 * with its line and key path. */
#include "config_data.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "profiles[1048575].match.gpu.vendor", and what a stranger calls his keys, cut. */
#define MAX_KEY_PATH 128

/* A longer path keeps its end, which says more. */
#define MAX_SHOWN_PATH 300

/* Keys of the file's own structure. */
static const char *const top_keys[] = {"$schema", "comment", "defaults", "profiles"};
static const char *const profile_keys[] = {"name", "comment", "match"};

const char *const spw_condition_names[SPW_CONDITION_COUNT] = {
    [SPW_CONDITION_EXECUTABLE] = "executable",   [SPW_CONDITION_STEAM_APP_ID] = "steam_app_id",
    [SPW_CONDITION_APPLICATION] = "application", [SPW_CONDITION_ENGINE] = "engine",
    [SPW_CONDITION_GPU_VENDOR] = "gpu.vendor",   [SPW_CONDITION_GPU_DEVICE] = "gpu.device",
    [SPW_CONDITION_GPU_NAME] = "gpu.name",
};

/* ---- complaints ---- */

void spw_complain_file(struct spw_file_complaints *c, enum spw_log_level level, unsigned line,
                       const char *key_path, const char *format, ...)
{
    if (level == SPW_LOG_WARN && ++c->wrong > c->max_shown && c->max_shown > 0) {
        return;
    }
    char words[512], number[16] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    if (line > 0) {
        snprintf(number, sizeof(number), ":%u", line);
    }
    size_t length = strlen(c->path);
    size_t skip = length > MAX_SHOWN_PATH ? length - MAX_SHOWN_PATH : 0;
    bool has_key = key_path != NULL && key_path[0] != '\0';
    spw_complain(c->complain, c->user, level, "%s%s%s: %s%s%s", skip > 0 ? "..." : "",
                 c->path + skip, number, has_key ? key_path : "", has_key ? ": " : "", words);
}

void spw_complain_rest(struct spw_file_complaints *c)
{
    if (c->max_shown > 0 && c->wrong > c->max_shown) {
        unsigned more = c->wrong - c->max_shown;
        c->wrong = 0; /* so that this one is shown */
        spw_complain_file(c, SPW_LOG_WARN, 0, NULL,
                          "%u more complaints; 'spillway config check' shows them all", more);
        c->wrong = more + c->max_shown;
    }
}

/* ---- helpers ---- */

struct place {
    struct spw_file_complaints *complaints;
    char path[MAX_KEY_PATH]; /* of the object that is being looked at */
};

static void name_member(const struct place *place, const char *key, char path[static MAX_KEY_PATH])
{
    snprintf(path, MAX_KEY_PATH, "%.80s%s%.40s", place->path, place->path[0] != '\0' ? "." : "",
             key);
}

/* Complains about a member and marks it. */
static SPW_PRINTF(3, 4) void refuse(const struct place *place, struct spw_json *member,
                                    const char *format, ...)
{
    member->ignored = true;
    char path[MAX_KEY_PATH], words[400];
    name_member(place, member->key, path);
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    spw_complain_file(place->complaints, SPW_LOG_WARN, member->line, path, "%s", words);
}

static bool is_in(const char *key, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static void refuse_unknown(const struct place *place, struct spw_json *member,
                           const char *const *keys, size_t key_count, bool settings_too)
{
    const char *names[SPW_SETTING_COUNT + SPW_CONDITION_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < key_count; i++) {
        names[count++] = keys[i];
    }
    for (size_t i = 0; settings_too && i < spw_setting_row_count; i++) {
        names[count++] = spw_setting_rows[i].key;
    }
    const char *nearest = spw_nearest_name(member->key, names, count);
    if (nearest != NULL) {
        refuse(place, member, "there is no such key here; did you mean '%s'?", nearest);
    } else if (!settings_too && spw_setting_find(member->key) != NULL) {
        refuse(place, member, "settings stand in 'defaults' or in a profile, not here");
    } else {
        refuse(place, member, "there is no such key here");
    }
}

/* Marks keys that stand twice, each of them: which one was meant is anyone's guess. true: it does.
 */
static bool refuse_repeated(const struct place *place, struct spw_json *member)
{
    if (member->repeated == 0) {
        return false;
    }
    member->ignored = true;
    if (member->again) {
        refuse(place, member, "it stands twice (also in line %u): neither is used",
               member->repeated);
    }
    return true;
}

static bool has_type(const struct place *place, struct spw_json *member, unsigned types,
                     const char *expected)
{
    if ((member->type & types) != 0) {
        return true;
    }
    refuse(place, member, "it must be %s, not %s", expected, spw_json_type_name(member->type));
    return false;
}

const struct spw_json *spw_json_member(const struct spw_json *object, const char *key)
{
    if (object == NULL) {
        return NULL;
    }
    for (const struct spw_json *member = object->first; member != NULL; member = member->next) {
        if (!member->ignored && strcmp(member->key, key) == 0) {
            return member;
        }
    }
    return NULL;
}

/* ---- settings ---- */

static void check_setting(const struct place *place, struct spw_json *member,
                          const struct spw_setting_row *row, bool of_gpu)
{
    char path[MAX_KEY_PATH];
    name_member(place, member->key, path);
    if (row->type == NULL) {
        member->ignored = true;
        spw_complain_file(place->complaints, SPW_LOG_DEBUG, member->line, path,
                          "it does nothing in this version");
        return;
    }
    if (of_gpu && row->scope == 'P') {
        refuse(place, member, "it is needed before a GPU is known, and cannot depend on one");
        return;
    }
    if (member->type == SPW_JSON_NULL) {
        return; /* back to the built-in default */
    }
    if ((member->type & row->type->json) == 0) {
        bool quotes = member->type == SPW_JSON_STRING || row->type->json == SPW_JSON_STRING;
        refuse(place, member, "it must be %s%s, not %s; it is left out", row->type->expects,
               !quotes                           ? ""
               : member->type == SPW_JSON_STRING ? " (without quotes)"
                                                 : " (in double quotes)",
               spw_json_type_name(member->type));
        return;
    }
    const char *remark = NULL;
    switch (spw_setting_check(row, member->text, &remark)) {
    case SPW_OK:
        break;
    case SPW_NO_HOST_MEMORY:
        refuse(place, member, "out of memory; it is left out");
        return;
    default:
        refuse(place, member, "'%.64s' is not %s; it is left out", member->text,
               row->type->expects);
        return;
    }
    if (remark != NULL) {
        spw_complain_file(place->complaints, SPW_LOG_INFO, member->line, path, "'%.64s': %s",
                          member->text, remark);
    }
}

/* The members that are neither structure nor ignored: settings, or strangers. */
static void check_settings(const struct place *place, struct spw_json *object,
                           const char *const *keys, size_t key_count, bool of_gpu)
{
    for (struct spw_json *member = object->first; member != NULL; member = member->next) {
        if (refuse_repeated(place, member) || is_in(member->key, keys, key_count)) {
            continue;
        }
        const struct spw_setting_row *row = spw_setting_find(member->key);
        if (row != NULL) {
            check_setting(place, member, row, of_gpu);
        } else {
            refuse_unknown(place, member, keys, key_count, true);
        }
    }
}

static void check_text(const struct place *place, struct spw_json *object, const char *key)
{
    struct spw_json *member = object->first;
    while (member != NULL && strcmp(member->key, key) != 0) {
        member = member->next;
    }
    if (member != NULL && !member->ignored) {
        (void)has_type(place, member, SPW_JSON_STRING, "a text");
    }
}

/* ---- conditions ---- */

enum spw_condition spw_condition_find(const char *key)
{
    for (size_t i = 0; i < SPW_CONDITION_COUNT; i++) {
        if (strcmp(spw_condition_names[i], key) == 0) {
            return (enum spw_condition)i;
        }
    }
    return SPW_CONDITION_COUNT;
}

bool spw_condition_is_of_gpu(enum spw_condition condition)
{
    return condition >= SPW_CONDITION_GPU_VENDOR && condition < SPW_CONDITION_COUNT;
}

static bool is_decimal(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* What is wrong with one alternative; NULL: nothing. */
static const char *wrong_with(enum spw_condition condition, const struct spw_json *value)
{
    bool is_number = value->type == SPW_JSON_NUMBER;
    if (value->type != SPW_JSON_STRING && !is_number) {
        return "it must be a text, or a list of texts";
    }
    if (value->text[0] == '\0') {
        return "an empty text matches nothing";
    }
    uint32_t number;
    switch (condition) {
    case SPW_CONDITION_STEAM_APP_ID:
        return is_decimal(value->text) ? NULL : "a Steam app id is a number, like 620";
    case SPW_CONDITION_GPU_VENDOR:
        return spw_gpu_number_parse(value->text, true, &number)
                   ? NULL
                   : "a vendor is nvidia, amd, intel, or a PCI id like \"0x10de\"";
    case SPW_CONDITION_GPU_DEVICE:
        return spw_gpu_number_parse(value->text, false, &number)
                   ? NULL
                   : "a device is a PCI id, like \"0x2684\"";
    default:
        return is_number ? "it must be a text in double quotes" : NULL;
    }
}

static bool check_condition(const struct place *place, struct spw_json *member,
                            enum spw_condition condition)
{
    const struct spw_json *value = member->type == SPW_JSON_ARRAY ? member->first : member;
    const char *wrong = value == NULL ? "an empty list matches nothing" : NULL;
    for (; value != NULL && wrong == NULL; value = value == member ? NULL : value->next) {
        wrong = wrong_with(condition, value);
    }
    if (wrong != NULL) {
        refuse(place, member, "%s", wrong);
    }
    return wrong == NULL;
}

/* false: something is wrong with it, and nobody can say what the profile was meant for. */
static bool check_match(const struct place *profile, struct spw_json *match, bool *of_gpu)
{
    struct place place = {.complaints = profile->complaints};
    name_member(profile, match->key, place.path);
    bool good = true, any = false;
    for (struct spw_json *member = match->first; member != NULL; member = member->next) {
        if (refuse_repeated(&place, member)) {
            good = false;
            continue;
        }
        if (strcmp(member->key, "comment") == 0) {
            (void)has_type(&place, member, SPW_JSON_STRING, "a text");
            member->ignored = true;
            continue;
        }
        enum spw_condition condition = spw_condition_find(member->key);
        any = true;
        if (condition == SPW_CONDITION_COUNT) {
            refuse_unknown(&place, member, spw_condition_names, SPW_CONDITION_COUNT, false);
            good = false;
            continue;
        }
        *of_gpu |= spw_condition_is_of_gpu(condition);
        good &= check_condition(&place, member, condition);
    }
    if (good && !any) {
        spw_complain_file(place.complaints, SPW_LOG_WARN, match->line, place.path,
                          "it has no condition; what is for every program stands in 'defaults'");
        good = false;
    }
    return good;
}

/* ---- profiles ---- */

static bool check_profile_match(const struct place *place, struct spw_json *profile, bool *of_gpu)
{
    struct spw_json *match = profile->first;
    while (match != NULL && strcmp(match->key, "match") != 0) {
        match = match->next;
    }
    if (match == NULL) {
        spw_complain_file(place->complaints, SPW_LOG_WARN, profile->line, place->path,
                          "it has no 'match': what is for every program stands in 'defaults'");
        return false;
    }
    return !match->ignored && has_type(place, match, SPW_JSON_OBJECT, "an object") &&
           check_match(place, match, of_gpu);
}

static void check_profile(struct spw_file_complaints *c, struct spw_json *profile, size_t index)
{
    struct place place = {.complaints = c};
    snprintf(place.path, sizeof(place.path), "profiles[%zu]", index);
    if (profile->type != SPW_JSON_OBJECT) {
        spw_complain_file(c, SPW_LOG_WARN, profile->line, place.path,
                          "it must be an object, not %s", spw_json_type_name(profile->type));
        profile->ignored = true;
        return;
    }
    bool of_gpu = false;
    /* Before the settings, which depend on it; a `match` that stands twice is refused with them. */
    for (struct spw_json *m = profile->first; m != NULL; m = m->next) {
        m->ignored = m->repeated != 0;
    }
    bool good = check_profile_match(&place, profile, &of_gpu);
    check_settings(&place, profile, profile_keys, SPW_ARRAY_SIZE(profile_keys), of_gpu);
    check_text(&place, profile, "name");
    check_text(&place, profile, "comment");
    if (!good) {
        profile->ignored = true;
        spw_complain_file(c, SPW_LOG_WARN, profile->line, place.path,
                          "the profile is left out, since nobody can say what it is meant for");
    }
}

static void check_top_member(struct spw_config_file *file, const struct place *top,
                             struct spw_json *member)
{
    if (refuse_repeated(top, member)) {
        return;
    }
    if (strcmp(member->key, "defaults") == 0) {
        if (has_type(top, member, SPW_JSON_OBJECT, "an object")) {
            struct place place = {.complaints = top->complaints, .path = "defaults"};
            static const char *const keys[] = {"comment"};
            check_settings(&place, member, keys, SPW_ARRAY_SIZE(keys), false);
            check_text(&place, member, "comment");
            file->defaults = member;
        }
    } else if (strcmp(member->key, "profiles") == 0) {
        if (has_type(top, member, SPW_JSON_ARRAY, "a list of objects")) {
            size_t index = 0;
            for (struct spw_json *p = member->first; p != NULL; p = p->next) {
                check_profile(top->complaints, p, index++);
            }
            file->profiles = member;
        }
    } else if (is_in(member->key, top_keys, SPW_ARRAY_SIZE(top_keys))) {
        (void)has_type(top, member, SPW_JSON_STRING, "a text");
    } else {
        refuse_unknown(top, member, top_keys, SPW_ARRAY_SIZE(top_keys), false);
    }
}

void spw_config_file_check(struct spw_config_file *file, struct spw_file_complaints *c)
{
    struct spw_json *root = spw_json_root(file->tree);
    struct place top = {.complaints = c};
    if (root->type != SPW_JSON_OBJECT) {
        spw_complain_file(
            c, SPW_LOG_WARN, root->line, NULL,
            "a configuration is an object: {\"defaults\": {...}, \"profiles\": [...]}");
        return;
    }
    for (struct spw_json *member = root->first; member != NULL; member = member->next) {
        check_top_member(file, &top, member);
    }
}
