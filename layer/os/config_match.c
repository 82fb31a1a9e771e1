/* SPDX-License-Identifier: MIT
 *
 * Whether a profile is meant for a program and a GPU: all conditions of its `match` must hold, of a
 * list any one. */
#include "config_data.h"

#include <stdlib.h>
#include <string.h>

/* PCI vendors of GPUs, and those that Vulkan gave an id of its own (VkVendorId). */
static const struct {
    const char *name;
    uint32_t id;
} vendors[] = {
    {"nvidia", 0x10de},      {"amd", 0x1002},      {"intel", 0x8086},
    {"arm", 0x13b5},         {"apple", 0x106b},    {"qualcomm", 0x5143},
    {"imagination", 0x1010}, {"broadcom", 0x14e4}, {"mesa", 0x10005},
};

bool spw_gpu_number_parse(const char *text, bool vendor, uint32_t *out)
{
    for (size_t i = 0; vendor && i < SPW_ARRAY_SIZE(vendors); i++) {
        if (spw_glob_matches(vendors[i].name, text, true)) {
            *out = vendors[i].id;
            return true;
        }
    }
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    size_t count = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
    if (count == 0 || digits[count] != '\0' || count > 10) {
        return false;
    }
    unsigned long long number = strtoull(digits, NULL, hex ? 16 : 10);
    if (number > UINT32_MAX) {
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

/* A pattern without a slash is about the file's name alone. */
static bool matches_executable(const char *pattern, const struct spw_program *program)
{
    const char *path = program->executable;
    if (path == NULL) {
        return false;
    }
    if (strchr(pattern, '/') == NULL && (!program->windows || strchr(pattern, '\\') == NULL)) {
        for (const char *c = path; *c != '\0'; c++) {
            if (*c == '/' || (program->windows && *c == '\\')) {
                path = c + 1;
            }
        }
    }
    return spw_glob_matches(pattern, path, program->windows);
}

static bool matches_steam_id(const char *id, const struct spw_program *program)
{
    for (size_t i = 0; i < SPW_ARRAY_SIZE(program->steam_ids); i++) {
        if (program->steam_ids[i] != NULL && strcmp(program->steam_ids[i], id) == 0) {
            return true;
        }
    }
    return false;
}

/* Names are written by people and compared without regard to case. */
static bool matches_name(const char *pattern, const char *name)
{
    return name != NULL && spw_glob_matches(pattern, name, true);
}

static bool matches_number(const char *text, bool vendor, uint32_t number)
{
    uint32_t wanted;
    return spw_gpu_number_parse(text, vendor, &wanted) && wanted == number;
}

/* gpu is not NULL where the condition is about it. */
static bool matches_one(enum spw_condition condition, const char *text,
                        const struct spw_program *program, const struct spw_gpu *gpu)
{
    switch (condition) {
    case SPW_CONDITION_EXECUTABLE:
        return matches_executable(text, program);
    case SPW_CONDITION_STEAM_APP_ID:
        return matches_steam_id(text, program);
    case SPW_CONDITION_APPLICATION:
        return matches_name(text, program->application);
    case SPW_CONDITION_ENGINE:
        return matches_name(text, program->engine);
    case SPW_CONDITION_GPU_VENDOR:
        return matches_number(text, true, gpu->vendor_id);
    case SPW_CONDITION_GPU_DEVICE:
        return matches_number(text, false, gpu->device_id);
    case SPW_CONDITION_GPU_NAME:
        return matches_name(text, gpu->name);
    case SPW_CONDITION_COUNT:
        break;
    }
    return false;
}

static bool matches_any(enum spw_condition condition, const struct spw_json *member,
                        const struct spw_program *program, const struct spw_gpu *gpu)
{
    if (member->type != SPW_JSON_ARRAY) {
        return matches_one(condition, member->text, program, gpu);
    }
    for (const struct spw_json *value = member->first; value != NULL; value = value->next) {
        if (matches_one(condition, value->text, program, gpu)) {
            return true;
        }
    }
    return false;
}

enum spw_match_result spw_profile_matches(const struct spw_json *match,
                                          const struct spw_program *program,
                                          const struct spw_gpu *gpu, bool *needs_gpu)
{
    enum spw_match_result result = SPW_MATCHES;
    *needs_gpu = false;
    for (const struct spw_json *member = match->first; member != NULL; member = member->next) {
        if (member->ignored) {
            continue; /* a comment: with anything worse the whole profile is ignored */
        }
        enum spw_condition condition = spw_condition_find(member->key);
        if (spw_condition_is_of_gpu(condition)) {
            *needs_gpu = true;
            if (gpu == NULL) {
                result = result == SPW_MATCHES ? SPW_MATCHES_SOME_GPU : result;
                continue;
            }
        }
        if (!matches_any(condition, member, program, gpu)) {
            result = SPW_MATCHES_NOT;
        }
    }
    return result;
}
