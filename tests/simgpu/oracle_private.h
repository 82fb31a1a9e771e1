/* SPDX-License-Identifier: MIT
 *
 * What oracle.c and oracle_report.c share. */
#pragma once

#include "oracle.h"

/* Bits of a page's state. */
#define SIM_ORACLE_READ    1
#define SIM_ORACLE_WRITTEN 2

/* The driver's mapping of an allocation, or the region of a sparse resource. */
struct sim_oracle_range {
    /* constant after creation */
    char *base;
    uint64_t size;             /* whole pages */
    uint64_t unit, unit_count; /* the oracle's pages; the last may be cut off */
    struct sim_memory *memory; /* one of the two is set */
    struct sim_region *region;
    uint32_t slot;

    struct sim_oracle_range *next; /* protected by device->map_lock */

    /* atomic: written by the signal handler, read and reset when the submit is done */
    _Atomic uint8_t *state; /* per page: SIM_ORACLE_ bits */
    _Atomic bool touched;   /* any bit is set */
    _Atomic bool whole;     /* opened as a whole: imprecise */
    _Atomic int64_t mappings;
};

/* Regions: whether a bind has put memory there. Async-signal-safe. */
bool sim_oracle_unit_is_mapped(const struct sim_oracle_range *range, uint64_t unit);

/* Opens SIMGPU_ORACLE_FILE, if any. */
void sim_oracle_report_open(void);
/* One submit's line; op NULL: accesses outside of submits. Under the one-submit lock and the
 * device's map_lock. report_range adds to bytes. */
void sim_oracle_report_begin(const struct sim_queue *queue, const struct sim_op *op);
void sim_oracle_report_range(const struct sim_oracle_range *range, struct sim_oracle_bytes *bytes);
void sim_oracle_report_end(const struct sim_oracle_bytes *bytes);
