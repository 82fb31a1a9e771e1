/* SPDX-License-Identifier: MIT
 *
 * What each card says about itself, against a table of this test's own, and that it works: every
 * memory type, every queue that can copy, sparse binding on every family that has it. And what
 * cards refuse: one allocation or one sparse resource too many, commands and features of versions
 * and extensions that they do not have or the program did not ask for. */
#include "cards.h"

#include <stdio.h>
#include <string.h>

#define G VK_QUEUE_GRAPHICS_BIT
#define C VK_QUEUE_COMPUTE_BIT
#define T VK_QUEUE_TRANSFER_BIT
#define S VK_QUEUE_SPARSE_BINDING_BIT

/* Memory types as text: heap, then d(evice-local), v(isible), c(oherent), k (cached). */
struct expected_card {
    const char *profile;
    VkPhysicalDeviceType type;
    uint32_t vendor;
    const char *types;
    uint32_t device_local_heaps, heap_count;
    struct {
        VkQueueFlags flags;
        uint32_t count;
    } families[4];
};

static const struct expected_card cards[] = {
    {"nvidia",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     0x10de,
     "1 0d 1vc 1vck",
     1,
     2,
     {{G | C | T | S, 2}, {C | T | S, 2}, {T | S, 1}}},
    {"intel",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     0x8086,
     "0d 1vck 0dvc",
     1,
     2,
     {{G | C | T | S, 1}, {C | T | S, 1}}},
    {"one-queue",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     0x10de,
     "1 0d 1vc 1vck",
     1,
     2,
     {{G | C | T | S, 1}}},
    {"bind-family",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     0x1002,
     "0d 1vc 2dvc 1vck",
     2,
     3,
     {{G | C | T, 1}, {C | T, 2}, {S, 1}}},
    {"pageable",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     0x10de,
     "1 0d 1vc 1vck",
     1,
     2,
     {{G | C | T | S, 2}, {C | T | S, 2}, {T | S, 1}}},
};

static const char *types_as_text(const VkPhysicalDeviceMemoryProperties *memory)
{
    static char text[256];
    size_t n = 0;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        VkMemoryPropertyFlags f = memory->memoryTypes[i].propertyFlags;
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u%s%s%s%s", i > 0 ? " " : "",
                              memory->memoryTypes[i].heapIndex,
                              f & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT ? "d" : "",
                              f & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT ? "v" : "",
                              f & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT ? "c" : "",
                              f & VK_MEMORY_PROPERTY_HOST_CACHED_BIT ? "k" : "");
    }
    return text;
}

static void check_table(const struct vkf *f, const char *profile, const char *driver)
{
    const struct expected_card *e = NULL;
    char name[64];
    uint32_t local = 0;
    for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++)
        if (strcmp(cards[i].profile, profile) == 0)
            e = &cards[i];
    VKF_CHECK(e, "no table for '%s'", profile);
    snprintf(name, sizeof(name), "simgpu %s (", profile);
    VKF_CHECK(strstr(f->properties.deviceName, name) && strstr(f->properties.deviceName, driver),
              "the card is called '%s'", f->properties.deviceName);
    VKF_CHECK(f->properties.deviceType == e->type && f->properties.vendorID == e->vendor,
              "another type or vendor");
    VKF_CHECK(strcmp(types_as_text(&f->memory), e->types) == 0, "memory types '%s', not '%s'",
              types_as_text(&f->memory), e->types);
    for (uint32_t i = 0; i < f->memory.memoryHeapCount; i++)
        local += (f->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    VKF_CHECK(f->memory.memoryHeapCount == e->heap_count && local == e->device_local_heaps,
              "%u heaps, %u device-local", f->memory.memoryHeapCount, local);
    uint32_t families = 0;
    while (families < 4 && e->families[families].count > 0)
        families++;
    VKF_CHECK(f->family_count == families, "%u families", f->family_count);
    for (uint32_t i = 0; i < families; i++)
        VKF_CHECK(f->families[i].queueFlags == e->families[i].flags &&
                      f->families[i].queueCount == e->families[i].count,
                  "family %u has %u queues with flags %#x", i, f->families[i].queueCount,
                  f->families[i].queueFlags);
}

