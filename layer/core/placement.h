/* SPDX-License-Identifier: MIT
 *
 * Where a request for device-local memory may go, best first. Pure: looks at the books, decides
 * nothing for good; the caller walks the list until the driver takes one.
 *
 *   1. the type asked for, while its heap is below target
 *   2. another device-local type that has every property asked for, while its heap is below target
 *   3. a host type that keeps every other property, while the host heap and the host tier have room
 *   4. the types of 1 and 2 again, up to the limit: the reserve is better than a failure
 *
 * A type counts only if `allowed_types` has it: what the resource that will be bound can live in.
 * Extra properties are fine but for those that the specification attaches conditions to (lazily
 * allocated, protected, AMD's device-coherent and -uncached). Among equals: fewest extra
 * properties, then most room, then the lower index (drivers list types by performance). A full heap
 * is never named, whatever type of it. */
#pragma once

#include "account.h"

struct spw_placement {
    uint32_t type;
    enum spw_tier tier;
    enum spw_why why;
};

struct spw_placement_list {
    uint32_t count;
    struct spw_placement items[2 * SPW_MAX_TYPES];
    /* Why the list is empty or what the last word is when the driver refuses all of it. */
    enum spw_refusal refusal;
};

struct spw_placement_request {
    uint64_t size_bytes;
    uint32_t asked_type;    /* device-local */
    uint32_t allowed_types; /* a bit per type; asked_type is always allowed */
    uint64_t host_room;     /* what may still be promised of host memory (host_promise.h) */
};

/* Holds the physical device's lock. */
void spw_placement_list_fill(struct spw_placement_list *list, const struct spw_account *account,
                             const struct spw_placement_request *request);

/* Could a request for this device-local type go to host memory at all? */
bool spw_placement_has_host_type(const struct spw_memory_layout *layout, uint32_t asked_type,
                                 uint32_t allowed_types);

#ifdef SPW_CHECK
/* Planted bug: forgets that HOST_COHERENT was asked for. */
void spw_placement_plant_drop_coherent(bool on);
#endif
