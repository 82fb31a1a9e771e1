/* SPDX-License-Identifier: MIT
 *
 * test_profile PROFILE VRAM HOST BAR: the card is what CONTRACTS.md says it is, whichever way it is
 * asked: heaps, memory types, which of them a resource takes, queue families, limits, features. */
#include "vk_fixture.h"

#include <stdlib.h>
#include <string.h>

#define DL VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define HV VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
#define HC VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
#define CA VK_MEMORY_PROPERTY_HOST_CACHED_BIT

enum size_of { VRAM, HOST, BAR };

/* Written from CONTRACTS.md, not from simgpu's own table. */
struct card {
    const char *name;
    VkPhysicalDeviceType type;
    bool sparse;
    uint32_t heap_count, type_count;
    struct {
        enum size_of size;
        bool device_local;
    } heaps[3];
    VkMemoryType types[5];
    uint32_t optimal_bits; /* everything else takes all */
};

static const struct card cards[] = {
    {"nvidia",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     true,
     2,
     4,
     {{VRAM, true}, {HOST, false}},
     {{0, 1}, {DL, 0}, {HV | HC, 1}, {HV | HC | CA, 1}},
     0x3},
    {"nvidia-rebar",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     true,
     2,
     5,
     {{VRAM, true}, {HOST, false}},
     {{0, 1}, {DL, 0}, {HV | HC, 1}, {HV | HC | CA, 1}, {DL | HV | HC, 0}},
     0x3},
    {"tiny-bar",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     true,
     3,
     5,
     {{VRAM, true}, {HOST, false}, {BAR, true}},
     {{0, 1}, {DL, 0}, {HV | HC, 1}, {HV | HC | CA, 1}, {DL | HV | HC, 2}},
     0x3},
    {"amd",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     true,
     3,
     4,
     {{VRAM, true}, {HOST, false}, {BAR, true}},
     {{DL, 0}, {HV | HC, 1}, {DL | HV | HC, 2}, {HV | HC | CA, 1}},
     0xf},
    {"amd-rebar",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     true,
     2,
     4,
     {{VRAM, true}, {HOST, false}},
     {{DL, 0}, {HV | HC, 1}, {DL | HV | HC, 0}, {HV | HC | CA, 1}},
     0xf},
    {"uma",
     VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
     true,
     1,
     3,
     {{VRAM, true}},
     {{DL, 0}, {DL | HV | HC, 0}, {DL | HV | HC | CA, 0}},
     0x7},
    {"no-sparse",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     false,
     2,
     4,
     {{VRAM, true}, {HOST, false}},
     {{0, 1}, {DL, 0}, {HV | HC, 1}, {HV | HC | CA, 1}},
     0x3},
};

static const struct card *card;
static uint64_t sizes[3];

static void check_memory(const struct vkf *f)
{
    VkPhysicalDeviceMemoryProperties2 two = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    vkGetPhysicalDeviceMemoryProperties2(f->gpu, &two);
    const VkPhysicalDeviceMemoryProperties *forms[] = {&f->memory, &two.memoryProperties};
    for (int form = 0; form < 2; form++) {
        const VkPhysicalDeviceMemoryProperties *m = forms[form];
        VKF_CHECK(m->memoryHeapCount == card->heap_count, "%u heaps", m->memoryHeapCount);
        VKF_CHECK(m->memoryTypeCount == card->type_count, "%u types", m->memoryTypeCount);
        for (uint32_t i = 0; i < card->heap_count; i++)
            VKF_CHECK(m->memoryHeaps[i].size == sizes[card->heaps[i].size] &&
                          m->memoryHeaps[i].flags ==
                              (card->heaps[i].device_local ? VK_MEMORY_HEAP_DEVICE_LOCAL_BIT : 0u),
                      "heap %u: size %llu, flags %#x", i,
                      (unsigned long long)m->memoryHeaps[i].size, m->memoryHeaps[i].flags);
        for (uint32_t i = 0; i < card->type_count; i++)
            VKF_CHECK(m->memoryTypes[i].propertyFlags == card->types[i].propertyFlags &&
                          m->memoryTypes[i].heapIndex == card->types[i].heapIndex,
                      "type %u: flags %#x, heap %u", i, m->memoryTypes[i].propertyFlags,
                      m->memoryTypes[i].heapIndex);
    }
}

