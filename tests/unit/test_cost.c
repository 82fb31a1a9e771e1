/* SPDX-License-Identifier: MIT
 *
 * core/cost: five small programs against a table worked out by hand, and what has to hold of any
 * program. tests/simgpu/suite_oracle runs the same five as real Vulkan programs. */
#include "unit.h"

#include "cost.h"
#include "host_alloc.h"

#include <string.h>

#define EVENTS 8

/* One point each way is enough here. Semaphore 0: none. */
struct step {
    enum spw_cost_kind kind;
    uint32_t lane;
    struct spw_cost_work work;
    uint64_t ranges;
    struct spw_cost_point wait, signal;
    uint64_t start_ns, end_ns; /* by hand */
};

struct program {
    const char *name;
    size_t count;
    uint64_t total_ns; /* by hand */
    struct step steps[EVENTS];
};

/* Default figures: 1 ns carries 1,000 bytes of VRAM or 25 bytes over the link.
 *
 *   sweep     64 MiB of VRAM read: 67,108,864 / 1,000 = 67,108.9 → 67,109; + 10,000
 *   redirect  64 MiB of host memory read, 16 MiB of VRAM written:
 *             67,108,864 / 25 = 2,684,354.6 → 2,684,355; 16,777,216 / 1,000 → 16,778; + 10,000
 *   compute   5 ms of arithmetic hide the 2,684,355 ns of the same reads; + 10,000
 *   page      bind with 3 ranges: 5,000 + 3 × 500 = 6,500. Then 2 MiB are moved in: 6,500 + 10,000
 *             + 2,097,152 / 25 (83,887) + 2,097,152 / 1,000 (2,098) = 102,485. Beside it 50 µs of
 *             work end at 60,000; what uses the moved bytes ends at 102,485 + 10,000 + 2,098
 *   link      1 MiB over the link takes 41,944. Two queues read: 51,944, and 93,888 for the one
 * that came second; a third one writes beside them: 51,944 */
static const struct program programs[] = {
    {"sweep",
     1,
     77109,
     {{.work = {.vram_read_bytes = 64 * SPW_MIB}, .start_ns = 0, .end_ns = 77109}}},
    {"redirect",
     1,
     2711133,
     {{.work = {.host_read_bytes = 64 * SPW_MIB, .vram_written_bytes = 16 * SPW_MIB},
       .end_ns = 2711133}}},
    {"compute",
     1,
     5010000,
     {{.work = {.compute_ns = 5000000, .host_read_bytes = 64 * SPW_MIB}, .end_ns = 5010000}}},
    {"page",
     4,
     114583,
     {{.work = {.compute_ns = 50000}, .end_ns = 60000},
      {.wait = {2, 1},
       .work = {.vram_read_bytes = 2 * SPW_MIB},
       .start_ns = 102485,
       .end_ns = 114583},
      {.kind = SPW_COST_BIND, .lane = 1, .ranges = 3, .signal = {1, 1}, .end_ns = 6500},
      {.lane = 2,
       .wait = {1, 1},
       .signal = {2, 1},
       .work = {.host_read_bytes = 2 * SPW_MIB, .vram_written_bytes = 2 * SPW_MIB},
       .start_ns = 6500,
       .end_ns = 102485}}},
    {"link",
     3,
     93888,
     {{.lane = 0, .work = {.host_read_bytes = SPW_MIB}, .end_ns = 51944},
      {.lane = 1, .work = {.host_read_bytes = SPW_MIB}, .end_ns = 93888},
      {.lane = 2, .work = {.host_written_bytes = SPW_MIB}, .end_ns = 51944}}},
};

static void make_events(const struct step *steps, size_t count, struct spw_cost_event *events)
{
    for (size_t i = 0; i < count; i++)
        events[i] = (struct spw_cost_event){.kind = steps[i].kind,
                                            .lane = steps[i].lane,
                                            .work = steps[i].work,
                                            .ranges = steps[i].ranges,
                                            .waits = &steps[i].wait,
                                            .wait_count = steps[i].wait.semaphore != 0,
                                            .signals = &steps[i].signal,
                                            .signal_count = steps[i].signal.semaphore != 0};
}

