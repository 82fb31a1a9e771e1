/* SPDX-License-Identifier: MIT
 *
 * The fixture: instance and device, memory types, and how a test ends. Resources and commands are
 * in vk_resources.c. */
#include "vk_fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vk_fixture_private.h"

void vkf_exit_with(int code, const char *file, int line, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: ", file, line, code == VKF_EXIT_SKIP ? "skipped" : "failed");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(code);
}

void vkf_exit_result(VkResult result, const char *file, int line, const char *call)
{
    int code = result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? VKF_EXIT_OOM : VKF_EXIT_FAILED;
    vkf_exit_with(code, file, line, "%s answered %s", call, vkf_result_name(result));
}

const char *vkf_result_name(VkResult result)
{
    switch (result) {
#define CASE(name)                                                                                 \
    case name:                                                                                     \
        return #name
        CASE(VK_SUCCESS);
        CASE(VK_NOT_READY);
        CASE(VK_TIMEOUT);
        CASE(VK_INCOMPLETE);
        CASE(VK_ERROR_OUT_OF_HOST_MEMORY);
        CASE(VK_ERROR_OUT_OF_DEVICE_MEMORY);
        CASE(VK_ERROR_INITIALIZATION_FAILED);
        CASE(VK_ERROR_DEVICE_LOST);
        CASE(VK_ERROR_MEMORY_MAP_FAILED);
        CASE(VK_ERROR_LAYER_NOT_PRESENT);
        CASE(VK_ERROR_EXTENSION_NOT_PRESENT);
        CASE(VK_ERROR_FEATURE_NOT_PRESENT);
        CASE(VK_ERROR_INCOMPATIBLE_DRIVER);
        CASE(VK_ERROR_TOO_MANY_OBJECTS);
        CASE(VK_ERROR_FORMAT_NOT_SUPPORTED);
        CASE(VK_ERROR_FRAGMENTED_POOL);
        CASE(VK_ERROR_INVALID_EXTERNAL_HANDLE);
        CASE(VK_ERROR_UNKNOWN);
#undef CASE
    default: {
        static _Thread_local char text[32];
        snprintf(text, sizeof(text), "VkResult %d", (int)result);
        return text;
    }
    }
}

static bool extension_listed(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].extensionName, name) == 0)
            return true;
    return false;
}

bool vkf_has_instance_extension(const char *name)
{
    uint32_t count = 0;
    VKF_VK(vkEnumerateInstanceExtensionProperties(NULL, &count, NULL));
    VkExtensionProperties *list = vkf_calloc(count, sizeof(*list));
    VKF_VK(vkEnumerateInstanceExtensionProperties(NULL, &count, list));
    bool found = extension_listed(list, count, name);
    free(list);
    return found;
}

bool vkf_has_device_extension(VkPhysicalDevice gpu, const char *name)
{
    uint32_t count = 0;
    VKF_VK(vkEnumerateDeviceExtensionProperties(gpu, NULL, &count, NULL));
    VkExtensionProperties *list = vkf_calloc(count, sizeof(*list));
    VKF_VK(vkEnumerateDeviceExtensionProperties(gpu, NULL, &count, list));
    bool found = extension_listed(list, count, name);
    free(list);
    return found;
}

PFN_vkVoidFunction vkf_instance_proc(const struct vkf *f, const char *name)
{
    PFN_vkVoidFunction function = vkGetInstanceProcAddr(f->instance, name);
    VKF_CHECK(function, "vkGetInstanceProcAddr knows no %s", name);
    return function;
}

PFN_vkVoidFunction vkf_device_proc(const struct vkf *f, const char *name)
{
    PFN_vkVoidFunction function = vkGetDeviceProcAddr(f->device, name);
    VKF_CHECK(function, "vkGetDeviceProcAddr knows no %s", name);
    return function;
}

void *vkf_calloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    VKF_CHECK(memory, "no memory for %zu * %zu bytes", count, size);
    return memory;
}

