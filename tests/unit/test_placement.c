/* SPDX-License-Identifier: MIT
 *
 * core/placement: each branch by hand on cards as they are, and all of them against a model that
 * sorts every type by the words of placement.h. */
#include "unit_cards.h"

#include "placement.h"

#define ANY_TYPE UINT32_MAX

struct fixture {
    struct spw_account account;
    struct spw_placement_list list;
};

/* Limits as the heaps are, a reserve of 400 in VRAM, all that can be promised. */
static void set_up(struct fixture *f, enum unit_card card)
{
    struct spw_memory_layout layout = unit_card_layout(card);
    struct spw_account_config config = {.commit_cap = UINT64_MAX, .host_limit = UINT64_MAX};
    for (uint32_t h = 0; h < layout.heap_count; h++) {
        config.limit[h] = layout.heaps[h].size_bytes;
    }
    config.reserve[0] = 400;
    spw_account_init(&f->account, &layout, &config);
}

static void fill_with(struct fixture *f, uint32_t asked_type, uint64_t size, uint32_t allowed,
                      uint64_t host_room)
{
    const struct spw_placement_request request = {.size_bytes = size,
                                                  .asked_type = asked_type,
                                                  .allowed_types = allowed,
                                                  .host_room = host_room};
    spw_placement_list_fill(&f->list, &f->account, &request);
}

static void assert_item(const struct fixture *f, uint32_t i, uint32_t type, enum spw_tier tier,
                        enum spw_why why)
{
    assert_true(i < f->list.count);
    assert_int_equal(f->list.items[i].type, type);
    assert_int_equal(f->list.items[i].tier, tier);
    assert_int_equal(f->list.items[i].why, why);
}

static void placement_that_fits_stays_and_host_is_next(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_NVIDIA);
    fill_with(&f, 1, 7600, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 4);
    assert_item(&f, 0, 1, SPW_TIER_VRAM, SPW_WHY_FITS);
    /* Should the driver refuse: fewest extra properties first. */
    assert_item(&f, 1, 0, SPW_TIER_HOST, SPW_WHY_DRIVER_FULL);
    assert_item(&f, 2, 2, SPW_TIER_HOST, SPW_WHY_DRIVER_FULL);
    assert_item(&f, 3, 3, SPW_TIER_HOST, SPW_WHY_DRIVER_FULL);
    assert_int_equal(f.list.refusal, SPW_REFUSAL_DRIVER);
}

