/* SPDX-License-Identifier: MIT
 *
 * os/size_parse: what is a size, what is none, and the arithmetic in between. */
#include "unit.h"

#include "size_parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void assert_bytes(const char *text, uint64_t bytes)
{
    struct spw_size size = {0};
    if (spw_size_parse(text, &size) != SPW_OK || size.kind != SPW_SIZE_BYTES ||
        size.bytes != bytes) {
        fail_msg("'%s': kind %d, %" PRIu64 " bytes", text, (int)size.kind, size.bytes);
    }
}

static void size_parse_knows_every_unit(void **state)
{
    (void)state;
    const uint64_t tib = 1024 * SPW_GIB;
    static const struct {
        const char *names[6];
        uint64_t power, base;
    } units[] = {
        {{"", "B", "b", " B"}, 0, 1},
        {{"KiB", "K", "k", "kib", " KIB", " k"}, 1, 1024},
        {{"MiB", "M", "m", "mib", " MiB", " M"}, 2, 1024},
        {{"GiB", "G", "g", "gib", " GiB", " G"}, 3, 1024},
        {{"TiB", "T", "t", "tib", " TiB", " T"}, 4, 1024},
        {{"KB", "kb", "kB", " KB"}, 1, 1000},
        {{"MB", "mb", "mB", " MB"}, 2, 1000},
        {{"GB", "gb", "gB", " GB"}, 3, 1000},
        {{"TB", "tb", "tB", " TB"}, 4, 1000},
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(units); i++) {
        uint64_t bytes = 7;
        for (uint64_t n = 0; n < units[i].power; n++) {
            bytes *= units[i].base;
        }
        for (size_t j = 0; j < 6 && units[i].names[j] != NULL; j++) {
            char text[32];
            snprintf(text, sizeof(text), "7%s", units[i].names[j]);
            assert_bytes(text, bytes);
        }
    }
    assert_bytes("0", 0);
    assert_bytes("008GiB", 8 * SPW_GIB);
    assert_bytes("1.5GiB", SPW_GIB + SPW_GIB / 2);
    assert_bytes("0.5k", 512);
    assert_bytes("0.0009765625KiB", 1);
    assert_bytes("0.0009765624KiB", 0); /* rounded down */
    assert_bytes("1.999999999999999999999999999999999999TiB", 2 * tib - 1);
}

static void size_parse_refuses_the_rest(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "GiB",
        "-1",
        "+1",
        "-1GiB",
        " 1",
        "1 ",
        "1  GiB",
        "1GiB ",
        "1\tGiB",
        "1Gi",
        "1GiBs",
        "1GG",
        "1.GiB",
        ".5GiB",
        "1.5",
        "1.5B",
        "1.5 ",
        "1,5GiB",
        "1e9",
        "0x10",
        "1_000",
        "1P",
        "1PiB",
        "nan",
        "inf",
        "1.2.3K",
        "1 .5K",
        "%",
        "-1%",
        "101%",
        "100.0000000000001%",
        "50%%",
        "50% ",
        "50  %",
        "1.%",
        "50 % 3",
        "1\n",
        "\302\2401",
        "1\xc2\xa0KiB",
        "18446744073709551616",
        "18446744073709551616B",
        "17179869184GiB",
        "16777216TiB",
        "99999999999999999999999",
        "18446744073709551615K",
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(bad); i++) {
        struct spw_size size = {.kind = SPW_SIZE_PERCENT, .bytes = 3, .percent = 4};
        if (spw_size_parse(bad[i], &size) != SPW_INVALID) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_int_equal(size.kind, SPW_SIZE_PERCENT);
        assert_int_equal(size.bytes, 3);
        assert_true(size.percent == 4);
    }
    assert_int_equal(spw_size_parse(NULL, &(struct spw_size){0}), SPW_INVALID);
}

static void size_parse_ends_at_the_last_byte(void **state)
{
    (void)state;
    assert_bytes("18446744073709551615", UINT64_MAX);
    assert_bytes("18446744073709551615B", UINT64_MAX);
    assert_bytes("17179869183.999999999GiB", UINT64_MAX - 1); /* 2^64 − 1.07 */
    assert_bytes("17179869183.9999999999GiB", UINT64_MAX);
    assert_bytes("16777215TiB", UINT64_MAX - (1024 * SPW_GIB - 1));
}

