/* SPDX-License-Identifier: MIT
 *
 * under: runs ONE test program in one end-to-end set-up and judges the run. See `under --help` and
 * tests/README.md. Exit code 0: as it should be, 1: not, 77: this machine lacks a driver, loader or
 * validation layer that the set-up needs. */
#include "under.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "stats_json.h"

enum { EXIT_SKIPPED = 77, EXIT_WRONG_USAGE = 2, EXIT_NO_MEMORY = 3, EXIT_WRONG_CONTENT = 4 };

static struct under run = {
    .profile = "nvidia",
    .icd = "simgpu",
    .layer = UNDER_LAYER_CHECK,
    .max_refusals = -1,
};

static void say(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
static void say(const char *format, va_list args)
{
    fflush(stdout);
    fputs("under: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void under_skip(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    under_remove_folder(&run);
    exit(EXIT_SKIPPED);
}

void under_fatal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    if (run.drop)
        under_remove_folder(&run);
    exit(1);
}

static const char help[] =
    "under [OPTION]... -- PROGRAM [ARGUMENT]...\n"
    "  --profile P --vram S --host S --bar S   simgpu's card (default nvidia, its own sizes)\n"
    "  --icd simgpu|simgpu-swiftshader|lavapipe|swiftshader   the driver (default simgpu over "
    "lavapipe)\n"
    "  --loader debian|chromium                whose Vulkan loader\n"
    "  --validation none|debian|chromium       whose validation layer, below Spillway; any message "
    "fails\n"
    "  --sync                                  with its synchronization checks\n"
    "  --allow-message TEXT                    a validation message with this in it is no failure\n"
    "  --layer off|check|shipped               without Spillway, its check build (default), what "
    "is installed\n"
    "  --set key=value                         a setting of Spillway's\n"
    "  --env NAME=VALUE                        any variable\n"
    "  --expect oom|content|fail|N             the program has to end so (default: with 0)\n"
    "  --expect-fail                           the same as --expect fail: any failure of its own, "
    "no crash\n"
    "  --max-refusals N, --no-refusals         most allocations that simgpu may have refused\n"
    "  --check 'A < B'                         holds for simgpu's counters and Spillway's summary "
    "(checks.h)\n"
    "  --check-fails 'A < B'                   and this must not hold: for what a planted bug "
    "does\n"
    "  --log-to-stderr                         Spillway's log is the program's stderr (default: a "
    "file)\n"
    "  --no-summary                            Spillway must print none (it is not to be loaded)\n"
    "  --layer-lib FILE --simgpu-lib FILE      instead of those of the build tree\n"
    "  --keep, --drop                          keep the run's folder; remove it even after a "
    "failure\n";

static void add(struct under_list *list, const char *entry)
{
    if (list->count == UNDER_MAX_LIST)
        under_fatal("too many of one option");
    list->entries[list->count++] = entry;
}

/* Index of `text` among `count` words; another word is wrong usage. */
static unsigned choose(const char *option, const char *text, const char *const *words,
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    under_fatal("--%s does not know '%s'", option, text);
}

static void read_expectation(const char *text)
{
    run.expect = UNDER_EXPECT_CODE;
    if (strcmp(text, "fail") == 0)
        run.expect = UNDER_EXPECT_FAILURE;
    else if (strcmp(text, "oom") == 0)
        run.expect_code = EXIT_NO_MEMORY;
    else if (strcmp(text, "content") == 0)
        run.expect_code = EXIT_WRONG_CONTENT;
    else if (sscanf(text, "%d", &run.expect_code) != 1)
        under_fatal("--expect does not know '%s'", text);
}

static void read_option(int option, const char *value)
{
    static const char *const validations[] = {"none", "debian", "chromium"};
    static const char *const layers[] = {"off", "check", "shipped"};
    switch (option) {
    case 'p':
        run.profile = value;
        break;
    case 'v':
        run.vram = value;
        break;
    case 'h':
        run.host = value;
        break;
    case 'b':
        run.bar = value;
        break;
    case 'i':
        run.icd = value;
        break;
    case 'l':
        run.chromium_loader = choose("loader", value, validations + 1, 2) == 1;
        break;
    case 'V':
        run.validation = choose("validation", value, validations, 3);
        break;
    case 'S':
        run.sync = true;
        break;
    case 'a':
        add(&run.allowed_messages, value);
        break;
    case 'L':
        run.layer = choose("layer", value, layers, 3);
        break;
    case 's':
        add(&run.settings, value);
        break;
    case 'e':
        add(&run.environment, value);
        break;
    case 'x':
        read_expectation(value);
        break;
    case 'f':
        run.expect = UNDER_EXPECT_FAILURE;
        break;
    case 'r':
        run.max_refusals = atol(value);
        break;
    case 'n':
        run.max_refusals = 0;
        break;
    case 'c':
        add(&run.checks, value);
        break;
    case 'C':
        add(&run.false_checks, value);
        break;
    case 'E':
        run.log_to_stderr = true;
        break;
    case 'm':
        run.no_summary = true;
        break;
    case 'y':
        run.layer_lib = value;
        break;
    case 'u':
        run.simgpu_lib = value;
        break;
    case 'k':
        run.keep = true;
        break;
    case 'd':
        run.drop = true;
        break;
    case '?':
        fputs(help, stdout);
        exit(0);
    default:
        exit(EXIT_WRONG_USAGE);
    }
}

static void read_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"profile", 1, NULL, 'p'},       {"vram", 1, NULL, 'v'},
        {"host", 1, NULL, 'h'},          {"bar", 1, NULL, 'b'},
        {"icd", 1, NULL, 'i'},           {"loader", 1, NULL, 'l'},
        {"validation", 1, NULL, 'V'},    {"sync", 0, NULL, 'S'},
        {"allow-message", 1, NULL, 'a'}, {"layer", 1, NULL, 'L'},
        {"set", 1, NULL, 's'},           {"env", 1, NULL, 'e'},
        {"expect", 1, NULL, 'x'},        {"expect-fail", 0, NULL, 'f'},
        {"max-refusals", 1, NULL, 'r'},  {"no-refusals", 0, NULL, 'n'},
        {"check", 1, NULL, 'c'},         {"no-summary", 0, NULL, 'm'},
        {"check-fails", 1, NULL, 'C'},   {"log-to-stderr", 0, NULL, 'E'},
        {"layer-lib", 1, NULL, 'y'},     {"simgpu-lib", 1, NULL, 'u'},
        {"keep", 0, NULL, 'k'},          {"drop", 0, NULL, 'd'},
        {"help", 0, NULL, '?'},          {NULL, 0, NULL, 0},
    };
    int option;
    opterr = 1;
    while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1)
        read_option(option == '?' && optopt ? 'Z' : option, optarg);
    run.program = argv + optind;
    if (!*run.program)
        under_fatal("no program named (under --help)");
}