static void placement_beyond_target_goes_to_host_then_reserve(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_NVIDIA);
    fill_with(&f, 1, 7601, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 4);
    assert_item(&f, 0, 0, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
    assert_item(&f, 3, 1, SPW_TIER_VRAM, SPW_WHY_VRAM_RESERVE);
    fill_with(&f, 1, 8001, ANY_TYPE, UINT64_MAX); /* beyond the limit: no reserve either */
    assert_int_equal(f.list.count, 3);
    assert_item(&f, 2, 3, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
}

static void placement_goes_to_other_vram_before_host(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_AMD);
    spw_account_add(&f.account, 0, 0, 7600);
    fill_with(&f, 0, 200, ANY_TYPE, UINT64_MAX);
    assert_item(&f, 0, 2, SPW_TIER_VRAM, SPW_WHY_OTHER_VRAM);
    assert_item(&f, 1, 1, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
    assert_item(&f, 2, 3, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
    assert_item(&f, 3, 0, SPW_TIER_VRAM, SPW_WHY_VRAM_RESERVE);
    assert_int_equal(f.list.count, 4);
    /* The other heap full as well: not named. */
    spw_account_add(&f.account, 2, 2, 100);
    fill_with(&f, 0, 200, ANY_TYPE, UINT64_MAX);
    assert_item(&f, 0, 1, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
}

static void placement_keeps_every_other_property(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_TINY_BAR);
    spw_account_add(&f.account, 4, 4, UNIT_BAR);
    /* DEVICE_LOCAL|HOST_VISIBLE|HOST_COHERENT: never type 0, which cannot be mapped, nor type 1. */
    fill_with(&f, 4, 10, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 2);
    assert_item(&f, 0, 2, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
    assert_item(&f, 1, 3, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
}

static void placement_planted_bug_drops_coherent(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_TINY_BAR);
    f.account.layout.types[2].flags &= ~(uint32_t)SPW_MEMORY_HOST_COHERENT;
    spw_account_add(&f.account, 4, 4, UNIT_BAR);
    fill_with(&f, 4, 10, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 1);
    assert_item(&f, 0, 3, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
    spw_placement_plant_drop_coherent(true);
    fill_with(&f, 4, 10, ANY_TYPE, UINT64_MAX);
    spw_placement_plant_drop_coherent(false);
    assert_item(&f, 0, 2, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
}

static void placement_unasked_conditions_are_avoided(void **state)
{
    (void)state;
    static const uint32_t conditions[] = {SPW_MEMORY_LAZILY_ALLOCATED, SPW_MEMORY_PROTECTED,
                                          SPW_MEMORY_DEVICE_COHERENT_AMD,
                                          SPW_MEMORY_DEVICE_UNCACHED_AMD};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(conditions); i++) {
        struct fixture f;
        set_up(&f, UNIT_NVIDIA);
        f.account.layout.types[0].flags |= conditions[i];
        fill_with(&f, 1, 7700, ANY_TYPE, UINT64_MAX);
        assert_item(&f, 0, 2, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
        /* Asked for, they are wanted. */
        f.account.layout.types[1].flags |= conditions[i];
        fill_with(&f, 1, 7700, ANY_TYPE, UINT64_MAX);
        assert_item(&f, 0, 0, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
        assert_item(&f, 1, 1, SPW_TIER_VRAM, SPW_WHY_VRAM_RESERVE);
        assert_int_equal(f.list.count, 2);
    }
}

static void placement_of_an_image_keeps_to_its_types(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_NVIDIA);
    fill_with(&f, 1, 7700, 1u << 0 | 1u << 1, UINT64_MAX); /* an optimal image of NVIDIA's */
    assert_int_equal(f.list.count, 2);
    assert_item(&f, 0, 0, SPW_TIER_HOST, SPW_WHY_VRAM_FULL);
    assert_item(&f, 1, 1, SPW_TIER_VRAM, SPW_WHY_VRAM_RESERVE);
    fill_with(&f, 1, 9000, 1u << 1, UINT64_MAX);
    assert_int_equal(f.list.count, 0);
    assert_int_equal(f.list.refusal, SPW_REFUSAL_NO_TYPE);
    /* The type asked for is allowed whatever the mask says. */
    fill_with(&f, 1, 100, 0, UINT64_MAX);
    assert_int_equal(f.list.count, 1);
    assert_item(&f, 0, 1, SPW_TIER_VRAM, SPW_WHY_FITS);
    assert_true(spw_placement_has_host_type(&f.account.layout, 1, 1u << 0));
    assert_false(spw_placement_has_host_type(&f.account.layout, 1, 1u << 1));
}

static void placement_without_host_room_uses_the_reserve(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_NVIDIA);
    fill_with(&f, 1, 7700, ANY_TYPE, 7699); /* the floor */
    assert_int_equal(f.list.count, 1);
    assert_item(&f, 0, 1, SPW_TIER_VRAM, SPW_WHY_VRAM_RESERVE);
    assert_int_equal(f.list.refusal, SPW_REFUSAL_HOST_FLOOR);
    fill_with(&f, 1, 9000, ANY_TYPE, 8999);
    assert_int_equal(f.list.count, 0);
    assert_int_equal(f.list.refusal, SPW_REFUSAL_HOST_FLOOR);

    f.account.config.host_limit = 500; /* the user's word */
    fill_with(&f, 1, 9000, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 0);
    assert_int_equal(f.list.refusal, SPW_REFUSAL_HOST_FLOOR);
    f.account.config.host_limit = 9000;
    fill_with(&f, 1, 9000, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 3);
}

static void placement_in_a_full_host_heap_is_not_tried(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_NVIDIA);
    spw_account_add(&f.account, 2, 2, UNIT_HOST - 7000);
    fill_with(&f, 1, 7700, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 1);
    assert_item(&f, 0, 1, SPW_TIER_VRAM, SPW_WHY_VRAM_RESERVE);
}

static void placement_beyond_the_promise_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_NVIDIA);
    f.account.config.commit_cap = 10000;
    spw_account_add(&f.account, 1, 1, 7000);
    fill_with(&f, 1, 3001, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 0);
    assert_int_equal(f.list.refusal, SPW_REFUSAL_VIRTUAL_HEAP);
    fill_with(&f, 1, 3000, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 3);
    fill_with(&f, 1, UINT64_MAX, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 0);
}

static void placement_on_unified_memory_has_nowhere_else(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, UNIT_UMA);
    fill_with(&f, 0, 100, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 1);
    assert_item(&f, 0, 0, SPW_TIER_VRAM, SPW_WHY_FITS);
    fill_with(&f, 0, 9000, ANY_TYPE, UINT64_MAX);
    assert_int_equal(f.list.count, 0);
    assert_int_equal(f.list.refusal, SPW_REFUSAL_NO_TYPE);
}

