/* SPDX-License-Identifier: MIT
 *
 * The cost model: see cost.h. A discrete event simulation: of the lanes' next events, the one that
 * is ready first runs, so the link serves whoever comes first. Ready times never go back, because
 * what an event makes ready is ready no sooner than its end. */
#include "cost.h"

#include "host_alloc.h"

#include <stdlib.h>

/* A point that some event reaches. Sorted by semaphore, then value. */
struct reached {
    struct spw_cost_point point;
    const struct spw_cost_event *event;
};

struct lane {
    uint32_t id;
    size_t next; /* index of the event that runs next; event_count: none left */
    uint64_t free_ns;
};

struct run {
    const struct spw_cost_figures *figures;
    struct spw_cost_event *events;
    size_t event_count;
    struct reached *reached;
    size_t reached_count;
    struct lane *lanes;
    size_t lane_count;
    size_t *following; /* per event: the next one of its lane, or event_count */
    uint64_t link_in_free_ns, link_out_free_ns;
};

static int compare_points(const struct spw_cost_point *p, const struct spw_cost_point *q)
{
    if (p->semaphore != q->semaphore)
        return p->semaphore < q->semaphore ? -1 : 1;
    return (p->value > q->value) - (p->value < q->value);
}

/* Equal points in the order of their events, whatever qsort does. */
static int compare_reached(const void *a, const void *b)
{
    const struct reached *p = a, *q = b;
    int order = compare_points(&p->point, &q->point);
    return order != 0 ? order : (p->event > q->event) - (p->event < q->event);
}

/* The event that first reaches the point or goes beyond it; NULL: none does. */
static const struct spw_cost_event *find_reaching(const struct run *r,
                                                  const struct spw_cost_point *point)
{
    size_t low = 0, high = r->reached_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_points(&r->reached[middle].point, point) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->reached_count || r->reached[low].point.semaphore != point->semaphore)
        return NULL;
    return r->reached[low].event;
}

static struct lane *find_lane(struct run *r, uint32_t id)
{
    for (size_t i = 0; i < r->lane_count; i++) {
        if (r->lanes[i].id == id)
            return &r->lanes[i];
    }
    return NULL;
}

static enum spw_result add_lane(struct run *r, uint32_t id, size_t first)
{
    struct lane *bigger = spw_realloc(r->lanes, (r->lane_count + 1) * sizeof(*bigger));
    if (bigger == NULL)
        return SPW_NO_HOST_MEMORY;
    r->lanes = bigger;
    r->lanes[r->lane_count++] = (struct lane){.id = id, .next = first};
    return SPW_OK;
}

/* From the last event to the first, so that each lane's list is in order. */
static enum spw_result link_lanes(struct run *r)
{
    r->following = spw_calloc(r->event_count, sizeof(*r->following));
    if (r->following == NULL)
        return SPW_NO_HOST_MEMORY;
    for (size_t i = r->event_count; i-- > 0;) {
        struct lane *lane = find_lane(r, r->events[i].lane);
        r->following[i] = lane != NULL ? lane->next : r->event_count;
        if (lane != NULL)
            lane->next = i;
        else if (add_lane(r, r->events[i].lane, i) != SPW_OK)
            return SPW_NO_HOST_MEMORY;
    }
    return SPW_OK;
}

static enum spw_result list_reached(struct run *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->event_count; i++)
        count += r->events[i].signal_count;
    r->reached = spw_calloc(count, sizeof(*r->reached));
    if (r->reached == NULL)
        return SPW_NO_HOST_MEMORY;
    for (size_t i = 0; i < r->event_count; i++) {
        for (uint32_t k = 0; k < r->events[i].signal_count; k++)
            r->reached[r->reached_count++] =
                (struct reached){.point = r->events[i].signals[k], .event = &r->events[i]};
    }
    qsort(r->reached, r->reached_count, sizeof(*r->reached), compare_reached);
    return SPW_OK;
}

/* Saturates: a run of centuries is a mistake, but not one to wrap over. */
static uint64_t transfer_ns(uint64_t bytes, uint64_t mb_s)
{
    /* 1 MB/s is 1 byte per 1,000 ns. */
    uint64_t scaled;
    if (!spw_mul_u64(bytes, 1000, &scaled))
        return UINT64_MAX;
    return scaled / mb_s + (scaled % mb_s != 0);
}

/* Takes the link in one direction; when it is done there. */
static uint64_t use_link(const struct run *r, uint64_t *free_ns, uint64_t from_ns, uint64_t bytes)
{
    if (bytes == 0)
        return from_ns;
    *free_ns =
        spw_add_sat_u64(spw_max_u64(from_ns, *free_ns), transfer_ns(bytes, r->figures->link_mb_s));
    return *free_ns;
}

static uint64_t submit_end(struct run *r, const struct spw_cost_work *w, uint64_t ready_ns)
{
    uint64_t run_ns = spw_add_sat_u64(ready_ns, r->figures->submit_ns);
    uint64_t in_ns = use_link(r, &r->link_in_free_ns, run_ns, w->host_read_bytes);
    uint64_t out_ns = use_link(r, &r->link_out_free_ns, run_ns, w->host_written_bytes);
    uint64_t vram_ns = transfer_ns(spw_add_sat_u64(w->vram_read_bytes, w->vram_written_bytes),
                                   r->figures->vram_mb_s);
    return spw_max_u64(spw_add_sat_u64(run_ns, w->compute_ns),
                       spw_add_sat_u64(spw_max_u64(in_ns, out_ns), vram_ns));
}

