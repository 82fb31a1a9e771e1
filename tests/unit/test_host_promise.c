/* SPDX-License-Identifier: MIT
 *
 * core/host_promise: the floor holds, touched or not, from however many threads. */
#include "unit.h"

#include "host_promise.h"

#include <pthread.h>

static void init(struct spw_host_promise *p)
{
    *p = (struct spw_host_promise){0};
    spw_mutex_init(&p->lock, SPW_RANK_HOST_PROMISE);
}

static void host_promise_stops_at_the_floor(void **state)
{
    (void)state;
    struct spw_host_promise p;
    init(&p);
    assert_int_equal(spw_host_promise_room(&p, 1000, 300), 700);
    assert_int_equal(spw_host_promise_take(&p, 701, 1000, 300), SPW_NO_ROOM);
    assert_int_equal(spw_host_promise_take(&p, 700, 1000, 300), SPW_OK);
    assert_int_equal(spw_host_promise_take(&p, 1, 1000, 300), SPW_NO_ROOM);
    assert_int_equal(spw_host_promise_take(&p, 0, 1000, 300), SPW_OK);
    spw_host_promise_give_back(&p, 200);
    assert_int_equal(spw_host_promise_room(&p, 1000, 300), 200);
    assert_int_equal(spw_host_promise_room(&p, 250, 300), 0); /* below the floor already */
    assert_int_equal(spw_host_promise_take(&p, UINT64_MAX, UINT64_MAX, 0), SPW_NO_ROOM);
    spw_mutex_finish(&p.lock);
}

/* Untouched promises have not lowered MemAvailable; touched ones have: neither counts twice. */
static void host_promise_counts_untouched_memory_once(void **state)
{
    (void)state;
    struct spw_host_promise p;
    init(&p);
    assert_int_equal(spw_host_promise_take(&p, 400, 1000, 100), SPW_OK);
    assert_int_equal(spw_host_promise_room(&p, 1000, 100), 500); /* nothing touched */
    assert_int_equal(spw_host_promise_room(&p, 800, 100), 500);  /* half of it touched */
    assert_int_equal(spw_host_promise_room(&p, 600, 100), 500);  /* all of it */
    assert_int_equal(spw_host_promise_room(&p, 500, 100), 400);  /* and another program's 100 */
    spw_mutex_finish(&p.lock);
}

static void host_promise_starts_anew_when_all_is_back(void **state)
{
    (void)state;
    struct spw_host_promise p;
    init(&p);
    assert_int_equal(spw_host_promise_take(&p, 400, 1000, 100), SPW_OK);
    spw_host_promise_give_back(&p, 400);
    /* Memory has become scarce since: the old height counts no more. */
    assert_int_equal(spw_host_promise_room(&p, 500, 100), 400);
    assert_int_equal(spw_host_promise_take(&p, 400, 500, 100), SPW_OK);
    assert_int_equal(spw_host_promise_room(&p, 500, 100), 0);
    spw_mutex_finish(&p.lock);
}

/* Lazily touched: a machine whose MemAvailable is baseline − touched never falls below its floor
 * once all that was promised is touched. */
static void host_promise_random_machine_keeps_its_floor(void **state)
{
    (void)state;
    struct unit_rng rng = {.state = 30};
    for (int run = 0; run < 200; run++) {
        struct spw_host_promise p;
        init(&p);
        uint64_t total = 1000 + unit_rng_below(&rng, 100000);
        uint64_t floor = unit_rng_below(&rng, total);
        uint64_t promised = 0, touched = 0;
        for (int i = 0; i < 200; i++) {
            uint64_t size = unit_rng_below(&rng, total / 8 + 1);
            switch (unit_rng_below(&rng, 3)) {
            case 0: {
                uint64_t room = spw_host_promise_room(&p, total - touched, floor);
                enum spw_result result = spw_host_promise_take(&p, size, total - touched, floor);
                assert_int_equal(result, size <= room ? SPW_OK : SPW_NO_ROOM);
                promised += result == SPW_OK ? size : 0;
                break;
            }
            case 1: /* given back, as far as it goes; what was touched of it becomes free */
                size = size < promised ? size : promised;
                spw_host_promise_give_back(&p, size);
                promised -= size;
                touched = touched < promised ? touched : promised;
                break;
            default:
                touched += unit_rng_below(&rng, promised - touched + 1);
                break;
            }
            assert_true(promised == 0 || total - promised >= floor);
        }
        spw_mutex_finish(&p.lock);
    }
}

#define THREADS 4

struct taker {
    struct spw_host_promise *promise;
    uint64_t seed, held, most;
};

static void *take_and_give_back(void *arg)
{
    struct taker *t = arg;
    struct unit_rng rng = {.state = t->seed};
    for (int i = 0; i < 3000; i++) {
        uint64_t size = unit_rng_below(&rng, 300);
        if (t->held > 0 && unit_rng_below(&rng, 3) == 0) {
            spw_host_promise_give_back(t->promise, t->held);
            t->held = 0;
        } else if (spw_host_promise_take(t->promise, size, 1000, 200) == SPW_OK) {
            t->held += size;
        }
        t->most = t->held > t->most ? t->held : t->most;
    }
    return NULL;
}

static void host_promise_threads_share_the_room(void **state)
{
    (void)state;
    struct spw_host_promise p;
    init(&p);
    pthread_t threads[THREADS];
    struct taker takers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        takers[i] = (struct taker){.promise = &p, .seed = (uint64_t)i};
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give_back, &takers[i]), 0);
    }
    uint64_t held = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        held += takers[i].held;
        assert_true(takers[i].most <= 800);
    }
    assert_true(held <= 800);
    assert_int_equal(spw_host_promise_room(&p, 1000, 200), 800 - held);
    spw_mutex_finish(&p.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_promise_stops_at_the_floor),
        cmocka_unit_test(host_promise_counts_untouched_memory_once),
        cmocka_unit_test(host_promise_starts_anew_when_all_is_back),
        cmocka_unit_test(host_promise_random_machine_keeps_its_floor),
        cmocka_unit_test(host_promise_threads_share_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
