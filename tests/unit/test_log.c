/* SPDX-License-Identifier: MIT
 *
 * base/log: what arrives at the sink, write by write, and what must not happen to the program that
 * the layer lives in. The sink and the level belong to the process, so each test has one of its
 * own. */
#include "unit.h"

#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINE 1024

static void assert_well(struct unit_child *child, void (*fn)(void *arg), void *arg)
{
    unit_child_run(child, fn, arg);
    assert_true(unit_child_exited_well(child));
}

static char *read_file(const char *path, char *text, size_t text_size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, text_size - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* ---- to stderr ---- */

static void say_something_at_each_level(void *arg)
{
    enum spw_log_level *level = arg;
    if (level != NULL) {
        UNIT_CHILD_CHECK(spw_log_configure(*level, NULL) == SPW_OK);
    }
    spw_log(SPW_LOG_ERROR, "e %d", 1);
    spw_log(SPW_LOG_WARN, "w '%s'", "x");
    spw_log(SPW_LOG_INFO, "i");
    spw_log(SPW_LOG_DEBUG, "d");
}

static void log_prints_up_to_its_level(void **state)
{
    (void)state;
    static const char *const lines[] = {"spillway: error: e 1\n", "spillway: warn: w 'x'\n",
                                        "spillway: info: i\n", "spillway: debug: d\n"};
    for (int level = -1; level <= (int)SPW_LOG_DEBUG; level++) {
        /* Never configured: as with warn. */
        enum spw_log_level configured = (enum spw_log_level)level;
        size_t expected = level < 0 ? 2 : (size_t)level + 1;
        struct unit_child child;
        assert_well(&child, say_something_at_each_level, level < 0 ? NULL : &configured);
        assert_int_equal(child.write_count, expected);
        for (size_t i = 0; i < expected; i++) {
            assert_string_equal(child.writes[i], lines[i]);
        }
        unit_child_free(&child);
    }
}

static void repeat(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 100; i++) {
        spw_log(SPW_LOG_WARN, "again %d", i);
    }
    for (int i = 1; i <= 30; i++) {
        spw_log_at(NULL, SPW_LOG_WARN, "unlimited");
    }
    spw_log(SPW_LOG_WARN, "another site");
}

static void log_repeats_of_a_site_are_limited(void **state)
{
    (void)state;
    struct unit_child child;
    assert_well(&child, repeat, NULL);
    assert_int_equal(child.write_count, 13 + 30 + 1);
    for (int i = 0; i < 13; i++) {
        int number = i < 10 ? i + 1 : 16 << (i - 10);
        char line[80];
        if (i < 10) {
            snprintf(line, sizeof(line), "spillway: warn: again %d\n", number);
        } else {
            snprintf(line, sizeof(line), "spillway: warn: again %d (%d times so far)\n", number,
                     number);
        }
        assert_string_equal(child.writes[i], line);
    }
    assert_string_equal(child.writes[13 + 29], "spillway: warn: unlimited\n");
    assert_string_equal(child.writes[13 + 30], "spillway: warn: another site\n");
    unit_child_free(&child);
}

/* Shifts where the cut falls relative to the three-byte characters. */
static void say_too_much(void *arg)
{
    const int *shift = arg;
    char text[3 * 1500 + 8] = "xyz";
    for (size_t i = (size_t)*shift; i < 3 * 1500; i += 3) {
        memcpy(text + i, "\xe2\x82\xac", 4);
    }
    for (int i = 0; i < 16; i++) {
        spw_log(SPW_LOG_WARN, "%s", text);
    }
}

static bool is_whole_characters(const char *text)
{
    while (*text != '\0') {
        if (strncmp(text, "\xe2\x82\xac", 3) == 0) {
            text += 3;
        } else if ((unsigned char)*text < 0x80) {
            text++;
        } else {
            return false;
        }
    }
    return true;
}

static void log_long_line_is_cut_at_a_character(void **state)
{
    (void)state;
    for (int shift = 0; shift < 3; shift++) {
        struct unit_child child;
        assert_well(&child, say_too_much, &shift);
        assert_int_equal(child.write_count, 11);
        for (size_t i = 0; i < child.write_count; i++) {
            const char *end = i < 10 ? "...\n" : "... (16 times so far)\n";
            const char *line = child.writes[i];
            size_t length = child.lengths[i];
            assert_true(length <= MAX_LINE);
            assert_true(length > MAX_LINE - 4);
            assert_string_equal(line + length - strlen(end), end);
            assert_true(is_whole_characters(line));
        }
        unit_child_free(&child);
    }
}

