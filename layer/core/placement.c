/* SPDX-License-Identifier: MIT
 *
 * Where a request for device-local memory may go: see placement.h. */
#include "placement.h"

/* Properties that may not be had unasked: memory that is lazily allocated only takes transient
 * attachments (VUID-vkBindBufferMemory-buffer…, memoryTypeBits says it too), protected memory only
 * protected resources, and AMD's two need the deviceCoherentMemory feature
 * (VUID-vkAllocateMemory-deviceCoherentMemory-02790). */
#define NEVER_UNASKED                                                                              \
    (SPW_MEMORY_LAZILY_ALLOCATED | SPW_MEMORY_PROTECTED | SPW_MEMORY_DEVICE_COHERENT_AMD |         \
     SPW_MEMORY_DEVICE_UNCACHED_AMD)

#ifdef SPW_CHECK
static bool planted_drop_coherent;

void spw_placement_plant_drop_coherent(bool on)
{
    planted_drop_coherent = on;
}
#endif

/* The properties that a substitute must have. */
static uint32_t wanted_flags(const struct spw_memory_layout *layout, uint32_t asked_type,
                             bool on_device)
{
    uint32_t flags = layout->types[asked_type].flags;
    if (!on_device)
        flags &= ~(uint32_t)SPW_MEMORY_DEVICE_LOCAL;
#ifdef SPW_CHECK
    if (planted_drop_coherent)
        flags &= ~(uint32_t)SPW_MEMORY_HOST_COHERENT;
#endif
    return flags;
}

static bool is_substitute(const struct spw_memory_layout *layout, uint32_t asked_type,
                          uint32_t type, uint32_t allowed_types, bool on_device)
{
    uint32_t flags = layout->types[type].flags;
    uint32_t wanted = wanted_flags(layout, asked_type, on_device);
    return type != asked_type && (allowed_types >> type & 1) != 0 &&
           layout->heaps[layout->types[type].heap].device_local == on_device &&
           layout->types[type].heap != layout->types[asked_type].heap &&
           (flags & wanted) == wanted && (flags & ~wanted & NEVER_UNASKED) == 0;
}

/* Fewer extra properties first, then more room, then the lower index. */
static bool is_better(const struct spw_account *account, uint32_t wanted, uint32_t a, uint32_t b)
{
    const struct spw_memory_type *types = account->layout.types;
    int extra_a = __builtin_popcount(types[a].flags & ~wanted);
    int extra_b = __builtin_popcount(types[b].flags & ~wanted);
    if (extra_a != extra_b)
        return extra_a < extra_b;
    uint64_t room_a = spw_account_room_to_target(account, types[a].heap);
    uint64_t room_b = spw_account_room_to_target(account, types[b].heap);
    return room_a != room_b ? room_a > room_b : a < b;
}

static void append(struct spw_placement_list *list, uint32_t type, enum spw_tier tier,
                   enum spw_why why)
{
    list->items[list->count++] = (struct spw_placement){.type = type, .tier = tier, .why = why};
}

/* All substitutes of one kind, sorted. Returns how many there are. */
static uint32_t substitutes(const struct spw_account *account,
                            const struct spw_placement_request *request, bool on_device,
                            uint32_t found[SPW_MAX_TYPES])
{
    const struct spw_memory_layout *layout = &account->layout;
    uint32_t wanted = wanted_flags(layout, request->asked_type, on_device);
    uint32_t count = 0;
    for (uint32_t type = 0; type < layout->type_count; type++) {
        if (!is_substitute(layout, request->asked_type, type, request->allowed_types, on_device))
            continue;
        uint32_t at = count++;
        for (; at > 0 && is_better(account, wanted, type, found[at - 1]); at--)
            found[at] = found[at - 1];
        found[at] = type;
    }
    return count;
}

void spw_placement_list_fill(struct spw_placement_list *list, const struct spw_account *account,
                             const struct spw_placement_request *request)
{
    const struct spw_memory_type *types = account->layout.types;
    uint32_t asked = request->asked_type;
    uint64_t size = request->size_bytes;
    uint32_t other_vram[SPW_MAX_TYPES], host[SPW_MAX_TYPES];
    uint32_t other_count = substitutes(account, request, true, other_vram);
    uint32_t host_count = substitutes(account, request, false, host);

    list->count = 0;
    list->refusal = SPW_REFUSAL_VIRTUAL_HEAP;
    if (size > spw_account_room_to_commit(account))
        return;

    bool fits = size <= spw_account_room_to_target(account, types[asked].heap);
    if (fits)
        append(list, asked, SPW_TIER_VRAM, SPW_WHY_FITS);
    for (uint32_t i = 0; i < other_count; i++)
        if (size <= spw_account_room_to_target(account, types[other_vram[i]].heap))
            append(list, other_vram[i], SPW_TIER_VRAM, SPW_WHY_OTHER_VRAM);

    bool host_has_room =
        size <= request->host_room && size <= spw_account_room_in_host_tier(account);
    for (uint32_t i = 0; i < host_count; i++)
        if (host_has_room && size <= spw_account_room_to_target(account, types[host[i]].heap))
            append(list, host[i], SPW_TIER_HOST, fits ? SPW_WHY_DRIVER_FULL : SPW_WHY_VRAM_FULL);

    if (!fits && size <= spw_account_room_to_limit(account, types[asked].heap))
        append(list, asked, SPW_TIER_VRAM, SPW_WHY_VRAM_RESERVE);
    for (uint32_t i = 0; i < other_count; i++) {
        uint32_t heap = types[other_vram[i]].heap;
        if (size > spw_account_room_to_target(account, heap) &&
            size <= spw_account_room_to_limit(account, heap))
            append(list, other_vram[i], SPW_TIER_VRAM, SPW_WHY_VRAM_RESERVE);
    }

    if (host_count == 0)
        list->refusal = SPW_REFUSAL_NO_TYPE;
    else if (!host_has_room)
        list->refusal = SPW_REFUSAL_HOST_FLOOR;
    else
        list->refusal = SPW_REFUSAL_DRIVER;
}

bool spw_placement_has_host_type(const struct spw_memory_layout *layout, uint32_t asked_type,
                                 uint32_t allowed_types)
{
    for (uint32_t type = 0; type < layout->type_count; type++)
        if (is_substitute(layout, asked_type, type, allowed_types, false))
            return true;
    return false;
}