static void cost_of_five_programs_is_the_table(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    for (size_t p = 0; p < SPW_ARRAY_SIZE(programs); p++) {
        struct spw_cost_event events[EVENTS];
        struct spw_cost_totals totals;
        make_events(programs[p].steps, programs[p].count, events);
        assert_int_equal(spw_cost_run(&figures, events, programs[p].count, &totals), SPW_OK);
        for (size_t i = 0; i < programs[p].count; i++) {
            assert_true(events[i].done);
            assert_int_equal(events[i].start_ns, programs[p].steps[i].start_ns);
            assert_int_equal(events[i].end_ns, programs[p].steps[i].end_ns);
        }
        assert_int_equal(totals.all.ns, programs[p].total_ns);
        assert_int_equal(totals.stuck_events, 0);
    }
}

static void cost_of_a_lane_is_the_sum(void **state)
{
    (void)state;
    struct spw_cost_figures figures = {
        .vram_mb_s = 1, .link_mb_s = 1, .submit_ns = 7, .bind_ns = 3, .range_ns = 2};
    struct step steps[] = {
        {.work = {.vram_read_bytes = 1, .vram_written_bytes = 2}}, /* 7 + 3,000 */
        {.kind = SPW_COST_BIND, .ranges = 5},                      /* 3 + 10 */
        {.kind = SPW_COST_SYNC},                                   /* 0 */
        {.work = {.host_read_bytes = 2, .host_written_bytes = 3}}, /* 7 + 3,000: duplex */
    };
    struct spw_cost_event events[4];
    struct spw_cost_totals totals;
    make_events(steps, 4, events);
    assert_int_equal(spw_cost_run(&figures, events, 4, &totals), SPW_OK);
    assert_int_equal(events[0].end_ns, 3007);
    assert_int_equal(events[1].end_ns, 3020);
    assert_int_equal(events[2].end_ns, 3020);
    assert_int_equal(events[3].end_ns, 6027);
    assert_int_equal(totals.all.submits, 2);
    assert_int_equal(totals.all.bind_calls, 1);
    assert_int_equal(totals.all.bind_ranges, 5);
    assert_int_equal(totals.all.work.vram_read_bytes, 1);
    assert_int_equal(totals.all.work.vram_written_bytes, 2);
    assert_int_equal(totals.all.work.host_read_bytes, 2);
    assert_int_equal(totals.all.work.host_written_bytes, 3);
}

/* A wait names a value; any event that reaches it or goes beyond will do, the first one is taken.
 */
static void cost_waits_for_the_first_that_reaches(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    struct step steps[] = {
        {.lane = 0, .wait = {9, 4}},                                 /* before its signal */
        {.lane = 1, .signal = {9, 3}, .work = {.compute_ns = 1000}}, /* 11,000 */
        {.lane = 1, .signal = {9, 5}, .work = {.compute_ns = 2000}}, /* 23,000 */
        {.lane = 1, .signal = {9, 8}, .work = {.compute_ns = 4000}}, /* 37,000 */
        {.lane = 2, .wait = {9, 99}},                                /* the host's doing */
        {.lane = 3, .wait = {8, 1}},                                 /* likewise */
    };
    struct spw_cost_event events[6];
    struct spw_cost_totals totals;
    make_events(steps, 6, events);
    assert_int_equal(spw_cost_run(&figures, events, 6, &totals), SPW_OK);
    assert_int_equal(events[0].start_ns, 23000);
    assert_int_equal(events[3].end_ns, 37000);
    assert_int_equal(events[4].start_ns, 0);
    assert_int_equal(events[5].start_ns, 0);
    assert_int_equal(totals.all.ns, 37000);
}

/* Who is ready first has the link first, wherever it stands in the list. */
static void cost_serves_who_comes_first(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    struct step steps[] = {
        {.lane = 0, .work = {.compute_ns = 30000}},               /* 40,000 */
        {.lane = 0, .work = {.host_read_bytes = SPW_MIB}},        /* at the link at 50,000 */
        {.lane = 1, .work = {.host_read_bytes = 2 * SPW_MIB}},    /* has it from 10,000 to 93,887 */
        {.lane = 2, .work = {.host_written_bytes = 2 * SPW_MIB}}, /* the other way: not in theirs */
    };
    struct spw_cost_event events[4];
    struct spw_cost_totals totals;
    make_events(steps, 4, events);
    assert_int_equal(spw_cost_run(&figures, events, 4, &totals), SPW_OK);
    assert_int_equal(events[2].end_ns, 93887);
    assert_int_equal(events[3].end_ns, 93887);
    assert_int_equal(events[1].start_ns, 40000);
    assert_int_equal(events[1].end_ns, 93887 + 41944);
}

