/* SPDX-License-Identifier: MIT
 *
 * A world for the layer to live in that does whatever a test wants: a driver (fake_driver.c,
 * fake_device.c) which logs what is asked of it, counts what it made and fails on demand, and a
 * loader (fake_loader.c) which opens the layer's shared object, negotiates, and builds the chain of
 * create infos as the Khronos loaders do. One thread; one layer per process. */
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SPILLWAY_LAYER "VK_LAYER_SPILLWAY_overcommit"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: in %s: not so: %s\n", __FILE__, __LINE__, fake.test,           \
                    #condition);                                                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define FAKE_MAX_CALLS 4096
#define FAKE_MAX_NAMES 64
#define FAKE_GPUS      2
#define FAKE_NO_FAULT  UINT32_MAX

/* --- The driver. Handles are real ones: a loader-dispatchable object starts with a pointer. */

struct fake_gpu {
    const void *dispatch;
    struct fake_instance *instance;
    uint32_t index;
};

struct fake_instance {
    const void *dispatch;
    bool alive;
    uint32_t api_version; /* as asked for by the create info that got here */
    uint32_t extension_count;
    char extensions[FAKE_MAX_NAMES][VK_MAX_EXTENSION_NAME_SIZE];
    struct fake_gpu gpus[FAKE_GPUS];
};

struct fake_queue {
    const void *dispatch;
    uint32_t family;
};

struct fake_device {
    const void *dispatch;
    bool alive;
    struct fake_gpu *gpu;
    uint32_t extension_count;
    char extensions[FAKE_MAX_NAMES][VK_MAX_EXTENSION_NAME_SIZE];
    struct fake_queue queue;
    uint64_t used_bytes[VK_MAX_MEMORY_HEAPS];
};

enum fake_kind { FAKE_FREE, FAKE_MEMORY, FAKE_BUFFER, FAKE_IMAGE };

struct fake_object {
    enum fake_kind kind;
    struct fake_device *device;
    VkDeviceSize size_bytes;
    uint32_t type; /* memory: its type */
    void *bytes;   /* memory: while mapped */
};

/* What kind of driver it is. */
struct fake_config {
    uint32_t api_version; /* of instance and devices */
    const char *const *device_extensions;
    uint32_t device_extension_count;
    VkPhysicalDeviceMemoryProperties memory;
    bool sparse;
    bool everything; /* unknown commands have an address (which counts as a mistake when called) */
    const char *missing; /* NULL, or one command that has no address */
    bool forgiving;      /* vkDestroyDevice takes with it what the program forgot */
};

struct fake_state {
    const char *test; /* the test that runs, for messages */
    struct fake_config config;
    uint32_t live_instances, live_devices, live_objects;
    uint32_t mistakes; /* invalid use of the driver, told on stderr */

    /* Every call, in order; those that answer a VkResult can be made to fail. */
    uint32_t call_count;
    const char *calls[FAKE_MAX_CALLS];
    bool fallible[FAKE_MAX_CALLS];
    uint32_t fail_at;        /* index in calls, or FAKE_NO_FAULT */
    const char *fail_always; /* NULL, or the command that fails every time */
    VkResult fail_with;

    /* Called, where set, as vkCreateInstance and vkCreateDevice arrive at the driver. */
    void (*on_create_instance)(const VkInstanceCreateInfo *info,
                               const VkAllocationCallbacks *allocator, VkInstance *instance);
    void (*on_create_device)(const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                             VkDevice *device);
};
extern struct fake_state fake;

/* A discrete GPU like most, Vulkan 1.3, without any extension; nothing alive, no faults. */
void fake_reset(void);

/* Nothing alive, no mistake made. */
void fake_check_clean(void);

uint32_t fake_count_calls(const char *name);

/* Has anybody asked for the address of this command, since the process began? */
bool fake_was_looked_up(const char *name);

PFN_vkVoidFunction VKAPI_CALL fake_GetInstanceProcAddr(VkInstance instance, const char *name);
PFN_vkVoidFunction VKAPI_CALL fake_GetDeviceProcAddr(VkDevice device, const char *name);

/* For fake_device.c. The log, and the fault if it is this call's turn. */
void fake_log(const char *name);
VkResult fake_enter(const char *name);
PFN_vkVoidFunction fake_device_command(const char *canonical_name);
void fake_mistake(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- The loader. */

struct fake_layer {
    void *library;
    const char *path;
    PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate;
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    PFN_GetPhysicalDeviceProcAddr GetPhysicalDeviceProcAddr; /* may be NULL */
};
extern struct fake_layer layer;

/* dlopen()s the file and negotiates interface version 2. */
void fake_open_layer(const char *path);

/* Does the address lie in the layer's shared object? */
bool fake_is_layers(PFN_vkVoidFunction address);

/* vkCreateInstance and vkCreateDevice as a loader calls the first layer: loader structs first, then
 * `info`'s own chain. `info` itself is not written. */
VkResult fake_create_instance(const VkInstanceCreateInfo *info,
                              const VkAllocationCallbacks *allocator, VkInstance *instance);
VkResult fake_create_device(VkInstance instance, VkPhysicalDevice gpu,
                            const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                            VkDevice *device);

/* The same with nothing special; ends the test on failure. */
VkInstance fake_simple_instance(uint32_t api_version);
VkDevice fake_simple_device(VkInstance instance, VkPhysicalDevice gpu);
VkPhysicalDevice fake_first_gpu(VkInstance instance);
void fake_destroy_instance(VkInstance instance);
void fake_destroy_device(VkDevice device);

/* The link that the loader's struct pointed to when the layer had called down: what the next layer
 * would take for its own. */
const VkLayerInstanceLink *fake_instance_link(unsigned index);
const VkLayerDeviceLink *fake_device_link(unsigned index);

/* --- The heap (heap_count.c). Under a sanitizer, which has a better eye for it, these do nothing.
 */

bool heap_is_counted(void);
/* Blocks not yet freed, of the whole process. */
int64_t heap_live(void);
/* The n-th allocation (from 1) that the layer makes from now on fails; 0: none. */
void heap_fail_nth(uint32_t n);
/* Did it come to that? */
bool heap_has_failed(void);
