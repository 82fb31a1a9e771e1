/* SPDX-License-Identifier: MIT
 *
 * The map of handle_map.h: open addressing with linear probing, tables that are only ever replaced.
 *
 * What a reader relies on, and where the writer gives it:
 *   a slot whose key is seen has its value   value stored before key (release); key read with
 * acquire a value seen is fully built              value stored with release, read with acquire
 *   what was read belongs to one filling     epoch is odd while a retired table is refilled: made
 * odd before the first slot changes (slots are stored with release), even before the table is
 * published; read before the probing (acquire) and after (slots read with acquire) */
#include "handle_map.h"

#include "host_alloc.h"

#include <stdatomic.h>

#define KEY_NONE    ((uint64_t)0)
#define KEY_INVALID UINT64_MAX

/* Slots of the first table: enough for a program with a handful of objects. A power of two, as all.
 */
#define FIRST_CAPACITY ((size_t)16)

struct handle_slot {
    _Atomic uint64_t key;
    void *_Atomic value; /* NULL with a key: dead */
};

struct spw_handle_table {
    /* protected by the map's lock */
    struct spw_handle_table *next_retired;
    /* constant after init */
    size_t capacity;
    /* atomic: see above */
    _Atomic uint32_t epoch;
    struct handle_slot slots[];
};

/* Linear probing stays short up to three quarters. */
static size_t max_used(size_t capacity)
{
    return capacity - capacity / 4;
}

/* Handles are pointers or counters: the finalizer of splitmix64 spreads both. */
static uint64_t hash(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return key ^ (key >> 31);
}

/* The slot of key, or the empty one where it would go; NULL only in a table without either, which a
 * reader of a table that is being refilled may see. */
static struct handle_slot *probe(struct spw_handle_table *table, uint64_t key)
{
    size_t mask = table->capacity - 1;
    size_t i = (size_t)hash(key) & mask;
    for (size_t n = 0; n < table->capacity; n++, i = (i + 1) & mask) {
        uint64_t found = atomic_load_explicit(&table->slots[i].key, memory_order_acquire);
        if (found == key || found == KEY_NONE) {
            return &table->slots[i];
        }
    }
    return NULL;
}

static bool slot_has_key(struct handle_slot *slot, uint64_t key)
{
    return slot != NULL && atomic_load_explicit(&slot->key, memory_order_acquire) == key;
}

static struct spw_handle_table *current_table(struct spw_handle_map *map)
{
    return atomic_load_explicit(&map->table, memory_order_acquire);
}

void spw_handle_map_init(struct spw_handle_map *map)
{
    *map = (struct spw_handle_map){0};
    spw_mutex_init(&map->lock, SPW_RANK_HANDLE_MAP);
}

void spw_handle_map_finish(struct spw_handle_map *map)
{
    if (map == NULL) {
        return;
    }
    spw_free(current_table(map));
    atomic_store_explicit(&map->table, NULL, memory_order_relaxed);
    while (map->retired != NULL) {
        struct spw_handle_table *table = map->retired;
        map->retired = table->next_retired;
        spw_free(table);
    }
    map->live_count = 0;
    map->used_count = 0;
    spw_mutex_finish(&map->lock);
}

void *spw_handle_map_find(struct spw_handle_map *map, uint64_t key)
{
    if (key == KEY_NONE || key == KEY_INVALID) {
        return NULL;
    }
    for (;;) {
        struct spw_handle_table *table = current_table(map);
        if (table == NULL) {
            return NULL;
        }
        uint32_t epoch = atomic_load_explicit(&table->epoch, memory_order_acquire);
        if (epoch & 1) {
            continue; /* retired since: map->table already names another one */
        }
        struct handle_slot *slot = probe(table, key);
        void *value = NULL;
        if (slot_has_key(slot, key)) {
            value = atomic_load_explicit(&slot->value, memory_order_acquire);
        }
        if (atomic_load_explicit(&table->epoch, memory_order_relaxed) == epoch) {
            return value;
        }
    }
}

/* An empty table that no reader can reach, or whose readers the odd epoch sends away. */
static struct spw_handle_table *get_empty_table(struct spw_handle_map *map, size_t capacity)
{
    for (struct spw_handle_table **link = &map->retired; *link != NULL;
         link = &(*link)->next_retired) {
        struct spw_handle_table *table = *link;
        if (table->capacity != capacity) {
            continue;
        }
        *link = table->next_retired;
        uint32_t epoch = atomic_load_explicit(&table->epoch, memory_order_relaxed);
        atomic_store_explicit(&table->epoch, epoch + 1, memory_order_release);
        for (size_t i = 0; i < capacity; i++) {
            atomic_store_explicit(&table->slots[i].key, KEY_NONE, memory_order_release);
            atomic_store_explicit(&table->slots[i].value, NULL, memory_order_release);
        }
        return table;
    }

    uint64_t slot_bytes, bytes;
    if (!spw_mul_u64(capacity, sizeof(struct handle_slot), &slot_bytes) ||
        !spw_add_u64(slot_bytes, sizeof(struct spw_handle_table), &bytes) || bytes > SIZE_MAX) {
        return NULL;
    }
    struct spw_handle_table *table = spw_calloc(1, (size_t)bytes);
    if (table != NULL) {
        table->capacity = capacity;
        atomic_store_explicit(&table->epoch, 1, memory_order_relaxed);
    }
    return table;
}

static void fill_slot(struct handle_slot *slot, uint64_t key, void *value)
{
    atomic_store_explicit(&slot->value, value, memory_order_release);
    atomic_store_explicit(&slot->key, key, memory_order_release);
}

