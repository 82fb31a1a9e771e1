/* SPDX-License-Identifier: MIT
 *
 * GPU faults. The driver's threads touch an unbound block: the handler says so, counts it, opens
 * the block (anonymous memory: it reads as zeros) and lets the instruction run again. Everything
 * else goes on to the handler that was there before.
 *
 * Async-signal-safe throughout: a fixed table with atomics, write(2), mprotect(2). Opening with
 * mprotect rather than mmap makes the race with a bind harmless: if the bind's pages got there
 * first, they are writable already. */
#include "fault.h"

#include "oracle.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Sparse resources alive at once in the process. */
#define MAX_REGIONS 65536u
/* Faults described one by one; the rest are only counted. */
#define MAX_FAULT_LINES 32

struct watched {
    _Atomic uintptr_t base; /* 0: free; published with release after region and end */
    _Atomic uintptr_t end;  /* guard block included */
    struct sim_region *_Atomic region;
};

static struct watched table[MAX_REGIONS];
static _Atomic uint32_t table_used; /* slots ever used: no more than that need be looked at */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction old_action;
static bool installed, replaced;

static size_t put_text(char *line, size_t at, const char *text)
{
    size_t n = strlen(text);
    memcpy(line + at, text, n);
    return at + n;
}

static size_t put_hex(char *line, size_t at, uint64_t value)
{
    char digits[16];
    size_t n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    at = put_text(line, at, "0x");
    while (n > 0)
        line[at++] = digits[--n];
    return at;
}

static const char *access_kind(const void *context)
{
#if defined(__x86_64__)
    /* Bit 1 of the page-fault error code. */
    const ucontext_t *c = context;
    return (c->uc_mcontext.gregs[REG_ERR] & 2) ? "write to" : "read of";
#else
    (void)context;
    return "access to";
#endif
}

static void say(const struct sim_region *r, uint64_t offset, const void *context)
{
    char line[200];
    size_t n = put_text(line, 0, "simgpu: GPU FAULT: ");
    n = put_text(line, n, access_kind(context));
    n = put_text(line, n, offset < r->size ? " unbound page" : " memory past the end");
    n = put_text(line, n, ", resource ");
    n = put_hex(line, n, r->name);
    n = put_text(line, n, " offset ");
    n = put_hex(line, n, offset);
    line[n++] = '\n';
    ssize_t written = write(sim_log_fd(), line, n);
    (void)written;
}

/* true: the instruction can run again. */
static bool handle(uintptr_t address, const void *context)
{
    uint32_t used = atomic_load_explicit(&table_used, memory_order_acquire);
    struct sim_region *r = NULL;
    for (uint32_t i = 0; i < used && r == NULL; i++) {
        uintptr_t base = atomic_load_explicit(&table[i].base, memory_order_acquire);
        if (base != 0 && address >= base &&
            address < atomic_load_explicit(&table[i].end, memory_order_relaxed))
            r = atomic_load_explicit(&table[i].region, memory_order_relaxed);
    }
    if (r == NULL)
        return false;
    uint64_t block = (address - (uintptr_t)r->base) / SIM_GRANULE;
    if (block < r->blocks && atomic_load_explicit(&r->bound[block], memory_order_acquire))
        return true; /* a bind is just mapping it */
    if (!atomic_exchange_explicit(&r->opened[block], 1, memory_order_release)) {
        struct sim_card *card = sim_card_get();
        uint64_t n = atomic_fetch_add_explicit(&card->gpu_faults, 1, memory_order_relaxed);
        if (n < MAX_FAULT_LINES || card->strict)
            say(r, address - (uintptr_t)r->base, context);
        if (card->strict)
            abort();
    }
    atomic_store_explicit(&r->device->fault_opened, true, memory_order_release);
    return mprotect(r->base + block * SIM_GRANULE, SIM_GRANULE, PROT_READ | PROT_WRITE) == 0;
}

static void chain(int signal_number, siginfo_t *info, void *context)
{
    if (old_action.sa_flags & SA_SIGINFO) {
        old_action.sa_sigaction(signal_number, info, context);
    } else if (old_action.sa_handler == SIG_DFL || old_action.sa_handler == SIG_IGN) {
        /* Let it happen again without us, so that it ends as it would have. */
        static const char line[] =
            "simgpu: SIGSEGV outside all sparse resources (freed memory, or a "
            "bug of the program's)\n";
        ssize_t written = write(sim_log_fd(), line, sizeof(line) - 1);
        (void)written;
        signal(signal_number, SIG_DFL);
    } else {
        old_action.sa_handler(signal_number);
    }
}

static void on_segv(int signal_number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    uintptr_t address = (uintptr_t)info->si_addr;
    bool handled =
        info->si_code > 0 && (sim_oracle_fault(address, context) || handle(address, context));
    errno = saved_errno;
    if (!handled)
        chain(signal_number, info, context);
}

void sim_fault_install(void)
{
    struct sigaction now;
    pthread_mutex_lock(&install_lock);
    if (installed && !replaced && sigaction(SIGSEGV, NULL, &now) == 0 &&
        now.sa_sigaction != on_segv) {
        /* Not taken back: a handler that passes on to ours would then go round in circles. */
        sim_log("the program replaced the SIGSEGV handler: GPU faults may end it");
        replaced = true;
    }
    if (!installed) {
        struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        installed = sigaction(SIGSEGV, &action, &old_action) == 0;
    }
    pthread_mutex_unlock(&install_lock);
}

bool sim_fault_watch(struct sim_region *r)
{
    uint32_t used, slot = 0;
    sim_fault_install();
    pthread_mutex_lock(&table_lock);
    used = atomic_load_explicit(&table_used, memory_order_relaxed);
    while (slot < used && atomic_load_explicit(&table[slot].base, memory_order_relaxed) != 0)
        slot++;
    bool room = slot < MAX_REGIONS;
    if (room) {
        r->slot = slot;
        atomic_store_explicit(&table[slot].region, r, memory_order_relaxed);
        atomic_store_explicit(&table[slot].end, (uintptr_t)r->base + r->size + SIM_GRANULE,
                              memory_order_relaxed);
        atomic_store_explicit(&table[slot].base, (uintptr_t)r->base, memory_order_release);
        if (slot == used)
            atomic_store_explicit(&table_used, used + 1, memory_order_release);
    }
    pthread_mutex_unlock(&table_lock);
    return room;
}

void sim_fault_unwatch(struct sim_region *r)
{
    pthread_mutex_lock(&table_lock);
    atomic_store_explicit(&table[r->slot].base, 0, memory_order_release);
    pthread_mutex_unlock(&table_lock);
}

void sim_fault_for_each_region(struct sim_device *device,
                               void (*fn)(struct sim_region *, void *user), void *user)
{
    uint32_t used = atomic_load_explicit(&table_used, memory_order_acquire);
    for (uint32_t i = 0; i < used; i++) {
        /* Regions of other devices may go away any time: only the pointer is compared until it is
         * known whose it is. */
        pthread_mutex_lock(&table_lock);
        bool alive = atomic_load_explicit(&table[i].base, memory_order_relaxed) != 0;
        struct sim_region *r = atomic_load_explicit(&table[i].region, memory_order_relaxed);
        bool ours = alive && r->device == device;
        pthread_mutex_unlock(&table_lock);
        if (ours)
            fn(r, user);
    }
}
