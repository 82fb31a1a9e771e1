/* SPDX-License-Identifier: MIT
 *
 * Feeds the cost model (layer/core/cost.h): every batch becomes an event when it is queued, gets
 * its bytes when it has run, and all are priced when the counters are written. Off unless somebody
 * reads the result (SIMGPU_STATS or SIMGPU_COST_FILE). Any thread. */
#pragma once

#include "sim.h"

#include <stdio.h>

struct sim_fifo;
struct sim_op;
struct sim_oracle_bytes;
struct sim_point;

/* On the program's thread, in the order of submission; sets op->cost_event. */
void sim_cost_add(const struct sim_fifo *fifo, struct sim_op *op);
/* A semaphore that the host raises, at its creation or later. To the model that is time 0: what the
 * host waits for before is not modelled. */
void sim_cost_add_host(const struct sim_point *point);
/* After the command buffers ran. Without the oracle, bytes are those of the buffer transfers. */
void sim_cost_set_work(struct sim_device *device, const struct sim_op *op,
                       const struct sim_oracle_bytes *bytes);

/* Writes ',"cost":{…}' to stats (may be NULL), and SIMGPU_COST_FILE. */
void sim_cost_write(FILE *stats);
