/* SPDX-License-Identifier: MIT
 *
 * The page-access oracle: see oracle.h. This file has the ranges and the signal handler's part;
 * oracle_report.c writes what was seen.
 *
 * The handler finds ranges in a fixed table with atomics, without locks. Reader and writer of one
 * page may fault at once, on two threads: each sets its bit first, then opens the page for all bits
 * that are set, and looks again whether there are more by then. So whoever comes last opens it for
 * both. */
#include "oracle_private.h"

#include "fault.h"
#include "memory.h"
#include "region.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

/* Allocations and sparse resources watched at once. */
#define MAX_RANGES 131072u
/* Mappings left for everything but the oracle: a tenth of the kernel's default, many times what a
 * program with a software driver has. */
#define SPARE_MAPPINGS     6553u
#define DEFAULT_MAPPINGS   65530u /* vm.max_map_count of the kernel, where it cannot be read */
#define FINE_GRANULARITY   SIM_PAGE
#define COARSE_GRANULARITY SIM_GRANULE

struct watched {
    _Atomic uintptr_t base; /* 0: free; published with release after end and range */
    _Atomic uintptr_t end;
    struct sim_oracle_range *_Atomic range;
};

static struct watched table[MAX_RANGES];
static _Atomic uint32_t table_used;  /* slots ever used */
static _Atomic uint32_t recent_slot; /* where the last fault was: the next is likely there too */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static bool full_told; /* protected by table_lock */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t granularity;     /* constant after once; 0: off */
static int64_t allowed_mappings; /* likewise */

/* Held from before a submit until what it touched is known. */
static pthread_mutex_t submit_lock = PTHREAD_MUTEX_INITIALIZER;
/* atomic, relaxed: the driver's fences order a submit's faults with what comes before and after */
static _Atomic bool running;
static _Atomic int64_t extra_mappings; /* made by opening single pages: an estimate */
static _Atomic uint64_t stray_faults;

static int64_t read_allowed_mappings(void)
{
    unsigned long limit = DEFAULT_MAPPINGS;
    FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
    if (f != NULL) {
        if (fscanf(f, "%lu", &limit) != 1)
            limit = DEFAULT_MAPPINGS;
        fclose(f);
    }
    int64_t most = limit > SPARE_MAPPINGS ? (int64_t)(limit - SPARE_MAPPINGS) : 0;
    const char *text = secure_getenv("SIMGPU_ORACLE_MAPPINGS");
    return text != NULL && text[0] != '\0' ? strtoll(text, NULL, 10) : most;
}

static void read_settings(void)
{
    const char *text = secure_getenv("SIMGPU_ORACLE");
    if (text == NULL || text[0] == '\0' || strcmp(text, "0") == 0)
        return;
#if defined(__x86_64__)
    if (strcmp(text, "1") == 0 || strcmp(text, "4k") == 0)
        granularity = FINE_GRANULARITY;
    else if (strcmp(text, "64k") == 0)
        granularity = COARSE_GRANULARITY;
    if (granularity == 0) {
        /* A test would silently have nothing to look at. */
        sim_log("SIMGPU_ORACLE='%s' is neither 0, 1, 4k nor 64k", text);
        abort();
    }
    allowed_mappings = read_allowed_mappings();
    sim_oracle_report_open();
#else
    (void)read_allowed_mappings;
    sim_log("SIMGPU_ORACLE is not available here: it needs x86_64 to tell reads from writes");
#endif
}

uint64_t sim_oracle_granularity(void)
{
    pthread_once(&once, read_settings);
    return granularity;
}

uint64_t sim_oracle_stray_faults(void)
{
    return atomic_load_explicit(&stray_faults, memory_order_relaxed);
}

/* --- ranges */