static void say_exactly(void *arg)
{
    const size_t *length = arg;
    char text[MAX_LINE + 1] = "";
    memset(text, 'x', *length);
    spw_log_at(NULL, SPW_LOG_WARN, "%s", text);
}

static void log_line_that_just_fits_is_whole(void **state)
{
    (void)state;
    const size_t around = strlen("spillway: warn: \n");
    for (size_t length = MAX_LINE - around - 1; length <= MAX_LINE - around + 1; length++) {
        struct unit_child child;
        size_t arg = length;
        assert_well(&child, say_exactly, &arg);
        bool fits = length + around <= MAX_LINE;
        assert_int_equal(child.lengths[0], fits ? length + around : MAX_LINE);
        assert_true((strstr(child.writes[0], "...") == NULL) == fits);
        unit_child_free(&child);
    }
}

static void say_control_characters(void *arg)
{
    (void)arg;
    spw_log(SPW_LOG_WARN, "'%s'", "a\nspillway: error: forged\x1b[2J\x7f\tz\xc3\xa9");
}

static void log_control_characters_are_replaced(void **state)
{
    (void)state;
    struct unit_child child;
    assert_well(&child, say_control_characters, NULL);
    assert_int_equal(child.write_count, 1);
    assert_string_equal(child.writes[0],
                        "spillway: warn: 'a?spillway: error: forged?[2J??z\xc3\xa9'\n");
    unit_child_free(&child);
}

static void write_raw(void *arg)
{
    (void)arg;
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_ERROR, NULL) == SPW_OK);
    spw_log_raw("{\"spillway\":\t1}");
    spw_log_raw("");
}

static void log_raw_is_as_it_is_in_one_write(void **state)
{
    (void)state;
    struct unit_child child;
    assert_well(&child, write_raw, NULL);
    assert_int_equal(child.write_count, 2);
    assert_string_equal(child.writes[0], "{\"spillway\":\t1}\n");
    assert_string_equal(child.writes[1], "\n");
    unit_child_free(&child);
}

/* ---- the program must not notice ---- */

static void log_into_closed_stderr(void *arg)
{
    (void)arg;
    UNIT_CHILD_CHECK(close(STDERR_FILENO) == 0);
    errno = ENOTTY;
    spw_log(SPW_LOG_WARN, "lost");
    if (errno != ENOTTY) {
        _exit(1);
    }
    spw_log_raw("lost");
    _exit(errno == ENOTTY ? 0 : 2);
}

static void keep_errno(void *arg)
{
    (void)arg;
    errno = ENOTTY;
    spw_log(SPW_LOG_WARN, "arrives: %s", "text");
    UNIT_CHILD_CHECK(errno == ENOTTY);
    spw_log_raw("arrives");
    UNIT_CHILD_CHECK(errno == ENOTTY);
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_WARN, NULL) == SPW_OK);
    UNIT_CHILD_CHECK(errno == ENOTTY);
}

static void log_keeps_errno(void **state)
{
    (void)state;
    struct unit_child child;
    assert_well(&child, keep_errno, NULL);
    unit_child_free(&child);
    assert_well(&child, log_into_closed_stderr, NULL);
    unit_child_free(&child);
}

static void make_stderr_a_broken_pipe(void)
{
    int ends[2];
    UNIT_CHILD_CHECK(pipe(ends) == 0);
    UNIT_CHILD_CHECK(dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    signal(SIGPIPE, SIG_DFL);
}

static void log_into_broken_pipe(void *arg)
{
    (void)arg;
    make_stderr_a_broken_pipe();
    spw_log(SPW_LOG_WARN, "to nobody");
    spw_log_raw("to nobody");
    sigset_t mask;
    sigset_t pending;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sigpending(&pending);
    if (sigismember(&mask, SIGPIPE) || sigismember(&pending, SIGPIPE)) {
        _exit(1); /* the mask is as it was, and nothing is left over */
    }
    _exit(0);
}

/* A SIGPIPE of the program's own, which it holds back, is not ours to take. */
static void log_beside_pending_signal(void *arg)
{
    (void)arg;
    make_stderr_a_broken_pipe();
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGPIPE);
    spw_log(SPW_LOG_WARN, "to nobody");
    sigpending(&pending);
    _exit(sigismember(&pending, SIGPIPE) ? 0 : 1);
}

static void log_reader_that_has_gone_does_no_harm(void **state)
{
    (void)state;
    struct unit_child child;
    assert_well(&child, log_into_broken_pipe, NULL);
    unit_child_free(&child);
    assert_well(&child, log_beside_pending_signal, NULL);
    unit_child_free(&child);
}

/* ---- to a file ---- */