/* Memory of every type: through a buffer in it and back, on a queue. */
static void check_types(struct vkf *f)
{
    enum { WORDS = 1024 };
    static uint32_t in[WORDS], out[WORDS];
    for (uint32_t type = 0; type < f->memory.memoryTypeCount; type++) {
        struct vkf_buffer buffer = vkf_buffer_create(f, sizeof(in), 0);
        VkDeviceMemory memory = vkf_allocate(f, buffer.requirements.size, type);
        VKF_VK(vkBindBufferMemory(f->device, buffer.handle, memory, 0));
        for (uint32_t i = 0; i < WORDS; i++)
            in[i] = suite_word(type, i);
        vkf_buffer_write(f, buffer.handle, 0, in, sizeof(in));
        vkf_buffer_read(f, buffer.handle, 0, out, sizeof(out));
        VKF_CHECK(memcmp(in, out, sizeof(in)) == 0, "memory type %u loses bytes", type);
        vkf_buffer_destroy(f, &buffer);
        vkf_free(f, memory);
    }
}

static void fill_on(const struct vkf *f, VkQueue queue, uint32_t family, VkBuffer buffer,
                    VkSemaphore after, uint64_t value, uint32_t word)
{
    VkCommandPool pool = suite_pool(f, family);
    VkCommandBuffer commands = suite_commands_begin(f, pool);
    VkFence fence = suite_fence(f);
    vkCmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, word);
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, NULL, 0, NULL);
    suite_commands_end(commands);
    suite_submit(queue, &(struct suite_batch){.commands = commands, .waits = {{after, value}}},
                 fence);
    suite_fence_must(f, fence);
    vkDestroyFence(f->device, fence, NULL);
    vkDestroyCommandPool(f->device, pool, NULL);
}

/* Each queue that can copy fills the same buffer with a word of its own. */
static void check_queues(struct vkf *f)
{
    struct suite_mapped m = suite_mapped_create(f, SUITE_BLOCK, 0);
    for (uint32_t family = 0; family < f->family_count; family++) {
        if (!(f->families[family].queueFlags & (G | C | T)))
            continue;
        for (uint32_t k = 0; k < f->queue_counts[family]; k++) {
            uint32_t word = 0x1000 * family + k + 1;
            fill_on(f, f->queues[family][k], family, m.buffer.handle, VK_NULL_HANDLE, 0, word);
            for (uint32_t i = 0; i < SUITE_BLOCK / 4; i++)
                VKF_CHECK(m.words[i] == word, "queue %u.%u did not fill", family, k);
        }
    }
    suite_mapped_destroy(f, &m);
}

/* A bind on every family that has sparse binding, its use on the main one behind a semaphore; the
 * bytes are looked for in the memory that was bound, through the slab's plain buffer. */
static void check_sparse(struct vkf *f)
{
    uint64_t value = 0;
    VkSemaphore order = suite_timeline(f, 0);
    for (uint32_t family = 0; family < f->family_count; family++) {
        if (!(f->families[family].queueFlags & S))
            continue;
        struct vkf_buffer buffer = suite_sparse_buffer(f, 2 * SUITE_BLOCK, 0, 0);
        struct suite_slab slab = suite_slab_create(f, 4, suite_vram_type(f, UINT32_MAX));
        const VkSparseMemoryBind binds[] = {
            {.size = SUITE_BLOCK, .memory = slab.memory, .memoryOffset = 3 * SUITE_BLOCK},
            {.resourceOffset = SUITE_BLOCK, .size = SUITE_BLOCK, .memory = slab.memory}};
        suite_bind(f->queues[family][0],
                   &(struct suite_batch){.buffer = buffer.handle,
                                         .binds = binds,
                                         .bind_count = 2,
                                         .signals = {{order, ++value}}},
                   VK_NULL_HANDLE);
        fill_on(f, f->queue, f->main_family, buffer.handle, order, value, 0xabcd + family);
        for (uint32_t block = 0; block < 4; block += 3) {
            uint32_t word = 0;
            vkf_buffer_read(f, slab.raw.handle, block * SUITE_BLOCK, &word, sizeof(word));
            VKF_CHECK(word == 0xabcd + family, "a bind of family %u did not reach block %u", family,
                      block);
        }
        vkf_buffer_destroy(f, &buffer);
        suite_slab_destroy(f, &slab);
    }
    VKF_CHECK(value > 0, "no family has sparse binding");
    vkDestroySemaphore(f->device, order, NULL);
}

static void profile(const char *name, const char *driver)
{
    struct vkf f;
    suite_begin(&f);
    check_table(&f, name, driver);
    check_types(&f);
    check_queues(&f);
    check_sparse(&f);
    vkf_end(&f);
}

