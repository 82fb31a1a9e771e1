/* SPDX-License-Identifier: MIT
 *
 * Where SPW_CHECK_THAT ends up. Part of the check build only: the shipped object never aborts. */
#include "base.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void spw_check_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "spillway: check failed: %s:%d: %s\n", file, line, what);
    abort();
}
