/* SPDX-License-Identifier: MIT
 *
 * The rules for well-behaved layers (Vulkan-Loader, docs/LoaderLayerInterface.md, LLP_LAYER_1…22),
 * with this program as the loader and a driver that watches. One function per rule; LLP.md is the
 * table. The name of a rule as argument runs that one only.
 *
 *   test_llp LAYER.so [RULE] */
#include "fake_world.h"

#include "registry_lists.h"

#include <ctype.h>
#include <dlfcn.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define INSTANCE_COMMAND(instance, name) ((PFN_##name)layer.GetInstanceProcAddr(instance, #name))

/* A struct that nobody knows: as extensions newer than the layer have. */
#define UNKNOWN_STYPE ((VkStructureType)1000999000)
struct unknown {
    VkStructureType sType;
    const void *pNext;
    uint64_t payload[3];
};

/* --- LLP_LAYER_3: VK_LAYER_, an organisation in capitals, words with underscores. */
static void llp_3(void)
{
    VkLayerProperties p;
    uint32_t count = 1;
    PFN_vkEnumerateInstanceLayerProperties enumerate =
        INSTANCE_COMMAND(NULL, vkEnumerateInstanceLayerProperties);

    CHECK(enumerate(&count, &p) == VK_SUCCESS && count == 1);
    CHECK(strcmp(p.layerName, SPILLWAY_LAYER) == 0);
    const char *name = p.layerName;
    CHECK(strncmp(name, "VK_LAYER_", 9) == 0);
    for (name += 9; *name != '_'; name++)
        CHECK(isupper((unsigned char)*name) || isdigit((unsigned char)*name));
    CHECK(name > p.layerName + 9 && name[1] != '\0');
    for (; *name != '\0'; name++)
        CHECK(isalnum((unsigned char)*name) || *name == '_');
    CHECK(strlen(p.description) > 0);
}

/* --- LLP_LAYER_4: exports the negotiation function. (test_exports.sh: and nothing else.) */
static void llp_4(void)
{
    CHECK(dlsym(layer.library, "vkNegotiateLoaderLayerInterfaceVersion") != NULL);
    CHECK(dlsym(layer.library, "vkGetInstanceProcAddr") == NULL);
    CHECK(dlsym(layer.library, "vkGetDeviceProcAddr") == NULL);
    CHECK(dlsym(layer.library, "vkCreateInstance") == NULL);
}

/* --- LLP_LAYER_5: negotiates. The layer's own version is 2; an older loader is refused. */
static void llp_5(void)
{
    VkNegotiateLayerInterface i;

    for (uint32_t version = 0; version < 12; version++) {
        i = (VkNegotiateLayerInterface){.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
                                        .loaderLayerInterfaceVersion = version};
        VkResult result = layer.negotiate(&i);
        if (version < 2) {
            CHECK(result == VK_ERROR_INITIALIZATION_FAILED);
            CHECK(i.pfnGetInstanceProcAddr == NULL);
            continue;
        }
        CHECK(result == VK_SUCCESS);
        CHECK(i.loaderLayerInterfaceVersion == 2);
        CHECK(i.pfnGetInstanceProcAddr == layer.GetInstanceProcAddr);
        CHECK(i.pfnGetDeviceProcAddr == layer.GetDeviceProcAddr);
        CHECK(i.pfnGetPhysicalDeviceProcAddr == layer.GetPhysicalDeviceProcAddr);
        CHECK(i.pNext == NULL && i.sType == LAYER_NEGOTIATE_INTERFACE_STRUCT);
    }
    i = (VkNegotiateLayerInterface){.sType = LAYER_NEGOTIATE_UNINTIALIZED,
                                    .loaderLayerInterfaceVersion = 2};
    CHECK(layer.negotiate(&i) == VK_ERROR_INITIALIZATION_FAILED);
    CHECK(layer.negotiate(NULL) == VK_ERROR_INITIALIZATION_FAILED);
    CHECK(fake.call_count == 0);
}

/* --- LLP_LAYER_10, 19: nothing is wrapped and nothing dispatchable is made: every handle that the
 * program gets is the driver's. */
