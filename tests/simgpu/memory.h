/* SPDX-License-Identifier: MIT
 *
 * VkDeviceMemory: a range of a heap's file, mapped once for the driver (imported as host memory)
 * and, on the first vkMapMemory, a second time for the program, so that the two can be told apart.
 *
 * Of a type that is not HOST_COHERENT the program gets a copy of its own instead, and only vkFlush-
 * and vkInvalidateMappedMemoryRanges carry bytes between the two: who takes coherence for granted
 * reads something else. */
#pragma once

#include "residency.h"
#include "sim.h"

struct sim_memory {
    /* constant after creation */
    VkDeviceMemory handle;
    uint64_t id;           /* never used twice in the process */
    struct sim_heap *heap; /* NULL: imported by the program, nothing of a heap */
    uint32_t type;
    uint64_t offset, size; /* in the heap's file; size as the program asked */
    uint64_t span;         /* mapped bytes: whole pages */
    char *driver_va;       /* or the program's own pointer */

    struct sim_oracle_range *watch; /* NULL: the oracle is off, or has no room */

    /* protected by external synchronisation of the memory (vkMapMemory) */
    char *host_va;
    uint64_t mapped_end; /* where VK_WHOLE_SIZE ends */

    /* protected by device->map_lock */
    uint64_t bound_blocks;  /* sparse blocks that map it now */
    uint64_t pending_binds; /* queued, not yet done */
    bool gone;              /* freed */

    struct sim_residency residency; /* residency.h */
};

struct sim_memory *sim_memory_find(struct sim_device *device, VkDeviceMemory handle);

/* The driver's memory over addresses; the caller keeps the addresses. */
VkResult sim_import(struct sim_device *device, void *address, uint64_t size, bool device_address,
                    const VkAllocationCallbacks *allocator, VkDeviceMemory *out);

/* Addresses aligned for the driver's import and for sparse blocks: nothing mapped, and a block of
 * guard behind them. NULL: no room. */
void *sim_reserve(uint64_t size);
void sim_unreserve(void *address, uint64_t size);

/* vkDestroyDevice: gives back what the program did not free. */
void sim_memory_release_all(struct sim_device *device);
