/* SPDX-License-Identifier: MIT
 *
 * The layer's own view of Vulkan objects. Instances and devices are found by their dispatch key
 * (the first word of every dispatchable handle, which the loader shares among an instance and its
 * physical devices, and among a device, its queues and command buffers); everything else by its
 * handle. */
#pragma once

#include "account.h"
#include "config.h"
#include "handle_map.h"
#include "hooks_gen.h"
#include "host_promise.h"
#include "lock.h"
#include "stats.h"
#include "type_classes.h"

#include <vulkan/vulkan.h>

#include <vulkan/vk_layer.h>

#define SPW_LAYER_NAME        "VK_LAYER_SPILLWAY_overcommit"
#define SPW_LAYER_DESCRIPTION "Lets programs use more device-local memory than the GPU has"

/* What an instance's settings are resolved from, again for each GPU. */
struct spw_settings_source {
    struct spw_config *config;  /* of the process, held; NULL: built-in defaults */
    struct spw_program program; /* its texts are the process's and those below */
    char *application, *engine; /* owned */
    struct spw_api_settings api;
};

struct spw_instance {
    /* constant after init */
    VkInstance handle;
    struct spw_instance_next next;
    PFN_GetPhysicalDeviceProcAddr next_gpdpa; /* NULL: nothing below has one */
    struct spw_settings_source settings_source;
    struct spw_effective effective;
    bool disabled;         /* SPILLWAY_DISABLE: only the chain's own hooks answer */
    struct spw_mutex lock; /* SPW_RANK_INSTANCE: creation of physical devices */
    struct spw_handle_map physical_devices; /* VkPhysicalDevice → spw_physical_device, owned */
};

struct spw_physical_device {
    /* constant after init */
    VkPhysicalDevice handle;
    struct spw_instance *instance;
    struct spw_effective effective; /* the settings that hold on this GPU */
    char *settings_json;            /* the same for the exit summary; NULL where none is wanted */
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    enum spw_mode mode; /* REDIRECT or PASSTHROUGH */
    char reason[VK_MAX_DESCRIPTION_SIZE];
    bool
        unified; /* passing through, but the host floor is kept and nonsense in budgets is mended */
    bool has_budget;                   /* the driver has VK_EXT_memory_budget */
    uint64_t host_floor;               /* bytes */
    uint64_t told_size[SPW_MAX_HEAPS]; /* what the program is told */
    struct spw_mutex lock;             /* SPW_RANK_DEVICE */
    /* protected by lock */
    struct spw_account account;
};

struct spw_device {
    /* constant after init */
    VkDevice handle;
    struct spw_physical_device *physical;
    struct spw_device_next next;
    PFN_vkGetDeviceProcAddr next_gdpa;
    bool group; /* more than one physical device: memory may have an instance on each, left alone */
    struct spw_handle_map memories; /* VkDeviceMemory → spw_memory, owned */
    /* VkBuffer and VkImage whose memory is never ours to place; apart, since only within a type are
     * handles that are not dispatchable distinct */
    struct spw_handle_map exempt_buffers, exempt_images;
    /* atomic inside */
    struct spw_type_classes type_classes;
    /* protected by physical->lock */
    struct spw_stats stats;
};

/* A live VkDeviceMemory, the driver's own. Constant after creation. */
struct spw_memory {
    uint64_t size_bytes;
    uint64_t promised_bytes; /* of host memory, to be given back */
    uint32_t asked_type, placed_type;
    enum spw_tier tier; /* SPW_TIER_COUNT: not device-local */
};

/* What the whole process shares. */
struct spw_process {
    struct spw_handle_map instances, devices; /* dispatch key → object, owned */
    struct spw_host_promise host_promise;
};

/* Set up on first use, never torn down: another thread of the host process may still be inside. */
struct spw_process *spw_process_get(void);

/* NULL: not one of ours (a layer above that wraps handles, a handle of nothing). Any thread, no
 * lock. */
struct spw_instance *spw_instance_find(VkInstance instance);
struct spw_instance *spw_instance_of(VkPhysicalDevice physical_device);
struct spw_device *spw_device_find(VkDevice device);

/* Map keys. Handles that are not dispatchable are pointers on 64-bit platforms, 64-bit integers on
 * others (VK_DEFINE_NON_DISPATCHABLE_HANDLE). */
#define SPW_POINTER_KEY(pointer) ((uint64_t)(uintptr_t)(pointer))
#if VK_USE_64_BIT_PTR_DEFINES
#define SPW_HANDLE_KEY(handle) SPW_POINTER_KEY(handle)
#else
#define SPW_HANDLE_KEY(handle) ((uint64_t)(handle))
#endif

/* The first word of a dispatchable handle. */
uint64_t spw_dispatch_key(const void *dispatchable);