/* Runs a program to its end; its wait status. Its stderr goes to a file if there is one named. */
static int run_program(char **program, const char *stderr_path)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        under_fatal("cannot fork: %s", strerror(errno));
    if (child == 0) {
        if (stderr_path && !freopen(stderr_path, "w", stderr))
            _exit(127);
        execvp(program[0], program);
        fprintf(stderr, "under: cannot run '%s': %s\n", program[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            under_fatal("cannot wait: %s", strerror(errno));
    return status;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

/* A deliberate error in the very same set-up has to be reported, or silence means nothing. */
static void prove_validation_awake(void)
{
    char gate[UNDER_PATH];
    ssize_t length = readlink("/proc/self/exe", gate, sizeof(gate) - sizeof("gate"));
    if (length <= 0)
        under_fatal("cannot read /proc/self/exe");
    gate[length] = '\0';
    snprintf(strrchr(gate, '/') + 1, sizeof("gate"), "gate");
    char kind[] = "sync";
    char *program[] = {gate, run.sync ? kind : NULL, NULL};
    under_setup_outputs(&run, "gate");
    int status = run_program(program, NULL);
    char *log = read_all(under_path(&run, "gate/validation.log"));
    bool core = log && strstr(log, "VUID-VkBufferCreateInfo-size-00912");
    bool sync = !run.sync || (log && strstr(log, "SYNC-HAZARD-READ-AFTER-WRITE") != NULL) ||
                (log && strstr(log, "SYNC-HAZARD-READ_AFTER_WRITE"));
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED)
        under_skip("the validation gate says that it cannot run here");
    if (status != 0)
        under_fatal("the validation gate failed (wait status %#x); its log: %s", (unsigned)status,
                    log ? log : "");
    if (!core || !sync)
        under_fatal(
            "validation is not awake: a deliberate %s error was not reported; its log: '%s'",
            core ? "synchronization" : "core", log ? log : "");
    free(log);
}

static bool judge_status(int status)
{
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "under: the program was killed by signal %d (%s)\n", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
        return false;
    }
    int code = WEXITSTATUS(status);
    if (code == 127)
        return false;
    switch (run.expect) {
    case UNDER_EXPECT_SUCCESS:
        if (code == 0)
            return true;
        fprintf(stderr, "under: the program ended with %d\n", code);
        return false;
    case UNDER_EXPECT_FAILURE:
        if (code != 0 && code != EXIT_WRONG_USAGE)
            return true;
        fprintf(stderr, "under: the program ended with %d, and a failure of its own was expected\n",
                code);
        return false;
    default:
        if (code == run.expect_code)
            return true;
        fprintf(stderr, "under: the program ended with %d, and %d was expected\n", code,
                run.expect_code);
        return false;
    }
}

/* The log holds messages of one or more lines; the first line of each has its identifier in it. */
static bool judge_validation(void)
{
    bool fine = true, allowed = true;
    if (run.validation == UNDER_VALIDATION_NONE)
        return true;
    char *log = read_all(under_path(&run, "run/validation.log"));
    char *rest = log;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (!*line)
            continue;
        if (strstr(line, "Validation ") || strstr(line, "VUID-") || strstr(line, "msgNum")) {
            allowed = false;
            for (size_t i = 0; i < run.allowed_messages.count; i++)
                allowed = allowed || strstr(line, run.allowed_messages.entries[i]);
        }
        if (allowed)
            continue;
        if (fine)
            fprintf(stderr, "under: validation below Spillway says:\n");
        fine = false;
        fprintf(stderr, "  %s\n", line);
    }
    free(log);
    return fine;
}

