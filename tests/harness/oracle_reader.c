/* SPDX-License-Identifier: MIT
 *
 * Reading the oracle's file with json-c: see oracle_reader.h. */
#include "oracle_reader.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct oracle_log {
    size_t count;
    json_object **submits;
};

/* A resource as one submit saw it: `range` has the runs, of which those from `offset` on are its.
 */
struct found {
    json_object *range;
    uint64_t offset, size;
};

static json_object *member(json_object *object, const char *name)
{
    json_object *value = NULL;
    json_object_object_get_ex(object, name, &value);
    return value;
}

static uint64_t number(json_object *object, const char *name)
{
    return json_object_get_uint64(member(object, name));
}

static uint64_t element(json_object *array, size_t i)
{
    return json_object_get_uint64(json_object_array_get_idx(array, i));
}

static size_t length(json_object *array)
{
    return array ? json_object_array_length(array) : 0;
}

static bool add_line(struct oracle_log *log, const char *line)
{
    json_object *submit = json_tokener_parse(line);
    if (!submit || !member(submit, "submit") || !member(submit, "ranges")) {
        json_object_put(submit);
        return false;
    }
    json_object **bigger = realloc(log->submits, (log->count + 1) * sizeof(json_object *));
    if (!bigger) {
        json_object_put(submit);
        return false;
    }
    log->submits = bigger;
    log->submits[log->count++] = submit;
    return true;
}

struct oracle_log *oracle_load(const char *path, const char **why)
{
    FILE *file = fopen(path, "re");
    struct oracle_log *log = calloc(1, sizeof(*log));
    char *line = NULL;
    size_t size = 0;
    bool fine = file && log;
    *why = file ? "no memory" : "it cannot be opened";
    /* A line that is being written has no end yet and does not count. */
    for (ssize_t n; fine && (n = getline(&line, &size, file)) > 0 && line[n - 1] == '\n';) {
        fine = add_line(log, line);
        if (!fine)
            *why = "a line is no object with submit and ranges";
    }
    free(line);
    if (file)
        fclose(file);
    if (fine)
        return log;
    oracle_destroy(log);
    return NULL;
}

void oracle_destroy(struct oracle_log *log)
{
    for (size_t i = 0; log && i < log->count; i++)
        json_object_put(log->submits[i]);
    if (log)
        free(log->submits);
    free(log);
}

size_t oracle_count(const struct oracle_log *log)
{
    return log->count;
}

uint64_t oracle_number(const struct oracle_log *log, size_t submit)
{
    return number(log->submits[submit], "submit");
}

size_t oracle_find(const struct oracle_log *log, const char *label)
{
    for (size_t i = log->count; i-- > 0;) {
        json_object *labels = member(log->submits[i], "labels");
        for (size_t k = 0; k < length(labels); k++)
            if (strcmp(json_object_get_string(json_object_array_get_idx(labels, k)), label) == 0)
                return i;
    }
    return SIZE_MAX;
}

bool oracle_queue(const struct oracle_log *log, size_t submit, uint32_t *family, uint32_t *index)
{
    json_object *queue = member(log->submits[submit], "queue");
    if (!queue)
        return false;
    *family = (uint32_t)number(queue, "family");
    *index = (uint32_t)number(queue, "index");
    return true;
}

bool oracle_imprecise(const struct oracle_log *log, size_t submit)
{
    return json_object_get_boolean(member(log->submits[submit], "imprecise"));
}

uint64_t oracle_bytes(const struct oracle_log *log, size_t submit, const char *name)
{
    return number(member(log->submits[submit], "bytes"), name);
}

size_t oracle_range_count(const struct oracle_log *log, size_t submit)
{
    return length(member(log->submits[submit], "ranges"));
}

static bool is_called(json_object *object, const char *resource)
{
    const char *name = json_object_get_string(member(object, "name"));
    const char *handle = json_object_get_string(member(object, "handle"));
    return (name && strcmp(name, resource) == 0) || (handle && strcmp(handle, resource) == 0);
}

static bool find_resource(json_object *submit, const char *resource, struct found *out)
{
    json_object *ranges = member(submit, "ranges");
    for (size_t i = 0; i < length(ranges); i++) {
        json_object *range = json_object_array_get_idx(ranges, i);
        json_object *resources = member(range, "resources");
        *out = (struct found){.range = range, .size = number(range, "size")};
        if (is_called(range, resource))
            return true;
        for (size_t k = 0; k < length(resources); k++) {
            json_object *bound = json_object_array_get_idx(resources, k);
            out->offset = number(bound, "offset");
            out->size = number(bound, "size");
            if (is_called(bound, resource))
                return true;
        }
    }
    return false;
}

/* The part of a run that is the resource's; false: none. */
static bool cut(const struct found *f, uint64_t offset, uint64_t size, struct oracle_run *out)
{
    uint64_t begin = offset > f->offset ? offset : f->offset;
    uint64_t end = offset + size < f->offset + f->size ? offset + size : f->offset + f->size;
    if (begin >= end)
        return false;
    *out = (struct oracle_run){.offset = begin - f->offset, .size = end - begin};
    return true;
}

bool oracle_runs_of(const struct oracle_log *log, size_t submit, const char *resource,
                    enum oracle_access access, struct oracle_runs *out)
{
    struct found f;
    *out = (struct oracle_runs){0};
    if (!find_resource(log->submits[submit], resource, &f))
        return true;
    json_object *runs = member(f.range, access == ORACLE_READ ? "read" : "written");
    out->imprecise = json_object_get_boolean(member(f.range, "imprecise"));
    out->runs = calloc(length(runs) + 1, sizeof(*out->runs));
    if (!out->runs)
        return false;
    for (size_t i = 0; i < length(runs); i++) {
        json_object *run = json_object_array_get_idx(runs, i);
        struct oracle_run *next = &out->runs[out->count];
        if (!cut(&f, element(run, 0), element(run, 1), next))
            continue;
        out->bytes += next->size;
        out->count++;
    }
    return true;
}

void oracle_runs_finish(struct oracle_runs *runs)
{
    free(runs->runs);
    *runs = (struct oracle_runs){0};
}

int oracle_heap_of(const struct oracle_log *log, size_t submit, const char *resource,
                   uint64_t offset)
{
    struct found f;
    if (!find_resource(log->submits[submit], resource, &f))
        return -1;
    json_object *backing = member(f.range, "backing");
    if (!backing)
        return (int)number(f.range, "heap");
    for (size_t i = 0; i < length(backing); i++) {
        json_object *run = json_object_array_get_idx(backing, i);
        if (offset >= element(run, 0) && offset - element(run, 0) < element(run, 1))
            return (int)element(run, 2);
    }
    return -1;
}
