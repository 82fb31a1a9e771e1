/* SPDX-License-Identifier: MIT
 *
 * What the programs of this folder share that go through a real loader: the loader, opened as
 * programs do, instances and devices with as little ceremony as Vulkan allows, and a look at the
 * process. Everything that must work and does not ends the program with status 1 and a line on
 * stderr. One thread. */
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SPILLWAY_LAYER "VK_LAYER_SPILLWAY_overcommit"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_VK(call)                                                                             \
    do {                                                                                           \
        VkResult result_ = (call);                                                                 \
        if (result_ != VK_SUCCESS) {                                                               \
            fprintf(stderr, "%s:%d: %d from %s\n", __FILE__, __LINE__, result_, #call);            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* The loader's global commands, set by probe_open_loader(). */
struct probe_vk {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    PFN_vkCreateInstance CreateInstance;
    PFN_vkEnumerateInstanceLayerProperties EnumerateInstanceLayerProperties;
};
extern struct probe_vk vk;

struct probe_device {
    VkDevice handle;
    VkQueue queue;
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    PFN_vkDestroyDevice DestroyDevice;
    PFN_vkAllocateMemory AllocateMemory;
    PFN_vkFreeMemory FreeMemory;
    PFN_vkMapMemory MapMemory;
    PFN_vkUnmapMemory UnmapMemory;
    PFN_vkQueueSubmit QueueSubmit;
    PFN_vkQueueWaitIdle QueueWaitIdle;
};

void probe_open_loader(void);
/* The file that it really is. */
const char *probe_loader_path(void);

/* A command that must be there. */
PFN_vkVoidFunction need(VkInstance instance, const char *name);

/* Vulkan `api_version`, no layers, no extensions. */
VkInstance probe_instance(uint32_t api_version);
void probe_destroy_instance(VkInstance instance);

/* The first physical device. */
VkPhysicalDevice probe_gpu(VkInstance instance);

/* One queue of family 0, nothing enabled. */
void probe_device_create(struct probe_device *d, VkInstance instance, VkPhysicalDevice gpu);
void probe_device_destroy(struct probe_device *d);

/* A memory type that is host-visible and coherent: the specification promises one. */
uint32_t probe_host_type(VkInstance instance, VkPhysicalDevice gpu);

/* Is a file whose path contains `part` mapped into this process? */
bool probe_is_mapped(const char *part);

/* What a guest in a process has to leave alone: signal handlers and mask, locale, working
 * directory, umask, rounding mode, limits, environment, open files, threads. before() takes it
 * down; after() writes it as it is now to `path`, and is false if anything differs, after a line on
 * stderr for each that does. */
void probe_state_before(void);
bool probe_state_after(const char *path);
