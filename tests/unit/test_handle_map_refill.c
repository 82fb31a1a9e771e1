/* SPDX-License-Identifier: MIT
 *
 * base/handle_map, from inside: the moments that a stress test meets too rarely. A reader that took
 * the table's address and was then stopped may wake up while that table, retired since, is
 * refilled. */
#include "unit.h"

#include "handle_map.c" /* instead of the library's: its table is private */

#include <pthread.h>

struct search {
    struct spw_handle_map *map;
    uint64_t key;
    /* atomic: what was found, and that the search has begun and ended */
    void *_Atomic found;
    _Atomic bool begun, ended;
};

static void *find_key(void *arg)
{
    struct search *s = arg;
    atomic_store(&s->begun, true);
    atomic_store(&s->found, spw_handle_map_find(s->map, s->key));
    atomic_store(&s->ended, true);
    return NULL;
}

/* A map of two keys whose first table is retired. */
static void make_map(struct spw_handle_map *map, int *value)
{
    spw_handle_map_init(map);
    assert_int_equal(spw_handle_map_insert(map, 1, value), SPW_OK);
    for (uint64_t key = 100; map->retired == NULL; key++) {
        assert_int_equal(spw_handle_map_insert(map, key, value), SPW_OK);
        assert_ptr_equal(spw_handle_map_remove(map, key), value);
    }
    assert_true(spw_handle_map_is_valid(map));
}

static void handle_map_table_being_refilled_is_not_read(void **state)
{
    (void)state;
    int value;
    struct spw_handle_map map;
    make_map(&map, &value);

    /* As a stopped reader sees it: the table that it took the address of is cleared, its epoch odd.
     */
    struct spw_handle_table *current = current_table(&map);
    struct spw_handle_table *refilled = get_empty_table(&map, current->capacity);
    assert_int_equal(atomic_load(&refilled->epoch) & 1, 1);
    atomic_store(&map.table, refilled);

    struct search s = {.map = &map, .key = 1};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, find_key, &s), 0);
    while (!atomic_load(&s.begun)) {
        sched_yield();
    }
    for (int i = 0; i < 100; i++) {
        sched_yield(); /* time to do wrong, not needed to do right */
    }
    assert_false(atomic_load(&s.ended));
    atomic_store(&map.table,
                 current); /* and its next look at the map finds the one that replaced it */
    pthread_join(thread, NULL);
    assert_ptr_equal(atomic_load(&s.found), &value);

    spw_free(refilled);
    spw_handle_map_finish(&map);
}

static void handle_map_refilled_table_says_so(void **state)
{
    (void)state;
    int value;
    struct spw_handle_map map;
    make_map(&map, &value);
    struct spw_handle_table *first = map.retired;
    uint32_t epoch = atomic_load(&first->epoch);
    assert_int_equal(epoch & 1, 0);
    /* Until it is current again. */
    for (uint64_t key = 1000; current_table(&map) != first; key++) {
        assert_int_equal(spw_handle_map_insert(&map, key, &value), SPW_OK);
        assert_ptr_equal(spw_handle_map_remove(&map, key), &value);
    }
    /* A reader from its earlier life compares epochs, and must find another one. */
    assert_int_equal(atomic_load(&first->epoch), epoch + 2);
    assert_ptr_equal(spw_handle_map_find(&map, 1), &value);
    assert_true(spw_handle_map_is_valid(&map));
    spw_handle_map_finish(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handle_map_table_being_refilled_is_not_read),
        cmocka_unit_test(handle_map_refilled_table_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
