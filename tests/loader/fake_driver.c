/* SPDX-License-Identifier: MIT
 *
 * The driver of the fake world: its log, its faults, its instances and physical devices. Devices
 * and what they make are in fake_device.c. See fake_world.h. */
#include "fake_world.h"

#include "registry_lists.h"

#include <stdarg.h>
#include <string.h>

#define MAX_INSTANCES 16
#define COUNT(a)      (sizeof(a) / sizeof((a)[0]))

struct fake_state fake = {.test = "start"};

static struct fake_instance instances[MAX_INSTANCES];
/* What the dispatch pointers point at: a table of its own for each instance, as with real loaders.
 */
static char instance_tables[MAX_INSTANCES];

void fake_mistake(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: the driver was misused: ", fake.test);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    fake.mistakes++;
}

void fake_log(const char *name)
{
    if (fake.call_count < FAKE_MAX_CALLS) {
        fake.fallible[fake.call_count] = false;
        fake.calls[fake.call_count] = name;
    }
    fake.call_count++;
}

VkResult fake_enter(const char *name)
{
    uint32_t index = fake.call_count;
    fake_log(name);
    if (index < FAKE_MAX_CALLS)
        fake.fallible[index] = true;
    bool always = fake.fail_always != NULL && strcmp(fake.fail_always, name) == 0;
    return always || index == fake.fail_at ? fake.fail_with : VK_SUCCESS;
}

uint32_t fake_count_calls(const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fake.call_count && i < FAKE_MAX_CALLS; i++)
        count += strcmp(fake.calls[i], name) == 0;
    return count;
}

void fake_reset(void)
{
    const char *test = fake.test;
    fake = (struct fake_state){.test = test, .fail_at = FAKE_NO_FAULT};
    fake.config.api_version = VK_API_VERSION_1_3;
    fake.config.memory = (VkPhysicalDeviceMemoryProperties){
        .memoryHeapCount = 2,
        .memoryHeaps = {{256u << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}, {2048u << 20, 0}},
        .memoryTypeCount = 4,
        .memoryTypes = {{0, 1},
                        {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
                        {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                         1},
                        {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                             VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                         1}},
    };
}

void fake_check_clean(void)
{
    CHECK(fake.live_objects == 0);
    CHECK(fake.live_devices == 0);
    CHECK(fake.live_instances == 0);
    CHECK(fake.mistakes == 0);
    CHECK(fake.call_count < FAKE_MAX_CALLS);
}

/* --- Instances. */

static struct fake_instance *instance_of(VkInstance handle)
{
    struct fake_instance *instance = (struct fake_instance *)handle;
    if (instance < instances || instance >= instances + MAX_INSTANCES || !instance->alive) {
        fake_mistake("%p is no instance", (void *)handle);
        exit(1);
    }
    return instance;
}

static struct fake_gpu *gpu_of(VkPhysicalDevice handle)
{
    struct fake_gpu *gpu = (struct fake_gpu *)handle;
    for (unsigned i = 0; i < MAX_INSTANCES; i++)
        if (instances[i].alive && gpu >= instances[i].gpus && gpu < instances[i].gpus + FAKE_GPUS)
            return gpu;
    fake_mistake("%p is no physical device", (void *)handle);
    exit(1);
}

static VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo *info,
                                          const VkAllocationCallbacks *allocator, VkInstance *out)
{
    VkResult fault = fake_enter("vkCreateInstance");
    if (fake.on_create_instance != NULL)
        fake.on_create_instance(info, allocator, out);
    if (fault != VK_SUCCESS)
        return fault;
    for (unsigned i = 0; i < MAX_INSTANCES; i++) {
        struct fake_instance *instance = &instances[i];
        if (instance->alive)
            continue;
        *instance = (struct fake_instance){.dispatch = &instance_tables[i], .alive = true};
        instance->api_version =
            info->pApplicationInfo != NULL && info->pApplicationInfo->apiVersion != 0
                ? info->pApplicationInfo->apiVersion
                : VK_API_VERSION_1_0;
        for (uint32_t e = 0; e < info->enabledExtensionCount && e < FAKE_MAX_NAMES; e++)
            snprintf(instance->extensions[instance->extension_count++], VK_MAX_EXTENSION_NAME_SIZE,
                     "%s", info->ppEnabledExtensionNames[e]);
        for (uint32_t g = 0; g < FAKE_GPUS; g++)
            instance->gpus[g] =
                (struct fake_gpu){.dispatch = instance->dispatch, .instance = instance, .index = g};
        fake.live_instances++;
        *out = (VkInstance)instance;
        return VK_SUCCESS;
    }
    fake_mistake("more than %d instances", MAX_INSTANCES);
    return VK_ERROR_INITIALIZATION_FAILED;
}