/* Below 10^6 parts and 10^12 bytes a unit, the plain product is exact in 64 bits. */
static void size_parse_fractions_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {
        {"KiB", SPW_KIB}, {"MiB", SPW_MIB},          {"GiB", SPW_GIB},
        {"KB", 1000},     {"MB", UINT64_C(1000000)}, {"GB", UINT64_C(1000000000)},
    };
    struct unit_rng rng = {.state = 2};
    for (int i = 0; i < 20000; i++) {
        uint64_t whole = unit_rng_below(&rng, 100000);
        uint64_t scale = 1;
        int digits = 1 + (int)unit_rng_below(&rng, 6);
        for (int n = 0; n < digits; n++) {
            scale *= 10;
        }
        uint64_t fraction = unit_rng_below(&rng, scale);
        size_t unit = (size_t)unit_rng_below(&rng, SPW_ARRAY_SIZE(units));
        char text[64];
        snprintf(text, sizeof(text), "%" PRIu64 ".%0*" PRIu64 "%s", whole, digits, fraction,
                 units[unit].name);
        assert_bytes(text, whole * units[unit].bytes + fraction * units[unit].bytes / scale);
    }
}

static void size_parse_percent(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
        double percent;
    } cases[] = {
        {"0%", "0%", 0},
        {"60%", "60%", 60},
        {"60 %", "60%", 60},
        {"100%", "100%", 100},
        {"100.000%", "100%", 100},
        {"12.5%", "12.5%", 12.5},
        {"0.10%", "0.1%", 0.1},
        {"33.333333333%", "33.333333333%", 33.333333333},
        {"99.9999999999%", "99.999999999%", 99.999999999},
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        struct spw_size size;
        assert_int_equal(spw_size_parse(cases[i].text, &size), SPW_OK);
        assert_int_equal(size.kind, SPW_SIZE_PERCENT);
        assert_true(size.percent == cases[i].percent);
        char printed[32];
        spw_size_print(size, printed, sizeof(printed));
        assert_string_equal(printed, cases[i].printed);
    }
}

static bool same_size(struct spw_size a, struct spw_size b)
{
    return a.kind == b.kind && a.bytes == b.bytes && a.percent == b.percent;
}

static void size_print_is_read_back(void **state)
{
    (void)state;
    struct unit_rng rng = {.state = 3};
    char text[64];
    for (int i = 0; i < 20000; i++) {
        struct spw_size size, again;
        if (i % 2 == 0) {
            size = (struct spw_size){.kind = SPW_SIZE_BYTES, .bytes = unit_rng_size(&rng)};
        } else {
            snprintf(text, sizeof(text), "%u.%09u%%", (unsigned)unit_rng_below(&rng, 100),
                     (unsigned)unit_rng_below(&rng, 1000000000));
            assert_int_equal(spw_size_parse(text, &size), SPW_OK);
        }
        spw_size_print(size, text, sizeof(text));
        assert_int_equal(spw_size_parse(text, &again), SPW_OK);
        assert_true(same_size(size, again));
    }
    struct spw_size unset = {0};
    spw_size_print(unset, text, sizeof(text));
    assert_string_equal(text, "");
    char small[4];
    spw_size_print((struct spw_size){.kind = SPW_SIZE_BYTES, .bytes = 123456}, small,
                   sizeof(small));
    assert_string_equal(small, "123");
}

