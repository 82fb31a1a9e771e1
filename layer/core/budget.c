/* SPDX-License-Identifier: MIT
 *
 * Budgets: see budget.h. The formulas are those of layer/README.md, "Accounting". */
#include "budget.h"

/* Steps in which the elastic budget grows from the real one to the virtual size: few enough that a
 * program that polls once a frame gets there, small enough that one that streams to the budget
 * overshoots by 1/16. */
#define ELASTIC_STEPS 16

/* "Comes within 5 %" of the budget: usage ≥ budget − budget / 20. */
#define ELASTIC_MARGIN 20

#ifdef SPW_CHECK
static bool planted_wrap;

void spw_budget_plant_wrap(bool on)
{
    planted_wrap = on;
}
#endif

uint64_t spw_budget_default_reserve(uint64_t heap_bytes)
{
    return spw_min_u64(spw_max_u64(256 * SPW_MIB, heap_bytes / 20), heap_bytes / 10);
}

uint64_t spw_budget_default_host_floor(uint64_t mem_total_bytes)
{
    return spw_max_u64(SPW_GIB, mem_total_bytes / 10);
}

uint64_t spw_budget_sane(uint64_t heap_bytes, uint64_t driver_budget)
{
    return driver_budget == 0 || driver_budget > heap_bytes ? heap_bytes : driver_budget;
}

uint64_t spw_usage_sane(uint64_t heap_bytes, uint64_t driver_usage, uint64_t known)
{
    return driver_usage > heap_bytes ? spw_min_u64(known, heap_bytes) : driver_usage;
}

uint64_t spw_budget_target(uint64_t limit, uint64_t budget, uint64_t reserve)
{
    return spw_sub_sat_u64(spw_min_u64(limit, budget), reserve);
}

uint64_t spw_budget_overflow(uint64_t wanted, uint64_t mem_available, uint64_t host_floor,
                             uint64_t host_heap_budget)
{
    return spw_min_u64(wanted,
                       spw_min_u64(spw_sub_sat_u64(mem_available, host_floor), host_heap_budget));
}

uint64_t spw_budget_elastic(uint64_t base, uint64_t virtual_size, uint64_t usage)
{
    if (virtual_size <= base)
        return base;
    uint64_t step = spw_max_u64((virtual_size - base) / ELASTIC_STEPS, 1);
    uint64_t budget = base;
    while (budget < virtual_size && usage >= budget - budget / ELASTIC_MARGIN)
        budget = spw_min_u64(spw_add_sat_u64(budget, step), virtual_size);
    return budget;
}

void spw_budget_told(const struct spw_told_heap *heap, enum spw_told_kind kind, uint64_t *budget,
                     uint64_t *usage)
{
    uint64_t real_budget = spw_budget_sane(heap->size, heap->driver_budget);
    uint64_t real_usage = spw_usage_sane(heap->size, heap->driver_usage, heap->redirected_into);
    uint64_t target = spw_budget_target(heap->limit, real_budget, heap->reserve);
    /* A reserve or a limit that leaves nothing is a setting, but a budget of zero is read as
     * "unknown" or divided by: tell the smallest figure that is still a number. */
    uint64_t base = heap->is_main ? spw_max_u64(target, 1) : real_budget;

    if (kind == SPW_TOLD_TRUTHFUL) {
        *budget = spw_min_u64(base, heap->told_size);
        *usage = real_usage;
        return;
    }

    /* What the program asked of this heap: without what others' requests brought here, with what of
     * its own requests went elsewhere. */
    uint64_t asked =
        spw_add_sat_u64(spw_sub_sat_u64(real_usage, heap->redirected_into), heap->redirected_from);
    if (heap->is_main)
        *budget = spw_budget_elastic(spw_min_u64(base, heap->told_size), heap->told_size, asked);
    else if (heap->device_local)
        *budget = real_budget;
    else /* what the host tier holds is not the program's to use any more */
        *budget = spw_max_u64(spw_sub_sat_u64(real_budget, heap->redirected_into), 1);
    *budget = spw_min_u64(*budget, heap->told_size);
    *usage = spw_min_u64(asked, *budget);
#ifdef SPW_CHECK
    if (planted_wrap)
        *budget = target - 2 * asked;
#endif
}