static void llp_10_19(void)
{
    VkInstance instance = fake_simple_instance(VK_API_VERSION_1_3);
    VkPhysicalDevice gpu = fake_first_gpu(instance);
    struct fake_instance *in_driver = (struct fake_instance *)instance;
    VkQueue queue = NULL;
    VkDeviceMemory memory = VK_NULL_HANDLE;

    CHECK(in_driver->alive);
    CHECK(gpu == (VkPhysicalDevice)&in_driver->gpus[0]);
    VkDevice device = fake_simple_device(instance, gpu);
    struct fake_device *device_in_driver = (struct fake_device *)device;
    CHECK(device_in_driver->alive && device_in_driver->gpu == &in_driver->gpus[0]);
    PFN_vkGetDeviceQueue get_queue =
        (PFN_vkGetDeviceQueue)layer.GetDeviceProcAddr(device, "vkGetDeviceQueue");
    get_queue(device, 0, 0, &queue);
    CHECK(queue == (VkQueue)&device_in_driver->queue);
    PFN_vkAllocateMemory allocate =
        (PFN_vkAllocateMemory)layer.GetDeviceProcAddr(device, "vkAllocateMemory");
    PFN_vkFreeMemory release = (PFN_vkFreeMemory)layer.GetDeviceProcAddr(device, "vkFreeMemory");
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = 4096,
                                 .memoryTypeIndex = 1};
    CHECK(allocate(device, &info, NULL, &memory) == VK_SUCCESS);
    struct fake_object *object = (struct fake_object *)(uintptr_t)memory;
    CHECK(object->kind == FAKE_MEMORY && object->size_bytes == 4096);
    release(device, memory, NULL);
    CHECK(object->kind == FAKE_FREE);
    fake_destroy_device(device);
    fake_destroy_instance(instance);
}

/* --- What arrives at the driver when the layer passes a create info on. */

static struct {
    unsigned calls;
    const void *allocator;
    void *handle_before; /* what *pInstance or *pDevice held */
    bool link_advanced;
    unsigned unknown_seen;
    const char *first_extension;
    uint32_t extension_count;
    uint32_t api_version;
    const char *application;
} seen;

static struct unknown unknown = {.sType = UNKNOWN_STYPE, .payload = {1, 2, 3}};

static void look_at_chain(const void *chain)
{
    for (const VkBaseInStructure *s = chain; s != NULL; s = s->pNext)
        if (s->sType == UNKNOWN_STYPE) {
            /* Its size is unknown too: only the program's own can be meant. */
            CHECK((const void *)s == (const void *)&unknown);
            seen.unknown_seen++;
        }
}

static void on_create_instance(const VkInstanceCreateInfo *info,
                               const VkAllocationCallbacks *allocator, VkInstance *instance)
{
    const VkLayerInstanceCreateInfo *link = info->pNext;
    while (link != NULL && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                            link->function != VK_LAYER_LINK_INFO))
        link = link->pNext;
    CHECK(link != NULL);
    seen.calls++;
    seen.link_advanced = link->u.pLayerInfo == fake_instance_link(1);
    seen.allocator = allocator;
    seen.handle_before = *instance;
    seen.extension_count = info->enabledExtensionCount;
    seen.first_extension =
        info->enabledExtensionCount > 0 ? info->ppEnabledExtensionNames[0] : NULL;
    seen.api_version = info->pApplicationInfo != NULL ? info->pApplicationInfo->apiVersion : 0;
    seen.application =
        info->pApplicationInfo != NULL ? info->pApplicationInfo->pApplicationName : NULL;
    look_at_chain(info->pNext);
}

static void on_create_device(const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                             VkDevice *device)
{
    const VkLayerDeviceCreateInfo *link = info->pNext;
    while (link != NULL && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
                            link->function != VK_LAYER_LINK_INFO))
        link = link->pNext;
    CHECK(link != NULL);
    seen.calls++;
    seen.link_advanced = link->u.pLayerInfo == fake_device_link(1);
    seen.allocator = allocator;
    seen.handle_before = *device;
    seen.extension_count = info->enabledExtensionCount;
    seen.first_extension =
        info->enabledExtensionCount > 0 ? info->ppEnabledExtensionNames[0] : NULL;
    look_at_chain(info->pNext);
}

static void watch(void)
{
    memset(&seen, 0, sizeof seen);
    fake.on_create_instance = on_create_instance;
    fake.on_create_device = on_create_device;
}

