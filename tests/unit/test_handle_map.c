/* SPDX-License-Identifier: MIT
 *
 * base/handle_map against a model, under churn, without memory, and read while it is written. The
 * last one is what ThreadSanitizer is run on. */
#include "unit.h"

#include "handle_map.h"
#include "host_alloc.h"

#include <pthread.h>
#include <stdatomic.h>

/* An object that knows its handle: what a reader finds must be the one that it asked for. */
struct object {
    uint64_t key;
};

/* ---- one thread ---- */

static void handle_map_empty_costs_nothing(void **state)
{
    (void)state;
    int64_t before = spw_host_alloc_live();
    struct spw_handle_map map, zeroed = {0};
    spw_handle_map_init(&map);
    assert_null(spw_handle_map_find(&map, 7));
    assert_null(spw_handle_map_remove(&map, 7));
    assert_true(spw_handle_map_is_valid(&map));
    assert_int_equal(spw_host_alloc_live(), before);
    spw_handle_map_finish(&map);
    spw_handle_map_finish(&map);
    spw_handle_map_finish(&zeroed);
    spw_handle_map_finish(NULL);
}

static void handle_map_reserved_keys_are_refused(void **state)
{
    (void)state;
    struct object object;
    struct spw_handle_map map;
    spw_handle_map_init(&map);
    assert_int_equal(spw_handle_map_insert(&map, 0, &object), SPW_INVALID);
    assert_int_equal(spw_handle_map_insert(&map, UINT64_MAX, &object), SPW_INVALID);
    assert_int_equal(spw_handle_map_insert(&map, 1, NULL), SPW_INVALID);
    assert_int_equal(spw_handle_map_insert(&map, 1, &object), SPW_OK);
    assert_null(spw_handle_map_find(&map, 0));
    assert_null(spw_handle_map_find(&map, UINT64_MAX));
    assert_null(spw_handle_map_remove(&map, 0));
    assert_null(spw_handle_map_remove(&map, UINT64_MAX));
    assert_ptr_equal(spw_handle_map_find(&map, 1), &object);
    spw_handle_map_finish(&map);
}

static void handle_map_present_key_gets_new_value(void **state)
{
    (void)state;
    struct object a, b;
    struct spw_handle_map map;
    spw_handle_map_init(&map);
    assert_int_equal(spw_handle_map_insert(&map, 5, &a), SPW_OK);
    assert_int_equal(spw_handle_map_insert(&map, 5, &b), SPW_OK);
    assert_int_equal(map.live_count, 1);
    assert_ptr_equal(spw_handle_map_find(&map, 5), &b);
    assert_ptr_equal(spw_handle_map_remove(&map, 5), &b);
    assert_null(spw_handle_map_remove(&map, 5));
    assert_true(spw_handle_map_is_valid(&map));
    spw_handle_map_finish(&map);
}

#define MODEL_KEYS 400

struct model {
    struct object objects[2][MODEL_KEYS]; /* two values a key, so that a replaced one shows */
    struct object *present[MODEL_KEYS];
    size_t seen;
};

/* Keys as drivers make them: counters, aligned pointers, and handles with the high bits set. */
static uint64_t model_key(size_t i)
{
    static const uint64_t bases[] = {1, UINT64_C(0x7f0000000040), UINT64_C(0xfeedface00000001)};
    return bases[i % 3] + (uint64_t)(i / 3) * (i % 3 == 1 ? 64 : 1);
}

static void see_pair(uint64_t key, void *value, void *user)
{
    struct model *model = user;
    struct object *object = value;
    size_t i = 0;
    while (i < MODEL_KEYS && model_key(i) != key) {
        i++;
    }
    assert_true(i < MODEL_KEYS);
    assert_ptr_equal(model->present[i], object);
    model->seen++;
}

static void check_against_model(struct spw_handle_map *map, struct model *model)
{
    size_t present = 0;
    for (size_t i = 0; i < MODEL_KEYS; i++) {
        assert_ptr_equal(spw_handle_map_find(map, model_key(i)), model->present[i]);
        present += model->present[i] != NULL;
    }
    model->seen = 0;
    spw_handle_map_for_each(map, see_pair, model);
    assert_int_equal(model->seen, present);
    assert_int_equal(map->live_count, present);
    assert_true(spw_handle_map_is_valid(map));
}

