/* SPDX-License-Identifier: MIT
 *
 * What a Vulkan program sees: one loader, its GPUs, and Spillway's own entry among their tools.
 * Runs in a child of `spillway doctor`, because drivers and layers that are loaded here may crash
 * or hang. The loader is opened with dlopen, so that the command also runs where there is none. */
#include "doctor.h"

#include "cli.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/* Instance extensions may add a lot of them; a GPU has some 200. */
#define MAX_GPUS  32
#define MAX_TOOLS 32

static int out_fd = -1;
static void *loader_symbol; /* vkGetInstanceProcAddr */

static struct {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    PFN_vkGetPhysicalDeviceProperties GetPhysicalDeviceProperties;
    PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2;
    PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2;
    PFN_vkGetPhysicalDeviceFeatures GetPhysicalDeviceFeatures;
    PFN_vkGetPhysicalDeviceMemoryProperties GetPhysicalDeviceMemoryProperties;
    PFN_vkGetPhysicalDeviceMemoryProperties2 GetPhysicalDeviceMemoryProperties2;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties GetPhysicalDeviceQueueFamilyProperties;
    PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties;
    PFN_vkGetPhysicalDeviceToolProperties GetPhysicalDeviceToolProperties;
} vk;

/* ---- lines ---- */

static void send_line(json_object *object)
{
    const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
    char *line = cli_format("%s\n", text);
    size_t length = strlen(line);
    for (size_t done = 0; done < length;) {
        ssize_t wrote = write(out_fd, line + done, length - done);
        if (wrote <= 0)
            _exit(1); /* nobody listens any more */
        done += (size_t)wrote;
    }
    free(line);
    json_object_put(object);
}

static void send_one(const char *key, json_object *value)
{
    json_object *line = json_object_new_object();
    json_object_object_add(line, key, value);
    send_line(line);
}

static void now_at(const char *where)
{
    send_one("at", json_object_new_string(where));
}

_Noreturn static void fail(const char *error, int64_t result)
{
    json_object *line = json_object_new_object();
    json_object_object_add(line, "error", json_object_new_string(error));
    if (result != 0)
        json_object_object_add(line, "result", json_object_new_int64(result));
    send_line(line);
    _exit(0);
}

/* ---- small things ---- */

static json_object *version_text(uint32_t version)
{
    return report_format("%u.%u.%u", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                         VK_API_VERSION_PATCH(version));
}

static json_object *size_value(uint64_t bytes)
{
    return json_object_new_uint64(bytes);
}

/* The names of the bits that are set, as an array. */
struct bit_name {
    uint32_t bit;
    const char *name;
};

static json_object *bit_names(uint32_t flags, const struct bit_name *names, size_t count)
{
    json_object *array = json_object_new_array();
    for (size_t i = 0; i < count; i++) {
        if (flags & names[i].bit)
            json_object_array_add(array, json_object_new_string(names[i].name));
    }
    return array;
}

/* ---- one GPU ---- */

struct extensions {
    VkExtensionProperties *list;
    uint32_t count;
};

static void list_extensions(VkPhysicalDevice gpu, struct extensions *e)
{
    *e = (struct extensions){0};
    if (vk.EnumerateDeviceExtensionProperties(gpu, NULL, &e->count, NULL) < 0)
        e->count = 0;
    e->list = calloc(e->count + 1, sizeof(*e->list));
    if (e->list == NULL)
        cli_out_of_memory();
    if (e->count > 0 && vk.EnumerateDeviceExtensionProperties(gpu, NULL, &e->count, e->list) < 0)
        e->count = 0;
}

static bool has_extension(const struct extensions *e, const char *name)
{
    for (uint32_t i = 0; i < e->count; i++) {
        if (strcmp(e->list[i].extensionName, name) == 0)
            return true;
    }
    return false;
}

static const char *type_name(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return "software";
    default:
        return "other";
    }
}

