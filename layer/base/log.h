/* SPDX-License-Identifier: MIT
 *
 * The layer's voice: one line per message to stderr or a file, never stdout, "spillway: warn: …".
 * Any thread; keeps errno. A message that repeats (same call site) more than 10 times is
 * rate-limited: then only every power of two is printed, with its count. Never fails: what cannot
 * be written is dropped, and a reader of stderr that has gone (SIGPIPE) or a full file (SIGXFSZ)
 * does no harm to the program. */
#pragma once

#include "base.h"

enum spw_log_level { SPW_LOG_ERROR, SPW_LOG_WARN, SPW_LOG_INFO, SPW_LOG_DEBUG };

/* One per call site, static: counts repeats. Internal to the macro. */
struct spw_log_site {
    _Atomic uint32_t count;
};

/* Process-wide; may be called again (each vkCreateInstance does). `path` NULL: stderr. A file is
 * opened for appending, close-on-exec, mode 0600, not following a symlink in its last component. On
 * failure to open: SPW_IO (errno set) and the sink stays what it was; the level is set in any case.
 */
SPW_MUST_CHECK enum spw_result spw_log_configure(enum spw_log_level level, const char *path);

bool spw_log_enabled(enum spw_log_level level);

/* One write(2) of one line: control characters become '?', what is longer than a kilobyte is cut at
 * a character and ends in "...". site NULL: not rate-limited, for messages that are made elsewhere.
 */
void spw_log_at(struct spw_log_site *site, enum spw_log_level level, const char *format, ...)
    SPW_PRINTF(3, 4);

/* Writes `text` and a newline to the sink as it is, whatever the level: for what the user asked to
 * see (stats = exit). */
void spw_log_raw(const char *text);

#define spw_log(level_, ...)                                                                       \
    do {                                                                                           \
        if (spw_log_enabled(level_)) {                                                             \
            static struct spw_log_site spw_site_;                                                  \
            spw_log_at(&spw_site_, (level_), __VA_ARGS__);                                         \
        }                                                                                          \
    } while (0)