/* ---- against a model ---- */

/* What placement.h says of one type, as a number to sort by; SIZE_MAX: not in the list. */
struct rank {
    unsigned stage, extra;
    uint64_t room;
    uint32_t type;
};

static bool model_suits(const struct spw_memory_layout *layout, uint32_t asked, uint32_t type)
{
    uint32_t flags = layout->types[type].flags, wanted = layout->types[asked].flags;
    const uint32_t conditional = SPW_MEMORY_LAZILY_ALLOCATED | SPW_MEMORY_PROTECTED |
                                 SPW_MEMORY_DEVICE_COHERENT_AMD | SPW_MEMORY_DEVICE_UNCACHED_AMD;
    if (!layout->heaps[layout->types[type].heap].device_local) {
        wanted &= ~(uint32_t)SPW_MEMORY_DEVICE_LOCAL;
    }
    return (flags & wanted) == wanted && (flags & ~wanted & conditional) == 0;
}

/* 1 to 4 as in placement.h; 0: not in the list. */
static unsigned model_stage(const struct fixture *f, const struct spw_placement_request *r,
                            uint32_t type)
{
    const struct spw_memory_layout *layout = &f->account.layout;
    uint32_t heap = layout->types[type].heap, asked_heap = layout->types[r->asked_type].heap;
    bool is_asked = type == r->asked_type, local = layout->heaps[heap].device_local;
    /* Another type of the same heap would have no more room. */
    bool candidate = is_asked || (heap != asked_heap && (r->allowed_types & (1u << type)) != 0 &&
                                  model_suits(layout, r->asked_type, type));
    if (!candidate || r->size_bytes > spw_account_room_to_commit(&f->account)) {
        return 0;
    }
    bool below_target = r->size_bytes <= spw_account_room_to_target(&f->account, heap);
    if (local) {
        bool below_limit = r->size_bytes <= spw_account_room_to_limit(&f->account, heap);
        return below_target ? (is_asked ? 1 : 2) : below_limit ? 4 : 0;
    }
    bool tier_has_room = r->size_bytes <= r->host_room &&
                         r->size_bytes <= spw_account_room_in_host_tier(&f->account);
    return below_target && tier_has_room ? 3 : 0;
}

static bool model_before(const struct rank *a, const struct rank *b, uint32_t asked)
{
    if (a->stage != b->stage) {
        return a->stage < b->stage;
    }
    if ((a->type == asked) != (b->type == asked)) {
        return a->type == asked;
    }
    if (a->extra != b->extra) {
        return a->extra < b->extra;
    }
    return a->room != b->room ? a->room > b->room : a->type < b->type;
}

static uint32_t model_fill(const struct fixture *f, const struct spw_placement_request *r,
                           struct rank ranks[SPW_MAX_TYPES])
{
    const struct spw_memory_layout *layout = &f->account.layout;
    uint32_t count = 0;
    for (uint32_t type = 0; type < layout->type_count; type++) {
        struct rank rank = {.stage = model_stage(f, r, type), .type = type};
        if (rank.stage == 0) {
            continue;
        }
        uint32_t wanted = layout->types[r->asked_type].flags;
        wanted &= rank.stage == 3 ? ~(uint32_t)SPW_MEMORY_DEVICE_LOCAL : UINT32_MAX;
        rank.extra = (unsigned)__builtin_popcount(layout->types[type].flags & ~wanted);
        rank.room = spw_account_room_to_target(&f->account, layout->types[type].heap);
        uint32_t at = count++;
        for (; at > 0 && model_before(&rank, &ranks[at - 1], r->asked_type); at--) {
            ranks[at] = ranks[at - 1];
        }
        ranks[at] = rank;
    }
    return count;
}

