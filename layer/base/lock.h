/* SPDX-License-Identifier: MIT
 *
 * struct spw_mutex: a pthread mutex with a rank (lock_ranks.h). In check builds taking locks out of
 * order, twice, or releasing one that is not held is an assertion failure; in the shipped build it
 * is a plain mutex. clang's -Wthread-safety checks the annotations on function declarations. (clang
 * 14 in C rejects guarded_by on struct members: fields are grouped by lock in comments instead.) */
#pragma once

#include "lock_ranks.h"

#include <pthread.h>
#include <stdbool.h>

#if defined(__clang__)
#define SPW_CAPABILITY(x) __attribute__((capability(x)))
#define SPW_ACQUIRES(...) __attribute__((acquire_capability(__VA_ARGS__)))
#define SPW_RELEASES(...) __attribute__((release_capability(__VA_ARGS__)))
#define SPW_REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define SPW_EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))
#define SPW_NO_ANALYSIS   __attribute__((no_thread_safety_analysis))
#else
#define SPW_CAPABILITY(x)
#define SPW_ACQUIRES(...)
#define SPW_RELEASES(...)
#define SPW_REQUIRES(...)
#define SPW_EXCLUDES(...)
#define SPW_NO_ANALYSIS
#endif

struct SPW_CAPABILITY("mutex") spw_mutex {
    pthread_mutex_t mutex;
    enum spw_lock_rank rank;
};

/* Static initialiser, for process-wide locks. */
#define SPW_MUTEX_INIT(rank_)                                                                      \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .rank = (rank_)                                        \
    }

/* Any thread, for all of these. init cannot fail on Linux (no attributes that need memory). */
void spw_mutex_init(struct spw_mutex *m, enum spw_lock_rank rank);
void spw_mutex_finish(struct spw_mutex *m);
void spw_mutex_lock(struct spw_mutex *m) SPW_ACQUIRES(m);
void spw_mutex_unlock(struct spw_mutex *m) SPW_RELEASES(m);

/* First line of every _locked function. Nothing in the shipped build. */
void spw_assert_held(struct spw_mutex *m) SPW_REQUIRES(m);
