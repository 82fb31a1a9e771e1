/* SPDX-License-Identifier: MIT
 *
 * How a program can tell that Spillway is there, and that it is not there when it is off.
 *
 *   test_modes tool MODE    the tool-properties entry says mode=MODE and a reason, in every form
 *   test_modes no-tool      there is no such entry
 *   test_modes dump         prints what a program can see of the device, and how many allocations
 * it gets: compared with a run without the layer by compare.sh */
#include "vk_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_BYTES ((VkDeviceSize)1 << 20)

static const char layer_name[] = "VK_LAYER_SPILLWAY_overcommit";

/* The entries of ours, and that the two calls keep the rules of every enumeration. */
static uint32_t find_tool(const struct vkf *f, PFN_vkGetPhysicalDeviceToolProperties get,
                          VkPhysicalDeviceToolProperties *out)
{
    uint32_t count = 0, found = 0;
    VKF_VK(get(f->gpu, &count, NULL));
    VkPhysicalDeviceToolProperties *tools = calloc(count + 1, sizeof(*tools));
    VKF_CHECK(tools, "no memory");
    for (uint32_t i = 0; i <= count; i++)
        tools[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES;
    uint32_t room = count + 1;
    VKF_VK(get(f->gpu, &room, tools));
    VKF_CHECK(room == count, "%u tools were told, %u written", count, room);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(tools[i].layer, layer_name) == 0) {
            *out = tools[i];
            found++;
        }
    if (count > 0) {
        room = count - 1;
        VkResult result = get(f->gpu, &room, tools);
        VKF_CHECK(result == VK_INCOMPLETE && room == count - 1,
                  "with too little room: %s and %u of %u", vkf_result_name(result), room, count);
    }
    free(tools);
    return found;
}

static void check_tool(const struct vkf *f, PFN_vkGetPhysicalDeviceToolProperties get,
                       const char *mode)
{
    VkPhysicalDeviceToolProperties tool = {0};
    char start[64];
    uint32_t found = find_tool(f, get, &tool);
    if (!mode) {
        VKF_CHECK(found == 0, "Spillway lists itself: %s", tool.description);
        return;
    }
    snprintf(start, sizeof(start), "mode=%s; ", mode);
    VKF_CHECK(found == 1, "%u entries of Spillway", found);
    VKF_CHECK(strcmp(tool.name, "Spillway") == 0, "its name is '%s'", tool.name);
    VKF_CHECK(strncmp(tool.description, start, strlen(start)) == 0 &&
                  strlen(tool.description) > strlen(start),
              "its description is '%s'", tool.description);
    VKF_CHECK(tool.version[0], "no version");
    printf("%s %s: %s\n", tool.name, tool.version, tool.description);
}

static void check_tools(const char *mode)
{
    struct vkf f;
    vkf_begin(&f, &(struct vkf_options){.api_version = VK_API_VERSION_1_3});
    check_tool(&f, vkGetPhysicalDeviceToolProperties, mode);
    check_tool(&f,
               (PFN_vkGetPhysicalDeviceToolProperties)vkf_instance_proc(
                   &f, "vkGetPhysicalDeviceToolProperties"),
               mode);
    /* The extension's name for it, for programs of Vulkan 1.0 to 1.2. */
    PFN_vkVoidFunction extended =
        vkGetInstanceProcAddr(f.instance, "vkGetPhysicalDeviceToolPropertiesEXT");
    if (extended)
        check_tool(&f, (PFN_vkGetPhysicalDeviceToolProperties)extended, mode);
    vkf_end(&f);
}

static void dump_memory(const struct vkf *f)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    vkGetPhysicalDeviceMemoryProperties2(f->gpu, &properties);
    const VkPhysicalDeviceMemoryProperties *p = &properties.memoryProperties;
    for (uint32_t i = 0; i < p->memoryTypeCount; i++)
        printf("type %u: heap %u flags %#x\n", i, p->memoryTypes[i].heapIndex,
               p->memoryTypes[i].propertyFlags);
    for (uint32_t i = 0; i < p->memoryHeapCount; i++)
        printf("heap %u: %llu bytes, flags %#x, budget %llu, usage %llu\n", i,
               (unsigned long long)p->memoryHeaps[i].size, p->memoryHeaps[i].flags,
               (unsigned long long)budget.heapBudget[i], (unsigned long long)budget.heapUsage[i]);
}

static void dump_device(const struct vkf *f)
{
    uint32_t count = 0;
    VKF_VK(vkEnumerateDeviceExtensionProperties(f->gpu, NULL, &count, NULL));
    VkExtensionProperties *extensions = calloc(count, sizeof(*extensions));
    VKF_CHECK(extensions, "no memory");
    VKF_VK(vkEnumerateDeviceExtensionProperties(f->gpu, NULL, &count, extensions));
    for (uint32_t i = 0; i < count; i++)
        printf("extension %s %u\n", extensions[i].extensionName, extensions[i].specVersion);
    free(extensions);
    for (uint32_t i = 0; i < f->family_count; i++)
        printf("family %u: %u queues, flags %#x\n", i, f->families[i].queueCount,
               f->families[i].queueFlags);
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(f->gpu, &features);
    for (size_t i = 0; i < sizeof(features) / sizeof(VkBool32); i++)
        putchar(((const VkBool32 *)&features)[i] ? '1' : '0');
    printf("\nAPI %#x, %u allocations at most\n", f->properties.apiVersion,
           f->properties.limits.maxMemoryAllocationCount);
}

static void dump_allocations(const struct vkf *f)
{
    enum { MOST = 256 };
    VkDeviceMemory list[MOST];
    struct vkf_buffer buffer = vkf_buffer_create(f, 1234567, 0);
    struct vkf_image image = vkf_image_create(f, 333, 222, 1, 1, VK_IMAGE_TILING_OPTIMAL, 0);
    printf("buffer: %llu bytes, %llu, %#x\nimage: %llu bytes, %llu, %#x\n",
           (unsigned long long)buffer.requirements.size,
           (unsigned long long)buffer.requirements.alignment, buffer.requirements.memoryTypeBits,
           (unsigned long long)image.requirements.size,
           (unsigned long long)image.requirements.alignment, image.requirements.memoryTypeBits);
    vkf_buffer_destroy(f, &buffer);
    vkf_image_destroy(f, &image);
    for (uint32_t type = 0; type < f->memory.memoryTypeCount; type++) {
        uint32_t count = 0;
        VkResult result = VK_SUCCESS;
        while (count < MOST &&
               (result = vkf_try_allocate(f, STEP_BYTES, type, NULL, &list[count])) == VK_SUCCESS)
            count++;
        printf("type %u: %u allocations, then %s\n", type, count, vkf_result_name(result));
        while (count > 0)
            vkf_free(f, list[--count]);
    }
}

static void dump(void)
{
    struct vkf f;
    vkf_begin(&f, NULL);
    dump_memory(&f);
    dump_device(&f);
    dump_allocations(&f);
    dump_memory(&f);
    vkf_end(&f);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "tool") == 0)
        check_tools(argv[2]);
    else if (argc == 2 && strcmp(argv[1], "no-tool") == 0)
        check_tools(NULL);
    else if (argc == 2 && strcmp(argv[1], "dump") == 0)
        dump();
    else
        return VKF_EXIT_USAGE;
    return 0;
}