/* SIMGPU_MAX_ALLOCATIONS=40, or the default of 4096 */
static void too_many(const char *most_text, const char *unused)
{
    static VkDeviceMemory memories[5000];
    uint32_t most = 0, n = 0;
    struct vkf f;
    (void)unused;
    VKF_CHECK(sscanf(most_text, "%u", &most) == 1 && most < 5000, "how many?");
    vkf_begin(&f, NULL);
    VKF_CHECK(f.properties.limits.maxMemoryAllocationCount == most, "the limit says %u",
              f.properties.limits.maxMemoryAllocationCount);
    VkResult result = VK_SUCCESS;
    while (n < 5000 && result == VK_SUCCESS)
        if ((result = vkf_try_allocate(&f, 4096, n % 2, NULL, &memories[n])) == VK_SUCCESS)
            n++;
    VKF_CHECK(result == VK_ERROR_TOO_MANY_OBJECTS && n == most, "%s after %u allocations",
              vkf_result_name(result), n);
    vkf_free(&f, memories[7]);
    VKF_VK(vkf_try_allocate(&f, 4096, 0, NULL, &memories[7]));
    VkDeviceMemory more;
    VKF_CHECK(vkf_try_allocate(&f, 4096, 0, NULL, &more) == VK_ERROR_TOO_MANY_OBJECTS,
              "what was freed counts twice");
    for (uint32_t i = 0; i < n; i++)
        vkf_free(&f, memories[i]);
    vkf_end(&f);
}

static VkResult try_sparse(const struct vkf *f, VkDeviceSize size, VkBuffer *buffer)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT,
                               .size = size,
                               .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    return vkCreateBuffer(f->device, &info, NULL, buffer);
}

/* SIMGPU_SPARSE_SPACE=8MiB */
static void sparse_space(const char *unused, const char *unused_too)
{
    const VkDeviceSize space = 8 << 20;
    VkBuffer buffers[9];
    struct vkf f;
    (void)unused, (void)unused_too;
    suite_begin(&f);
    VKF_CHECK(f.properties.limits.sparseAddressSpaceSize == space, "another address space");
    for (uint32_t i = 0; i < 7; i++)
        VKF_VK(try_sparse(&f, 1 << 20, &buffers[i]));
    VKF_CHECK(try_sparse(&f, 2 << 20, &buffers[7]) == VK_ERROR_OUT_OF_DEVICE_MEMORY,
              "9 MiB of addresses in 8");
    struct vkf_image image = suite_sparse_image(&f, 512, 512, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
    VKF_CHECK(image.requirements.size == 1 << 20, "512 x 512 texels are not 1 MiB");
    VKF_CHECK(try_sparse(&f, 4, &buffers[7]) == VK_ERROR_OUT_OF_DEVICE_MEMORY,
              "images need no addresses");
    vkDestroyBuffer(f.device, buffers[0], NULL);
    VKF_VK(try_sparse(&f, 1 << 20, &buffers[0]));
    for (uint32_t i = 0; i < 7; i++)
        vkDestroyBuffer(f.device, buffers[i], NULL);
    vkf_image_destroy(&f, &image);
    VKF_VK(try_sparse(&f, space, &buffers[0]));
    vkDestroyBuffer(f.device, buffers[0], NULL);
    vkf_end(&f);
}

static bool device_has(const struct vkf *f, const char *command)
{
    return vkGetDeviceProcAddr(f->device, command) != NULL;
}

/* SIMGPU_API=1.1: no timeline semaphores, nothing of 1.2. */
static void old_card(const char *unused, const char *unused_too)
{
    struct vkf f;
    (void)unused, (void)unused_too;
    vkf_begin(&f, &(struct vkf_options){.api_version = VK_API_VERSION_1_3,
                                        .queues_per_family = VKF_MAX_QUEUES});
    VKF_CHECK(VK_API_VERSION_MINOR(f.properties.apiVersion) == 1, "the card has Vulkan 1.%u",
              VK_API_VERSION_MINOR(f.properties.apiVersion));
    VKF_CHECK(!vkf_has_device_extension(f.gpu, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME),
              "it has timeline semaphores");
    VKF_CHECK(device_has(&f, "vkBindBufferMemory2") && !device_has(&f, "vkWaitSemaphores") &&
                  !device_has(&f, "vkWaitSemaphoresKHR") && !device_has(&f, "vkQueueSubmit2") &&
                  !device_has(&f, "vkGetBufferDeviceAddress"),
              "it gives out commands of another version");
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &timeline};
    vkGetPhysicalDeviceFeatures2(f.gpu, &features);
    VKF_CHECK(!timeline.timelineSemaphore, "the feature is there");
    /* Unknown to a card of that time: left as it was. */
    VkPhysicalDeviceVulkan12Features twelve, before;
    memset(&twelve, 0x5a, sizeof(twelve));
    twelve.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    twelve.pNext = NULL;
    before = twelve;
    features.pNext = &twelve;
    vkGetPhysicalDeviceFeatures2(f.gpu, &features);
    VKF_CHECK(memcmp(&twelve, &before, sizeof(before)) == 0, "it knows structs of 1.2");
    float priority = 1;
    VkDevice device;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &timeline,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
    timeline.timelineSemaphore = VK_TRUE;
    VkResult result = vkCreateDevice(f.gpu, &info, NULL, &device);
    VKF_CHECK(result == VK_ERROR_FEATURE_NOT_PRESENT, "with timelines: %s",
              vkf_result_name(result));
    const char *extension = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME;
    info.pNext = NULL;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    result = vkCreateDevice(f.gpu, &info, NULL, &device);
    VKF_CHECK(result == VK_ERROR_EXTENSION_NOT_PRESENT, "with the extension: %s",
              vkf_result_name(result));
    check_types(&f);
    vkf_end(&f);
}

