/* SPDX-License-Identifier: MIT
 *
 * malloc with planned failures. The plan is one counter for the process: it counts down at each
 * allocation and the one that takes it to zero fails. */
#include "host_alloc.h"

#include <stdlib.h>
#include <string.h>

#ifdef SPW_CHECK

#include <pthread.h>
#include <stdatomic.h>

/* atomic: counters of their own, nothing is published through them */
static _Atomic uint32_t failure_countdown;
static _Atomic int64_t live_count;

static pthread_once_t plan_once = PTHREAD_ONCE_INIT;

static void read_plan(void)
{
    const char *text = secure_getenv("SPILLWAY_TEST_FAIL_MALLOC");
    if (text != NULL) {
        atomic_store_explicit(&failure_countdown, (uint32_t)strtoul(text, NULL, 10),
                              memory_order_relaxed);
    }
}

static bool must_fail(void)
{
    pthread_once(&plan_once, read_plan);
    uint32_t left = atomic_load_explicit(&failure_countdown, memory_order_relaxed);
    while (left != 0) {
        if (atomic_compare_exchange_weak_explicit(&failure_countdown, &left, left - 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return left == 1;
        }
    }
    return false;
}

static void note_live(int change)
{
    atomic_fetch_add_explicit(&live_count, change, memory_order_relaxed);
}

void spw_host_alloc_fail_nth(uint32_t n)
{
    pthread_once(&plan_once, read_plan);
    atomic_store_explicit(&failure_countdown, n, memory_order_relaxed);
}

bool spw_host_alloc_fail_pending(void)
{
    pthread_once(&plan_once, read_plan);
    return atomic_load_explicit(&failure_countdown, memory_order_relaxed) != 0;
}

int64_t spw_host_alloc_live(void)
{
    return atomic_load_explicit(&live_count, memory_order_relaxed);
}

#else

static bool must_fail(void)
{
    return false;
}

static void note_live(int change)
{
    (void)change;
}

#endif

void *spw_calloc(size_t count, size_t size)
{
    /* libc looks at the product too, but the sanitizers take one that wraps for a bug. */
    size_t bytes;
    if (must_fail() || __builtin_mul_overflow(count, size, &bytes)) {
        return NULL;
    }
    /* C leaves it open whether nothing is NULL; here NULL is failure and nothing else. */
    void *p = calloc(1, bytes != 0 ? bytes : 1);
    if (p != NULL) {
        note_live(1);
    }
    return p;
}

void *spw_realloc(void *p, size_t size)
{
    if (must_fail()) {
        return NULL;
    }
    void *moved = realloc(p, size != 0 ? size : 1);
    if (moved != NULL && p == NULL) {
        note_live(1);
    }
    return moved;
}

char *spw_strdup(const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = spw_calloc(size, 1);
    if (copy != NULL) {
        memcpy(copy, s, size);
    }
    return copy;
}

void spw_free(void *p)
{
    if (p != NULL) {
        note_live(-1);
    }
    free(p);
}