static void check_properties(const struct vkf *f)
{
    VkPhysicalDeviceProperties2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vkGetPhysicalDeviceProperties2(f->gpu, &two);
    const VkPhysicalDeviceProperties *forms[] = {&f->properties, &two.properties};
    for (int form = 0; form < 2; form++) {
        const VkPhysicalDeviceProperties *p = forms[form];
        VKF_CHECK(p->deviceType == card->type, "device type %d", (int)p->deviceType);
        VKF_CHECK(strstr(p->deviceName, "simgpu") && strstr(p->deviceName, card->name),
                  "device name '%s'", p->deviceName);
        VKF_CHECK(p->apiVersion >= VK_API_VERSION_1_3, "version %#x", p->apiVersion);
        const VkPhysicalDeviceLimits *l = &p->limits;
        VKF_CHECK((l->sparseAddressSpaceSize > sizes[VRAM] + sizes[HOST]) == card->sparse &&
                      (l->sparseAddressSpaceSize > 0) == card->sparse,
                  "sparse address space %llu", (unsigned long long)l->sparseAddressSpaceSize);
        VKF_CHECK(l->maxMemoryAllocationCount >= 4096, "%u allocations at most",
                  l->maxMemoryAllocationCount);
        VKF_CHECK(l->bufferImageGranularity >= 1 &&
                      (l->bufferImageGranularity & (l->bufferImageGranularity - 1)) == 0 &&
                      l->bufferImageGranularity <= 65536,
                  "granularity %llu", (unsigned long long)l->bufferImageGranularity);
    }
    VKF_CHECK(
        memcmp(&f->properties.limits, &two.properties.limits, sizeof(two.properties.limits)) == 0,
        "limits differ by the way of asking");
}

static void check_features(const struct vkf *f)
{
    VkPhysicalDeviceFeatures one;
    VkPhysicalDeviceFeatures2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    vkGetPhysicalDeviceFeatures(f->gpu, &one);
    vkGetPhysicalDeviceFeatures2(f->gpu, &two);
    VKF_CHECK(memcmp(&one, &two.features, sizeof(one)) == 0,
              "features differ by the way of asking");
    VKF_CHECK(one.sparseBinding == card->sparse, "sparseBinding is %u", one.sparseBinding);
    VKF_CHECK(!one.sparseResidencyImage2D && !one.sparseResidencyImage3D,
              "residency of images is offered");
}

static void check_families(const struct vkf *f)
{
    static const struct {
        uint32_t count;
        VkQueueFlags flags;
    } expected[] = {{2, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT},
                    {2, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT},
                    {1, VK_QUEUE_TRANSFER_BIT}};
    VkQueueFamilyProperties2 two[4] = {{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2},
                                       {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2},
                                       {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2},
                                       {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2}};
    uint32_t count = 4, one = 1;
    vkGetPhysicalDeviceQueueFamilyProperties2(f->gpu, &count, two);
    VKF_CHECK(count == 3 && f->family_count == 3, "%u and %u families", count, f->family_count);
    for (uint32_t i = 0; i < 3; i++) {
        VkQueueFlags flags = expected[i].flags | (card->sparse ? VK_QUEUE_SPARSE_BINDING_BIT : 0);
        const VkQueueFamilyProperties *forms[] = {&f->families[i], &two[i].queueFamilyProperties};
        for (int form = 0; form < 2; form++)
            VKF_CHECK(forms[form]->queueCount == expected[i].count &&
                          forms[form]->queueFlags == flags,
                      "family %u: %u queues, flags %#x", i, forms[form]->queueCount,
                      forms[form]->queueFlags);
    }
    VkQueueFamilyProperties first;
    vkGetPhysicalDeviceQueueFamilyProperties(f->gpu, &one, &first);
    VKF_CHECK(one == 1 && first.queueCount == 2, "asked for one family, got %u", one);
}

