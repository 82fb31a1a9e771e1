/* SPDX-License-Identifier: MIT
 *
 * Devices of the fake driver, their memory, buffers and images. Every handle that comes in is
 * checked. See fake_world.h. */
#include "fake_world.h"

#include <string.h>

#define MAX_DEVICES 16
#define MAX_OBJECTS 1024
#define ALIGNMENT   256

static struct fake_device devices[MAX_DEVICES];
static char device_tables[MAX_DEVICES];
static struct fake_object objects[MAX_OBJECTS];
static char mapped_bytes[1 << 20];

static struct fake_device *device_of(VkDevice handle)
{
    struct fake_device *device = (struct fake_device *)handle;
    if (device < devices || device >= devices + MAX_DEVICES || !device->alive) {
        fake_mistake("%p is no device", (void *)handle);
        exit(1);
    }
    return device;
}

static struct fake_object *object_of(uint64_t handle, enum fake_kind kind)
{
    struct fake_object *object = (struct fake_object *)(uintptr_t)handle;
    if (object < objects || object >= objects + MAX_OBJECTS || object->kind != kind) {
        fake_mistake("%#llx is no object of kind %d", (unsigned long long)handle, kind);
        exit(1);
    }
    return object;
}

static struct fake_object *object_create(struct fake_device *device, enum fake_kind kind,
                                         VkDeviceSize size)
{
    for (unsigned i = 0; i < MAX_OBJECTS; i++)
        if (objects[i].kind == FAKE_FREE) {
            objects[i] = (struct fake_object){.kind = kind, .device = device, .size_bytes = size};
            fake.live_objects++;
            return &objects[i];
        }
    fake_mistake("more than %d objects", MAX_OBJECTS);
    exit(1);
}

static void object_destroy(VkDevice device, uint64_t handle, enum fake_kind kind)
{
    if (handle == 0)
        return;
    struct fake_object *object = object_of(handle, kind);
    if (object->device != device_of(device))
        fake_mistake("%#llx belongs to another device", (unsigned long long)handle);
    if (kind == FAKE_MEMORY)
        object->device->used_bytes[fake.config.memory.memoryTypes[object->type].heapIndex] -=
            object->size_bytes;
    object->kind = FAKE_FREE;
    fake.live_objects--;
}

/* --- vkCreateDevice, with the rules that a layer which changes the create info is likely to break.
 */

static bool has_extension(const char *name)
{
    for (uint32_t i = 0; i < fake.config.device_extension_count; i++)
        if (strcmp(fake.config.device_extensions[i], name) == 0)
            return true;
    return false;
}

static void check_chain(const VkDeviceCreateInfo *info)
{
    unsigned depth = 0;
    for (const VkBaseInStructure *a = info->pNext; a != NULL; a = a->pNext) {
        if (++depth > 64) {
            fake_mistake("a chain without end");
            exit(1);
        }
        if (a->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 &&
            info->pEnabledFeatures != NULL)
            fake_mistake("pEnabledFeatures beside VkPhysicalDeviceFeatures2 [VUID 00373]");
        for (const VkBaseInStructure *b = a->pNext; b != NULL; b = b->pNext)
            if (a->sType == b->sType && a->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
                fake_mistake("sType %d twice in the chain", a->sType);
    }
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *q = &info->pQueueCreateInfos[i];
        if (q->queueFamilyIndex > 1 || q->queueCount < 1 || q->queueCount > 2)
            fake_mistake("%u queues of family %u", q->queueCount, q->queueFamilyIndex);
        for (uint32_t j = 0; j < i; j++)
            if (info->pQueueCreateInfos[j].queueFamilyIndex == q->queueFamilyIndex)
                fake_mistake("family %u twice [VUID 02802]", q->queueFamilyIndex);
    }
}

static VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
                                        const VkAllocationCallbacks *allocator, VkDevice *out)
{
    struct fake_gpu *gpu = (struct fake_gpu *)handle;
    VkResult fault = fake_enter("vkCreateDevice");
    if (fake.on_create_device != NULL)
        fake.on_create_device(info, allocator, out);
    check_chain(info);
    if (fault != VK_SUCCESS)
        return fault;
    for (uint32_t e = 0; e < info->enabledExtensionCount; e++)
        if (!has_extension(info->ppEnabledExtensionNames[e]))
            return VK_ERROR_EXTENSION_NOT_PRESENT;
    for (unsigned i = 0; i < MAX_DEVICES; i++) {
        struct fake_device *device = &devices[i];
        if (device->alive)
            continue;
        *device = (struct fake_device){.dispatch = &device_tables[i],
                                       .alive = true,
                                       .gpu = gpu,
                                       .queue.dispatch = &device_tables[i]};
        for (uint32_t e = 0; e < info->enabledExtensionCount && e < FAKE_MAX_NAMES; e++)
            snprintf(device->extensions[device->extension_count++], VK_MAX_EXTENSION_NAME_SIZE,
                     "%s", info->ppEnabledExtensionNames[e]);
        fake.live_devices++;
        *out = (VkDevice)device;
        return VK_SUCCESS;
    }
    fake_mistake("more than %d devices", MAX_DEVICES);
    return VK_ERROR_INITIALIZATION_FAILED;
}

