/* SPDX-License-Identifier: MIT
 *
 * core/account against a list of what is live. */
#include "unit_cards.h"

#include "account.h"
#include "budget.h"

#include <string.h>

static struct spw_account_config open_config(const struct spw_memory_layout *layout)
{
    struct spw_account_config config = {.commit_cap = UINT64_MAX, .host_limit = UINT64_MAX};
    for (uint32_t h = 0; h < layout->heap_count; h++) {
        config.limit[h] = layout->heaps[h].size_bytes;
    }
    return config;
}

/* ---- a model: the list itself ---- */

#define MAX_LIVE 64

struct live {
    uint32_t asked_type, placed_type;
    uint64_t size;
};

struct model {
    struct spw_memory_layout layout;
    struct spw_account_config config;
    struct live live[MAX_LIVE];
    size_t count;
    bool polled;
    uint64_t budget[SPW_MAX_HEAPS], usage[SPW_MAX_HEAPS], placed_then[SPW_MAX_HEAPS];
};

static uint64_t heap_of(const struct model *m, uint32_t type)
{
    return m->layout.types[type].heap;
}

static uint64_t model_placed(const struct model *m, uint32_t heap)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        sum += heap_of(m, m->live[i].placed_type) == heap ? m->live[i].size : 0;
    }
    return sum;
}

static uint64_t model_committed(const struct model *m)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        bool local = m->layout.types[m->live[i].asked_type].flags & SPW_MEMORY_DEVICE_LOCAL;
        sum += local ? m->live[i].size : 0;
    }
    return sum;
}

/* Bytes of requests for heap `from` that lie in heap `into`; SPW_MAX_HEAPS: any other. */
static uint64_t model_moved(const struct model *m, uint32_t from, uint32_t into)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        uint64_t asked = heap_of(m, m->live[i].asked_type);
        uint64_t placed = heap_of(m, m->live[i].placed_type);
        bool counts = asked != placed && (from == SPW_MAX_HEAPS || asked == from) &&
                      (into == SPW_MAX_HEAPS || placed == into);
        sum += counts ? m->live[i].size : 0;
    }
    return sum;
}

static uint64_t model_used(const struct model *m, uint32_t heap)
{
    uint64_t placed = model_placed(m, heap);
    if (!m->polled) {
        return placed;
    }
    /* In signed arithmetic: the sizes of this test are far from its ends. */
    int64_t estimate = (int64_t)m->usage[heap] + (int64_t)placed - (int64_t)m->placed_then[heap];
    return estimate > (int64_t)placed ? (uint64_t)estimate : placed;
}

static uint64_t model_room(const struct model *m, uint32_t heap, bool to_target)
{
    int64_t budget = (int64_t)(m->polled ? m->budget[heap] : m->layout.heaps[heap].size_bytes);
    int64_t limit = (int64_t)m->config.limit[heap];
    int64_t top = budget < limit ? budget : limit;
    int64_t room = to_target ? top - (int64_t)m->config.reserve[heap] : limit;
    room -= (int64_t)model_used(m, heap);
    return room > 0 ? (uint64_t)room : 0;
}

static void check_model(const struct spw_account *account, const struct model *m)
{
    assert_true(spw_account_is_valid(account));
    assert_int_equal(account->committed, model_committed(m));
    uint64_t host = 0;
    for (uint32_t h = 0; h < m->layout.heap_count; h++) {
        assert_int_equal(account->placed[h], model_placed(m, h));
        assert_int_equal(account->redirected_from[h], model_moved(m, h, SPW_MAX_HEAPS));
        assert_int_equal(account->redirected_into[h], model_moved(m, SPW_MAX_HEAPS, h));
        assert_int_equal(spw_account_used(account, h), model_used(m, h));
        assert_int_equal(spw_account_room_to_target(account, h), model_room(m, h, true));
        assert_int_equal(spw_account_room_to_limit(account, h), model_room(m, h, false));
        host += m->layout.heaps[h].device_local ? 0 : model_moved(m, SPW_MAX_HEAPS, h);
    }
    assert_int_equal(account->host_bytes, host);
    uint64_t cap = m->config.commit_cap, committed = model_committed(m);
    assert_int_equal(spw_account_room_to_commit(account), cap > committed ? cap - committed : 0);
    uint64_t limit = m->config.host_limit;
    assert_int_equal(spw_account_room_in_host_tier(account), limit > host ? limit - host : 0);
}

