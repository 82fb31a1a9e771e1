/* SPDX-License-Identifier: MIT
 *
 * Calls that fail on purpose. With SIMGPU_FAULT or SIMGPU_CALLS set, every command that can fail is
 * given out as a generated trampoline (sim_calls.c), which counts and then fails or goes on.
 * Without them nothing stands in between.
 *
 *   SIMGPU_FAULT="vkAllocateMemory:3:OUT_OF_DEVICE_MEMORY,…"   the third call in the process fails,
 *       once, before the driver or simgpu has seen it. The result is a name without VK_ or
 * VK_ERROR_. SIMGPU_CALLS=file   at exit, a line for each command that was called: name, calls, and
 * the errors that the registry allows it: what a test visits one by one.
 *
 * Calls are counted as the loader and the layers make them, under the command's first name whatever
 * alias was used. A fault that was never reached is told at exit. */
#pragma once

#include "entry.h"

#include <stdbool.h>

#define SIM_NO_CALL UINT16_MAX

struct sim_call {
    const char *name;
    PFN_vkVoidFunction trampoline;
    const char *errors; /* names without VK_ERROR_, separated by spaces */
};

/* generated */
extern const struct sim_call sim_calls[];
extern const uint32_t sim_call_count;
struct sim_result {
    const char *name; /* without VK_ */
    VkResult value;
};
extern const struct sim_result sim_results[];
extern const size_t sim_result_count;

/* What to give out for a command whose own function is `real` (NULL: NULL). Any thread. */
PFN_vkVoidFunction sim_inject_wrap(const struct sim_command *command, PFN_vkVoidFunction real);

/* For the trampolines: counts a call; true: it fails with *result. Any thread. */
bool sim_inject_due(uint32_t call, VkResult *result);
PFN_vkVoidFunction sim_inject_real(uint32_t call);

/* At exit: the list of calls, and faults that were not reached. */
void sim_inject_finish(void);
