/* SPDX-License-Identifier: MIT
 *
 * Physical devices: see physical_device.h. The sizes are resolved from the settings here, once,
 * since the program may cache what it is told. */
#include "physical_device.h"

#include "budget.h"
#include "host_alloc.h"
#include "instance_settings.h"
#include "log.h"
#include "meminfo.h"
#include "stats_json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

_Static_assert(SPW_MAX_HEAPS == VK_MAX_MEMORY_HEAPS && SPW_MAX_TYPES == VK_MAX_MEMORY_TYPES,
               "the core's limits are Vulkan's");
_Static_assert((int)SPW_MEMORY_DEVICE_LOCAL == VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT &&
                   (int)SPW_MEMORY_HOST_VISIBLE == VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT &&
                   (int)SPW_MEMORY_HOST_COHERENT == VK_MEMORY_PROPERTY_HOST_COHERENT_BIT &&
                   (int)SPW_MEMORY_HOST_CACHED == VK_MEMORY_PROPERTY_HOST_CACHED_BIT &&
                   (int)SPW_MEMORY_LAZILY_ALLOCATED == VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT &&
                   (int)SPW_MEMORY_PROTECTED == VK_MEMORY_PROPERTY_PROTECTED_BIT &&
                   (int)SPW_MEMORY_DEVICE_COHERENT_AMD ==
                       VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD &&
                   (int)SPW_MEMORY_DEVICE_UNCACHED_AMD ==
                       VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD,
               "the core's property bits are Vulkan's");

static void read_layout(struct spw_memory_layout *layout, const VkPhysicalDeviceMemoryProperties *p)
{
    *layout = (struct spw_memory_layout){.main_heap = UINT32_MAX, .host_heap = UINT32_MAX};
    layout->heap_count = p->memoryHeapCount < SPW_MAX_HEAPS ? p->memoryHeapCount : SPW_MAX_HEAPS;
    layout->type_count = p->memoryTypeCount < SPW_MAX_TYPES ? p->memoryTypeCount : SPW_MAX_TYPES;
    for (uint32_t h = 0; h < layout->heap_count; h++) {
        bool device_local = p->memoryHeaps[h].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        layout->heaps[h] = (struct spw_memory_heap){p->memoryHeaps[h].size, device_local};
        uint32_t *largest = device_local ? &layout->main_heap : &layout->host_heap;
        if (*largest == UINT32_MAX ||
            layout->heaps[h].size_bytes > layout->heaps[*largest].size_bytes)
            *largest = h;
    }
    for (uint32_t t = 0; t < layout->type_count; t++)
        layout->types[t] =
            (struct spw_memory_type){p->memoryTypes[t].propertyFlags, p->memoryTypes[t].heapIndex};
}

static bool has_extension(struct spw_instance *instance, VkPhysicalDevice handle, const char *name)
{
    /* The list may grow between the two calls (VK_INCOMPLETE): the names that fit are good enough.
     */
    uint32_t count = 0;
    if (instance->next.EnumerateDeviceExtensionProperties(handle, NULL, &count, NULL) < 0 ||
        count == 0)
        return false;
    VkExtensionProperties *list = spw_calloc(count, sizeof(*list));
    if (!list)
        return false;
    bool found = false;
    if (instance->next.EnumerateDeviceExtensionProperties(handle, NULL, &count, list) >= 0)
        for (uint32_t i = 0; i < count && !found; i++)
            found = strcmp(list[i].extensionName, name) == 0;
    spw_free(list);
    return found;
}

/* The best mode that is allowed and possible, and why. */
static void choose_mode(struct spw_physical_device *p)
{
    const struct spw_settings *settings = &p->effective.settings;
    const struct spw_memory_layout *layout = &p->account.layout;
    p->mode = SPW_MODE_PASSTHROUGH;
    if (p->instance->disabled)
        snprintf(p->reason, sizeof(p->reason), "SPILLWAY_DISABLE is set");
    else if (!settings->enabled)
        snprintf(p->reason, sizeof(p->reason), "the setting 'enabled' is false");
    else if (settings->mode == SPW_MODE_PASSTHROUGH)
        snprintf(p->reason, sizeof(p->reason), "the setting 'mode' is passthrough");
    else if (layout->main_heap == UINT32_MAX)
        snprintf(p->reason, sizeof(p->reason), "the device has no device-local heap");
    else if (layout->host_heap == UINT32_MAX) {
        p->unified = true;
        snprintf(p->reason, sizeof(p->reason),
                 "unified memory: every heap is device-local, there is nowhere to overflow to");
    } else {
        p->mode = SPW_MODE_REDIRECT;
        snprintf(p->reason, sizeof(p->reason),
                 "memory is placed at allocation; this version does not move it afterwards");
    }
}

