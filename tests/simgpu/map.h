/* SPDX-License-Identifier: MIT
 *
 * Handle → object. Any thread; readers share a lock. Open addressing, linear probing, deletion by
 * shifting back, so no tombstones. The objects belong to the callers. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct sim_map_slot {
    uint64_t key; /* 0: free */
    void *value;
};

struct sim_map {
    pthread_rwlock_t lock;
    struct sim_map_slot *slots;
    size_t capacity; /* power of two, or 0 */
    size_t count;
};

#define SIM_MAP_INITIALIZER                                                                        \
    {                                                                                              \
        .lock = PTHREAD_RWLOCK_INITIALIZER                                                         \
    }

void sim_map_init(struct sim_map *map);
void sim_map_finish(struct sim_map *map);

void *sim_map_find(struct sim_map *map, uint64_t key);
/* 0, or -1 when there is no memory for it. */
int sim_map_insert(struct sim_map *map, uint64_t key, void *value);
/* What was there, or NULL. */
void *sim_map_remove(struct sim_map *map, uint64_t key);
/* Calls fn for each value while the map is locked for reading. */
void sim_map_for_each(struct sim_map *map, void (*fn)(void *value, void *user), void *user);
