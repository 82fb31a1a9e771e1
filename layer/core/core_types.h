/* SPDX-License-Identifier: MIT
 *
 * The words of the core, with numbers in them. The core knows no Vulkan: memory types and heaps are
 * copied into these structs by the glue, property bits under the same values as
 * VkMemoryPropertyFlagBits (vk/ asserts that they are equal).
 *
 * Invariants (spw_account_is_valid walks them):
 *   committed           = Σ over live device-local requests, whatever heap they were placed in
 *   placed[h]           = Σ over live allocations of ours that lie in heap h
 *   redirected_from[h]  = Σ over requests for heap h that were placed in another heap
 *   redirected_into[h]  = Σ over allocations in heap h that were asked of another heap
 *   Σ redirected_from   = Σ redirected_into
 *   host_bytes          = Σ redirected_into[h] over heaps that are not device-local ≤ committed */
#pragma once

#include "base.h"

#define SPW_MAX_HEAPS 16 /* VK_MAX_MEMORY_HEAPS */
#define SPW_MAX_TYPES 32 /* VK_MAX_MEMORY_TYPES */

enum spw_memory_flags {
    SPW_MEMORY_DEVICE_LOCAL = 0x1,
    SPW_MEMORY_HOST_VISIBLE = 0x2,
    SPW_MEMORY_HOST_COHERENT = 0x4,
    SPW_MEMORY_HOST_CACHED = 0x8,
    SPW_MEMORY_LAZILY_ALLOCATED = 0x10,
    SPW_MEMORY_PROTECTED = 0x20,
    SPW_MEMORY_DEVICE_COHERENT_AMD = 0x40,
    SPW_MEMORY_DEVICE_UNCACHED_AMD = 0x80,
    SPW_MEMORY_RDMA_CAPABLE_NV = 0x100,
};

struct spw_memory_type {
    uint32_t flags; /* spw_memory_flags */
    uint32_t heap;
};

struct spw_memory_heap {
    uint64_t size_bytes; /* the driver's */
    bool device_local;
};

/* What the driver says there is: constant for a physical device. */
struct spw_memory_layout {
    uint32_t heap_count, type_count;
    struct spw_memory_heap heaps[SPW_MAX_HEAPS];
    struct spw_memory_type types[SPW_MAX_TYPES];
    uint32_t main_heap; /* the largest device-local heap: "VRAM"; UINT32_MAX: none */
    uint32_t host_heap; /* the largest heap that is not device-local; UINT32_MAX: unified memory */
};

/* Where the bytes of a request ended up. */
enum spw_tier { SPW_TIER_VRAM, SPW_TIER_HOST, SPW_TIER_COUNT };

/* Why they ended up there. */
enum spw_why {
    SPW_WHY_FITS,
    SPW_WHY_OTHER_VRAM,       /* another device-local heap had room */
    SPW_WHY_VRAM_FULL,        /* the VRAM target is reached: host */
    SPW_WHY_DRIVER_FULL,      /* within the target, but the driver refused: host */
    SPW_WHY_VRAM_RESERVE,     /* host memory had no room: the reserve was used */
    SPW_WHY_LEFT_ALONE,       /* exported, imported, protected, masked, …: not ours to place */
    SPW_WHY_NOT_DEVICE_LOCAL, /* asked for host memory */
    SPW_WHY_COUNT,
};

enum spw_refusal {
    SPW_REFUSAL_VIRTUAL_HEAP, /* all that was promised is in use */
    SPW_REFUSAL_HOST_FLOOR,   /* host memory is down to what has to stay free, or host_limit */
    SPW_REFUSAL_NO_TYPE,      /* no other memory type could hold what may be bound to it */
    SPW_REFUSAL_DRIVER,       /* there should have been room; every candidate was refused */
    SPW_REFUSAL_COUNT,
};

const char *spw_tier_name(enum spw_tier tier);
const char *spw_why_name(enum spw_why why);
const char *spw_refusal_name(enum spw_refusal refusal);
