/* SPDX-License-Identifier: MIT
 *
 * Ranked mutexes. The check build keeps, per thread, the stack of mutexes that it holds: small,
 * since the ranks are few and a rank can be held only once. */
#include "lock.h"

#include "base.h"

#ifdef SPW_CHECK

/* More than there are ranks: a full stack would itself be a mistake. */
#define MAX_HELD 16

static _Thread_local struct spw_mutex *held[MAX_HELD];
static _Thread_local unsigned held_count;

static bool is_held(const struct spw_mutex *m)
{
    for (unsigned i = 0; i < held_count; i++) {
        if (held[i] == m) {
            return true;
        }
    }
    return false;
}

static bool rank_is_above_all_held(const struct spw_mutex *m)
{
    for (unsigned i = 0; i < held_count; i++) {
        if (held[i]->rank >= m->rank) {
            return false;
        }
    }
    return true;
}

static void check_before_lock(const struct spw_mutex *m)
{
    SPW_CHECK_THAT(m->rank != 0); /* not initialised, or finished */
    SPW_CHECK_THAT(!is_held(m));
    SPW_CHECK_THAT(rank_is_above_all_held(m));
    SPW_CHECK_THAT(held_count < MAX_HELD);
}

static void check_before_finish(const struct spw_mutex *m)
{
    SPW_CHECK_THAT(!is_held(m));
}

static void note_locked(struct spw_mutex *m)
{
    held[held_count++] = m;
}

static void note_unlocked(const struct spw_mutex *m)
{
    SPW_CHECK_THAT(is_held(m));
    unsigned i = 0;
    while (held[i] != m) {
        i++;
    }
    for (held_count--; i < held_count; i++) {
        held[i] = held[i + 1];
    }
}

void spw_assert_held(struct spw_mutex *m) SPW_NO_ANALYSIS
{
    SPW_CHECK_THAT(is_held(m));
}

#else

static void check_before_lock(const struct spw_mutex *m)
{
    (void)m;
}

static void check_before_finish(const struct spw_mutex *m)
{
    (void)m;
}

static void note_locked(struct spw_mutex *m)
{
    (void)m;
}

static void note_unlocked(const struct spw_mutex *m)
{
    (void)m;
}

void spw_assert_held(struct spw_mutex *m) SPW_NO_ANALYSIS
{
    (void)m;
}

#endif

void spw_mutex_init(struct spw_mutex *m, enum spw_lock_rank rank)
{
    pthread_mutex_init(&m->mutex, NULL);
    m->rank = rank;
}

void spw_mutex_finish(struct spw_mutex *m)
{
    if (m == NULL || m->rank == 0) {
        return;
    }
    check_before_finish(m);
    pthread_mutex_destroy(&m->mutex);
    m->rank = 0;
}

/* The two below are what the analysis is told about; pthread's functions carry no annotations. */
void spw_mutex_lock(struct spw_mutex *m) SPW_NO_ANALYSIS
{
    check_before_lock(m);
    pthread_mutex_lock(&m->mutex);
    note_locked(m);
}

void spw_mutex_unlock(struct spw_mutex *m) SPW_NO_ANALYSIS
{
    note_unlocked(m);
    pthread_mutex_unlock(&m->mutex);
}