/* What a program has not asked for it does not get, whatever the driver below has. */
static void hidden(const char *unused, const char *unused_too)
{
    struct vkf f;
    (void)unused, (void)unused_too;
    vkf_begin(&f, &(struct vkf_options){.api_version = VK_API_VERSION_1_0});
    VKF_CHECK(device_has(&f, "vkBindBufferMemory") && !device_has(&f, "vkBindBufferMemory2") &&
                  !device_has(&f, "vkBindBufferMemory2KHR") &&
                  !device_has(&f, "vkTrimCommandPool") && !device_has(&f, "vkWaitSemaphores"),
              "a program of Vulkan 1.0 gets other commands than those of 1.0");
    vkf_end(&f);
    static const char *const bind[] = {VK_KHR_BIND_MEMORY_2_EXTENSION_NAME};
    vkf_begin(&f, &(struct vkf_options){.api_version = VK_API_VERSION_1_0,
                                        .device_extensions = bind,
                                        .device_extension_count = 1});
    VKF_CHECK(!device_has(&f, "vkBindBufferMemory2") && device_has(&f, "vkBindBufferMemory2KHR") &&
                  !device_has(&f, "vkTrimCommandPoolKHR"),
              "an extension brings other commands than its own");
    vkf_end(&f);
    vkf_begin(&f, &(struct vkf_options){.api_version = VK_API_VERSION_1_2});
    VKF_CHECK(device_has(&f, "vkWaitSemaphores") && !device_has(&f, "vkWaitSemaphoresKHR") &&
                  !device_has(&f, "vkQueueSubmit2") && !device_has(&f, "vkCreateSwapchainKHR"),
              "a program of Vulkan 1.2 gets other commands than those of 1.2");
    /* Carries a VkDeviceMemory that simgpu would not understand, and an extension that is not there
     */
    VKF_CHECK(!vkf_has_device_extension(f.gpu, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) &&
                  !vkf_has_device_extension(f.gpu, VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME) &&
                  !device_has(&f, "vkGetMemoryFdKHR") &&
                  !device_has(&f, "vkSetDeviceMemoryPriorityEXT"),
              "the card offers what it cannot do");
    vkf_end(&f);
}

/* What Dawn insists on; enabled in both ways, on a driver that may lack it. */
static void shader_features(const char *unused, const char *unused_too)
{
    VkPhysicalDeviceFeatures has, want = {.shaderUniformBufferArrayDynamicIndexing = VK_TRUE,
                                          .shaderSampledImageArrayDynamicIndexing = VK_TRUE,
                                          .shaderStorageBufferArrayDynamicIndexing = VK_TRUE,
                                          .shaderStorageImageArrayDynamicIndexing = VK_TRUE};
    struct vkf f;
    (void)unused, (void)unused_too;
    vkf_begin(&f, &(struct vkf_options){.features = &want});
    vkGetPhysicalDeviceFeatures(f.gpu, &has);
    VKF_CHECK(has.shaderUniformBufferArrayDynamicIndexing &&
                  has.shaderSampledImageArrayDynamicIndexing &&
                  has.shaderStorageBufferArrayDynamicIndexing &&
                  has.shaderStorageImageArrayDynamicIndexing,
              "a feature that every card has is missing");
    VkPhysicalDeviceFeatures2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    vkGetPhysicalDeviceFeatures2(f.gpu, &two);
    VKF_CHECK(memcmp(&two.features, &has, sizeof(has)) == 0, "two answers about the features");
    check_types(&f);
    vkf_end(&f);
    two.features = want;
    vkf_begin(&f, &(struct vkf_options){.device_next = &two});
    check_types(&f);
    vkf_end(&f);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const char *a, const char *b);
    } cases[] = {
        {"profile", profile},   {"too_many", too_many}, {"sparse_space", sparse_space},
        {"old_card", old_card}, {"hidden", hidden},     {"shader_features", shader_features},
    };
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        cases[i].run(argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
        return 0;
    }
    fputs("usage: test_cards CASE [WHAT…]\n", stderr);
    return VKF_EXIT_USAGE;
}