static void handle_map_random_operations_match_model(void **state)
{
    (void)state;
    static struct model model;
    int64_t before = spw_host_alloc_live();
    struct unit_rng rng = {.state = 1};
    struct spw_handle_map map;
    spw_handle_map_init(&map);
    for (int round = 0; round < 60000; round++) {
        /* Phases that fill, empty and churn. */
        uint64_t inserts_of_8 = (uint64_t[]){6, 2, 4}[round / 5000 % 3];
        size_t i = (size_t)unit_rng_below(&rng, MODEL_KEYS);
        if (unit_rng_below(&rng, 8) < inserts_of_8) {
            struct object *object = &model.objects[unit_rng_below(&rng, 2)][i];
            assert_int_equal(spw_handle_map_insert(&map, model_key(i), object), SPW_OK);
            model.present[i] = object;
        } else {
            assert_ptr_equal(spw_handle_map_remove(&map, model_key(i)), model.present[i]);
            model.present[i] = NULL;
        }
        if (round % 500 == 0) {
            check_against_model(&map, &model);
        }
    }
    check_against_model(&map, &model);
    spw_handle_map_finish(&map);
    assert_int_equal(spw_host_alloc_live(), before);
}

static void handle_map_churn_keeps_its_memory(void **state)
{
    (void)state;
    int64_t before = spw_host_alloc_live();
    struct object object;
    struct spw_handle_map map;
    spw_handle_map_init(&map);
    /* Never the same handle twice, never more than 100 alive. */
    for (uint64_t key = 1; key <= 200000; key++) {
        assert_int_equal(spw_handle_map_insert(&map, key, &object), SPW_OK);
        if (key > 100) {
            assert_ptr_equal(spw_handle_map_remove(&map, key - 100), &object);
        }
    }
    /* Sizes 16 to 256 at the most, two tables of each. */
    assert_true(spw_host_alloc_live() - before <= 10);
    assert_int_equal(map.live_count, 100);
    assert_true(spw_handle_map_is_valid(&map));
    spw_handle_map_finish(&map);
    assert_int_equal(spw_host_alloc_live(), before);
    assert_true(spw_handle_map_is_valid(&map)); /* empty */
}

static void handle_map_without_memory_is_as_it_was(void **state)
{
    (void)state;
    static struct object objects[200];
    struct spw_handle_map map;
    spw_handle_map_init(&map);
    size_t refusals = 0;
    for (size_t i = 0; i < SPW_ARRAY_SIZE(objects); i++) {
        spw_host_alloc_fail_nth(1);
        enum spw_result result = spw_handle_map_insert(&map, i + 1, &objects[i]);
        if (result == SPW_NO_HOST_MEMORY) {
            refusals++;
            assert_null(spw_handle_map_find(&map, i + 1));
            assert_int_equal(map.live_count, i);
            for (size_t j = 0; j < i; j++) {
                assert_ptr_equal(spw_handle_map_find(&map, j + 1), &objects[j]);
            }
            assert_true(spw_handle_map_is_valid(&map));
            spw_host_alloc_fail_nth(0);
            result = spw_handle_map_insert(&map, i + 1, &objects[i]);
        }
        assert_int_equal(result, SPW_OK);
    }
    spw_host_alloc_fail_nth(0);
    assert_true(refusals >= 5); /* 16, 32, 64, 128, 256 and 512 slots */
    spw_handle_map_finish(&map);
}

/* ---- readers beside writers ---- */

/* Few keys at a time, so that the table is replaced every few insertions, and its predecessor
 * refilled. */
#define STABLE_KEYS  3
#define WRITERS      2
#define READERS      2
#define WRITER_KEYS  20000
#define WRITER_ALIVE 3

struct stress {
    struct spw_handle_map map;
    struct object stable[STABLE_KEYS];
    struct object churned[WRITERS][WRITER_KEYS];
    /* atomic: a hint, relaxed on both sides so that the map alone publishes the objects */
    _Atomic size_t newest[WRITERS];
    /* atomic: when writers are done */
    _Atomic unsigned writers_left;
    _Atomic uint64_t wrong, found_churned;
};

