/* SPDX-License-Identifier: MIT
 *
 * Regions: see region.h. The signal handler finds them in a fixed table, without locks. */
#include "region.h"

#include "fault.h"
#include "lost.h"
#include "memory.h"
#include "oracle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void close_block(const struct sim_region *r, uint64_t block)
{
    int protection = r->holes && block < r->blocks ? PROT_READ | PROT_WRITE : PROT_NONE;
    void *address = r->base + block * SIM_GRANULE;
    if (mmap(address, SIM_GRANULE, protection,
             MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        sim_log("cannot unmap a block of resource 0x%llx: too many mappings (vm.max_map_count)?",
                (unsigned long long)r->name);
}

static void free_region(struct sim_region *r)
{
    sim_unreserve(r->base, r->size);
    free((void *)r->bound);
    free((void *)r->opened);
    free(r->owners);
    free(r);
}

struct sim_region *sim_region_create(struct sim_device *device, uint64_t size, bool holes)
{
    struct sim_region *r = calloc(1, sizeof(*r));
    if (r == NULL)
        return NULL;
    r->device = device;
    r->size = sim_round_up(size, SIM_GRANULE);
    r->blocks = r->size / SIM_GRANULE;
    r->holes = holes;
    r->base = sim_reserve(r->size);
    r->bound = calloc(r->blocks, sizeof(*r->bound));
    r->opened = calloc(r->blocks + 1, sizeof(*r->opened));
    r->owners = calloc(r->blocks, sizeof(struct sim_memory *));
    if (r->base == NULL || r->bound == NULL || r->opened == NULL || r->owners == NULL ||
        (holes && mprotect(r->base, r->size, PROT_READ | PROT_WRITE) != 0) || !sim_fault_watch(r)) {
        free_region(r);
        return NULL;
    }
    r->watch = sim_oracle_watch_region(r);
    return r;
}

static void forget_owner_locked(struct sim_region *r, uint64_t block)
{
    if (r->owners[block] != NULL)
        r->owners[block]->bound_blocks--;
    r->owners[block] = NULL;
}

void sim_region_destroy(struct sim_region *r)
{
    if (r == NULL)
        return;
    pthread_mutex_lock(&r->device->map_lock);
    sim_fault_unwatch(r);
    sim_oracle_unwatch_region(r);
    for (uint64_t i = 0; i < r->blocks; i++)
        forget_owner_locked(r, i);
    r->gone = true;
    bool pending = r->pending_binds > 0;
    pthread_mutex_unlock(&r->device->map_lock);
    if (!pending) {
        free_region(r);
        return;
    }
    if (sim_device_is_lost(r->device))
        return; /* it will never be done, and nobody can wait for it */
    /* The queued bind still points here: what it would have written to is left allocated. */
    sim_card_note_bad_bind(sim_card_get(),
                           "resource 0x%llx was destroyed before a bind of it was done",
                           (unsigned long long)r->name);
}

static void unbind_locked(struct sim_region *r, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        forget_owner_locked(r, i);
        atomic_store_explicit(&r->bound[i], 0, memory_order_release);
        close_block(r, i);
    }
}

static bool map_locked(struct sim_region *r, uint64_t offset, uint64_t size,
                       struct sim_memory *memory, uint64_t memory_offset)
{
    for (uint64_t i = offset / SIM_GRANULE; i < (offset + size) / SIM_GRANULE; i++) {
        forget_owner_locked(r, i);
        r->owners[i] = memory;
        memory->bound_blocks++;
        atomic_store_explicit(&r->bound[i], 1, memory_order_release);
    }
    return mmap(r->base + offset, size, sim_oracle_protection(r->watch), MAP_FIXED | MAP_SHARED,
                memory->heap->fd, (off_t)(memory->offset + memory_offset)) != MAP_FAILED;
}

void sim_region_bind(struct sim_region *r, uint64_t offset, uint64_t size,
                     struct sim_memory *memory, uint64_t memory_offset)
{
    pthread_mutex_lock(&r->device->map_lock);
    r->pending_binds--;
    if (memory != NULL)
        memory->pending_binds--;
    if (r->gone || (memory != NULL && memory->gone)) {
        /* told when it happened */
    } else if (memory == NULL) {
        unbind_locked(r, offset / SIM_GRANULE, size / SIM_GRANULE);
    } else if (!map_locked(r, offset, size, memory, memory_offset)) {
        sim_log("cannot map a bind of resource 0x%llx: too many mappings (vm.max_map_count)?",
                (unsigned long long)r->name);
        unbind_locked(r, offset / SIM_GRANULE, size / SIM_GRANULE);
    }
    pthread_mutex_unlock(&r->device->map_lock);
}

void sim_region_note_pending(struct sim_region *r, struct sim_memory *memory)
{
    pthread_mutex_lock(&r->device->map_lock);
    r->pending_binds++;
    if (memory != NULL)
        memory->pending_binds++;
    pthread_mutex_unlock(&r->device->map_lock);
}

static void forget_in_region(struct sim_region *r, void *user)
{
    const struct sim_memory *memory = user;
    for (uint64_t i = 0; i < r->blocks && memory->bound_blocks > 0; i++) {
        if (r->owners[i] == memory)
            unbind_locked(r, i, 1);
    }
}

bool sim_region_forget_memory(struct sim_device *device, struct sim_memory *memory)
{
    pthread_mutex_lock(&device->map_lock);
    if (memory->bound_blocks > 0)
        sim_fault_for_each_region(device, forget_in_region, memory);
    memory->gone = true;
    bool pending = memory->pending_binds > 0;
    pthread_mutex_unlock(&device->map_lock);
    if (pending && !sim_device_is_lost(device))
        sim_card_note_bad_bind(sim_card_get(),
                               "memory 0x%llx was freed before a bind to it was done",
                               (unsigned long long)SIM_KEY(memory->handle));
    return !pending;
}

static void close_in_region(struct sim_region *r, void *user)
{
    (void)user;
    for (uint64_t i = 0; i <= r->blocks; i++) {
        if (!atomic_exchange_explicit(&r->opened[i], 0, memory_order_acquire))
            continue;
        if (i == r->blocks || !atomic_load_explicit(&r->bound[i], memory_order_acquire))
            close_block(r, i);
    }
}

void sim_region_close_opened(struct sim_device *device)
{
    if (!atomic_exchange_explicit(&device->fault_opened, false, memory_order_acquire))
        return;
    pthread_mutex_lock(&device->map_lock);
    sim_fault_for_each_region(device, close_in_region, NULL);
    pthread_mutex_unlock(&device->map_lock);
}
