/* SPDX-License-Identifier: MIT
 *
 * vkGetPhysicalDeviceMemoryProperties in every form: what the program is told about heaps and
 * budgets. The list of memory types is never touched. All forms are answered from the same figures,
 * so they agree. */
#include "budget.h"
#include "chain.h"
#include "objects.h"
#include "physical_device.h"

/* NULL where the driver's answer stands. */
static struct spw_physical_device *physical_to_adapt(struct spw_instance *instance,
                                                     VkPhysicalDevice physical_device)
{
    struct spw_physical_device *p = spw_physical_device_get(instance, physical_device);
    return p && (p->mode != SPW_MODE_PASSTHROUGH || p->unified) ? p : NULL;
}

static void tell_sizes(const struct spw_physical_device *p,
                       VkPhysicalDeviceMemoryProperties *properties)
{
    if (p->mode == SPW_MODE_PASSTHROUGH)
        return;
    for (uint32_t h = 0; h < p->account.layout.heap_count && h < properties->memoryHeapCount; h++)
        properties->memoryHeaps[h].size = p->told_size[h];
}

static void tell_budgets(struct spw_physical_device *p,
                         VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
    enum spw_told_kind kind =
        p->mode == SPW_MODE_PASSTHROUGH || p->effective.settings.report.kind == SPW_REPORT_TRUTHFUL
            ? SPW_TOLD_TRUTHFUL
            : SPW_TOLD_VIRTUAL;
    spw_mutex_lock(&p->lock);
    const struct spw_account *account = &p->account;
    const struct spw_memory_layout *layout = &account->layout;
    /* The freshest numbers there are: the books may as well have them. */
    spw_account_note_poll(&p->account, budget->heapBudget, budget->heapUsage);
    for (uint32_t h = 0; h < layout->heap_count; h++) {
        struct spw_told_heap heap = {
            .size = layout->heaps[h].size_bytes,
            .limit = account->config.limit[h],
            .reserve = account->config.reserve[h],
            .driver_budget = budget->heapBudget[h],
            .driver_usage = budget->heapUsage[h],
            .redirected_from = account->redirected_from[h],
            .redirected_into = account->redirected_into[h],
            .told_size = p->told_size[h],
            .device_local = layout->heaps[h].device_local,
            .is_main = h == layout->main_heap && p->mode != SPW_MODE_PASSTHROUGH,
        };
        spw_budget_told(&heap, kind, &budget->heapBudget[h], &budget->heapUsage[h]);
    }
    spw_mutex_unlock(&p->lock);
}

VKAPI_ATTR void VKAPI_CALL spw_GetPhysicalDeviceMemoryProperties(
    VkPhysicalDevice physicalDevice, VkPhysicalDeviceMemoryProperties *pMemoryProperties)
{
    struct spw_instance *instance = spw_instance_of(physicalDevice);
    if (!instance)
        return;
    instance->next.GetPhysicalDeviceMemoryProperties(physicalDevice, pMemoryProperties);
    struct spw_physical_device *p = physical_to_adapt(instance, physicalDevice);
    if (p)
        tell_sizes(p, pMemoryProperties);
}

VKAPI_ATTR void VKAPI_CALL spw_GetPhysicalDeviceMemoryProperties2(
    VkPhysicalDevice physicalDevice, VkPhysicalDeviceMemoryProperties2 *pMemoryProperties)
{
    struct spw_instance *instance = spw_instance_of(physicalDevice);
    if (!instance || !instance->next.GetPhysicalDeviceMemoryProperties2)
        return;
    instance->next.GetPhysicalDeviceMemoryProperties2(physicalDevice, pMemoryProperties);
    struct spw_physical_device *p = physical_to_adapt(instance, physicalDevice);
    if (!p)
        return;
    tell_sizes(p, &pMemoryProperties->memoryProperties);
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget = spw_chain_find_out(
        pMemoryProperties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
    /* Where the driver lacks the extension it has filled in nothing, and nothing is what the
     * program gets. */
    if (budget && p->has_budget)
        tell_budgets(p, budget);
}
