/* SPDX-License-Identifier: MIT
 *
 * Devices: the driver's, with one queue of family 0, host-memory import and timeline semaphores
 * enabled, and without what only simgpu offers. All on copies of the program's create info. */
#include "sim.h"

#include "layouts.h"
#include "memory.h"
#include "offers.h"
#include "queue.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct sim_map devices = SIM_MAP_INITIALIZER;

struct sim_device *sim_device_find(VkDevice handle)
{
    return sim_map_find(&devices, sim_key(handle));
}

/* A create info of our own: every struct in its chain is a copy, unknown ones are left out. */
struct create_copy {
    const struct sim_physical *physical;
    VkDeviceCreateInfo info;
    VkPhysicalDeviceFeatures features;
    VkDeviceQueueCreateInfo queue;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
    const char **extensions;
    bool timeline_known;
};

static void create_copy_finish(struct create_copy *copy)
{
    VkBaseOutStructure *s = (VkBaseOutStructure *)(uintptr_t)copy->info.pNext;
    while (s != NULL) {
        VkBaseOutStructure *next = s->pNext;
        if ((void *)s != (void *)&copy->timeline)
            free(s);
        s = next;
    }
    free(copy->extensions);
}

static void patch_struct(struct create_copy *copy, VkBaseOutStructure *s)
{
    switch ((int)s->sType) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2:
        sim_offers_mask_features(copy->physical, &((VkPhysicalDeviceFeatures2 *)s)->features);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES:
        ((VkPhysicalDeviceVulkan12Features *)s)->timelineSemaphore = VK_TRUE;
        copy->timeline_known = true;
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES:
        ((VkPhysicalDeviceTimelineSemaphoreFeatures *)s)->timelineSemaphore = VK_TRUE;
        copy->timeline_known = true;
        break;
    }
}

static bool copy_chain(struct create_copy *copy, const void *chain)
{
    const void **link = &copy->info.pNext;
    *link = NULL;
    for (const VkBaseInStructure *s = chain; s != NULL; s = s->pNext) {
        size_t size = sim_device_create_struct_size(s->sType);
        if (size == 0 || sim_offers_keeps(s->sType))
            continue; /* the loader's own, or newer than the registry; simgpu's own */
        VkBaseOutStructure *mine = malloc(size);
        if (mine == NULL)
            return false;
        memcpy(mine, s, size);
        mine->pNext = NULL;
        patch_struct(copy, mine);
        *link = mine;
        link = (const void **)(void *)&mine->pNext;
    }
    if (!copy->timeline_known) {
        copy->timeline = (VkPhysicalDeviceTimelineSemaphoreFeatures){
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
            .timelineSemaphore = VK_TRUE};
        *link = &copy->timeline;
    }
    return true;
}

static VkResult copy_extensions(struct create_copy *copy, const VkDeviceCreateInfo *info)
{
    bool has_import = false;
    uint32_t n = 0;
    copy->extensions = calloc(info->enabledExtensionCount + 1, sizeof(*copy->extensions));
    if (copy->extensions == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        const char *name = info->ppEnabledExtensionNames[i];
        int index = sim_extension_find(name);
        if (sim_offers_adds(name))
            continue;
        if (index < 0 || sim_extensions[index].hidden || sim_offers_hides(name))
            return VK_ERROR_EXTENSION_NOT_PRESENT;
        has_import |= strcmp(name, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) == 0;
        copy->extensions[n++] = name;
    }
    if (!has_import)
        copy->extensions[n++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
    copy->info.enabledExtensionCount = n;
    copy->info.ppEnabledExtensionNames = copy->extensions;
    return VK_SUCCESS;
}

static const VkPhysicalDeviceFeatures *enabled_features(const VkDeviceCreateInfo *info)
{
    const VkPhysicalDeviceFeatures2 *two =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    return two != NULL ? &two->features : info->pEnabledFeatures;
}

/* What the driver, having no sparse binding, would have answered for the card. */
static VkResult check_features(const VkDeviceCreateInfo *info)
{
    const VkPhysicalDeviceFeatures *f = enabled_features(info);
    if (f != NULL && !sim_card_get()->profile->sparse &&
        (f->sparseBinding || f->sparseResidencyBuffer || f->sparseResidencyAliased))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    return sim_offers_check_chain(info->pNext);
}

static VkResult check_queues(const VkDeviceCreateInfo *info)
{
    const struct sim_profile *profile = sim_card_get()->profile;
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *q = &info->pQueueCreateInfos[i];
        if (q->queueFamilyIndex >= profile->family_count ||
            q->queueCount > profile->families[q->queueFamilyIndex].queueCount)
            return VK_ERROR_INITIALIZATION_FAILED;
    }
    return VK_SUCCESS;
}

static VkResult create_driver_device(struct sim_device *device, const VkDeviceCreateInfo *info,
                                     const VkAllocationCallbacks *allocator)
{
    static const float priority = 1.0f;
    const struct sim_instance_table *vk = &device->physical->instance->vk;
    struct create_copy copy = {.info = *info, .physical = device->physical};
    VkResult result = copy_extensions(&copy, info);
    if (!copy_chain(&copy, info->pNext))
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (info->pEnabledFeatures != NULL) {
        copy.features = *info->pEnabledFeatures;
        sim_offers_mask_features(device->physical, &copy.features);
        copy.info.pEnabledFeatures = &copy.features;
    }
    copy.queue = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    copy.info.queueCreateInfoCount = 1;
    copy.info.pQueueCreateInfos = &copy.queue;
    if (result == VK_SUCCESS)
        result = vk->CreateDevice(device->physical->handle, &copy.info, allocator, &device->handle);
    create_copy_finish(&copy);
    return result;
}

