/* SPDX-License-Identifier: MIT
 *
 * The loader's part of the fake world: see fake_world.h. */
#include "fake_world.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct fake_layer layer;

/* Two links, as if a second layer stood below: the layer under test has to take the first and leave
 * the second. Both lead to the driver. */
static VkLayerInstanceLink instance_links[2];
static VkLayerDeviceLink device_links[2];

static uintptr_t layer_start, layer_end;

static int find_range(struct dl_phdr_info *info, size_t size, void *wanted)
{
    (void)size;
    if (info->dlpi_addr != *(const ElfW(Addr) *)wanted)
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            layer_start = info->dlpi_addr;
            layer_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

void fake_open_layer(const char *path)
{
    struct link_map *map;
    VkNegotiateLayerInterface interface = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
                                           .loaderLayerInterfaceVersion = 2};

    layer.path = path;
    layer.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (layer.library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    CHECK(dlinfo(layer.library, RTLD_DI_LINKMAP, &map) == 0);
    dl_iterate_phdr(find_range, &map->l_addr);
    CHECK(layer_end > layer_start);

    *(void **)&layer.negotiate = dlsym(layer.library, "vkNegotiateLoaderLayerInterfaceVersion");
    CHECK(layer.negotiate != NULL);
    CHECK(layer.negotiate(&interface) == VK_SUCCESS);
    layer.GetInstanceProcAddr = interface.pfnGetInstanceProcAddr;
    layer.GetDeviceProcAddr = interface.pfnGetDeviceProcAddr;
    layer.GetPhysicalDeviceProcAddr = interface.pfnGetPhysicalDeviceProcAddr;
    CHECK(layer.GetInstanceProcAddr != NULL && layer.GetDeviceProcAddr != NULL);
}

bool fake_is_layers(PFN_vkVoidFunction address)
{
    return (uintptr_t)address >= layer_start && (uintptr_t)address < layer_end;
}

static VkResult VKAPI_CALL set_instance_loader_data(VkInstance instance, void *object)
{
    *(const void **)object = ((struct fake_instance *)instance)->dispatch;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL set_device_loader_data(VkDevice device, void *object)
{
    *(const void **)object = ((struct fake_device *)device)->dispatch;
    return VK_SUCCESS;
}

static PFN_vkVoidFunction VKAPI_CALL next_physical(VkInstance instance, const char *name)
{
    return fake_GetInstanceProcAddr(instance, name);
}

const VkLayerInstanceLink *fake_instance_link(unsigned index)
{
    return &instance_links[index];
}

const VkLayerDeviceLink *fake_device_link(unsigned index)
{
    return &device_links[index];
}

VkResult fake_create_instance(const VkInstanceCreateInfo *info,
                              const VkAllocationCallbacks *allocator, VkInstance *instance)
{
    for (unsigned i = 0; i < 2; i++)
        instance_links[i] =
            (VkLayerInstanceLink){.pNext = i == 0 ? &instance_links[1] : NULL,
                                  .pfnNextGetInstanceProcAddr = fake_GetInstanceProcAddr,
                                  .pfnNextGetPhysicalDeviceProcAddr = next_physical};
    VkLayerInstanceCreateInfo callback = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                          .pNext = info->pNext,
                                          .function = VK_LOADER_DATA_CALLBACK,
                                          .u.pfnSetInstanceLoaderData = set_instance_loader_data};
    VkLayerInstanceCreateInfo link = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                      .pNext = &callback,
                                      .function = VK_LAYER_LINK_INFO,
                                      .u.pLayerInfo = &instance_links[0]};
    VkInstanceCreateInfo loaders = *info;
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)layer.GetInstanceProcAddr(NULL, "vkCreateInstance");

    CHECK(create != NULL && fake_is_layers((PFN_vkVoidFunction)create));
    loaders.pNext = &link;
    VkInstanceCreateInfo before = loaders;
    VkResult result = create(&loaders, allocator, instance);
    CHECK(memcmp(&before, &loaders, sizeof before) == 0);
    CHECK(link.pNext == &callback && callback.pNext == info->pNext);
    return result;
}

VkResult fake_create_device(VkInstance instance, VkPhysicalDevice gpu,
                            const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                            VkDevice *device)
{
    for (unsigned i = 0; i < 2; i++)
        device_links[i] =
            (VkLayerDeviceLink){.pNext = i == 0 ? &device_links[1] : NULL,
                                .pfnNextGetInstanceProcAddr = fake_GetInstanceProcAddr,
                                .pfnNextGetDeviceProcAddr = fake_GetDeviceProcAddr};
    VkLayerDeviceCreateInfo callback = {.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                        .pNext = info->pNext,
                                        .function = VK_LOADER_DATA_CALLBACK,
                                        .u.pfnSetDeviceLoaderData = set_device_loader_data};
    VkLayerDeviceCreateInfo link = {.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                    .pNext = &callback,
                                    .function = VK_LAYER_LINK_INFO,
                                    .u.pLayerInfo = &device_links[0]};
    VkDeviceCreateInfo loaders = *info;
    PFN_vkCreateDevice create =
        (PFN_vkCreateDevice)layer.GetInstanceProcAddr(instance, "vkCreateDevice");

    CHECK(create != NULL && fake_is_layers((PFN_vkVoidFunction)create));
    loaders.pNext = &link;
    VkDeviceCreateInfo before = loaders;
    VkResult result = create(gpu, &loaders, allocator, device);
    CHECK(memcmp(&before, &loaders, sizeof before) == 0);
    CHECK(link.pNext == &callback && callback.pNext == info->pNext);
    return result;
}

VkInstance fake_simple_instance(uint32_t api_version)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = api_version};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app};
    VkInstance instance = NULL;
    CHECK(fake_create_instance(&info, NULL, &instance) == VK_SUCCESS);
    CHECK(instance != NULL);
    return instance;
}

VkPhysicalDevice fake_first_gpu(VkInstance instance)
{
    uint32_t count = 1;
    VkPhysicalDevice gpu = NULL;
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)layer.GetInstanceProcAddr(instance,
                                                                  "vkEnumeratePhysicalDevices");
    CHECK(enumerate(instance, &count, &gpu) == VK_INCOMPLETE); /* there are two */
    CHECK(count == 1 && gpu != NULL);
    return gpu;
}

VkDevice fake_simple_device(VkInstance instance, VkPhysicalDevice gpu)
{
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
    VkDevice device = NULL;
    CHECK(fake_create_device(instance, gpu, &info, NULL, &device) == VK_SUCCESS);
    CHECK(device != NULL);
    return device;
}

void fake_destroy_instance(VkInstance instance)
{
    ((PFN_vkDestroyInstance)layer.GetInstanceProcAddr(instance, "vkDestroyInstance"))(instance,
                                                                                      NULL);
}

void fake_destroy_device(VkDevice device)
{
    ((PFN_vkDestroyDevice)layer.GetDeviceProcAddr(device, "vkDestroyDevice"))(device, NULL);
}
