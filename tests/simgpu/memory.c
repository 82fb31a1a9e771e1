/* SPDX-License-Identifier: MIT
 *
 * Device memory: see memory.h. */
#include "memory.h"

#include "control.h"
#include "bound.h"
#include "oracle.h"
#include "region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct sim_memory *sim_memory_find(struct sim_device *device, VkDeviceMemory handle)
{
    return sim_map_find(&device->memories, SIM_KEY(handle));
}

void *sim_reserve(uint64_t size)
{
    uint64_t span = sim_round_up(size, SIM_GRANULE) + SIM_GRANULE;
    if (size > UINT64_MAX / 2)
        return NULL;
    char *raw = mmap(NULL, span + SIM_GRANULE, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    char *start = (char *)(uintptr_t)sim_round_up((uint64_t)(uintptr_t)raw, SIM_GRANULE);
    uint64_t before = (uint64_t)(start - raw);
    if (before > 0)
        munmap(raw, before);
    munmap(start + span, SIM_GRANULE - before);
    return start;
}

void sim_unreserve(void *address, uint64_t size)
{
    if (address != NULL)
        munmap(address, sim_round_up(size, SIM_GRANULE) + SIM_GRANULE);
}

VkResult sim_import(struct sim_device *device, void *address, uint64_t size, bool device_address,
                    const VkAllocationCallbacks *allocator, VkDeviceMemory *out)
{
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .pNext = device_address ? &flags : NULL,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
        .pHostPointer = address,
    };
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &import,
                                 .allocationSize = size,
                                 .memoryTypeIndex = device->import_type};
    return device->vk.AllocateMemory(device->handle, &info, allocator, out);
}

static bool wants_address(const VkMemoryAllocateInfo *info)
{
    const VkMemoryAllocateFlagsInfo *flags =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    return flags != NULL && (flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) != 0;
}

/* Memory shared through file descriptors does not exist on this card; a test may ask for memory
 * that could be exported all the same (SIMGPU_EXPORT). */
static bool wants_sharing(const VkMemoryAllocateInfo *info)
{
    const VkExportMemoryAllocateInfo *export =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
    return (export != NULL && export->handleTypes != 0 && !sim_card_get()->accept_export) ||
           sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR) != NULL;
}

static VkResult import_programs(struct sim_device *device, const VkMemoryAllocateInfo *info,
                                const VkImportMemoryHostPointerInfoEXT *import,
                                const VkAllocationCallbacks *allocator, struct sim_memory *memory)
{
    if (!(sim_card_host_types(sim_card_get()) & (1u << info->memoryTypeIndex)))
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    memory->driver_va = import->pHostPointer;
    return sim_import(device, import->pHostPointer, info->allocationSize, wants_address(info),
                      allocator, &memory->handle);
}

static float wanted_priority(const VkMemoryAllocateInfo *info)
{
    const VkMemoryPriorityAllocateInfoEXT *priority =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT);
    return priority != NULL ? priority->priority : 0.5f; /* as the extension says */
}

static VkResult allocate(struct sim_device *device, const VkMemoryAllocateInfo *info,
                         const VkAllocationCallbacks *allocator, struct sim_memory *memory)
{
    struct sim_card *card = sim_card_get();
    uint32_t index = card->profile->types[info->memoryTypeIndex].heapIndex;
    struct sim_heap *heap = &card->heaps[index];
    sim_control_poll(card);
    if (!sim_heap_take(heap, info->allocationSize, sim_residency_spill(card, index),
                       &memory->offset))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    memory->heap = heap;
    uint64_t unit = device->physical->import_alignment;
    memory->span = sim_round_up(info->allocationSize, unit > SIM_PAGE ? unit : SIM_PAGE);
    char *address = sim_reserve(memory->span);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (address != NULL &&
        mmap(address, memory->span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, heap->fd,
             (off_t)memory->offset) != MAP_FAILED)
        result = sim_import(device, address, memory->span, wants_address(info), allocator,
                            &memory->handle);
    memory->driver_va = address;
    if (result != VK_SUCCESS)
        return result;
    sim_residency_enter(card, &memory->residency, index, info->allocationSize,
                        wanted_priority(info));
    memory->watch = sim_oracle_watch_memory(device, memory);
    return VK_SUCCESS;
}

static void release_pages(struct sim_device *device, struct sim_memory *memory)
{
    if (memory->heap == NULL)
        return;
    sim_residency_leave(sim_card_get(), &memory->residency);
    sim_oracle_unwatch_memory(device, memory);
    sim_unreserve(memory->driver_va, memory->span);
    if (memory->host_va != NULL)
        munmap(memory->host_va, memory->span);
    sim_heap_give(memory->heap, memory->offset, memory->size);
}

