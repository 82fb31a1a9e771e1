/* SPDX-License-Identifier: MIT
 *
 * The exit summary as JSON text. */
#pragma once

#include "stats.h"

/* One VkDevice's figures, copied: nothing in it points into a live object. */
struct spw_device_summary {
    char name[256], mode[16], reason[256];
    uint64_t vram_target, virtual_size; /* bytes, of the main heap */
    struct spw_stats stats;
};

/* One line, no newline at its end; free with spw_free. NULL: no host memory. */
char *spw_stats_to_json(const char *version, const struct spw_device_summary *devices, size_t count,
                        uint64_t devices_left_out);
