/* SPDX-License-Identifier: MIT
 *
 * os/settings_env: the variables, as they are set and as they are misspelt. */
#include "unit_settings.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Somebody who owns nothing: "nobody" on Debian. */
#define OTHER_USER 65534

struct fixture {
    struct spw_settings s;
    struct unit_complaints complaints;
};

static int set_up(void **state)
{
    clearenv();
    struct fixture *f = calloc(1, sizeof(*f));
    spw_settings_init(&f->s);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    spw_settings_finish(&f->s);
    free(f);
    return 0;
}

static void read_env(struct fixture *f)
{
    spw_settings_read_env(&f->s, unit_complain, &f->complaints);
}

static void assert_quiet(struct fixture *f)
{
    if (f->complaints.count != 0) {
        fail_msg("%s", f->complaints.last);
    }
}

static void settings_env_sets_every_key(void **state)
{
    struct fixture *f = *state;
    setenv("SPILLWAY_ENABLED", "0", 1);
    setenv("SPILLWAY_MODE", "redirect", 1);
    setenv("SPILLWAY_REPORT", "truthful", 1);
    setenv("SPILLWAY_VRAM_LIMIT", "1GiB", 1);
    setenv("SPILLWAY_HOST_LIMIT", "2GiB", 1);
    setenv("SPILLWAY_HOST_FLOOR", "3GiB", 1);
    setenv("SPILLWAY_RESERVE", "4%", 1);
    setenv("SPILLWAY_OVERFLOW", "5GiB", 1);
    setenv("SPILLWAY_LOG_LEVEL", "info", 1);
    setenv("SPILLWAY_LOG_FILE", "/tmp/l", 1);
    setenv("SPILLWAY_STATS", "exit", 1);
    read_env(f);
    assert_quiet(f);
    char text[UNIT_SETTINGS_TEXT];
    unit_settings_print(&f->s, text);
    assert_string_equal(text,
                        "enabled=false\nmode=redirect\nreport=truthful\n"
                        "vram_limit=1073741824\nhost_limit=2147483648\nhost_floor=3221225472\n"
                        "reserve=4%\noverflow=5368709120\n"
                        "log.level=info\nlog.file=/tmp/l\nstats=exit\n");
}

static void settings_env_empty_counts_as_unset(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(spw_settings_set(&f->s, "mode", "redirect", "a file", NULL, NULL), SPW_OK);
    setenv("SPILLWAY_MODE", "", 1);
    setenv("SPILLWAY_TRACE", "", 1);
    read_env(f);
    assert_quiet(f);
    assert_int_equal(f->s.mode, SPW_MODE_REDIRECT); /* not reset to the default either */
}

static void settings_env_wrong_value_names_the_variable(void **state)
{
    struct fixture *f = *state;
    setenv("SPILLWAY_LOG_LEVEL", "loud", 1);
    read_env(f);
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "SPILLWAY_LOG_LEVEL", "'loud'",
                          "keeping 'warn'", NULL);
    assert_int_equal(f->s.log_level, SPW_LOG_WARN);
}

static void settings_env_of_later_versions_is_told_apart(void **state)
{
    struct fixture *f = *state;
    setenv("SPILLWAY_POLICY_HALF_LIFE", "32", 1);
    read_env(f);
    unit_assert_complaint(&f->complaints, SPW_LOG_INFO, "SPILLWAY_POLICY_HALF_LIFE",
                          "policy.half_life", "this version", NULL);
}

static void settings_env_switches_are_no_settings(void **state)
{
    struct fixture *f = *state;
    setenv("SPILLWAY", "1", 1);
    setenv("SPILLWAY_DISABLE", "0", 1);
    setenv("SPILLWAY_TEST_MEMINFO", "fail", 1);
    setenv("SPILLWAY_TEST_ANYTHING", "1", 1);
    setenv("SPILLWAYS", "1", 1);
    setenv("SPILL", "1", 1);
    setenv("MODE", "1", 1);
    setenv("PATH", "/bin", 1);
    read_env(f);
    assert_quiet(f);
}

