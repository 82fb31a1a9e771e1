/* SPDX-License-Identifier: MIT
 *
 * `--check 'spillway.devices.0.tiers.host.bytes > 0'`: comparisons over the two JSON documents. */
#pragma once

#include <stdbool.h>

struct stats;

/* LEFT OP RIGHT with OP one of == != <= >= < >, spaces around it. A side is a path (stats_json.h),
 * a number with or without unit (4MiB, 0.5GiB), or, for == and !=, 'text in quotes'; "+", "-" and
 * "*" between spaces join several numbers (left to right). False with a sentence on stderr that
 * shows both sides. */
bool check_holds(const char *expression, const struct stats *simgpu, const struct stats *spillway);
