/* SPDX-License-Identifier: MIT
 *
 * Planted bugs: see test_switches.h. Empty in the shipped build. */
#include "test_switches.h"

#ifdef SPW_CHECK

#include "budget.h"
#include "log.h"
#include "placement.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*plant)(bool on);
} bugs[] = {
    {"drop-coherent", spw_placement_plant_drop_coherent},
    {"budget-wraps", spw_budget_plant_wrap},
};

void spw_test_switches_read(void)
{
    const char *wanted = secure_getenv("SPILLWAY_TEST_BUG");
    bool known = !wanted || !*wanted;
    for (size_t i = 0; i < SPW_ARRAY_SIZE(bugs); i++) {
        bool on = wanted && strcmp(wanted, bugs[i].name) == 0;
        bugs[i].plant(on);
        known |= on;
    }
    if (!known)
        spw_log(SPW_LOG_ERROR, "SPILLWAY_TEST_BUG='%s': no such planted bug", wanted);
}

#else

typedef int spw_test_switches_are_empty; /* ISO C wants a declaration */

#endif