/* Memory callbacks that are never to be called by anything but a layer that means it. */
static void *VKAPI_CALL program_allocate(void *user, size_t size, size_t alignment,
                                         VkSystemAllocationScope scope)
{
    (void)user, (void)alignment, (void)scope;
    return malloc(size);
}
static void *VKAPI_CALL program_reallocate(void *user, void *block, size_t size, size_t alignment,
                                           VkSystemAllocationScope scope)
{
    (void)user, (void)alignment, (void)scope;
    return realloc(block, size);
}
static void VKAPI_CALL program_free(void *user, void *block)
{
    (void)user;
    free(block);
}
static const VkAllocationCallbacks callbacks = {.pfnAllocation = program_allocate,
                                                .pfnReallocation = program_reallocate,
                                                .pfnFree = program_free};

static VkInstance watched_instance(const VkAllocationCallbacks *allocator, VkInstance in_handle)
{
    static const char *const extensions[] = {"VK_SPILLWAY_below_only", "VK_KHR_surface"};
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .pApplicationName = "program",
                             .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = &unknown,
                                 .pApplicationInfo = &app,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = extensions};
    VkApplicationInfo app_before = app;
    VkInstance instance = in_handle;
    watch();
    CHECK(fake_create_instance(&info, allocator, &instance) == VK_SUCCESS);
    /* The program's own structs are as they were. (fake_create_instance looks at its copies.) */
    CHECK(memcmp(&app, &app_before, sizeof app) == 0);
    CHECK(strcmp(extensions[0], "VK_SPILLWAY_below_only") == 0);
    CHECK(unknown.sType == UNKNOWN_STYPE && unknown.pNext == NULL && unknown.payload[2] == 3);
    CHECK(seen.calls == 1 && seen.unknown_seen == 1);
    return instance;
}

/* --- LLP_LAYER_12: the link of vkCreateInstance is advanced for whoever comes next. */
static void llp_12(void)
{
    VkInstance instance = watched_instance(NULL, NULL);
    CHECK(seen.link_advanced);
    CHECK(fake_count_calls("vkCreateInstance") == 1);
    fake_destroy_instance(instance);

    /* Without a link, that is without a loader: refused, not crashed. */
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance none = NULL;
    PFN_vkCreateInstance create = INSTANCE_COMMAND(NULL, vkCreateInstance);
    CHECK(create(&info, NULL, &none) == VK_ERROR_INITIALIZATION_FAILED);
    CHECK(none == NULL);
}

static VkDevice watched_device(VkInstance instance, const VkAllocationCallbacks *allocator,
                               VkDevice in_handle)
{
    static const char *const extensions[] = {"VK_SPILLWAY_below_only"};
    static const float priority = 0.5f;
    VkPhysicalDeviceVulkan12Features features12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &unknown,
        .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &features12};
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = extensions};
    VkPhysicalDeviceVulkan12Features features12_before = features12;
    VkPhysicalDeviceFeatures2 features_before = features;
    VkDeviceQueueCreateInfo queue_before = queue;
    VkDevice device = in_handle;

    fake.config.device_extensions = extensions;
    fake.config.device_extension_count = 1;
    watch();
    CHECK(fake_create_device(instance, fake_first_gpu(instance), &info, allocator, &device) ==
          VK_SUCCESS);
    CHECK(memcmp(&features12, &features12_before, sizeof features12) == 0);
    CHECK(memcmp(&features, &features_before, sizeof features) == 0);
    CHECK(memcmp(&queue, &queue_before, sizeof queue) == 0);
    CHECK(seen.calls == 1 && seen.unknown_seen == 1);
    return device;
}

/* --- LLP_LAYER_13: the same for vkCreateDevice. */
static void llp_13(void)
{
    VkInstance instance = fake_simple_instance(VK_API_VERSION_1_3);
    VkDevice device = watched_device(instance, NULL, NULL);
    CHECK(seen.link_advanced);
    CHECK(fake_count_calls("vkCreateDevice") == 1);
    fake_destroy_device(device);

    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    VkDevice none = NULL;
    PFN_vkCreateDevice create = INSTANCE_COMMAND(instance, vkCreateDevice);
    CHECK(create(fake_first_gpu(instance), &info, NULL, &none) == VK_ERROR_INITIALIZATION_FAILED);
    CHECK(none == NULL);
    fake_destroy_instance(instance);
}

