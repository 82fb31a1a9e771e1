/* SPDX-License-Identifier: MIT
 *
 * VRAM that is not all the program's: another process that comes and goes (the control file), and a
 * driver that evicts by priority instead of refusing. */
#include "cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MiB ((VkDeviceSize)1 << 20)

enum { VRAM_TYPE = 1, VRAM_HEAP = 0, HOST_TYPE = 2, HOST_HEAP = 1 }; /* of the nvidia cards */

static void expect(const struct vkf *f, const char *when, VkDeviceSize budget, VkDeviceSize usage)
{
    struct cards_budget b = cards_budget(f);
    VKF_CHECK(b.budget[VRAM_HEAP] == budget && b.usage[VRAM_HEAP] == usage,
              "%s: budget %llu, usage %llu, not %llu and %llu", when,
              (unsigned long long)b.budget[VRAM_HEAP], (unsigned long long)b.usage[VRAM_HEAP],
              (unsigned long long)budget, (unsigned long long)usage);
}

static VkResult try_vram(const struct vkf *f, VkDeviceSize size, VkDeviceMemory *memory)
{
    return vkf_try_allocate(f, size, VRAM_TYPE, NULL, memory);
}

/* 40 MiB of VRAM; another process takes 70 % of it, and goes. */
static void other_process(void)
{
    static const char *const device[] = {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME};
    VkDeviceMemory memory[3], more;
    struct vkf f;
    vkf_begin(&f, &(struct vkf_options){.device_extensions = device, .device_extension_count = 1});
    expect(&f, "alone", 40 * MiB, 0);
    VKF_VK(try_vram(&f, 8 * MiB, &memory[0]));
    cards_control("# a game\nvram = 70%\n");
    expect(&f, "70 % taken", 12 * MiB, 8 * MiB);
    VKF_VK(try_vram(&f, 4 * MiB, &memory[1]));
    VKF_CHECK(try_vram(&f, 4096, &more) == VK_ERROR_OUT_OF_DEVICE_MEMORY, "more than the rest");
    /* More than is left: what is there stays, and nothing can be had. */
    cards_control("vram = 36MiB\nhost = 1MiB\n");
    expect(&f, "36 MiB taken", 4 * MiB, 12 * MiB);
    VKF_CHECK(cards_budget(&f).budget[HOST_HEAP] == f.memory.memoryHeaps[HOST_HEAP].size - MiB,
              "the host heap's budget did not fall");
    VKF_CHECK(try_vram(&f, 4096, &more) == VK_ERROR_OUT_OF_DEVICE_MEMORY, "below zero");
    vkf_free(&f, memory[1]);
    VKF_CHECK(try_vram(&f, 4096, &more) == VK_ERROR_OUT_OF_DEVICE_MEMORY, "still too much");
    cards_control(NULL);
    /* Without a budget query in between: the allocation itself looks. */
    VKF_VK(try_vram(&f, 32 * MiB, &memory[2]));
    expect(&f, "gone", 40 * MiB, 40 * MiB);
    cards_control("budget = wrap\n");
    expect(&f, "wrapped", UINT64_MAX - 65535, 40 * MiB);
    cards_control("budget = zero\n");
    expect(&f, "zero", 0, 40 * MiB);
    cards_control("budget = 3MiB\n\n# a comment\n  \nvram=0%  # nobody\n");
    expect(&f, "a size", 3 * MiB, 40 * MiB);
    cards_control("budget = huge\n");
    expect(&f, "huge", 40 * 1024 * MiB, 40 * MiB);
    cards_control("");
    expect(&f, "empty", 40 * MiB, 40 * MiB);
    vkf_free(&f, memory[0]);
    vkf_free(&f, memory[2]);
    vkf_end(&f);
}

static VkDeviceMemory with_priority(const struct vkf *f, VkDeviceSize size, float priority)
{
    VkMemoryPriorityAllocateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT, .priority = priority};
    VkDeviceMemory memory;
    VKF_VK(vkf_try_allocate(f, size, VRAM_TYPE, &info, &memory));
    return memory;
}

/* Which memories are in VRAM shows in the usage, because each sum of sizes is another. */
static void expect_evicted(const struct vkf *f, const char *when, VkDeviceSize in_vram,
                           VkDeviceSize evicted)
{
    struct cards_budget b = cards_budget(f);
    VKF_CHECK(b.usage[VRAM_HEAP] == in_vram && b.usage[HOST_HEAP] == evicted,
              "%s: %llu in VRAM and %llu evicted, not %llu and %llu", when,
              (unsigned long long)b.usage[VRAM_HEAP], (unsigned long long)b.usage[HOST_HEAP],
              (unsigned long long)in_vram, (unsigned long long)evicted);
}