static void VKAPI_CALL DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    fake_log("vkDestroyDevice");
    if (handle == NULL)
        return;
    struct fake_device *device = device_of(handle);
    for (unsigned i = 0; i < MAX_OBJECTS; i++)
        if (objects[i].kind != FAKE_FREE && objects[i].device == device) {
            if (!fake.config.forgiving)
                fake_mistake("vkDestroyDevice while an object of kind %d lives", objects[i].kind);
            objects[i].kind = FAKE_FREE;
            fake.live_objects--;
        }
    device->alive = false;
    fake.live_devices--;
}

static void VKAPI_CALL GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index,
                                      VkQueue *queue)
{
    (void)family, (void)index;
    fake_log("vkGetDeviceQueue");
    *queue = (VkQueue)&device_of(handle)->queue;
}

static VkResult VKAPI_CALL DeviceWaitIdle(VkDevice handle)
{
    (void)device_of(handle);
    return fake_enter("vkDeviceWaitIdle");
}

static VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                       VkFence fence)
{
    (void)queue, (void)count, (void)submits, (void)fence;
    return fake_enter("vkQueueSubmit");
}

/* --- Memory. */

static VkResult VKAPI_CALL AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                          const VkAllocationCallbacks *allocator,
                                          VkDeviceMemory *out)
{
    struct fake_device *device = device_of(handle);
    const VkPhysicalDeviceMemoryProperties *m = &fake.config.memory;
    VkResult fault = fake_enter("vkAllocateMemory");
    (void)allocator;
    if (fault != VK_SUCCESS)
        return fault;
    if (info->memoryTypeIndex >= m->memoryTypeCount || info->allocationSize == 0) {
        fake_mistake("%llu bytes of memory type %u", (unsigned long long)info->allocationSize,
                     info->memoryTypeIndex);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    uint32_t heap = m->memoryTypes[info->memoryTypeIndex].heapIndex;
    if (device->used_bytes[heap] + info->allocationSize > m->memoryHeaps[heap].size)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    device->used_bytes[heap] += info->allocationSize;
    struct fake_object *memory = object_create(device, FAKE_MEMORY, info->allocationSize);
    memory->type = info->memoryTypeIndex;
    *out = (VkDeviceMemory)(uintptr_t)memory;
    return VK_SUCCESS;
}

static void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory,
                                  const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    fake_log("vkFreeMemory");
    object_destroy(device, (uint64_t)memory, FAKE_MEMORY);
}

static VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory handle, VkDeviceSize offset,
                                     VkDeviceSize size, VkMemoryMapFlags flags, void **out)
{
    (void)device_of(device), (void)size, (void)flags;
    struct fake_object *memory = object_of((uint64_t)handle, FAKE_MEMORY);
    VkResult fault = fake_enter("vkMapMemory");
    if (fault != VK_SUCCESS)
        return fault;
    if (memory->bytes != NULL)
        fake_mistake("mapped twice");
    if (!(fake.config.memory.memoryTypes[memory->type].propertyFlags &
          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
        return VK_ERROR_MEMORY_MAP_FAILED;
    memory->bytes = mapped_bytes;
    *out = mapped_bytes + offset;
    return VK_SUCCESS;
}

static void VKAPI_CALL UnmapMemory(VkDevice device, VkDeviceMemory handle)
{
    (void)device_of(device);
    fake_log("vkUnmapMemory");
    object_of((uint64_t)handle, FAKE_MEMORY)->bytes = NULL;
}

/* --- Resources. */

static VkResult VKAPI_CALL CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
                                        const VkAllocationCallbacks *allocator, VkBuffer *out)
{
    VkResult fault = fake_enter("vkCreateBuffer");
    (void)allocator;
    if (fault != VK_SUCCESS)
        return fault;
    *out = (VkBuffer)(uintptr_t)object_create(device_of(device), FAKE_BUFFER, info->size);
    return VK_SUCCESS;
}

static void VKAPI_CALL DestroyBuffer(VkDevice device, VkBuffer buffer,
                                     const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    fake_log("vkDestroyBuffer");
    object_destroy(device, (uint64_t)buffer, FAKE_BUFFER);
}

static VkDeviceSize image_size(const VkImageCreateInfo *info)
{
    return (VkDeviceSize)info->extent.width * info->extent.height * info->extent.depth *
           info->arrayLayers * 8;
}

static VkResult VKAPI_CALL CreateImage(VkDevice device, const VkImageCreateInfo *info,
                                       const VkAllocationCallbacks *allocator, VkImage *out)
{
    VkResult fault = fake_enter("vkCreateImage");
    (void)allocator;
    if (fault != VK_SUCCESS)
        return fault;
    *out = (VkImage)(uintptr_t)object_create(device_of(device), FAKE_IMAGE, image_size(info));
    return VK_SUCCESS;
}

static void VKAPI_CALL DestroyImage(VkDevice device, VkImage image,
                                    const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    fake_log("vkDestroyImage");
    object_destroy(device, (uint64_t)image, FAKE_IMAGE);
}

static VkMemoryRequirements requirements(VkDeviceSize size)
{
    return (VkMemoryRequirements){.size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
                                  .alignment = ALIGNMENT,
                                  .memoryTypeBits = (1u << fake.config.memory.memoryTypeCount) - 1};
}

static void VKAPI_CALL GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                   VkMemoryRequirements *out)
{
    (void)device_of(device);
    fake_log("vkGetBufferMemoryRequirements");
    *out = requirements(object_of((uint64_t)buffer, FAKE_BUFFER)->size_bytes);
}

