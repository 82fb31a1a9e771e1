/* SPDX-License-Identifier: MIT
 *
 * The card: environment, heaps, log and counters. See card.h. */
#include "card.h"

#include "control.h"
#include "inject.h"
#include "residency.h"
#include "costing.h"
#include "oracle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_VRAM ((uint64_t)256 << 20)
#define DEFAULT_HOST ((uint64_t)2 << 30)
#define DEFAULT_BAR  ((uint64_t)214 << 20)
/* The least that the specification allows, and what Windows' drivers say. */
#define DEFAULT_MAX_ALLOCATIONS 4096
/* Address space for sparse resources: like NVIDIA's. Far more than can be backed. */
#define DEFAULT_SPARSE_SPACE ((uint64_t)1 << 40)

static pthread_once_t card_once = PTHREAD_ONCE_INIT;
static struct sim_card the_card;
static const char *stats_path;
static pid_t card_pid; /* a forked child that exits must not overwrite its parent's counters */
static int log_fd = STDERR_FILENO;

int sim_log_fd(void)
{
    return log_fd;
}

static void write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text += n;
        length -= (size_t)n;
    }
}

__attribute__((format(printf, 1, 0))) static void log_line(const char *format, va_list arguments)
{
    char line[512] = "simgpu: ";
    size_t prefix = strlen(line);
    int n = vsnprintf(line + prefix, sizeof(line) - prefix - 1, format, arguments);
    size_t length = prefix + (n < 0 ? 0 : (size_t)n);
    if (length > sizeof(line) - 2)
        length = sizeof(line) - 2;
    line[length++] = '\n';
    write_all(log_fd, line, length); /* one write: lines of several threads do not mix */
}

void sim_log(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(format, arguments);
    va_end(arguments);
}

bool sim_parse_size(const char *text, uint64_t *size)
{
    static const struct {
        const char *suffix;
        unsigned shift;
    } units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].suffix) == 0 && value <= UINT64_MAX >> units[i].shift) {
            *size = (uint64_t)value << units[i].shift;
            return true;
        }
    }
    return false;
}

static uint64_t env_size(const char *name, uint64_t fallback)
{
    uint64_t size;
    const char *text = secure_getenv(name);
    if (text == NULL || text[0] == '\0')
        return fallback;
    if (sim_parse_size(text, &size) && size > 0)
        return size;
    sim_log("%s='%s' is not a size, using %" PRIu64, name, text, fallback);
    return fallback;
}

static bool env_flag(const char *name, bool fallback)
{
    const char *text = secure_getenv(name);
    return text == NULL || text[0] == '\0' ? fallback : strcmp(text, "0") != 0;
}

bool sim_parse_budget(const char *text, struct sim_budget *budget)
{
    static const struct {
        const char *name;
        enum sim_budget_kind kind;
    } words[] = {{"heap", SIM_BUDGET_HEAP},
                 {"wrap", SIM_BUDGET_WRAP},
                 {"zero", SIM_BUDGET_ZERO},
                 {"huge", SIM_BUDGET_HUGE}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i].name) == 0) {
            *budget = (struct sim_budget){.kind = words[i].kind};
            return true;
        }
    }
    struct sim_budget read = {.kind = SIM_BUDGET_SIZE};
    if (!sim_parse_size(text, &read.size))
        return false;
    *budget = read;
    return true;
}

static void read_budget(struct sim_card *card)
{
    const char *text = secure_getenv("SIMGPU_BUDGET");
    if (text != NULL && text[0] != '\0' && !sim_parse_budget(text, &card->budget))
        sim_log("SIMGPU_BUDGET='%s' is neither a size nor wrap, zero, huge: ignored", text);
}

char *sim_env_path(const char *name)
{
    const char *text = secure_getenv(name);
    if (text == NULL || text[0] == '\0')
        return NULL;
    size_t room = strlen(text) + 24;
    char *path = malloc(room);
    if (path == NULL)
        return NULL;
    const char *mark = strstr(text, "%p");
    if (mark == NULL)
        snprintf(path, room, "%s", text);
    else
        snprintf(path, room, "%.*s%ld%s", (int)(mark - text), text, (long)getpid(), mark + 2);
    return path;
}

void sim_bad_setting(const char *name, const char *text, const char *wanted)
{
    sim_log("%s='%s' is not %s", name, text, wanted);
    abort();
}

static void open_log(void)
{
    char *path = sim_env_path("SIMGPU_LOG");
    if (path == NULL)
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd >= 0)
        log_fd = fd;
    else
        sim_log("cannot open SIMGPU_LOG='%s': %s", path, strerror(errno));
    free(path);
}

