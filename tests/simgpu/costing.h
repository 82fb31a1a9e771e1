/* SPDX-License-Identifier: MIT
 *
 * Feeds the cost model (layer/core/cost.h): every batch becomes an event when it is queued, gets its
 * bytes when it has run, and all are priced when the counters are written. Off unless somebody reads
 * the result (SIMGPU_STATS or SIMGPU_COST_FILE). Any thread. */
#pragma once

#include "sim.h"

#include <stdio.h>

struct sim_fifo;
struct sim_op;
struct sim_oracle_bytes;

/* On the program's thread, in the order of submission; sets op->cost_event. */
void sim_cost_add(const struct sim_fifo *fifo, struct sim_op *op);
/* After the command buffers ran. Without the oracle, bytes are those of the buffer transfers. */
void sim_cost_set_work(struct sim_device *device, const struct sim_op *op,
                       const struct sim_oracle_bytes *bytes);

/* Writes ',"cost":{…}', and SIMGPU_COST_FILE. */
void sim_cost_write(FILE *stats);
