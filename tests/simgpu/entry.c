/* SPDX-License-Identifier: MIT
 *
 * What the loader finds: the three vk_icd functions, and vkGet*ProcAddr over the generated table. A
 * command is given out only if the program's API version or one of its extensions has it: the
 * driver below runs at its own full version, whatever the program asked for. */
#include "entry.h"

#include "inject.h"
#include "offers.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_icd.h>

static int compare_command(const void *name, const void *command)
{
    return strcmp(name, ((const struct sim_command *)command)->name);
}

static int compare_extension(const void *name, const void *extension)
{
    return strcmp(name, ((const struct sim_extension *)extension)->name);
}

const struct sim_command *sim_command_find(const char *name)
{
    return bsearch(name, sim_commands, sim_command_count, sizeof(sim_commands[0]), compare_command);
}

int sim_extension_find(const char *name)
{
    const struct sim_extension *found = bsearch(name, sim_extensions, SIM_EXTENSION_COUNT,
                                                sizeof(sim_extensions[0]), compare_extension);
    return found != NULL ? (int)(found - sim_extensions) : -1;
}

void sim_extension_set_add(struct sim_extension_set *set, const char *name)
{
    int index = sim_extension_find(name);
    if (index >= 0)
        set->bits[index / 8] |= (uint8_t)(1u << (index % 8));
}

bool sim_extension_set_has(const struct sim_extension_set *set, uint32_t index)
{
    return (set->bits[index / 8] >> (index % 8)) & 1;
}

/* device == NULL: as seen through vkGetInstanceProcAddr, where device extensions are not known yet.
 */
static bool command_visible(const struct sim_command *c, const struct sim_instance *instance,
                            const struct sim_device *device)
{
    if (c->refused)
        return false;
    uint32_t api = instance->api_version | 0xfff;
    if (c->level == SIM_LEVEL_PHYSICAL || c->level == SIM_LEVEL_DEVICE)
        api = sim_offers_api_version(api);
    if (c->core != 0 && c->core <= api)
        return true;
    for (uint32_t i = 0; i < c->extension_count; i++) {
        const struct sim_extension *e = &sim_extensions[c->extensions[i]];
        if (e->instance
                ? sim_extension_set_has(&instance->extensions, c->extensions[i])
                : device == NULL || sim_extension_set_has(&device->extensions, c->extensions[i]))
            return true;
    }
    return false;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL sim_GetDeviceProcAddr(VkDevice handle, const char *name)
{
    struct sim_device *device = sim_device_find(handle);
    const struct sim_command *c = sim_command_find(name);
    if (c == NULL || c->level != SIM_LEVEL_DEVICE ||
        !command_visible(c, device->physical->instance, device))
        return NULL;
    return sim_inject_wrap(c, c->hook != NULL ? c->hook : device->get_proc_addr(handle, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL sim_GetInstanceProcAddr(VkInstance handle,
                                                                 const char *name)
{
    struct sim_instance *instance = sim_instance_find(handle);
    const struct sim_command *c = sim_command_find(name);
    if (c == NULL)
        return NULL;
    if (c->level == SIM_LEVEL_GLOBAL || instance == NULL) {
        bool global =
            c->level == SIM_LEVEL_GLOBAL || c->hook == (PFN_vkVoidFunction)sim_GetInstanceProcAddr;
        return sim_inject_wrap(c, global ? c->hook : NULL);
    }
    if (!command_visible(c, instance, NULL))
        return NULL;
    if (c->hook != NULL)
        return sim_inject_wrap(c, c->hook);
    return sim_inject_wrap(c, sim_driver_get()->get_instance_proc_addr(handle, name));
}

SIM_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                   const char *name);
SIM_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                                         const char *name);
SIM_EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);

PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    return sim_GetInstanceProcAddr(instance, name);
}

PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
    const struct sim_command *c = sim_command_find(name);
    if (c == NULL || c->level != SIM_LEVEL_PHYSICAL)
        return NULL;
    return sim_GetInstanceProcAddr(instance, name);
}

VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    const struct sim_driver *driver = sim_driver_get();
    if (driver == NULL || *version < driver->interface_version)
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    *version = driver->interface_version;
    return VK_SUCCESS;
}
