/* SPDX-License-Identifier: MIT
 *
 * What the oracle saw, one JSON object a line and a submit: CONTRACTS.md has the format, and
 * tests/harness/oracle_reader.h reads it. */
#include "oracle_private.h"

#include "bound.h"
#include "memory.h"
#include "queue.h"
#include "record.h"
#include "region.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All under the oracle's submit lock, but for the first, which is called once. */
static FILE *file; /* NULL: only counted */
static bool first_range, first_resource;

void sim_oracle_report_open(void)
{
    char *path = sim_env_path("SIMGPU_ORACLE_FILE");
    if (path == NULL)
        return;
    file = fopen(path, "we");
    if (file == NULL)
        sim_log("cannot write SIMGPU_ORACLE_FILE='%s': %s", path, strerror(errno));
    free(path);
}

static void put_name(uint64_t handle)
{
    char name[256];
    sim_name_get(handle, name, sizeof(name));
    if (name[0] == '\0')
        return;
    fputs(",\"name\":", file);
    sim_json_string(file, name);
}

static void put_labels(const struct sim_op *op)
{
    fputs(",\"labels\":[", file);
    for (uint32_t i = 0, n = 0; i < op->command_count; i++) {
        const struct sim_commands *c = sim_commands_find(op->commands[i]);
        for (uint32_t k = 0; k < c->label_count; k++) {
            fputs(n++ > 0 ? "," : "", file);
            sim_json_string(file, c->labels[k]);
        }
    }
    fputs("]", file);
}

void sim_oracle_report_begin(const struct sim_queue *queue, const struct sim_op *op)
{
    first_range = true;
    if (file == NULL)
        return;
    fprintf(file, "{\"submit\":%" PRIu64, op != NULL ? op->number : 0);
    if (queue != NULL)
        fprintf(file, ",\"queue\":{\"family\":%u,\"index\":%u}", queue->family, queue->index);
    if (op != NULL)
        put_labels(op);
    fprintf(file, ",\"granularity\":%" PRIu64 ",\"ranges\":[", sim_oracle_granularity());
}

static uint8_t state_of(const struct sim_oracle_range *r, uint64_t unit)
{
    return atomic_load_explicit(&r->state[unit], memory_order_relaxed);
}

static uint64_t unit_end(const struct sim_oracle_range *r, uint64_t unit)
{
    uint64_t end = (unit + 1) * r->unit;
    return end < r->size ? end : r->size;
}

/* Calls fn for each run of pages that have the bit. */
static void for_each_run(const struct sim_oracle_range *r, uint8_t bit,
                         void (*fn)(uint64_t offset, uint64_t size, void *user), void *user)
{
    for (uint64_t i = 0; i < r->unit_count; i++) {
        uint64_t first = i;
        while (i < r->unit_count && (state_of(r, i) & bit) != 0)
            i++;
        if (i > first)
            fn(first * r->unit, unit_end(r, i - 1) - first * r->unit, user);
    }
}

static void put_run(uint64_t offset, uint64_t size, void *user)
{
    bool *first = user;
    fprintf(file, "%s[%" PRIu64 ",%" PRIu64 "]", *first ? "" : ",", offset, size);
    *first = false;
}

static void put_runs(const struct sim_oracle_range *r, const char *member, uint8_t bit)
{
    bool first = true;
    fprintf(file, ",\"%s\":[", member);
    for_each_run(r, bit, put_run, &first);
    fputs("]", file);
}

/* Which heap is behind the blocks of a sparse resource: [offset, size, heap] each. */
static void put_backing(const struct sim_region *region)
{
    const struct sim_card *card = sim_card_get();
    bool first = true;
    fputs(",\"backing\":[", file);
    for (uint64_t i = 0, end; i < region->blocks; i = end) {
        const struct sim_memory *owner = region->owners[i];
        for (end = i + 1; end < region->blocks; end++) {
            const struct sim_memory *next = region->owners[end];
            if ((next == NULL) != (owner == NULL) || (next != NULL && next->heap != owner->heap))
                break;
        }
        if (owner == NULL)
            continue;
        fprintf(file, "%s[%" PRIu64 ",%" PRIu64 ",%d]", first ? "" : ",", i * SIM_GRANULE,
                (end - i) * SIM_GRANULE, (int)(owner->heap - card->heaps));
        first = false;
    }
    fputs("]", file);
}

