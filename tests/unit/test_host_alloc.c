/* SPDX-License-Identifier: MIT
 *
 * base/host_alloc: malloc as wrapped, and the failures that tests plan. */
#include "unit.h"

#include "host_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void host_alloc_calloc_gives_zeroes(void **state)
{
    (void)state;
    /* Used memory first, so that a calloc that does not clear has something to show. */
    for (int round = 0; round < 2; round++) {
        unsigned char *p = spw_calloc(100, 7);
        assert_non_null(p);
        for (size_t i = 0; i < 700; i++) {
            assert_int_equal(p[i], 0);
        }
        memset(p, 0xa5, 700);
        spw_free(p);
    }
}

static void host_alloc_of_nothing_is_no_failure(void **state)
{
    (void)state;
    void *volatile p = spw_calloc(0, 8);
    void *volatile q = spw_realloc(NULL, 0);
    assert_non_null(p);
    assert_non_null(q);
    spw_free(p);
    void *r = spw_realloc(q, 0);
    assert_non_null(r);
    spw_free(r);
    spw_free(NULL);
}

static void host_alloc_product_that_wraps_fails(void **state)
{
    (void)state;
    volatile size_t half = SIZE_MAX / 2 + 1;
    void *p = spw_calloc(half, 2);
    assert_null(p);
}

static void host_alloc_strdup_copies(void **state)
{
    (void)state;
    /* Of every length, so that some fill their block to its last byte and what lies behind shows.
     */
    char text[64] = "";
    for (size_t length = 0; length < sizeof(text) - 1; length++) {
        char *copy = spw_strdup(text);
        assert_ptr_not_equal(copy, text);
        assert_string_equal(copy, text);
        spw_free(copy);
        text[length] = 'x';
    }
}

static void host_alloc_live_counts_blocks(void **state)
{
    (void)state;
    int64_t before = spw_host_alloc_live();
    void *a = spw_calloc(1, 10);
    void *b = spw_realloc(NULL, 10);
    assert_int_equal(spw_host_alloc_live(), before + 2);
    b = spw_realloc(b, 1000);
    assert_non_null(b);
    assert_int_equal(spw_host_alloc_live(), before + 2);
    spw_free(a);
    spw_free(NULL);
    assert_int_equal(spw_host_alloc_live(), before + 1);
    spw_free(b);
    assert_int_equal(spw_host_alloc_live(), before);
}

static void host_alloc_nth_fails_once(void **state)
{
    (void)state;
    spw_host_alloc_fail_nth(3);
    void *a = spw_calloc(1, 1);
    void *b = spw_strdup("b");
    assert_true(spw_host_alloc_fail_pending());
    void *c = spw_realloc(NULL, 1);
    assert_false(spw_host_alloc_fail_pending());
    void *d = spw_calloc(1, 1);
    assert_non_null(a);
    assert_non_null(b);
    assert_null(c);
    assert_non_null(d);
    spw_free(a);
    spw_free(b);
    spw_free(d);

    spw_host_alloc_fail_nth(1);
    spw_host_alloc_fail_nth(0);
    a = spw_calloc(1, 1);
    assert_non_null(a);
    spw_free(a);
}

static void host_alloc_failed_realloc_keeps_block(void **state)
{
    (void)state;
    int64_t before = spw_host_alloc_live();
    char *p = spw_strdup("kept");
    spw_host_alloc_fail_nth(1);
    assert_null(spw_realloc(p, 100));
    assert_string_equal(p, "kept");
    assert_int_equal(spw_host_alloc_live(), before + 1);
    spw_free(p);
}

/* The variable is read once a process, before its first allocation: it takes a process of its own.
 */
static const char child_word[] = "allocate-three-times";

static int run_child(void)
{
    void *p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = spw_calloc(1, 1);
    }
    bool well = p[0] != NULL && p[1] == NULL && p[2] != NULL;
    spw_free(p[0]);
    spw_free(p[2]);
    return well ? 0 : 1;
}

static void exec_child(void *arg)
{
    (void)arg;
    setenv("SPILLWAY_TEST_FAIL_MALLOC", "2", 1);
    execl("/proc/self/exe", "child", child_word, (char *)NULL);
    UNIT_CHILD_CHECK(!"execl");
}

static void host_alloc_variable_plans_failure(void **state)
{
    (void)state;
    struct unit_child child;
    unit_child_run(&child, exec_child, NULL);
    assert_true(unit_child_exited_well(&child));
    unit_child_free(&child);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], child_word) == 0) {
        return run_child();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_alloc_calloc_gives_zeroes),
        cmocka_unit_test(host_alloc_of_nothing_is_no_failure),
        cmocka_unit_test(host_alloc_product_that_wraps_fails),
        cmocka_unit_test(host_alloc_strdup_copies),
        cmocka_unit_test(host_alloc_live_counts_blocks),
        cmocka_unit_test(host_alloc_nth_fails_once),
        cmocka_unit_test(host_alloc_failed_realloc_keeps_block),
        cmocka_unit_test(host_alloc_variable_plans_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
