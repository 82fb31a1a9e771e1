/* SPDX-License-Identifier: MIT
 *
 * The child process around a probe: its environment, what it says, its end by crash or hanging. */
#include "doctor.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A driver that wakes up a card takes a second or two, a first start that compiles more. */
#define PROBE_TIMEOUT_S 60

/* Lines of the loader, drivers and layers that are kept for a report: the last ones. */
#define MAX_SAID 40

/* ---- in the child ---- */

static void set_environment(enum probe_kind kind, const char *layer_folder)
{
    /* Not the user's log, and no summary of this visit. */
    unsetenv("SPILLWAY_LOG_FILE");
    unsetenv("SPILLWAY_STATS");
    unsetenv("SPILLWAY_TRACE");
    if (kind == PROBE_WITHOUT) {
        unsetenv("SPILLWAY");
        setenv("SPILLWAY_DISABLE", "1", 1);
        return;
    }
    setenv("SPILLWAY", "1", 1);
    const char *debug = getenv("VK_LOADER_DEBUG");
    if (debug == NULL || debug[0] == '\0')
        setenv("VK_LOADER_DEBUG", "error,warn", 1);
    if (layer_folder != NULL) {
        const char *standing = getenv("XDG_DATA_DIRS");
        if (standing == NULL || standing[0] == '\0')
            standing = "/usr/local/share:/usr/share";
        char *list = cli_format("%s:%s", standing, layer_folder);
        setenv("XDG_DATA_DIRS", list, 1);
        free(list);
    }
}

/* Whatever is loaded may write to stdout and stderr; neither is its to write to here. */
_Noreturn static void be_child(const char *loader, enum probe_kind kind, const char *layer_folder,
                               int line_fd, int said_fd)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(said_fd, STDOUT_FILENO);
    dup2(said_fd, STDERR_FILENO);
    set_environment(kind, layer_folder);
    doctor_probe(loader, line_fd);
    _exit(0);
}

/* ---- in the parent ---- */

static void take_line(json_object *out, const char *text)
{
    json_object *line = json_tokener_parse(text);
    json_object *gpu = report_get(line, "gpu");
    if (gpu != NULL) {
        json_object_array_add(report_get(out, "gpus"), json_object_get(gpu));
    } else if (json_object_is_type(line, json_type_object)) {
        json_object_object_foreach(line, key, value)
            json_object_object_add(out, key, json_object_get(value));
    }
    json_object_put(line);
}

static int milliseconds_left(const struct timespec *end)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left =
        (int64_t)(end->tv_sec - now.tv_sec) * 1000 + (end->tv_nsec - now.tv_nsec) / 1000000;
    return left > 0 ? (int)left : 0;
}

/* Takes lines until the child closes its end; false: it did not in time. */
static bool listen_to(int fd, json_object *out)
{
    struct timespec end;
    char *text = NULL;
    size_t used = 0, size = 0;
    bool in_time = false;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += PROBE_TIMEOUT_S;
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, milliseconds_left(&end));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            break;
        if (size - used < 4096) {
            size = size * 2 + 8192;
            text = realloc(text, size);
            if (text == NULL)
                cli_out_of_memory();
        }
        ssize_t got = read(fd, text + used, size - used - 1);
        in_time = got == 0;
        if (got <= 0)
            break;
        used += (size_t)got;
        text[used] = '\0';
        for (char *newline; (newline = memchr(text, '\n', used)) != NULL;) {
            *newline = '\0';
            take_line(out, text);
            used -= (size_t)(newline + 1 - text);
            memmove(text, newline + 1, used + 1);
        }
    }
    free(text);
    return in_time;
}

/* The last lines of what was written to stdout and stderr. */
static json_object *read_said(int fd)
{
    json_object *lines = json_object_new_array();
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *line = NULL;
    size_t size = 0;
    if (file == NULL)
        return lines;
    rewind(file);
    for (ssize_t length; (length = getline(&line, &size, file)) > 0;) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = '\0';
        if (length == 0)
            continue;
        if (report_count(lines) == MAX_SAID)
            json_object_array_del_idx(lines, 0, 1);
        json_object_array_add(lines, json_object_new_string(line));
    }
    free(line);
    fclose(file);
    return lines;
}

static void put_end(json_object *out, bool in_time, int status)
{
    const char *word = "ok";
    if (!in_time) {
        word = "hung";
    } else if (WIFSIGNALED(status)) {
        word = "crashed";
        json_object_object_add(out, "signal", json_object_new_string(strsignal(WTERMSIG(status))));
    } else if (report_get(out, "error") != NULL || !report_flag(out, "done")) {
        word = "failed";
    }
    json_object_object_add(out, "status", json_object_new_string(word));
    json_object_object_del(out, "done");
    if (strcmp(word, "ok") == 0)
        json_object_object_del(out, "at");
}

json_object *doctor_run_probe(const char *loader, enum probe_kind kind, const char *layer_folder)
{
    json_object *out = json_object_new_object();
    json_object_object_add(out, "gpus", json_object_new_array());
    int lines[2];
    int said = memfd_create("spillway-doctor", MFD_CLOEXEC);
    pid_t child = -1;
    if (pipe2(lines, O_CLOEXEC) == 0) {
        fflush(NULL);
        child = fork();
        if (child == 0)
            be_child(loader, kind, layer_folder, lines[1], said >= 0 ? said : STDERR_FILENO);
    }
    if (child < 0) {
        json_object_object_add(out, "status", json_object_new_string("failed"));
        json_object_object_add(out, "error", json_object_new_string(strerror(errno)));
        return out;
    }
    close(lines[1]);
    bool in_time = listen_to(lines[0], out);
    close(lines[0]);
    if (!in_time)
        kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    put_end(out, in_time, status);
    json_object_object_add(out, "said", read_said(said));
    return out;
}
