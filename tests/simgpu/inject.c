/* SPDX-License-Identifier: MIT
 *
 * Calls that fail on purpose: see inject.h. */
#include "inject.h"

#include "sim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FAULTS 64
/* At least as many as there are commands that can fail: checked at the start. */
#define MAX_CALLS 1024

struct fault {
    uint32_t call;
    uint64_t n;
    VkResult result;
};

static pthread_once_t inject_once = PTHREAD_ONCE_INIT;
/* constant after inject_once */
static bool active;
static struct fault faults[MAX_FAULTS];
static uint32_t fault_count;
static const char *calls_path;

static _Atomic uint64_t counts[MAX_CALLS];
static _Atomic(PFN_vkVoidFunction) reals[MAX_CALLS]; /* release: with the trampoline given out */

static bool find_result(const char *name, VkResult *result)
{
    for (size_t i = 0; i < sim_result_count; i++) {
        const char *full = sim_results[i].name;
        bool error = strncmp(full, "ERROR_", 6) == 0;
        if (strcmp(name, full) == 0 || (error && strcmp(name, full + 6) == 0)) {
            *result = sim_results[i].value;
            return true;
        }
    }
    return false;
}

static bool parse_fault(const char *text, struct fault *fault)
{
    char name[96], result[96], more;
    if (sscanf(text, "%95[a-zA-Z0-9]:%" SCNu64 ":%95[A-Z0-9_]%c", name, &fault->n, result, &more) !=
        3)
        return false;
    const struct sim_command *command = sim_command_find(name);
    if (command == NULL || command->call == SIM_NO_CALL || fault->n == 0)
        return false;
    fault->call = command->call;
    return find_result(result, &fault->result);
}

static void init_inject(void)
{
    const char *text = secure_getenv("SIMGPU_FAULT");
    calls_path = sim_env_path("SIMGPU_CALLS");
    while (text != NULL && text[0] != '\0') {
        char one[256];
        size_t length = strcspn(text, ",");
        snprintf(one, sizeof(one), "%.*s", (int)length, text);
        if (fault_count == MAX_FAULTS || !parse_fault(one, &faults[fault_count]))
            sim_bad_setting(
                "SIMGPU_FAULT", one,
                "the name of a command that can fail, ':', which call, ':', a VkResult");
        fault_count++;
        text += length + (text[length] == ',');
    }
    active = (fault_count > 0 || calls_path != NULL) && sim_call_count <= MAX_CALLS;
}

PFN_vkVoidFunction sim_inject_wrap(const struct sim_command *command, PFN_vkVoidFunction real)
{
    pthread_once(&inject_once, init_inject);
    if (!active || real == NULL || command->call == SIM_NO_CALL)
        return real;
    atomic_store_explicit(&reals[command->call], real, memory_order_release);
    return sim_calls[command->call].trampoline;
}

PFN_vkVoidFunction sim_inject_real(uint32_t call)
{
    return atomic_load_explicit(&reals[call], memory_order_acquire);
}

bool sim_inject_due(uint32_t call, VkResult *result)
{
    uint64_t n = atomic_fetch_add_explicit(&counts[call], 1, memory_order_relaxed) + 1;
    for (uint32_t i = 0; i < fault_count; i++) {
        if (faults[i].call != call || faults[i].n != n)
            continue;
        *result = faults[i].result;
        atomic_fetch_add_explicit(&sim_card_get()->faults_injected, 1, memory_order_relaxed);
        return true;
    }
    return false;
}

void sim_inject_finish(void)
{
    if (!active)
        return;
    for (uint32_t i = 0; i < fault_count; i++) {
        uint64_t n = atomic_load_explicit(&counts[faults[i].call], memory_order_relaxed);
        if (n < faults[i].n)
            sim_log("SIMGPU_FAULT: call %" PRIu64 " of %s was never made, there were %" PRIu64,
                    faults[i].n, sim_calls[faults[i].call].name, n);
    }
    FILE *f = calls_path != NULL ? fopen(calls_path, "we") : NULL;
    if (calls_path != NULL && f == NULL)
        sim_log("cannot write SIMGPU_CALLS='%s': %s", calls_path, strerror(errno));
    for (uint32_t i = 0; f != NULL && i < sim_call_count; i++) {
        uint64_t n = atomic_load_explicit(&counts[i], memory_order_relaxed);
        if (n > 0)
            fprintf(f, "%s %" PRIu64 " %s\n", sim_calls[i].name, n, sim_calls[i].errors);
    }
    if (f != NULL)
        fclose(f);
}
