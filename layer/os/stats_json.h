/* SPDX-License-Identifier: MIT
 *
 * The exit summary as JSON text. */
#pragma once

#include "config.h"
#include "stats.h"

/* One VkDevice's figures, copied: nothing in it points into a live object. */
struct spw_device_summary {
    char name[256], mode[16], reason[256];
    uint64_t vram_target, virtual_size; /* bytes, of the main heap */
    struct spw_stats stats;
    char *settings_json; /* owned by whoever made the summary; NULL: not told */
};

/* {"mode":{"value":"auto","from":"built-in default"},…}: every key of this version, null for what
 * is unset. Free with spw_free. NULL: no host memory. */
char *spw_effective_to_json(const struct spw_effective *effective);

/* One line, no newline at its end; free with spw_free. NULL: no host memory. */
char *spw_stats_to_json(const char *version, const struct spw_device_summary *devices, size_t count,
                        uint64_t devices_left_out);
