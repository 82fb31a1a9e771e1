/* SPDX-License-Identifier: MIT
 *
 * Reads one manifest strictly and says everything that is wrong with it. The loaders are lenient
 * where a user would not find out why the layer does not load, or only on some other loader.
 *
 *   test_manifest (implicit|explicit) FILE        exit status 0: nothing wrong, 1: told on stderr
 */
#include <json.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned wrong_count;

#define WRONG(...)                                                                                 \
    do {                                                                                           \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fputc('\n', stderr);                                                                       \
        wrong_count++;                                                                             \
    } while (0)

/* The string at `key`, or "" and a complaint. */
static const char *string_at(struct json_object *o, const char *key)
{
    struct json_object *value = NULL;
    if (!json_object_object_get_ex(o, key, &value)) {
        WRONG("no %s", key);
        return "";
    }
    if (!json_object_is_type(value, json_type_string)) {
        WRONG("%s is no string", key);
        return "";
    }
    return json_object_get_string(value);
}

static void expect_string(struct json_object *o, const char *key, const char *expected)
{
    const char *is = string_at(o, key);
    if (is[0] != '\0' && strcmp(is, expected) != 0)
        WRONG("%s is '%s', not '%s'", key, is, expected);
}

/* Exactly one variable, as the loaders want it, with a value that is not empty. */
static void expect_switch(struct json_object *layer, const char *key, const char *variable)
{
    struct json_object *value = NULL;
    if (!json_object_object_get_ex(layer, key, &value)) {
        WRONG("no %s", key);
        return;
    }
    if (!json_object_is_type(value, json_type_object) || json_object_object_length(value) != 1) {
        WRONG("%s is no object of one variable", key);
        return;
    }
    expect_string(value, variable, "1");
}

static void expect_absent(struct json_object *layer, const char *key, const char *reason)
{
    if (json_object_object_get_ex(layer, key, NULL))
        WRONG("%s: %s", key, reason);
}

/* Relative to the manifest (a bare file name would be searched for in the system's folders), and
 * there. */
static void check_library(struct json_object *layer, const char *manifest)
{
    char path[2 * PATH_MAX];
    const char *library = string_at(layer, "library_path");
    const char *slash = strrchr(manifest, '/');

    if (library[0] == '/' || strchr(library, '/') == NULL) {
        WRONG("library_path '%s' is not relative to the manifest", library);
        return;
    }
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - manifest) + 1 : 0, manifest,
             library);
    if (access(path, R_OK | X_OK) != 0)
        WRONG("library_path: no '%s'", path);
}

/* Loader 1.3.239 warns about a version of the file that it does not know; it knows these. */
static void check_versions(struct json_object *root, struct json_object *layer)
{
    const char *format = string_at(root, "file_format_version");
    unsigned major = 0, minor = 0, patch = 0;

    if (strcmp(format, "1.2.0") != 0 && strcmp(format, "1.2.1") != 0)
        WRONG("file_format_version is '%s'", format);
    if (sscanf(string_at(layer, "api_version"), "%u.%u.%u", &major, &minor, &patch) != 3 ||
        major != 1 || minor < 3 || patch > 4095)
        WRONG("api_version is no version that programs of today ask for");
    if (atoi(string_at(layer, "implementation_version")) < 1)
        WRONG("implementation_version is not a number");
}

int main(int argc, char **argv)
{
    if (argc != 3 || (strcmp(argv[1], "implicit") != 0 && strcmp(argv[1], "explicit") != 0)) {
        fprintf(stderr, "usage: test_manifest (implicit|explicit) FILE\n");
        return 1;
    }
    struct json_object *root = json_object_from_file(argv[2]);
    struct json_object *layer = NULL;
    if (root == NULL || !json_object_object_get_ex(root, "layer", &layer)) {
        fprintf(stderr, "'%s' is no manifest of a layer\n", argv[2]);
        return 1;
    }

    expect_string(layer, "name", "VK_LAYER_SPILLWAY_overcommit");
    expect_string(layer, "type", "GLOBAL");
    expect_string(layer, "library_arch", sizeof(void *) == 8 ? "64" : "32");
    /* VK_MAX_DESCRIPTION_SIZE, with its NUL. */
    if (strlen(string_at(layer, "description")) >= 256)
        WRONG("description is too long");
    check_versions(root, layer);
    check_library(layer, argv[2]);
    if (strcmp(argv[1], "implicit") == 0) {
        expect_switch(layer, "enable_environment", "SPILLWAY");
        expect_switch(layer, "disable_environment", "SPILLWAY_DISABLE");
    } else {
        expect_absent(layer, "enable_environment", "means nothing to an explicit layer");
        expect_absent(layer, "disable_environment", "means nothing to an explicit layer");
    }
    expect_absent(layer, "device_extensions", "the loader would add them to every device");
    expect_absent(layer, "instance_extensions",
                  "loader 1.3.239 lists them, and refuses those that it does not know");
    expect_absent(layer, "component_layers", "not a meta-layer");
    json_object_put(root);
    return wrong_count == 0 ? 0 : 1;
}