static void choose_profile(struct sim_card *card)
{
    const char *name = secure_getenv("SIMGPU_PROFILE");
    card->profile = sim_profile_find(name != NULL && name[0] != '\0' ? name : "nvidia");
    if (card->profile == NULL) {
        sim_log("unknown SIMGPU_PROFILE='%s'", name);
        abort();
    }
}

/* A whole number, or NULL where it ends. */
static const char *read_number(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] < '0' || text[0] > '9' || errno != 0 ? NULL : end;
}

static void read_limits(struct sim_card *card)
{
    const char *api = secure_getenv("SIMGPU_API");
    uint64_t allocations = env_size("SIMGPU_MAX_ALLOCATIONS", DEFAULT_MAX_ALLOCATIONS);
    card->limits.api_version = UINT32_MAX;
    if (api != NULL && api[0] != '\0') {
        if (strlen(api) != 3 || api[0] != '1' || api[1] != '.' || api[2] < '0' || api[2] > '9')
            sim_bad_setting("SIMGPU_API", api, "1.0, 1.1, 1.2, 1.3 …");
        /* with the highest patch: whatever the driver's is */
        card->limits.api_version = VK_MAKE_API_VERSION(0, 1, (uint32_t)(api[2] - '0'), 0xfff);
    }
    card->limits.max_allocations = allocations < UINT32_MAX ? (uint32_t)allocations : UINT32_MAX;
    card->limits.sparse_space = env_size("SIMGPU_SPARSE_SPACE", DEFAULT_SPARSE_SPACE);
}

/* SIMGPU_DELAY_US=N, or submit=N,bind=N; SIMGPU_LOST=N or N:late */
static void read_mishaps(struct sim_card *card)
{
    static const char delays[] = "a number, or submit=N, bind=N or both with a comma";
    struct sim_mishaps *m = &card->mishaps;
    const char *delay = secure_getenv("SIMGPU_DELAY_US"), *lost = secure_getenv("SIMGPU_LOST");
    m->submit_room = env_size("SIMGPU_SUBMIT_ROOM", UINT64_MAX);
    for (const char *at = delay; at != NULL && at[0] != '\0';) {
        bool submit = strncmp(at, "bind=", 5) != 0, bind = strncmp(at, "submit=", 7) != 0;
        uint64_t value;
        at += submit && bind ? 0 : submit ? 7 : 5;
        if ((at = read_number(at, &value)) == NULL || (at[0] != '\0' && at[0] != ','))
            sim_bad_setting("SIMGPU_DELAY_US", delay, delays);
        if (submit)
            m->submit_delay_us = value;
        if (bind)
            m->bind_delay_us = value;
        at += at[0] == ',';
    }
    if (lost == NULL || lost[0] == '\0')
        return;
    const char *end = read_number(lost, &m->lost_at);
    if (end == NULL || (end[0] != '\0' && strcmp(end, ":late") != 0))
        sim_bad_setting("SIMGPU_LOST", lost, "the number of a submit, with or without ':late'");
    m->lost_late = end[0] == ':';
}

static void init_heaps(struct sim_card *card)
{
    const uint64_t sizes[SIM_SIZE_COUNT] = {
        [SIM_SIZE_VRAM] = env_size("SIMGPU_VRAM", DEFAULT_VRAM),
        [SIM_SIZE_HOST] = env_size("SIMGPU_HOST", DEFAULT_HOST),
        [SIM_SIZE_BAR] = env_size("SIMGPU_BAR", DEFAULT_BAR),
    };
    for (uint32_t i = 0; i < card->profile->heap_count; i++) {
        if (!sim_heap_init(&card->heaps[i], "simgpu heap", sizes[card->profile->heaps[i].size],
                           card->poison)) {
            sim_log("cannot create heap %u: %s", i, strerror(errno));
            abort();
        }
    }
}

static void init_card(void)
{
    struct sim_card *card = &the_card;
    const char *strict = secure_getenv("SIMGPU_STRICT");
    card_pid = getpid();
    open_log();
    choose_profile(card);
    card->driver = secure_getenv("SIMGPU_DRIVER");
    card->strict = strict != NULL && strcmp(strict, "abort") == 0;
    card->relaxed_bind = env_flag("SIMGPU_RELAXED_BIND", true);
    card->accept_export = env_flag("SIMGPU_EXPORT", false);
    card->poison = env_flag("SIMGPU_POISON", true);
    card->pageable = env_flag("SIMGPU_PAGEABLE", card->profile->pageable);
    read_budget(card);
    read_limits(card);
    read_mishaps(card);
    init_heaps(card);
    stats_path = sim_env_path("SIMGPU_STATS");
}

