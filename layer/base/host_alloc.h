/* SPDX-License-Identifier: MIT
 *
 * malloc, with the failures that tests ask for. All of the layer's own host memory comes from here.
 * Any thread. */
#pragma once

#include "base.h"

/* calloc gives zeroed memory. NULL means that there was none, also where the size is 0 (which gives
 * a byte). realloc of NULL allocates, not zeroed; on failure the old block stays. strdup wants a
 * string. free accepts NULL. */
void *spw_calloc(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
void *spw_realloc(void *p, size_t size) SPW_MUST_CHECK;
char *spw_strdup(const char *s) SPW_MUST_CHECK;
void spw_free(void *p);

#ifdef SPW_CHECK
/* The n-th allocation from now fails once (1 = the next); 0: none. Also settable from outside
 * through SPILLWAY_TEST_FAIL_MALLOC=n, counted from the first allocation of the process. */
void spw_host_alloc_fail_nth(uint32_t n);
/* true while that failure is still to come: how a test knows that a scenario has fewer allocations.
 */
bool spw_host_alloc_fail_pending(void);
/* Allocations not yet freed. */
int64_t spw_host_alloc_live(void);
#endif