static void VKAPI_CALL DestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    fake_log("vkDestroyInstance");
    if (handle == NULL)
        return;
    if (fake.live_devices > 0 && fake.live_instances == 1)
        fake_mistake("vkDestroyInstance before vkDestroyDevice");
    instance_of(handle)->alive = false;
    fake.live_instances--;
}

static VkResult VKAPI_CALL EnumerateInstanceVersion(uint32_t *version)
{
    *version = fake.config.api_version;
    return fake_enter("vkEnumerateInstanceVersion");
}

static VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance handle, uint32_t *count,
                                                    VkPhysicalDevice *gpus)
{
    struct fake_instance *instance = instance_of(handle);
    VkResult fault = fake_enter("vkEnumeratePhysicalDevices");
    if (fault != VK_SUCCESS)
        return fault;
    if (gpus == NULL) {
        *count = FAKE_GPUS;
        return VK_SUCCESS;
    }
    uint32_t room = *count;
    *count = room < FAKE_GPUS ? room : FAKE_GPUS;
    for (uint32_t i = 0; i < *count; i++)
        gpus[i] = (VkPhysicalDevice)&instance->gpus[i];
    return room < FAKE_GPUS ? VK_INCOMPLETE : VK_SUCCESS;
}

static VkResult VKAPI_CALL EnumeratePhysicalDeviceGroups(VkInstance handle, uint32_t *count,
                                                         VkPhysicalDeviceGroupProperties *groups)
{
    struct fake_instance *instance = instance_of(handle);
    VkResult fault = fake_enter("vkEnumeratePhysicalDeviceGroups");
    if (fault != VK_SUCCESS)
        return fault;
    if (groups == NULL) {
        *count = FAKE_GPUS;
        return VK_SUCCESS;
    }
    uint32_t room = *count;
    *count = room < FAKE_GPUS ? room : FAKE_GPUS;
    for (uint32_t i = 0; i < *count; i++) {
        groups[i].physicalDeviceCount = 1;
        groups[i].physicalDevices[0] = (VkPhysicalDevice)&instance->gpus[i];
        groups[i].subsetAllocation = VK_FALSE;
    }
    return room < FAKE_GPUS ? VK_INCOMPLETE : VK_SUCCESS;
}

/* --- Physical devices. */

static void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice handle,
                                                   VkPhysicalDeviceProperties *p)
{
    struct fake_gpu *gpu = gpu_of(handle);
    fake_log("vkGetPhysicalDeviceProperties");
    *p = (VkPhysicalDeviceProperties){.apiVersion = fake.config.api_version,
                                      .driverVersion = 1,
                                      .vendorID = 0x10000,
                                      .deviceID = gpu->index,
                                      .deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU};
    snprintf(p->deviceName, sizeof p->deviceName, "Fake %u", gpu->index);
    p->limits.maxMemoryAllocationCount = 4096;
    p->limits.bufferImageGranularity = 1024;
    p->limits.nonCoherentAtomSize = 64;
    p->limits.sparseAddressSpaceSize = (VkDeviceSize)1 << 40;
}

static void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice gpu,
                                                    VkPhysicalDeviceProperties2 *p)
{
    fake_log("vkGetPhysicalDeviceProperties2");
    GetPhysicalDeviceProperties(gpu, &p->properties);
    for (VkBaseOutStructure *s = p->pNext; s != NULL; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
            ((VkPhysicalDeviceMaintenance3Properties *)s)->maxMemoryAllocationSize = (VkDeviceSize)2
                                                                                     << 30;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
            ((VkPhysicalDeviceVulkan11Properties *)s)->maxMemoryAllocationSize = (VkDeviceSize)2
                                                                                 << 30;
    }
}

static void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice gpu, VkPhysicalDeviceFeatures *f)
{
    (void)gpu_of(gpu);
    fake_log("vkGetPhysicalDeviceFeatures");
    *f = (VkPhysicalDeviceFeatures){.sparseBinding = fake.config.sparse};
}

static void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice gpu,
                                                  VkPhysicalDeviceFeatures2 *f)
{
    fake_log("vkGetPhysicalDeviceFeatures2");
    GetPhysicalDeviceFeatures(gpu, &f->features);
}

static void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice gpu,
                                                         VkPhysicalDeviceMemoryProperties *m)
{
    (void)gpu_of(gpu);
    fake_log("vkGetPhysicalDeviceMemoryProperties");
    *m = fake.config.memory;
}