/* --- LLP_LAYER_14: the program's allocator reaches whoever has to use it. */
static void llp_14(void)
{
    VkInstance instance = watched_instance(&callbacks, NULL);
    CHECK(seen.allocator == &callbacks);
    VkDevice device = watched_device(instance, &callbacks, NULL);
    CHECK(seen.allocator == &callbacks);
    ((PFN_vkDestroyDevice)layer.GetDeviceProcAddr(device, "vkDestroyDevice"))(device, &callbacks);
    INSTANCE_COMMAND(instance, vkDestroyInstance)(instance, &callbacks);
}

/* --- LLP_LAYER_15: instance extensions: its own when asked by name, and nobody else's. */
static void llp_15(void)
{
    uint32_t count = 99;
    VkExtensionProperties p[4];
    PFN_vkEnumerateInstanceExtensionProperties enumerate =
        INSTANCE_COMMAND(NULL, vkEnumerateInstanceExtensionProperties);
    CHECK(enumerate(SPILLWAY_LAYER, &count, NULL) == VK_SUCCESS && count == 0);
    count = 4;
    CHECK(enumerate(SPILLWAY_LAYER, &count, p) == VK_SUCCESS && count == 0);
    CHECK(enumerate(NULL, &count, NULL) == VK_ERROR_LAYER_NOT_PRESENT);
    CHECK(enumerate("VK_LAYER_KHRONOS_validation", &count, NULL) == VK_ERROR_LAYER_NOT_PRESENT);
    CHECK(enumerate("", &count, NULL) == VK_ERROR_LAYER_NOT_PRESENT);

    /* And vkEnumerateInstanceLayerProperties "must enumerate and only enumerate the layer itself".
     */
    VkLayerProperties layers[4];
    PFN_vkEnumerateInstanceLayerProperties list =
        INSTANCE_COMMAND(NULL, vkEnumerateInstanceLayerProperties);
    CHECK(list(&count, NULL) == VK_SUCCESS && count == 1);
    count = 4;
    CHECK(list(&count, layers) == VK_SUCCESS && count == 1);
    count = 0;
    CHECK(list(&count, layers) == VK_INCOMPLETE && count == 0);
    CHECK(fake.call_count == 0);
}

/* --- LLP_LAYER_16: device extensions: its own when asked by name, all else goes down as it is. */
static void llp_16(void)
{
    static const char *const extensions[] = {"VK_KHR_one", "VK_KHR_two", "VK_EXT_memory_budget"};
    VkInstance instance = fake_simple_instance(VK_API_VERSION_1_3);
    VkPhysicalDevice gpu = fake_first_gpu(instance);
    PFN_vkEnumerateDeviceExtensionProperties enumerate =
        INSTANCE_COMMAND(instance, vkEnumerateDeviceExtensionProperties);
    VkExtensionProperties p[4];
    uint32_t count = 99;

    fake.config.device_extensions = extensions;
    fake.config.device_extension_count = 3;
    uint32_t before = fake.call_count;
    CHECK(enumerate(gpu, SPILLWAY_LAYER, &count, NULL) == VK_SUCCESS && count == 0);
    CHECK(fake.call_count == before);
    CHECK(enumerate(gpu, NULL, &count, NULL) == VK_SUCCESS && count == 3);
    count = 2;
    CHECK(enumerate(gpu, NULL, &count, p) == VK_INCOMPLETE && count == 2);
    count = 4;
    CHECK(enumerate(gpu, NULL, &count, p) == VK_SUCCESS && count == 3);
    for (unsigned i = 0; i < 3; i++)
        CHECK(strcmp(p[i].extensionName, extensions[i]) == 0);
    fake_destroy_instance(instance);
}

/* --- LLP_LAYER_17: extensions that the layer does not know are the next one's business. */
static void llp_17(void)
{
    VkInstance instance = watched_instance(NULL, NULL);
    CHECK(seen.extension_count >= 2);
    CHECK(strcmp(seen.first_extension, "VK_SPILLWAY_below_only") == 0);
    CHECK(seen.api_version >= VK_API_VERSION_1_2 && strcmp(seen.application, "program") == 0);
    VkDevice device = watched_device(instance, NULL, NULL);
    CHECK(seen.extension_count >= 1);
    CHECK(strcmp(seen.first_extension, "VK_SPILLWAY_below_only") == 0);
    fake_destroy_device(device);
    fake_destroy_instance(instance);
}

