/* SPDX-License-Identifier: MIT
 *
 * The page-access oracle (SIMGPU_ORACLE): which pages of which memory each submit reads and writes.
 *
 * The driver's mappings are kept inaccessible. A submit that touches a page faults; the signal
 * handler notes whether it was a read or a write (bit 1 of x86's page-fault error code), opens the
 * page for that, and lets the instruction run again. When the submit is done, what it touched is
 * written to SIMGPU_ORACLE_FILE and closed again. One submit runs at a time, so every access
 * belongs to the submit that runs. The program's own accesses through vkMapMemory use another
 * mapping and never come here.
 *
 * Exact but for this: a page that is written first and read afterwards shows as written only, and
 * so does one used by atomics (x86 has no write-only pages); "written" does not mean every byte of
 * it. A range is imprecise in a submit in which its pages would have needed more mappings than the
 * kernel gives a process (vm.max_map_count): it was opened as a whole, and what was touched after
 * that is not known. Memory that the program imported from its own pointer is not watched. */
#pragma once

#include "sim.h"

struct sim_memory;
struct sim_op;
struct sim_queue;
struct sim_region;
struct sim_oracle_range;

/* What a submit touched, in bytes of pages. Imprecise ranges count as a whole, both ways. */
struct sim_oracle_bytes {
    uint64_t vram_read, vram_written, host_read, host_written;
    bool imprecise;
};

/* 0: off. Otherwise the page size in bytes: 4 KiB or 64 KiB. Any thread. */
uint64_t sim_oracle_granularity(void);

/* From now on inaccessible and watched. NULL: the oracle is off, or there is no room, which is
 * told. Takes device->map_lock. */
struct sim_oracle_range *sim_oracle_watch_memory(struct sim_device *device,
                                                 struct sim_memory *memory);
struct sim_oracle_range *sim_oracle_watch_region(struct sim_region *region);
/* Before the addresses are given back. Accepts what is not watched. The first takes
 * device->map_lock, the caller of the second holds it. */
void sim_oracle_unwatch_memory(struct sim_device *device, struct sim_memory *memory);
void sim_oracle_unwatch_region(struct sim_region *region);
/* How pages come into a range: PROT_NONE if watched (not NULL), else readable and writable. */
int sim_oracle_protection(const struct sim_oracle_range *range);

/* Around the execution of command buffers. Nothing if the oracle is off. A worker's thread. */
void sim_oracle_begin(struct sim_device *device);
void sim_oracle_end(struct sim_device *device, const struct sim_queue *queue,
                    const struct sim_op *op, struct sim_oracle_bytes *bytes);

/* The signal handler's part; true: the instruction can run again. Async-signal-safe. */
bool sim_oracle_fault(uintptr_t address, const void *context);

/* For the counters. Accesses that no submit of simgpu's was responsible for; always 0 unless the
 * driver touches memory at other times. */
uint64_t sim_oracle_stray_faults(void);
