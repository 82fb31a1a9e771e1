/* SPDX-License-Identifier: MIT
 *
 * The state of a process that a guest has no business with: see probe.h. */
#include "probe.h"

#include <dirent.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Signal dispositions, then one line for each of the rest. */
#define LINE_COUNT (NSIG + 64)

struct state {
    char lines[LINE_COUNT][512];
    unsigned count;
};

static struct state before;

extern char **environ;

__attribute__((format(printf, 2, 3))) static void add(struct state *s, const char *format, ...)
{
    va_list args;
    CHECK(s->count < LINE_COUNT);
    va_start(args, format);
    vsnprintf(s->lines[s->count++], sizeof s->lines[0], format, args);
    va_end(args);
}

static void take_signals(struct state *s)
{
    sigset_t mask;
    stack_t alternate;

    for (int i = 1; i < NSIG; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action) != 0)
            continue;
        const char *kind = action.sa_handler == SIG_DFL   ? "default"
                           : action.sa_handler == SIG_IGN ? "ignored"
                                                          : "a handler";
        add(s, "signal %d: %s, flags %#x", i, kind, (unsigned)action.sa_flags);
    }
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int i = 1; i < NSIG; i++)
        if (sigismember(&mask, i) == 1)
            add(s, "signal %d is blocked", i);
    sigaltstack(NULL, &alternate);
    add(s, "alternate signal stack: %s", (alternate.ss_flags & SS_DISABLE) ? "none" : "set");
}

static unsigned count_entries(const char *folder)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    CHECK(dir != NULL);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

static void take(struct state *s)
{
    char cwd[PATH_MAX];
    unsigned long hash = 5381;
    static const int limits[] = {RLIMIT_NOFILE, RLIMIT_CORE, RLIMIT_STACK, RLIMIT_MEMLOCK,
                                 RLIMIT_AS};

    s->count = 0;
    take_signals(s);
    add(s, "locale: %s", setlocale(LC_ALL, NULL));
    add(s, "cwd: %.400s", getcwd(cwd, sizeof cwd));
    mode_t mask = umask(0);
    umask(mask);
    add(s, "umask: %o", (unsigned)mask);
    add(s, "rounding: %d", fegetround());
    add(s, "float exceptions: %#x", (unsigned)fegetexcept());
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit limit;
        getrlimit(limits[i], &limit);
        add(s, "limit %d: %llu", limits[i], (unsigned long long)limit.rlim_cur);
    }
    add(s, "dumpable: %d", prctl(PR_GET_DUMPABLE));
    add(s, "timer slack: %d", prctl(PR_GET_TIMERSLACK));
    for (char **e = environ; *e != NULL; e++)
        for (const char *c = *e; *c != '\0'; c++)
            hash = hash * 33 + (unsigned char)*c;
    add(s, "environment: %lx", hash);
    add(s, "open files: %u", count_entries("/proc/self/fd"));
    add(s, "threads: %u", count_entries("/proc/self/task"));
    add(s, "stdin, stdout, stderr: %d %d %d", isatty(0), isatty(1), isatty(2));
}

void probe_state_before(void)
{
    take(&before);
}

bool probe_state_after(const char *path)
{
    static struct state after;
    bool same = true;

    take(&after);
    FILE *out = fopen(path, "we");
    CHECK(out != NULL);
    for (unsigned i = 0; i < after.count; i++) {
        /* The two runs that are compared have different environments by nature. */
        if (strncmp(after.lines[i], "environment", 11) != 0)
            fprintf(out, "%s\n", after.lines[i]);
        if (i >= before.count || strcmp(before.lines[i], after.lines[i]) != 0) {
            fprintf(stderr, "changed: '%s', was '%s'\n", after.lines[i],
                    i < before.count ? before.lines[i] : "");
            same = false;
        }
    }
    CHECK(fclose(out) == 0);
    return same && after.count == before.count;
}
