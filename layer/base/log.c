/* SPDX-License-Identifier: MIT
 *
 * One sink for the process. The lock is held over the write, so that the file cannot be closed
 * under a writer; it is a leaf. The layer is a guest in its process: whoever closes descriptors
 * wholesale may give ours to another file, so the sink is recognised by its inode before each
 * write. */
#include "log.h"

#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Longest line, with its newline: within what a pipe takes in one piece (PIPE_BUF is 4096). */
#define MAX_LINE 1024

/* Messages of one call site that are all printed. */
#define PRINTED_REPEATS 10

/* atomic: read by anyone to decide whether to format at all; nothing is published through it */
static _Atomic int max_level = SPW_LOG_WARN;

static struct spw_mutex log_lock = SPW_MUTEX_INIT(SPW_RANK_LOG);

/* protected by log_lock */
static int file_fd = -1; /* -1: stderr */
static dev_t file_device;
static ino_t file_inode;

/* O_NONBLOCK: a FIFO without a reader is an error, and a full one loses lines, rather than the
 * program hanging. O_NOCTTY: a terminal does not become the program's. */
static int open_sink(const char *path, struct stat *status)
{
    int fd = open(
        path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    if (fd < 0) {
        return -1;
    }
    if (fd <= STDERR_FILENO) {
        /* The program runs without a standard stream: its place is not ours to take. */
        int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        int saved = errno;
        close(fd);
        errno = saved;
        fd = higher;
    }
    if (fd >= 0 && fstat(fd, status) != 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        fd = -1;
    }
    return fd;
}

static bool file_is_still_ours(void)
{
    struct stat status;
    return fstat(file_fd, &status) == 0 && status.st_dev == file_device &&
           status.st_ino == file_inode;
}

enum spw_result spw_log_configure(enum spw_log_level level, const char *path)
{
    atomic_store_explicit(&max_level, (int)level, memory_order_relaxed);

    struct stat status = {0};
    int fd = -1;
    if (path != NULL) {
        fd = open_sink(path, &status);
        if (fd < 0) {
            return SPW_IO;
        }
    }

    int saved = errno;
    spw_mutex_lock(&log_lock);
    int old = file_fd >= 0 && file_is_still_ours() ? file_fd : -1;
    file_fd = fd;
    file_device = status.st_dev;
    file_inode = status.st_ino;
    spw_mutex_unlock(&log_lock);
    if (old >= 0) {
        close(old);
    }
    errno = saved;
    return SPW_OK;
}

bool spw_log_enabled(enum spw_log_level level)
{
    return (int)level <= atomic_load_explicit(&max_level, memory_order_relaxed);
}

/* The signals that a failing write may send; their default is to end the program. */
static void fill_write_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGPIPE);
    sigaddset(set, SIGXFSZ);
}

/* Takes back those that the write has sent: not those that were pending before. */
static void discard_new_signals(const sigset_t *pending_before)
{
    sigset_t fresh;
    sigemptyset(&fresh);
    static const int numbers[] = {SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(numbers); i++) {
        if (!sigismember(pending_before, numbers[i])) {
            sigaddset(&fresh, numbers[i]);
        }
    }
    const struct timespec now = {0};
    while (sigtimedwait(&fresh, NULL, &now) > 0 || errno == EINTR) {
    }
}

/* All of it in one call as far as the kernel takes it; the rest, if any, follows. */
static void write_all(int fd, struct iovec *part, int count)
{
    while (count > 0) {
        ssize_t written = writev(fd, part, count);
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return;
        }
        size_t done = (size_t)written;
        while (count > 0 && done >= part->iov_len) {
            done -= part->iov_len;
            part++;
            count--;
        }
        if (count > 0) {
            part->iov_base = (char *)part->iov_base + done;
            part->iov_len -= done;
        }
    }
}

