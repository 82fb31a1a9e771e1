/* SPDX-License-Identifier: MIT
 *
 * core/budget: sane numbers out of any numbers. */
#include "unit.h"

#include "budget.h"

static void budget_reserve_follows_its_formula(void **state)
{
    (void)state;
    assert_int_equal(spw_budget_default_reserve(0), 0);
    assert_int_equal(spw_budget_default_reserve(256 * SPW_MIB), 256 * SPW_MIB / 10); /* 10 % */
    assert_int_equal(spw_budget_default_reserve(4 * SPW_GIB), 256 * SPW_MIB);
    assert_int_equal(spw_budget_default_reserve(24 * SPW_GIB), 24 * SPW_GIB / 20); /* 5 % */
    struct unit_rng rng = {.state = 10};
    for (int i = 0; i < 20000; i++) {
        uint64_t heap = unit_rng_size(&rng);
        uint64_t reserve = spw_budget_default_reserve(heap);
        assert_true(reserve <= heap / 10);
        assert_true(reserve >= heap / 20 || reserve == heap / 10);
        assert_true(reserve >= 256 * SPW_MIB || reserve == heap / 10);
    }
}

static void budget_host_floor_follows_its_formula(void **state)
{
    (void)state;
    assert_int_equal(spw_budget_default_host_floor(0), SPW_GIB);
    assert_int_equal(spw_budget_default_host_floor(4 * SPW_GIB), SPW_GIB);
    assert_int_equal(spw_budget_default_host_floor(64 * SPW_GIB), 64 * SPW_GIB / 10);
    assert_int_equal(spw_budget_default_host_floor(UINT64_MAX), UINT64_MAX / 10);
}

static void budget_that_wraps_is_not_believed(void **state)
{
    (void)state;
    const uint64_t heap = 8 * SPW_GIB;
    assert_int_equal(spw_budget_sane(heap, 0), heap);
    assert_int_equal(spw_budget_sane(heap, UINT64_MAX - 5), heap); /* 0 − something */
    assert_int_equal(spw_budget_sane(heap, heap + 1), heap);
    assert_int_equal(spw_budget_sane(heap, heap), heap);
    assert_int_equal(spw_budget_sane(heap, 1), 1);
    assert_int_equal(spw_usage_sane(heap, UINT64_MAX - 5, 7), 7);
    assert_int_equal(spw_usage_sane(heap, UINT64_MAX - 5, heap + 9), heap);
    assert_int_equal(spw_usage_sane(heap, heap, 7), heap);
    assert_int_equal(spw_usage_sane(heap, 0, 7), 0);
}

static void budget_target_never_wraps(void **state)
{
    (void)state;
    assert_int_equal(spw_budget_target(10, 8, 3), 5);
    assert_int_equal(spw_budget_target(6, 8, 3), 3);
    assert_int_equal(spw_budget_target(6, 8, 6), 0);
    assert_int_equal(spw_budget_target(6, 8, UINT64_MAX), 0);
    assert_int_equal(spw_budget_target(UINT64_MAX, UINT64_MAX, 0), UINT64_MAX);
}

static void budget_overflow_is_the_least_of_its_bounds(void **state)
{
    (void)state;
    assert_int_equal(spw_budget_overflow(100, 80, 20, 1000), 60);
    assert_int_equal(spw_budget_overflow(50, 80, 20, 1000), 50);
    assert_int_equal(spw_budget_overflow(50, 80, 20, 30), 30);
    assert_int_equal(spw_budget_overflow(50, 20, 80, 1000), 0); /* already below the floor */
    assert_int_equal(spw_budget_overflow(0, 80, 20, 1000), 0);
    assert_int_equal(spw_budget_overflow(UINT64_MAX, UINT64_MAX, 0, UINT64_MAX), UINT64_MAX);
}

/* ---- the elastic budget ---- */

/* As the header says it, one sixteenth at a time. */
static bool is_elastic_step(uint64_t base, uint64_t virtual_size, uint64_t budget)
{
    if (budget == base || budget == virtual_size) {
        return true;
    }
    uint64_t step = (virtual_size - base) / 16;
    step = step > 0 ? step : 1;
    return (budget - base) % step == 0;
}