static bool enter(struct sim_oracle_range *range)
{
    pthread_mutex_lock(&table_lock);
    uint32_t used = atomic_load_explicit(&table_used, memory_order_relaxed), slot = 0;
    while (slot < used && atomic_load_explicit(&table[slot].base, memory_order_relaxed) != 0)
        slot++;
    bool room = slot < MAX_RANGES;
    if (room) {
        range->slot = slot;
        atomic_store_explicit(&table[slot].range, range, memory_order_relaxed);
        atomic_store_explicit(&table[slot].end, (uintptr_t)range->base + range->size,
                              memory_order_relaxed);
        atomic_store_explicit(&table[slot].base, (uintptr_t)range->base, memory_order_release);
        if (slot == used)
            atomic_store_explicit(&table_used, used + 1, memory_order_release);
    }
    pthread_mutex_unlock(&table_lock);
    return room;
}

static void leave(const struct sim_oracle_range *range)
{
    pthread_mutex_lock(&table_lock);
    atomic_store_explicit(&table[range->slot].base, 0, memory_order_release);
    pthread_mutex_unlock(&table_lock);
}

static void say_unwatched(const char *why)
{
    pthread_mutex_lock(&table_lock);
    if (!full_told)
        sim_log("the oracle does not watch all memory: %s", why);
    full_told = true;
    pthread_mutex_unlock(&table_lock);
}

static struct sim_oracle_range *watch(struct sim_device *device, struct sim_oracle_range init)
{
    struct sim_oracle_range *range = malloc(sizeof(*range));
    if (range == NULL)
        return NULL;
    *range = init;
    range->unit = granularity;
    range->unit_count = (range->size + granularity - 1) / granularity;
    range->state = calloc(range->unit_count, sizeof(*range->state));
    if (range->state == NULL || !enter(range)) {
        say_unwatched(range->state == NULL ? "no memory" : "too many allocations");
        free((void *)range->state);
        free(range);
        return NULL;
    }
    pthread_mutex_lock(&device->map_lock);
    range->next = device->oracle_ranges;
    device->oracle_ranges = range;
    pthread_mutex_unlock(&device->map_lock);
    return range;
}

struct sim_oracle_range *sim_oracle_watch_memory(struct sim_device *device,
                                                 struct sim_memory *memory)
{
    if (sim_oracle_granularity() == 0)
        return NULL;
    sim_fault_install();
    struct sim_oracle_range *range =
        watch(device, (struct sim_oracle_range){
                          .base = memory->driver_va, .size = memory->span, .memory = memory});
    if (range != NULL && mprotect(range->base, range->size, PROT_NONE) != 0) {
        say_unwatched("too many mappings");
        memory->watch = range;
        sim_oracle_unwatch_memory(device, memory);
        return NULL;
    }
    return range;
}

struct sim_oracle_range *sim_oracle_watch_region(struct sim_region *region)
{
    if (sim_oracle_granularity() == 0)
        return NULL;
    return watch(region->device, (struct sim_oracle_range){
                                     .base = region->base, .size = region->size, .region = region});
}

static void unwatch_locked(struct sim_device *device, struct sim_oracle_range *range)
{
    struct sim_oracle_range **link = &device->oracle_ranges;
    while (*link != NULL && *link != range)
        link = &(*link)->next;
    if (*link != NULL)
        *link = range->next;
    leave(range);
    atomic_fetch_sub_explicit(&extra_mappings,
                              atomic_load_explicit(&range->mappings, memory_order_relaxed),
                              memory_order_relaxed);
    free((void *)range->state);
    free(range);
}

void sim_oracle_unwatch_memory(struct sim_device *device, struct sim_memory *memory)
{
    if (memory->watch == NULL)
        return;
    pthread_mutex_lock(&device->map_lock);
    unwatch_locked(device, memory->watch);
    memory->watch = NULL;
    pthread_mutex_unlock(&device->map_lock);
}

void sim_oracle_unwatch_region(struct sim_region *region)
{
    if (region->watch == NULL)
        return;
    unwatch_locked(region->device, region->watch);
    region->watch = NULL;
}

int sim_oracle_protection(const struct sim_oracle_range *range)
{
    return range != NULL ? PROT_NONE : PROT_READ | PROT_WRITE;
}