static uint64_t churned_key(size_t writer, size_t i)
{
    return 1000 + writer * WRITER_KEYS + i;
}

struct stress_thread {
    struct stress *stress;
    size_t index;
    pthread_t thread;
};

static void *write_map(void *arg)
{
    struct stress_thread *self = arg;
    struct stress *stress = self->stress;
    for (size_t i = 0; i < WRITER_KEYS; i++) {
        /* Written before it is inserted, and by nobody after: the map has to publish it. */
        struct object *object = &stress->churned[self->index][i];
        object->key = churned_key(self->index, i);
        atomic_store_explicit(&stress->newest[self->index], i, memory_order_relaxed);
        if (spw_handle_map_insert(&stress->map, object->key, object) != SPW_OK) {
            atomic_fetch_add(&stress->wrong, 1);
        }
        if (i >= WRITER_ALIVE) {
            uint64_t old = churned_key(self->index, i - WRITER_ALIVE);
            struct object *removed = spw_handle_map_remove(&stress->map, old);
            if (removed == NULL || removed->key != old) {
                atomic_fetch_add(&stress->wrong, 1);
            }
        }
    }
    atomic_fetch_sub_explicit(&stress->writers_left, 1, memory_order_release);
    return NULL;
}

static void *read_map(void *arg)
{
    struct stress_thread *self = arg;
    struct stress *stress = self->stress;
    uint64_t wrong = 0, found = 0;
    /* A few rounds more when the writers have ended, so that something is found on any scheduler.
     */
    for (size_t round = 0, last_rounds = 0; last_rounds < 100; round++) {
        last_rounds += atomic_load_explicit(&stress->writers_left, memory_order_acquire) == 0;
        struct object *stable = &stress->stable[round % STABLE_KEYS];
        wrong += spw_handle_map_find(&stress->map, stable->key) != stable;

        size_t writer = round % WRITERS;
        size_t newest = atomic_load_explicit(&stress->newest[writer], memory_order_relaxed);
        size_t back = round % (WRITER_ALIVE + 2);
        uint64_t key = churned_key(writer, newest > back ? newest - back : 0);
        struct object *object = spw_handle_map_find(&stress->map, key);
        if (object != NULL) {
            found++;
            wrong += object->key != key;
        }
    }
    atomic_fetch_add(&stress->wrong, wrong);
    atomic_fetch_add(&stress->found_churned, found);
    return NULL;
}

static void handle_map_readers_beside_writers_find_the_right(void **state)
{
    (void)state;
    static struct stress stress;
    spw_handle_map_init(&stress.map);
    for (size_t i = 0; i < STABLE_KEYS; i++) {
        stress.stable[i].key = i + 1;
        assert_int_equal(spw_handle_map_insert(&stress.map, i + 1, &stress.stable[i]), SPW_OK);
    }
    atomic_store(&stress.writers_left, WRITERS);
    struct stress_thread threads[WRITERS + READERS];
    for (size_t i = 0; i < WRITERS + READERS; i++) {
        bool writes = i < WRITERS;
        threads[i] = (struct stress_thread){.stress = &stress, .index = writes ? i : i - WRITERS};
        assert_int_equal(
            pthread_create(&threads[i].thread, NULL, writes ? write_map : read_map, &threads[i]),
            0);
    }
    for (size_t i = 0; i < WRITERS + READERS; i++) {
        pthread_join(threads[i].thread, NULL);
    }
    assert_int_equal(atomic_load(&stress.wrong), 0);
    assert_true(atomic_load(&stress.found_churned) > 0);
    assert_int_equal(stress.map.live_count, STABLE_KEYS + WRITERS * WRITER_ALIVE);
    assert_true(spw_handle_map_is_valid(&stress.map));
    spw_handle_map_finish(&stress.map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handle_map_empty_costs_nothing),
        cmocka_unit_test(handle_map_reserved_keys_are_refused),
        cmocka_unit_test(handle_map_present_key_gets_new_value),
        cmocka_unit_test(handle_map_random_operations_match_model),
        cmocka_unit_test(handle_map_churn_keeps_its_memory),
        cmocka_unit_test(handle_map_without_memory_is_as_it_was),
        cmocka_unit_test(handle_map_readers_beside_writers_find_the_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