static void budget_elastic_is_base_until_usage_comes_near(void **state)
{
    (void)state;
    const uint64_t base = 8000, virtual_size = 24000;
    assert_int_equal(spw_budget_elastic(base, virtual_size, 0), base);
    assert_int_equal(spw_budget_elastic(base, virtual_size, 7599), base);
    assert_int_equal(spw_budget_elastic(base, virtual_size, 7600), base + 1000); /* 95 % */
    assert_int_equal(spw_budget_elastic(base, virtual_size, 8549), base + 1000);
    assert_int_equal(spw_budget_elastic(base, virtual_size, 8550), base + 2000);
    assert_int_equal(spw_budget_elastic(base, virtual_size, 22849), virtual_size - 1000 + 1000);
    assert_int_equal(spw_budget_elastic(base, virtual_size, virtual_size), virtual_size);
    assert_int_equal(spw_budget_elastic(base, virtual_size, UINT64_MAX), virtual_size);
    assert_int_equal(spw_budget_elastic(base, base, UINT64_MAX), base);
    assert_int_equal(spw_budget_elastic(base, base - 1, UINT64_MAX), base);
}

static void budget_elastic_grows_in_steps_and_leaves_room(void **state)
{
    (void)state;
    struct unit_rng rng = {.state = 11};
    for (int i = 0; i < 20000; i++) {
        uint64_t base = unit_rng_size(&rng), virtual_size = unit_rng_size(&rng);
        uint64_t usage = unit_rng_size(&rng), more = unit_rng_size(&rng);
        uint64_t top = virtual_size > base ? virtual_size : base;
        uint64_t budget = spw_budget_elastic(base, virtual_size, usage);
        assert_true(budget >= base && budget <= top);
        assert_true(budget == top || usage < budget - budget / 20); /* always 5 % of room */
        if (virtual_size > base) {
            assert_true(is_elastic_step(base, virtual_size, budget));
        }
        /* More usage never tells less. */
        uint64_t larger = more > usage ? more : usage;
        assert_true(spw_budget_elastic(base, virtual_size, larger) >= budget);
    }
}

/* A program that allocates up to what it is told reaches all of the virtual size, in some steps. */
static void budget_elastic_is_reached_by_a_streaming_program(void **state)
{
    (void)state;
    const uint64_t base = 8 * SPW_GIB, virtual_size = 20 * SPW_GIB;
    uint64_t usage = 0;
    int steps = 0;
    while (usage < virtual_size) {
        uint64_t budget = spw_budget_elastic(base, virtual_size, usage);
        assert_true(budget > usage);
        usage = budget;
        steps++;
        assert_true(steps <= 20);
    }
    assert_true(steps > 5);
}

/* ---- what is told ---- */

static struct spw_told_heap random_heap(struct unit_rng *rng)
{
    struct spw_told_heap heap = {
        .size = unit_rng_size(rng),
        .driver_budget = unit_rng_size(rng),
        .driver_usage = unit_rng_size(rng),
        .redirected_from = unit_rng_below(rng, 2) ? 0 : unit_rng_size(rng),
        .redirected_into = unit_rng_below(rng, 2) ? 0 : unit_rng_size(rng),
        .reserve = unit_rng_size(rng),
        .device_local = unit_rng_below(rng, 2) == 0,
    };
    heap.size = heap.size > 0 ? heap.size : 1;
    heap.limit = unit_rng_below(rng, 2) ? heap.size : unit_rng_below(rng, heap.size) + 1;
    heap.is_main = heap.device_local && unit_rng_below(rng, 2) == 0;
    heap.told_size = heap.size;
    return heap;
}

static void budget_told_is_always_sane(void **state)
{
    (void)state;
    struct unit_rng rng = {.state = 12};
    for (int i = 0; i < 50000; i++) {
        struct spw_told_heap heap = random_heap(&rng);
        enum spw_told_kind kind =
            unit_rng_below(&rng, 2) == 0 ? SPW_TOLD_VIRTUAL : SPW_TOLD_TRUTHFUL;
        if (kind == SPW_TOLD_TRUTHFUL) {
            heap.told_size = spw_min_u64(heap.size, heap.limit);
        } else if (heap.is_main) {
            heap.told_size = spw_add_sat_u64(heap.size, unit_rng_size(&rng));
        }
        uint64_t budget = 0, usage = UINT64_MAX;
        spw_budget_told(&heap, kind, &budget, &usage);
        assert_true(budget > 0);
        assert_true(budget <= heap.told_size);
        if (kind == SPW_TOLD_VIRTUAL) {
            assert_true(usage <= budget);
        } else {
            assert_true(usage <= heap.size);
        }
    }
}

static struct spw_told_heap main_heap(void)
{
    return (struct spw_told_heap){.size = 8000,
                                  .limit = 8000,
                                  .reserve = 400,
                                  .driver_budget = 7600,
                                  .driver_usage = 1000,
                                  .told_size = 8000,
                                  .device_local = true,
                                  .is_main = true};
}