static void size_resolve_is_a_share_of_the_whole(void **state)
{
    (void)state;
    struct spw_size unset = {0}, bytes = {.kind = SPW_SIZE_BYTES, .bytes = 5};
    assert_int_equal(spw_size_resolve(unset, 100, 42), 42);
    assert_int_equal(spw_size_resolve(bytes, 3, 42), 5);
    struct spw_size share = {.kind = SPW_SIZE_PERCENT, .percent = 60};
    assert_int_equal(spw_size_resolve(share, 8 * SPW_GIB, 42), 8 * SPW_GIB * 60 / 100);
    share.percent = 12.5;
    assert_int_equal(spw_size_resolve(share, 8 * SPW_GIB, 42), SPW_GIB);

    struct unit_rng rng = {.state = 4};
    for (int i = 0; i < 20000; i++) {
        uint64_t whole = unit_rng_size(&rng);
        share.percent = 100;
        assert_int_equal(spw_size_resolve(share, whole, 0), whole);
        share.percent = 0;
        assert_int_equal(spw_size_resolve(share, whole, 0), 0);
        uint64_t before = 0;
        for (unsigned percent = 1; percent <= 100; percent += 11) {
            share.percent = percent;
            uint64_t part = spw_size_resolve(share, whole, 0);
            assert_true(part >= before && part <= whole);
            /* whole ÷ 100 × percent, in integers, to within a double's precision */
            uint64_t near = whole / 100 * percent + whole % 100 * percent / 100;
            uint64_t off = part > near ? part - near : near - part;
            assert_true(off <= 1 + (whole >> 51));
            before = part;
        }
    }
}

static void size_resolve_of_nonsense_is_bounded(void **state)
{
    (void)state;
    /* No parser makes these. */
    struct spw_size share = {.kind = SPW_SIZE_PERCENT, .percent = -3};
    assert_int_equal(spw_size_resolve(share, 1000, 0), 0);
    share.percent = 1e300;
    assert_int_equal(spw_size_resolve(share, 1000, 0), 1000);
    share.percent = __builtin_nan("");
    assert_int_equal(spw_size_resolve(share, 1000, 0), 0);
}

static void size_parse_of_mutated_text_is_right_or_refused(void **state)
{
    (void)state;
    static const char *const seeds[] = {
        "8GiB",    "512 MiB", "60%", "1.5GiB", "4096", "18446744073709551615",
        "0.25 TB", "99.99%",  "7kb",
    };
    struct unit_rng rng = {.state = 5};
    unsigned taken = 0;
    for (int i = 0; i < 100000; i++) {
        char text[48];
        snprintf(text, sizeof(text), "%s", seeds[unit_rng_below(&rng, SPW_ARRAY_SIZE(seeds))]);
        unit_mutate(&rng, text, sizeof(text), seeds, SPW_ARRAY_SIZE(seeds));
        struct spw_size size = {.bytes = 77}, again;
        enum spw_result result = spw_size_parse(text, &size);
        if (result == SPW_INVALID) {
            assert_int_equal(size.kind, SPW_SIZE_UNSET);
            assert_int_equal(size.bytes, 77);
            continue;
        }
        assert_int_equal(result, SPW_OK);
        taken++;
        /* Only these letters can be part of a size, and a digit starts it. */
        assert_true(text[0] >= '0' && text[0] <= '9');
        assert_int_equal(strspn(text, "0123456789. %kKmMgGtTiIbB"), strlen(text));
        if (size.kind == SPW_SIZE_PERCENT) {
            assert_true(size.percent >= 0 && size.percent <= 100);
            assert_int_equal(text[strlen(text) - 1], '%');
        } else {
            assert_int_equal(size.kind, SPW_SIZE_BYTES);
            assert_null(strchr(text, '%'));
        }
        char printed[48];
        spw_size_print(size, printed, sizeof(printed));
        assert_int_equal(spw_size_parse(printed, &again), SPW_OK);
        assert_true(same_size(size, again));
    }
    assert_true(taken > 1000 && taken < 99000); /* both branches were walked */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_parse_knows_every_unit),
        cmocka_unit_test(size_parse_refuses_the_rest),
        cmocka_unit_test(size_parse_ends_at_the_last_byte),
        cmocka_unit_test(size_parse_fractions_are_exact),
        cmocka_unit_test(size_parse_percent),
        cmocka_unit_test(size_print_is_read_back),
        cmocka_unit_test(size_resolve_is_a_share_of_the_whole),
        cmocka_unit_test(size_resolve_of_nonsense_is_bounded),
        cmocka_unit_test(size_parse_of_mutated_text_is_right_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
