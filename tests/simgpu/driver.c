/* SPDX-License-Identifier: MIT
 *
 * Finds and opens the software driver below. It is spoken to exactly as the loader would:
 * negotiation, then vk_icdGetInstanceProcAddr; nothing about lavapipe is assumed but its file name.
 */
#include "sim.h"

#include <dlfcn.h>
#include <string.h>
#include <vulkan/vk_icd.h>

/* The loader-driver interface simgpu speaks: surfaces are the driver's (3), unknown physical-device
 * commands (4), the driver sees the program's apiVersion (5). 6 and 7 bring nothing that is needed.
 */
#define INTERFACE_VERSION 5

static pthread_once_t driver_once = PTHREAD_ONCE_INIT;
static struct sim_driver the_driver;
static bool driver_usable;

#define MAX_PLACES 5

/* The drivers known by name, the default first. Bare file names come first: the dynamic linker
 * knows its own machine's folders. */
static const struct known_driver {
    const char *name;
    const char *places[MAX_PLACES];
} known_drivers[] = {
    {"lavapipe",
     {"libvulkan_lvp.so", "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so",
      "/usr/lib64/libvulkan_lvp.so", "/usr/lib/libvulkan_lvp.so"}},
    {"swiftshader",
     {"libvk_swiftshader.so", "/usr/lib/chromium/libvk_swiftshader.so",
      "/usr/lib64/chromium-browser/libvk_swiftshader.so",
      "/usr/lib/chromium-browser/libvk_swiftshader.so", "/opt/google/chrome/libvk_swiftshader.so"}},
};

static const struct known_driver *find_known(const char *name)
{
    if (name == NULL || name[0] == '\0')
        return &known_drivers[0];
    for (size_t i = 0; i < sizeof(known_drivers) / sizeof(known_drivers[0]); i++) {
        if (strcmp(name, known_drivers[i].name) == 0)
            return &known_drivers[i];
    }
    return NULL;
}

const char *sim_driver_name(void)
{
    const struct known_driver *known = find_known(sim_card_get()->driver);
    if (known != NULL)
        return known->name;
    /* a path: the library tells */
    for (size_t i = 0; i < sizeof(known_drivers) / sizeof(known_drivers[0]); i++) {
        if (strstr(sim_card_get()->driver, known_drivers[i].places[0]) != NULL)
            return known_drivers[i].name;
    }
    return "other";
}

static void *open_driver(const char *name)
{
    const struct known_driver *known = find_known(name);
    if (known == NULL) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (library == NULL)
            sim_log("cannot open SIMGPU_DRIVER: %s", dlerror());
        return library;
    }
    for (size_t i = 0; i < MAX_PLACES && known->places[i] != NULL; i++) {
        void *library = dlopen(known->places[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (library != NULL)
            return library;
    }
    sim_log("%s is not in the usual places (%s …): set SIMGPU_DRIVER to its path", known->name,
            known->places[0]);
    return NULL;
}

static void init_driver(void)
{
    struct sim_driver *d = &the_driver;
    void *library = open_driver(sim_card_get()->driver);
    if (library == NULL)
        return;
    PFN_vk_icdNegotiateLoaderICDInterfaceVersion negotiate = NULL;
    /* POSIX: the way to store a function's address that ISO C does not warn about. */
    *(void **)&negotiate = dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
    *(void **)&d->get_instance_proc_addr = dlsym(library, "vk_icdGetInstanceProcAddr");
    d->interface_version = INTERFACE_VERSION;
    if (negotiate == NULL || d->get_instance_proc_addr == NULL ||
        negotiate(&d->interface_version) != VK_SUCCESS || d->interface_version < 3) {
        sim_log("the software driver does not speak the loader's interface");
        return;
    }
    d->create_instance = (PFN_vkCreateInstance)d->get_instance_proc_addr(NULL, "vkCreateInstance");
    d->enumerate_extensions = (PFN_vkEnumerateInstanceExtensionProperties)d->get_instance_proc_addr(
        NULL, "vkEnumerateInstanceExtensionProperties");
    d->enumerate_version = (PFN_vkEnumerateInstanceVersion)d->get_instance_proc_addr(
        NULL, "vkEnumerateInstanceVersion");
    driver_usable = d->create_instance != NULL && d->enumerate_extensions != NULL;
}

const struct sim_driver *sim_driver_get(void)
{
    pthread_once(&driver_once, init_driver);
    return driver_usable ? &the_driver : NULL;
}

uint32_t sim_driver_api_version(uint32_t version)
{
    uint32_t known = VK_HEADER_VERSION_COMPLETE;
    if (VK_API_VERSION_MINOR(version) > VK_API_VERSION_MINOR(known))
        return known;
    return version;
}