/* Puts a table with room for one more key in the place of a full one (or of none). */
static struct spw_handle_table *replace_table(struct spw_handle_map *map,
                                              struct spw_handle_table *full)
{
    size_t capacity = FIRST_CAPACITY;
    if (full != NULL) {
        /* Half of the places must come free, or the copying would not pay. */
        bool mostly_dead = map->live_count <= max_used(full->capacity) / 2;
        capacity = mostly_dead ? full->capacity : full->capacity * 2;
    }
    struct spw_handle_table *table = get_empty_table(map, capacity);
    if (table == NULL) {
        return NULL;
    }
    for (size_t i = 0; full != NULL && i < full->capacity; i++) {
        void *value = atomic_load_explicit(&full->slots[i].value, memory_order_relaxed);
        if (value != NULL) {
            uint64_t key = atomic_load_explicit(&full->slots[i].key, memory_order_relaxed);
            fill_slot(probe(table, key), key, value);
        }
    }
    uint32_t epoch = atomic_load_explicit(&table->epoch, memory_order_relaxed);
    atomic_store_explicit(&table->epoch, epoch + 1, memory_order_release);
    atomic_store_explicit(&map->table, table, memory_order_release);
    map->used_count = map->live_count;
    if (full != NULL) {
        full->next_retired = map->retired;
        map->retired = full;
    }
    return table;
}

static enum spw_result insert_locked(struct spw_handle_map *map, uint64_t key, void *value)
{
    struct spw_handle_table *table = current_table(map);
    if (table != NULL) {
        struct handle_slot *slot = probe(table, key);
        if (slot_has_key(slot, key)) {
            if (atomic_load_explicit(&slot->value, memory_order_relaxed) == NULL) {
                map->live_count++;
            }
            atomic_store_explicit(&slot->value, value, memory_order_release);
            return SPW_OK;
        }
    }
    if (table == NULL || map->used_count + 1 > max_used(table->capacity)) {
        table = replace_table(map, table);
        if (table == NULL) {
            return SPW_NO_HOST_MEMORY;
        }
    }
    fill_slot(probe(table, key), key, value);
    map->live_count++;
    map->used_count++;
    return SPW_OK;
}

enum spw_result spw_handle_map_insert(struct spw_handle_map *map, uint64_t key, void *value)
{
    if (key == KEY_NONE || key == KEY_INVALID || value == NULL) {
        return SPW_INVALID;
    }
    spw_mutex_lock(&map->lock);
    enum spw_result result = insert_locked(map, key, value);
    spw_mutex_unlock(&map->lock);
    return result;
}

static void *remove_locked(struct spw_handle_map *map, uint64_t key)
{
    struct spw_handle_table *table = current_table(map);
    struct handle_slot *slot = table != NULL ? probe(table, key) : NULL;
    if (!slot_has_key(slot, key)) {
        return NULL;
    }
    void *value = atomic_load_explicit(&slot->value, memory_order_relaxed);
    if (value != NULL) {
        atomic_store_explicit(&slot->value, NULL, memory_order_release);
        map->live_count--;
    }
    return value;
}

void *spw_handle_map_remove(struct spw_handle_map *map, uint64_t key)
{
    if (key == KEY_NONE || key == KEY_INVALID) {
        return NULL;
    }
    spw_mutex_lock(&map->lock);
    void *value = remove_locked(map, key);
    spw_mutex_unlock(&map->lock);
    return value;
}

void spw_handle_map_for_each(struct spw_handle_map *map,
                             void (*fn)(uint64_t key, void *value, void *user), void *user)
{
    struct spw_handle_table *table = current_table(map);
    for (size_t i = 0; table != NULL && i < table->capacity; i++) {
        void *value = atomic_load_explicit(&table->slots[i].value, memory_order_acquire);
        if (value != NULL) {
            fn(atomic_load_explicit(&table->slots[i].key, memory_order_acquire), value, user);
        }
    }
}

/* At most two tables of a size, the current one included, and no retired one larger than it. */
static bool retired_are_valid(struct spw_handle_map *map)
{
    struct spw_handle_table *current = current_table(map);
    for (struct spw_handle_table *a = map->retired; a != NULL; a = a->next_retired) {
        size_t same = 1 + (current->capacity == a->capacity);
        for (struct spw_handle_table *b = a->next_retired; b != NULL; b = b->next_retired) {
            same += b->capacity == a->capacity;
        }
        if (same > 2 || a->capacity > current->capacity) {
            return false;
        }
    }
    return true;
}

static bool table_is_valid(struct spw_handle_map *map)
{
    struct spw_handle_table *table = current_table(map);
    if (table == NULL) {
        return map->live_count == 0 && map->used_count == 0 && map->retired == NULL;
    }
    size_t live = 0, used = 0;
    for (size_t i = 0; i < table->capacity; i++) {
        struct handle_slot *slot = &table->slots[i];
        uint64_t key = atomic_load_explicit(&slot->key, memory_order_relaxed);
        void *value = atomic_load_explicit(&slot->value, memory_order_relaxed);
        if (key == KEY_INVALID || (key == KEY_NONE && value != NULL)) {
            return false;
        }
        if (key != KEY_NONE && probe(table, key) != slot) {
            return false; /* out of reach, or there twice */
        }
        used += key != KEY_NONE;
        live += value != NULL;
    }
    uint32_t epoch = atomic_load_explicit(&table->epoch, memory_order_relaxed);
    return (table->capacity & (table->capacity - 1)) == 0 && (epoch & 1) == 0 &&
           used <= max_used(table->capacity) && used == map->used_count && live == map->live_count;
}

bool spw_handle_map_is_valid(struct spw_handle_map *map)
{
    bool valid = table_is_valid(map) && retired_are_valid(map);
    SPW_CHECK_THAT(valid);
    return valid;
}
