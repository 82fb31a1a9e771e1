/* SPDX-License-Identifier: MIT
 *
 * What the tests of the oracle and of the cost model share: named buffers with memory of their own,
 * labelled command buffers, the strided copy shader, and the oracle's file while the test runs.
 * Everything succeeds or ends the process. Externally synchronised as its struct bench. */
#pragma once

#include "oracle_reader.h"
#include "vk_fixture.h"

/* Where buffers go: the first type of the kind on simgpu's "nvidia" card. */
enum bench_place { BENCH_VRAM, BENCH_HOST };

struct bench {
    struct vkf f;
    uint64_t page; /* the oracle's: 4 KiB or 64 KiB; 0: it is off */
    struct vkf_compute stride;
    VkDescriptorPool pool;
    PFN_vkSetDebugUtilsObjectNameEXT set_name;
    PFN_vkCmdInsertDebugUtilsLabelEXT label;
};

struct bench_buffer {
    struct vkf_buffer buffer;
    VkDeviceMemory memory;
    uint32_t *words; /* mapped, where the place is host memory */
};

/* Vulkan 1.1 with debug utils, two queues of a family, sparse binding. */
void bench_begin(struct bench *b);
void bench_end(struct bench *b);

struct bench_buffer bench_buffer_create(struct bench *b, const char *name, enum bench_place place,
                                        VkDeviceSize size_bytes);
void bench_buffer_destroy(struct bench *b, struct bench_buffer *buffer);
/* Not bound to anything. */
struct vkf_buffer bench_sparse_buffer(struct bench *b, const char *name, VkDeviceSize size_bytes);
void bench_name(struct bench *b, VkObjectType type, uint64_t handle, const char *name);

/* Records the shader: count words, strides in bytes. */
void bench_stride(struct bench *b, VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                  uint32_t count, VkDeviceSize from_stride, VkDeviceSize to_stride);
/* f.commands, begun, and labelled if label is not NULL. */
VkCommandBuffer bench_commands(struct bench *b, const char *label);

/* The oracle's file as it is now. */
struct oracle_log *bench_log(void);
/* Touched exactly the pages that hold [offset + i * stride, + size), i < count, of the resource. */
void bench_expect(const struct bench *b, const struct oracle_log *log, const char *label,
                  const char *resource, enum oracle_access access, uint64_t offset, uint64_t size,
                  uint64_t stride, uint64_t count);
/* Did not touch it in that way. */
void bench_expect_none(const struct oracle_log *log, const char *label, const char *resource,
                       enum oracle_access access);
