/* SPDX-License-Identifier: MIT
 *
 * Several instances and devices in one process: they share the card's heaps and nothing else, may
 * go in any order, and leave neither threads nor files behind. */
#include "suite.h"

#include <dirent.h>
#include <string.h>

#include "lanes.h"

enum { DEVICES = 4, WORDS = 16384 };

struct one {
    struct vkf f;
    struct suite_slab slab;
    struct suite_mapped io;
};

static void begin(struct one *o)
{
    suite_begin(&o->f);
    o->slab = suite_slab_create(&o->f, 4, suite_vram_type(&o->f, UINT32_MAX));
    o->io = suite_mapped_create(&o->f, (VkDeviceSize)2 * WORDS * 4, 0);
}

static void end(struct one *o)
{
    suite_slab_destroy(&o->f, &o->slab);
    suite_mapped_destroy(&o->f, &o->io);
    vkf_end(&o->f);
}

/* In through a sparse buffer at one place of the slab, out through one at another. */
static void start(struct one *o, uint32_t seed)
{
    struct vkf *f = &o->f;
    words_fill(o->io.words, seed, WORDS);
    VkBufferCopy in = {.dstOffset = seed % 4 * SUITE_BLOCK, .size = (VkDeviceSize)WORDS * 4};
    VkBufferCopy out = {.srcOffset = in.dstOffset, .dstOffset = in.size, .size = in.size};
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VKF_VK(vkBeginCommandBuffer(f->commands, &info));
    vkCmdCopyBuffer(f->commands, o->io.buffer.handle, o->slab.raw.handle, 1, &in);
    vkf_full_barrier(f->commands);
    vkCmdCopyBuffer(f->commands, o->slab.raw.handle, o->io.buffer.handle, 1, &out);
    suite_commands_end(f->commands);
    suite_submit(f->queue, &(struct suite_batch){.commands = f->commands}, f->fence);
}

static void finish(struct one *o, uint32_t seed)
{
    suite_fence_must(&o->f, o->f.fence);
    VKF_VK(vkResetFences(o->f.device, 1, &o->f.fence));
    words_check(o->io.words + WORDS, seed, WORDS, "beside other devices");
}

static void test_together(void)
{
    static struct one all[DEVICES];
    static const uint32_t order[DEVICES] = {2, 0, 3, 1};
    for (uint32_t i = 0; i < DEVICES; i++)
        begin(&all[i]);
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < DEVICES; i++)
            start(&all[i], 100 * round + i);
        for (uint32_t i = DEVICES; i-- > 0;)
            finish(&all[i], 100 * round + i);
    }
    /* One heap for all: what one has, another has not. */
    VkDeviceSize vram = vkf_vram_bytes(&all[0].f), held = DEVICES * 4 * SUITE_BLOCK;
    VkDeviceMemory memory = VK_NULL_HANDLE, more = VK_NULL_HANDLE;
    uint32_t type = all[0].slab.type;
    VKF_VK(vkf_try_allocate(&all[1].f, vram - held - SUITE_BLOCK, type, NULL, &memory));
    VKF_CHECK(vkf_try_allocate(&all[2].f, 2 * SUITE_BLOCK, type, NULL, &more) ==
                  VK_ERROR_OUT_OF_DEVICE_MEMORY,
              "two devices have more than the heap");
    VKF_VK(vkf_try_allocate(&all[2].f, SUITE_BLOCK, type, NULL, &more));
    vkf_free(&all[2].f, more);
    vkf_free(&all[1].f, memory);
    for (uint32_t i = 0; i < DEVICES; i++) {
        end(&all[order[i]]);
        for (uint32_t k = i + 1; k < DEVICES; k++) {
            start(&all[order[k]], k);
            finish(&all[order[k]], k);
        }
    }
}

/* Two devices of one instance. */
static void test_one_instance(void)
{
    struct vkf a, b;
    suite_begin(&a);
    static const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = 1,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
    b = a;
    VKF_VK(vkCreateDevice(a.gpu, &info, NULL, &b.device));
    vkGetDeviceQueue(b.device, 1, 0, &b.queue);
    VKF_CHECK(b.queue && b.queue != a.queues[1][0], "two devices share a queue");
    b.fence = suite_fence(&b);
    VKF_VK(vkQueueSubmit(b.queue, 0, NULL, b.fence));
    suite_fence_must(&b, b.fence);
    vkDestroyFence(b.device, b.fence, NULL);
    vkDestroyDevice(b.device, NULL);
    VKF_VK(vkQueueSubmit(a.queue, 0, NULL, a.fence));
    suite_fence_must(&a, a.fence);
    vkf_end(&a);
}

static uint32_t count_entries(const char *path)
{
    DIR *folder = opendir(path);
    uint32_t count = 0;
    VKF_CHECK(folder, "cannot read %s", path);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void test_again_and_again(void)
{
    uint32_t threads = 0, files = 0;
    for (uint32_t i = 0; i < 12; i++) {
        struct one o;
        begin(&o);
        start(&o, i);
        finish(&o, i);
        end(&o);
        if (i == 3) {
            threads = count_entries("/proc/self/task");
            files = count_entries("/proc/self/fd");
        }
    }
    VKF_CHECK(count_entries("/proc/self/task") <= threads, "threads are left behind");
    VKF_CHECK(count_entries("/proc/self/fd") <= files, "files are left open");
}

/* A program that asks for nothing in particular gets a card too. */
static void test_old_programs(void)
{
    struct vkf f;
    vkf_begin(&f, &(struct vkf_options){.no_application_info = true});
    vkf_end(&f);
    vkf_begin(&f, &(struct vkf_options){.api_version = VK_API_VERSION_1_0});
    vkf_end(&f);
}

/* test_instances [again]: the validation layers keep a file open for every instance, so that the
 * one test is not for them. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "again") == 0) {
        test_again_and_again();
        return 0;
    }
    test_together();
    test_one_instance();
    test_old_programs();
    return 0;
}
