/* SPDX-License-Identifier: MIT
 *
 * What the tests of simgpu share: a device with everything on that they use, sparse buffers and
 * images, "slabs" (memory with a plain buffer over all of it, as the layer will have), semaphores,
 * and one short description of a batch for vkQueueSubmit, vkQueueSubmit2 and vkQueueBindSparse.
 *
 * As in the fixture below, everything succeeds or ends the process. Externally synchronised as the
 * queue or object named. */
#pragma once

#include "vk_fixture.h"

/* The unit of sparse binding on every card of simgpu. */
#define SUITE_BLOCK ((VkDeviceSize)65536)
/* A wait that takes this long is taken for a deadlock. Nothing else depends on time. */
#define SUITE_STUCK_NS (UINT64_C(120) * 1000000000u)

/* Vulkan 1.3, all queues, sparse binding, timeline semaphores, synchronization2, device addresses,
 * dynamic rendering. Skips where the card has no sparse binding. */
void suite_begin(struct vkf *f);

struct vkf_buffer suite_sparse_buffer(const struct vkf *f, VkDeviceSize size_bytes,
                                      VkBufferCreateFlags more_flags, VkBufferUsageFlags usage);
/* Optimal tiling, R8G8B8A8_UNORM, one layer. */
struct vkf_image suite_sparse_image(const struct vkf *f, uint32_t width, uint32_t height,
                                    uint32_t mip_count, VkImageUsageFlags usage);

/* Memory cut into blocks, and a plain buffer over the whole of it. */
struct suite_slab {
    VkDeviceMemory memory;
    struct vkf_buffer raw;
    uint8_t *bytes; /* mapped where the type is host-visible */
    uint32_t type, block_count;
};
struct suite_slab suite_slab_create(const struct vkf *f, uint32_t block_count, uint32_t type);
void suite_slab_destroy(const struct vkf *f, struct suite_slab *slab);
/* The first type of the largest device-local heap; the first type that is not device-local. Among
 * `type_bits`; VKF_NONE if there is none. */
uint32_t suite_vram_type(const struct vkf *f, uint32_t type_bits);
uint32_t suite_host_type(const struct vkf *f, uint32_t type_bits);

/* A plain buffer in host memory, mapped for good. */
struct suite_mapped {
    struct vkf_buffer buffer;
    VkDeviceMemory memory;
    uint32_t *words;
};
struct suite_mapped suite_mapped_create(const struct vkf *f, VkDeviceSize size_bytes,
                                        VkBufferUsageFlags usage);
void suite_mapped_destroy(const struct vkf *f, struct suite_mapped *m);

VkSemaphore suite_timeline(const struct vkf *f, uint64_t value);
VkSemaphore suite_binary(const struct vkf *f);
uint64_t suite_timeline_value(const struct vkf *f, VkSemaphore timeline);
/* false: not reached within timeout_ns. */
bool suite_timeline_wait(const struct vkf *f, VkSemaphore timeline, uint64_t value,
                         uint64_t timeout_ns);
/* Not reached in SUITE_STUCK_NS ends the test. */
void suite_timeline_must(const struct vkf *f, VkSemaphore timeline, uint64_t value);
void suite_timeline_signal(const struct vkf *f, VkSemaphore timeline, uint64_t value);

enum { SUITE_MAX_POINTS = 6 };

struct suite_point {
    VkSemaphore semaphore; /* NULL ends a list */
    uint64_t value;        /* 0 for binary semaphores */
};

/* One batch. `commands` for submits; the rest for binds of one buffer or one image. */
struct suite_batch {
    struct suite_point waits[SUITE_MAX_POINTS], signals[SUITE_MAX_POINTS];
    VkCommandBuffer commands;
    VkBuffer buffer;
    VkImage image;
    const VkSparseMemoryBind *binds;
    uint32_t bind_count;
};

void suite_submit(VkQueue queue, const struct suite_batch *batch, VkFence fence);
void suite_submit2(VkQueue queue, const struct suite_batch *batch, VkFence fence);
void suite_bind(VkQueue queue, const struct suite_batch *batch, VkFence fence);

VkFence suite_fence(const struct vkf *f);
void suite_fence_must(const struct vkf *f, VkFence fence);

/* Binds and waits until it is done. */
void suite_bind_now(struct vkf *f, VkBuffer buffer, VkImage image, const VkSparseMemoryBind *binds,
                    uint32_t bind_count);

/* A pool of the family, and a command buffer of it that may be submitted again and again. */
VkCommandPool suite_pool(const struct vkf *f, uint32_t family);
VkCommandBuffer suite_commands(const struct vkf *f, VkCommandPool pool);
VkCommandBuffer suite_commands_begin(const struct vkf *f, VkCommandPool pool);
void suite_commands_end(VkCommandBuffer commands);

/* The next number of a series (xorshift). */
uint64_t suite_random(uint64_t *state);
/* What the pattern of `seed` has at word `index`. */
uint32_t suite_word(uint64_t seed, uint64_t index);
