/* SPDX-License-Identifier: MIT
 *
 * Looking up the layer's objects: see objects.h. */
#include "objects.h"

#include <pthread.h>

static struct spw_process process;
static pthread_once_t process_once = PTHREAD_ONCE_INIT;

static void process_init(void)
{
    spw_handle_map_init(&process.instances);
    spw_handle_map_init(&process.devices);
    spw_mutex_init(&process.host_promise.lock, SPW_RANK_HOST_PROMISE);
}

struct spw_process *spw_process_get(void)
{
    pthread_once(&process_once, process_init);
    return &process;
}

uint64_t spw_dispatch_key(const void *dispatchable)
{
    return SPW_POINTER_KEY(*(void *const *)dispatchable);
}

struct spw_instance *spw_instance_find(VkInstance instance)
{
    if (instance == VK_NULL_HANDLE)
        return NULL;
    return spw_handle_map_find(&spw_process_get()->instances, spw_dispatch_key(instance));
}

struct spw_instance *spw_instance_of(VkPhysicalDevice physical_device)
{
    if (physical_device == VK_NULL_HANDLE)
        return NULL;
    return spw_handle_map_find(&spw_process_get()->instances, spw_dispatch_key(physical_device));
}

struct spw_device *spw_device_find(VkDevice device)
{
    if (device == VK_NULL_HANDLE)
        return NULL;
    return spw_handle_map_find(&spw_process_get()->devices, spw_dispatch_key(device));
}
