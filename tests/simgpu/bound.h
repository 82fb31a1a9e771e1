/* SPDX-License-Identifier: MIT
 *
 * What the program calls its objects, and where its plain buffers and images are bound: what
 * reports need to speak of resources instead of addresses. Handles of different kinds are pointers
 * into the driver and so differ among all that are alive, whatever the kind or the device. Any
 * thread. */
#pragma once

#include "sim.h"

struct sim_memory;

/* A plain resource in its memory. */
struct sim_bound {
    /* constant after creation */
    uint64_t handle;
    bool image;
    VkDeviceMemory memory;
    uint64_t memory_id; /* memory may be freed, and its handle reused, before the resource goes */
    uint64_t offset, size;
};

/* A plain bind that was found right. Where there is no memory for it, the resource stays unknown.
 */
void sim_bound_note(uint64_t handle, bool image, const struct sim_memory *memory, uint64_t offset,
                    uint64_t size);
/* The object is about to be destroyed: forgets its binding and its name. */
void sim_bound_forget(uint64_t handle);
/* Calls fn for each plain resource; fn must not call back into here. */
void sim_bound_for_each(void (*fn)(const struct sim_bound *bound, void *user), void *user);

/* A NULL or empty name takes it away. */
void sim_name_set(uint64_t handle, const char *name);
/* Copies the name, cut off where it does not fit; "" if there is none. */
void sim_name_get(uint64_t handle, char *name, size_t size);

/* Of its memory; 0: not bound. */
uint64_t sim_buffer_size(struct sim_device *device, VkBuffer buffer);

/* Where the bytes of a buffer are. */
enum sim_place { SIM_PLACE_NOWHERE, SIM_PLACE_VRAM, SIM_PLACE_HOST };
enum sim_place sim_memory_place(const struct sim_memory *memory);
/* Of the byte at offset; *run_bytes: how many from there on are in the same place for sure, at
 * least 1 and at most size. A sparse buffer is asked block by block. Takes device->map_lock. */
enum sim_place sim_buffer_place(struct sim_device *device, VkBuffer buffer, uint64_t offset,
                                uint64_t size, uint64_t *run_bytes);