static void VKAPI_CALL GetImageMemoryRequirements(VkDevice device, VkImage image,
                                                  VkMemoryRequirements *out)
{
    (void)device_of(device);
    fake_log("vkGetImageMemoryRequirements");
    *out = requirements(object_of((uint64_t)image, FAKE_IMAGE)->size_bytes);
}

static void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice device,
                                                    const VkBufferMemoryRequirementsInfo2 *info,
                                                    VkMemoryRequirements2 *out)
{
    GetBufferMemoryRequirements(device, info->buffer, &out->memoryRequirements);
}

static void VKAPI_CALL GetImageMemoryRequirements2(VkDevice device,
                                                   const VkImageMemoryRequirementsInfo2 *info,
                                                   VkMemoryRequirements2 *out)
{
    GetImageMemoryRequirements(device, info->image, &out->memoryRequirements);
}

static void VKAPI_CALL GetDeviceBufferMemoryRequirements(
    VkDevice device, const VkDeviceBufferMemoryRequirements *info, VkMemoryRequirements2 *out)
{
    (void)device_of(device);
    fake_log("vkGetDeviceBufferMemoryRequirements");
    out->memoryRequirements = requirements(info->pCreateInfo->size);
}

static void VKAPI_CALL GetDeviceImageMemoryRequirements(VkDevice device,
                                                        const VkDeviceImageMemoryRequirements *info,
                                                        VkMemoryRequirements2 *out)
{
    (void)device_of(device);
    fake_log("vkGetDeviceImageMemoryRequirements");
    out->memoryRequirements = requirements(image_size(info->pCreateInfo));
}

static VkResult VKAPI_CALL BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                            VkDeviceSize at)
{
    (void)device_of(device), (void)at;
    (void)object_of((uint64_t)buffer, FAKE_BUFFER);
    (void)object_of((uint64_t)memory, FAKE_MEMORY);
    return fake_enter("vkBindBufferMemory");
}

static VkResult VKAPI_CALL BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
                                           VkDeviceSize at)
{
    (void)device_of(device), (void)at;
    (void)object_of((uint64_t)image, FAKE_IMAGE);
    (void)object_of((uint64_t)memory, FAKE_MEMORY);
    return fake_enter("vkBindImageMemory");
}

static void VKAPI_CALL SetDeviceMemoryPriorityEXT(VkDevice device, VkDeviceMemory memory,
                                                  float priority)
{
    (void)device_of(device), (void)priority;
    (void)object_of((uint64_t)memory, FAKE_MEMORY);
    fake_log("vkSetDeviceMemoryPriorityEXT");
}

PFN_vkVoidFunction fake_device_command(const char *canonical_name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction fn;
    } commands[] = {
#define C(name) {"vk" #name, (PFN_vkVoidFunction)name}
        C(CreateDevice),
        C(DestroyDevice),
        C(GetDeviceQueue),
        C(DeviceWaitIdle),
        C(QueueSubmit),
        C(AllocateMemory),
        C(FreeMemory),
        C(MapMemory),
        C(UnmapMemory),
        C(CreateBuffer),
        C(DestroyBuffer),
        C(CreateImage),
        C(DestroyImage),
        C(GetBufferMemoryRequirements),
        C(GetBufferMemoryRequirements2),
        C(GetImageMemoryRequirements),
        C(GetImageMemoryRequirements2),
        C(GetDeviceBufferMemoryRequirements),
        C(GetDeviceImageMemoryRequirements),
        C(BindBufferMemory),
        C(BindImageMemory),
        C(SetDeviceMemoryPriorityEXT),
#undef C
    };
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, canonical_name) == 0)
            return commands[i].fn;
    return NULL;
}