struct place {
    char folder[64];
    char path[96], other[96];
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    unit_make_folder(place->folder);
    snprintf(place->path, sizeof(place->path), "%s/log", place->folder);
    snprintf(place->other, sizeof(place->other), "%s/other", place->folder);
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    unit_remove_folder(place->folder);
    free(place);
    return 0;
}

/* The descriptor that has path open, or -1. */
static int find_descriptor(const char *path)
{
    for (int fd = 0; fd < 64; fd++) {
        char link[32], target[128];
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, target, sizeof(target) - 1);
        if (length > 0) {
            target[length] = '\0';
            if (strcmp(target, path) == 0) {
                return fd;
            }
        }
    }
    return -1;
}

static void log_to_file(void *arg)
{
    struct place *place = arg;
    umask(0);
    UNIT_CHILD_CHECK(dup2(open(place->other, O_WRONLY | O_CREAT, 0600), STDOUT_FILENO) >= 0);
    FILE *file = fopen(place->path, "w");
    UNIT_CHILD_CHECK(file != NULL && fputs("was there\n", file) >= 0 && fclose(file) == 0);
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->path) == SPW_OK);
    spw_log(SPW_LOG_INFO, "first");
    /* Another writer's line in between: appending finds the end anew. */
    file = fopen(place->path, "a");
    UNIT_CHILD_CHECK(file != NULL && fputs("another's\n", file) >= 0 && fclose(file) == 0);
    spw_log_raw("second");

    int fd = find_descriptor(place->path);
    UNIT_CHILD_CHECK(fd > STDERR_FILENO);
    UNIT_CHILD_CHECK((fcntl(fd, F_GETFL) & O_APPEND) != 0);
    UNIT_CHILD_CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);

    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, NULL) == SPW_OK);
    UNIT_CHILD_CHECK(find_descriptor(place->path) == -1);
    spw_log(SPW_LOG_INFO, "to stderr again");
}

static void log_file_is_appended_to(void **state)
{
    struct place *place = *state;
    struct unit_child child;
    assert_well(&child, log_to_file, place);
    assert_int_equal(child.write_count, 1);
    assert_string_equal(child.writes[0], "spillway: info: to stderr again\n");
    unit_child_free(&child);
    char text[200];
    assert_string_equal(read_file(place->path, text, sizeof(text)),
                        "was there\nspillway: info: first\nanother's\nsecond\n");
    /* stdout got nothing. */
    assert_string_equal(read_file(place->other, text, sizeof(text)), "");
}

static void create_log_file(void *arg)
{
    struct place *place = arg;
    umask(0);
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->path) == SPW_OK);
    struct stat status;
    UNIT_CHILD_CHECK(stat(place->path, &status) == 0);
    UNIT_CHILD_CHECK((status.st_mode & 07777) == 0600);
}

static void log_file_is_private(void **state)
{
    struct unit_child child;
    assert_well(&child, create_log_file, *state);
    unit_child_free(&child);
}

static void try_bad_paths(void *arg)
{
    struct place *place = arg;
    UNIT_CHILD_CHECK(symlink(place->other, place->path) == 0);
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->path) == SPW_IO);
    UNIT_CHILD_CHECK(errno == ELOOP);
    UNIT_CHILD_CHECK(access(place->other, F_OK) != 0);

    /* A FIFO that nobody reads: an error, not a program that hangs. */
    UNIT_CHILD_CHECK(unlink(place->path) == 0 && mkfifo(place->path, 0600) == 0);
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->path) == SPW_IO);
    UNIT_CHILD_CHECK(errno == ENXIO);

    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, "/nowhere/at/all") == SPW_IO);
    UNIT_CHILD_CHECK(errno == ENOENT);
    spw_log(SPW_LOG_INFO, "still here");

    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->other) == SPW_OK);
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, "/nowhere/at/all") == SPW_IO);
    spw_log(SPW_LOG_INFO, "and still there");
}

static void log_path_that_cannot_be_keeps_the_sink(void **state)
{
    struct place *place = *state;
    struct unit_child child;
    assert_well(&child, try_bad_paths, place);
    assert_int_equal(child.write_count, 1);
    assert_string_equal(child.writes[0], "spillway: info: still here\n");
    unit_child_free(&child);
    char text[100];
    assert_string_equal(read_file(place->other, text, sizeof(text)),
                        "spillway: info: and still there\n");
}

/* A daemon closes every descriptor, and its own file gets our number. */
static void lose_descriptor(void *arg)
{
    struct place *place = arg;
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->path) == SPW_OK);
    int fd = find_descriptor(place->path);
    UNIT_CHILD_CHECK(fd > 0 && close(fd) == 0);
    spw_log(SPW_LOG_INFO, "lost");
    UNIT_CHILD_CHECK(open(place->other, O_WRONLY | O_CREAT, 0600) == fd);
    spw_log(SPW_LOG_INFO, "lost");
    spw_log_raw("lost");
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, NULL) == SPW_OK);
    UNIT_CHILD_CHECK(find_descriptor(place->other) == fd); /* nor is it closed */
}

