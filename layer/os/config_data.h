/* SPDX-License-Identifier: MIT
 *
 * A configuration as data: what config.c (finding and loading), config_file.c (checking one file)
 * and config_resolve.c share. Private to the ring.
 *
 * A file stays the JSON tree that it was read as: checking it marks as `ignored` what is not to be
 * used, and resolving walks what is left. So nothing is copied, and every value knows its line. */
#pragma once

#include "config.h"
#include "json_tree.h"
#include "settings_table.h"

/* A setting that does not come from JSON. */
struct spw_config_value {
    const struct spw_setting_row *row;
    char *text; /* owned */
    unsigned line;
};

struct spw_config_values {
    struct spw_config_value *list;
    size_t count, capacity;
};

/* One file. Zeroed is empty. */
struct spw_config_file {
    char *path; /* owned */
    enum spw_file_place place;
    struct spw_json_tree *tree;              /* NULL: unusable, or no JSON */
    const struct spw_json *defaults;         /* an object, or NULL */
    const struct spw_json *profiles;         /* an array, or NULL */
    struct spw_config_values layer_settings; /* of vk_layer_settings.txt */
};

enum { SPW_FOLDER_COUNT = 3 }; /* SHIPPED, ETC, USER */

struct spw_config {
    char *folders[SPW_FOLDER_COUNT]; /* owned; NULL: none */
    struct spw_config_file *files;   /* in the order of application */
    size_t file_count, file_capacity;
    struct spw_config_values variables;
};

/* Who complains about a file, and how often already. */
struct spw_file_complaints {
    const char *path;
    spw_complain_fn complain;
    void *user;
    unsigned max_shown; /* of WARN level; 0: all */
    unsigned wrong;     /* complaints of WARN level */
};

/* key_path NULL or "": about the line as a whole; line 0: about the file. */
void spw_complain_file(struct spw_file_complaints *c, enum spw_log_level level, unsigned line,
                       const char *key_path, const char *format, ...) SPW_PRINTF(5, 6);
/* How many more there were than were shown. */
void spw_complain_rest(struct spw_file_complaints *c);

/* Checks the tree and marks what is wrong; sets *defaults and *profiles. */
void spw_config_file_check(struct spw_config_file *file, struct spw_file_complaints *c);

/* Conditions of a profile, as the keys of `match`. */
enum spw_condition {
    SPW_CONDITION_EXECUTABLE,
    SPW_CONDITION_STEAM_APP_ID,
    SPW_CONDITION_APPLICATION,
    SPW_CONDITION_ENGINE,
    SPW_CONDITION_GPU_VENDOR,
    SPW_CONDITION_GPU_DEVICE,
    SPW_CONDITION_GPU_NAME,
    SPW_CONDITION_COUNT
};

extern const char *const spw_condition_names[SPW_CONDITION_COUNT];
/* SPW_CONDITION_COUNT: not one. */
enum spw_condition spw_condition_find(const char *key);
bool spw_condition_is_of_gpu(enum spw_condition condition);

/* 4318, "4318", "0x10de", for a vendor also "nvidia": false where it is none of these. */
bool spw_gpu_number_parse(const char *text, bool vendor, uint32_t *out);

enum spw_match_result { SPW_MATCHES, SPW_MATCHES_NOT, SPW_MATCHES_SOME_GPU };
/* `match` has been checked. gpu NULL: conditions on it are open (SOME_GPU, if all others hold).
 * *needs_gpu: there are such conditions. */
enum spw_match_result spw_profile_matches(const struct spw_json *match,
                                          const struct spw_program *program,
                                          const struct spw_gpu *gpu, bool *needs_gpu);

/* The member of an object that is not to be ignored, or NULL. */
const struct spw_json *spw_json_member(const struct spw_json *object, const char *key);

/* text is copied. */
SPW_MUST_CHECK enum spw_result spw_config_values_add(struct spw_config_values *values,
                                                     const struct spw_setting_row *row,
                                                     const char *text, unsigned line);
void spw_config_values_finish(struct spw_config_values *values);

/* The lines of vk_layer_settings.txt that are ours. */
void spw_layer_settings_parse(const char *text, struct spw_config_values *values,
                              struct spw_file_complaints *c);