/* --- LLP_LAYER_18: addresses. Hooks of device commands have one exactly where the driver has one,
 * under that very name; what is not hooked gets the driver's answer. */

static bool is_device_level(const struct registry_command *c)
{
    return strcmp(c->level, "device") == 0 || strcmp(c->level, "newer") == 0;
}

/* The layer's part of the chain: it answers whatever the driver has. */
static bool is_chain(const char *canonical)
{
    static const char *const chain[] = {"vkGetInstanceProcAddr",
                                        "vkGetDeviceProcAddr",
                                        "vkCreateInstance",
                                        "vkDestroyInstance",
                                        "vkCreateDevice",
                                        "vkDestroyDevice",
                                        "vkEnumerateInstanceLayerProperties",
                                        "vkEnumerateInstanceExtensionProperties",
                                        "vkEnumerateDeviceLayerProperties",
                                        "vkEnumerateDeviceExtensionProperties",
                                        "vkGetPhysicalDeviceToolProperties"};
    for (unsigned i = 0; i < COUNT(chain); i++)
        if (strcmp(chain[i], canonical) == 0)
            return true;
    return false;
}

static void check_device_address(VkDevice device, const struct registry_command *c)
{
    PFN_vkVoidFunction below = fake_GetDeviceProcAddr(device, c->name);
    PFN_vkVoidFunction address = layer.GetDeviceProcAddr(device, c->name);
    if (!is_device_level(c) || !c->hooked)
        CHECK(address == below);
    else
        CHECK(below != NULL || is_chain(c->canonical) ? fake_is_layers(address) : address == NULL);
}

static void check_instance_address(VkInstance instance, const struct registry_command *c)
{
    PFN_vkVoidFunction below = fake_GetInstanceProcAddr(instance, c->name);
    PFN_vkVoidFunction address = layer.GetInstanceProcAddr(instance, c->name);
    if (!c->hooked)
        CHECK(address == below);
    else
        CHECK(below != NULL || is_chain(c->canonical) ? fake_is_layers(address) : address == NULL);
}

static void check_addresses(uint32_t api_version, bool everything)
{
    fake_reset();
    fake.config.everything = everything;
    VkInstance instance = fake_simple_instance(api_version);
    VkDevice device = fake_simple_device(instance, fake_first_gpu(instance));
    for (unsigned i = 0; i < COUNT(registry_commands); i++) {
        check_device_address(device, &registry_commands[i]);
        check_instance_address(instance, &registry_commands[i]);
    }
    CHECK(layer.GetDeviceProcAddr(device, "vkNoSuchCommand") == NULL);
    CHECK(layer.GetDeviceProcAddr(device, "") == NULL);
    CHECK(layer.GetInstanceProcAddr(instance, "vkNoSuchCommand") == NULL);
    CHECK(layer.GetInstanceProcAddr(instance, "") == NULL);
    fake_destroy_device(device);
    fake_destroy_instance(instance);
}

static void llp_18(void)
{
    static const char *const of_loader[] = {
        "vkCreateInstance", "vkEnumerateInstanceExtensionProperties",
        "vkEnumerateInstanceLayerProperties", "vkGetInstanceProcAddr", "vkCreateDevice"};
    for (uint32_t minor = 0; minor <= 3; minor++)
        check_addresses(VK_MAKE_API_VERSION(0, 1, minor, 0), false);
    check_addresses(VK_API_VERSION_1_3, true);

    /* Without an instance: what a loader, or an old layer above, asks for; nothing else. */
    for (unsigned i = 0; i < COUNT(of_loader); i++)
        CHECK(fake_is_layers(layer.GetInstanceProcAddr(NULL, of_loader[i])));
    CHECK(layer.GetInstanceProcAddr(NULL, "vkAllocateMemory") == NULL);
    CHECK(layer.GetInstanceProcAddr(NULL, "vkGetPhysicalDeviceMemoryProperties") == NULL);
    CHECK(layer.GetInstanceProcAddr(NULL, "vkNoSuchCommand") == NULL);
    /* "should, when querying for vkCreateInstance, return a valid function pointer regardless of …
     * instance" */
    static const void *table = &table;
    CHECK(fake_is_layers(layer.GetInstanceProcAddr((VkInstance)&table, "vkCreateInstance")));
}

/* vk_layerGetPhysicalDeviceProcAddr: hooks on physical devices, NULL for other commands that we
 * know, and the next one's answer for what we do not. */
