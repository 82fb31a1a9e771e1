/* SPDX-License-Identifier: MIT */
/*
 * find_gpu: prints the index and the name of the first Vulkan device that is a GPU and not a
 * program on the CPU, and exits 0; prints what there is instead and exits 1 where there is none.
 *
 * `tools/demo --gpu` asks it which device to use: the index is what GGML_VK_VISIBLE_DEVICES takes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

#define MAX_DEVICES 64u

int main(void)
{
    VkPhysicalDevice devices[MAX_DEVICES];
    VkPhysicalDeviceProperties properties;
    VkInstance instance;
    uint32_t count = MAX_DEVICES;
    int status = EXIT_FAILURE;

    if (vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO},
                         NULL, &instance) != VK_SUCCESS) {
        printf("no Vulkan driver\n");
        return EXIT_FAILURE;
    }
    if (vkEnumeratePhysicalDevices(instance, &count, devices) < 0)
        count = 0;
    for (uint32_t i = 0; i < count && status != EXIT_SUCCESS; i++) {
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        if (properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU) {
            printf("%u %s\n", i, properties.deviceName);
            status = EXIT_SUCCESS;
        }
    }
    if (status != EXIT_SUCCESS)
        printf("%u Vulkan devices, all of them programs on the CPU\n", count);
    vkDestroyInstance(instance, NULL);
    return status;
}
