/* SPDX-License-Identifier: MIT
 *
 * test_heaps CASE: the heaps are hard limits, to the page, each for itself; the budget tells them;
 * only host-visible memory can be mapped; the counters are what one works out by hand. */
#include "suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PAGE ((VkDeviceSize)4096)
#define MIB  ((VkDeviceSize)1 << 20)

static VkResult try_size(const struct vkf *f, VkDeviceSize size, uint32_t type,
                         VkDeviceMemory *memory)
{
    VkDeviceMemory out = VK_NULL_HANDLE;
    VkResult result = vkf_try_allocate(f, size, type, NULL, &out);
    if (result == VK_SUCCESS && !memory)
        vkf_free(f, out);
    if (memory)
        *memory = out;
    return result;
}

static void expect(VkResult got, VkResult wanted, const char *what, uint32_t type)
{
    VKF_CHECK(got == wanted, "%s (type %u): %s, not %s", what, type, vkf_result_name(got),
              vkf_result_name(wanted));
}

static void fill_heap(const struct vkf *f, uint32_t type)
{
    uint32_t heap = f->memory.memoryTypes[type].heapIndex;
    VkDeviceSize size = f->memory.memoryHeaps[heap].size;
    VkDeviceMemory most, rest, piece;
    expect(try_size(f, size, type, NULL), VK_SUCCESS, "the whole heap", type);
    expect(try_size(f, size + 1, type, NULL), VK_ERROR_OUT_OF_DEVICE_MEMORY, "a byte more", type);
    expect(try_size(f, size - PAGE, type, &most), VK_SUCCESS, "all but a page", type);
    expect(try_size(f, PAGE + 1, type, NULL), VK_ERROR_OUT_OF_DEVICE_MEMORY,
           "a page and a byte in the rest", type);
    expect(try_size(f, PAGE, type, &rest), VK_SUCCESS, "the last page", type);
    for (uint32_t other = 0; other < f->memory.memoryTypeCount; other++)
        expect(try_size(f, 1, other, NULL),
               f->memory.memoryTypes[other].heapIndex == heap ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                                              : VK_SUCCESS,
               "a byte when the heap is full", other);
    vkf_free(f, rest);
    expect(try_size(f, 1, type, &piece), VK_SUCCESS, "a byte in the page given back", type);
    expect(try_size(f, 1, type, NULL), VK_ERROR_OUT_OF_DEVICE_MEMORY, "a byte behind it", type);
    vkf_free(f, piece);
    vkf_free(f, most);
    expect(try_size(f, size, type, NULL), VK_SUCCESS, "the whole heap, when all is back", type);
}

/* Freed in any order, memory never gets lost between pieces: as on a card with page tables. */
static void fragment_heap(const struct vkf *f, uint32_t type)
{
    enum { PIECES = 64 };
    VkDeviceSize size = f->memory.memoryHeaps[f->memory.memoryTypes[type].heapIndex].size;
    VkDeviceMemory pieces[PIECES];
    for (int round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < PIECES; i++)
            expect(try_size(f, size / PIECES, type, &pieces[i]), VK_SUCCESS, "a piece", type);
        for (uint32_t i = 0; i < PIECES; i += 2)
            vkf_free(f, pieces[i]);
        expect(try_size(f, size / 2, type, NULL), VK_SUCCESS, "half of it in one", type);
        expect(try_size(f, size / 2 + 1, type, NULL), VK_ERROR_OUT_OF_DEVICE_MEMORY,
               "more than half", type);
        for (uint32_t i = 1; i < PIECES; i += 2)
            vkf_free(f, pieces[i]);
    }
}

struct racer {
    const struct vkf *f;
    uint32_t type;
    VkDeviceMemory got[4096];
    uint32_t count;
};

static void *race(void *argument)
{
    struct racer *r = argument;
    while (r->count < 4096 && try_size(r->f, 65536, r->type, &r->got[r->count]) == VK_SUCCESS)
        r->count++;
    return NULL;
}

/* Four threads until nothing is left: together they get the heap, and not a piece more. */
static void race_for_heap(const struct vkf *f, uint32_t type)
{
    static struct racer racers[4];
    pthread_t threads[4];
    uint32_t total = 0;
    for (int i = 0; i < 4; i++) {
        racers[i] = (struct racer){.f = f, .type = type};
        VKF_CHECK(pthread_create(&threads[i], NULL, race, &racers[i]) == 0, "no thread");
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        total += racers[i].count;
        for (uint32_t k = 0; k < racers[i].count; k++)
            vkf_free(f, racers[i].got[k]);
    }
    VkDeviceSize size = f->memory.memoryHeaps[f->memory.memoryTypes[type].heapIndex].size;
    VKF_CHECK(total == size / 65536, "%u pieces of 64 KiB in %llu bytes", total,
              (unsigned long long)size);
}

static void test_oom(void)
{
    struct vkf f;
    vkf_begin(&f, NULL);
    for (uint32_t type = 0; type < f.memory.memoryTypeCount; type++) {
        fill_heap(&f, type);
        fragment_heap(&f, type);
    }
    race_for_heap(&f, suite_vram_type(&f, UINT32_MAX));
    vkf_end(&f);
}

static void test_map(void)
{
    struct vkf f;
    vkf_begin(&f, NULL);
    for (uint32_t type = 0; type < f.memory.memoryTypeCount; type++) {
        VkDeviceMemory memory = vkf_allocate(&f, MIB, type);
        uint8_t *bytes = NULL, *again = NULL;
        bool visible =
            f.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
        VkResult result = vkMapMemory(f.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&bytes);
        expect(result, visible ? VK_SUCCESS : VK_ERROR_MEMORY_MAP_FAILED, "map", type);
        if (visible) {
            bytes[0] = 17;
            bytes[MIB - 1] = 34;
            vkUnmapMemory(f.device, memory);
            VKF_VK(vkMapMemory(f.device, memory, MIB - PAGE, PAGE, 0, (void **)&again));
            VKF_CHECK(again[PAGE - 1] == 34, "mapped from another offset, other bytes");
        }
        vkf_free(&f, memory);
    }
    vkf_end(&f);
}

