/* SPDX-License-Identifier: MIT
 *
 * A heap: a hard limit, and a memfd whose ranges are the memory. The file is much longer than the
 * limit (it is sparse, so that costs nothing): allocations never fail for fragmentation, and freed
 * addresses are reused late, so that reading freed memory does not find the old bytes by luck. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_range {
    uint64_t offset, size;
};

struct sim_heap {
    /* constant after init */
    int fd;
    uint64_t limit;
    bool poison;

    pthread_mutex_t lock;
    /* protected by lock */
    struct sim_range *free_ranges; /* sorted, disjoint, never adjacent */
    size_t free_count, free_capacity, cursor;
    uint64_t used, peak;
    uint64_t taken; /* by another process (control.h) */
    uint64_t allocations, refusals;
};

struct sim_heap_numbers {
    uint64_t used, peak, allocations, refusals;
};

/* false: no memfd or no memory. */
bool sim_heap_init(struct sim_heap *heap, const char *name, uint64_t limit, bool poison);

/* A range of whole pages; false: more than `beyond` over the limit (counted as a refusal). The
 * range counts as an allocation until sim_heap_give(). */
bool sim_heap_take(struct sim_heap *heap, uint64_t size, uint64_t beyond, uint64_t *offset);
/* The range just taken could not be used: it is no allocation after all, but a refusal if the
 * answer was that there is no device memory. Give it back as well. */
void sim_heap_note_failure(struct sim_heap *heap, bool refusal);
/* The contents are gone. */
void sim_heap_give(struct sim_heap *heap, uint64_t offset, uint64_t size);

/* Another process holds this much: what is there stays, but no more than the rest can be had. */
void sim_heap_set_taken(struct sim_heap *heap, uint64_t bytes);
/* The limit, less what another process holds. */
uint64_t sim_heap_room(struct sim_heap *heap);

struct sim_heap_numbers sim_heap_numbers(struct sim_heap *heap);
