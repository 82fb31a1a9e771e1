/* SPDX-License-Identifier: MIT
 *
 * A Vulkan program that says what it sees: which loader and layers it got, what the driver looks
 * like from above, what became of the process. The scripts beside it run it in many environments
 * and compare. It takes the loader as programs do, by dlopen("libvulkan.so.1"), so that
 * LD_LIBRARY_PATH decides which.
 *
 *   loader_probe [--api=1.1 | --api=none] [--layer=NAME]... [--state-file=PATH]
 *                [--deliberate-error] [--procs]
 *
 * Output: lines "key=value", in a fixed order. Exit status 0 when every call did what a working
 * Vulkan does, 1 otherwise. */
#include "probe.h"

#include "registry_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LAYERS 8

struct options {
    bool app_info;
    uint32_t api_version;
    const char *layers[MAX_LAYERS];
    uint32_t layer_count;
    const char *state_path;
    bool deliberate_error;
    bool procs;
};

static bool parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){.app_info = true, .api_version = VK_API_VERSION_1_3};
    for (int i = 1; i < argc; i++) {
        unsigned major, minor, patch = 0;
        if (strcmp(argv[i], "--api=none") == 0) {
            o->app_info = false;
        } else if (sscanf(argv[i], "--api=%u.%u.%u", &major, &minor, &patch) >= 2) {
            o->api_version = VK_MAKE_API_VERSION(0, major, minor, patch);
        } else if (strncmp(argv[i], "--layer=", 8) == 0 && o->layer_count < MAX_LAYERS) {
            o->layers[o->layer_count++] = argv[i] + 8;
        } else if (strncmp(argv[i], "--state-file=", 13) == 0) {
            o->state_path = argv[i] + 13;
        } else if (strcmp(argv[i], "--deliberate-error") == 0) {
            o->deliberate_error = true;
        } else if (strcmp(argv[i], "--procs") == 0) {
            o->procs = true;
        } else {
            fprintf(stderr, "loader_probe: what is '%s'?\n", argv[i]);
            return false;
        }
    }
    return true;
}

/* The layers that the loader offers to name in ppEnabledLayerNames. */
static void print_listed(void)
{
    VkLayerProperties layers[64];
    uint32_t count = 64;
    CHECK_VK(vk.EnumerateInstanceLayerProperties(&count, layers));
    for (uint32_t i = 0; i < count; i++)
        printf("listed=%s\n", layers[i].layerName);
}

static void print_tools(VkInstance instance, VkPhysicalDevice gpu)
{
    VkPhysicalDeviceToolProperties tools[16];
    uint32_t count = 16;
    PFN_vkGetPhysicalDeviceToolProperties get =
        (PFN_vkGetPhysicalDeviceToolProperties)vk.GetInstanceProcAddr(
            instance, "vkGetPhysicalDeviceToolProperties");

    for (uint32_t i = 0; i < count; i++)
        tools[i] = (VkPhysicalDeviceToolProperties){
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES};
    if (get == NULL) {
        printf("tools=unavailable\n");
        return;
    }
    CHECK_VK(get(gpu, &count, tools));
    for (uint32_t i = 0; i < count; i++)
        if (tools[i].name[0] !=
            '\0') /* the mock driver and SwiftShader leave the count as it was */
            printf("tool=%s|%s|%s\n", tools[i].layer, tools[i].name, tools[i].description);
}

static void print_device(VkInstance instance, VkPhysicalDevice gpu)
{
    PFN_vkGetPhysicalDeviceProperties get_properties =
        (PFN_vkGetPhysicalDeviceProperties)need(instance, "vkGetPhysicalDeviceProperties");
    PFN_vkGetPhysicalDeviceMemoryProperties get_memory =
        (PFN_vkGetPhysicalDeviceMemoryProperties)need(instance,
                                                      "vkGetPhysicalDeviceMemoryProperties");
    PFN_vkEnumerateDeviceExtensionProperties get_extensions =
        (PFN_vkEnumerateDeviceExtensionProperties)need(instance,
                                                       "vkEnumerateDeviceExtensionProperties");
    VkPhysicalDeviceProperties p;
    VkPhysicalDeviceMemoryProperties m;
    static VkExtensionProperties extensions[512];
    uint32_t count = 512;

    get_properties(gpu, &p);
    printf("device=%s\n", p.deviceName);
    get_memory(gpu, &m);
    for (uint32_t i = 0; i < m.memoryHeapCount; i++)
        printf("heap=%llu|%#x\n", (unsigned long long)m.memoryHeaps[i].size,
               m.memoryHeaps[i].flags);
    for (uint32_t i = 0; i < m.memoryTypeCount; i++)
        printf("type=%u|%#x\n", m.memoryTypes[i].heapIndex, m.memoryTypes[i].propertyFlags);
    CHECK_VK(get_extensions(gpu, NULL, &count, extensions));
    for (uint32_t i = 0; i < count; i++)
        printf("extension=%s|%u\n", extensions[i].extensionName, extensions[i].specVersion);
}