struct sim_card *sim_card_get(void)
{
    pthread_once(&card_once, init_card);
    return &the_card;
}

uint64_t sim_card_heap_budget(struct sim_card *card, uint32_t heap)
{
    struct sim_budget budget = sim_control_budget(card);
    uint64_t size = sim_heap_room(&card->heaps[heap]);
    if (card->profile->heaps[heap].size != SIM_SIZE_VRAM)
        return size;
    switch (budget.kind) {
    case SIM_BUDGET_SIZE:
        return budget.size;
    case SIM_BUDGET_WRAP:
        /* A driver that computed size - reserved and went below zero. */
        return UINT64_MAX - 65535;
    case SIM_BUDGET_ZERO:
        return 0;
    case SIM_BUDGET_HUGE:
        return size > UINT64_MAX / 1024 ? UINT64_MAX : size * 1024;
    case SIM_BUDGET_HEAP:
        break;
    }
    return size;
}

uint32_t sim_card_all_types(const struct sim_card *card)
{
    return (1u << card->profile->type_count) - 1;
}

uint32_t sim_card_host_types(const struct sim_card *card)
{
    const struct sim_profile *p = card->profile;
    bool unified = p->device_type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < p->type_count; i++) {
        bool on_card = p->heaps[p->types[i].heapIndex].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        if ((p->types[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) &&
            (unified || !on_card))
            bits |= 1u << i;
    }
    return bits;
}

void sim_card_note_bad_bind(struct sim_card *card, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    atomic_fetch_add_explicit(&card->bad_binds, 1, memory_order_relaxed);
    sim_log("BAD BIND: %s", what);
    if (card->strict) {
        sim_stats_write();
        abort();
    }
}

void sim_json_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', f);
        if (*c < 0x20)
            fprintf(f, "\\u%04x", *c);
        else
            fputc(*c, f);
    }
    fputc('"', f);
}

static uint64_t counter(_Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void write_counters(FILE *f, struct sim_card *card)
{
    const struct {
        const char *name;
        _Atomic uint64_t *value;
    } counters[] = {
        {"bind_calls", &card->bind_calls},
        {"bind_ranges", &card->bind_ranges},
        {"bad_binds", &card->bad_binds},
        {"gpu_faults", &card->gpu_faults},
        {"submits", &card->submits},
        {"too_many_objects", &card->too_many_objects},
        {"sparse_refusals", &card->sparse_refusals},
        {"faults_injected", &card->faults_injected},
        {"devices_lost", &card->devices_lost},
    };
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        fprintf(f, ",\"%s\":%" PRIu64, counters[i].name, counter(counters[i].value));
}

void sim_stats_write(void)
{
    if (getpid() != card_pid)
        return;
    if (stats_path == NULL) {
        sim_cost_write(NULL);
        return;
    }
    FILE *f = fopen(stats_path, "we");
    if (f == NULL) {
        sim_log("cannot write SIMGPU_STATS='%s': %s", stats_path, strerror(errno));
        return;
    }
    struct sim_card *card = &the_card;
    fprintf(f, "{\"simgpu\":{\"profile\":\"%s\",\"driver\":\"%s\",\"heaps\":[", card->profile->name,
            sim_driver_name());
    for (uint32_t i = 0; i < card->profile->heap_count; i++) {
        struct sim_heap_numbers n = sim_heap_numbers(&card->heaps[i]);
        struct sim_residency_numbers r = sim_residency_numbers(i);
        fprintf(f,
                "%s{\"size\":%" PRIu64 ",\"allocations\":%" PRIu64 ",\"refusals\":%" PRIu64
                ",\"live_bytes\":%" PRIu64 ",\"peak_bytes\":%" PRIu64 ",\"evicted_bytes\":%" PRIu64
                ",\"evicted_peak_bytes\":%" PRIu64 ",\"evictions\":%" PRIu64 "}",
                i > 0 ? "," : "", card->heaps[i].limit, n.allocations, n.refusals, n.used, n.peak,
                r.evicted, r.evicted_peak, r.evictions);
    }
    fputs("]", f);
    write_counters(f, card);
    fprintf(f, ",\"stray_faults\":%" PRIu64, sim_oracle_stray_faults());
    sim_cost_write(f);
    fputs("}}\n", f);
    fclose(f);
}

__attribute__((destructor)) static void write_stats_at_exit(void)
{
    if (the_card.profile == NULL || getpid() != card_pid)
        return;
    sim_stats_write();
    sim_inject_finish();
}
