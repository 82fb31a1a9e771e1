/* SPDX-License-Identifier: MIT
 *
 * Words, logs and budgets of the corpus: see corpus.h. */
#include "corpus.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "hoard.h"

const char *corpus_size(uint64_t bytes)
{
    static char texts[4][32];
    static unsigned next;
    char *text = texts[next++ % 4];
    if (bytes % (1 << 20) == 0)
        snprintf(text, sizeof(texts[0]), "%llu MiB", (unsigned long long)(bytes >> 20));
    else if (bytes % (1 << 10) == 0)
        snprintf(text, sizeof(texts[0]), "%llu KiB", (unsigned long long)(bytes >> 10));
    else
        snprintf(text, sizeof(texts[0]), "%llu bytes", (unsigned long long)bytes);
    return text;
}

static void say(const char *kind, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static void say(const char *kind, const char *format, va_list args)
{
    printf("%s: ", kind);
    vprintf(format, args);
    putchar('\n');
}

void corpus_log(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("log", format, args);
    va_end(args);
}

void corpus_log_types(const struct vkf *f)
{
    for (uint32_t i = 0; i < f->memory.memoryTypeCount; i++)
        corpus_log("memory type %u: heap %u, flags %#x", i, f->memory.memoryTypes[i].heapIndex,
                   f->memory.memoryTypes[i].propertyFlags);
}

void corpus_outcome(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("outcome", format, args);
    va_end(args);
}

void corpus_give_up(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("outcome", format, args);
    va_end(args);
    exit(code);
}

void corpus_refused(VkResult result, struct hoard *hoard, const char *what)
{
    hoard_exercise(hoard);
    corpus_give_up(result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? VKF_EXIT_OOM : VKF_EXIT_FAILED,
                   "%s answered %s, %s held", what, vkf_result_name(result),
                   corpus_size(hoard->total_bytes));
}

struct corpus_budget corpus_budget(const struct vkf *f, uint32_t heap)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    vkGetPhysicalDeviceMemoryProperties2(f->gpu, &properties);
    return (struct corpus_budget){properties.memoryProperties.memoryHeaps[heap].size,
                                  budget.heapBudget[heap], budget.heapUsage[heap]};
}
