/* SPDX-License-Identifier: MIT
 *
 * The loader, an instance, a device: see probe.h. */
#include "probe.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

struct probe_vk vk;

void probe_open_loader(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "no Vulkan loader: %s\n", dlerror());
        exit(1);
    }
    *(void **)&vk.GetInstanceProcAddr = dlsym(library, "vkGetInstanceProcAddr");
    CHECK(vk.GetInstanceProcAddr != NULL);
    vk.CreateInstance = (PFN_vkCreateInstance)need(NULL, "vkCreateInstance");
    vk.EnumerateInstanceLayerProperties =
        (PFN_vkEnumerateInstanceLayerProperties)need(NULL, "vkEnumerateInstanceLayerProperties");
}

const char *probe_loader_path(void)
{
    static char path[PATH_MAX];
    Dl_info info;
    CHECK(dladdr((void *)(uintptr_t)vk.GetInstanceProcAddr, &info) != 0);
    CHECK(realpath(info.dli_fname, path) != NULL);
    return path;
}

PFN_vkVoidFunction need(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction fn = vk.GetInstanceProcAddr(instance, name);
    if (fn == NULL) {
        fprintf(stderr, "vkGetInstanceProcAddr has no %s\n", name);
        exit(1);
    }
    return fn;
}

VkInstance probe_instance(uint32_t api_version)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = api_version};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app};
    VkInstance instance;
    CHECK_VK(vk.CreateInstance(&info, NULL, &instance));
    return instance;
}

void probe_destroy_instance(VkInstance instance)
{
    ((PFN_vkDestroyInstance)need(instance, "vkDestroyInstance"))(instance, NULL);
}

VkPhysicalDevice probe_gpu(VkInstance instance)
{
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)need(instance, "vkEnumeratePhysicalDevices");
    VkPhysicalDevice gpu;
    uint32_t count = 1;
    VkResult result = enumerate(instance, &count, &gpu);
    CHECK(result == VK_SUCCESS || result == VK_INCOMPLETE);
    CHECK(count == 1);
    return gpu;
}

void probe_device_create(struct probe_device *d, VkInstance instance, VkPhysicalDevice gpu)
{
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
    PFN_vkGetPhysicalDeviceQueueFamilyProperties families =
        (PFN_vkGetPhysicalDeviceQueueFamilyProperties)need(
            instance, "vkGetPhysicalDeviceQueueFamilyProperties");
    uint32_t family_count = 0;
    families(gpu, &family_count, NULL);
    CHECK(family_count > 0);

    CHECK_VK(((PFN_vkCreateDevice)need(instance, "vkCreateDevice"))(gpu, &info, NULL, &d->handle));
    d->GetDeviceProcAddr = (PFN_vkGetDeviceProcAddr)need(instance, "vkGetDeviceProcAddr");
#define GET(name)                                                                                  \
    d->name = (PFN_vk##name)d->GetDeviceProcAddr(d->handle, "vk" #name);                           \
    CHECK(d->name != NULL)
    GET(DestroyDevice);
    GET(AllocateMemory);
    GET(FreeMemory);
    GET(MapMemory);
    GET(UnmapMemory);
    GET(QueueSubmit);
    GET(QueueWaitIdle);
#undef GET
    PFN_vkGetDeviceQueue get_queue =
        (PFN_vkGetDeviceQueue)d->GetDeviceProcAddr(d->handle, "vkGetDeviceQueue");
    CHECK(get_queue != NULL);
    get_queue(d->handle, 0, 0, &d->queue);
}

void probe_device_destroy(struct probe_device *d)
{
    d->DestroyDevice(d->handle, NULL);
}

uint32_t probe_host_type(VkInstance instance, VkPhysicalDevice gpu)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties m;
    ((PFN_vkGetPhysicalDeviceMemoryProperties)need(instance,
                                                   "vkGetPhysicalDeviceMemoryProperties"))(gpu, &m);
    for (uint32_t i = 0; i < m.memoryTypeCount; i++)
        if ((m.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    fprintf(stderr, "no host-visible, coherent memory type\n");
    exit(1);
}

bool probe_is_mapped(const char *part)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    bool found = false;

    CHECK(maps != NULL);
    while (!found && fgets(line, sizeof line, maps) != NULL)
        found = strstr(line, part) != NULL;
    fclose(maps);
    return found;
}
