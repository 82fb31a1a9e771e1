/* SPDX-License-Identifier: MIT
 *
 * Who is running: what the conditions of a profile are held against. */
#pragma once

#include "base.h"

/* Strings may be NULL: not known, and no condition on it holds. */
struct spw_program {
    char *executable;   /* owned: full path; of a Windows program the path that Wine was given */
    bool windows;       /* compared without regard to case, '\' and '/' being the same */
    char *steam_ids[2]; /* owned: SteamAppId and SteamGameId */
    /* borrowed, from VkApplicationInfo: the caller sets them, and keeps them alive while it asks */
    const char *application, *engine;
};

struct spw_gpu {
    uint32_t vendor_id, device_id;
    const char *name; /* borrowed */
};

/* This process: /proc/self/exe, or for Wine and Proton the .exe in /proc/self/cmdline; Steam's
 * variables through secure_getenv. What cannot be found out, or for which there is no memory, stays
 * NULL. */
void spw_program_init_self(struct spw_program *p);
/* The program that `path` names, as `spillway config show --for` has it: a path, made absolute and
 * with its links followed where the file is there, or a name without a slash, looked up in PATH;
 * one that is not found is taken as written. A name in .exe is a Windows program. No Steam ids. */
void spw_program_init_for(struct spw_program *p, const char *path);
void spw_program_finish(struct spw_program *p);

/* '*' any run of characters, '?' any one; nothing else is special. Linear in memory, at worst
 * quadratic in time. no_case: ASCII letters without regard to case, '\' matches '/'. */
bool spw_glob_matches(const char *pattern, const char *text, bool no_case);
