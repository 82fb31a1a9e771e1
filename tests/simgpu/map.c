/* SPDX-License-Identifier: MIT
 *
 * Handle → object: see map.h. */
#include "map.h"

#include <stdlib.h>

static size_t map_home(const struct sim_map *map, uint64_t key)
{
    /* Handles are mostly addresses: Fibonacci hashing spreads their equal low bits. */
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (map->capacity - 1);
}

static struct sim_map_slot *map_slot(const struct sim_map *map, uint64_t key)
{
    size_t i = map_home(map, key);
    while (map->slots[i].key != 0 && map->slots[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return &map->slots[i];
}

static int map_grow(struct sim_map *map)
{
    struct sim_map bigger = {.capacity = map->capacity > 0 ? map->capacity * 2 : 64};
    bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
    if (bigger.slots == NULL)
        return -1;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].key != 0)
            *map_slot(&bigger, map->slots[i].key) = map->slots[i];
    }
    free(map->slots);
    map->slots = bigger.slots;
    map->capacity = bigger.capacity;
    return 0;
}

void sim_map_init(struct sim_map *map)
{
    *map = (struct sim_map)SIM_MAP_INITIALIZER;
}

void sim_map_finish(struct sim_map *map)
{
    free(map->slots);
    map->slots = NULL;
    map->capacity = map->count = 0;
}

void *sim_map_find(struct sim_map *map, uint64_t key)
{
    void *value = NULL;
    pthread_rwlock_rdlock(&map->lock);
    if (map->capacity > 0 && key != 0)
        value = map_slot(map, key)->value;
    pthread_rwlock_unlock(&map->lock);
    return value;
}

int sim_map_insert(struct sim_map *map, uint64_t key, void *value)
{
    int result = 0;
    pthread_rwlock_wrlock(&map->lock);
    if (map->count * 2 >= map->capacity)
        result = map_grow(map);
    if (result == 0) {
        struct sim_map_slot *slot = map_slot(map, key);
        map->count += slot->key == 0;
        *slot = (struct sim_map_slot){.key = key, .value = value};
    }
    pthread_rwlock_unlock(&map->lock);
    return result;
}

/* Closes the gap at `hole`: later slots of the same run move up if their home does not lie behind
 * it. */
static void map_close_gap(struct sim_map *map, size_t hole)
{
    size_t mask = map->capacity - 1;
    for (size_t i = (hole + 1) & mask; map->slots[i].key != 0; i = (i + 1) & mask) {
        size_t home = map_home(map, map->slots[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole] = (struct sim_map_slot){0};
}

void *sim_map_remove(struct sim_map *map, uint64_t key)
{
    void *value = NULL;
    pthread_rwlock_wrlock(&map->lock);
    if (map->capacity > 0 && key != 0) {
        struct sim_map_slot *slot = map_slot(map, key);
        value = slot->value;
        if (slot->key != 0) {
            map->count--;
            map_close_gap(map, (size_t)(slot - map->slots));
        }
    }
    pthread_rwlock_unlock(&map->lock);
    return value;
}

void sim_map_for_each(struct sim_map *map, void (*fn)(void *value, void *user), void *user)
{
    pthread_rwlock_rdlock(&map->lock);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].key != 0)
            fn(map->slots[i].value, user);
    }
    pthread_rwlock_unlock(&map->lock);
}
