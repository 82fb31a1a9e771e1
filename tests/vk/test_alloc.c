/* SPDX-License-Identifier: MIT
 *
 * Device-local memory beyond what the card has, in one shape, every byte checked; then everything
 * freed, and again as often as asked, without growth.
 *
 *   test_alloc SHAPE TOTAL [CYCLES [LEAK]]
 *
 * SHAPE: one (a single allocation), chunks (5 MiB buffers), small (20 KiB buffers), images
 * (dedicated), mixed (buffers and images in one allocation), visible (chunks of host-visible
 * device-local memory, mapped for good). */
#include "vk_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hoard.h"

#define CHUNK_BYTES ((VkDeviceSize)5 << 20)
#define SMALL_BYTES ((VkDeviceSize)20 << 10)
#define IMAGE_BYTES ((VkDeviceSize)1 << 20)
#define MIXED_BYTES ((VkDeviceSize)6 << 20)

/* What may lie between the fifth cycle and the last in resident memory: allocators and the driver's
 * caches settle late. One leaked 64 KiB page a cycle is more than this over a hundred cycles. */
#define RSS_SLACK_BYTES ((uint64_t)4 << 20)

/* A sanitizer's own memory is no measure of the program's. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

struct shape {
    const char *name;
    enum hoard_shape shape;
    enum hoard_type type;
    VkDeviceSize size_bytes; /* of one; 0: all in one */
};

static const struct shape shapes[] = {
    {"one", HOARD_BUFFER, HOARD_DEVICE, 0},
    {"chunks", HOARD_BUFFER, HOARD_DEVICE, CHUNK_BYTES},
    {"small", HOARD_BUFFER, HOARD_DEVICE, SMALL_BYTES},
    {"images", HOARD_IMAGE, HOARD_DEVICE, IMAGE_BYTES},
    {"mixed", HOARD_MIXED, HOARD_DEVICE, MIXED_BYTES},
    {"visible", HOARD_MAPPED, HOARD_VISIBLE, CHUNK_BYTES},
};

struct footprint {
    uint64_t rss_bytes;
    unsigned fd_count;
    bool has_usage;
    VkDeviceSize usage[VK_MAX_MEMORY_HEAPS];
};

static struct footprint measure(const struct vkf *f)
{
    struct footprint now = {0};
    unsigned long size = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    VKF_CHECK(statm && fscanf(statm, "%lu %lu", &size, &resident) == 2,
              "cannot read /proc/self/statm");
    fclose(statm);
    now.rss_bytes = (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
    DIR *fds = opendir("/proc/self/fd");
    VKF_CHECK(fds, "cannot list /proc/self/fd");
    while (readdir(fds))
        now.fd_count++;
    closedir(fds);
    now.has_usage = vkf_has_device_extension(f->gpu, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
        .pNext = now.has_usage ? &budget : NULL};
    vkGetPhysicalDeviceMemoryProperties2(f->gpu, &properties);
    memcpy(now.usage, budget.heapUsage, sizeof(now.usage));
    return now;
}

static void leak(const struct vkf *f, const char *what)
{
    enum { LEAK_BYTES = 64 << 10 };
    if (strcmp(what, "memory") == 0) {
        vkf_allocate(f, LEAK_BYTES,
                     vkf_want_type(f, UINT32_MAX, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
    } else if (strcmp(what, "fd") == 0) {
        VKF_CHECK(dup(0) >= 0, "no file to leak");
    } else if (strcmp(what, "rss") == 0) {
        static char *volatile lost;
        lost = malloc(LEAK_BYTES);
        VKF_CHECK(lost, "no memory to leak");
        memset(lost, 1, LEAK_BYTES);
    } else {
        vkf_exit_with(VKF_EXIT_USAGE, __FILE__, __LINE__, "cannot leak '%s'", what);
    }
}

static void check_no_growth(const struct footprint *before, const struct footprint *after)
{
    VKF_CHECK(SANITIZED || after->rss_bytes <= before->rss_bytes + RSS_SLACK_BYTES,
              "resident memory grew from %llu to %llu", (unsigned long long)before->rss_bytes,
              (unsigned long long)after->rss_bytes);
    VKF_CHECK(after->fd_count == before->fd_count, "open files grew from %u to %u",
              before->fd_count, after->fd_count);
    for (uint32_t i = 0; i < VK_MAX_MEMORY_HEAPS && after->has_usage; i++)
        VKF_CHECK(after->usage[i] == before->usage[i], "usage of heap %u grew from %llu to %llu", i,
                  (unsigned long long)before->usage[i], (unsigned long long)after->usage[i]);
}

int main(int argc, char **argv)
{
    const struct shape *shape = NULL;
    for (size_t i = 0; argc > 2 && i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (strcmp(argv[1], shapes[i].name) == 0)
            shape = &shapes[i];
    if (!shape) {
        fprintf(stderr, "usage: test_alloc SHAPE TOTAL [CYCLES [LEAK]]\n");
        return VKF_EXIT_USAGE;
    }
    VkDeviceSize total = vkf_parse_size(argv[2]);
    int cycles = argc > 3 ? atoi(argv[3]) : 1;
    if (SANITIZED && argc > 4 && strcmp(argv[4], "rss") == 0)
        VKF_SKIP("resident memory is not judged in a build with sanitizers");
    struct vkf f;
    struct hoard hoard;
    struct footprint settled = {0};
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 20);
    for (int cycle = 0; cycle < cycles; cycle++) {
        hoard_fill_up(&hoard, shape->shape, shape->type,
                      shape->size_bytes ? shape->size_bytes : total, total);
        hoard_exercise(&hoard);
        if (cycle == 0)
            printf("%u allocations, %llu bytes, all right\n", hoard.count,
                   (unsigned long long)hoard.total_bytes);
        hoard_clear(&hoard);
        if (argc > 4)
            leak(&f, argv[4]);
        if (cycle == 5)
            settled = measure(&f);
    }
    if (cycles > 6) {
        struct footprint last = measure(&f);
        check_no_growth(&settled, &last);
        printf("%d cycles without growth\n", cycles);
    }
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