bool sim_oracle_unit_is_mapped(const struct sim_oracle_range *range, uint64_t unit)
{
    return range->region == NULL ||
           atomic_load_explicit(&range->region->bound[unit * range->unit / SIM_GRANULE],
                                memory_order_acquire);
}

/* Unbound blocks of a region are none of the oracle's business: fault.c guards them. */
static bool protect_all(struct sim_oracle_range *range, int protection)
{
    if (range->region == NULL)
        return mprotect(range->base, range->size, protection) == 0;
    bool fine = true;
    uint64_t blocks = range->region->blocks;
    for (uint64_t first = 0, end; first < blocks; first = end) {
        bool bound = atomic_load_explicit(&range->region->bound[first], memory_order_acquire) != 0;
        end = first + 1;
        while (end < blocks && (atomic_load_explicit(&range->region->bound[end],
                                                     memory_order_acquire) != 0) == bound)
            end++;
        if (bound && mprotect(range->base + first * SIM_GRANULE, (end - first) * SIM_GRANULE,
                              protection) != 0)
            fine = false;
    }
    return fine;
}

/* --- the handler's part: async-signal-safe from here */

static int protection_of(uint8_t state)
{
    return state & SIM_ORACLE_WRITTEN ? PROT_READ | PROT_WRITE : PROT_READ;
}

static bool is_open(const struct sim_oracle_range *range, uint64_t unit)
{
    return unit < range->unit_count &&
           atomic_load_explicit(&range->state[unit], memory_order_relaxed) != 0;
}

/* How many mappings there are more once this page is opened, judged by whether its neighbours are.
 * An estimate: what they are open for is not looked at. */
static int64_t mappings_for(const struct sim_oracle_range *range, uint64_t unit)
{
    int64_t neighbours = (unit > 0 && is_open(range, unit - 1)) + is_open(range, unit + 1);
    return 2 - 2 * neighbours;
}

static bool open_whole(struct sim_oracle_range *range)
{
    atomic_store_explicit(&range->whole, true, memory_order_release);
    int64_t mappings = atomic_exchange_explicit(&range->mappings, 0, memory_order_relaxed);
    atomic_fetch_sub_explicit(&extra_mappings, mappings, memory_order_relaxed);
    return protect_all(range, PROT_READ | PROT_WRITE);
}

static bool open_unit(struct sim_oracle_range *range, uint64_t unit, uint8_t bit)
{
    char *address = range->base + unit * range->unit;
    uint64_t left = range->size - unit * range->unit;
    uint64_t length = left < range->unit ? left : range->unit;
    int64_t more = mappings_for(range, unit);
    uint8_t before = atomic_fetch_or_explicit(&range->state[unit], bit, memory_order_acq_rel);
    if (atomic_load_explicit(&range->whole, memory_order_acquire))
        return mprotect(address, length, PROT_READ | PROT_WRITE) == 0;
    if (before == 0) {
        atomic_fetch_add_explicit(&range->mappings, more, memory_order_relaxed);
        if (atomic_fetch_add_explicit(&extra_mappings, more, memory_order_relaxed) + more >
            allowed_mappings)
            return open_whole(range);
    }
    for (;;) {
        uint8_t state = atomic_load_explicit(&range->state[unit], memory_order_acquire);
        if (mprotect(address, length, protection_of(state)) != 0)
            return errno == ENOMEM && open_whole(range);
        /* Another thread may have opened all of it meanwhile, and this have narrowed one page. */
        if (atomic_load_explicit(&range->whole, memory_order_acquire))
            return mprotect(address, length, PROT_READ | PROT_WRITE) == 0;
        if (atomic_load_explicit(&range->state[unit], memory_order_acquire) == state)
            return true;
    }
}

static struct sim_oracle_range *slot_range(uint32_t slot, uintptr_t address)
{
    uintptr_t base = atomic_load_explicit(&table[slot].base, memory_order_acquire);
    if (base == 0 || address < base ||
        address >= atomic_load_explicit(&table[slot].end, memory_order_relaxed))
        return NULL;
    return atomic_load_explicit(&table[slot].range, memory_order_relaxed);
}