static uint64_t event_end(struct run *r, const struct spw_cost_event *e, uint64_t ready_ns)
{
    uint64_t ranges_ns;
    switch (e->kind) {
    case SPW_COST_SUBMIT:
        return submit_end(r, &e->work, ready_ns);
    case SPW_COST_BIND:
        if (!spw_mul_u64(e->ranges, r->figures->range_ns, &ranges_ns))
            ranges_ns = UINT64_MAX;
        return spw_add_sat_u64(ready_ns, spw_add_sat_u64(r->figures->bind_ns, ranges_ns));
    case SPW_COST_SYNC:
        break;
    }
    return ready_ns;
}

/* false: a point is not reached yet. */
static bool is_ready(const struct run *r, const struct lane *lane, uint64_t *ready_ns)
{
    const struct spw_cost_event *e = &r->events[lane->next];
    *ready_ns = lane->free_ns;
    for (uint32_t i = 0; i < e->wait_count; i++) {
        const struct spw_cost_event *reaching = find_reaching(r, &e->waits[i]);
        if (reaching == NULL)
            continue;
        if (!reaching->done)
            return false;
        *ready_ns = spw_max_u64(*ready_ns, reaching->end_ns);
    }
    return true;
}

/* false: nothing is ready. */
static bool run_next(struct run *r)
{
    struct lane *first = NULL;
    uint64_t first_ns = 0;
    for (size_t i = 0; i < r->lane_count; i++) {
        struct lane *lane = &r->lanes[i];
        uint64_t ready_ns;
        if (lane->next == r->event_count || !is_ready(r, lane, &ready_ns))
            continue;
        if (first == NULL || ready_ns < first_ns ||
            (ready_ns == first_ns && lane->next < first->next)) {
            first = lane;
            first_ns = ready_ns;
        }
    }
    if (first == NULL)
        return false;
    struct spw_cost_event *e = &r->events[first->next];
    e->start_ns = first_ns;
    e->end_ns = event_end(r, e, first_ns);
    e->done = true;
    first->free_ns = e->end_ns;
    first->next = r->following[first->next];
    return true;
}

static void add_work(struct spw_cost_work *to, const struct spw_cost_work *w)
{
    to->compute_ns = spw_add_sat_u64(to->compute_ns, w->compute_ns);
    to->vram_read_bytes = spw_add_sat_u64(to->vram_read_bytes, w->vram_read_bytes);
    to->vram_written_bytes = spw_add_sat_u64(to->vram_written_bytes, w->vram_written_bytes);
    to->host_read_bytes = spw_add_sat_u64(to->host_read_bytes, w->host_read_bytes);
    to->host_written_bytes = spw_add_sat_u64(to->host_written_bytes, w->host_written_bytes);
    to->moved_in_bytes = spw_add_sat_u64(to->moved_in_bytes, w->moved_in_bytes);
    to->moved_out_bytes = spw_add_sat_u64(to->moved_out_bytes, w->moved_out_bytes);
}

static void add_event(struct spw_cost_sum *sum, const struct spw_cost_event *e)
{
    if (e->kind == SPW_COST_SUBMIT) {
        sum->submits++;
        add_work(&sum->work, &e->work);
    } else if (e->kind == SPW_COST_BIND) {
        sum->bind_calls++;
        sum->bind_ranges += e->ranges;
    }
    sum->ns = spw_max_u64(sum->ns, e->end_ns);
}

static void add_up(const struct run *r, struct spw_cost_totals *totals)
{
    *totals = (struct spw_cost_totals){.warm_up_events = r->event_count / 10};
    for (size_t i = 0; i < r->event_count; i++) {
        const struct spw_cost_event *e = &r->events[i];
        if (!e->done) {
            totals->stuck_events++;
            continue;
        }
        add_event(&totals->all, e);
        add_event(i < totals->warm_up_events ? &totals->warm_up : &totals->rest, e);
    }
    totals->rest.ns = spw_sub_sat_u64(totals->all.ns, totals->warm_up.ns);
}

enum spw_result spw_cost_run(const struct spw_cost_figures *figures, struct spw_cost_event *events,
                             size_t event_count, struct spw_cost_totals *totals)
{
    struct run r = {.figures = figures, .events = events, .event_count = event_count};
    if (figures->vram_mb_s == 0 || figures->link_mb_s == 0)
        return SPW_INVALID;
    for (size_t i = 0; i < event_count; i++)
        events[i].done = false;
    enum spw_result result = link_lanes(&r);
    if (result == SPW_OK)
        result = list_reached(&r);
    if (result == SPW_OK) {
        while (run_next(&r))
            ;
        add_up(&r, totals);
    }
    spw_free(r.lanes);
    spw_free(r.following);
    spw_free(r.reached);
    return result;
}
