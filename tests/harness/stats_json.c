/* SPDX-License-Identifier: MIT
 *
 * Reading simgpu's counters and Spillway's summary with json-c. */
#include "stats_json.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stats {
    json_object *root;
};

static struct stats *wrap(json_object *root, const char *member, const char **why)
{
    struct stats *s = NULL;
    if (!root)
        *why = "it is not JSON";
    else if (!json_object_is_type(root, json_type_object) ||
             !json_object_object_get_ex(root, member, NULL))
        *why = "the member at its top is not the one that belongs there";
    else if (!(s = malloc(sizeof(*s))))
        *why = "no memory";
    if (!s) {
        json_object_put(root);
        return NULL;
    }
    s->root = root;
    return s;
}

struct stats *stats_load_simgpu(const char *path, const char **why)
{
    json_object *root = json_object_from_file(path);
    return wrap(root, "simgpu", why);
}

struct stats *stats_load_spillway(const char *path, const char **why)
{
    static const char start[] = "{\"spillway\"";
    FILE *file = fopen(path, "r");
    char *line = NULL, *last = NULL;
    size_t size = 0;
    if (!file) {
        *why = "it cannot be opened";
        return NULL;
    }
    while (getline(&line, &size, file) >= 0) {
        if (strncmp(line, start, sizeof(start) - 1) != 0)
            continue;
        free(last);
        last = line;
        line = NULL;
        size = 0;
    }
    free(line);
    fclose(file);
    if (!last) {
        *why = "no line of it is a summary";
        return NULL;
    }
    json_object *root = json_tokener_parse(last);
    free(last);
    return wrap(root, "spillway", why);
}

void stats_destroy(struct stats *s)
{
    if (!s)
        return;
    json_object_put(s->root);
    free(s);
}

/* "[a=b,c=d]" against the members of an element. */
static bool matches(json_object *element, const char *filter)
{
    char text[256];
    if (snprintf(text, sizeof(text), "%s", filter + 1) >= (int)sizeof(text))
        return false;
    text[strcspn(text, "]")] = '\0';
    char *rest = text;
    for (char *pair = strsep(&rest, ","); pair; pair = strsep(&rest, ",")) {
        char *value = strchr(pair, '=');
        json_object *member = NULL;
        if (!value)
            return false;
        *value++ = '\0';
        if (!json_object_object_get_ex(element, pair, &member) ||
            strcmp(json_object_get_string(member), value) != 0)
            return false;
    }
    return true;
}

/* What a walk picks: numbers are summed, texts are kept (the last one). */
struct picked {
    unsigned count;
    double sum;
    const char *text;
};

static bool walk(json_object *at, const char *path, struct picked *out);

/* All elements (filter NULL) or those that match; picking none is fine. */
static bool walk_several(json_object *at, const char *filter, const char *rest, struct picked *out)
{
    if (json_object_is_type(at, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(at); i++) {
            json_object *element = json_object_array_get_idx(at, i);
            if ((!filter || matches(element, filter)) && !walk(element, rest, out))
                return false;
        }
        return true;
    }
    if (!json_object_is_type(at, json_type_object) || filter)
        return false;
    json_object_object_foreach(at, name, member)
    {
        (void)name;
        if (!walk(member, rest, out))
            return false;
    }
    return true;
}

static bool walk_leaf(json_object *at, struct picked *out)
{
    if (json_object_is_type(at, json_type_array) || json_object_is_type(at, json_type_object))
        return false;
    out->count++;
    out->sum += json_object_get_double(at);
    out->text = json_object_get_string(at);
    return true;
}

static bool walk(json_object *at, const char *path, struct picked *out)
{
    if (!path || !*path)
        return walk_leaf(at, out);
    char word[256];
    /* A filter may hold dots: it ends at its bracket. */
    size_t length = *path == '[' ? strcspn(path, "]") + 1 : strcspn(path, ".");
    if (length >= sizeof(word) || length > strlen(path))
        return false;
    memcpy(word, path, length);
    word[length] = '\0';
    const char *rest = path[length] == '.' ? path + length + 1 : NULL;
    if (strcmp(word, "*") == 0)
        return walk_several(at, NULL, rest, out);
    if (*word == '[')
        return walk_several(at, word, rest, out);
    if (json_object_is_type(at, json_type_array)) {
        size_t count = json_object_array_length(at);
        if (strcmp(word, "#") == 0 && !rest) {
            out->count++;
            out->sum += (double)count;
            return true;
        }
        char *end = NULL;
        unsigned long index = strtoul(word, &end, 10);
        return end != word && !*end && index < count &&
               walk(json_object_array_get_idx(at, index), rest, out);
    }
    json_object *member = NULL;
    return json_object_is_type(at, json_type_object) &&
           json_object_object_get_ex(at, word, &member) && walk(member, rest, out);
}

bool stats_number(const struct stats *s, const char *path, double *out)
{
    struct picked picked = {0};
    if (!s || !walk(s->root, path, &picked))
        return false;
    *out = picked.sum;
    return true;
}

const char *stats_text(const struct stats *s, const char *path)
{
    struct picked picked = {0};
    return s && walk(s->root, path, &picked) && picked.count == 1 ? picked.text : NULL;
}
