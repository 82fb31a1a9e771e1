/* SPDX-License-Identifier: MIT
 *
 * Several instances with several devices each, alive at once, made and destroyed in any order and
 * from several threads, through a real loader: each keeps working whatever becomes of the others.
 */
#include "probe.h"

#include <pthread.h>
#include <string.h>

#define INSTANCES 3
#define DEVICES   2 /* of each instance */
#define ROUNDS    10
#define THREADS   4

struct world {
    VkInstance instance;
    VkPhysicalDevice gpu;
    uint32_t host_type;
    bool alive[DEVICES];
    struct probe_device devices[DEVICES];
};

/* Is the layer listed once, with a mode? `tools` is a 1.3 command: on older instances there may be
 * none. */
static void check_tools(VkInstance instance, VkPhysicalDevice gpu)
{
    VkPhysicalDeviceToolProperties tools[8];
    uint32_t count = 8, found = 0;
    PFN_vkGetPhysicalDeviceToolProperties get =
        (PFN_vkGetPhysicalDeviceToolProperties)vk.GetInstanceProcAddr(
            instance, "vkGetPhysicalDeviceToolProperties");

    CHECK(get != NULL);
    for (uint32_t i = 0; i < count; i++)
        tools[i] = (VkPhysicalDeviceToolProperties){
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES};
    CHECK_VK(get(gpu, &count, tools));
    for (uint32_t i = 0; i < count; i++)
        found += strcmp(tools[i].layer, SPILLWAY_LAYER) == 0 &&
                 strncmp(tools[i].description, "mode=", 5) == 0;
    CHECK(found == 1);
}

static VkDeviceMemory allocate(struct probe_device *d, uint32_t type, unsigned char fill)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = 1 << 14,
                                 .memoryTypeIndex = type};
    VkDeviceMemory memory;
    void *bytes;

    CHECK_VK(d->AllocateMemory(d->handle, &info, NULL, &memory));
    CHECK_VK(d->MapMemory(d->handle, memory, 0, VK_WHOLE_SIZE, 0, &bytes));
    memset(bytes, fill, 1 << 14);
    d->UnmapMemory(d->handle, memory);
    return memory;
}

static void use(struct probe_device *d, uint32_t type)
{
    VkDeviceMemory a = allocate(d, type, 1), b = allocate(d, type, 2);
    d->FreeMemory(d->handle, a, NULL);
    d->FreeMemory(d->handle, VK_NULL_HANDLE, NULL);
    CHECK_VK(d->QueueSubmit(d->queue, 0, NULL, VK_NULL_HANDLE));
    CHECK_VK(d->QueueWaitIdle(d->queue));
    d->FreeMemory(d->handle, b, NULL);
}

static void world_create(struct world *w, uint32_t api_version)
{
    w->instance = probe_instance(api_version);
    w->gpu = probe_gpu(w->instance);
    w->host_type = probe_host_type(w->instance, w->gpu);
    for (unsigned i = 0; i < DEVICES; i++) {
        probe_device_create(&w->devices[i], w->instance, w->gpu);
        w->alive[i] = true;
    }
}

static void world_use(struct world *w)
{
    if (w->instance == NULL)
        return;
    for (unsigned i = 0; i < DEVICES; i++)
        if (w->alive[i])
            use(&w->devices[i], w->host_type);
    CHECK(probe_gpu(w->instance) == w->gpu);
}

static void world_destroy(struct world *w)
{
    for (unsigned i = 0; i < DEVICES; i++)
        if (w->alive[i])
            probe_device_destroy(&w->devices[i]);
    probe_destroy_instance(w->instance);
    *w = (struct world){0};
}

static void interleaved(unsigned round)
{
    static const uint32_t versions[INSTANCES] = {VK_API_VERSION_1_3, VK_API_VERSION_1_1,
                                                 VK_API_VERSION_1_0};
    struct world worlds[INSTANCES];

    for (unsigned i = 0; i < INSTANCES; i++) {
        world_create(&worlds[i], versions[i]);
        for (unsigned j = 0; j <= i; j++)
            world_use(&worlds[j]);
    }
    check_tools(worlds[0].instance, worlds[0].gpu);

    /* One device of each goes, another one each round. */
    for (unsigned i = 0; i < INSTANCES; i++) {
        unsigned victim = (round + i) % DEVICES;
        probe_device_destroy(&worlds[i].devices[victim]);
        worlds[i].alive[victim] = false;
        for (unsigned j = 0; j < INSTANCES; j++)
            world_use(&worlds[j]);
    }
    /* Then the instances, each round in another order. */
    for (unsigned i = 0; i < INSTANCES; i++) {
        world_destroy(&worlds[(round + 2 * i) % INSTANCES]);
        for (unsigned j = 0; j < INSTANCES; j++)
            world_use(&worlds[j]);
    }
}

static void *in_thread(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct world w;
        world_create(&w, VK_API_VERSION_1_3);
        world_use(&w);
        check_tools(w.instance, w.gpu);
        world_destroy(&w);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    probe_open_loader();
    for (unsigned round = 0; round < ROUNDS; round++)
        interleaved(round);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, in_thread, NULL) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    puts("all alive");
    return 0;
}
