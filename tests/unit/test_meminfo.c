/* SPDX-License-Identifier: MIT
 *
 * os/meminfo: the kernel's numbers, and the check build's own. */
#include "unit.h"

#include "meminfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static const char variable[] = "SPILLWAY_TEST_MEMINFO";

static int unset_variable(void **state)
{
    (void)state;
    return unsetenv(variable);
}

static void meminfo_of_kernel_agrees_with_sysinfo(void **state)
{
    (void)state;
    struct spw_meminfo info;
    struct sysinfo kernel;
    assert_int_equal(spw_meminfo_read(&info), SPW_OK);
    assert_int_equal(sysinfo(&kernel), 0);
    /* The same counter by another way, in whole KiB. */
    uint64_t total = (uint64_t)kernel.totalram * kernel.mem_unit;
    assert_int_equal(info.total_bytes, total / SPW_KIB * SPW_KIB);
    assert_true(info.available_bytes > 0);
    assert_true(info.available_bytes <= info.total_bytes);
}

static void meminfo_override_replaces_what_it_names(void **state)
{
    (void)state;
    struct spw_meminfo real, info;
    assert_int_equal(spw_meminfo_read(&real), SPW_OK);

    setenv(variable, "total=8GiB,available=2GiB", 1);
    assert_int_equal(spw_meminfo_read(&info), SPW_OK);
    assert_int_equal(info.total_bytes, 8 * SPW_GIB);
    assert_int_equal(info.available_bytes, 2 * SPW_GIB);

    setenv(variable, "available=512 MiB", 1);
    assert_int_equal(spw_meminfo_read(&info), SPW_OK);
    assert_int_equal(info.total_bytes, real.total_bytes);
    assert_int_equal(info.available_bytes, 512 * SPW_MIB);

    setenv(variable, "total=123", 1);
    assert_int_equal(spw_meminfo_read(&info), SPW_OK);
    assert_int_equal(info.total_bytes, 123);
}

static void meminfo_bad_override_says_io(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "fail",          "@/nowhere/at/all", "total=8 gigs", "avail=1GiB",
        "available=50%", "available=",       "8GiB",
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(bad); i++) {
        struct spw_meminfo info = {.total_bytes = 1, .available_bytes = 2};
        setenv(variable, bad[i], 1);
        assert_int_equal(spw_meminfo_read(&info), SPW_IO);
        assert_int_equal(info.total_bytes, 1);
        assert_int_equal(info.available_bytes, 2);
    }
}

static void write_plan(const char *path, const char *plan)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(plan, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void meminfo_override_in_a_file_is_read_anew(void **state)
{
    (void)state;
    char folder[64], path[80], plan[96];
    unit_make_folder(folder);
    snprintf(path, sizeof(path), "%s/plan", folder);
    snprintf(plan, sizeof(plan), "@%s", path);
    setenv(variable, plan, 1);
    struct spw_meminfo info;
    write_plan(path, "available=3GiB\n");
    assert_int_equal(spw_meminfo_read(&info), SPW_OK);
    assert_int_equal(info.available_bytes, 3 * SPW_GIB);
    write_plan(path, "total=4GiB,available=1GiB");
    assert_int_equal(spw_meminfo_read(&info), SPW_OK);
    assert_int_equal(info.total_bytes, 4 * SPW_GIB);
    assert_int_equal(info.available_bytes, SPW_GIB);
    write_plan(path, "fail\n");
    assert_int_equal(spw_meminfo_read(&info), SPW_IO);
    unit_remove_folder(folder);
}

int main(void)
{
    unsetenv(variable);
#define CLEAN(test) cmocka_unit_test_teardown(test, unset_variable)
    const struct CMUnitTest tests[] = {
        CLEAN(meminfo_of_kernel_agrees_with_sysinfo),
        CLEAN(meminfo_override_replaces_what_it_names),
        CLEAN(meminfo_bad_override_says_io),
        CLEAN(meminfo_override_in_a_file_is_read_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
