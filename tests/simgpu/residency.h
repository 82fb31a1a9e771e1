/* SPDX-License-Identifier: MIT
 *
 * Which memory is in VRAM, on a card whose driver pages (VK_EXT_pageable_device_local_memory, as on
 * Windows): allocations beyond a device-local heap succeed as long as host memory has room for the
 * rest, and what does not fit is evicted, lowest priority first, of equal priority the oldest.
 * Nothing moves here, for both kinds of memory are this machine's: it is only counted.
 *
 * The rule is applied anew whenever memory comes or goes, a priority changes or another process
 * takes VRAM: from the highest priority down, what still fits is in VRAM. So what the driver did
 * follows from what is alive, whatever the history. */
#pragma once

#include "card.h"

/* The entry of one memory; lies in struct sim_memory. All protected by residency.c's lock. */
struct sim_residency {
    struct sim_residency *next; /* of lower priority, or older */
    uint32_t heap;
    uint64_t size; /* whole pages; 0: not entered */
    uint64_t age;
    float priority;
    bool evicted;
};

struct sim_residency_numbers {
    uint64_t evicted, evicted_peak; /* bytes */
    uint64_t evictions; /* how often memory that was in VRAM left it, or began outside */
};

/* How much may be allocated beyond a heap's limit: what host memory has to spare. 0 for host heaps
 * and on cards that do not page. */
uint64_t sim_residency_spill(struct sim_card *card, uint32_t heap);

/* priority: VkMemoryPriorityAllocateInfoEXT's, or 0.5. Nothing to do on cards that do not page. */
void sim_residency_enter(struct sim_card *card, struct sim_residency *r, uint32_t heap,
                         uint64_t size, float priority);
void sim_residency_leave(struct sim_card *card, struct sim_residency *r);
void sim_residency_set_priority(struct sim_card *card, struct sim_residency *r, float priority);
/* A heap has become smaller or larger. */
void sim_residency_update(struct sim_card *card);
bool sim_residency_is_evicted(struct sim_residency *r);

struct sim_residency_numbers sim_residency_numbers(uint32_t heap);
