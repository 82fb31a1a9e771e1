/* SPDX-License-Identifier: MIT
 *
 * base/lock: what the check build refuses, and that a mutex is one. */
#include "unit.h"

#include "lock.h"

#include <pthread.h>
#include <sched.h>

/* The analysis is right about these tests: they do what it is there to forbid. */
static void lock(struct spw_mutex *m) SPW_NO_ANALYSIS
{
    spw_mutex_lock(m);
}

static void unlock(struct spw_mutex *m) SPW_NO_ANALYSIS
{
    spw_mutex_unlock(m);
}

static void assert_held(struct spw_mutex *m) SPW_NO_ANALYSIS
{
    spw_assert_held(m);
}

struct pair {
    struct spw_mutex outer, inner;
};

static void pair_init(struct pair *p)
{
    spw_mutex_init(&p->outer, SPW_RANK_DEVICE);
    spw_mutex_init(&p->inner, SPW_RANK_HANDLE_MAP);
}

static void pair_finish(struct pair *p)
{
    spw_mutex_finish(&p->inner);
    spw_mutex_finish(&p->outer);
}

static void lock_in_order_passes(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    for (int i = 0; i < 3; i++) {
        lock(&p.outer);
        lock(&p.inner);
        assert_held(&p.outer);
        assert_held(&p.inner);
        unlock(&p.inner);
        unlock(&p.outer);
    }
    pair_finish(&p);
}

static void lock_released_outer_first_passes(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    lock(&p.outer);
    lock(&p.inner);
    unlock(&p.outer);
    assert_held(&p.inner);
    unlock(&p.inner);
    lock(&p.outer); /* nothing is left on the stack that would forbid it */
    unlock(&p.outer);
    pair_finish(&p);
}

static void lock_finish_takes_null_zeroed_and_finished(void **state)
{
    (void)state;
    struct spw_mutex zeroed = {0}, m;
    spw_mutex_init(&m, SPW_RANK_STATS);
    spw_mutex_finish(NULL);
    spw_mutex_finish(&zeroed);
    spw_mutex_finish(&m);
    spw_mutex_finish(&m);
}

/* ---- what ends a check build ---- */

static void take_out_of_order(void *arg)
{
    (void)arg;
    struct pair p;
    pair_init(&p);
    lock(&p.inner);
    lock(&p.outer);
}

static void take_same_rank(void *arg)
{
    (void)arg;
    struct spw_mutex a, b;
    spw_mutex_init(&a, SPW_RANK_DEVICE);
    spw_mutex_init(&b, SPW_RANK_DEVICE);
    lock(&a);
    lock(&b);
}

static void take_twice(void *arg)
{
    (void)arg;
    struct pair p;
    pair_init(&p);
    lock(&p.outer);
    lock(&p.outer);
}

static void take_uninitialised(void *arg)
{
    (void)arg;
    struct spw_mutex m = {0};
    lock(&m);
}

static void release_not_held(void *arg)
{
    (void)arg;
    struct pair p;
    pair_init(&p);
    lock(&p.outer);
    unlock(&p.inner);
}

static void finish_held(void *arg)
{
    (void)arg;
    struct pair p;
    pair_init(&p);
    lock(&p.outer);
    spw_mutex_finish(&p.outer);
}

static void assert_not_held(void *arg)
{
    (void)arg;
    struct pair p;
    pair_init(&p);
    lock(&p.outer);
    unlock(&p.outer);
    assert_held(&p.outer);
}

static void *assert_held_by_this_thread(void *m)
{
    assert_held(m);
    return NULL;
}

static void assert_held_by_another(void *arg)
{
    (void)arg;
    struct pair p;
    pair_init(&p);
    lock(&p.outer);
    pthread_t thread;
    pthread_create(&thread, NULL, assert_held_by_this_thread, &p.outer);
    pthread_join(thread, NULL);
}

static void lock_misused_ends_check_build(void **state)
{
    (void)state;
    static const struct {
        void (*fn)(void *arg);
        const char *text;
    } cases[] = {
        {take_out_of_order, "rank_is_above_all_held"},
        {take_same_rank, "rank_is_above_all_held"},
        {take_twice, "!is_held"},
        {take_uninitialised, "rank != 0"},
        {release_not_held, "is_held"},
        {finish_held, "!is_held"},
        {assert_not_held, "is_held"},
        {assert_held_by_another, "is_held"},
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        struct unit_child child;
        unit_child_run(&child, cases[i].fn, NULL);
        assert_true(unit_child_aborted_with(&child, cases[i].text));
        unit_child_free(&child);
    }
}

/* ---- mutual exclusion ---- */

#define THREADS 4
#define ROUNDS  5000

static struct spw_mutex counter_lock = SPW_MUTEX_INIT(SPW_RANK_STATS);
static uint64_t counter; /* not atomic on purpose */

static void *count(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        spw_mutex_lock(&counter_lock);
        uint64_t seen = counter;
        if (i % 16 == 0) {
            sched_yield(); /* whoever could come in between would now */
        }
        counter = seen + 1;
        spw_mutex_unlock(&counter_lock);
    }
    return arg;
}

static void lock_excludes_other_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(counter, THREADS * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_in_order_passes),
        cmocka_unit_test(lock_released_outer_first_passes),
        cmocka_unit_test(lock_finish_takes_null_zeroed_and_finished),
        cmocka_unit_test(lock_misused_ends_check_build),
        cmocka_unit_test(lock_excludes_other_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
