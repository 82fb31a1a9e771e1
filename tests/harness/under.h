/* SPDX-License-Identifier: MIT
 *
 * One end-to-end run as `under` sees it: what was asked for on the command line, and the folder and
 * environment made from it. under.c reads options and judges the run; under_setup.c makes the
 * set-up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { UNDER_MAX_LIST = 64, UNDER_PATH = 1024 };

enum under_layer { UNDER_LAYER_OFF, UNDER_LAYER_CHECK, UNDER_LAYER_SHIPPED };
enum under_validation { UNDER_VALIDATION_NONE, UNDER_VALIDATION_DEBIAN, UNDER_VALIDATION_CHROMIUM };

/* What the program has to end with. */
enum under_expect {
    UNDER_EXPECT_SUCCESS,
    UNDER_EXPECT_FAILURE, /* any exit code but 0, "skipped" and "wrong usage"; no signal */
    UNDER_EXPECT_CODE,
};

struct under_list {
    size_t count;
    const char *entries[UNDER_MAX_LIST];
};

struct under {
    /* as asked for */
    const char *profile, *vram, *host, *bar, *icd;
    bool chromium_loader, sync, keep, drop, no_summary, log_to_stderr;
    enum under_layer layer;
    enum under_validation validation;
    const char *layer_lib, *simgpu_lib;     /* NULL: found in the build tree */
    struct under_list settings;             /* key=value */
    struct under_list environment;          /* NAME=VALUE */
    struct under_list checks, false_checks; /* that have to hold, and that must not */
    struct under_list allowed_messages;
    enum under_expect expect;
    int expect_code;
    long max_refusals; /* -1: any number */
    char **program;    /* ends with NULL */
    /* made from it: a folder with private XDG folders, manifests and logs */
    char folder[UNDER_PATH / 2];
    struct under_list variables; /* NAME=VALUE, all that were set */
};

/* Why a set-up is not possible here: 77, not a failure. */
_Noreturn void under_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void under_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes the folder, the manifests and this process's own environment (the child inherits it). Skips
 * where a driver, loader or validation layer is not installed. */
void under_setup(struct under *u);
/* Sends what the next child writes to <folder>/<name>/: validation.log, spillway.log, simgpu.json.
 */
void under_setup_outputs(struct under *u, const char *name);
/* Path of a file in the folder, in a static buffer of its own (four of them in turn). */
const char *under_path(const struct under *u, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Says on stderr how to run the program again in this set-up. */
void under_print_reproduction(const struct under *u);
void under_remove_folder(struct under *u);
