/* SPDX-License-Identifier: MIT
 *
 * What the unit tests share: cmocka with what it wants included first, repeatable randomness, a
 * child process whose stderr is caught write by write, and a collector of complaints. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base.h"

/* The same numbers on every machine. Any seed will do. */
struct unit_rng {
    uint64_t state;
};

uint64_t unit_rng_next(struct unit_rng *rng);
/* 0 ≤ result < bound; bound > 0. */
uint64_t unit_rng_below(struct unit_rng *rng, uint64_t bound);
/* Sizes as they hurt: small, large, around powers of two, at both ends of the range. */
uint64_t unit_rng_size(struct unit_rng *rng);

#define UNIT_MAX_WRITES 256

/* What a child did: how it ended, and each of its writes to stderr as a string of its own. */
struct unit_child {
    int status; /* of waitpid */
    size_t write_count;
    char *writes[UNIT_MAX_WRITES];
    size_t lengths[UNIT_MAX_WRITES];
};

/* fn runs in a fork with stderr caught; returning ends it with status 0. Call while there is one
 * thread. */
void unit_child_run(struct unit_child *child, void (*fn)(void *arg), void *arg);
void unit_child_free(struct unit_child *child);
bool unit_child_exited_well(const struct unit_child *child);
/* Ended by abort(), with `text` in what it wrote. */
bool unit_child_aborted_with(const struct unit_child *child, const char *text);

/* In a child, where cmocka's assertions cannot be used: says what failed and ends. */
#define UNIT_CHILD_CHECK(cond) ((cond) ? (void)0 : unit_child_fail(__FILE__, __LINE__, #cond))
_Noreturn void unit_child_fail(const char *file, int line, const char *what);

/* A fresh folder under TMPDIR, removed with what is in it (no folders) by unit_remove_folder. */
void unit_make_folder(char path[64]);
void unit_remove_folder(const char *path);

/* Changes `text` (a buffer of text_size) in one to three places: letters changed, dropped, doubled,
 * swapped, pieces of `others` put in. Stays a string, never with "=" or a zero inside. */
void unit_mutate(struct unit_rng *rng, char *text, size_t text_size, const char *const *others,
                 size_t other_count);