static void write_to_sink(struct iovec *parts, int count)
{
    sigset_t guarded, mask_before, pending_before;
    fill_write_signals(&guarded);
    if (pthread_sigmask(SIG_BLOCK, &guarded, &mask_before) != 0) {
        return;
    }
    sigpending(&pending_before);

    spw_mutex_lock(&log_lock);
    if (file_fd < 0) {
        write_all(STDERR_FILENO, parts, count);
    } else if (file_is_still_ours()) {
        write_all(file_fd, parts, count);
    }
    spw_mutex_unlock(&log_lock);

    discard_new_signals(&pending_before);
    pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
}

static const char *level_name(enum spw_log_level level)
{
    switch (level) {
    case SPW_LOG_ERROR:
        return "error";
    case SPW_LOG_WARN:
        return "warn";
    case SPW_LOG_INFO:
        return "info";
    case SPW_LOG_DEBUG:
        return "debug";
    }
    return "?";
}

/* Counts a message of this site. 0: not to be printed; 1: printed; else the count to be printed
 * with it. */
static uint32_t count_repeat(struct spw_log_site *site)
{
    if (site == NULL) {
        return 1;
    }
    uint32_t count = atomic_fetch_add_explicit(&site->count, 1, memory_order_relaxed) + 1;
    if (count <= PRINTED_REPEATS) {
        return 1;
    }
    return (count & (count - 1)) == 0 ? count : 0;
}

/* Names that a program chose must not forge lines or drive the terminal. */
static void replace_control_characters(char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == 0x7f) {
            *text = '?';
        }
    }
}

/* text holds `length` bytes, of which the last may be the first half of a UTF-8 character. */
static size_t cut_at_character(const char *text, size_t length)
{
    size_t cut = length;
    while (cut > 0 && length - cut < 4 && ((unsigned char)text[cut] & 0xc0) == 0x80) {
        cut--;
    }
    return cut;
}

/* line has room for MAX_LINE bytes. Returns the length, newline included. */
static SPW_PRINTF(4, 0) size_t format_line(char *line, enum spw_log_level level, uint32_t count,
                                           const char *format, va_list args)
{
    char suffix[48] = "";
    if (count > 1) {
        snprintf(suffix, sizeof(suffix), " (%lu times so far)", (unsigned long)count);
    }
    size_t prefix_length = (size_t)snprintf(line, MAX_LINE, "spillway: %s: ", level_name(level));
    char *body = line + prefix_length;
    size_t room = MAX_LINE - prefix_length - strlen(suffix) - 1; /* 1: the newline */

    int wanted = vsnprintf(body, room + 1, format, args);
    if (wanted < 0) {
        return 0;
    }
    size_t length = (size_t)wanted;
    if (length > room) {
        static const char dots[] = "...";
        length = cut_at_character(body, room - strlen(dots));
        memcpy(body + length, dots, sizeof(dots));
        length += strlen(dots);
    }
    replace_control_characters(body);
    memcpy(body + length, suffix, strlen(suffix));
    length += strlen(suffix);
    body[length] = '\n';
    return prefix_length + length + 1;
}

void spw_log_at(struct spw_log_site *site, enum spw_log_level level, const char *format, ...)
{
    if (!spw_log_enabled(level)) {
        return;
    }
    uint32_t count = count_repeat(site);
    if (count == 0) {
        return;
    }
    int saved = errno;
    char line[MAX_LINE];
    va_list args;
    va_start(args, format);
    size_t length = format_line(line, level, count, format, args);
    va_end(args);
    if (length > 0) {
        struct iovec part = {.iov_base = line, .iov_len = length};
        write_to_sink(&part, 1);
    }
    errno = saved;
}

void spw_log_raw(const char *text)
{
    int saved = errno;
    char newline = '\n';
    struct iovec parts[] = {
        {.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text)},
        {.iov_base = &newline, .iov_len = 1},
    };
    write_to_sink(parts, SPW_ARRAY_SIZE(parts));
    errno = saved;
}