static void create_instance(struct vkf *f, const struct vkf_options *o)
{
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "spillway-test",
        .apiVersion = o->api_version ? o->api_version : VK_API_VERSION_1_1,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = o->no_application_info ? NULL : &application,
        .enabledLayerCount = o->layer_count,
        .ppEnabledLayerNames = o->layers,
        .enabledExtensionCount = o->instance_extension_count,
        .ppEnabledExtensionNames = o->instance_extensions,
    };
    for (uint32_t i = 0; i < o->instance_extension_count; i++)
        if (!vkf_has_instance_extension(o->instance_extensions[i]))
            VKF_SKIP("no instance extension %s", o->instance_extensions[i]);
    VKF_VK(vkCreateInstance(&info, NULL, &f->instance));
}

static void choose_gpu(struct vkf *f, const struct vkf_options *o)
{
    uint32_t count = 0;
    VKF_VK(vkEnumeratePhysicalDevices(f->instance, &count, NULL));
    VKF_CHECK(count > 0, "no Vulkan device");
    VkPhysicalDevice *gpus = vkf_calloc(count, sizeof(VkPhysicalDevice));
    VKF_VK(vkEnumeratePhysicalDevices(f->instance, &count, gpus));
    for (uint32_t i = 0; i < count && !f->gpu; i++) {
        vkGetPhysicalDeviceProperties(gpus[i], &f->properties);
        if (!o->device_name || strstr(f->properties.deviceName, o->device_name))
            f->gpu = gpus[i];
    }
    free(gpus);
    VKF_CHECK(f->gpu, "no device named '%s'", o->device_name ? o->device_name : "");
    vkGetPhysicalDeviceMemoryProperties(f->gpu, &f->memory);
    f->family_count = VKF_MAX_FAMILIES;
    vkGetPhysicalDeviceQueueFamilyProperties(f->gpu, &f->family_count, f->families);
}

static void choose_main_family(struct vkf *f)
{
    f->main_family = VKF_NONE;
    for (uint32_t i = f->family_count; i-- > 0;) {
        VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
        if ((f->families[i].queueFlags & both) == both)
            f->main_family = i;
    }
    VKF_CHECK(f->main_family != VKF_NONE, "no queue family with graphics and compute");
}

static void create_device(struct vkf *f, const struct vkf_options *o)
{
    static const float priorities[VKF_MAX_QUEUES] = {1.0f, 1.0f, 1.0f, 1.0f};
    VkDeviceQueueCreateInfo queues[VKF_MAX_FAMILIES] = {0};
    uint32_t wanted = o->queues_per_family ? o->queues_per_family : 1;
    for (uint32_t i = 0; i < f->family_count; i++) {
        uint32_t most = f->families[i].queueCount < VKF_MAX_QUEUES ? f->families[i].queueCount
                                                                   : (uint32_t)VKF_MAX_QUEUES;
        f->queue_counts[i] = wanted < most ? wanted : most;
        queues[i] = (VkDeviceQueueCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = i,
            .queueCount = f->queue_counts[i],
            .pQueuePriorities = priorities,
        };
    }
    for (uint32_t i = 0; i < o->device_extension_count; i++)
        if (!vkf_has_device_extension(f->gpu, o->device_extensions[i]))
            VKF_SKIP("no device extension %s", o->device_extensions[i]);
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = o->device_next,
        .queueCreateInfoCount = f->family_count,
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = o->device_extension_count,
        .ppEnabledExtensionNames = o->device_extensions,
        .pEnabledFeatures = o->features,
    };
    VKF_VK(vkCreateDevice(f->gpu, &info, NULL, &f->device));
    for (uint32_t i = 0; i < f->family_count; i++)
        for (uint32_t q = 0; q < f->queue_counts[i]; q++)
            vkGetDeviceQueue(f->device, i, q, &f->queues[i][q]);
    f->queue = f->queues[f->main_family][0];
}

