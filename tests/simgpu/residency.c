/* SPDX-License-Identifier: MIT
 *
 * Residency: see residency.h. One sorted list a heap; a few thousand entries at most
 * (SIMGPU_MAX_ALLOCATIONS), so that walking it at every change is nothing. */
#include "residency.h"

static pthread_mutex_t residency_lock = PTHREAD_MUTEX_INITIALIZER;
/* protected by residency_lock */
static struct sim_residency *lists[SIM_MAX_HEAPS]; /* highest priority, then youngest, first */
static struct sim_residency_numbers numbers[SIM_MAX_HEAPS];
static uint64_t clock_now;

static bool pages(const struct sim_card *card, uint32_t heap)
{
    return card->pageable && (card->profile->heaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT);
}

static void apply_rule_locked(struct sim_card *card, uint32_t heap)
{
    uint64_t room = sim_heap_room(&card->heaps[heap]);
    struct sim_residency_numbers *n = &numbers[heap];
    n->evicted = 0;
    for (struct sim_residency *r = lists[heap]; r != NULL; r = r->next) {
        bool evicted = r->size > room;
        if (evicted)
            n->evicted += r->size;
        else
            room -= r->size;
        n->evictions += evicted && !r->evicted;
        r->evicted = evicted;
    }
    if (n->evicted_peak < n->evicted)
        n->evicted_peak = n->evicted;
}

static void insert_locked(struct sim_residency *r)
{
    struct sim_residency **link = &lists[r->heap];
    while (*link != NULL && ((*link)->priority > r->priority ||
                             ((*link)->priority == r->priority && (*link)->age > r->age)))
        link = &(*link)->next;
    r->next = *link;
    *link = r;
}

static void remove_locked(struct sim_residency *r)
{
    struct sim_residency **link = &lists[r->heap];
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
}

uint64_t sim_residency_spill(struct sim_card *card, uint32_t heap)
{
    uint64_t spare = 0;
    if (!pages(card, heap))
        return 0;
    for (uint32_t i = 0; i < card->profile->heap_count; i++) {
        if (card->profile->heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            continue;
        uint64_t used = sim_heap_numbers(&card->heaps[i]).used;
        uint64_t room = sim_heap_room(&card->heaps[i]);
        spare += room > used ? room - used : 0;
    }
    return spare;
}

void sim_residency_enter(struct sim_card *card, struct sim_residency *r, uint32_t heap,
                         uint64_t size, float priority)
{
    if (!pages(card, heap))
        return;
    pthread_mutex_lock(&residency_lock);
    *r = (struct sim_residency){.heap = heap,
                                .size = (size + 4095) & ~(uint64_t)4095,
                                .age = ++clock_now,
                                .priority = priority};
    insert_locked(r);
    apply_rule_locked(card, heap);
    pthread_mutex_unlock(&residency_lock);
}

void sim_residency_leave(struct sim_card *card, struct sim_residency *r)
{
    pthread_mutex_lock(&residency_lock);
    if (r->size > 0) {
        remove_locked(r);
        r->size = 0;
        apply_rule_locked(card, r->heap);
    }
    pthread_mutex_unlock(&residency_lock);
}

void sim_residency_set_priority(struct sim_card *card, struct sim_residency *r, float priority)
{
    pthread_mutex_lock(&residency_lock);
    if (r->size > 0) {
        remove_locked(r);
        r->priority = priority;
        insert_locked(r);
        apply_rule_locked(card, r->heap);
    }
    pthread_mutex_unlock(&residency_lock);
}

void sim_residency_update(struct sim_card *card)
{
    pthread_mutex_lock(&residency_lock);
    for (uint32_t i = 0; i < card->profile->heap_count; i++) {
        if (pages(card, i))
            apply_rule_locked(card, i);
    }
    pthread_mutex_unlock(&residency_lock);
}

bool sim_residency_is_evicted(struct sim_residency *r)
{
    pthread_mutex_lock(&residency_lock);
    bool evicted = r->size > 0 && r->evicted;
    pthread_mutex_unlock(&residency_lock);
    return evicted;
}

struct sim_residency_numbers sim_residency_numbers(uint32_t heap)
{
    pthread_mutex_lock(&residency_lock);
    struct sim_residency_numbers n = numbers[heap];
    pthread_mutex_unlock(&residency_lock);
    return n;
}
