/* SPDX-License-Identifier: MIT
 *
 * What simgpu's page-access oracle saw (SIMGPU_ORACLE_FILE, CONTRACTS.md): which bytes of a
 * resource did a submit read or write? A line is there before the submit's fence is signalled, so a
 * test may load the file while it runs. Externally synchronised as the log. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oracle_log;

enum oracle_access { ORACLE_READ, ORACLE_WRITTEN };

struct oracle_run {
    uint64_t offset, size; /* bytes of the resource, from its beginning */
};

/* Runs of whole pages, sorted, not touching each other, cut off at the ends of the resource. */
struct oracle_runs {
    size_t count;
    struct oracle_run *runs;
    uint64_t bytes; /* sum of their sizes */
    bool imprecise; /* more may have been touched */
};

/* NULL, and *why set to a sentence (static storage), where it is no oracle's file. */
struct oracle_log *oracle_load(const char *path, const char **why);
void oracle_destroy(struct oracle_log *log);

/* Submits in the order in which they ran, by index. */
size_t oracle_count(const struct oracle_log *log);
/* The number in CONTRACTS.md's sense; 0: accesses outside of submits. */
uint64_t oracle_number(const struct oracle_log *log, size_t submit);
/* The last submit with that debug label in one of its command buffers; SIZE_MAX: none. */
size_t oracle_find(const struct oracle_log *log, const char *label);
bool oracle_queue(const struct oracle_log *log, size_t submit, uint32_t *family, uint32_t *index);
bool oracle_imprecise(const struct oracle_log *log, size_t submit);
/* "vram_read", "vram_written", "host_read", "host_written". */
uint64_t oracle_bytes(const struct oracle_log *log, size_t submit, const char *member);
/* How many allocations and sparse resources it touched at all. */
size_t oracle_range_count(const struct oracle_log *log, size_t submit);

/* `resource` is a name given with vkSetDebugUtilsObjectNameEXT, or the handle as "0x7f…"; a buffer,
 * an image or a memory. What was not touched has no runs. false: no memory. Finish in any case. */
bool oracle_runs_of(const struct oracle_log *log, size_t submit, const char *resource,
                    enum oracle_access access, struct oracle_runs *out);
void oracle_runs_finish(struct oracle_runs *runs);
/* The heap behind a byte of a resource that the submit touched; -1: none, or not touched. */
int oracle_heap_of(const struct oracle_log *log, size_t submit, const char *resource,
                   uint64_t offset);