static void create_commands(struct vkf *f)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = f->main_family,
    };
    VKF_VK(vkCreateCommandPool(f->device, &pool, NULL, &f->pool));
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = f->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VKF_VK(vkAllocateCommandBuffers(f->device, &buffer, &f->commands));
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VKF_VK(vkCreateFence(f->device, &fence, NULL, &f->fence));
}

void vkf_begin(struct vkf *f, const struct vkf_options *options)
{
    static const struct vkf_options defaults = {0};
    const struct vkf_options *o = options ? options : &defaults;
    *f = (struct vkf){0};
    create_instance(f, o);
    choose_gpu(f, o);
    if (o->instance_only)
        return;
    choose_main_family(f);
    create_device(f, o);
    create_commands(f);
}

static void destroy_commands(struct vkf *f)
{
    vkf_buffer_destroy(f, &f->staging);
    vkFreeMemory(f->device, f->staging_memory, NULL);
    vkDestroyFence(f->device, f->fence, NULL);
    vkDestroyCommandPool(f->device, f->pool, NULL);
}

void vkf_end(struct vkf *f)
{
    if (f->device) {
        VKF_VK(vkDeviceWaitIdle(f->device));
        destroy_commands(f);
        vkDestroyDevice(f->device, NULL);
    }
    if (f->instance)
        vkDestroyInstance(f->instance, NULL);
    *f = (struct vkf){0};
}

void vkf_share(struct vkf *view, const struct vkf *f, pthread_mutex_t *queue_lock)
{
    *view = *f;
    view->queue_lock = queue_lock;
    view->staging = (struct vkf_buffer){0};
    view->staging_memory = VK_NULL_HANDLE;
    view->staging_bytes = NULL;
    create_commands(view);
}

void vkf_share_end(struct vkf *view)
{
    destroy_commands(view); /* every submit of its own has been waited for */
    *view = (struct vkf){0};
}

uint32_t vkf_find_type(const struct vkf *f, uint32_t type_bits, VkMemoryPropertyFlags wanted,
                       VkMemoryPropertyFlags unwanted)
{
    for (uint32_t i = 0; i < f->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = f->memory.memoryTypes[i].propertyFlags;
        if ((type_bits >> i & 1) && (flags & wanted) == wanted && !(flags & unwanted))
            return i;
    }
    return VKF_NONE;
}

uint32_t vkf_want_type(const struct vkf *f, uint32_t type_bits, VkMemoryPropertyFlags wanted)
{
    uint32_t type = vkf_find_type(f, type_bits, wanted, 0);
    VKF_CHECK(type != VKF_NONE, "no memory type with flags %#x in %#x", wanted, type_bits);
    return type;
}

uint32_t vkf_need_type(const struct vkf *f, uint32_t type_bits, VkMemoryPropertyFlags wanted)
{
    uint32_t type = vkf_find_type(f, type_bits, wanted, 0);
    if (type == VKF_NONE)
        VKF_SKIP("this card has no memory type with flags %#x in %#x", wanted, type_bits);
    return type;
}

uint32_t vkf_vram_heap(const struct vkf *f)
{
    uint32_t best = VKF_NONE;
    for (uint32_t i = 0; i < f->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &f->memory.memoryHeaps[i];
        if (!(heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT))
            continue;
        if (best == VKF_NONE || heap->size > f->memory.memoryHeaps[best].size)
            best = i;
    }
    VKF_CHECK(best != VKF_NONE, "no device-local heap");
    return best;
}

VkDeviceSize vkf_vram_bytes(const struct vkf *f)
{
    return f->memory.memoryHeaps[vkf_vram_heap(f)].size;
}

uint64_t vkf_parse_size(const char *text)
{
    static const struct {
        const char *unit;
        unsigned shift;
    } units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);
    for (size_t i = 0; end != text && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(end, units[i].unit) == 0)
            return value << units[i].shift;
    vkf_exit_with(VKF_EXIT_USAGE, __FILE__, __LINE__, "'%s' is no size", text);
}