static void put_resource(const struct sim_bound *bound, void *user)
{
    const struct sim_oracle_range *r = user;
    if (bound->memory_id != r->memory->id)
        return;
    uint64_t end = bound->offset + bound->size;
    bool touched = atomic_load_explicit(&r->whole, memory_order_relaxed);
    for (uint64_t i = bound->offset / r->unit; i < r->unit_count && i * r->unit < end; i++)
        touched = touched || state_of(r, i) != 0;
    if (!touched)
        return;
    fprintf(file,
            "%s{\"kind\":\"%s\",\"handle\":\"0x%" PRIx64 "\",\"offset\":%" PRIu64
            ",\"size\":%" PRIu64,
            first_resource ? "" : ",", bound->image ? "image" : "buffer", bound->handle,
            bound->offset, bound->size);
    put_name(bound->handle);
    fputs("}", file);
    first_resource = false;
}

static void put_range(const struct sim_oracle_range *r)
{
    const char *kind = "memory";
    uint64_t handle = r->region != NULL ? r->region->name : SIM_KEY(r->memory->handle);
    if (r->region != NULL)
        kind = r->region->image ? "image" : "buffer";
    fprintf(file, "%s{\"kind\":\"%s\",\"handle\":\"0x%" PRIx64 "\",\"size\":%" PRIu64,
            first_range ? "" : ",", kind, handle, r->size);
    first_range = false;
    put_name(handle);
    fprintf(file, ",\"imprecise\":%s",
            atomic_load_explicit(&r->whole, memory_order_relaxed) ? "true" : "false");
    put_runs(r, "read", SIM_ORACLE_READ);
    put_runs(r, "written", SIM_ORACLE_WRITTEN);
    if (r->region != NULL) {
        put_backing(r->region);
    } else {
        fprintf(file, ",\"id\":%" PRIu64 ",\"heap\":%d,\"resources\":[", r->memory->id,
                (int)(r->memory->heap - sim_card_get()->heaps));
        first_resource = true;
        sim_bound_for_each(put_resource, (void *)(uintptr_t)r);
        fputs("]", file);
    }
    fputs("}", file);
}

static enum sim_place place_of(const struct sim_oracle_range *r, uint64_t unit)
{
    return sim_memory_place(r->region != NULL ? r->region->owners[unit * r->unit / SIM_GRANULE]
                                              : r->memory);
}

void sim_oracle_report_range(const struct sim_oracle_range *r, struct sim_oracle_bytes *bytes)
{
    bool whole = atomic_load_explicit(&r->whole, memory_order_relaxed);
    for (uint64_t i = 0; i < r->unit_count; i++) {
        uint8_t state = whole ? SIM_ORACLE_READ | SIM_ORACLE_WRITTEN : state_of(r, i);
        if (state == 0)
            continue;
        uint64_t size = unit_end(r, i) - i * r->unit;
        enum sim_place place = place_of(r, i);
        uint64_t *read = place == SIM_PLACE_VRAM ? &bytes->vram_read : &bytes->host_read;
        uint64_t *written = place == SIM_PLACE_VRAM ? &bytes->vram_written : &bytes->host_written;
        if (place == SIM_PLACE_NOWHERE)
            continue; /* unbound since, or a block that was never bound */
        *read += (state & SIM_ORACLE_READ) != 0 ? size : 0;
        *written += (state & SIM_ORACLE_WRITTEN) != 0 ? size : 0;
    }
    bytes->imprecise = bytes->imprecise || whole;
    if (file != NULL)
        put_range(r);
}

void sim_oracle_report_end(const struct sim_oracle_bytes *bytes)
{
    if (file == NULL)
        return;
    fprintf(file,
            "],\"imprecise\":%s,\"bytes\":{\"vram_read\":%" PRIu64 ",\"vram_written\":%" PRIu64
            ",\"host_read\":%" PRIu64 ",\"host_written\":%" PRIu64 "}}\n",
            bytes->imprecise ? "true" : "false", bytes->vram_read, bytes->vram_written,
            bytes->host_read, bytes->host_written);
    fflush(file); /* what was seen before a crash is what one wants then */
}
