/* SPDX-License-Identifier: MIT
 *
 * How much host memory there is: MemTotal and MemAvailable of /proc/meminfo, in bytes. Any thread.
 */
#pragma once

#include "base.h"

struct spw_meminfo {
    uint64_t total_bytes;
    uint64_t available_bytes; /* the kernel's own estimate of what can be had without swapping */
};

/* SPW_IO where /proc is not there or says nothing usable (*out untouched): then nothing is
 * promised. Check builds: SPILLWAY_TEST_MEMINFO="total=8GiB,available=2GiB" (either may be missing)
 * overrides, read anew at each call; SPILLWAY_TEST_MEMINFO="fail" is SPW_IO. If it starts with '@'
 * the rest is a file that holds such a line, so that a test can change it while the program runs.
 */
SPW_MUST_CHECK enum spw_result spw_meminfo_read(struct spw_meminfo *out);
