/* SPDX-License-Identifier: MIT
 *
 * Settings as parsed: one struct, filled from the table in settings_keys.h. Built-in defaults, then
 * the environment; the configuration files will come through the same spw_settings_set(). A value
 * that cannot be used is reported and the one before it stays: a bad setting never stops the
 * program. */
#pragma once

#include "base.h"
#include "log.h"
#include "size_parse.h"

enum spw_mode {
    SPW_MODE_AUTO,
    SPW_MODE_PAGING,
    SPW_MODE_PRIORITY,
    SPW_MODE_REDIRECT,
    SPW_MODE_PASSTHROUGH
};
enum spw_stats_mode { SPW_STATS_NONE, SPW_STATS_PAGE, SPW_STATS_EXIT };
enum spw_report_kind { SPW_REPORT_VIRTUAL, SPW_REPORT_TRUTHFUL, SPW_REPORT_FIXED };

struct spw_report {
    enum spw_report_kind kind;
    struct spw_size fixed; /* with FIXED: bytes, or a share of the real heap */
};

struct spw_settings {
    bool enabled;
    enum spw_mode mode;
    struct spw_report report;
    struct spw_size vram_limit, host_limit, host_floor, reserve, overflow;
    enum spw_log_level log_level;
    char *log_file; /* owned; NULL: stderr */
    enum spw_stats_mode stats;
};

/* Where complaints go: one sentence naming the source (a variable), the value and what is used
 * instead. level is WARN for what is wrong, INFO for what does nothing in this version. */
typedef void (*spw_complain_fn)(void *user, enum spw_log_level level, const char *message);

/* Caller's memory. init sets the defaults and cannot fail. */
void spw_settings_init(struct spw_settings *s);
void spw_settings_finish(struct spw_settings *s);
/* `to` is written as if it were uninitialised, and only on success. */
SPW_MUST_CHECK enum spw_result spw_settings_copy(struct spw_settings *to,
                                                 const struct spw_settings *from);

/* Sets one key from text. `source` names where it came from, for the complaint ("SPILLWAY_MODE").
 * SPW_INVALID: the text is no value of that key; SPW_NOT_FOUND: no such key, or a later version's;
 * SPW_NO_HOST_MEMORY. All have been complained about, the nearest key suggested for a misspelt one,
 * and the value stays. An empty text sets the built-in default. */
enum spw_result spw_settings_set(struct spw_settings *s, const char *key, const char *text,
                                 const char *source, spw_complain_fn complain, void *user);

/* The value a key has now, as text that spw_settings_set() would take ("" where unset); false: no
 * such key. For tests and `spillway config show`. */
bool spw_settings_get(const struct spw_settings *s, const char *key, char *text, size_t text_size);

/* Reads every SPILLWAY_* variable (secure_getenv: none in a privileged process). An empty one
 * counts as unset. SPILLWAY and SPILLWAY_DISABLE are the loader's switches, SPILLWAY_TEST_* the
 * check build's: not settings. A misspelt one is complained about with a suggestion. Must not run
 * while another thread changes the environment. */
void spw_settings_read_env(struct spw_settings *s, spw_complain_fn complain, void *user);

/* SPILLWAY_DISABLE is set and not empty or "0": the layer passes through, whoever enabled it. */
bool spw_settings_env_disabled(void);

/* "auto", "redirect", …: static. */
const char *spw_mode_name(enum spw_mode mode);