static void begin_pageable(struct vkf *f)
{
    static const char *const device[] = {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
                                         VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME,
                                         VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME};
    VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT paging = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT};
    VkPhysicalDeviceMemoryPriorityFeaturesEXT priority = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT, .pNext = &paging};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &priority};
    vkf_begin(f, &(struct vkf_options){.instance_only = true});
    vkGetPhysicalDeviceFeatures2(f->gpu, &features);
    VKF_CHECK(priority.memoryPriority && paging.pageableDeviceLocalMemory, "no such features");
    vkf_end(f);
    vkf_begin(f, &(struct vkf_options){.device_extensions = device,
                                       .device_extension_count = 3,
                                       .device_next = &priority});
}

/* 16 MiB of VRAM, 64 MiB beside it. */
static void pageable(void)
{
    struct vkf f;
    begin_pageable(&f);
    PFN_vkSetDeviceMemoryPriorityEXT set_priority =
        (PFN_vkSetDeviceMemoryPriorityEXT)vkf_device_proc(&f, "vkSetDeviceMemoryPriorityEXT");
    VkDeviceMemory a = with_priority(&f, 6 * MiB, 0.2f), b = with_priority(&f, 8 * MiB, 0.9f);
    expect_evicted(&f, "both fit", 14 * MiB, 0);
    VkDeviceMemory c = vkf_allocate(&f, 7 * MiB, VRAM_TYPE); /* 0.5 */
    expect_evicted(&f, "the lowest goes", 15 * MiB, 6 * MiB);
    set_priority(f.device, a, 1.0f);
    expect_evicted(&f, "a priority rises", 14 * MiB, 7 * MiB);
    VkDeviceMemory d = with_priority(&f, 3 * MiB, 0.0f);
    expect_evicted(&f, "the new one is the lowest", 14 * MiB, 10 * MiB);
    cards_control("vram = 50%\n");
    expect_evicted(&f, "another process", 6 * MiB, 18 * MiB);
    cards_control(NULL);
    expect_evicted(&f, "alone again", 14 * MiB, 10 * MiB);
    vkf_free(&f, b);
    expect_evicted(&f, "there is room again", 16 * MiB, 0);
    /* Of equal priority the oldest goes. */
    set_priority(f.device, d, 1.0f);
    VkDeviceMemory e = vkf_allocate(&f, 2 * MiB, VRAM_TYPE);
    expect_evicted(&f, "equals", 11 * MiB, 7 * MiB);
    /* Evicted memory works. */
    struct vkf_buffer buffer = vkf_buffer_create(&f, MiB, 0);
    uint32_t in = 0x600d, out = 0;
    VKF_VK(vkBindBufferMemory(f.device, buffer.handle, c, 0));
    vkf_buffer_write(&f, buffer.handle, 4096, &in, sizeof(in));
    vkf_buffer_read(&f, buffer.handle, 4096, &out, sizeof(out));
    VKF_CHECK(out == in, "evicted memory lost a word");
    /* Everything has an end: 58 of 80 MiB are free, for the staging buffer counts as well. */
    VkDeviceMemory f1 = vkf_allocate(&f, 16 * MiB, VRAM_TYPE), f2 = vkf_allocate(&f, 16 * MiB, 1),
                   f3 = vkf_allocate(&f, 16 * MiB, 1), more;
    VKF_CHECK(try_vram(&f, 11 * MiB, &more) == VK_ERROR_OUT_OF_DEVICE_MEMORY,
              "more than VRAM and host memory together");
    VKF_VK(try_vram(&f, 10 * MiB, &more));
    VkDeviceMemory all[] = {c, a, d, e, f1, f2, f3, more};
    vkf_buffer_destroy(&f, &buffer);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        vkf_free(&f, all[i]);
    vkf_end(&f);
}

int main(int argc, char **argv)
{
    /* of a run that failed */
    if (getenv("SIMGPU_CONTROL"))
        unlink(getenv("SIMGPU_CONTROL"));
    if (argc == 2 && strcmp(argv[1], "other_process") == 0)
        other_process();
    else if (argc == 2 && strcmp(argv[1], "pageable") == 0)
        pageable();
    else
        return VKF_EXIT_USAGE;
    return 0;
}