static void cost_says_what_is_stuck(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    struct step steps[] = {
        {.lane = 0, .wait = {1, 1}, .signal = {2, 1}},
        {.lane = 1, .wait = {2, 1}, .signal = {1, 1}},
        {.lane = 2, .work = {.compute_ns = 5}},
    };
    struct spw_cost_event events[3];
    struct spw_cost_totals totals;
    make_events(steps, 3, events);
    assert_int_equal(spw_cost_run(&figures, events, 3, &totals), SPW_OK);
    assert_int_equal(totals.stuck_events, 2);
    assert_false(events[0].done);
    assert_true(events[2].done);
    assert_int_equal(totals.all.submits, 1);
    assert_int_equal(totals.all.ns, 10005);
}

static void cost_of_the_warm_up_is_apart(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    struct spw_cost_event events[25];
    struct spw_cost_totals totals;
    for (size_t i = 0; i < 25; i++)
        events[i] = (struct spw_cost_event){
            .work = {.compute_ns = i < 2 ? 90000 : 10000, .vram_read_bytes = 1}};
    assert_int_equal(spw_cost_run(&figures, events, 25, &totals), SPW_OK);
    assert_int_equal(totals.warm_up_events, 2);
    assert_int_equal(totals.warm_up.submits, 2);
    assert_int_equal(totals.warm_up.ns, 200000);
    assert_int_equal(totals.rest.submits, 23);
    assert_int_equal(totals.rest.work.vram_read_bytes, 23);
    assert_int_equal(totals.rest.ns, 23 * 20000);
    assert_int_equal(totals.all.ns, 200000 + 23 * 20000);
    /* Fewer than ten events have none. */
    assert_int_equal(spw_cost_run(&figures, events, 9, &totals), SPW_OK);
    assert_int_equal(totals.warm_up.ns, 0);
    assert_int_equal(totals.rest.ns, totals.all.ns);
}

static void cost_saturates(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    struct step steps[] = {{.work = {.vram_read_bytes = UINT64_MAX, .host_read_bytes = UINT64_MAX}},
                           {.kind = SPW_COST_BIND, .ranges = UINT64_MAX},
                           {.work = {.compute_ns = UINT64_MAX}}};
    struct spw_cost_event events[3];
    struct spw_cost_totals totals;
    make_events(steps, 3, events);
    assert_int_equal(spw_cost_run(&figures, events, 3, &totals), SPW_OK);
    assert_int_equal(totals.all.ns, UINT64_MAX);
    assert_int_equal(events[2].end_ns, UINT64_MAX);
    figures.link_mb_s = 0;
    assert_int_equal(spw_cost_run(&figures, events, 3, &totals), SPW_INVALID);
}

static void cost_of_nothing(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    struct spw_cost_totals totals, zero = {0};
    assert_int_equal(spw_cost_run(&figures, NULL, 0, &totals), SPW_OK);
    assert_memory_equal(&totals, &zero, sizeof(zero));
}

#define RANDOM_EVENTS 60

