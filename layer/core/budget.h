/* SPDX-License-Identifier: MIT
 *
 * Budgets: how much of a heap may be used, and what the program is told about it. Pure functions,
 * all in bytes, any thread, none can fail. "Numbers always sane" is their job: whatever goes in,
 * what comes out is never zero by accident and never wrapped around. */
#pragma once

#include "core_types.h"

/* min(max(256 MiB, 5 %), 10 %) of the heap: left for the desktop's compositor and the driver
 * itself. */
uint64_t spw_budget_default_reserve(uint64_t heap_bytes);

/* max(1 GiB, 10 % of MemTotal): the overflow tiers never take host memory below it. */
uint64_t spw_budget_default_host_floor(uint64_t mem_total_bytes);

/* A heapBudget that can be believed: "must be non-zero … less than or equal to VkMemoryHeap::size"
 * (VkPhysicalDeviceMemoryBudgetPropertiesEXT). Zero and values beyond the heap (wrapped ones are
 * huge) become the heap's size. */
uint64_t spw_budget_sane(uint64_t heap_bytes, uint64_t driver_budget);

/* A heapUsage that can be believed: one beyond the heap's size has wrapped or counts what is not in
 * the heap, and says nothing about room left; `known` (what we placed there ourselves) is used
 * instead. */
uint64_t spw_usage_sane(uint64_t heap_bytes, uint64_t driver_usage, uint64_t known);

/* min(limit, budget) − reserve. */
uint64_t spw_budget_target(uint64_t limit, uint64_t budget, uint64_t reserve);

/* How much beyond VRAM may be promised: min(wanted, available − floor, host heap budget), never
 * negative. */
uint64_t spw_budget_overflow(uint64_t wanted, uint64_t mem_available, uint64_t host_floor,
                             uint64_t host_heap_budget);

/* The elastic budget (report = virtual or a size): `base` until usage comes within 5 % of the
 * figure last told, then growing in sixteenths of what lies between base and virtual. Depends on
 * usage only, so every form of query says the same. base ≤ result ≤ max(base, virtual). */
uint64_t spw_budget_elastic(uint64_t base, uint64_t virtual_size, uint64_t usage);

enum spw_told_kind { SPW_TOLD_VIRTUAL, SPW_TOLD_TRUTHFUL };

/* One heap as the driver has it, with what we moved about. */
struct spw_told_heap {
    uint64_t size, limit, reserve; /* limit = size where there is none */
    uint64_t driver_budget, driver_usage;
    uint64_t redirected_from, redirected_into;
    uint64_t told_size; /* constant: spw_told_size(); with TRUTHFUL min(size, limit) */
    bool device_local, is_main;
};

/* What the program is told: budget ≤ told_size, budget > 0, and usage ≤ budget unless TRUTHFUL,
 * where the driver's own numbers stand. */
void spw_budget_told(const struct spw_told_heap *heap, enum spw_told_kind kind, uint64_t *budget,
                     uint64_t *usage);

#ifdef SPW_CHECK
/* Planted bug: subtracts what is used from the budget without asking whether it is more. */
void spw_budget_plant_wrap(bool on);
#endif
