/* SPDX-License-Identifier: MIT
 *
 * Names and places of objects: see bound.h. */
#include "bound.h"

#include "memory.h"
#include "region.h"
#include "resource.h"

#include <stdlib.h>
#include <string.h>

static struct sim_map bounds = SIM_MAP_INITIALIZER; /* handle → struct sim_bound */

static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER; /* around what names hold */
static struct sim_map names = SIM_MAP_INITIALIZER;             /* handle → string */

void sim_bound_note(uint64_t handle, bool image, const struct sim_memory *memory, uint64_t offset,
                    uint64_t size)
{
    struct sim_bound *bound = malloc(sizeof(*bound));
    if (bound == NULL)
        return;
    *bound = (struct sim_bound){.handle = handle,
                                .image = image,
                                .memory = memory->handle,
                                .memory_id = memory->id,
                                .offset = offset,
                                .size = size};
    free(sim_map_remove(&bounds, handle)); /* the planes of a disjoint image: the last one counts */
    if (sim_map_insert(&bounds, handle, bound) != 0)
        free(bound);
}

void sim_bound_forget(uint64_t handle)
{
    if (handle == 0)
        return;
    free(sim_map_remove(&bounds, handle));
    sim_name_set(handle, NULL);
}

struct visit {
    void (*fn)(const struct sim_bound *bound, void *user);
    void *user;
};

static void visit_value(void *value, void *user)
{
    const struct visit *v = user;
    v->fn(value, v->user);
}

void sim_bound_for_each(void (*fn)(const struct sim_bound *bound, void *user), void *user)
{
    struct visit v = {.fn = fn, .user = user};
    sim_map_for_each(&bounds, visit_value, &v);
}

void sim_name_set(uint64_t handle, const char *name)
{
    char *copy = name != NULL && name[0] != '\0' ? strdup(name) : NULL;
    pthread_mutex_lock(&names_lock);
    free(sim_map_remove(&names, handle));
    if (copy != NULL && sim_map_insert(&names, handle, copy) != 0)
        free(copy);
    pthread_mutex_unlock(&names_lock);
}

void sim_name_get(uint64_t handle, char *name, size_t size)
{
    pthread_mutex_lock(&names_lock);
    const char *found = sim_map_find(&names, handle);
    size_t length = found != NULL ? strnlen(found, size - 1) : 0;
    if (length > 0)
        memcpy(name, found, length);
    name[length] = '\0';
    pthread_mutex_unlock(&names_lock);
}

uint64_t sim_buffer_size(struct sim_device *device, VkBuffer buffer)
{
    const struct sim_resource *resource = sim_resource_find_buffer(device, buffer);
    if (resource != NULL)
        return resource->requirements.size;
    const struct sim_bound *bound = sim_map_find(&bounds, SIM_KEY(buffer));
    return bound != NULL ? bound->size : 0;
}

enum sim_place sim_memory_place(const struct sim_memory *memory)
{
    const struct sim_profile *profile = sim_card_get()->profile;
    if (memory == NULL)
        return SIM_PLACE_NOWHERE;
    if (memory->heap == NULL)
        return SIM_PLACE_HOST; /* the program's own memory */
    uint32_t heap = profile->types[memory->type].heapIndex;
    return profile->heaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? SIM_PLACE_VRAM
                                                                        : SIM_PLACE_HOST;
}

enum sim_place sim_buffer_place(struct sim_device *device, VkBuffer buffer, uint64_t offset,
                                uint64_t size, uint64_t *run_bytes)
{
    const struct sim_resource *resource = sim_resource_find_buffer(device, buffer);
    *run_bytes = size;
    if (resource == NULL) {
        const struct sim_bound *bound = sim_map_find(&bounds, SIM_KEY(buffer));
        return bound != NULL ? sim_memory_place(sim_memory_find(device, bound->memory))
                             : SIM_PLACE_NOWHERE;
    }
    const struct sim_region *region = resource->region;
    uint64_t block = offset / SIM_GRANULE, left = SIM_GRANULE - offset % SIM_GRANULE;
    if (block >= region->blocks)
        return SIM_PLACE_NOWHERE;
    *run_bytes = left < size ? left : size;
    pthread_mutex_lock(&device->map_lock);
    enum sim_place place = sim_memory_place(region->owners[block]);
    pthread_mutex_unlock(&device->map_lock);
    return place;
}
