/* SPDX-License-Identifier: MIT
 *
 * The set-up of one run: a folder of its own that stands in for the user's, with manifests of
 * exactly one driver, at most one validation layer and at most one Spillway, and an environment
 * cleaned of whatever the developer's shell has in it for Vulkan. */
#include "under.h"

#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* Where Debian puts what may be used. The driver's and layer's manifests name their library
 * relative to the loader's search path, so that a 32-bit run takes the 32-bit one. */
#define LAVAPIPE_MANIFESTS   "/usr/share/vulkan/icd.d/lvp_icd.*.json"
#define DEBIAN_LAYER_FOLDER  "/usr/share/vulkan/explicit_layer.d"
#define CHROMIUM_LOADER      "/usr/lib/chromium/libvulkan.so.1"
#define CHROMIUM_VALIDATION  "/usr/lib/chromium/libVkLayer_khronos_validation.so"
#define SWIFTSHADER_MANIFEST "/usr/lib/chromium/vk_swiftshader_icd.json"
#define SWIFTSHADER_LIB      "/usr/lib/chromium/libvk_swiftshader.so"

const char *under_path(const struct under *u, const char *format, ...)
{
    static char buffers[4][UNDER_PATH + 256];
    static unsigned next;
    char *buffer = buffers[next++ % 4];
    int used = snprintf(buffer, sizeof(buffers[0]), "%s/", u->folder);
    va_list args;
    va_start(args, format);
    vsnprintf(buffer + used, sizeof(buffers[0]) - (size_t)used, format, args);
    va_end(args);
    return buffer;
}

static void set(struct under *u, const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        under_fatal("cannot set %s", name);
    size_t length = strlen(name);
    char *entry = NULL;
    if (asprintf(&entry, "%s=%s", name, value) < 0)
        under_fatal("no memory");
    for (size_t i = 0; i < u->variables.count; i++)
        if (strncmp(u->variables.entries[i], entry, length + 1) == 0) {
            u->variables.entries[i] = entry;
            return;
        }
    if (u->variables.count == UNDER_MAX_LIST)
        under_fatal("too many variables");
    u->variables.entries[u->variables.count++] = entry;
}

static void set_pair(struct under *u, const char *pair)
{
    char name[256];
    const char *value = strchr(pair, '=');
    if (!value || value - pair >= (int)sizeof(name))
        under_fatal("'%s' is not NAME=VALUE", pair);
    snprintf(name, sizeof(name), "%.*s", (int)(value - pair), pair);
    set(u, name, value + 1);
}

static void clean_environment(void)
{
    static const char *const prefixes[] = {
        "VK_",   "SPILLWAY", "SIMGPU_",   "XDG_",           "MESA_",
        "HOME=", "LP_",      "NODEVICE_", "LD_LIBRARY_PATH"};
    for (char **entry = environ; *entry;) {
        bool drop = false;
        for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]) && !drop; i++)
            drop = strncmp(*entry, prefixes[i], strlen(prefixes[i])) == 0;
        if (!drop) {
            entry++;
            continue;
        }
        char name[256];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(*entry, "="), *entry);
        unsetenv(name); /* closes the gap: the next entry is in the same place */
    }
}

static void make_folder(const struct under *u, const char *name)
{
    if (mkdir(under_path(u, "%s", name), 0700) != 0)
        under_fatal("cannot make %s", under_path(u, "%s", name));
}