static void put_driver(json_object *out, VkPhysicalDevice gpu, uint32_t api,
                       const struct extensions *e)
{
    bool known =
        api >= VK_API_VERSION_1_2 || has_extension(e, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    if (!known || vk.GetPhysicalDeviceProperties2 == NULL)
        return;
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
    vk.GetPhysicalDeviceProperties2(gpu, &properties);
    json_object_object_add(out, "driver",
                           report_format("%s %s", driver.driverName, driver.driverInfo));
}

static void put_memory(json_object *out, VkPhysicalDevice gpu, bool has_budget)
{
    static const struct bit_name names[] = {
        {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, "device-local"},
        {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, "host-visible"},
        {VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, "host-coherent"},
        {VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "host-cached"},
        {VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, "lazily-allocated"},
        {VK_MEMORY_PROPERTY_PROTECTED_BIT, "protected"},
        {VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, "device-coherent"},
        {VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD, "device-uncached"},
    };
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    const VkPhysicalDeviceMemoryProperties *m = &memory.memoryProperties;
    has_budget = has_budget && vk.GetPhysicalDeviceMemoryProperties2 != NULL;
    if (has_budget)
        vk.GetPhysicalDeviceMemoryProperties2(gpu, &memory);
    else
        vk.GetPhysicalDeviceMemoryProperties(gpu, &memory.memoryProperties);

    json_object *heaps = json_object_new_array();
    for (uint32_t i = 0; i < m->memoryHeapCount; i++) {
        json_object *heap = json_object_new_object();
        bool local = m->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        json_object_object_add(heap, "device_local", json_object_new_boolean(local));
        json_object_object_add(heap, "size", size_value(m->memoryHeaps[i].size));
        if (has_budget)
            json_object_object_add(heap, "budget", size_value(budget.heapBudget[i]));
        json_object_array_add(heaps, heap);
    }
    json_object_object_add(out, "heaps", heaps);

    json_object *types = json_object_new_array();
    for (uint32_t i = 0; i < m->memoryTypeCount; i++) {
        json_object *type = json_object_new_object();
        json_object_object_add(type, "heap", json_object_new_int64(m->memoryTypes[i].heapIndex));
        json_object_object_add(
            type, "flags",
            bit_names(m->memoryTypes[i].propertyFlags, names, SPW_ARRAY_SIZE(names)));
        json_object_array_add(types, type);
    }
    json_object_object_add(out, "memory_types", types);
}

static void put_queues(json_object *out, VkPhysicalDevice gpu)
{
    static const struct bit_name names[] = {
        {VK_QUEUE_GRAPHICS_BIT, "graphics"},
        {VK_QUEUE_COMPUTE_BIT, "compute"},
        {VK_QUEUE_TRANSFER_BIT, "transfer"},
        {VK_QUEUE_SPARSE_BINDING_BIT, "sparse binding"},
    };
    VkQueueFamilyProperties families[32];
    uint32_t count = SPW_ARRAY_SIZE(families);
    vk.GetPhysicalDeviceQueueFamilyProperties(gpu, &count, families);
    json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < count; i++) {
        json_object *family = json_object_new_object();
        json_object_object_add(family, "queues", json_object_new_int64(families[i].queueCount));
        json_object_object_add(family, "flags",
                               bit_names(families[i].queueFlags, names, SPW_ARRAY_SIZE(names)));
        json_object_array_add(array, family);
    }
    json_object_object_add(out, "queue_families", array);
}

static bool has_timeline(VkPhysicalDevice gpu, uint32_t api, const struct extensions *e)
{
    if (vk.GetPhysicalDeviceFeatures2 == NULL ||
        (api < VK_API_VERSION_1_2 && !has_extension(e, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME)))
        return false;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &timeline};
    vk.GetPhysicalDeviceFeatures2(gpu, &features);
    return timeline.timelineSemaphore == VK_TRUE;
}

