/* SPDX-License-Identifier: MIT
 *
 * The door: version negotiation with the loader, and the look-up of commands over the generated
 * table (hooks.def → hooks_gen.c). A hook is answered only where the next layer has the command
 * under that very name, so that what the program did not enable stays NULL as without us. */
#include "objects.h"

#include <string.h>

/* "vk_layerGetPhysicalDeviceProcAddr and vkNegotiateLoaderLayerInterfaceVersion" came with
 * version 2. */
#define INTERFACE_VERSION 2

static const struct spw_hook *hook_find(const char *name)
{
    unsigned low = 0, high = spw_hook_count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        int order = strcmp(name, spw_hooks[middle].name);
        if (order == 0)
            return &spw_hooks[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL spw_GetInstanceProcAddr(VkInstance instance,
                                                                 const char *pName)
{
    const struct spw_hook *hook = pName ? hook_find(pName) : NULL;
    struct spw_instance *object = spw_instance_find(instance);
    if (!object) {
        /* Only the global commands "if instance is NULL"; and the loader, while it builds the
         * chain, asks for vkCreateInstance with an instance of its own that no layer has seen yet.
         * Layers above may ask for vkCreateDevice without an instance (VK_LAYER_MESA_overlay of
         * Mesa 22.3 does, and fails otherwise): it finds its instance by the physical device. */
        bool global = hook && (hook->level == SPW_HOOK_GLOBAL ||
                               strcmp(pName, "vkGetInstanceProcAddr") == 0 ||
                               strcmp(pName, "vkCreateDevice") == 0);
        return global ? hook->function : NULL;
    }
    if (!pName)
        return NULL;
    if (hook && (hook->chain || hook->own))
        return hook->function;
    PFN_vkVoidFunction next = object->next.GetInstanceProcAddr(instance, pName);
    return next && hook && !object->disabled ? hook->function : next;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL spw_GetDeviceProcAddr(VkDevice device, const char *pName)
{
    struct spw_device *object = spw_device_find(device);
    if (!object || !pName)
        return NULL;
    const struct spw_hook *hook = hook_find(pName);
    if (hook && hook->level != SPW_HOOK_DEVICE)
        hook = NULL; /* "the function pointer must only be called with a dispatchable object … child
                        of device" */
    if (hook && hook->chain)
        return hook->function;
    PFN_vkVoidFunction next = object->next_gdpa(device, pName);
    const struct spw_physical_device *physical = object->physical;
    bool out_of_the_way = physical->mode == SPW_MODE_PASSTHROUGH && !physical->unified;
    return next && hook && !out_of_the_way ? hook->function : next;
}

/* Commands on physical devices only; NULL tells the loader that this is none. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_physical_device_proc_addr(VkInstance instance,
                                                                              const char *pName)
{
    struct spw_instance *object = spw_instance_find(instance);
    if (!object || !pName)
        return NULL;
    const struct spw_hook *hook = hook_find(pName);
    /* "If it is the name of a valid function which is not a physical device function …, then the
     * value of NULL should be returned." */
    if (hook && hook->level != SPW_HOOK_PHYSICAL)
        return NULL;
    PFN_vkVoidFunction next = object->next_gpdpa ? object->next_gpdpa(instance, pName) : NULL;
    if (!hook)
        return next;
    if (hook->chain || hook->own)
        return hook->function;
    if (!next)
        next = object->next.GetInstanceProcAddr(instance, pName);
    return next && !object->disabled ? hook->function : next;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct);

VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
    if (!pVersionStruct || pVersionStruct->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        pVersionStruct->loaderLayerInterfaceVersion < INTERFACE_VERSION)
        return VK_ERROR_INITIALIZATION_FAILED;
    pVersionStruct->loaderLayerInterfaceVersion = INTERFACE_VERSION;
    pVersionStruct->pfnGetInstanceProcAddr = spw_GetInstanceProcAddr;
    pVersionStruct->pfnGetDeviceProcAddr = spw_GetDeviceProcAddr;
    pVersionStruct->pfnGetPhysicalDeviceProcAddr = get_physical_device_proc_addr;
    return VK_SUCCESS;
}