static void write_file(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void write_file(const char *path, const char *format, ...)
{
    FILE *file = fopen(path, "w");
    va_list args;
    va_start(args, format);
    if (!file || vfprintf(file, format, args) < 0 || fclose(file) != 0)
        under_fatal("cannot write %s", path);
    va_end(args);
}

/* First file that matches, into path. */
static bool find_file(char path[UNDER_PATH], const char *pattern)
{
    glob_t found = {0};
    bool there = glob(pattern, 0, NULL, &found) == 0;
    if (there)
        snprintf(path, UNDER_PATH, "%s", found.gl_pathv[0]);
    globfree(&found);
    return there;
}

/* The library that was named, or the first one below the build tree: suites are built wherever
 * Meson puts them. */
static void find_built(char path[UNDER_PATH], const char *named, const char *what,
                       const char *const *patterns, size_t count)
{
    if (named) {
        snprintf(path, UNDER_PATH, "%s", named);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char pattern[UNDER_PATH];
        snprintf(pattern, sizeof(pattern), "%s/%s", UNDER_BUILD_ROOT, patterns[i]);
        if (find_file(path, pattern))
            return;
    }
    under_fatal("%s is not built (looked below %s)", what, UNDER_BUILD_ROOT);
}

static void set_up_simgpu(struct under *u, const char *manifest)
{
    static const char *const patterns[] = {"tests/simgpu/lib*simgpu*.so",
                                           "tests/simgpu/*/lib*simgpu*.so"};
    bool over_swiftshader = strcmp(u->icd, "simgpu-swiftshader") == 0;
    char path[UNDER_PATH];
    if (!over_swiftshader && strcmp(u->icd, "simgpu") != 0)
        under_fatal("--icd is simgpu, simgpu-swiftshader, lavapipe or swiftshader, not '%s'",
                    u->icd);
    if (over_swiftshader && access(SWIFTSHADER_LIB, R_OK) != 0)
        under_skip("no SwiftShader here (%s)", SWIFTSHADER_LIB);
    if (!over_swiftshader && !find_file(path, LAVAPIPE_MANIFESTS))
        under_skip("no lavapipe here for simgpu (%s)", LAVAPIPE_MANIFESTS);
    find_built(path, u->simgpu_lib, "simgpu", patterns, 2);
    write_file(manifest,
               "{\"file_format_version\": \"1.0.0\",\n"
               " \"ICD\": {\"library_path\": \"%s\", \"api_version\": \"1.3.0\"}}\n",
               path);
    if (over_swiftshader)
        set(u, "SIMGPU_DRIVER", SWIFTSHADER_LIB);
    set(u, "SIMGPU_PROFILE", u->profile);
    if (u->vram)
        set(u, "SIMGPU_VRAM", u->vram);
    if (u->host)
        set(u, "SIMGPU_HOST", u->host);
    if (u->bar)
        set(u, "SIMGPU_BAR", u->bar);
    set(u, "SIMGPU_STRICT", "abort");
}

static void set_up_driver(struct under *u)
{
    char manifest[UNDER_PATH];
    if (strcmp(u->icd, "lavapipe") == 0) {
        if (!find_file(manifest, LAVAPIPE_MANIFESTS))
            under_skip("no lavapipe here (%s)", LAVAPIPE_MANIFESTS);
    } else if (strcmp(u->icd, "swiftshader") == 0) {
        if (access(SWIFTSHADER_MANIFEST, R_OK) != 0)
            under_skip("no SwiftShader here (%s)", SWIFTSHADER_MANIFEST);
        snprintf(manifest, sizeof(manifest), "%s", SWIFTSHADER_MANIFEST);
    } else {
        snprintf(manifest, sizeof(manifest), "%s/simgpu_icd.json", u->folder);
        set_up_simgpu(u, manifest);
    }
    set(u, "VK_DRIVER_FILES", manifest);
    set(u, "VK_ICD_FILENAMES", manifest);
}

/* In a build with sanitizers: what the software drivers leak and race is not ours. */
static void set_up_sanitizers(struct under *u)
{
    static const struct {
        const char *variable, *options;
    } lists[] = {
        /* Freed blocks are kept to find their users: 256 MiB for each of the drivers' many threads
         * is more than the machine has. */
        {"ASAN_OPTIONS", "quarantine_size_mb=16:thread_local_quarantine_size_kb=64"},
        {"LSAN_OPTIONS", "suppressions=" UNDER_SUPPRESSIONS "/lsan.supp"},
        {"TSAN_OPTIONS", "suppressions=" UNDER_SUPPRESSIONS "/tsan.supp"},
    };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const char *before = getenv(lists[i].variable);
        char value[UNDER_PATH];
        snprintf(value, sizeof(value), "%s%s%s", before ? before : "", before && *before ? ":" : "",
                 lists[i].options);
        set(u, lists[i].variable, value);
    }
}

static void set_up_loader(struct under *u)
{
    if (!u->chromium_loader)
        return;
    if (access(CHROMIUM_LOADER, R_OK) != 0)
        under_skip("no loader of chromium-common here (%s)", CHROMIUM_LOADER);
    /* A folder of its own: beside that loader lie other libraries that the program must not get. */
    make_folder(u, "loader");
    if (symlink(CHROMIUM_LOADER, under_path(u, "loader/libvulkan.so.1")) != 0)
        under_fatal("cannot link to %s", CHROMIUM_LOADER);
    set(u, "LD_LIBRARY_PATH", under_path(u, "loader"));
}

