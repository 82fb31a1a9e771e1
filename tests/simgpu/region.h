/* SPDX-License-Identifier: MIT
 *
 * Regions: reserved addresses, known to the driver as the memory of one sparse resource, into which
 * binds map pages of heap files. What is not bound is inaccessible: touching it is a GPU fault,
 * which the signal handler records, answers with zeros, and lets pass. */
#pragma once

#include "sim.h"

struct sim_memory;

struct sim_region {
    /* constant after creation */
    struct sim_device *device;
    char *base;
    uint64_t size; /* whole blocks */
    uint64_t blocks;
    bool holes;    /* residency: unbound blocks may be touched, and keep writes */
    uint64_t name; /* the resource's handle, for messages */
    uint32_t slot;
    bool image;                     /* of an image, not of a buffer */
    struct sim_oracle_range *watch; /* NULL: the oracle is off, or has no room */

    /* atomic: written under device->map_lock, read by the signal handler */
    _Atomic uint8_t
        *bound; /* per block; set before the pages are mapped, cleared after they went */
    _Atomic uint8_t *opened; /* per block, one more for the guard: opened by the signal handler */

    /* protected by device->map_lock */
    struct sim_memory **owners; /* per block */
    uint64_t pending_binds;     /* queued, not yet done */
    bool gone;                  /* destroyed while binds were pending */
};

/* NULL: no addresses or no memory. */
struct sim_region *sim_region_create(struct sim_device *device, uint64_t size, bool holes);
void sim_region_destroy(struct sim_region *region);

/* A bind is about to be queued; sim_region_bind() ends it. */
void sim_region_note_pending(struct sim_region *region, struct sim_memory *memory);

/* Maps [memory_offset, + size) of memory at offset, or unbinds where memory is NULL. The caller has
 * checked ranges and alignment. Any thread. */
void sim_region_bind(struct sim_region *region, uint64_t offset, uint64_t size,
                     struct sim_memory *memory, uint64_t memory_offset);

/* Memory is about to be freed: blocks that still map it become unbound. false: a queued bind still
 * points to it, so it must stay allocated. */
bool sim_region_forget_memory(struct sim_device *device, struct sim_memory *memory);

/* After a submit: what the signal handler had to open is closed again. */
void sim_region_close_opened(struct sim_device *device);
