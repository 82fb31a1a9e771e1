/* SPDX-License-Identifier: MIT
 *
 * The books of one physical device: see account.h. */
#include "account.h"

#include "budget.h"

void spw_account_init(struct spw_account *account, const struct spw_memory_layout *layout,
                      const struct spw_account_config *config)
{
    *account = (struct spw_account){.layout = *layout, .config = *config};
}

void spw_account_note_poll(struct spw_account *account, const uint64_t *budget,
                           const uint64_t *usage)
{
    for (uint32_t h = 0; h < account->layout.heap_count; h++) {
        uint64_t size = account->layout.heaps[h].size_bytes;
        account->driver_budget[h] = spw_budget_sane(size, budget[h]);
        account->driver_usage[h] = spw_usage_sane(size, usage[h], account->placed[h]);
        account->placed_at_poll[h] = account->placed[h];
    }
    account->polled = true;
}

uint64_t spw_account_used(const struct spw_account *account, uint32_t heap)
{
    uint64_t placed = account->placed[heap];
    if (!account->polled)
        return placed;
    uint64_t then = account->placed_at_poll[heap];
    uint64_t usage = account->driver_usage[heap];
    uint64_t estimate = placed >= then ? spw_add_sat_u64(usage, placed - then)
                                       : spw_sub_sat_u64(usage, then - placed);
    return spw_max_u64(placed, estimate);
}

static uint64_t budget_of(const struct spw_account *account, uint32_t heap)
{
    return account->polled ? account->driver_budget[heap] : account->layout.heaps[heap].size_bytes;
}

uint64_t spw_account_target(const struct spw_account *account, uint32_t heap)
{
    return spw_budget_target(account->config.limit[heap], budget_of(account, heap),
                             account->config.reserve[heap]);
}

uint64_t spw_account_room_to_target(const struct spw_account *account, uint32_t heap)
{
    return spw_sub_sat_u64(spw_account_target(account, heap), spw_account_used(account, heap));
}

uint64_t spw_account_room_to_limit(const struct spw_account *account, uint32_t heap)
{
    return spw_sub_sat_u64(account->config.limit[heap], spw_account_used(account, heap));
}

uint64_t spw_account_room_to_commit(const struct spw_account *account)
{
    return spw_sub_sat_u64(account->config.commit_cap, account->committed);
}

uint64_t spw_account_room_in_host_tier(const struct spw_account *account)
{
    return spw_sub_sat_u64(account->config.host_limit, account->host_bytes);
}

static void add(uint64_t *sum, uint64_t size_bytes)
{
    *sum = spw_add_sat_u64(*sum, size_bytes);
}

static void take(uint64_t *sum, uint64_t size_bytes)
{
    SPW_CHECK_THAT(*sum >= size_bytes); /* more was taken off than was booked: an error of ours */
    *sum = spw_sub_sat_u64(*sum, size_bytes);
}

static void book(struct spw_account *account, uint32_t asked_type, uint32_t placed_type,
                 uint64_t size_bytes, void (*op)(uint64_t *, uint64_t))
{
    const struct spw_memory_layout *layout = &account->layout;
    uint32_t asked_heap = layout->types[asked_type].heap;
    uint32_t placed_heap = layout->types[placed_type].heap;

    op(&account->placed[placed_heap], size_bytes);
    if (layout->types[asked_type].flags & SPW_MEMORY_DEVICE_LOCAL)
        op(&account->committed, size_bytes);
    if (asked_heap == placed_heap)
        return;
    op(&account->redirected_from[asked_heap], size_bytes);
    op(&account->redirected_into[placed_heap], size_bytes);
    if (!layout->heaps[placed_heap].device_local)
        op(&account->host_bytes, size_bytes);
}

void spw_account_add(struct spw_account *account, uint32_t asked_type, uint32_t placed_type,
                     uint64_t size_bytes)
{
    book(account, asked_type, placed_type, size_bytes, add);
    SPW_CHECK_THAT(spw_account_is_valid(account));
}

void spw_account_remove(struct spw_account *account, uint32_t asked_type, uint32_t placed_type,
                        uint64_t size_bytes)
{
    book(account, asked_type, placed_type, size_bytes, take);
    SPW_CHECK_THAT(spw_account_is_valid(account));
}

bool spw_account_is_valid(const struct spw_account *account)
{
    uint64_t from = 0, into = 0, host = 0;
    for (uint32_t h = 0; h < account->layout.heap_count; h++) {
        from = spw_add_sat_u64(from, account->redirected_from[h]);
        into = spw_add_sat_u64(into, account->redirected_into[h]);
        if (!account->layout.heaps[h].device_local)
            host = spw_add_sat_u64(host, account->redirected_into[h]);
        if (account->redirected_into[h] > account->placed[h])
            return false;
    }
    return from == into && host == account->host_bytes && account->host_bytes <= account->committed;
}