static void set_up_validation(struct under *u)
{
    if (u->validation == UNDER_VALIDATION_NONE) {
        /* Explicit layers that the machine has are none of this run's business. */
        make_folder(u, "layers");
        set(u, "VK_LAYER_PATH", under_path(u, "layers"));
        return;
    }
    if (u->validation == UNDER_VALIDATION_DEBIAN) {
        if (access(DEBIAN_LAYER_FOLDER "/VkLayer_khronos_validation.json", R_OK) != 0)
            under_skip("no validation layer here (%s)", DEBIAN_LAYER_FOLDER);
        set(u, "VK_LAYER_PATH", DEBIAN_LAYER_FOLDER);
    } else {
        if (access(CHROMIUM_VALIDATION, R_OK) != 0)
            under_skip("no validation layer of chromium-common here (%s)", CHROMIUM_VALIDATION);
        make_folder(u, "layers");
        write_file(
            under_path(u, "layers/validation.json"),
            "{\"file_format_version\": \"1.2.0\", \"layer\": {\n"
            "  \"name\": \"VK_LAYER_KHRONOS_validation\", \"type\": \"GLOBAL\",\n"
            "  \"library_path\": \"%s\", \"api_version\": \"1.4.364\",\n"
            "  \"implementation_version\": \"1\", \"description\": \"Khronos Validation Layer\",\n"
            "  \"instance_extensions\": [\n"
            "    {\"name\": \"VK_EXT_debug_report\", \"spec_version\": \"10\"},\n"
            "    {\"name\": \"VK_EXT_debug_utils\", \"spec_version\": \"2\"},\n"
            "    {\"name\": \"VK_EXT_validation_features\", \"spec_version\": \"6\"}]}}\n",
            CHROMIUM_VALIDATION);
        set(u, "VK_LAYER_PATH", under_path(u, "layers"));
    }
    /* Implicit layers come first, so Spillway is above it: what is checked is what Spillway hands
     * on. */
    set(u, "VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
}

static void set_up_layer(struct under *u)
{
    static const char *const check[] = {"layer/libVkLayer_spillway_check.so",
                                        "layer/*/libVkLayer_spillway_check.so"};
    static const char *const shipped[] = {"layer/libVkLayer_spillway.so",
                                          "layer/*/libVkLayer_spillway.so"};
    if (u->layer == UNDER_LAYER_OFF)
        return;
    char lib[UNDER_PATH];
    find_built(lib, u->layer_lib, "Spillway", u->layer == UNDER_LAYER_CHECK ? check : shipped, 2);
    make_folder(u, "data/vulkan");
    make_folder(u, "data/vulkan/implicit_layer.d");
    write_file(
        under_path(u, "data/vulkan/implicit_layer.d/spillway_layer.json"),
        "{\"file_format_version\": \"1.2.0\", \"layer\": {\n"
        "  \"name\": \"VK_LAYER_SPILLWAY_overcommit\", \"type\": \"GLOBAL\",\n"
        "  \"library_path\": \"%s\", \"api_version\": \"1.3.0\",\n"
        "  \"implementation_version\": \"1\", \"description\": \"Spillway, from the build tree\",\n"
        "  \"enable_environment\": {\"SPILLWAY\": \"1\"},\n"
        "  \"disable_environment\": {\"SPILLWAY_DISABLE\": \"1\"}}}\n",
        lib);
    set(u, "SPILLWAY", "1");
    set(u, "SPILLWAY_STATS", "exit");
    for (size_t i = 0; i < u->settings.count; i++) {
        char pair[512];
        snprintf(pair, sizeof(pair), "SPILLWAY_%s", u->settings.entries[i]);
        for (char *c = pair; *c && *c != '='; c++) {
            if (*c == '.')
                *c = '_';
            else if (*c >= 'a' && *c <= 'z')
                *c = (char)(*c - 'a' + 'A');
        }
        set_pair(u, pair);
    }
}

void under_setup_outputs(struct under *u, const char *name)
{
    make_folder(u, name);
    set(u, "SIMGPU_STATS", under_path(u, "%s/simgpu.json", name));
    set(u, "SIMGPU_LOG", under_path(u, "%s/simgpu.log", name));
    /* The first is written only where SIMGPU_ORACLE is on. */
    set(u, "SIMGPU_ORACLE_FILE", under_path(u, "%s/oracle.jsonl", name));
    set(u, "SIMGPU_COST_FILE", under_path(u, "%s/cost.jsonl", name));
    if (u->layer != UNDER_LAYER_OFF && !u->log_to_stderr)
        set(u, "SPILLWAY_LOG_FILE", under_path(u, "%s/spillway.log", name));
    if (u->validation == UNDER_VALIDATION_NONE)
        return;
    write_file(under_path(u, "%s/vk_layer_settings.txt", name),
               "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
               "khronos_validation.report_flags = error,warn\n"
               "khronos_validation.log_filename = %s\n"
               "%s%s",
               under_path(u, "%s/validation.log", name),
               u->sync && u->validation == UNDER_VALIDATION_DEBIAN
                   ? "khronos_validation.enables = "
                     "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n"
                   : "",
               u->sync && u->validation == UNDER_VALIDATION_CHROMIUM
                   ? "khronos_validation.validate_sync = true\n"
                   : "");
    set(u, "VK_LAYER_SETTINGS_PATH", under_path(u, "%s", name));
}

void under_setup(struct under *u)
{
    /* In the build tree, so that what failed runs leave behind goes when it goes. */
    if (mkdir(UNDER_BUILD_ROOT "/runs", 0700) != 0 && errno != EEXIST)
        under_fatal("cannot make %s/runs", UNDER_BUILD_ROOT);
    snprintf(u->folder, sizeof(u->folder), "%s/runs/XXXXXX", UNDER_BUILD_ROOT);
    if (!mkdtemp(u->folder))
        under_fatal("cannot make a folder like %s", u->folder);
    clean_environment();
    static const struct {
        const char *variable, *folder;
    } folders[] = {{"HOME", "home"},
                   {"XDG_DATA_HOME", "data"},
                   {"XDG_CONFIG_HOME", "config"},
                   {"XDG_CACHE_HOME", "cache"},
                   {"XDG_DATA_DIRS", "share"},
                   {"XDG_CONFIG_DIRS", "etc"},
                   {"XDG_RUNTIME_DIR", "run-user"}};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        make_folder(u, folders[i].folder);
        set(u, folders[i].variable, under_path(u, "%s", folders[i].folder));
    }
    set(u, "NODEVICE_SELECT", "1"); /* Mesa's own implicit layer */
    set_up_sanitizers(u);
    set_up_driver(u);
    set_up_loader(u);
    set_up_validation(u);
    set_up_layer(u);
    for (size_t i = 0; i < u->environment.count; i++)
        set_pair(u, u->environment.entries[i]);
}

