/* SPDX-License-Identifier: MIT
 *
 * The command and extension tables (generated, sim_tables.c) and the look-ups over them. All
 * constant: any thread. */
#pragma once

#include "sim_tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_level {
    SIM_LEVEL_GLOBAL,   /* no dispatchable first parameter */
    SIM_LEVEL_INSTANCE, /* VkInstance */
    SIM_LEVEL_PHYSICAL, /* VkPhysicalDevice */
    SIM_LEVEL_DEVICE,   /* VkDevice, VkQueue, VkCommandBuffer */
};

struct sim_command {
    const char *name;
    enum sim_level level;
    uint32_t core;           /* API version that has it under this name, or 0 */
    PFN_vkVoidFunction hook; /* NULL: the driver's own */
    uint32_t extension_count;
    const uint16_t *extensions; /* indexes into sim_extensions: any of them brings the command */
    bool refused;  /* carries a handle simgpu replaces and is not hooked: never given out */
    uint16_t call; /* index into sim_calls (inject.h); UINT16_MAX: cannot fail */
};

struct sim_extension {
    const char *name;
    bool instance;
    bool hidden; /* not offered, whatever the driver says */
};

/* Which extensions an instance or device has enabled, by index into sim_extensions. */
struct sim_extension_set {
    uint8_t bits[(SIM_EXTENSION_COUNT + 7) / 8];
};

extern const struct sim_command sim_commands[]; /* sorted by name */
extern const size_t sim_command_count;
extern const struct sim_extension sim_extensions[SIM_EXTENSION_COUNT]; /* sorted by name */

const struct sim_command *sim_command_find(const char *name);
/* -1: not in the registry the tables were made from. */
int sim_extension_find(const char *name);

void sim_extension_set_add(struct sim_extension_set *set, const char *name);
bool sim_extension_set_has(const struct sim_extension_set *set, uint32_t index);

void sim_instance_table_load(struct sim_instance_table *table, PFN_vkGetInstanceProcAddr get,
                             VkInstance instance);
void sim_device_table_load(struct sim_device_table *table, PFN_vkGetDeviceProcAddr get,
                           VkDevice device);

/* Size of a struct that may stand in VkDeviceCreateInfo's chain; 0: unknown to the registry. */
size_t sim_device_create_struct_size(VkStructureType type);