static void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice gpu,
                                                          VkPhysicalDeviceMemoryProperties2 *m)
{
    fake_log("vkGetPhysicalDeviceMemoryProperties2");
    GetPhysicalDeviceMemoryProperties(gpu, &m->memoryProperties);
    for (VkBaseOutStructure *s = m->pNext; s != NULL; s = s->pNext) {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget = (void *)s;
        if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)
            continue;
        for (uint32_t i = 0; i < fake.config.memory.memoryHeapCount; i++) {
            budget->heapBudget[i] = fake.config.memory.memoryHeaps[i].size / 10 * 9;
            budget->heapUsage[i] = 1 << 20;
        }
    }
}

static const VkQueueFamilyProperties families[] = {
    {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 2, 64, {1, 1, 1}},
    {VK_QUEUE_TRANSFER_BIT, 2, 64, {1, 1, 1}},
};

static void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice gpu, uint32_t *count,
                                                              VkQueueFamilyProperties *out)
{
    (void)gpu_of(gpu);
    fake_log("vkGetPhysicalDeviceQueueFamilyProperties");
    if (out != NULL && *count > COUNT(families))
        *count = COUNT(families);
    for (uint32_t i = 0; out != NULL && i < *count; i++)
        out[i] = families[i];
    if (out == NULL)
        *count = COUNT(families);
}

static void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice gpu,
                                                               uint32_t *count,
                                                               VkQueueFamilyProperties2 *out)
{
    (void)gpu_of(gpu);
    fake_log("vkGetPhysicalDeviceQueueFamilyProperties2");
    if (out != NULL && *count > COUNT(families))
        *count = COUNT(families);
    for (uint32_t i = 0; out != NULL && i < *count; i++)
        out[i].queueFamilyProperties = families[i];
    if (out == NULL)
        *count = COUNT(families);
}

static VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice gpu, VkFormat format, VkImageType type, VkImageTiling tiling,
    VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *out)
{
    (void)gpu_of(gpu), (void)format, (void)type, (void)tiling, (void)usage, (void)flags;
    *out = (VkImageFormatProperties){
        {4096, 4096, 256}, 13, 256, VK_SAMPLE_COUNT_1_BIT, (VkDeviceSize)2 << 30};
    return fake_enter("vkGetPhysicalDeviceImageFormatProperties");
}

static VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice gpu, const VkPhysicalDeviceImageFormatInfo2 *info,
    VkImageFormatProperties2 *out)
{
    (void)info;
    VkResult fault = fake_enter("vkGetPhysicalDeviceImageFormatProperties2");
    if (fault != VK_SUCCESS)
        return fault;
    return GetPhysicalDeviceImageFormatProperties(gpu, 0, 0, 0, 0, 0, &out->imageFormatProperties);
}

static void VKAPI_CALL GetPhysicalDeviceFormatProperties(VkPhysicalDevice gpu, VkFormat format,
                                                         VkFormatProperties *out)
{
    (void)gpu_of(gpu), (void)format;
    fake_log("vkGetPhysicalDeviceFormatProperties");
    *out = (VkFormatProperties){0, VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, 0};
}

static VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice gpu,
                                                              const char *layer_name,
                                                              uint32_t *count,
                                                              VkExtensionProperties *out)
{
    (void)gpu_of(gpu);
    VkResult fault = fake_enter("vkEnumerateDeviceExtensionProperties");
    if (layer_name != NULL)
        fake_mistake("asked for the extensions of layer '%s'", layer_name);
    if (fault != VK_SUCCESS)
        return fault;
    uint32_t have = fake.config.device_extension_count, room = *count;
    *count = out == NULL || room > have ? have : room;
    for (uint32_t i = 0; out != NULL && i < *count; i++) {
        out[i] = (VkExtensionProperties){.specVersion = 1};
        snprintf(out[i].extensionName, sizeof out[i].extensionName, "%s",
                 fake.config.device_extensions[i]);
    }
    return out != NULL && room < have ? VK_INCOMPLETE : VK_SUCCESS;
}

static VkResult VKAPI_CALL GetPhysicalDeviceToolProperties(VkPhysicalDevice gpu, uint32_t *count,
                                                           VkPhysicalDeviceToolProperties *out)
{
    (void)gpu_of(gpu);
    VkResult fault = fake_enter("vkGetPhysicalDeviceToolProperties");
    if (fault != VK_SUCCESS)
        return fault;
    if (out == NULL) {
        *count = 1;
        return VK_SUCCESS;
    }
    if (*count == 0)
        return VK_INCOMPLETE;
    *count = 1;
    snprintf(out->name, sizeof out->name, "Fake tool");
    snprintf(out->version, sizeof out->version, "1");
    snprintf(out->description, sizeof out->description, "a tool of the driver");
    out->layer[0] = '\0';
    out->purposes = VK_TOOL_PURPOSE_TRACING_BIT;
    return VK_SUCCESS;
}