static void model_poll(struct model *m, struct spw_account *account, struct unit_rng *rng)
{
    uint64_t budget[SPW_MAX_HEAPS], usage[SPW_MAX_HEAPS];
    for (uint32_t h = 0; h < m->layout.heap_count; h++) {
        uint64_t size = m->layout.heaps[h].size_bytes, placed = model_placed(m, h);
        m->placed_then[h] = placed;
        m->budget[h] = budget[h] = 1 + unit_rng_below(rng, size);
        m->usage[h] = usage[h] = unit_rng_below(rng, size + 1);
        switch (unit_rng_below(rng, 4)) {
        case 0: /* wrapped */
            budget[h] = UINT64_MAX - unit_rng_below(rng, 1000);
            m->budget[h] = size;
            break;
        case 1:
            budget[h] = 0;
            m->budget[h] = size;
            break;
        case 2:
            usage[h] = UINT64_MAX - unit_rng_below(rng, 1000);
            m->usage[h] = placed < size ? placed : size;
            break;
        default:
            break;
        }
    }
    m->polled = true;
    spw_account_note_poll(account, budget, usage);
}

static void model_add(struct model *m, struct spw_account *account, struct unit_rng *rng)
{
    struct live *live = &m->live[m->count];
    uint64_t types = m->layout.type_count;
    live->asked_type = (uint32_t)unit_rng_below(rng, types);
    live->placed_type = live->asked_type;
    /* Only device-local requests are ever placed elsewhere. */
    if (m->layout.types[live->asked_type].flags & SPW_MEMORY_DEVICE_LOCAL) {
        live->placed_type = (uint32_t)unit_rng_below(rng, types);
    }
    live->size = unit_rng_below(rng, 3000);
    m->count++;
    spw_account_add(account, live->asked_type, live->placed_type, live->size);
}

static void account_random_bookings_match_model(void **state)
{
    (void)state;
    struct unit_rng rng = {.state = 20};
    for (int card = 0; card < UNIT_CARD_COUNT; card++) {
        struct model m = {.layout = unit_card_layout((enum unit_card)card)};
        m.config = open_config(&m.layout);
        m.config.commit_cap = 20000;
        m.config.host_limit = 9000;
        m.config.limit[0] = 6000;
        m.config.reserve[0] = 500;
        struct spw_account account;
        spw_account_init(&account, &m.layout, &m.config);
        check_model(&account, &m);
        for (int round = 0; round < 4000; round++) {
            uint64_t what = unit_rng_below(&rng, 20);
            if (what == 0) {
                model_poll(&m, &account, &rng);
            } else if (m.count < MAX_LIVE && (what % 2 == 0 || m.count == 0)) {
                model_add(&m, &account, &rng);
            } else if (m.count > 0) {
                size_t i = (size_t)unit_rng_below(&rng, m.count);
                struct live gone = m.live[i];
                m.live[i] = m.live[--m.count];
                spw_account_remove(&account, gone.asked_type, gone.placed_type, gone.size);
            }
            check_model(&account, &m);
        }
    }
}

static void account_huge_request_leaves_no_room(void **state)
{
    (void)state;
    struct spw_memory_layout layout = unit_card_layout(UNIT_NVIDIA);
    struct spw_account_config config = open_config(&layout);
    struct spw_account account;
    spw_account_init(&account, &layout, &config);
    spw_account_add(&account, 1, 1, 100);
    spw_account_add(&account, 1, 2, UINT64_MAX);
    assert_int_equal(spw_account_room_to_commit(&account), 0);
    assert_int_equal(spw_account_room_in_host_tier(&account), 0);
    assert_int_equal(spw_account_room_to_target(&account, 1), 0);
    assert_int_equal(spw_account_room_to_limit(&account, 1), 0);
    assert_int_equal(spw_account_room_to_limit(&account, 0), UNIT_VRAM - 100);
}

static void account_budget_that_falls_below_usage_leaves_none(void **state)
{
    (void)state;
    struct spw_memory_layout layout = unit_card_layout(UNIT_NVIDIA);
    struct spw_account_config config = open_config(&layout);
    config.reserve[0] = 100;
    struct spw_account account;
    spw_account_init(&account, &layout, &config);
    spw_account_add(&account, 1, 1, 3000);
    spw_account_note_poll(&account, (uint64_t[]){2000, UNIT_HOST}, (uint64_t[]){3100, 0});
    assert_int_equal(spw_account_room_to_target(&account, 0), 0);
    /* The limit is the user's word and does not fall. */
    assert_int_equal(spw_account_room_to_limit(&account, 0), UNIT_VRAM - 3100);
    spw_account_remove(&account, 1, 1, 3000);
    assert_int_equal(spw_account_used(&account, 0), 100); /* the driver's own */
    assert_int_equal(spw_account_room_to_target(&account, 0), 1800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(account_random_bookings_match_model),
        cmocka_unit_test(account_huge_request_leaves_no_room),
        cmocka_unit_test(account_budget_that_falls_below_usage_leaves_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