/* Every queue has a handle of its own, the same each time, in both ways of asking. */
static void check_queues(const struct vkf *f)
{
    for (uint32_t i = 0; i < f->family_count; i++)
        for (uint32_t q = 0; q < f->queue_counts[i]; q++) {
            VkDeviceQueueInfo2 info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2,
                                       .queueFamilyIndex = i,
                                       .queueIndex = q};
            VkQueue again = NULL;
            vkGetDeviceQueue2(f->device, &info, &again);
            VKF_CHECK(f->queues[i][q] && again == f->queues[i][q], "queue %u of family %u", q, i);
            for (uint32_t k = 0; k < q; k++)
                VKF_CHECK(f->queues[i][k] != again, "two queues with one handle");
        }
}

static void check_requirements(const VkMemoryRequirements *forms, uint32_t bits, bool sparse,
                               const char *what)
{
    for (int form = 0; form < 3; form++) {
        VKF_CHECK(forms[form].memoryTypeBits == bits, "%s, way %d: types %#x, not %#x", what, form,
                  forms[form].memoryTypeBits, bits);
        VKF_CHECK(forms[form].size == forms[0].size &&
                      forms[form].alignment == forms[0].alignment &&
                      forms[form].size % forms[form].alignment == 0,
                  "%s, way %d: size %llu, alignment %llu", what, form,
                  (unsigned long long)forms[form].size, (unsigned long long)forms[form].alignment);
        VKF_CHECK(!sparse || forms[form].alignment == 65536, "%s: not in blocks", what);
    }
}

static void check_buffer(const struct vkf *f, VkDeviceSize size, bool sparse)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .flags = sparse ? VK_BUFFER_CREATE_SPARSE_BINDING_BIT : 0,
                               .size = size,
                               .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkDeviceBufferMemoryRequirements ask = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pCreateInfo = &info};
    VkMemoryRequirements2 two = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2}, three = two;
    VkMemoryRequirements forms[3];
    VkBuffer buffer = VK_NULL_HANDLE;
    VKF_VK(vkCreateBuffer(f->device, &info, NULL, &buffer));
    VkBufferMemoryRequirementsInfo2 about = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .buffer = buffer};
    vkGetBufferMemoryRequirements(f->device, buffer, &forms[0]);
    vkGetBufferMemoryRequirements2(f->device, &about, &two);
    vkGetDeviceBufferMemoryRequirements(f->device, &ask, &three);
    forms[1] = two.memoryRequirements;
    forms[2] = three.memoryRequirements;
    check_requirements(forms, (1u << card->type_count) - 1, sparse,
                       sparse ? "sparse buffer" : "buffer");
    VKF_CHECK(forms[0].size >= size, "a buffer needs less than its size");
    vkDestroyBuffer(f->device, buffer, NULL);
}

static void check_image(const struct vkf *f, VkImageTiling tiling, VkImageUsageFlags usage,
                        bool sparse)
{
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .flags = sparse ? VK_IMAGE_CREATE_SPARSE_BINDING_BIT : 0,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = VK_FORMAT_R8G8B8A8_UNORM,
                              .extent = {200, 100, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = tiling,
                              .usage = usage};
    VkDeviceImageMemoryRequirements ask = {.sType =
                                               VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS,
                                           .pCreateInfo = &info,
                                           .planeAspect = VK_IMAGE_ASPECT_COLOR_BIT};
    VkMemoryRequirements2 two = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2}, three = two;
    VkMemoryRequirements forms[3];
    VkImage image = VK_NULL_HANDLE;
    VKF_VK(vkCreateImage(f->device, &info, NULL, &image));
    VkImageMemoryRequirementsInfo2 about = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .image = image};
    vkGetImageMemoryRequirements(f->device, image, &forms[0]);
    vkGetImageMemoryRequirements2(f->device, &about, &two);
    vkGetDeviceImageMemoryRequirements(f->device, &ask, &three);
    forms[1] = two.memoryRequirements;
    forms[2] = three.memoryRequirements;
    bool optimal = tiling == VK_IMAGE_TILING_OPTIMAL;
    check_requirements(forms, optimal ? card->optimal_bits : (1u << card->type_count) - 1, sparse,
                       sparse    ? "sparse image"
                       : optimal ? "image"
                                 : "linear image");
    uint32_t count = 7;
    if (sparse) {
        vkGetImageSparseMemoryRequirements(f->device, image, &count, NULL);
        VKF_CHECK(count == 0, "an image bound as a whole has %u sparse requirements", count);
    }
    vkDestroyImage(f->device, image, NULL);
}

