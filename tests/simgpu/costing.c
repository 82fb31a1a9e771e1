/* SPDX-License-Identifier: MIT
 *
 * From batches to the cost model's events: see costing.h. */
#include "costing.h"

#include "bound.h"
#include "cost.h"
#include "oracle.h"
#include "queue.h"
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Batches of one process that are priced; about 200 bytes each. */
#define MAX_EVENTS ((size_t)4 << 20)

#define NO_EVENT UINT64_MAX
/* Where what the host signals stands; queues' lanes begin at 1. */
#define HOST_LANE 0

/* One queued batch. Its points are one block: the waits, then the signals. */
struct entry {
    struct spw_cost_event event;
    struct spw_cost_point *points;
    uint32_t family, index;
    uint64_t number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* protected by lock */
static struct entry *entries;
static size_t entry_count, entry_capacity;
static uint64_t lost_events, imprecise_submits;

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* constant after once */
static bool wanted;
static const char *file_path;
static struct spw_cost_figures figures;

static uint64_t env_number(const char *name, uint64_t fallback)
{
    const char *text = secure_getenv(name);
    char *end;
    if (text == NULL || text[0] == '\0')
        return fallback;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0)
        return value;
    sim_log("%s='%s' is not a whole number, using %" PRIu64, name, text, fallback);
    return fallback;
}

static uint64_t env_bandwidth(const char *name, uint64_t fallback)
{
    uint64_t value = env_number(name, fallback);
    if (value > 0)
        return value;
    sim_log("%s must not be 0, using %" PRIu64, name, fallback);
    return fallback;
}

static void read_settings(void)
{
    const struct spw_cost_figures card = SPW_COST_DEFAULT_FIGURES;
    const char *stats = secure_getenv("SIMGPU_STATS");
    file_path = sim_env_path("SIMGPU_COST_FILE");
    wanted = file_path != NULL || (stats != NULL && stats[0] != '\0');
    figures.vram_mb_s = env_bandwidth("SIMGPU_BW_VRAM", card.vram_mb_s);
    figures.link_mb_s = env_bandwidth("SIMGPU_BW_LINK", card.link_mb_s);
    figures.submit_ns = env_number("SIMGPU_SUBMIT_NS", card.submit_ns);
    figures.bind_ns = env_number("SIMGPU_BIND_NS", card.bind_ns);
    figures.range_ns = env_number("SIMGPU_RANGE_NS", card.range_ns);
}

static bool is_wanted(void)
{
    pthread_once(&once, read_settings);
    return wanted;
}

static void copy_points(struct spw_cost_point *to, const struct sim_point *from, uint32_t count,
                        uint32_t *kept)
{
    for (uint32_t i = 0; i < count; i++) {
        if (from[i].semaphore != NULL)
            to[(*kept)++] = (struct spw_cost_point){from[i].semaphore->id, from[i].value};
    }
}

static struct entry make_entry(const struct sim_fifo *fifo, const struct sim_op *op)
{
    struct entry e = {.family = fifo->queue->family,
                      .index = fifo->queue->index,
                      .number = op->number,
                      .event = {.kind = SPW_COST_SYNC, .lane = fifo->lane}};
    if (op->is_bind) {
        e.event.kind = SPW_COST_BIND;
        e.event.ranges = op->bind_count;
    } else if (op->command_count > 0) {
        e.event.kind = SPW_COST_SUBMIT;
    }
    e.points = calloc((size_t)op->wait_count + op->signal_count + 1, sizeof(*e.points));
    if (e.points == NULL)
        return e;
    copy_points(e.points, op->waits, op->wait_count, &e.event.wait_count);
    e.event.waits = e.points;
    e.event.signals = e.points + e.event.wait_count;
    copy_points(e.points + e.event.wait_count, op->signals, op->signal_count,
                &e.event.signal_count);
    return e;
}

static bool has_room_locked(void)
{
    if (entry_count < entry_capacity)
        return true;
    size_t capacity = entry_capacity > 0 ? 2 * entry_capacity : 256;
    struct entry *bigger =
        capacity <= MAX_EVENTS ? realloc(entries, capacity * sizeof(*bigger)) : NULL;
    if (bigger == NULL)
        return false;
    entries = bigger;
    entry_capacity = capacity;
    return true;
}