/* Sizes of model and settings in bytes. Without a readable MemAvailable nothing can be promised. */
static void resolve_sizes(struct spw_physical_device *p, struct spw_account_config *config,
                          uint64_t host_heap_budget)
{
    const struct spw_settings *s = &p->effective.settings;
    const struct spw_memory_layout *layout = &p->account.layout;
    struct spw_meminfo memory = {0};
    if (spw_meminfo_read(&memory) != SPW_OK)
        spw_log(SPW_LOG_WARN, "cannot read MemAvailable (/proc/meminfo): nothing overflows on '%s'",
                p->name);
    p->host_floor = spw_size_resolve(s->host_floor, memory.total_bytes,
                                     spw_budget_default_host_floor(memory.total_bytes));
    config->host_limit = spw_size_resolve(s->host_limit, memory.total_bytes, UINT64_MAX);

    for (uint32_t h = 0; h < layout->heap_count; h++) {
        uint64_t size = layout->heaps[h].size_bytes;
        config->limit[h] = size;
        p->told_size[h] = size;
        if (!layout->heaps[h].device_local)
            continue;
        if (h == layout->main_heap)
            config->limit[h] = spw_min_u64(size, spw_size_resolve(s->vram_limit, size, size));
        /* The reserve is that of a card as large as the limit: what lies beyond a limit is free
         * anyway. A small second heap (the visible part of VRAM without ReBAR) never gives up more
         * than a tenth. */
        uint64_t usual = spw_budget_default_reserve(config->limit[h]);
        config->reserve[h] = spw_size_resolve(s->reserve, config->limit[h], usual);
        if (h != layout->main_heap)
            config->reserve[h] = spw_min_u64(config->reserve[h], size / 10);
    }
    if (layout->main_heap == UINT32_MAX)
        return;

    uint64_t main_size = layout->heaps[layout->main_heap].size_bytes;
    uint64_t main_limit = config->limit[layout->main_heap];
    uint64_t overflow = spw_budget_overflow(
        spw_size_resolve(s->overflow, memory.total_bytes, memory.total_bytes / 2),
        memory.available_bytes, p->host_floor, spw_min_u64(host_heap_budget, config->host_limit));
    uint64_t virtual_size = spw_add_sat_u64(main_limit, overflow);
    if (s->report.kind == SPW_REPORT_FIXED)
        virtual_size = spw_max_u64(spw_size_resolve(s->report.fixed, main_size, main_size), 1);
    p->told_size[layout->main_heap] =
        s->report.kind == SPW_REPORT_TRUTHFUL ? main_limit : virtual_size;

    config->commit_cap = virtual_size;
    for (uint32_t h = 0; h < layout->heap_count; h++)
        if (layout->heaps[h].device_local && h != layout->main_heap)
            config->commit_cap = spw_add_sat_u64(config->commit_cap, layout->heaps[h].size_bytes);
}

static void ask_budget(struct spw_physical_device *p,
                       VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
    *budget = (VkPhysicalDeviceMemoryBudgetPropertiesEXT){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = budget};
    p->instance->next.GetPhysicalDeviceMemoryProperties2(p->handle, &properties);
}

static void physical_device_free(struct spw_physical_device *p)
{
    spw_effective_finish(&p->effective);
    spw_free(p->settings_json);
    spw_mutex_finish(&p->lock);
    spw_free(p);
}

