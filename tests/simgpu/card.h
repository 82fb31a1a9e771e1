/* SPDX-License-Identifier: MIT
 *
 * The card: settings from the environment, the profile's heaps, memory types and queue families,
 * and the counters. One per process. No Vulkan objects in here. */
#pragma once

#include "heap.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <vulkan/vulkan.h>

#define SIM_MAX_HEAPS    3
#define SIM_MAX_TYPES    8
#define SIM_MAX_FAMILIES 3
#define SIM_MAX_QUEUES   2

enum sim_heap_size { SIM_SIZE_VRAM, SIM_SIZE_HOST, SIM_SIZE_BAR, SIM_SIZE_COUNT };

struct sim_profile {
    const char *name;
    VkPhysicalDeviceType device_type;
    uint32_t vendor_id, device_id;
    uint32_t heap_count, type_count, family_count;
    struct {
        enum sim_heap_size size;
        VkMemoryHeapFlags flags;
    } heaps[SIM_MAX_HEAPS];
    VkMemoryType types[SIM_MAX_TYPES];
    uint32_t
        optimal_image_types; /* memoryTypeBits of optimal images; everything else takes all types */
    VkDeviceSize optimal_image_alignment;
    VkDeviceSize buffer_image_granularity;
    bool sparse;
    bool pageable; /* the driver evicts instead of refusing: residency.h */
    VkQueueFamilyProperties families[SIM_MAX_FAMILIES];
};

enum sim_budget_kind {
    SIM_BUDGET_HEAP,
    SIM_BUDGET_SIZE,
    SIM_BUDGET_WRAP,
    SIM_BUDGET_ZERO,
    SIM_BUDGET_HUGE
};

/* What VK_EXT_memory_budget says of the VRAM heap. */
struct sim_budget {
    enum sim_budget_kind kind;
    uint64_t size;
};

struct sim_limits {
    uint32_t api_version; /* at most that of the driver below; UINT32_MAX: as the driver */
    uint32_t max_allocations;
    uint64_t sparse_space;
};

/* lost.h */
struct sim_mishaps {
    uint64_t submit_delay_us, bind_delay_us;
    uint64_t lost_at;     /* which submit the device is lost at; 0: never */
    bool lost_late;       /* that submit is accepted, and the device lost when it would run */
    uint64_t submit_room; /* with more than this allocated, submits are refused */
};

struct sim_card {
    /* constant after sim_card_get() has returned it */
    const struct sim_profile *profile;
    const char *driver; /* a name of driver.c or a path; NULL: lavapipe */
    bool strict, relaxed_bind, poison, accept_export, pageable;
    struct sim_limits limits;
    struct sim_mishaps mishaps;

    /* protected by the lock of control.c */
    struct sim_budget budget;

    struct sim_heap heaps[SIM_MAX_HEAPS];

    /* counters; relaxed: nothing is published through them */
    _Atomic uint64_t bind_calls, bind_ranges, bad_binds, gpu_faults, submits;
    _Atomic uint64_t too_many_objects, sparse_refusals, faults_injected, devices_lost;
};

/* The process's card, set up on first use. Never NULL: bad settings are reported and replaced by
 * their defaults, except an unknown profile, which is fatal (a test would silently run on the wrong
 * card). */
struct sim_card *sim_card_get(void);

const struct sim_profile *sim_profile_find(const char *name);

/* What VK_EXT_memory_budget answers for a heap. */
uint64_t sim_card_heap_budget(struct sim_card *card, uint32_t heap);

/* "256MiB", "4096"; false: not a size. */
bool sim_parse_size(const char *text, uint64_t *size);
/* A size, or one of wrap, zero, huge; false: neither. */
bool sim_parse_budget(const char *text, struct sim_budget *budget);
/* A path of the environment in which %p stands for the process id: several processes, several
 * files. NULL: not set. The caller frees it. */
char *sim_env_path(const char *name);
/* A setting that cannot be understood ends the process: a test must not run on the wrong card. */
_Noreturn void sim_bad_setting(const char *name, const char *text, const char *wanted);

/* All memory types as memoryTypeBits; the host-visible types of host heaps only. */
uint32_t sim_card_all_types(const struct sim_card *card);
uint32_t sim_card_host_types(const struct sim_card *card);

/* A bind that a card could not honour: count, say so, abort if strict. */
void sim_card_note_bad_bind(struct sim_card *card, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* lavapipe, swiftshader or other: what SIMGPU_DRIVER names (driver.c). */
const char *sim_driver_name(void);

/* A JSON string, quotes included. */
void sim_json_string(FILE *f, const char *text);

/* One line to SIMGPU_LOG or stderr; sim_log_fd() is for signal handlers. */
void sim_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
int sim_log_fd(void);

/* Writes the counters to SIMGPU_STATS if that is set; also done at exit. */
void sim_stats_write(void);
