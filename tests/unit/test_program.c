/* SPDX-License-Identifier: MIT
 *
 * os/program: wildcards, and who is running: this program itself, copies of it that are called like
 * Wine and started as Wine starts Windows programs. */
#include "unit.h"

#include "program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void program_wildcards(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool exact, no_case;
    } cases[] = {
        {"", "", true, true},
        {"", "a", false, false},
        {"*", "", true, true},
        {"*", "abc", true, true},
        {"a*", "abc", true, true},
        {"*c", "abc", true, true},
        {"a*c", "ac", true, true},
        {"a*c", "abcbc", true, true},
        {"a*b*c", "aXbYc", true, true},
        {"a*b*c", "acb", false, false},
        {"**a**", "bab", true, true},
        {"?", "a", true, true},
        {"?", "", false, false},
        {"a?c", "abc", true, true},
        {"a?c", "ac", false, false},
        {"*?", "", false, false},
        {"abc", "abcd", false, false},
        {"abcd", "abc", false, false},
        {"ABC", "abc", false, true},
        {"a/b", "a\\b", false, true},
        {"a\\b", "a/b", false, true},
        {"[a]", "a", false, false},
        {"\xc3\x84", "\xc3\xa4", false, false}, /* ASCII letters only */
    };
    for (size_t i = 0; i < SPW_ARRAY_SIZE(cases); i++) {
        if (spw_glob_matches(cases[i].pattern, cases[i].text, false) != cases[i].exact ||
            spw_glob_matches(cases[i].pattern, cases[i].text, true) != cases[i].no_case) {
            fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].text);
        }
    }
}

/* A pattern that makes a careless matcher take exponential time. */
static void program_wildcards_do_not_explode(void **state)
{
    (void)state;
    char text[4096];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_false(spw_glob_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text, false));
}

static void program_given_by_name(void **state)
{
    (void)state;
    struct spw_program p;
    char folder[64], path[96], linked[96];
    unit_make_folder(folder);
    snprintf(path, sizeof(path), "%s/real", folder);
    snprintf(linked, sizeof(linked), "%s/link", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(symlink("real", linked), 0);

    spw_program_init_for(&p, linked);
    assert_string_equal(p.executable, path);
    assert_false(p.windows);
    spw_program_finish(&p);
    setenv("PATH", folder, 1);
    spw_program_init_for(&p, "link");
    assert_string_equal(p.executable, path);
    spw_program_finish(&p);
    spw_program_init_for(&p, "not-there");
    assert_string_equal(p.executable, "not-there");
    spw_program_finish(&p);
    spw_program_init_for(&p, "C:\\Games\\Game.Exe");
    assert_string_equal(p.executable, "C:\\Games\\Game.Exe");
    assert_true(p.windows);
    spw_program_finish(&p);
    unit_remove_folder(folder);
}

/* ---- children ---- */

static void copy_program(const char *to)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    struct stat status;
    assert_true(from >= 0 && fd >= 0 && fstat(from, &status) == 0);
    for (off_t left = status.st_size; left > 0;) {
        ssize_t sent = sendfile(fd, from, NULL, (size_t)left);
        assert_true(sent > 0);
        left -= sent;
    }
    close(from);
    close(fd);
}

static int print_self(void)
{
    struct spw_program p;
    spw_program_init_self(&p);
    printf("%s|%s|%s|%s\n", p.executable != NULL ? p.executable : "-",
           p.windows ? "windows" : "linux", p.steam_ids[0] != NULL ? p.steam_ids[0] : "-",
           p.steam_ids[1] != NULL ? p.steam_ids[1] : "-");
    spw_program_finish(&p);
    fflush(stdout);
    return 0;
}

/* What the program says of itself where it is the file `path`, started with those arguments. */
static void assert_self(const char *path, const char *const *arguments, const char *expected)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        setenv("UNIT_PRINT_SELF", "1", 1);
        execv(path, (char *const *)arguments);
        _exit(127);
    }
    close(ends[1]);
    char output[1024];
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], output + length, sizeof(output) - 1 - length)) > 0) {
        length += (size_t)got;
    }
    output[length] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    output[strcspn(output, "\n")] = '\0';
    assert_string_equal(output, expected);
}

static void program_self(void **state)
{
    (void)state;
    char folder[64], wine[96], game[96], expected[160];
    unit_make_folder(folder);
    snprintf(wine, sizeof(wine), "%s/wine64-preloader", folder);
    snprintf(game, sizeof(game), "%s/game", folder);
    copy_program(wine);
    copy_program(game);
    unsetenv("SteamAppId");
    unsetenv("SteamGameId");

    const char *const plain[] = {"game", "setup.exe", NULL};
    snprintf(expected, sizeof(expected), "%s|linux|-|-", game);
    assert_self(game, plain, expected);

    const char *const set_by_wine[] = {"Z:\\games\\Game.exe", "-x", NULL};
    assert_self(wine, set_by_wine, "Z:\\games\\Game.exe|windows|-|-");
    assert_self(game, set_by_wine, "Z:\\games\\Game.exe|windows|-|-");

    const char *const after_wine[] = {"wine64-preloader", "/usr/bin/wine64", "/games/Game.EXE",
                                      "x.exe", NULL};
    assert_self(wine, after_wine, "/games/Game.EXE|windows|-|-");

    const char *const no_exe[] = {"wine64-preloader", "notepad", NULL};
    snprintf(expected, sizeof(expected), "%s|linux|-|-", wine);
    assert_self(wine, no_exe, expected);

    setenv("SteamAppId", "620", 1);
    setenv("SteamGameId", "0", 1);
    snprintf(expected, sizeof(expected), "%s|linux|620|-", game);
    assert_self(game, plain, expected);
    unit_remove_folder(folder);
}

int main(void)
{
    if (getenv("UNIT_PRINT_SELF") != NULL) {
        return print_self();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_wildcards),
        cmocka_unit_test(program_wildcards_do_not_explode),
        cmocka_unit_test(program_self),
        cmocka_unit_test(program_given_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
