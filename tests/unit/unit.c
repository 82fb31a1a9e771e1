/* SPDX-License-Identifier: MIT
 *
 * See unit.h. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* splitmix64 */
uint64_t unit_rng_next(struct unit_rng *rng)
{
    uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t unit_rng_below(struct unit_rng *rng, uint64_t bound)
{
    return unit_rng_next(rng) % bound;
}

uint64_t unit_rng_size(struct unit_rng *rng)
{
    uint64_t power = UINT64_C(1) << unit_rng_below(rng, 64);
    switch (unit_rng_below(rng, 6)) {
    case 0:
        return unit_rng_below(rng, 4);
    case 1:
        return UINT64_MAX - unit_rng_below(rng, 4);
    case 2:
        return power - 1 + unit_rng_below(rng, 3);
    case 3:
        return unit_rng_below(rng, 64 * SPW_GIB);
    case 4:
        return unit_rng_below(rng, 64) * SPW_MIB;
    default:
        return unit_rng_next(rng) & (power - 1);
    }
}

static void read_writes(struct unit_child *child, int fd)
{
    static char message[256 * 1024];
    for (;;) {
        ssize_t got = read(fd, message, sizeof(message) - 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return;
        }
        if (child->write_count == UNIT_MAX_WRITES) {
            continue;
        }
        message[got] = '\0';
        child->writes[child->write_count] = strdup(message);
        child->lengths[child->write_count] = (size_t)got;
        child->write_count++;
    }
}

void unit_child_run(struct unit_child *child, void (*fn)(void *arg), void *arg)
{
    *child = (struct unit_child){0};
    /* A socket that keeps messages apart: each write(2) arrives as one. */
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        fn(arg);
        _exit(0);
    }
    close(ends[1]);
    read_writes(child, ends[0]);
    close(ends[0]);
    assert_int_equal(waitpid(pid, &child->status, 0), pid);
}

void unit_child_free(struct unit_child *child)
{
    for (size_t i = 0; i < child->write_count; i++) {
        free(child->writes[i]);
    }
    *child = (struct unit_child){0};
}

static bool wrote(const struct unit_child *child, const char *text)
{
    for (size_t i = 0; i < child->write_count; i++) {
        if (strstr(child->writes[i], text) != NULL) {
            return true;
        }
    }
    return false;
}

static void show_writes(const struct unit_child *child)
{
    for (size_t i = 0; i < child->write_count; i++) {
        fprintf(stderr, "the child wrote: %s\n", child->writes[i]);
    }
}

bool unit_child_exited_well(const struct unit_child *child)
{
    bool well = WIFEXITED(child->status) && WEXITSTATUS(child->status) == 0;
    if (!well) {
        show_writes(child);
    }
    return well;
}

bool unit_child_aborted_with(const struct unit_child *child, const char *text)
{
    bool so =
        WIFSIGNALED(child->status) && WTERMSIG(child->status) == SIGABRT && wrote(child, text);
    if (!so) {
        show_writes(child);
    }
    return so;
}

_Noreturn void unit_child_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    _exit(99);
}

void unit_make_folder(char path[64])
{
    snprintf(path, 64, "/tmp/spillway-unit-XXXXXX");
    assert_non_null(mkdtemp(path));
}

void unit_remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    assert_int_equal(rmdir(path), 0);
}

static void mutate_once(struct unit_rng *rng, char *text, size_t text_size,
                        const char *const *others, size_t other_count)
{
    size_t length = strlen(text);
    size_t at = (size_t)unit_rng_below(rng, length + 1);
    switch (unit_rng_below(rng, 6)) {
    case 0: /* drop */
        memmove(text + at, text + at + (at < length), length - at + (at == length));
        break;
    case 1: /* double */
        if (length + 2 <= text_size) {
            memmove(text + at + 1, text + at, length - at + 1);
            text[at] = at > 0 ? text[at - 1] : '0';
        }
        break;
    case 2: /* swap */
        if (at + 1 < length) {
            char c = text[at];
            text[at] = text[at + 1];
            text[at + 1] = c;
        }
        break;
    case 3: { /* put another in */
        const char *other = others[unit_rng_below(rng, other_count)];
        size_t other_length = strlen(other);
        if (length + other_length + 1 <= text_size) {
            memmove(text + at + other_length, text + at, length - at + 1);
            memcpy(text + at, other, other_length);
        }
        break;
    }
    case 4: /* any byte */
        if (at < length) {
            text[at] = (char)(1 + unit_rng_below(rng, 255));
        }
        break;
    default: { /* a byte that means something */
        static const char letters[] = "0123456789. %kKmMgGtTiIbB-+eEx_\t";
        if (at < length) {
            text[at] = letters[unit_rng_below(rng, sizeof(letters) - 1)];
        }
        break;
    }
    }
}

void unit_mutate(struct unit_rng *rng, char *text, size_t text_size, const char *const *others,
                 size_t other_count)
{
    for (uint64_t n = unit_rng_below(rng, 3) + 1; n > 0; n--) {
        mutate_once(rng, text, text_size, others, other_count);
    }
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '=') {
            *c = '0';
        }
    }
}