/* --- Addresses. */

/* Stands for every command that the fake driver has no use for. */
static uint64_t VKAPI_CALL unexpected(void)
{
    fake_mistake("a command was called that the fake driver does not implement");
    return 0;
}

static const struct {
    const char *name;
    PFN_vkVoidFunction fn;
} commands[] = {
#define C(name)                                                                                    \
    {                                                                                              \
        "vk" #name, (PFN_vkVoidFunction)name                                                       \
    }
    C(CreateInstance),
    C(DestroyInstance),
    C(EnumerateInstanceVersion),
    C(EnumeratePhysicalDevices),
    C(EnumeratePhysicalDeviceGroups),
    C(GetPhysicalDeviceProperties),
    C(GetPhysicalDeviceProperties2),
    C(GetPhysicalDeviceFeatures),
    C(GetPhysicalDeviceFeatures2),
    C(GetPhysicalDeviceMemoryProperties),
    C(GetPhysicalDeviceMemoryProperties2),
    C(GetPhysicalDeviceQueueFamilyProperties),
    C(GetPhysicalDeviceQueueFamilyProperties2),
    C(GetPhysicalDeviceImageFormatProperties),
    C(GetPhysicalDeviceImageFormatProperties2),
    C(GetPhysicalDeviceFormatProperties),
    C(EnumerateDeviceExtensionProperties),
    C(GetPhysicalDeviceToolProperties),
#undef C
    {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)fake_GetInstanceProcAddr},
    {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)fake_GetDeviceProcAddr},
};

static PFN_vkVoidFunction implementation(const char *canonical)
{
    for (unsigned i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i].name, canonical) == 0)
            return commands[i].fn;
    return fake_device_command(canonical);
}

/* Does `list` ("A,B") name one of the extensions? */
static bool lists_one(const char *list, char (*extensions)[VK_MAX_EXTENSION_NAME_SIZE],
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(extensions[i]);
        for (const char *s = strstr(list, extensions[i]); s != NULL;
             s = strstr(s + 1, extensions[i]))
            if ((s == list || s[-1] == ',') && (s[length] == '\0' || s[length] == ','))
                return true;
    }
    return false;
}

static bool is_enabled(const struct registry_command *c, struct fake_instance *instance,
                       struct fake_device *device)
{
    uint32_t version = fake.config.api_version < instance->api_version ? fake.config.api_version
                                                                       : instance->api_version;
    if (fake.config.everything)
        return true;
    if (c->major != 0 && VK_MAKE_API_VERSION(0, c->major, c->minor, 0) <= version)
        return true;
    if (lists_one(c->extensions, instance->extensions, instance->extension_count))
        return true;
    return device != NULL && lists_one(c->extensions, device->extensions, device->extension_count);
}

static bool was_looked_up[COUNT(registry_commands)];

bool fake_was_looked_up(const char *name)
{
    for (unsigned i = 0; i < COUNT(registry_commands); i++)
        if (strcmp(registry_commands[i].name, name) == 0)
            return was_looked_up[i];
    return false;
}

static PFN_vkVoidFunction look_up(const char *name, struct fake_instance *instance,
                                  struct fake_device *device)
{
    bool missing = fake.config.missing != NULL && strcmp(fake.config.missing, name) == 0;
    for (unsigned i = 0; i < COUNT(registry_commands); i++) {
        const struct registry_command *c = &registry_commands[i];
        if (strcmp(c->name, name) != 0)
            continue;
        was_looked_up[i] = true;
        if (missing)
            return NULL;
        if (device != NULL && strcmp(c->level, "device") != 0 && strcmp(c->level, "newer") != 0)
            return NULL;
        if (!is_enabled(c, instance, device))
            return NULL;
        PFN_vkVoidFunction fn = implementation(c->canonical);
        return fn == NULL && fake.config.everything ? (PFN_vkVoidFunction)unexpected : fn;
    }
    return NULL;
}

PFN_vkVoidFunction VKAPI_CALL fake_GetInstanceProcAddr(VkInstance instance, const char *name)
{
    if (instance != NULL)
        return look_up(name, instance_of(instance), NULL);
    if (strcmp(name, "vkCreateInstance") == 0 || strcmp(name, "vkEnumerateInstanceVersion") == 0)
        return implementation(name);
    return NULL;
}

PFN_vkVoidFunction VKAPI_CALL fake_GetDeviceProcAddr(VkDevice handle, const char *name)
{
    struct fake_device *device = (struct fake_device *)handle;
    if (device == NULL || !device->alive) {
        fake_mistake("vkGetDeviceProcAddr of no device for '%s'", name);
        return NULL;
    }
    return look_up(name, device->gpu->instance, device);
}