static bool judge_simgpu(const struct stats *simgpu, const char *why)
{
    double bad_binds = 0, faults = 0, refusals = 0;
    if (strncmp(run.icd, "simgpu", 6) != 0)
        return true;
    if (!simgpu) {
        fprintf(stderr, "under: no counters from simgpu: %s\n", why);
        return false;
    }
    if (!stats_number(simgpu, "simgpu.bad_binds", &bad_binds) ||
        !stats_number(simgpu, "simgpu.gpu_faults", &faults) ||
        !stats_number(simgpu, "simgpu.heaps.*.refusals", &refusals)) {
        fprintf(stderr, "under: simgpu's counters lack bad_binds, gpu_faults or refusals\n");
        return false;
    }
    if (bad_binds > 0 || faults > 0)
        fprintf(stderr, "under: simgpu counted %.0f bad binds and %.0f GPU faults\n", bad_binds,
                faults);
    bool too_many = run.max_refusals >= 0 && refusals > (double)run.max_refusals;
    if (too_many)
        fprintf(stderr, "under: simgpu refused %.0f allocations, %ld at most were expected\n",
                refusals, run.max_refusals);
    return !(bad_binds > 0) && !(faults > 0) && !too_many;
}

static bool judge_summary(const struct stats *spillway, const char *why)
{
    if (run.layer == UNDER_LAYER_OFF || run.no_summary) {
        if (!spillway)
            return true;
        fprintf(stderr, "under: Spillway printed a summary, and must not have been at work\n");
        return false;
    }
    if (!spillway)
        fprintf(stderr, "under: no summary from Spillway, so it may not have been loaded: %s\n",
                why);
    return spillway != NULL;
}

static bool judge(int status)
{
    const char *why_simgpu = "", *why_spillway = "";
    struct stats *simgpu = stats_load_simgpu(under_path(&run, "run/simgpu.json"), &why_simgpu);
    struct stats *spillway =
        stats_load_spillway(under_path(&run, "run/spillway.log"), &why_spillway);
    bool fine = judge_status(status);
    fine = judge_validation() && fine;
    fine = judge_simgpu(simgpu, why_simgpu) && fine;
    fine = judge_summary(spillway, why_spillway) && fine;
    for (size_t i = 0; i < run.checks.count; i++)
        fine = check_holds(run.checks.entries[i], simgpu, spillway) && fine;
    for (size_t i = 0; i < run.false_checks.count; i++)
        if (check_holds(run.false_checks.entries[i], simgpu, spillway)) {
            fprintf(stderr, "under: the check '%s' holds, and must not\n",
                    run.false_checks.entries[i]);
            fine = false;
        }
    stats_destroy(simgpu);
    stats_destroy(spillway);
    return fine;
}

static void print_file(const char *name)
{
    char *text = read_all(under_path(&run, "run/%s", name));
    if (text)
        fprintf(stderr, "under: %s:\n%s\n", name, text);
    free(text);
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    under_setup(&run);
    if (run.validation != UNDER_VALIDATION_NONE)
        prove_validation_awake();
    under_setup_outputs(&run, "run");
    int status =
        run_program(run.program, run.log_to_stderr ? under_path(&run, "run/spillway.log") : NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED)
        under_skip("the program says that it cannot run here");
    bool fine = judge(status);
    if (!fine) {
        print_file("simgpu.log");
        print_file("simgpu.json");
        print_file("spillway.log");
        under_print_reproduction(&run);
        if (run.drop)
            under_remove_folder(&run);
        return 1;
    }
    if (run.keep)
        fprintf(stderr, "under: the run's folder is %s\n", run.folder);
    else
        under_remove_folder(&run);
    return 0;
}
