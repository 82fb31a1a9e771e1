/* SPDX-License-Identifier: MIT
 *
 * handle → pointer, read without a lock.
 *
 * Readers: any thread, no lock, never waiting for a writer. Writers: serialised by the map's own
 * lock (rank SPW_RANK_HANDLE_MAP), taken inside. Open addressing. Within one filling of a table a
 * slot's key never changes: removing only clears the value, and the dead slot is reused by its own
 * key alone, so a reader cannot pick up another key's value. A table that is full is copied,
 * without the dead, into one twice as large or, where many were dead, of the same size. The old one
 * is retired, not freed, because a reader may still be in it; the next copy of that size reuses it,
 * and the table's epoch tells a reader that was still there to start again. So at most two tables
 * of a size exist, whatever the churn.
 *
 * The map does not own the values. As the specification has it, the application may not use a
 * handle while it destroys it (external synchronisation), which is what keeps a found value alive.
 */
#pragma once

#include "base.h"
#include "lock.h"

struct spw_handle_table; /* handle_map.c */

struct spw_handle_map {
    struct spw_mutex lock;
    /* atomic: published with release by a writer that holds lock, read with acquire by find() */
    struct spw_handle_table *_Atomic table;
    /* protected by lock */
    struct spw_handle_table *retired; /* tables that a reader may still be in */
    size_t live_count;
    size_t used_count; /* slots with a key: live and dead */
};

/* Allocates nothing: an empty map costs nothing and finish() on it is a no-op. */
void spw_handle_map_init(struct spw_handle_map *map);
void spw_handle_map_finish(struct spw_handle_map *map);

/* NULL when absent. key 0 is never present. */
void *spw_handle_map_find(struct spw_handle_map *map, uint64_t key);

/* value must not be NULL; key must be neither 0 nor UINT64_MAX (reserved: INVALID). A key that is
 * present gets the new value. NO_HOST_MEMORY: the map is as it was. */
SPW_MUST_CHECK enum spw_result spw_handle_map_insert(struct spw_handle_map *map, uint64_t key,
                                                     void *value);

/* The value that was there, or NULL. */
void *spw_handle_map_remove(struct spw_handle_map *map, uint64_t key);

/* Calls fn for each pair; fn may not change the map. Externally synchronised: no writer may run.
 * For teardown and statistics. */
void spw_handle_map_for_each(struct spw_handle_map *map,
                             void (*fn)(uint64_t key, void *value, void *user), void *user);

/* Executable invariants; true or an assertion failure in check builds. Externally synchronised. */
bool spw_handle_map_is_valid(struct spw_handle_map *map);
