/* SPDX-License-Identifier: MIT
 *
 * What the program is told about memory: heap sizes and budgets, in every form in which they can be
 * asked.
 *
 *   test_report sizes TOTAL SIZE|-...   the heaps have these sizes; all forms agree; the numbers
 * are sane, empty, while TOTAL is allocated, and empty again as before test_report elastic REAL
 * VIRTUAL    the budget starts at REAL at most, and grows only as usage comes within 5 % of it; a
 * program that keeps to it gets to VIRTUAL test_report stays REAL              a program that keeps
 * 5 % below the first budget (checks say: in VRAM) test_report truthful REAL TOTAL     the size is
 * REAL, the budget never more, whatever is allocated
 *
 * Sane: 0 < budget <= size, usage <= budget (not with truthful), nothing for heaps that do not
 * exist. */
#include "vk_fixture.h"

#include <stdio.h>
#include <string.h>

#include "hoard.h"

#define STEP_BYTES ((VkDeviceSize)1 << 20)

static struct vkf f;
static struct hoard hoard;
static bool usage_may_exceed_budget;

struct told {
    VkPhysicalDeviceMemoryProperties properties;
    VkDeviceSize budget[VK_MAX_MEMORY_HEAPS], usage[VK_MAX_MEMORY_HEAPS];
};

static void same_properties(const VkPhysicalDeviceMemoryProperties *a,
                            const VkPhysicalDeviceMemoryProperties *b, const char *form)
{
    VKF_CHECK(a->memoryHeapCount == b->memoryHeapCount && a->memoryTypeCount == b->memoryTypeCount,
              "%s counts otherwise", form);
    for (uint32_t i = 0; i < a->memoryTypeCount; i++)
        VKF_CHECK(a->memoryTypes[i].propertyFlags == b->memoryTypes[i].propertyFlags &&
                      a->memoryTypes[i].heapIndex == b->memoryTypes[i].heapIndex,
                  "%s has another type %u", form, i);
    for (uint32_t i = 0; i < a->memoryHeapCount; i++)
        VKF_CHECK(a->memoryHeaps[i].size == b->memoryHeaps[i].size &&
                      a->memoryHeaps[i].flags == b->memoryHeaps[i].flags,
                  "heap %u has %llu bytes here and %llu with %s", i,
                  (unsigned long long)a->memoryHeaps[i].size,
                  (unsigned long long)b->memoryHeaps[i].size, form);
}

static void check_sane(const struct told *told)
{
    const VkPhysicalDeviceMemoryProperties *p = &told->properties;
    for (uint32_t i = 0; i < p->memoryHeapCount; i++) {
        unsigned long long size = p->memoryHeaps[i].size, budget = told->budget[i],
                           usage = told->usage[i];
        VKF_CHECK(size > 0, "heap %u has no size", i);
        VKF_CHECK(budget > 0, "the budget of heap %u is 0", i);
        VKF_CHECK(budget <= size, "the budget of heap %u, %llu, is above its size, %llu", i, budget,
                  size);
        VKF_CHECK(usage <= (usage_may_exceed_budget ? size : budget),
                  "the usage of heap %u, %llu, is above its budget, %llu", i, usage, budget);
    }
    for (uint32_t i = p->memoryHeapCount; i < VK_MAX_MEMORY_HEAPS; i++)
        VKF_CHECK(told->budget[i] == 0 && told->usage[i] == 0,
                  "numbers for heap %u, which is not there", i);
}

/* Asks in all forms, with and without the budget. */
static struct told ask(void)
{
    PFN_vkGetPhysicalDeviceMemoryProperties2 forms[] = {
        vkGetPhysicalDeviceMemoryProperties2,
        (PFN_vkGetPhysicalDeviceMemoryProperties2)vkf_instance_proc(
            &f, "vkGetPhysicalDeviceMemoryProperties2"),
        (PFN_vkGetPhysicalDeviceMemoryProperties2)vkf_instance_proc(
            &f, "vkGetPhysicalDeviceMemoryProperties2KHR"),
    };
    static const char *const names[] = {"…2", "…2 by vkGetInstanceProcAddr", "…2KHR"};
    struct told told = {0};
    vkGetPhysicalDeviceMemoryProperties(f.gpu, &told.properties);
    for (int i = 0; i < 3; i++) {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
        memset(budget.heapBudget, 0xa5,
               sizeof(budget.heapBudget)); /* all of it has to be written */
        memset(budget.heapUsage, 0xa5, sizeof(budget.heapUsage));
        VkPhysicalDeviceMemoryProperties2 with = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
        VkPhysicalDeviceMemoryProperties2 without = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
        forms[i](f.gpu, &with);
        forms[i](f.gpu, &without);
        same_properties(&told.properties, &with.memoryProperties, names[i]);
        same_properties(&told.properties, &without.memoryProperties, names[i]);
        if (i > 0)
            VKF_CHECK(memcmp(told.budget, budget.heapBudget, sizeof(told.budget)) == 0 &&
                          memcmp(told.usage, budget.heapUsage, sizeof(told.usage)) == 0,
                      "%s tells another budget", names[i]);
        memcpy(told.budget, budget.heapBudget, sizeof(told.budget));
        memcpy(told.usage, budget.heapUsage, sizeof(told.usage));
    }
    check_sane(&told);
    return told;
}

