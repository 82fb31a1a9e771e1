/* SPDX-License-Identifier: MIT
 *
 * settings_keys.h as data: what settings.c and settings_env.c share. Private to the ring. */
#pragma once

#include "settings.h"

/* What a kind of value can do; field points at the member of struct spw_settings. */
struct spw_setting_type {
    const char *expects; /* for complaints: "'x' is not <expects>" */
    unsigned json;       /* as which spw_json_types it may stand in a file */
    /* SPW_OK, SPW_INVALID or SPW_NO_HOST_MEMORY; the field is written on success only. */
    enum spw_result (*parse)(void *field, const char *text);
    void (*print)(const void *field, char *text, size_t text_size);
    /* What the user should know about a value that was accepted; NULL, or gives NULL: nothing. */
    const char *(*remark)(const void *field);
};

struct spw_setting_row {
    const char *key;
    const struct spw_setting_type *type; /* NULL: a later version's */
    size_t offset, size;                 /* of the field in struct spw_settings */
    char scope;                          /* 'P', 'D' or 'L'; 0 with a later version's */
    const char *doc;
};

/* Every key of settings_keys.h, in its order. */
extern const struct spw_setting_row spw_setting_rows[];
extern const size_t spw_setting_row_count;

/* NULL: no such key. */
const struct spw_setting_row *spw_setting_find(const char *key);

/* Whether text is a value of that key, without setting it: SPW_OK, SPW_INVALID or
 * SPW_NO_HOST_MEMORY. *remark: as the type's. */
SPW_MUST_CHECK enum spw_result spw_setting_check(const struct spw_setting_row *row,
                                                 const char *text, const char **remark);

/* Every variable that is set to something, of settings_keys.h's keys: visit gets its row, its name
 * and its value. Then complaints about misspelt names. */
void spw_settings_visit_env(void (*visit)(void *user, const struct spw_setting_row *row,
                                          const char *name, const char *value),
                            void *visit_user, spw_complain_fn complain, void *user);

/* The file that SPILLWAY_CONFIG names, or NULL. */
const char *spw_settings_env_config(void);

/* How many letters have to be changed, added, dropped or swapped with their neighbour to make b of
 * a; more than SPW_NAME_MAX letters are never close. */
#define SPW_NAME_MAX 64
unsigned spw_edit_distance(const char *a, const char *b);

/* Of `names`, the one that `text` was probably meant to be: a few letters away, or its first word
 * is `text`. NULL: none. A candidate may be NULL. */
const char *spw_nearest_name(const char *text, const char *const *names, size_t count);

/* Formats and passes on; complain may be NULL. */
void spw_complain(spw_complain_fn complain, void *user, enum spw_log_level level,
                  const char *format, ...) SPW_PRINTF(4, 5);