static struct sim_oracle_range *find(uintptr_t address)
{
    uint32_t recent = atomic_load_explicit(&recent_slot, memory_order_relaxed);
    struct sim_oracle_range *range = slot_range(recent, address);
    uint32_t used = atomic_load_explicit(&table_used, memory_order_acquire);
    for (uint32_t i = 0; i < used && range == NULL; i++) {
        range = slot_range(i, address);
        if (range != NULL)
            atomic_store_explicit(&recent_slot, i, memory_order_relaxed);
    }
    return range;
}

static uint8_t access_bit(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *c = context;
    return (c->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? SIM_ORACLE_WRITTEN : SIM_ORACLE_READ;
#else
    (void)context;
    return SIM_ORACLE_READ | SIM_ORACLE_WRITTEN;
#endif
}

bool sim_oracle_fault(uintptr_t address, const void *context)
{
    struct sim_oracle_range *range = granularity != 0 ? find(address) : NULL;
    if (range == NULL)
        return false;
    uint64_t unit = (address - (uintptr_t)range->base) / range->unit;
    if (!sim_oracle_unit_is_mapped(range, unit))
        return false;
    if (!atomic_load_explicit(&running, memory_order_relaxed))
        atomic_fetch_add_explicit(&stray_faults, 1, memory_order_relaxed);
    bool opened = open_unit(range, unit, access_bit(context));
    /* Last, and by exchange: collect_locked() so comes after all that any thread did here. */
    atomic_exchange_explicit(&range->touched, true, memory_order_acq_rel);
    return opened;
}

/* --- submits */

/* The caller holds the device's map_lock. Reports what was touched and closes it again. */
static void collect_locked(struct sim_device *device, const struct sim_queue *queue,
                           const struct sim_op *op, struct sim_oracle_bytes *bytes)
{
    sim_oracle_report_begin(queue, op);
    for (struct sim_oracle_range *r = device->oracle_ranges; r != NULL; r = r->next) {
        if (!atomic_exchange_explicit(&r->touched, false, memory_order_acq_rel))
            continue;
        sim_oracle_report_range(r, bytes);
        for (uint64_t i = 0; i < r->unit_count; i++)
            atomic_store_explicit(&r->state[i], 0, memory_order_relaxed);
        atomic_store_explicit(&r->whole, false, memory_order_relaxed);
        int64_t mappings = atomic_exchange_explicit(&r->mappings, 0, memory_order_relaxed);
        atomic_fetch_sub_explicit(&extra_mappings, mappings, memory_order_relaxed);
        if (!protect_all(r, PROT_NONE))
            sim_log("the oracle cannot close a range again: %s", strerror(errno));
    }
    sim_oracle_report_end(bytes);
}

static bool anything_touched_locked(const struct sim_device *device)
{
    for (struct sim_oracle_range *r = device->oracle_ranges; r != NULL; r = r->next) {
        if (atomic_load_explicit(&r->touched, memory_order_acquire))
            return true;
    }
    return false;
}

void sim_oracle_begin(struct sim_device *device)
{
    if (sim_oracle_granularity() == 0)
        return;
    pthread_mutex_lock(&submit_lock);
    pthread_mutex_lock(&device->map_lock);
    if (anything_touched_locked(device)) {
        struct sim_oracle_bytes nobodys = {0};
        collect_locked(device, NULL, NULL, &nobodys);
    }
    pthread_mutex_unlock(&device->map_lock);
    atomic_store_explicit(&running, true, memory_order_relaxed);
}

void sim_oracle_end(struct sim_device *device, const struct sim_queue *queue,
                    const struct sim_op *op, struct sim_oracle_bytes *bytes)
{
    *bytes = (struct sim_oracle_bytes){0};
    if (sim_oracle_granularity() == 0)
        return;
    atomic_store_explicit(&running, false, memory_order_relaxed);
    pthread_mutex_lock(&device->map_lock);
    collect_locked(device, queue, op, bytes);
    pthread_mutex_unlock(&device->map_lock);
    pthread_mutex_unlock(&submit_lock);
}
