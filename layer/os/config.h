/* SPDX-License-Identifier: MIT
 *
 * The configuration: everything from which settings come, in the order in which it is applied
 * (later wins):
 *
 *   1. the built-in defaults
 *   2. `defaults` of the files: shipped (<datadir>/spillway), /etc/spillway, the user's
 *      (${XDG_CONFIG_HOME:-~/.config}/spillway), within a folder *.json by name
 *   3. the profiles of those files whose `match` holds, in the same order
 *   4. VK_EXT_layer_settings of the program, then vk_layer_settings.txt (the ecosystem's order)
 *   5. the file that SPILLWAY_CONFIG names: its defaults, then its matching profiles
 *   6. SPILLWAY_* variables
 *
 * spw_config_load() reads all of it that does not depend on the program's instance, complains about
 * what is wrong in it, once, and keeps only what is right; spw_config_resolve() then says what
 * holds for one instance or one GPU, and has nothing left to complain about. Nothing is read from
 * the working directory. In a privileged process (AT_SECURE) only shipped and /etc files are read,
 * and only where root alone can have written them.
 *
 * A configuration is constant once loaded: any thread may resolve from it. */
#pragma once

#include "program.h"
#include "settings.h"

/* Rows of settings_keys.h, later versions' included: the index of a key in struct spw_effective. */
enum spw_setting_count {
#define SPW_SETTING(type_, key_, field_, default_, scope_, doc_) +1
#define SPW_SETTING_LATER(key_, doc_)                            +1
    SPW_SETTING_COUNT = 0
#include "settings_keys.h"
#undef SPW_SETTING
#undef SPW_SETTING_LATER
};

/* ---- the keys, as data ---- */

struct spw_setting_info {
    const char *key;
    const char *doc;     /* one line */
    const char *expects; /* "true or false", "a size (like …)"; NULL with later */
    char scope;          /* 'P' process start, 'D' device creation, 'L' live; 0 with later */
    bool later;          /* known, but does nothing in this version */
};

/* i < SPW_SETTING_COUNT, in the order of the documentation. Static strings. */
struct spw_setting_info spw_setting_info(size_t i);

/* "log.level" → "SPILLWAY_LOG_LEVEL"; cut like snprintf. Any key, known or not. */
void spw_setting_variable(const char *key, char *name, size_t name_size);

/* ---- where a value came from ---- */

enum spw_origin_kind {
    SPW_ORIGIN_BUILT_IN,
    SPW_ORIGIN_DEFAULTS, /* of a file */
    SPW_ORIGIN_PROFILE,  /* of a file */
    SPW_ORIGIN_API,      /* VK_EXT_layer_settings */
    SPW_ORIGIN_LAYER_SETTINGS_FILE,
    SPW_ORIGIN_VARIABLE,
};

struct spw_origin {
    enum spw_origin_kind kind;
    /* Of the configuration, as long as that lives; NULL and 0 where there is no file. */
    const char *file, *profile; /* profile: its name, NULL where it has none */
    unsigned line;
};

/* "built-in default", "/etc/spillway/a.json:12", "/…/b.json:7 (profile 'DXVK')",
 * "VK_EXT_layer_settings", "SPILLWAY_LOG_LEVEL"; cut like snprintf. */
void spw_origin_print(const struct spw_origin *origin, const char *key, char *text,
                      size_t text_size);

/* ---- loading ---- */

struct spw_config;

/* Never NULL but for lack of memory; a file that is bad in whole or in part is complained about,
 * and the rest holds. Complaints about a file start "<file>:<line>: <key path>: "; WARN: something
 * is wrong and left out; INFO: a variable does nothing in this version; DEBUG: the same of a key in
 * a file. Must not run while another thread changes the environment. */
struct spw_config *spw_config_load(spw_complain_fn complain, void *user) SPW_MUST_CHECK;
void spw_config_destroy(struct spw_config *config);

/* Reads one file as any other would be, for `spillway config check`: complains about everything
 * in it. SPW_OK: nothing is wrong; SPW_INVALID: something was WARNed about; SPW_IO: it cannot be
 * read (errno says why; also complained about); SPW_NO_HOST_MEMORY. */
SPW_MUST_CHECK enum spw_result spw_config_check_file(const char *path, spw_complain_fn complain,
                                                     void *user);

/* ---- what was loaded ---- */

enum spw_file_place {
    SPW_PLACE_SHIPPED,
    SPW_PLACE_ETC,
    SPW_PLACE_USER,
    SPW_PLACE_LAYER_SETTINGS, /* vk_layer_settings.txt */
    SPW_PLACE_VARIABLE,       /* SPILLWAY_CONFIG */
};

struct spw_config_file_info {
    const char *path; /* of the configuration */
    enum spw_file_place place;
    bool usable; /* false: could not be read, or is no JSON: nothing in it holds */
    size_t profile_count;
};

/* The files that are there, in the order in which they are applied. */
size_t spw_config_file_count(const struct spw_config *config);
struct spw_config_file_info spw_config_file_info(const struct spw_config *config, size_t i);

/* The folder of a place, whether there or not; "" where there is none (no HOME). Of the
 * configuration. Not for SPW_PLACE_VARIABLE and SPW_PLACE_LAYER_SETTINGS. */
const char *spw_config_folder(const struct spw_config *config, enum spw_file_place place);

/* ---- resolving ---- */

/* One setting from VkLayerSettingsCreateInfoEXT, its value as text ("true", "42", a word). */
struct spw_api_setting {
    const char *key, *text;
};

struct spw_api_settings {
    struct spw_api_setting *list;
    size_t count;
};

struct spw_effective {
    struct spw_settings settings;                 /* spw_settings_get() gives values as text */
    struct spw_origin origins[SPW_SETTING_COUNT]; /* by row: spw_setting_info(i).key */
};

/* What holds for this program, and this GPU; gpu NULL: for the instance, and profiles with
 * conditions on the GPU do not apply. api NULL: none. *out is written as if it were uninitialised,
 * and only on success; it must not outlive the configuration. A value of api that is none is
 * complained about (complain may be NULL). SPW_OK or SPW_NO_HOST_MEMORY. */
SPW_MUST_CHECK enum spw_result
spw_config_resolve(const struct spw_config *config, const struct spw_program *program,
                   const struct spw_gpu *gpu, const struct spw_api_settings *api,
                   struct spw_effective *out, spw_complain_fn complain, void *user);
void spw_effective_finish(struct spw_effective *effective);

/* A profile that the program matches. */
struct spw_match {
    const char *file, *name, *comment; /* of the configuration; name and comment may be NULL */
    unsigned line;
    bool needs_gpu; /* has conditions on the GPU; only visited where gpu is NULL or they hold */
};

/* Calls visit for each, in the order in which they are applied. gpu NULL: those with conditions on
 * the GPU are visited if all their other conditions hold. */
void spw_config_for_each_match(const struct spw_config *config, const struct spw_program *program,
                               const struct spw_gpu *gpu,
                               void (*visit)(void *user, const struct spw_match *match),
                               void *user);
