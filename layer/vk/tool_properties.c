/* SPDX-License-Identifier: MIT
 *
 * vkGetPhysicalDeviceToolProperties: the layer lists itself with its mode and the reason, which is
 * how a person (or a program, through a real loader) can tell that it is there and what it does. */
#include "objects.h"
#include "physical_device.h"

#include <stdio.h>

static void describe(struct spw_instance *instance, VkPhysicalDevice physical_device,
                     VkPhysicalDeviceToolProperties *out)
{
    /* The caller's sType and pNext stay. */
    snprintf(out->name, sizeof(out->name), "Spillway");
    snprintf(out->version, sizeof(out->version), "%s", SPW_VERSION);
    snprintf(out->layer, sizeof(out->layer), "%s", SPW_LAYER_NAME);
    out->purposes =
        VK_TOOL_PURPOSE_ADDITIONAL_FEATURES_BIT | VK_TOOL_PURPOSE_MODIFYING_FEATURES_BIT;
    struct spw_physical_device *physical = spw_physical_device_get(instance, physical_device);
    if (physical)
        snprintf(out->description, sizeof(out->description), "mode=%s; %.200s",
                 spw_mode_name(physical->mode), physical->reason);
    else
        snprintf(out->description, sizeof(out->description),
                 "mode=passthrough; out of host memory");
}

VKAPI_ATTR VkResult VKAPI_CALL
spw_GetPhysicalDeviceToolProperties(VkPhysicalDevice physicalDevice, uint32_t *pToolCount,
                                    VkPhysicalDeviceToolProperties *pToolProperties)
{
    struct spw_instance *instance = spw_instance_of(physicalDevice);
    if (!instance)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetPhysicalDeviceToolProperties next = instance->next.GetPhysicalDeviceToolProperties;

    /* Ours comes first, then those of the layers below. */
    if (!pToolProperties) {
        uint32_t below = 0;
        VkResult result = next ? next(physicalDevice, &below, NULL) : VK_SUCCESS;
        *pToolCount = below + 1;
        return result;
    }
    if (*pToolCount == 0)
        return VK_INCOMPLETE;
    uint32_t below = *pToolCount - 1;
    VkResult result = VK_SUCCESS;
    if (next && below > 0) {
        result = next(physicalDevice, &below, pToolProperties + 1);
    } else if (next) {
        /* No room for theirs: tell whether there are any. */
        result = next(physicalDevice, &below, NULL);
        if (result == VK_SUCCESS && below > 0)
            result = VK_INCOMPLETE;
        below = 0;
    } else {
        below = 0;
    }
    if (result < 0)
        return result;
    describe(instance, physicalDevice, &pToolProperties[0]);
    *pToolCount = below + 1;
    return result;
}
