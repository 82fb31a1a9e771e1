/* SPDX-License-Identifier: MIT
 *
 * What every end-to-end test program starts from: an instance, a device with one queue of every
 * family, memory types by flags, buffers, images, memory, one command buffer, staging and compute
 * pipelines. It calls Vulkan as any program would, through the loader that the dynamic linker
 * finds.
 *
 * A test program has nothing to tidy up after a failure, so everything here either succeeds or ends
 * the process with a sentence on stderr and one of the exit codes below; the try_ functions hand
 * the VkResult back instead. Everything is externally synchronised as its struct vkf, except that
 * the plain allocation functions (vkf_try_allocate, vkf_free) may be called from any thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

enum vkf_exit {
    VKF_EXIT_OK = 0,
    VKF_EXIT_FAILED = 1,
    VKF_EXIT_USAGE = 2,
    VKF_EXIT_OOM = 3,     /* a call was answered VK_ERROR_OUT_OF_DEVICE_MEMORY */
    VKF_EXIT_CONTENT = 4, /* wrong bytes */
    VKF_EXIT_SKIP = 77,   /* what the test needs is not there */
};

#define VKF_NONE UINT32_MAX

_Noreturn void vkf_exit_with(int code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void vkf_exit_result(VkResult result, const char *file, int line, const char *call);
const char *vkf_result_name(VkResult result);

#define VKF_FAIL(...) vkf_exit_with(VKF_EXIT_FAILED, __FILE__, __LINE__, __VA_ARGS__)
#define VKF_SKIP(...) vkf_exit_with(VKF_EXIT_SKIP, __FILE__, __LINE__, __VA_ARGS__)
#define VKF_CHECK(condition, ...)                                                                  \
    do {                                                                                           \
        if (!(condition))                                                                          \
            vkf_exit_with(VKF_EXIT_FAILED, __FILE__, __LINE__, __VA_ARGS__);                       \
    } while (0)
/* The call has to answer VK_SUCCESS. */
#define VKF_VK(call)                                                                               \
    do {                                                                                           \
        VkResult vkf_result_ = (call);                                                             \
        if (vkf_result_ != VK_SUCCESS)                                                             \
            vkf_exit_result(vkf_result_, __FILE__, __LINE__, #call);                               \
    } while (0)

enum { VKF_MAX_FAMILIES = 8, VKF_MAX_QUEUES = 4 };

/* All zero is the usual program: Vulkan 1.1, the first device, one queue of every family. */
struct vkf_options {
    uint32_t api_version;       /* 0: 1.1 */
    bool no_application_info;   /* pApplicationInfo = NULL */
    bool instance_only;         /* stop before the device */
    const char *device_name;    /* part of the name; NULL: the first device */
    uint32_t queues_per_family; /* 0: one; capped at what the family has */
    const char *const *layers;  /* asked for in the create info, not by the environment */
    uint32_t layer_count;
    const char *const *instance_extensions; /* all have to be there, or the test is skipped */
    uint32_t instance_extension_count;
    const char *const *device_extensions; /* likewise */
    uint32_t device_extension_count;
    const void *device_next; /* pNext of VkDeviceCreateInfo */
    const VkPhysicalDeviceFeatures *features;
};

struct vkf_buffer {
    VkBuffer handle;
    VkDeviceSize size_bytes;
    VkMemoryRequirements requirements;
};

struct vkf_image {
    VkImage handle;
    uint32_t width, height, mip_count, layer_count; /* always 4 bytes a texel: R8G8B8A8_UNORM */
    VkMemoryRequirements requirements;
};

struct vkf {
    VkInstance instance;
    VkPhysicalDevice gpu;
    VkDevice device;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory; /* as told at the start */
    uint32_t family_count;
    VkQueueFamilyProperties families[VKF_MAX_FAMILIES];
    uint32_t queue_counts[VKF_MAX_FAMILIES];
    VkQueue queues[VKF_MAX_FAMILIES][VKF_MAX_QUEUES];
    /* the queue that the helpers below use: the first one with graphics and compute */
    uint32_t main_family;
    VkQueue queue;
    pthread_mutex_t *queue_lock; /* held around submits where it is not NULL */
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    /* staging, made at first use */
    struct vkf_buffer staging;
    VkDeviceMemory staging_memory;
    uint8_t *staging_bytes;
};

/* Uploads and readbacks go through a buffer of this size, in pieces. */
#define VKF_STAGING_BYTES ((VkDeviceSize)4 << 20)

/* options may be NULL. vkf_end accepts a zeroed or half-made fixture; it waits for the device
 * first. */
void vkf_begin(struct vkf *f, const struct vkf_options *options);
void vkf_end(struct vkf *f);

/* A second view of the same device for another thread: its own command buffer, fence and staging,
 * the same queue under `queue_lock`. End it with vkf_share_end, before the first one. */
void vkf_share(struct vkf *view, const struct vkf *f, pthread_mutex_t *queue_lock);
void vkf_share_end(struct vkf *view);

bool vkf_has_instance_extension(const char *name);
bool vkf_has_device_extension(VkPhysicalDevice gpu, const char *name);
/* vkGetInstanceProcAddr / vkGetDeviceProcAddr that fails the test on NULL. Cast at the call. */
PFN_vkVoidFunction vkf_instance_proc(const struct vkf *f, const char *name);
PFN_vkVoidFunction vkf_device_proc(const struct vkf *f, const char *name);

/* First type among `type_bits` with all of `wanted` and none of `unwanted`; VKF_NONE if there is
 * none. */
uint32_t vkf_find_type(const struct vkf *f, uint32_t type_bits, VkMemoryPropertyFlags wanted,
                       VkMemoryPropertyFlags unwanted);
/* As above, but no such type ends the test (wanted) or skips it (need). */
uint32_t vkf_want_type(const struct vkf *f, uint32_t type_bits, VkMemoryPropertyFlags wanted);
uint32_t vkf_need_type(const struct vkf *f, uint32_t type_bits, VkMemoryPropertyFlags wanted);
/* Size of the largest device-local heap as told at the start, and its index. */
VkDeviceSize vkf_vram_bytes(const struct vkf *f);
uint32_t vkf_vram_heap(const struct vkf *f);

/* size 4 MiB with "64MiB"-like text for what test programs take as arguments: bytes, KiB, MiB, GiB.
 */
uint64_t vkf_parse_size(const char *text);

VkResult vkf_try_allocate(const struct vkf *f, VkDeviceSize size_bytes, uint32_t type,
                          const void *next, VkDeviceMemory *out);
VkDeviceMemory vkf_allocate(const struct vkf *f, VkDeviceSize size_bytes, uint32_t type);
void vkf_free(const struct vkf *f, VkDeviceMemory memory);

/* usage 0: storage buffer and transfer both ways. Not bound to memory yet. */
struct vkf_buffer vkf_buffer_create(const struct vkf *f, VkDeviceSize size_bytes,
                                    VkBufferUsageFlags usage);
void vkf_buffer_destroy(const struct vkf *f, struct vkf_buffer *buffer);
/* usage 0: sampled and transfer both ways. Optimal tiling unless said otherwise. */
struct vkf_image vkf_image_create(const struct vkf *f, uint32_t width, uint32_t height,
                                  uint32_t mip_count, uint32_t layer_count, VkImageTiling tiling,
                                  VkImageUsageFlags usage);
void vkf_image_destroy(const struct vkf *f, struct vkf_image *image);

/* One command buffer at a time: begin, record into f->commands, submit and wait. */
VkCommandBuffer vkf_commands_begin(struct vkf *f);
void vkf_commands_run(struct vkf *f);
/* A barrier between everything before and everything after. */
void vkf_full_barrier(VkCommandBuffer commands);
void vkf_image_barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from,
                       VkImageLayout to);

/* The staging buffer's bytes (host-coherent, mapped for good). */
uint8_t *vkf_staging(struct vkf *f);
void vkf_buffer_write(struct vkf *f, VkBuffer buffer, VkDeviceSize offset, const void *bytes,
                      VkDeviceSize size_bytes);
void vkf_buffer_read(struct vkf *f, VkBuffer buffer, VkDeviceSize offset, void *bytes,
                     VkDeviceSize size_bytes);

/* A compute pipeline whose bindings 0 to storage_buffers-1 are storage buffers, in set 0. */
struct vkf_compute {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};
struct vkf_compute vkf_compute_create(const struct vkf *f, const uint32_t *spirv,
                                      size_t spirv_bytes, uint32_t storage_buffers,
                                      uint32_t push_constant_bytes);
void vkf_compute_destroy(const struct vkf *f, struct vkf_compute *compute);