/* false: one more than the card's maxMemoryAllocationCount. */
static bool count_allocation(struct sim_device *device)
{
    struct sim_card *card = sim_card_get();
    if (atomic_fetch_add(&device->allocations, 1) < card->limits.max_allocations)
        return true;
    atomic_fetch_sub(&device->allocations, 1);
    atomic_fetch_add_explicit(&card->too_many_objects, 1, memory_order_relaxed);
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkDeviceMemory *out)
{
    struct sim_device *device = sim_device_find(handle);
    const VkImportMemoryHostPointerInfoEXT *import =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
    if (info->memoryTypeIndex >= sim_card_get()->profile->type_count)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (wants_sharing(info))
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    if (!count_allocation(device))
        return VK_ERROR_TOO_MANY_OBJECTS;
    static _Atomic uint64_t last_id;
    struct sim_memory *memory = calloc(1, sizeof(*memory));
    if (memory == NULL) {
        atomic_fetch_sub(&device->allocations, 1);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    memory->id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    memory->type = info->memoryTypeIndex;
    memory->size = info->allocationSize;
    VkResult result = import != NULL && import->handleType != 0
                          ? import_programs(device, info, import, allocator, memory)
                          : allocate(device, info, allocator, memory);
    if (result == VK_SUCCESS &&
        sim_map_insert(&device->memories, SIM_KEY(memory->handle), memory) != 0) {
        device->vk.FreeMemory(handle, memory->handle, allocator);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result != VK_SUCCESS) {
        if (memory->heap != NULL)
            sim_heap_note_failure(memory->heap, result == VK_ERROR_OUT_OF_DEVICE_MEMORY);
        release_pages(device, memory);
        free(memory);
        atomic_fetch_sub(&device->allocations, 1);
        return result;
    }
    *out = memory->handle;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_FreeMemory(VkDevice handle, VkDeviceMemory key,
                                          const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    struct sim_memory *memory = sim_map_remove(&device->memories, SIM_KEY(key));
    if (memory == NULL)
        return;
    atomic_fetch_sub(&device->allocations, 1);
    sim_bound_forget(SIM_KEY(key));
    bool unused = sim_region_forget_memory(device, memory);
    device->vk.FreeMemory(handle, key, allocator);
    release_pages(device, memory);
    if (unused)
        free(memory);
}

static void release_value(void *value, void *user)
{
    struct sim_memory *memory = value;
    struct sim_device *device = user;
    device->vk.FreeMemory(device->handle, memory->handle, NULL);
    release_pages(device, memory);
    free(memory);
}

void sim_memory_release_all(struct sim_device *device)
{
    sim_map_for_each(&device->memories, release_value, device);
}

VKAPI_ATTR void VKAPI_CALL sim_SetDeviceMemoryPriorityEXT(VkDevice handle, VkDeviceMemory key,
                                                          float priority)
{
    struct sim_memory *memory = sim_memory_find(sim_device_find(handle), key);
    if (memory != NULL)
        sim_residency_set_priority(sim_card_get(), &memory->residency, priority);
}

static VkMemoryPropertyFlags type_flags(const struct sim_memory *memory)
{
    return sim_card_get()->profile->types[memory->type].propertyFlags;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_MapMemory(VkDevice handle, VkDeviceMemory key,
                                             VkDeviceSize offset, VkDeviceSize size,
                                             VkMemoryMapFlags flags, void **data)
{
    struct sim_memory *memory = sim_memory_find(sim_device_find(handle), key);
    (void)flags;
    if (!(type_flags(memory) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
        return VK_ERROR_MEMORY_MAP_FAILED;
    memory->mapped_end = size == VK_WHOLE_SIZE ? memory->size : offset + size;
    if (memory->heap == NULL) {
        *data = memory->driver_va + offset;
        return VK_SUCCESS;
    }
    if (memory->host_va == NULL) {
        bool coherent = type_flags(memory) & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        void *address =
            mmap(NULL, memory->span, PROT_READ | PROT_WRITE,
                 coherent ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
                 coherent ? memory->heap->fd : -1, coherent ? (off_t)memory->offset : 0);
        if (address == MAP_FAILED)
            return VK_ERROR_MEMORY_MAP_FAILED;
        memory->host_va = address;
    }
    *data = memory->host_va + offset;
    return VK_SUCCESS;
}

/* The mapping stays until the memory is freed: programs that map every frame would pay every page
 * fault again. */
VKAPI_ATTR void VKAPI_CALL sim_UnmapMemory(VkDevice handle, VkDeviceMemory key)
{
    (void)handle, (void)key;
}

/* Through the heap's file and not through the driver's mapping, which the oracle watches. */
static void carry_range(const struct sim_memory *memory, uint64_t offset, uint64_t size, bool flush)
{
    while (size > 0) {
        char *at = memory->host_va + offset;
        off_t in_file = (off_t)(memory->offset + offset);
        ssize_t n = flush ? pwrite(memory->heap->fd, at, size, in_file)
                          : pread(memory->heap->fd, at, size, in_file);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            sim_log("cannot carry mapped memory: %s", strerror(errno));
            return;
        }
        offset += (uint64_t)n;
        size -= (uint64_t)n;
    }
}

/* Carries ranges from the program's copy to the memory (flush) or back. Coherent memory has no
 * copy. */
static void carry(VkDevice handle, uint32_t count, const VkMappedMemoryRange *ranges, bool flush)
{
    struct sim_device *device = sim_device_find(handle);
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_memory *memory = sim_memory_find(device, ranges[i].memory);
        uint64_t offset = ranges[i].offset;
        if (memory == NULL || memory->heap == NULL || memory->host_va == NULL ||
            (type_flags(memory) & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) ||
            offset > memory->mapped_end)
            continue;
        uint64_t rest = memory->mapped_end - offset;
        uint64_t size =
            ranges[i].size < rest ? ranges[i].size : rest; /* VK_WHOLE_SIZE is the greatest */
        carry_range(memory, offset, size, flush);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL sim_FlushMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                           const VkMappedMemoryRange *ranges)
{
    carry(handle, count, ranges, true);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_InvalidateMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                                const VkMappedMemoryRange *ranges)
{
    carry(handle, count, ranges, false);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_GetMemoryHostPointerPropertiesEXT(
    VkDevice handle, VkExternalMemoryHandleTypeFlagBits type, const void *pointer,
    VkMemoryHostPointerPropertiesEXT *properties)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result =
        device->vk.GetMemoryHostPointerPropertiesEXT(handle, type, pointer, properties);
    if (result == VK_SUCCESS && properties->memoryTypeBits != 0)
        properties->memoryTypeBits = sim_card_host_types(sim_card_get());
    return result;
}