static void settings_env_misspelt_name_is_suggested(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *wrong, *right;
    } cases[] = {
        {"SPILLWAY_MDOE", "SPILLWAY_MODE"},
        {"SPILLWAY_VRAMLIMIT", "SPILLWAY_VRAM_LIMIT"},
        {"SPILLWAY_mode", NULL},
        {"SPILLWAY_LOG", "SPILLWAY_LOG_LEVEL"},
        {"SPILLWAY_LOGLEVEL", "SPILLWAY_LOG_LEVEL"},
        {"SPILLWAY_DISABEL", "SPILLWAY_DISABLE"},
        {"SPILLWAY_DISABLED", "SPILLWAY_DISABLE"},
        {"SPILWAY_MODE", "SPILLWAY_MODE"},
        {"SPILLWAYMODE", "SPILLWAY_MODE"},
        {"SPLILWAY_LOG_FILE", "SPILLWAY_LOG_FILE"},
        {"SPILLWAY_COLOUR", NULL},
        {"SPILLWAY_", NULL},
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        setenv(cases[i].wrong, "1", 1);
        read_env(f);
        bool suggested = strstr(f->complaints.last, "did you mean") != NULL;
        assert_int_equal(suggested, cases[i].right != NULL);
        unit_assert_complaint(&f->complaints, SPW_LOG_WARN, cases[i].wrong,
                              suggested ? cases[i].right : "no such variable", NULL);
        unsetenv(cases[i].wrong);
    }
}

static void settings_env_name_without_end_is_passed_over(void **state)
{
    struct fixture *f = *state;
    char name[400] = "SPILLWAY_";
    memset(name + strlen(name), 'X', sizeof(name) - strlen(name) - 1);
    setenv(name, "1", 1);
    char *no_equals[] = {(char *)(uintptr_t) "SPILLWAY_MDOE", (char *)(uintptr_t) "=", NULL};
    read_env(f);
    unit_assert_complaint(&f->complaints, SPW_LOG_WARN, "SPILLWAY_XXXX", NULL);

    /* What putenv and execve let a program put there. */
    char **before = environ;
    environ = no_equals;
    read_env(f);
    environ = NULL;
    read_env(f);
    environ = before;
    assert_quiet(f);
}

static void settings_env_disabled_as_the_loader_has_it(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool disabled;
    } cases[] = {{NULL, false}, {"", false}, {"0", false}, {"1", true}, {"00", true}, {"no", true}};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        if (cases[i].value != NULL) {
            setenv("SPILLWAY_DISABLE", cases[i].value, 1);
        }
        assert_int_equal(spw_settings_env_disabled(), cases[i].disabled);
    }
}

/* ---- a privileged process ---- */

static const char child_word[] = "read-environment";

/* 0: nothing was read; 2: the kernel did not make the process privileged, so it tells nothing. */
static int run_child(void)
{
    struct spw_settings s;
    struct unit_complaints complaints = {0};
    spw_settings_init(&s);
    spw_settings_read_env(&s, unit_complain, &complaints);
    bool read = s.mode != SPW_MODE_AUTO || complaints.count != 0 || spw_settings_env_disabled();
    spw_settings_finish(&s);
    if (getenv("SPILLWAY_MODE") == NULL) {
        return 3;
    }
    bool privileged = secure_getenv("SPILLWAY_MODE") == NULL;
    return !privileged ? 2 : read ? 1 : 0;
}

static void copy_self(const char *path)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    struct stat status;
    assert_true(from >= 0 && to >= 0 && fstat(from, &status) == 0);
    off_t left = status.st_size;
    while (left > 0) {
        ssize_t sent = sendfile(to, from, NULL, (size_t)left);
        assert_true(sent > 0);
        left -= sent;
    }
    assert_int_equal(fchown(to, OTHER_USER, OTHER_USER), 0);
    assert_int_equal(fchmod(to, 06755), 0);
    close(from);
    close(to);
}

static void exec_child(void *path)
{
    setenv("SPILLWAY_MODE", "redirect", 1);
    setenv("SPILLWAY_MDOE", "redirect", 1);
    setenv("SPILLWAY_DISABLE", "1", 1);
    execl(path, "child", child_word, (char *)NULL);
    UNIT_CHILD_CHECK(!"execl");
}

static void settings_env_of_privileged_process_is_not_read(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip(); /* it takes root to make a file set-user-id to somebody else */
    }
    char folder[64], path[80];
    unit_make_folder(folder);
    assert_int_equal(chmod(folder, 0755), 0);
    snprintf(path, sizeof(path), "%s/privileged", folder);
    copy_self(path);
    struct unit_child child;
    unit_child_run(&child, exec_child, path);
    unit_remove_folder(folder);
    int status = child.status;
    unit_child_free(&child);
    if (status == 2 << 8) {
        skip(); /* a nosuid mount */
    }
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], child_word) == 0) {
        _exit(run_child());
    }
#define FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FIXTURE(settings_env_sets_every_key),
        FIXTURE(settings_env_empty_counts_as_unset),
        FIXTURE(settings_env_wrong_value_names_the_variable),
        FIXTURE(settings_env_of_later_versions_is_told_apart),
        FIXTURE(settings_env_switches_are_no_settings),
        FIXTURE(settings_env_misspelt_name_is_suggested),
        FIXTURE(settings_env_name_without_end_is_passed_over),
        FIXTURE(settings_env_disabled_as_the_loader_has_it),
        FIXTURE(settings_env_of_privileged_process_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