static void check_resources(const struct vkf *f)
{
    static const VkDeviceSize buffers[] = {1, 4096, 100001, (VkDeviceSize)1 << 20};
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
        check_buffer(f, buffers[i], false);
        if (card->sparse)
            check_buffer(f, buffers[i], true);
    }
    check_image(f, VK_IMAGE_TILING_LINEAR, VK_IMAGE_USAGE_TRANSFER_DST_BIT, false);
    check_image(f, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, false);
    check_image(f, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, false);
    if (card->sparse)
        check_image(f, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, true);
}

/* Content through every type: what is mapped and what is not is the same memory to the GPU. */
static void check_types(struct vkf *f)
{
    for (uint32_t i = 0; i < card->type_count; i++) {
        struct vkf_buffer buffer = vkf_buffer_create(f, 65536, 0);
        VkDeviceMemory memory = vkf_allocate(f, buffer.requirements.size, i);
        VKF_VK(vkBindBufferMemory(f->device, buffer.handle, memory, 0));
        vkCmdFillBuffer(vkf_commands_begin(f), buffer.handle, 0, VK_WHOLE_SIZE, 0x01010101 * i);
        vkf_commands_run(f);
        uint8_t got[65536];
        vkf_buffer_read(f, buffer.handle, 0, got, sizeof(got));
        for (size_t k = 0; k < sizeof(got); k++)
            VKF_CHECK(got[k] == i, "type %u: byte %zu is %u", i, k, got[k]);
        if (card->types[i].propertyFlags & HV) {
            uint8_t *bytes = NULL;
            VKF_VK(vkMapMemory(f->device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&bytes));
            VKF_CHECK(memcmp(bytes, got, sizeof(got)) == 0, "type %u: not what was written", i);
            memset(bytes + 4096, 0xab, 4096);
            vkUnmapMemory(f->device, memory);
            vkf_buffer_read(f, buffer.handle, 4095, got, 4098);
            VKF_CHECK(got[0] == i && got[1] == 0xab && got[4096] == 0xab && got[4097] == i,
                      "type %u: a write through the pointer is lost", i);
        }
        vkf_buffer_destroy(f, &buffer);
        vkf_free(f, memory);
    }
}

int main(int argc, char **argv)
{
    struct vkf f;
    if (argc != 5)
        return VKF_EXIT_USAGE;
    for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++)
        if (strcmp(cards[i].name, argv[1]) == 0)
            card = &cards[i];
    VKF_CHECK(card, "no card named '%s'", argv[1]);
    for (int i = 0; i < 3; i++)
        sizes[i] = vkf_parse_size(argv[2 + i]);
    VkPhysicalDeviceVulkan13Features thirteen = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .maintenance4 = VK_TRUE};
    VkPhysicalDeviceFeatures features = {.sparseBinding = card->sparse};
    vkf_begin(&f, &(struct vkf_options){.api_version = VK_API_VERSION_1_3,
                                        .queues_per_family = VKF_MAX_QUEUES,
                                        .device_next = &thirteen,
                                        .features = &features});
    check_memory(&f);
    check_properties(&f);
    check_features(&f);
    check_families(&f);
    check_queues(&f);
    check_resources(&f);
    check_types(&f);
    vkf_end(&f);
    return 0;
}
