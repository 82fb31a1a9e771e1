/* SPDX-License-Identifier: MIT
 *
 * The cost model: what a run would have taken on a card, counted and not measured. Pure arithmetic
 * over what was submitted, so the same run always costs the same. The simulated GPU feeds it what
 * programs really did; the offline replay feeds it what a policy would have done.
 *
 * Words
 *   lane    what runs its events one after the other, in the order they were added: a queue's
 *           submits, or a queue's binds, which run beside its submits
 *   event   a submit, a bind call, or a batch with semaphores only
 *   point   a semaphore and a value; an event starts when all points it waits for are reached, and
 *           reaches its own at its end
 *   in, out over the link: in is towards the card (the GPU reads host memory, or a move brings
 *           bytes into VRAM), out is away from it
 *
 * Formulas (model.md section 3; "A" marks what that leaves open and was decided here)
 *   ready      = latest of the lane's previous end and the points waited for; 0 at the start
 *   submit     run = ready + submit_ns                                      (A: overhead comes
 * first) link(d) = later of run and the time the link is free in direction d, + bytes(d) / link
 *                        (run, where there are no bytes in that direction)
 *              end = later of run + compute_ns
 *                    and later of link(in), link(out), + VRAM bytes / vram  (A: directions overlap)
 *   bind       end = ready + bind_ns + ranges * range_ns
 *   sync       end = ready
 *   The link is free in a direction when the last submit that used it is done with it: first come,
 *   first served, by ready time, then by order of adding.
 *   A move of B bytes into VRAM is a submit that reads B bytes of host memory and writes B bytes of
 *   VRAM, out of it the other way round.
 *   Uncontended, with traffic in one direction, a submit so takes
 *   submit_ns + max(compute_ns, vram_bytes / vram + host_bytes / link).
 *
 * Durations are whole nanoseconds, rounded up. Sums saturate. Any thread: there is no state. */
#pragma once

#include "base.h"

/* A bandwidth of 1 MB/s is 10^6 bytes a second: 1,000 GB/s is 1,000,000. Never 0. */
struct spw_cost_figures {
    uint64_t vram_mb_s;
    uint64_t link_mb_s; /* in each direction */
    uint64_t submit_ns; /* per submit */
    uint64_t bind_ns;   /* per bind call */
    uint64_t range_ns;  /* per range of it */
};

/* The default card of model.md section 3: a large discrete GPU of 2022 on PCIe 4.0 x16, of whose
 * nominal 31.5 GB/s about 25 are reached by copies. */
#define SPW_COST_DEFAULT_FIGURES                                                                   \
    ((struct spw_cost_figures){.vram_mb_s = 1000000,                                               \
                               .link_mb_s = 25000,                                                 \
                               .submit_ns = 10000,                                                 \
                               .bind_ns = 5000,                                                    \
                               .range_ns = 500})

struct spw_cost_point {
    uint64_t semaphore, value;
};

enum spw_cost_kind { SPW_COST_SUBMIT, SPW_COST_BIND, SPW_COST_SYNC };

/* Bytes are those of pages touched, read and written apart: a page that is both counts twice. */
struct spw_cost_work {
    uint64_t compute_ns;
    uint64_t vram_read_bytes, vram_written_bytes;
    uint64_t host_read_bytes, host_written_bytes;
    /* Of these, what copies took from one heap to the other. Told, not charged again. */
    uint64_t moved_in_bytes, moved_out_bytes;
};

struct spw_cost_event {
    enum spw_cost_kind kind;
    uint32_t lane;
    struct spw_cost_work work; /* of a submit */
    uint64_t ranges;           /* of a bind call */
    /* Owned by the caller. A point that no event reaches counts as reached: the host did it. */
    const struct spw_cost_point *waits, *signals;
    uint32_t wait_count, signal_count;

    /* Set by spw_cost_run(). */
    bool done; /* false: its points are reached only by events that wait for it in turn */
    uint64_t start_ns, end_ns;
};

struct spw_cost_sum {
    uint64_t submits, bind_calls, bind_ranges;
    struct spw_cost_work work;
    uint64_t ns; /* modelled time: the latest end less where the part began */
};

/* The warm-up is the first tenth of the events, in the order they were added, and lasts until the
 * last of them is done. Ratios are taken over the rest. */
struct spw_cost_totals {
    struct spw_cost_sum all, warm_up, rest;
    uint64_t warm_up_events;
    uint64_t stuck_events; /* not done */
};

/* Sets when each event starts and ends, and the totals. The same input gives the same output.
 * Returns SPW_OK; SPW_INVALID: a bandwidth is 0; SPW_NO_HOST_MEMORY. */
enum spw_result spw_cost_run(const struct spw_cost_figures *figures, struct spw_cost_event *events,
                             size_t event_count, struct spw_cost_totals *totals) SPW_MUST_CHECK;
