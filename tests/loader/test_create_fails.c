/* SPDX-License-Identifier: MIT
 *
 * vkCreateInstance and vkCreateDevice that cannot succeed, through a real loader: the program gets
 * the driver's answer, its create info is as it was, and afterwards all works. test_llp.c does the
 * same with a driver that fails at will, and counts what is left behind.
 *
 *   test_create_fails DRIVER */
#include "probe.h"

#include <string.h>

#define REPEATS 20

static const char *const no_such_extension = "VK_SPILLWAY_no_such_extension";

static void expect_instance_error(const VkInstanceCreateInfo *info, VkResult expected)
{
    VkInstanceCreateInfo copy = *info;
    VkApplicationInfo app = *info->pApplicationInfo;
    VkInstance instance = VK_NULL_HANDLE;
    VkResult result = vk.CreateInstance(info, NULL, &instance);

    if (result != expected) {
        fprintf(stderr, "vkCreateInstance: %d instead of %d\n", result, expected);
        exit(1);
    }
    CHECK(memcmp(&copy, info, sizeof copy) == 0);
    CHECK(memcmp(&app, info->pApplicationInfo, sizeof app) == 0);
}

static void expect_device_error(PFN_vkCreateDevice create, VkPhysicalDevice gpu,
                                VkDeviceCreateInfo *info, VkResult expected)
{
    VkDeviceCreateInfo copy = *info;
    VkDeviceQueueCreateInfo queue = *info->pQueueCreateInfos;
    VkPhysicalDeviceFeatures2 *features = (void *)info->pNext;
    VkPhysicalDeviceFeatures2 features_copy = {0};
    VkDevice device = VK_NULL_HANDLE;

    if (features != NULL)
        features_copy = *features;
    VkResult result = create(gpu, info, NULL, &device);
    if (result != expected) {
        fprintf(stderr, "vkCreateDevice: %d instead of %d\n", result, expected);
        exit(1);
    }
    CHECK(memcmp(&copy, info, sizeof copy) == 0);
    CHECK(memcmp(&queue, info->pQueueCreateInfos, sizeof queue) == 0);
    CHECK(features == NULL || memcmp(&features_copy, features, sizeof *features) == 0);
}

static void instance_errors(void)
{
    static const char *const no_such_layer = "VK_LAYER_SPILLWAY_no_such_layer";
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app};

    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &no_such_extension;
    expect_instance_error(&info, VK_ERROR_EXTENSION_NOT_PRESENT);
    info.enabledExtensionCount = 0;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &no_such_layer;
    expect_instance_error(&info, VK_ERROR_LAYER_NOT_PRESENT);
}

static void device_errors(VkInstance instance, VkPhysicalDevice gpu, bool strict_driver)
{
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)need(instance, "vkCreateDevice");
    PFN_vkGetPhysicalDeviceFeatures2 get_features =
        (PFN_vkGetPhysicalDeviceFeatures2)need(instance, "vkGetPhysicalDeviceFeatures2");
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = &no_such_extension};
    expect_device_error(create, gpu, &info, VK_ERROR_EXTENSION_NOT_PRESENT);

    if (!strict_driver) /* the mock driver refuses no feature */
        return;
    VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    get_features(gpu, &has);
    CHECK(!has.features.textureCompressionASTC_LDR || !has.features.sparseResidency16Samples);
    VkPhysicalDeviceFeatures2 wanted = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    wanted.features.textureCompressionASTC_LDR = VK_TRUE;
    wanted.features.sparseResidency16Samples = VK_TRUE;
    info.enabledExtensionCount = 0;
    info.pNext = &wanted;
    expect_device_error(create, gpu, &info, VK_ERROR_FEATURE_NOT_PRESENT);
    info.pNext = NULL;
    info.pEnabledFeatures = &wanted.features;
    expect_device_error(create, gpu, &info, VK_ERROR_FEATURE_NOT_PRESENT);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    bool strict_driver = strcmp(argv[1], "mock") != 0;

    probe_open_loader();
    for (unsigned i = 0; i < REPEATS; i++) {
        instance_errors();
        VkInstance instance = probe_instance(VK_API_VERSION_1_3);
        VkPhysicalDevice gpu = probe_gpu(instance);
        device_errors(instance, gpu, strict_driver);
        struct probe_device d;
        probe_device_create(&d, instance, gpu);
        device_errors(instance, gpu, strict_driver);
        CHECK_VK(d.QueueWaitIdle(d.queue));
        probe_device_destroy(&d);
        probe_destroy_instance(instance);
    }
    puts("refused, and usable");
    return 0;
}