/* Any card: up to five heaps, up to sixteen types with any flags that a driver may give. */
static void random_card(struct fixture *f, struct unit_rng *rng)
{
    struct spw_memory_layout layout = {.heap_count = 1 + (uint32_t)unit_rng_below(rng, 5),
                                       .type_count = 1 + (uint32_t)unit_rng_below(rng, 16),
                                       .main_heap = UINT32_MAX,
                                       .host_heap = UINT32_MAX};
    struct spw_account_config config = {.commit_cap = unit_rng_below(rng, 4) == 0 ? 2000 : 100000,
                                        .host_limit = unit_rng_below(rng, 4) == 0 ? 300 : 100000};
    for (uint32_t h = 0; h < layout.heap_count; h++) {
        layout.heaps[h].size_bytes = 1 + unit_rng_below(rng, 1000);
        layout.heaps[h].device_local = h == 0 || unit_rng_below(rng, 2) == 0;
        config.limit[h] =
            layout.heaps[h].size_bytes - unit_rng_below(rng, 2) * (layout.heaps[h].size_bytes / 3);
        config.reserve[h] = layout.heaps[h].device_local ? unit_rng_below(rng, 200) : 0;
    }
    for (uint32_t t = 0; t < layout.type_count; t++) {
        layout.types[t].heap = t == 0 ? 0 : (uint32_t)unit_rng_below(rng, layout.heap_count);
        bool local = layout.heaps[layout.types[t].heap].device_local;
        uint32_t flags = (uint32_t)unit_rng_next(rng) & (uint32_t)unit_rng_next(rng) &
                         (uint32_t)unit_rng_next(rng) & 0x1fe;
        layout.types[t].flags = flags | (local ? (uint32_t)SPW_MEMORY_DEVICE_LOCAL : 0);
    }
    spw_account_init(&f->account, &layout, &config);
    for (uint32_t t = 0; t < layout.type_count; t++) {
        spw_account_add(&f->account, t, t, unit_rng_below(rng, 300));
    }
}

static void placement_of_random_cards_matches_model(void **state)
{
    (void)state;
    struct unit_rng rng = {.state = 40};
    unsigned stages[5] = {0};
    for (int i = 0; i < 50000; i++) {
        static struct fixture f;
        random_card(&f, &rng);
        struct spw_placement_request r = {.size_bytes = unit_rng_below(&rng, 600),
                                          .allowed_types = (uint32_t)unit_rng_next(&rng) |
                                                           (uint32_t)unit_rng_next(&rng),
                                          .host_room = unit_rng_below(&rng, 1500)};
        do {
            r.asked_type = (uint32_t)unit_rng_below(&rng, f.account.layout.type_count);
        } while ((f.account.layout.types[r.asked_type].flags & SPW_MEMORY_DEVICE_LOCAL) == 0);

        struct rank ranks[SPW_MAX_TYPES];
        uint32_t count = model_fill(&f, &r, ranks);
        spw_placement_list_fill(&f.list, &f.account, &r);
        assert_int_equal(f.list.count, count);
        for (uint32_t n = 0; n < count; n++) {
            enum spw_why in_host = ranks[0].stage == 1 ? SPW_WHY_DRIVER_FULL : SPW_WHY_VRAM_FULL;
            const enum spw_why whys[] = {SPW_WHY_COUNT, SPW_WHY_FITS, SPW_WHY_OTHER_VRAM, in_host,
                                         SPW_WHY_VRAM_RESERVE};
            unsigned stage = ranks[n].stage;
            assert_item(&f, n, ranks[n].type, stage == 3 ? SPW_TIER_HOST : SPW_TIER_VRAM,
                        whys[stage]);
            stages[stage]++;
        }
    }
    for (unsigned stage = 1; stage <= 4; stage++) {
        assert_true(stages[stage] > 1000); /* each was walked */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placement_that_fits_stays_and_host_is_next),
        cmocka_unit_test(placement_beyond_target_goes_to_host_then_reserve),
        cmocka_unit_test(placement_goes_to_other_vram_before_host),
        cmocka_unit_test(placement_keeps_every_other_property),
        cmocka_unit_test(placement_planted_bug_drops_coherent),
        cmocka_unit_test(placement_unasked_conditions_are_avoided),
        cmocka_unit_test(placement_of_an_image_keeps_to_its_types),
        cmocka_unit_test(placement_without_host_room_uses_the_reserve),
        cmocka_unit_test(placement_in_a_full_host_heap_is_not_tried),
        cmocka_unit_test(placement_beyond_the_promise_is_refused),
        cmocka_unit_test(placement_on_unified_memory_has_nowhere_else),
        cmocka_unit_test(placement_of_random_cards_matches_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