static void put_abilities(json_object *out, VkPhysicalDevice gpu,
                          const VkPhysicalDeviceProperties *p, const struct extensions *e)
{
    VkPhysicalDeviceFeatures features;
    vk.GetPhysicalDeviceFeatures(gpu, &features);
    json_object *sparse = json_object_new_object();
    json_object_object_add(sparse, "binding", json_object_new_boolean((int)features.sparseBinding));
    json_object_object_add(sparse, "residency_buffer",
                           json_object_new_boolean((int)features.sparseResidencyBuffer));
    json_object_object_add(sparse, "residency_image_2d",
                           json_object_new_boolean((int)features.sparseResidencyImage2D));
    json_object_object_add(sparse, "residency_aliased",
                           json_object_new_boolean((int)features.sparseResidencyAliased));
    json_object_object_add(sparse, "address_space", size_value(p->limits.sparseAddressSpaceSize));
    json_object_object_add(out, "sparse", sparse);

    json_object_object_add(out, "timeline_semaphores",
                           json_object_new_boolean((int)has_timeline(gpu, p->apiVersion, e)));
    json_object_object_add(
        out, "memory_budget",
        json_object_new_boolean((int)has_extension(e, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)));
    json_object_object_add(out, "pageable_memory",
                           json_object_new_boolean((int)has_extension(
                               e, VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME)));
}

/* Spillway's entry, "mode=redirect; why", where the layer is in the chain. */
static void put_mode(json_object *out, VkPhysicalDevice gpu)
{
    VkPhysicalDeviceToolProperties tools[MAX_TOOLS];
    uint32_t count = MAX_TOOLS;
    for (uint32_t i = 0; i < MAX_TOOLS; i++)
        tools[i] = (VkPhysicalDeviceToolProperties){
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES};
    if (vk.GetPhysicalDeviceToolProperties == NULL ||
        vk.GetPhysicalDeviceToolProperties(gpu, &count, tools) < 0)
        return;
    for (uint32_t i = 0; i < count && i < MAX_TOOLS; i++) {
        const char *description = tools[i].description;
        if (strcmp(tools[i].layer, LAYER_NAME) != 0 || strncmp(description, "mode=", 5) != 0)
            continue;
        const char *mode = description + 5;
        size_t length = strcspn(mode, ";");
        const char *reason = mode + length + strspn(mode + length, "; ");
        json_object_object_add(out, "mode", report_format("%.*s", (int)length, mode));
        json_object_object_add(out, "reason", json_object_new_string(reason));
        json_object_object_add(out, "layer_version", json_object_new_string(tools[i].version));
        return;
    }
}

static void look_at(VkPhysicalDevice gpu)
{
    VkPhysicalDeviceProperties p;
    struct extensions extensions;
    json_object *out = json_object_new_object();
    vk.GetPhysicalDeviceProperties(gpu, &p);
    char *where = cli_format("the GPU '%s'", p.deviceName);
    now_at(where);
    free(where);
    json_object_object_add(out, "name", json_object_new_string(p.deviceName));
    json_object_object_add(out, "type", json_object_new_string(type_name(p.deviceType)));
    json_object_object_add(out, "vendor_id", json_object_new_int64(p.vendorID));
    json_object_object_add(out, "device_id", json_object_new_int64(p.deviceID));
    json_object_object_add(out, "vulkan", version_text(p.apiVersion));
    list_extensions(gpu, &extensions);
    put_driver(out, gpu, p.apiVersion, &extensions);
    put_memory(out, gpu, has_extension(&extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME));
    put_queues(out, gpu);
    put_abilities(out, gpu, &p, &extensions);
    put_mode(out, gpu);
    free(extensions.list);
    send_one("gpu", out);
}

/* ---- loader and instance ---- */

static int find_layer_library(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    if (strstr(info->dlpi_name, "libVkLayer_spillway") == NULL)
        return 0;
    *(const char **)user = info->dlpi_name;
    return 1;
}

static PFN_vkVoidFunction look_up(VkInstance instance, const char *name, const char *alias)
{
    PFN_vkVoidFunction found = vk.GetInstanceProcAddr(instance, name);
    return found != NULL || alias == NULL ? found : vk.GetInstanceProcAddr(instance, alias);
}

