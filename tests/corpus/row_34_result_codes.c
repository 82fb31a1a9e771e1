/* SPDX-License-Identifier: MIT
 *
 * Row 34, Vulkan-Docs 1987: an overfull program, the result of every call that has one written
 * down. The linker sends the calls of fixture, hoard and content model through here too
 * (meson.build: --wrap).
 *
 *   row_34_result_codes TOTAL */
#include "corpus.h"
#include "hoard.h"

#define CHUNK_BYTES ((VkDeviceSize)6 << 20)

/* NAME, parameters, arguments, and a number that tells calls of one name apart. */
#define LOGGED(name, parameters, arguments, number)                                                \
    VkResult __real_##name parameters;                                                             \
    VkResult __wrap_##name parameters;                                                             \
    VkResult __wrap_##name parameters                                                              \
    {                                                                                              \
        VkResult result = __real_##name arguments;                                                 \
        corpus_log(#name " %llu: %s", (unsigned long long)(number), vkf_result_name(result));      \
        return result;                                                                             \
    }

#define CREATE(type, number)                                                                       \
    LOGGED(                                                                                        \
        vkCreate##type,                                                                            \
        (VkDevice d, const Vk##type##CreateInfo *i, const VkAllocationCallbacks *a, Vk##type *o),  \
        (d, i, a, o), number)

LOGGED(vkCreateInstance,
       (const VkInstanceCreateInfo *i, const VkAllocationCallbacks *a, VkInstance *o), (i, a, o), 0)
LOGGED(vkEnumeratePhysicalDevices, (VkInstance d, uint32_t *n, VkPhysicalDevice *o), (d, n, o), *n)
LOGGED(vkCreateDevice,
       (VkPhysicalDevice p, const VkDeviceCreateInfo *i, const VkAllocationCallbacks *a,
        VkDevice *o),
       (p, i, a, o), 0)
CREATE(Buffer, i->size)
CREATE(Image, i->extent.width)
CREATE(CommandPool, i->queueFamilyIndex)
CREATE(Fence, i->flags)
CREATE(DescriptorSetLayout, i->bindingCount)
CREATE(PipelineLayout, i->setLayoutCount)
CREATE(ShaderModule, i->codeSize)
CREATE(DescriptorPool, i->maxSets)
LOGGED(vkCreateComputePipelines,
       (VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i,
        const VkAllocationCallbacks *a, VkPipeline *o),
       (d, c, n, i, a, o), n)
LOGGED(vkAllocateDescriptorSets,
       (VkDevice d, const VkDescriptorSetAllocateInfo *i, VkDescriptorSet *o), (d, i, o),
       i->descriptorSetCount)
LOGGED(vkAllocateCommandBuffers,
       (VkDevice d, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *o), (d, i, o),
       i->commandBufferCount)
LOGGED(vkAllocateMemory,
       (VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a,
        VkDeviceMemory *o),
       (d, i, a, o), i->allocationSize)
LOGGED(vkBindBufferMemory, (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize o), (d, b, m, o),
       o)
LOGGED(vkBindImageMemory, (VkDevice d, VkImage b, VkDeviceMemory m, VkDeviceSize o), (d, b, m, o),
       o)
LOGGED(vkMapMemory,
       (VkDevice d, VkDeviceMemory m, VkDeviceSize o, VkDeviceSize s, VkMemoryMapFlags l, void **p),
       (d, m, o, s, l, p), o)
LOGGED(vkBeginCommandBuffer, (VkCommandBuffer c, const VkCommandBufferBeginInfo *i), (c, i),
       i->flags)
LOGGED(vkEndCommandBuffer, (VkCommandBuffer c), (c), 0)
LOGGED(vkQueueSubmit, (VkQueue q, uint32_t n, const VkSubmitInfo *i, VkFence e), (q, n, i, e), n)
LOGGED(vkWaitForFences, (VkDevice d, uint32_t n, const VkFence *e, VkBool32 all, uint64_t t),
       (d, n, e, all, t), n)
LOGGED(vkResetDescriptorPool, (VkDevice d, VkDescriptorPool p, VkDescriptorPoolResetFlags l),
       (d, p, l), l)
LOGGED(vkResetFences, (VkDevice d, uint32_t n, const VkFence *e), (d, n, e), n)
LOGGED(vkDeviceWaitIdle, (VkDevice d), (d), 0)

int main(int argc, char **argv)
{
    struct vkf f;
    struct hoard hoard;
    if (argc != 2)
        return VKF_EXIT_USAGE;
    VkDeviceSize total = vkf_parse_size(argv[1]);
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 34);
    while (hoard.total_bytes < total) {
        VkResult result = hoard_try_add(&hoard, HOARD_MIXED, HOARD_DEVICE, CHUNK_BYTES);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "vkAllocateMemory");
    }
    hoard_exercise(&hoard);
    corpus_outcome("%u allocations, %s, every result as on a large card", hoard.count,
                   corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