/* Takes e over; NO_EVENT: there was no memory for it, or no room. */
static uint64_t add_entry(struct entry e)
{
    uint64_t at = NO_EVENT;
    pthread_mutex_lock(&lock);
    if (e.points != NULL && has_room_locked()) {
        at = entry_count;
        entries[entry_count++] = e;
    } else {
        lost_events++;
        free(e.points);
    }
    pthread_mutex_unlock(&lock);
    return at;
}

void sim_cost_add(const struct sim_fifo *fifo, struct sim_op *op)
{
    op->cost_event = is_wanted() ? add_entry(make_entry(fifo, op)) : NO_EVENT;
}

void sim_cost_add_host(const struct sim_point *point)
{
    if (!is_wanted())
        return;
    struct entry e = {.event = {.kind = SPW_COST_SYNC, .lane = HOST_LANE, .signal_count = 1},
                      .points = malloc(sizeof(*e.points))};
    if (e.points != NULL)
        *e.points = (struct spw_cost_point){point->semaphore->id, point->value};
    e.event.signals = e.points;
    add_entry(e);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A fill or an update, or one side of a copy that goes on within its heap. */
static void count_bytes(struct spw_cost_work *w, enum sim_place place, bool write, uint64_t bytes)
{
    if (place == SIM_PLACE_VRAM)
        *(write ? &w->vram_written_bytes : &w->vram_read_bytes) += bytes;
    else if (place == SIM_PLACE_HOST)
        *(write ? &w->host_written_bytes : &w->host_read_bytes) += bytes;
}

static void count_transfer(struct sim_device *device, const struct sim_transfer *t,
                           struct spw_cost_work *w)
{
    uint64_t size = t->size;
    if (size == VK_WHOLE_SIZE)
        size = sim_buffer_size(device, t->dst) - t->dst_offset;
    for (uint64_t done = 0, step; done < size; done += step) {
        enum sim_place from = SIM_PLACE_NOWHERE;
        enum sim_place to =
            sim_buffer_place(device, t->dst, t->dst_offset + done, size - done, &step);
        if (t->src != VK_NULL_HANDLE) {
            uint64_t source_step;
            from =
                sim_buffer_place(device, t->src, t->src_offset + done, size - done, &source_step);
            step = smaller(step, source_step);
            count_bytes(w, from, false, step);
        }
        count_bytes(w, to, true, step);
        if (from == SIM_PLACE_HOST && to == SIM_PLACE_VRAM)
            w->moved_in_bytes += step;
        if (from == SIM_PLACE_VRAM && to == SIM_PLACE_HOST)
            w->moved_out_bytes += step;
    }
}

void sim_cost_set_work(struct sim_device *device, const struct sim_op *op,
                       const struct sim_oracle_bytes *bytes)
{
    struct spw_cost_work w = {0};
    if (op->cost_event == NO_EVENT)
        return;
    for (uint32_t i = 0; i < op->command_count; i++) {
        const struct sim_commands *c = sim_commands_find(op->commands[i]);
        w.compute_ns += c->compute_ns;
        for (size_t k = 0; k < c->transfer_count; k++)
            count_transfer(device, &c->transfers[k], &w);
    }
    if (sim_oracle_granularity() != 0) {
        w.vram_read_bytes = bytes->vram_read;
        w.vram_written_bytes = bytes->vram_written;
        w.host_read_bytes = bytes->host_read;
        w.host_written_bytes = bytes->host_written;
    }
    pthread_mutex_lock(&lock);
    entries[op->cost_event].event.work = w;
    imprecise_submits += bytes->imprecise;
    pthread_mutex_unlock(&lock);
}

/* --- output */

static const char *bytes_from(void)
{
    switch (sim_oracle_granularity()) {
    case 0:
        return "transfers";
    case SIM_PAGE:
        return "oracle-4k";
    default:
        return "oracle-64k";
    }
}

static void put_work(FILE *f, const struct spw_cost_work *w)
{
    fprintf(f,
            "\"compute_ns\":%" PRIu64 ",\"vram_read\":%" PRIu64 ",\"vram_written\":%" PRIu64
            ",\"host_read\":%" PRIu64 ",\"host_written\":%" PRIu64 ",\"moved_in\":%" PRIu64
            ",\"moved_out\":%" PRIu64,
            w->compute_ns, w->vram_read_bytes, w->vram_written_bytes, w->host_read_bytes,
            w->host_written_bytes, w->moved_in_bytes, w->moved_out_bytes);
}

static void put_sum(FILE *f, const char *name, const struct spw_cost_sum *sum)
{
    fprintf(f,
            ",\"%s\":{\"ns\":%" PRIu64 ",\"submits\":%" PRIu64 ",\"bind_calls\":%" PRIu64
            ",\"bind_ranges\":%" PRIu64 ",",
            name, sum->ns, sum->submits, sum->bind_calls, sum->bind_ranges);
    put_work(f, &sum->work);
    fputs("}", f);
}

static void put_totals_locked(FILE *f, const struct spw_cost_totals *totals)
{
    fprintf(f,
            ",\"cost\":{\"bytes_from\":\"%s\",\"figures\":{\"vram_mb_s\":%" PRIu64
            ",\"link_mb_s\":%" PRIu64 ",\"submit_ns\":%" PRIu64 ",\"bind_ns\":%" PRIu64
            ",\"range_ns\":%" PRIu64 "},\"warm_up_events\":%" PRIu64 ",\"stuck_events\":%" PRIu64
            ",\"lost_events\":%" PRIu64 ",\"imprecise_submits\":%" PRIu64,
            bytes_from(), figures.vram_mb_s, figures.link_mb_s, figures.submit_ns, figures.bind_ns,
            figures.range_ns, totals->warm_up_events, totals->stuck_events, lost_events,
            imprecise_submits);
    put_sum(f, "all", &totals->all);
    put_sum(f, "warm_up", &totals->warm_up);
    put_sum(f, "rest", &totals->rest);
    fputs("}", f);
}

static void put_event(FILE *f, const struct entry *e, const struct spw_cost_event *event, size_t i)
{
    static const char *const kinds[] = {"submit", "bind", "sync"};
    fprintf(f,
            "{\"event\":%zu,\"kind\":\"%s\",\"lane\":%u,\"start_ns\":%" PRIu64
            ",\"end_ns\":%" PRIu64 ",\"done\":%s",
            i, kinds[event->kind], event->lane, event->start_ns, event->end_ns,
            event->done ? "true" : "false");
    if (event->lane != HOST_LANE)
        fprintf(f, ",\"queue\":{\"family\":%u,\"index\":%u}", e->family, e->index);
    if (event->kind == SPW_COST_SUBMIT) {
        fprintf(f, ",\"submit\":%" PRIu64 ",", e->number);
        put_work(f, &event->work);
    } else if (event->kind == SPW_COST_BIND) {
        fprintf(f, ",\"ranges\":%" PRIu64, event->ranges);
    }
    fputs("}\n", f);
}

static void put_events_locked(const struct spw_cost_event *events)
{
    FILE *f = file_path != NULL ? fopen(file_path, "we") : NULL;
    if (f == NULL) {
        if (file_path != NULL)
            sim_log("cannot write SIMGPU_COST_FILE='%s': %s", file_path, strerror(errno));
        return;
    }
    for (size_t i = 0; i < entry_count; i++)
        put_event(f, &entries[i], &events[i], i);
    fclose(f);
}

void sim_cost_write(FILE *stats)
{
    struct spw_cost_totals totals;
    if (!is_wanted())
        return;
    pthread_mutex_lock(&lock);
    struct spw_cost_event *events = calloc(entry_count + 1, sizeof(*events));
    for (size_t i = 0; events != NULL && i < entry_count; i++)
        events[i] = entries[i].event;
    if (events != NULL && spw_cost_run(&figures, events, entry_count, &totals) == SPW_OK) {
        if (stats != NULL)
            put_totals_locked(stats, &totals);
        put_events_locked(events);
    } else {
        sim_log("no memory to work out the cost");
    }
    free(events);
    pthread_mutex_unlock(&lock);
}