static void assert_told(const struct spw_told_heap *heap, enum spw_told_kind kind,
                        uint64_t expected_budget, uint64_t expected_usage)
{
    uint64_t budget, usage;
    spw_budget_told(heap, kind, &budget, &usage);
    assert_int_equal(budget, expected_budget);
    assert_int_equal(usage, expected_usage);
}

static void budget_told_truthfully(void **state)
{
    (void)state;
    struct spw_told_heap heap = main_heap();
    assert_told(&heap, SPW_TOLD_TRUTHFUL, 7200, 1000); /* less the reserve */
    heap.limit = heap.told_size = 5000;
    assert_told(&heap, SPW_TOLD_TRUTHFUL, 4600, 1000);
    heap.redirected_from = 3000; /* what went elsewhere is no usage of this heap */
    assert_told(&heap, SPW_TOLD_TRUTHFUL, 4600, 1000);
    heap.reserve = 9000;
    assert_told(&heap, SPW_TOLD_TRUTHFUL, 1, 1000); /* a number, not "unknown" */
}

static void budget_told_virtually(void **state)
{
    (void)state;
    struct spw_told_heap heap = main_heap();
    heap.told_size = 8000 + 15200;
    /* Base 7200, a step is (23200 − 7200) / 16 = 1000. */
    assert_told(&heap, SPW_TOLD_VIRTUAL, 7200, 1000);
    heap.redirected_from = 6000;
    assert_told(&heap, SPW_TOLD_VIRTUAL, 8200, 7000); /* 7000 ≥ 95 % of 7200 */
    heap.driver_usage = 7200;
    heap.redirected_from = 15000;
    assert_told(&heap, SPW_TOLD_VIRTUAL, 23200, 22200);
    heap.redirected_into = 200; /* brought here by a request for another heap: not its usage */
    assert_told(&heap, SPW_TOLD_VIRTUAL, 23200, 22000);
}

static void budget_told_of_the_other_heaps(void **state)
{
    (void)state;
    struct spw_told_heap host = {.size = 20000,
                                 .limit = 20000,
                                 .driver_budget = 16000,
                                 .driver_usage = 9000,
                                 .redirected_into = 5000,
                                 .told_size = 20000};
    /* The host tier's bytes are gone from the budget and do not count as the program's. */
    assert_told(&host, SPW_TOLD_VIRTUAL, 11000, 4000);
    assert_told(&host, SPW_TOLD_TRUTHFUL, 16000, 9000);
    host.redirected_into = 17000;
    assert_told(&host, SPW_TOLD_VIRTUAL, 1, 0);

    struct spw_told_heap bar = {.size = 256,
                                .limit = 256,
                                .driver_budget = 200,
                                .driver_usage = 100,
                                .redirected_from = 30,
                                .told_size = 256,
                                .device_local = true};
    assert_told(&bar, SPW_TOLD_VIRTUAL, 200, 130);
    bar.redirected_from = 3000;
    assert_told(&bar, SPW_TOLD_VIRTUAL, 200, 200);
}

/* The planted bug of the end-to-end tests is one that these would find. */
static void budget_planted_wrap_is_insane(void **state)
{
    (void)state;
    struct spw_told_heap heap = main_heap();
    heap.redirected_from = 6000;
    uint64_t budget, usage;
    spw_budget_plant_wrap(true);
    spw_budget_told(&heap, SPW_TOLD_VIRTUAL, &budget, &usage);
    spw_budget_plant_wrap(false);
    assert_true(budget > heap.told_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budget_reserve_follows_its_formula),
        cmocka_unit_test(budget_host_floor_follows_its_formula),
        cmocka_unit_test(budget_that_wraps_is_not_believed),
        cmocka_unit_test(budget_target_never_wraps),
        cmocka_unit_test(budget_overflow_is_the_least_of_its_bounds),
        cmocka_unit_test(budget_elastic_is_base_until_usage_comes_near),
        cmocka_unit_test(budget_elastic_grows_in_steps_and_leaves_room),
        cmocka_unit_test(budget_elastic_is_reached_by_a_streaming_program),
        cmocka_unit_test(budget_told_is_always_sane),
        cmocka_unit_test(budget_told_truthfully),
        cmocka_unit_test(budget_told_virtually),
        cmocka_unit_test(budget_told_of_the_other_heaps),
        cmocka_unit_test(budget_planted_wrap_is_insane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