/* Which of the driver's memory types takes imported host memory: asked with a page of our own. */
static VkResult find_import_type(struct sim_device *device)
{
    VkMemoryHostPointerPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    void *page =
        mmap(NULL, SIM_GRANULE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = device->vk.GetMemoryHostPointerPropertiesEXT(
        device->handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, page, &properties);
    munmap(page, SIM_GRANULE);
    if (result == VK_SUCCESS && properties.memoryTypeBits == 0)
        result = VK_ERROR_INITIALIZATION_FAILED;
    if (result == VK_SUCCESS)
        device->import_type = (uint32_t)__builtin_ctz(properties.memoryTypeBits);
    return result;
}

static VkResult create_queues(struct sim_device *device, const VkDeviceCreateInfo *info)
{
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *q = &info->pQueueCreateInfos[i];
        for (uint32_t k = 0; k < q->queueCount; k++) {
            VkResult result = sim_queue_create(device, q->queueFamilyIndex, k, q->flags,
                                               &device->queues[q->queueFamilyIndex][k]);
            if (result != VK_SUCCESS)
                return result;
        }
    }
    return VK_SUCCESS;
}

static VkResult init_device(struct sim_device *device, const VkDeviceCreateInfo *info)
{
    pthread_condattr_t clock;
    pthread_mutex_init(&device->drv_lock, NULL);
    pthread_mutex_init(&device->sync_lock, NULL);
    pthread_mutex_init(&device->map_lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&device->sync_changed, &clock);
    pthread_condattr_destroy(&clock);
    sim_map_init(&device->memories);
    sim_map_init(&device->buffers);
    sim_map_init(&device->images);
    sim_map_init(&device->semaphores);
    sim_map_init(&device->fences);
    sim_map_init(&device->swapchains);
    sim_map_init(&device->layouts);
    sim_map_init(&device->views);
    sim_map_init(&device->framebuffers);
    sim_map_init(&device->passes);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        sim_extension_set_add(&device->extensions, info->ppEnabledExtensionNames[i]);
    device->get_proc_addr = (PFN_vkGetDeviceProcAddr)sim_driver_get()->get_instance_proc_addr(
        device->physical->instance->handle, "vkGetDeviceProcAddr");
    sim_device_table_load(&device->vk, device->get_proc_addr, device->handle);
    device->vk.GetDeviceQueue(device->handle, 0, 0, &device->driver_queue);
    VkResult result = find_import_type(device);
    return result == VK_SUCCESS ? create_queues(device, info) : result;
}

static void destroy_device(struct sim_device *device, const VkAllocationCallbacks *allocator)
{
    pthread_mutex_lock(&device->sync_lock);
    device->stopping = true;
    pthread_cond_broadcast(&device->sync_changed);
    pthread_mutex_unlock(&device->sync_lock);
    for (uint32_t f = 0; f < SIM_MAX_FAMILIES; f++) {
        for (uint32_t k = 0; k < SIM_MAX_QUEUES; k++)
            sim_queue_destroy(device->queues[f][k]);
    }
    sim_memory_release_all(device);
    sim_commands_forget_device(device);
    device->vk.DestroyDevice(device->handle, allocator);
    sim_map_finish(&device->memories);
    sim_map_finish(&device->buffers);
    sim_map_finish(&device->images);
    sim_map_finish(&device->semaphores);
    sim_map_finish(&device->fences);
    sim_map_finish(&device->swapchains);
    sim_layouts_finish(device);
    free(device);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateDevice(VkPhysicalDevice handle,
                                                const VkDeviceCreateInfo *info,
                                                const VkAllocationCallbacks *allocator,
                                                VkDevice *out)
{
    VkResult result = check_features(info);
    if (result == VK_SUCCESS)
        result = check_queues(info);
    if (result != VK_SUCCESS)
        return result;
    struct sim_device *device = calloc(1, sizeof(*device));
    if (device == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    device->physical = sim_physical_find(handle);
    result = create_driver_device(device, info, allocator);
    if (result != VK_SUCCESS) {
        free(device);
        return result;
    }
    result = init_device(device, info);
    if (result == VK_SUCCESS && sim_map_insert(&devices, sim_key(device->handle), device) != 0)
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS) {
        destroy_device(device, allocator);
        return result;
    }
    *out = device->handle;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyDevice(VkDevice handle,
                                             const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_map_remove(&devices, sim_key(handle));
    if (device != NULL)
        destroy_device(device, allocator);
}

VKAPI_ATTR void VKAPI_CALL sim_GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index,
                                              VkQueue *queue)
{
    const struct sim_device *device = sim_device_find(handle);
    *queue = VK_NULL_HANDLE;
    if (family < SIM_MAX_FAMILIES && index < SIM_MAX_QUEUES)
        *queue = (VkQueue)device->queues[family][index];
}

VKAPI_ATTR void VKAPI_CALL sim_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info,
                                               VkQueue *queue)
{
    sim_GetDeviceQueue(handle, info->queueFamilyIndex, info->queueIndex, queue);
    if (*queue != VK_NULL_HANDLE && sim_queue_from(*queue)->flags != info->flags)
        *queue = VK_NULL_HANDLE;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateCommandPool(VkDevice handle,
                                                     const VkCommandPoolCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkCommandPool *pool)
{
    VkCommandPoolCreateInfo copy = *info;
    copy.queueFamilyIndex = 0;
    return sim_device_find(handle)->vk.CreateCommandPool(handle, &copy, allocator, pool);
}