static struct spw_physical_device *physical_device_create(struct spw_instance *instance,
                                                          VkPhysicalDevice handle)
{
    struct spw_physical_device *p = spw_calloc(1, sizeof(*p));
    if (!p)
        return NULL;
    p->handle = handle;
    p->instance = instance;
    spw_mutex_init(&p->lock, SPW_RANK_DEVICE);

    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    instance->next.GetPhysicalDeviceProperties(handle, &properties);
    instance->next.GetPhysicalDeviceMemoryProperties(handle, &memory);
    snprintf(p->name, sizeof(p->name), "%s", properties.deviceName);
    struct spw_gpu gpu = {properties.vendorID, properties.deviceID, p->name};
    if (spw_instance_settings_resolve(instance, &gpu, &p->effective) != SPW_OK) {
        physical_device_free(p);
        return NULL;
    }
    if (p->effective.settings.stats == SPW_STATS_EXIT)
        p->settings_json = spw_effective_to_json(&p->effective);
    read_layout(&p->account.layout, &memory);
    choose_mode(p);
    p->has_budget = (p->mode != SPW_MODE_PASSTHROUGH || p->unified) &&
                    instance->next.GetPhysicalDeviceMemoryProperties2 &&
                    has_extension(instance, handle, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);

    uint32_t host_heap = p->account.layout.host_heap;
    uint64_t host_heap_budget =
        host_heap == UINT32_MAX ? 0 : p->account.layout.heaps[host_heap].size_bytes;
    if (p->has_budget && host_heap != UINT32_MAX) {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;
        ask_budget(p, &budget);
        host_heap_budget = spw_budget_sane(host_heap_budget, budget.heapBudget[host_heap]);
    }
    struct spw_account_config config = {0};
    resolve_sizes(p, &config, host_heap_budget);
    struct spw_memory_layout layout = p->account.layout;
    spw_account_init(&p->account, &layout, &config);
    return p;
}

static void log_physical_device(const struct spw_physical_device *p)
{
    const struct spw_memory_layout *layout = &p->account.layout;
    if (p->mode == SPW_MODE_PASSTHROUGH) {
        spw_log(SPW_LOG_INFO, "'%s': passthrough: %s", p->name, p->reason);
        return;
    }
    uint32_t h = layout->main_heap;
    spw_log(SPW_LOG_INFO,
            "'%s': %s: heap %u of %llu MiB is told as %llu MiB (limit %llu MiB, reserve %llu MiB, "
            "host floor "
            "%llu MiB)",
            p->name, spw_mode_name(p->mode), h,
            (unsigned long long)(layout->heaps[h].size_bytes / SPW_MIB),
            (unsigned long long)(p->told_size[h] / SPW_MIB),
            (unsigned long long)(p->account.config.limit[h] / SPW_MIB),
            (unsigned long long)(p->account.config.reserve[h] / SPW_MIB),
            (unsigned long long)(p->host_floor / SPW_MIB));
}

struct spw_physical_device *spw_physical_device_get(struct spw_instance *instance,
                                                    VkPhysicalDevice handle)
{
    struct spw_physical_device *p =
        spw_handle_map_find(&instance->physical_devices, SPW_POINTER_KEY(handle));
    if (p)
        return p;
    spw_mutex_lock(&instance->lock);
    p = spw_handle_map_find(&instance->physical_devices, SPW_POINTER_KEY(handle));
    if (!p) {
        p = physical_device_create(instance, handle);
        if (p && spw_handle_map_insert(&instance->physical_devices, SPW_POINTER_KEY(handle), p) !=
                     SPW_OK) {
            physical_device_free(p);
            p = NULL;
        }
        if (p)
            log_physical_device(p);
    }
    spw_mutex_unlock(&instance->lock);
    return p;
}

static void destroy_one(uint64_t key, void *value, void *user)
{
    (void)key;
    (void)user;
    physical_device_free(value);
}

void spw_physical_devices_destroy(struct spw_instance *instance)
{
    spw_handle_map_for_each(&instance->physical_devices, destroy_one, NULL);
    spw_handle_map_finish(&instance->physical_devices);
}

void spw_physical_device_poll(struct spw_physical_device *physical)
{
    if (!physical->has_budget)
        return;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;
    ask_budget(physical, &budget);
    spw_mutex_lock(&physical->lock);
    spw_account_note_poll(&physical->account, budget.heapBudget, budget.heapUsage);
    spw_mutex_unlock(&physical->lock);
}

uint64_t spw_host_room(const struct spw_physical_device *physical)
{
    struct spw_meminfo memory;
    if (spw_meminfo_read(&memory) != SPW_OK)
        return 0;
    return spw_host_promise_room(&spw_process_get()->host_promise, memory.available_bytes,
                                 physical->host_floor);
}

enum spw_result spw_host_take(const struct spw_physical_device *physical, uint64_t size_bytes)
{
    struct spw_meminfo memory;
    if (spw_meminfo_read(&memory) != SPW_OK)
        return SPW_NO_ROOM;
    return spw_host_promise_take(&spw_process_get()->host_promise, size_bytes,
                                 memory.available_bytes, physical->host_floor);
}
