/* SPDX-License-Identifier: MIT
 *
 * From a loaded configuration to what holds for one program and one GPU: every source in its order,
 * later ones over earlier ones, with a note of where each value came from. */
#include "config_data.h"

#include <stdio.h>

_Static_assert(SPW_SETTING_COUNT < 64, "settings_env.c and others have room for so many names");

struct resolver {
    const struct spw_program *program;
    const struct spw_gpu *gpu;
    struct spw_effective *effective;
    bool no_memory;
};

/* text is a value of the key: that was checked when it was loaded. */
static void set(struct resolver *r, const struct spw_setting_row *row, const char *text,
                const struct spw_origin *origin)
{
    if (spw_settings_set(&r->effective->settings, row->key, text, "", NULL, NULL) == SPW_OK) {
        r->effective->origins[row - spw_setting_rows] = *origin;
    } else {
        r->no_memory = true;
    }
}

/* The settings among an object's members. */
static void apply_object(struct resolver *r, const struct spw_json *object,
                         struct spw_origin origin)
{
    for (const struct spw_json *member = object->first; member != NULL; member = member->next) {
        const struct spw_setting_row *row = member->ignored ? NULL : spw_setting_find(member->key);
        if (row != NULL) {
            origin.line = member->line;
            set(r, row, member->type == SPW_JSON_NULL ? "" : member->text, &origin);
        }
    }
}

static void apply_values(struct resolver *r, const struct spw_config_values *values,
                         struct spw_origin origin)
{
    for (size_t i = 0; i < values->count; i++) {
        origin.line = values->list[i].line;
        set(r, values->list[i].row, values->list[i].text, &origin);
    }
}

static void apply_defaults(struct resolver *r, const struct spw_config_file *file)
{
    if (file->defaults != NULL) {
        apply_object(r, file->defaults,
                     (struct spw_origin){.kind = SPW_ORIGIN_DEFAULTS, .file = file->path});
    }
    apply_values(r, &file->layer_settings,
                 (struct spw_origin){.kind = SPW_ORIGIN_LAYER_SETTINGS_FILE, .file = file->path});
}

static const char *text_member(const struct spw_json *object, const char *key)
{
    const struct spw_json *member = spw_json_member(object, key);
    return member != NULL ? member->text : NULL;
}

/* One of file->profiles: SPW_MATCHES_NOT where it was refused. */
static enum spw_match_result match_profile(const struct spw_json *profile,
                                           const struct spw_program *program,
                                           const struct spw_gpu *gpu, bool *needs_gpu)
{
    const struct spw_json *match = profile->ignored ? NULL : spw_json_member(profile, "match");
    return match != NULL ? spw_profile_matches(match, program, gpu, needs_gpu) : SPW_MATCHES_NOT;
}

static void apply_profiles(struct resolver *r, const struct spw_config_file *file)
{
    const struct spw_json *profile = file->profiles != NULL ? file->profiles->first : NULL;
    for (; profile != NULL; profile = profile->next) {
        bool needs_gpu;
        if (match_profile(profile, r->program, r->gpu, &needs_gpu) == SPW_MATCHES) {
            apply_object(r, profile,
                         (struct spw_origin){.kind = SPW_ORIGIN_PROFILE,
                                             .file = file->path,
                                             .profile = text_member(profile, "name")});
        }
    }
}

/* The program's own wishes; here alone is something new to complain about. */
static void apply_api(struct resolver *r, const struct spw_api_settings *api,
                      spw_complain_fn complain, void *user)
{
    for (size_t i = 0; api != NULL && i < api->count; i++) {
        const char *key = api->list[i].key;
        enum spw_result result = spw_settings_set(&r->effective->settings, key, api->list[i].text,
                                                  "VK_EXT_layer_settings", complain, user);
        if (result == SPW_OK) {
            r->effective->origins[spw_setting_find(key) - spw_setting_rows] =
                (struct spw_origin){.kind = SPW_ORIGIN_API};
        }
        r->no_memory |= result == SPW_NO_HOST_MEMORY;
    }
}

enum spw_result spw_config_resolve(const struct spw_config *config,
                                   const struct spw_program *program, const struct spw_gpu *gpu,
                                   const struct spw_api_settings *api, struct spw_effective *out,
                                   spw_complain_fn complain, void *user)
{
    struct spw_effective effective = {0};
    struct resolver r = {.program = program, .gpu = gpu, .effective = &effective};
    spw_settings_init(&effective.settings);

    size_t count = config->file_count, i;
    for (i = 0; i < count && config->files[i].place <= SPW_PLACE_USER; i++) {
        apply_defaults(&r, &config->files[i]);
    }
    for (size_t k = 0; k < i; k++) {
        apply_profiles(&r, &config->files[k]);
    }
    apply_api(&r, api, complain, user);
    for (; i < count; i++) {
        apply_defaults(&r, &config->files[i]);
        apply_profiles(&r, &config->files[i]);
    }
    apply_values(&r, &config->variables, (struct spw_origin){.kind = SPW_ORIGIN_VARIABLE});

    if (r.no_memory) {
        spw_effective_finish(&effective);
        return SPW_NO_HOST_MEMORY;
    }
    *out = effective;
    return SPW_OK;
}

void spw_effective_finish(struct spw_effective *effective)
{
    if (effective != NULL) {
        spw_settings_finish(&effective->settings);
    }
}

void spw_config_for_each_match(const struct spw_config *config, const struct spw_program *program,
                               const struct spw_gpu *gpu,
                               void (*visit)(void *user, const struct spw_match *match), void *user)
{
    for (size_t i = 0; i < config->file_count; i++) {
        const struct spw_config_file *file = &config->files[i];
        const struct spw_json *profile = file->profiles != NULL ? file->profiles->first : NULL;
        for (; profile != NULL; profile = profile->next) {
            struct spw_match match = {.file = file->path,
                                      .name = text_member(profile, "name"),
                                      .comment = text_member(profile, "comment"),
                                      .line = profile->line};
            if (match_profile(profile, program, gpu, &match.needs_gpu) != SPW_MATCHES_NOT) {
                visit(user, &match);
            }
        }
    }
}

void spw_origin_print(const struct spw_origin *origin, const char *key, char *text,
                      size_t text_size)
{
    char variable[SPW_NAME_MAX + 1];
    switch (origin->kind) {
    case SPW_ORIGIN_BUILT_IN:
        snprintf(text, text_size, "built-in default");
        break;
    case SPW_ORIGIN_DEFAULTS:
    case SPW_ORIGIN_LAYER_SETTINGS_FILE:
        snprintf(text, text_size, "%s:%u", origin->file, origin->line);
        break;
    case SPW_ORIGIN_PROFILE:
        if (origin->profile != NULL) {
            snprintf(text, text_size, "%s:%u (profile '%s')", origin->file, origin->line,
                     origin->profile);
        } else {
            snprintf(text, text_size, "%s:%u (a profile)", origin->file, origin->line);
        }
        break;
    case SPW_ORIGIN_API:
        snprintf(text, text_size, "VK_EXT_layer_settings");
        break;
    case SPW_ORIGIN_VARIABLE:
        spw_setting_variable(key, variable, sizeof(variable));
        snprintf(text, text_size, "%s", variable);
        break;
    }
}

struct spw_setting_info spw_setting_info(size_t i)
{
    const struct spw_setting_row *row = &spw_setting_rows[i];
    return (struct spw_setting_info){.key = row->key,
                                     .doc = row->doc,
                                     .expects = row->type != NULL ? row->type->expects : NULL,
                                     .scope = row->scope,
                                     .later = row->type == NULL};
}