static void print_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

void under_print_reproduction(const struct under *u)
{
    FILE *script = fopen(under_path(u, "again.sh"), "w");
    fprintf(stderr, "under: the environment was (all other VK_, SPILLWAY, SIMGPU_ and XDG_ "
                    "variables unset):\n");
    if (script)
        fputs("#!/bin/sh\n", script);
    for (size_t i = 0; i < u->variables.count; i++) {
        fprintf(stderr, "  %s\n", u->variables.entries[i]);
        if (!script)
            continue;
        size_t name = strcspn(u->variables.entries[i], "=");
        fprintf(script, "export %.*s=", (int)name, u->variables.entries[i]);
        print_quoted(script, u->variables.entries[i] + name + 1);
        fputc('\n', script);
    }
    fputs("under: the program was:\n ", stderr);
    if (script)
        fputs("exec \"$@\"", script);
    for (char **word = u->program; *word; word++) {
        fputc(' ', stderr);
        print_quoted(stderr, *word);
        if (!script)
            continue;
        fputc(' ', script);
        print_quoted(script, *word);
    }
    fprintf(stderr, "\nunder: again: sh %s     in the debugger: sh %s gdb --args\n",
            under_path(u, "again.sh"), under_path(u, "again.sh"));
    if (script) {
        fputc('\n', script);
        fclose(script);
    }
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void under_remove_folder(struct under *u)
{
    if (*u->folder)
        nftw(u->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    *u->folder = '\0';
}
