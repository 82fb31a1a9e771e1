/* SPDX-License-Identifier: MIT
 *
 * handle → pointer, read without a lock.
 *
 * Readers: any thread, wait-free but for probing. Writers: serialised by the map's own lock (rank
 * SPW_RANK_HANDLE_MAP), taken inside. Open addressing; a table that grows is replaced by one twice as
 * large and the old one is kept until finish(), because a reader may still be in it (all old tables
 * together are smaller than the current one). A removed key leaves a tombstone that an insertion reuses;
 * find() re-checks the key after it has read the value, so it never returns another key's value.
 *
 * The map does not own the values. As the specification has it, the application may not use a handle
 * while it destroys it (external synchronisation), which is what keeps a found value alive. */
#pragma once

#include "base.h"
#include "lock.h"

struct spw_handle_table; /* handle_map.c */

struct spw_handle_map {
    struct spw_mutex lock;
    /* atomic: published with release by a writer that holds lock, read with acquire by find() */
    struct spw_handle_table *_Atomic table;
    /* protected by lock */
    size_t live_count;
    size_t used_count; /* live and tombstones */
};

/* Allocates nothing: an empty map costs nothing and finish() on it is a no-op. */
void spw_handle_map_init(struct spw_handle_map *map);
void spw_handle_map_finish(struct spw_handle_map *map);

/* NULL when absent. key 0 is never present. */
void *spw_handle_map_find(struct spw_handle_map *map, uint64_t key);

/* value must not be NULL; key must be neither 0 nor UINT64_MAX (reserved: INVALID). A key that is present
 * gets the new value. NO_HOST_MEMORY: the map is as it was. */
SPW_MUST_CHECK enum spw_result spw_handle_map_insert(struct spw_handle_map *map, uint64_t key, void *value);

/* The value that was there, or NULL. */
void *spw_handle_map_remove(struct spw_handle_map *map, uint64_t key);

/* Calls fn for each pair. Externally synchronised: no writer may run. For teardown and statistics. */
void spw_handle_map_for_each(struct spw_handle_map *map, void (*fn)(uint64_t key, void *value, void *user),
                             void *user);

/* Executable invariants; true or an assertion failure in check builds. Externally synchronised. */
bool spw_handle_map_is_valid(struct spw_handle_map *map);
