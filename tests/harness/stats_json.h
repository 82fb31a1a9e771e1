/* SPDX-License-Identifier: MIT
 *
 * The two things that a run prints as JSON: simgpu's counters (SIMGPU_STATS) and Spillway's summary
 * (SPILLWAY_STATS=exit), and numbers in them by path. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stats; /* one document: {"simgpu":{…}} or {"spillway":{…}}, or both merged */

/* NULL, and *why set to a sentence (static storage of this module), if there is nothing usable. The
 * summary is the last line of the file that starts with {"spillway" (a log may hold several
 * processes). */
struct stats *stats_load_simgpu(const char *path, const char **why);
struct stats *stats_load_spillway(const char *path, const char **why);
void stats_destroy(struct stats *s);

/* A path is words with dots: "spillway.devices.0.tiers.host.bytes". A word picks a member, an index
 * an element; "*" all elements of an array or object; "[why=vram-full]" those elements whose member
 * is that (several: "[why=vram-full,placed_type=2]"). Where several are picked, the number is their
 * sum (0 if none). "#" at the end counts the elements of an array. */
bool stats_number(const struct stats *s, const char *path, double *out);
/* The text of one member; NULL where there is no such thing. Lives as long as s. */
const char *stats_text(const struct stats *s, const char *path);
