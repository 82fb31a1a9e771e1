/* SPDX-License-Identifier: MIT
 *
 * Calls one command N times, for counting instructions (tools/bench): the difference between two
 * counts of N, with and without the layer, is what the layer costs a call.
 *
 *     calls allocate|requirements|create-buffer N
 *
 * Runs on the first device that the loader offers; meant for the Khronos mock driver, which does
 * next to nothing itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

static void must(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "calls: %s answered %d\n", what, result);
    exit(1);
}

static VkDevice make_device(VkPhysicalDevice *physical)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                          .pApplicationInfo = &app};
    VkInstance instance;
    must(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, physical);
    must(result == VK_INCOMPLETE ? VK_SUCCESS : result, "vkEnumeratePhysicalDevices");
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
    VkDevice device;
    must(vkCreateDevice(*physical, &info, NULL, &device), "vkCreateDevice");
    return device;
}

static uint32_t device_local_type(VkPhysicalDevice physical)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t t = 0; t < memory.memoryTypeCount; t++)
        if (memory.memoryTypes[t].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
            return t;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: calls allocate|requirements|create-buffer N\n");
        return 2;
    }
    const char *what = argv[1];
    long n = strtol(argv[2], NULL, 10);
    VkPhysicalDevice physical;
    VkDevice device = make_device(&physical);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = 65536,
                                     .memoryTypeIndex = device_local_type(physical)};
    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = 65536,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer;
    must(vkCreateBuffer(device, &buffer_info, NULL, &buffer), "vkCreateBuffer");
    for (long i = 0; i < n; i++) {
        if (strcmp(what, "allocate") == 0) {
            VkDeviceMemory memory;
            must(vkAllocateMemory(device, &allocate, NULL, &memory), "vkAllocateMemory");
            vkFreeMemory(device, memory, NULL);
        } else if (strcmp(what, "requirements") == 0) {
            VkMemoryRequirements requirements;
            vkGetBufferMemoryRequirements(device, buffer, &requirements);
        } else {
            VkBuffer other;
            must(vkCreateBuffer(device, &buffer_info, NULL, &other), "vkCreateBuffer");
            vkDestroyBuffer(device, other, NULL);
        }
    }
    return 0;
}
