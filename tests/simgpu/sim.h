/* SPDX-License-Identifier: MIT
 *
 * simgpu's objects. Glossary:
 *
 *   driver      the software driver below (lavapipe, SwiftShader): real VkDevice, one real queue
 *   card        what the programs see: heaps, memory types and queue families of a profile. One per
 *               process, whatever the number of instances and devices, so heaps are shared as on a
 * card region      reserved addresses that the driver knows as the memory of one sparse resource;
 * pages of heap files are mapped into it by binds (region.h)
 *
 * Handles are the driver's own, except VkQueue, which is a struct sim_queue. Fences and semaphores
 * are real driver objects too, but only as names: their state is simgpu's (sync.h).
 *
 * Locks, outer before inner: the oracle's submit_lock > drv_lock; submit_lock > map_lock > the
 * region tables', handle maps, names; sync_lock > handle maps. All others (a fifo's, a heap's, the
 * cost list's) are held alone. */
#pragma once

#include "card.h"
#include "entry.h"
#include "map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SIM_EXPORT __attribute__((visibility("default")))

#define SIM_PAGE    ((uint64_t)4096)  /* unit of heap accounting and of mappings */
#define SIM_GRANULE ((uint64_t)65536) /* sparse block: alignment and granularity of binds */

/* Rounds up to a power of two; sizes near 2^64 do not wrap but become UINT64_MAX & ~(unit - 1). */
static inline uint64_t sim_round_up(uint64_t size, uint64_t unit)
{
    return size > UINT64_MAX - unit ? ~(unit - 1) : (size + unit - 1) & ~(unit - 1);
}

/* The loaded driver. Constant once sim_driver_get() has returned it. */
struct sim_driver {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    uint32_t interface_version; /* loader-driver interface agreed with it */
    PFN_vkCreateInstance create_instance;
    PFN_vkEnumerateInstanceExtensionProperties enumerate_extensions;
    PFN_vkEnumerateInstanceVersion enumerate_version;
};

/* NULL (and a message): no usable driver. Any thread. */
const struct sim_driver *sim_driver_get(void);
/* The highest API version that is both the driver's and in the tables. */
uint32_t sim_driver_api_version(uint32_t version);

/* Constant after creation. */
struct sim_physical {
    VkPhysicalDevice handle;
    struct sim_instance *instance;
    VkPhysicalDeviceProperties driver_properties;
    uint64_t import_alignment; /* minImportedHostPointerAlignment */
};

struct sim_instance {
    VkInstance handle;
    uint32_t api_version; /* what the program asked for */
    struct sim_extension_set extensions;
    struct sim_instance_table vk;
    struct sim_physical physical;
    bool has_device; /* the driver has a device that can import host memory */
};

struct sim_device {
    /* constant after creation */
    VkDevice handle;
    const struct sim_physical *physical;
    struct sim_extension_set extensions;
    PFN_vkGetDeviceProcAddr get_proc_addr;
    struct sim_device_table vk;
    uint32_t import_type; /* the driver's memory type for imported host memory */
    VkQueue driver_queue;
    struct sim_queue *queues[SIM_MAX_FAMILIES][SIM_MAX_QUEUES]; /* NULL: not asked for */

    pthread_mutex_t drv_lock; /* around every use of driver_queue */

    /* Semaphore and fence state of the whole device, and their owners' life (sync.h). */
    pthread_mutex_t sync_lock;
    pthread_cond_t sync_changed;
    bool stopping; /* protected by sync_lock: waits of workers give up */
    bool lost;     /* protected by sync_lock: likewise, and everyone's (lost.h) */

    _Atomic uint32_t allocations;  /* live, against SIMGPU_MAX_ALLOCATIONS */
    _Atomic uint64_t sparse_bytes; /* of sparse resources, against SIMGPU_SPARSE_SPACE */

    pthread_mutex_t map_lock;               /* what is mapped in regions (region.h) */
    struct sim_oracle_range *oracle_ranges; /* protected by map_lock (oracle.h) */
    _Atomic bool fault_opened; /* set by the signal handler: blocks of a region are open */

    struct sim_map memories;   /* VkDeviceMemory → struct sim_memory */
    struct sim_map buffers;    /* sparse VkBuffer → struct sim_resource */
    struct sim_map images;     /* VkImage → struct sim_resource */
    struct sim_map semaphores; /* VkSemaphore → struct sim_semaphore */
    struct sim_map fences;     /* VkFence → struct sim_fence */
    struct sim_map
        swapchains; /* VkSwapchainKHR → struct sim_swapchain; only if presents are hashed */
    struct sim_map layouts;              /* VkImage → struct sim_layouts (layouts.h) */
    struct sim_map views;                /* VkImageView → struct sim_view (layouts.h) */
    struct sim_map framebuffers, passes; /* of layout_passes.c */
};

/* NULL: not ours. Any thread. */
struct sim_instance *sim_instance_find(VkInstance handle);
struct sim_physical *sim_physical_find(VkPhysicalDevice handle);
struct sim_device *sim_device_find(VkDevice handle);

/* First struct of that type in a chain, or NULL. */
const void *sim_chain_find(const void *chain, VkStructureType type);

static inline uint64_t sim_key(const void *handle)
{
    return (uint64_t)(uintptr_t)handle;
}

/* Non-dispatchable handles are pointers on 64-bit machines and integers elsewhere. */
#define SIM_KEY(handle) ((uint64_t)(handle))