static void llp_physical_device_addresses(void)
{
    CHECK(layer.GetPhysicalDeviceProcAddr != NULL);
    fake.config.everything = true;
    VkInstance instance = fake_simple_instance(VK_API_VERSION_1_3);
    for (unsigned i = 0; i < COUNT(registry_commands); i++) {
        const struct registry_command *c = &registry_commands[i];
        PFN_vkVoidFunction address = layer.GetPhysicalDeviceProcAddr(instance, c->name);
        if (c->hooked && strcmp(c->level, "physical") == 0)
            CHECK(fake_is_layers(address));
        else if (c->hooked)
            CHECK(address == NULL);
        else
            CHECK(address == fake_GetInstanceProcAddr(instance, c->name));
    }
    CHECK(layer.GetPhysicalDeviceProcAddr(instance, "vkNoSuchCommand") == NULL);
    fake_destroy_instance(instance);
}

/* --- LLP_LAYER_21, 22: what the loader left in *pInstance and *pDevice is there when its
 * terminator looks. */
static void llp_21_22(void)
{
    static const void *loaders[2] = {&loaders[0], &loaders[1]};
    VkInstance instance = watched_instance(NULL, (VkInstance)&loaders[0]);
    CHECK(seen.handle_before == (void *)&loaders[0]);
    VkDevice device = watched_device(instance, NULL, (VkDevice)&loaders[1]);
    CHECK(seen.handle_before == (void *)&loaders[1]);
    fake_destroy_device(device);
    fake_destroy_instance(instance);
}

/* --- LLP_LAYER_1, 2, as far as this goes: programs of Vulkan 1.0 that give no VkApplicationInfo.
 */
static void llp_2_without_application_info(void)
{
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance = NULL;

    watch();
    CHECK(fake_create_instance(&info, NULL, &instance) == VK_SUCCESS);
    CHECK(info.pApplicationInfo == NULL && info.enabledExtensionCount == 0);
    VkDevice device = fake_simple_device(instance, fake_first_gpu(instance));
    CHECK(layer.GetDeviceProcAddr(device, "vkGetBufferMemoryRequirements2") == NULL);
    fake_destroy_device(device);
    fake_destroy_instance(instance);
    /* A driver that has nothing beyond Vulkan 1.0 either. */
    fake.config.api_version = VK_API_VERSION_1_0;
    CHECK(fake_create_instance(&info, NULL, &instance) == VK_SUCCESS);
    device = fake_simple_device(instance, fake_first_gpu(instance));
    PFN_vkDestroyDevice destroy_device =
        (PFN_vkDestroyDevice)layer.GetDeviceProcAddr(device, "vkDestroyDevice");
    PFN_vkDestroyInstance destroy_instance = INSTANCE_COMMAND(instance, vkDestroyInstance);
    fake_destroy_device(device);
    fake_destroy_instance(instance);
    /* "If device is not VK_NULL_HANDLE …": nothing is a valid thing to destroy. */
    destroy_device(NULL, NULL);
    destroy_instance(NULL, NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} rules[] = {
    {"LLP_LAYER_2", llp_2_without_application_info},
    {"LLP_LAYER_3", llp_3},
    {"LLP_LAYER_4", llp_4},
    {"LLP_LAYER_5", llp_5},
    {"LLP_LAYER_10", llp_10_19},
    {"LLP_LAYER_12", llp_12},
    {"LLP_LAYER_13", llp_13},
    {"LLP_LAYER_14", llp_14},
    {"LLP_LAYER_15", llp_15},
    {"LLP_LAYER_16", llp_16},
    {"LLP_LAYER_17", llp_17},
    {"LLP_LAYER_18", llp_18},
    {"LLP_LAYER_18_physical", llp_physical_device_addresses},
    {"LLP_LAYER_21", llp_21_22},
};

int main(int argc, char **argv)
{
    unsigned ran = 0;

    if (argc < 2)
        return 1;
    fake_open_layer(argv[1]);
    for (unsigned i = 0; i < COUNT(rules); i++) {
        if (argc > 2 && strcmp(argv[2], rules[i].name) != 0)
            continue;
        fake.test = rules[i].name;
        fake_reset();
        rules[i].run();
        fake_check_clean();
        printf("%s\n", rules[i].name);
        ran++;
    }
    return ran > 0 ? 0 : 1;
}