#define LOOK_UP(name_, alias_) vk.name_ = (PFN_vk##name_)look_up(instance, "vk" #name_, alias_)
static void look_up_commands(VkInstance instance)
{
    LOOK_UP(GetPhysicalDeviceProperties, NULL);
    LOOK_UP(GetPhysicalDeviceProperties2, "vkGetPhysicalDeviceProperties2KHR");
    LOOK_UP(GetPhysicalDeviceFeatures, NULL);
    LOOK_UP(GetPhysicalDeviceFeatures2, "vkGetPhysicalDeviceFeatures2KHR");
    LOOK_UP(GetPhysicalDeviceMemoryProperties, NULL);
    LOOK_UP(GetPhysicalDeviceMemoryProperties2, "vkGetPhysicalDeviceMemoryProperties2KHR");
    LOOK_UP(GetPhysicalDeviceQueueFamilyProperties, NULL);
    LOOK_UP(EnumerateDeviceExtensionProperties, NULL);
    LOOK_UP(GetPhysicalDeviceToolProperties, "vkGetPhysicalDeviceToolPropertiesEXT");
}

static void open_loader(const char *path)
{
    now_at("the loader itself");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        fail(dlerror(), 0);
    loader_symbol = dlsym(handle, "vkGetInstanceProcAddr");
    if (loader_symbol == NULL)
        fail("it is no Vulkan loader (vkGetInstanceProcAddr is missing)", 0);
    /* C knows no way from an object's address to a function's; POSIX says that they are alike. */
    memcpy(&vk.GetInstanceProcAddr, &loader_symbol, sizeof(loader_symbol));
}

static uint32_t send_loader(void)
{
    Dl_info info;
    uint32_t version = VK_API_VERSION_1_0;
    PFN_vkEnumerateInstanceVersion get_version =
        (PFN_vkEnumerateInstanceVersion)vk.GetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion");
    if (get_version != NULL && get_version(&version) != VK_SUCCESS)
        version = VK_API_VERSION_1_0;
    json_object *loader = json_object_new_object();
    if (dladdr(loader_symbol, &info) != 0 && info.dli_fname != NULL) {
        char *clean = realpath(info.dli_fname, NULL);
        json_object_object_add(loader, "path",
                               json_object_new_string(clean != NULL ? clean : info.dli_fname));
        free(clean);
    }
    json_object_object_add(loader, "version", version_text(version));
    send_one("loader", loader);
    return version;
}

static VkInstance create_instance(uint32_t version)
{
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "spillway doctor",
        .apiVersion = version < VK_API_VERSION_1_3 ? version : VK_API_VERSION_1_3,
    };
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    VkInstance instance = VK_NULL_HANDLE;
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)vk.GetInstanceProcAddr(NULL, "vkCreateInstance");
    now_at("vkCreateInstance");
    VkResult result =
        create != NULL ? create(&info, NULL, &instance) : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS)
        fail("vkCreateInstance failed", result);
    return instance;
}

void doctor_probe(const char *loader, int fd)
{
    out_fd = fd;
    open_loader(loader);
    VkInstance instance = create_instance(send_loader());
    const char *library = NULL;
    if (dl_iterate_phdr(find_layer_library, &library) != 0) {
        char *clean = realpath(library, NULL);
        send_one("library", json_object_new_string(clean != NULL ? clean : library));
        free(clean);
    }
    look_up_commands(instance);
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)look_up(instance, "vkEnumeratePhysicalDevices", NULL);
    PFN_vkDestroyInstance destroy =
        (PFN_vkDestroyInstance)look_up(instance, "vkDestroyInstance", NULL);
    VkPhysicalDevice gpus[MAX_GPUS];
    uint32_t count = MAX_GPUS;
    now_at("vkEnumeratePhysicalDevices");
    VkResult result = enumerate(instance, &count, gpus);
    if (result < 0)
        fail("vkEnumeratePhysicalDevices failed", result);
    for (uint32_t i = 0; i < count; i++)
        look_at(gpus[i]);
    now_at("vkDestroyInstance");
    destroy(instance, NULL);
    send_one("done", json_object_new_boolean(true));
    _exit(0);
}