static void sizes(char **expected, int count, VkDeviceSize total)
{
    struct told told = ask();
    VKF_CHECK(told.properties.memoryHeapCount == (uint32_t)count, "%u heaps, %d expected",
              told.properties.memoryHeapCount, count);
    for (int i = 0; i < count; i++)
        if (strcmp(expected[i], "-") != 0)
            VKF_CHECK(told.properties.memoryHeaps[i].size == vkf_parse_size(expected[i]),
                      "heap %d has %llu bytes, %s expected", i,
                      (unsigned long long)told.properties.memoryHeaps[i].size, expected[i]);
    while (hoard.total_bytes < total) {
        hoard_add(&hoard, HOARD_BARE, HOARD_DEVICE, 4 * STEP_BYTES);
        struct told now = ask();
        same_properties(&told.properties, &now.properties, "the answer after an allocation");
    }
    hoard_clear(&hoard);
    struct told empty = ask();
    for (int i = 0; i < count; i++)
        VKF_CHECK(empty.budget[i] == told.budget[i] && empty.usage[i] == told.usage[i],
                  "heap %d: budget %llu and usage %llu when empty again, %llu and %llu before", i,
                  (unsigned long long)empty.budget[i], (unsigned long long)empty.usage[i],
                  (unsigned long long)told.budget[i], (unsigned long long)told.usage[i]);
}

/* Within 5 % of the budget, as the design has it. */
static bool close_to(VkDeviceSize usage, VkDeviceSize budget)
{
    return usage >= budget - budget / 20;
}

static void elastic(VkDeviceSize real, VkDeviceSize virtual_size)
{
    uint32_t heap = vkf_vram_heap(&f), steps = 0;
    struct told told = ask();
    VKF_CHECK(told.properties.memoryHeaps[heap].size == virtual_size, "the heap has %llu bytes",
              (unsigned long long)told.properties.memoryHeaps[heap].size);
    VKF_CHECK(told.budget[heap] <= real, "the first budget is %llu",
              (unsigned long long)told.budget[heap]);
    while (told.usage[heap] + STEP_BYTES <= told.budget[heap]) {
        hoard_add(&hoard, HOARD_BARE, HOARD_DEVICE, STEP_BYTES);
        struct told now = ask();
        VKF_CHECK(now.usage[heap] >= told.usage[heap] + STEP_BYTES,
                  "usage does not follow: %llu after %llu", (unsigned long long)now.usage[heap],
                  (unsigned long long)told.usage[heap]);
        if (now.budget[heap] != told.budget[heap]) {
            VKF_CHECK(now.budget[heap] > told.budget[heap], "the budget shrank");
            VKF_CHECK(close_to(now.usage[heap], told.budget[heap]),
                      "the budget grew at a usage of %llu", (unsigned long long)now.usage[heap]);
            steps++;
        } else {
            VKF_CHECK(now.budget[heap] == virtual_size ||
                          !close_to(now.usage[heap], now.budget[heap]),
                      "the budget stays at %llu, and usage is %llu",
                      (unsigned long long)now.budget[heap], (unsigned long long)now.usage[heap]);
        }
        told = now;
    }
    VKF_CHECK(told.usage[heap] + STEP_BYTES > virtual_size, "the budget ended at %llu",
              (unsigned long long)told.budget[heap]);
    VKF_CHECK(steps > 4, "the budget grew in %u steps only", steps);
    printf("%llu bytes in %u steps of the budget\n", (unsigned long long)told.usage[heap], steps);
}

static void stays(VkDeviceSize real)
{
    uint32_t heap = vkf_vram_heap(&f);
    VkDeviceSize first = ask().budget[heap];
    VKF_CHECK(first <= real && first > real / 2, "the first budget is %llu",
              (unsigned long long)first);
    while (!close_to(hoard.total_bytes + STEP_BYTES, first)) {
        hoard_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES);
        VKF_CHECK(ask().budget[heap] == first, "the budget grew");
    }
    VKF_CHECK(hoard.total_bytes > real / 2, "only %llu bytes",
              (unsigned long long)hoard.total_bytes);
}

static void truthful(VkDeviceSize real, VkDeviceSize total)
{
    uint32_t heap = vkf_vram_heap(&f);
    usage_may_exceed_budget = true;
    do {
        struct told told = ask();
        VKF_CHECK(told.properties.memoryHeaps[heap].size == real, "the heap has %llu bytes",
                  (unsigned long long)told.properties.memoryHeaps[heap].size);
        hoard_add(&hoard, HOARD_BARE, HOARD_DEVICE, 4 * STEP_BYTES);
    } while (hoard.total_bytes < total);
}

int main(int argc, char **argv)
{
    static const char *const extensions[] = {
        VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME};
    const char *what = argc > 1 ? argv[1] : "";
    vkf_begin(&f, &(struct vkf_options){.instance_extensions = extensions,
                                        .instance_extension_count = 1});
    if (!vkf_has_device_extension(f.gpu, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
        VKF_FAIL("the device has no VK_EXT_memory_budget");
    hoard_begin(&hoard, &f, 50);
    if (strcmp(what, "sizes") == 0 && argc > 3)
        sizes(argv + 3, argc - 3, vkf_parse_size(argv[2]));
    else if (strcmp(what, "elastic") == 0 && argc == 4)
        elastic(vkf_parse_size(argv[2]), vkf_parse_size(argv[3]));
    else if (strcmp(what, "stays") == 0 && argc == 3)
        stays(vkf_parse_size(argv[2]));
    else if (strcmp(what, "truthful") == 0 && argc == 4)
        truthful(vkf_parse_size(argv[2]), vkf_parse_size(argv[3]));
    else
        vkf_exit_with(VKF_EXIT_USAGE, __FILE__, __LINE__, "what to do? ('%s')", what);
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