static void make_random(struct unit_rng *rng, struct spw_cost_event *events,
                        struct spw_cost_point *points)
{
    for (size_t i = 0; i < RANDOM_EVENTS; i++) {
        struct spw_cost_event *e = &events[i];
        struct spw_cost_point *own = &points[3 * i];
        *e = (struct spw_cost_event){.kind = (enum spw_cost_kind)unit_rng_below(rng, 3),
                                     .lane = (uint32_t)unit_rng_below(rng, 5),
                                     .ranges = unit_rng_below(rng, 20)};
        e->work.compute_ns = unit_rng_below(rng, 2) ? unit_rng_below(rng, 100000) : 0;
        e->work.host_read_bytes = unit_rng_below(rng, 2) ? unit_rng_below(rng, SPW_MIB) : 0;
        e->work.host_written_bytes = unit_rng_below(rng, 2) ? unit_rng_below(rng, SPW_MIB) : 0;
        e->work.vram_read_bytes = unit_rng_below(rng, 64 * SPW_MIB);
        own[0] = (struct spw_cost_point){100 + i, 1}; /* a semaphore of its own */
        e->signals = &own[0];
        e->signal_count = 1;
        e->wait_count = i > 0 ? (uint32_t)unit_rng_below(rng, 3) : 0;
        e->waits = &own[1];
        for (uint32_t k = 0; k < e->wait_count; k++)
            own[1 + k] = (struct spw_cost_point){100 + unit_rng_below(rng, i), 1};
    }
}

/* What any schedule must respect, whatever is in it. */
static void cost_of_any_program_keeps_the_rules(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    struct unit_rng rng = {.state = 77};
    struct spw_cost_event events[RANDOM_EVENTS], again[RANDOM_EVENTS];
    struct spw_cost_point points[3 * RANDOM_EVENTS];
    for (int round = 0; round < 300; round++) {
        struct spw_cost_totals totals, totals_again;
        make_random(&rng, events, points);
        memcpy(again, events, sizeof(events));
        assert_int_equal(spw_cost_run(&figures, events, RANDOM_EVENTS, &totals), SPW_OK);
        assert_int_equal(totals.stuck_events, 0);
        uint64_t in_bytes = 0, lane_end[5] = {0};
        for (size_t i = 0; i < RANDOM_EVENTS; i++) {
            const struct spw_cost_event *e = &events[i];
            assert_true(e->start_ns >= lane_end[e->lane]);
            lane_end[e->lane] = e->end_ns;
            for (uint32_t k = 0; k < e->wait_count; k++)
                assert_true(e->start_ns >= events[e->waits[k].semaphore - 100].end_ns);
            if (e->kind != SPW_COST_SUBMIT)
                continue;
            assert_true(e->end_ns >= e->start_ns + figures.submit_ns + e->work.compute_ns);
            assert_true(e->end_ns - e->start_ns >= figures.submit_ns +
                                                       e->work.host_read_bytes / 25 +
                                                       e->work.vram_read_bytes / 1000);
            in_bytes += e->work.host_read_bytes;
        }
        assert_true(totals.all.ns >= in_bytes / 25);
        assert_int_equal(spw_cost_run(&figures, again, RANDOM_EVENTS, &totals_again), SPW_OK);
        assert_memory_equal(&totals, &totals_again, sizeof(totals));
    }
}

static void cost_gives_memory_back_when_there_is_none(void **state)
{
    (void)state;
    struct spw_cost_figures figures = SPW_COST_DEFAULT_FIGURES;
    int64_t live = spw_host_alloc_live();
    for (uint32_t nth = 1;; nth++) {
        struct spw_cost_event events[EVENTS];
        struct spw_cost_totals totals;
        make_events(programs[3].steps, programs[3].count, events);
        spw_host_alloc_fail_nth(nth);
        enum spw_result result = spw_cost_run(&figures, events, programs[3].count, &totals);
        assert_int_equal(spw_host_alloc_live(), live);
        if (spw_host_alloc_fail_pending()) {
            assert_int_equal(result, SPW_OK);
            assert_true(nth > 4);
            break;
        }
        assert_int_equal(result, SPW_NO_HOST_MEMORY);
    }
    spw_host_alloc_fail_nth(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_of_five_programs_is_the_table),
        cmocka_unit_test(cost_of_a_lane_is_the_sum),
        cmocka_unit_test(cost_waits_for_the_first_that_reaches),
        cmocka_unit_test(cost_serves_who_comes_first),
        cmocka_unit_test(cost_says_what_is_stuck),
        cmocka_unit_test(cost_of_the_warm_up_is_apart),
        cmocka_unit_test(cost_saturates),
        cmocka_unit_test(cost_of_nothing),
        cmocka_unit_test(cost_of_any_program_keeps_the_rules),
        cmocka_unit_test(cost_gives_memory_back_when_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