/* Which names have an address: every command of the registry under every name, and some that are
 * none. */
static void print_procs(VkInstance instance, VkPhysicalDevice gpu)
{
    static const char *const none[] = {"",
                                       "vk",
                                       "vkNoSuchCommand",
                                       "vkAllocateMemor",
                                       "vkAllocateMemoryX",
                                       "allocateMemory",
                                       "AllocateMemory",
                                       "vkNegotiateLoaderLayerInterfaceVersion"};
    const unsigned known = sizeof registry_commands / sizeof registry_commands[0];
    struct probe_device d;

    probe_device_create(&d, instance, gpu);
    for (unsigned i = 0; i < known + sizeof none / sizeof none[0]; i++) {
        const char *name = i < known ? registry_commands[i].name : none[i - known];
        printf("proc=%s|%s|%s|%s\n", name, vk.GetInstanceProcAddr(NULL, name) ? "global" : "-",
               vk.GetInstanceProcAddr(instance, name) ? "instance" : "-",
               d.GetDeviceProcAddr(d.handle, name) ? "device" : "-");
    }
    probe_device_destroy(&d);
}

/* What the validation layer reports wherever it is in the chain, and software drivers survive. */
static void create_empty_buffer(const struct probe_device *d)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = 0,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    PFN_vkCreateBuffer create =
        (PFN_vkCreateBuffer)d->GetDeviceProcAddr(d->handle, "vkCreateBuffer");
    PFN_vkDestroyBuffer destroy =
        (PFN_vkDestroyBuffer)d->GetDeviceProcAddr(d->handle, "vkDestroyBuffer");
    if (create(d->handle, &info, NULL, &buffer) == VK_SUCCESS)
        destroy(d->handle, buffer, NULL);
}

/* Enough work with a device that a layer which only breaks later shows it. */
static void use_device(VkInstance instance, VkPhysicalDevice gpu, bool deliberate_error)
{
    struct probe_device d;
    VkDeviceMemory memory;
    void *bytes;

    probe_device_create(&d, instance, gpu);
    uint32_t type = probe_host_type(instance, gpu);
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = 1 << 16,
                                 .memoryTypeIndex = type};
    CHECK_VK(d.AllocateMemory(d.handle, &info, NULL, &memory));
    CHECK_VK(d.MapMemory(d.handle, memory, 0, VK_WHOLE_SIZE, 0, &bytes));
    memset(bytes, 0x5a, 1 << 16);
    d.UnmapMemory(d.handle, memory);
    d.FreeMemory(d.handle, memory, NULL);
    CHECK_VK(d.QueueSubmit(d.queue, 0, NULL, VK_NULL_HANDLE));
    CHECK_VK(d.QueueWaitIdle(d.queue));
    if (deliberate_error)
        create_empty_buffer(&d);
    probe_device_destroy(&d);
    printf("device-used=yes\n");
}

int main(int argc, char **argv)
{
    struct options o;
    VkInstance instance;

    if (!parse(argc, argv, &o))
        return 1;
    if (o.state_path != NULL)
        probe_state_before();
    probe_open_loader();
    printf("loader=%s\n", probe_loader_path());
    print_listed();

    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = o.api_version};
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = o.app_info ? &app : NULL,
        .enabledLayerCount = o.layer_count,
        .ppEnabledLayerNames = o.layers,
    };
    VkResult result = vk.CreateInstance(&info, NULL, &instance);
    printf("instance=%d\n", result);
    if (result != VK_SUCCESS)
        return 1;
    VkPhysicalDevice gpu = probe_gpu(instance);
    print_tools(instance, gpu);
    print_device(instance, gpu);
    if (o.procs)
        print_procs(instance, gpu);
    use_device(instance, gpu, o.deliberate_error);
    printf("mapped=%s\n", probe_is_mapped("libVkLayer_spillway") ? "yes" : "no");
    probe_destroy_instance(instance);
    if (o.state_path != NULL)
        return probe_state_after(o.state_path) ? 0 : 1;
    return 0;
}