static void log_descriptor_given_to_another_is_not_used(void **state)
{
    struct place *place = *state;
    struct unit_child child;
    assert_well(&child, lose_descriptor, place);
    unit_child_free(&child);
    char text[100];
    assert_string_equal(read_file(place->other, text, sizeof(text)), "");
}

static void open_without_standard_streams(void *arg)
{
    struct place *place = arg;
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->path) == SPW_OK);
    UNIT_CHILD_CHECK(find_descriptor(place->path) > STDERR_FILENO);
}

static void log_file_does_not_become_a_standard_stream(void **state)
{
    struct unit_child child;
    assert_well(&child, open_without_standard_streams, *state);
    unit_child_free(&child);
}

static void exceed_file_size(void *arg)
{
    struct place *place = arg;
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->path) == SPW_OK);
    const struct rlimit limit = {.rlim_cur = 100, .rlim_max = 100};
    UNIT_CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (int i = 0; i < 10; i++) {
        spw_log_at(NULL, SPW_LOG_INFO, "thirty-two bytes"); /* SIGXFSZ would end us */
    }
}

static void log_full_file_does_no_harm(void **state)
{
    struct place *place = *state;
    struct unit_child child;
    assert_well(&child, exceed_file_size, place);
    unit_child_free(&child);
    struct stat status;
    assert_int_equal(stat(place->path, &status), 0);
    assert_int_equal(status.st_size, 100);
}

/* ---- threads ---- */

#define THREADS 4
#define LINES   100

static void *say_lines(void *arg)
{
    const int *index = arg;
    for (int i = 0; i < LINES; i++) {
        spw_log_at(NULL, SPW_LOG_INFO, "thread %d line %03d", *index, i);
        if (i % 10 == 0) {
            (void)!spw_log_configure(SPW_LOG_INFO, getenv("UNIT_LOG_PATH"));
        }
    }
    return NULL;
}

static void log_from_threads(void *arg)
{
    struct place *place = arg;
    setenv("UNIT_LOG_PATH", place->path, 1);
    UNIT_CHILD_CHECK(spw_log_configure(SPW_LOG_INFO, place->path) == SPW_OK);
    pthread_t threads[THREADS];
    int indexes[THREADS];
    for (int i = 0; i < THREADS; i++) {
        indexes[i] = i;
        UNIT_CHILD_CHECK(pthread_create(&threads[i], NULL, say_lines, &indexes[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void log_lines_of_threads_stay_whole(void **state)
{
    struct place *place = *state;
    struct unit_child child;
    assert_well(&child, log_from_threads, place);
    unit_child_free(&child);

    FILE *file = fopen(place->path, "r");
    assert_non_null(file);
    int next[THREADS] = {0}, total = 0;
    char line[100], expected[100];
    while (fgets(line, sizeof(line), file) != NULL) {
        int thread = -1, number = -1;
        assert_int_equal(sscanf(line, "spillway: info: thread %d line %d", &thread, &number), 2);
        assert_true(thread >= 0 && thread < THREADS);
        assert_int_equal(number, next[thread]++);
        snprintf(expected, sizeof(expected), "spillway: info: thread %d line %03d\n", thread,
                 number);
        assert_string_equal(line, expected);
        total++;
    }
    fclose(file);
    assert_int_equal(total, THREADS * LINES);
}

int main(void)
{
#define WITH_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_prints_up_to_its_level),
        cmocka_unit_test(log_repeats_of_a_site_are_limited),
        cmocka_unit_test(log_long_line_is_cut_at_a_character),
        cmocka_unit_test(log_line_that_just_fits_is_whole),
        cmocka_unit_test(log_control_characters_are_replaced),
        cmocka_unit_test(log_raw_is_as_it_is_in_one_write),
        cmocka_unit_test(log_keeps_errno),
        cmocka_unit_test(log_reader_that_has_gone_does_no_harm),
        WITH_PLACE(log_file_is_appended_to),
        WITH_PLACE(log_file_is_private),
        WITH_PLACE(log_path_that_cannot_be_keeps_the_sink),
        WITH_PLACE(log_descriptor_given_to_another_is_not_used),
        WITH_PLACE(log_file_does_not_become_a_standard_stream),
        WITH_PLACE(log_full_file_does_no_harm),
        WITH_PLACE(log_lines_of_threads_stay_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