static VkPhysicalDeviceMemoryBudgetPropertiesEXT ask_budget(const struct vkf *f)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    vkGetPhysicalDeviceMemoryProperties2(f->gpu, &memory);
    return budget;
}

/* `expected`: what the VRAM heap's budget has to be; NULL: its size. */
static void test_budget(const char *expected)
{
    static const char *const extension = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
    struct vkf f;
    vkf_begin(&f,
              &(struct vkf_options){.device_extensions = &extension, .device_extension_count = 1});
    VkDeviceMemory memory[VK_MAX_MEMORY_TYPES];
    VkDeviceSize usage[VK_MAX_MEMORY_HEAPS] = {0};
    for (uint32_t type = 0; type < f.memory.memoryTypeCount; type++) {
        VkDeviceSize size = (type + 1) * MIB + 1; /* counts as whole pages */
        memory[type] = vkf_allocate(&f, size, type);
        usage[f.memory.memoryTypes[type].heapIndex] += (type + 1) * MIB + PAGE;
    }
    VkPhysicalDeviceMemoryBudgetPropertiesEXT b = ask_budget(&f);
    for (uint32_t heap = 0; heap < VK_MAX_MEMORY_HEAPS; heap++) {
        VkDeviceSize size = heap < f.memory.memoryHeapCount ? f.memory.memoryHeaps[heap].size : 0;
        bool vram = heap == vkf_vram_heap(&f);
        VkDeviceSize wanted = vram && expected ? strtoull(expected, NULL, 0) : size;
        VKF_CHECK(b.heapBudget[heap] == wanted && b.heapUsage[heap] == usage[heap],
                  "heap %u: budget %llu, not %llu; usage %llu, not %llu", heap,
                  (unsigned long long)b.heapBudget[heap], (unsigned long long)wanted,
                  (unsigned long long)b.heapUsage[heap], (unsigned long long)usage[heap]);
    }
    for (uint32_t type = 0; type < f.memory.memoryTypeCount; type++)
        vkf_free(&f, memory[type]);
    b = ask_budget(&f);
    for (uint32_t heap = 0; heap < f.memory.memoryHeapCount; heap++)
        VKF_CHECK(b.heapUsage[heap] == 0, "heap %u: usage is left over", heap);
    vkf_end(&f);
}

/* By hand, for the checks in meson.build. VRAM (nvidia: heap 0, type 1): 3 MiB, 5 MiB, − 3 MiB,
 * 1 MiB and 100 bytes, − all: 3 allocations, at most 8 MiB, nothing left. One refusal: 60 MiB of 64
 * while 6 MiB and a page are there. Host (heap 1, type 2): 7 bytes twice. Binds: 4 calls of 1, 2, 0
 * and 3 ranges. Submits: 5 calls, of which one has two batches and one none. */
static void test_counters(void)
{
    struct vkf f;
    suite_begin(&f);
    VkDeviceMemory three = vkf_allocate(&f, 3 * MIB, 1), five = vkf_allocate(&f, 5 * MIB, 1);
    VkDeviceMemory host[] = {vkf_allocate(&f, 7, 2), vkf_allocate(&f, 7, 2)};
    vkf_free(&f, three);
    VkDeviceMemory one = vkf_allocate(&f, MIB + 100, 1);
    expect(try_size(&f, 60 * MIB, 1, NULL), VK_ERROR_OUT_OF_DEVICE_MEMORY, "too much", 1);
    struct vkf_buffer buffer = suite_sparse_buffer(&f, 4 * SUITE_BLOCK, 0, 0);
    VkSparseMemoryBind binds[3];
    for (uint32_t i = 0; i < 3; i++)
        binds[i] = (VkSparseMemoryBind){.resourceOffset = i * SUITE_BLOCK,
                                        .size = SUITE_BLOCK,
                                        .memory = five,
                                        .memoryOffset = 2 * i * SUITE_BLOCK};
    suite_bind_now(&f, buffer.handle, VK_NULL_HANDLE, binds, 1);
    suite_bind_now(&f, buffer.handle, VK_NULL_HANDLE, binds, 2);
    suite_bind_now(&f, VK_NULL_HANDLE, VK_NULL_HANDLE, NULL, 0);
    suite_bind_now(&f, buffer.handle, VK_NULL_HANDLE, binds, 3);
    VkSubmitInfo batches[2] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO},
                               {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO}};
    VKF_VK(vkQueueSubmit(f.queue, 2, batches, VK_NULL_HANDLE));
    VKF_VK(vkQueueSubmit(f.queue, 0, NULL, f.fence));
    suite_fence_must(&f, f.fence);
    for (int i = 0; i < 3; i++)
        suite_submit2(f.queue, &(struct suite_batch){0}, VK_NULL_HANDLE);
    VKF_VK(vkQueueWaitIdle(f.queue));
    vkf_buffer_destroy(&f, &buffer);
    vkf_free(&f, five);
    vkf_free(&f, one);
    vkf_free(&f, host[0]);
    vkf_free(&f, host[1]);
    vkf_end(&f);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "oom") == 0)
        test_oom();
    else if (strcmp(name, "map") == 0)
        test_map();
    else if (strcmp(name, "budget") == 0)
        test_budget(argc > 2 ? argv[2] : NULL);
    else if (strcmp(name, "counters") == 0)
        test_counters();
    else
        return VKF_EXIT_USAGE;
    return 0;
}
