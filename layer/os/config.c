/* SPDX-License-Identifier: MIT
 *
 * Finding and loading the configuration: the folders in their order, vk_layer_settings.txt, the
 * file that SPILLWAY_CONFIG names, and the variables. */
#include "config_data.h"

#include "host_alloc.h"
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* <datadir>/spillway, from meson. */
#ifndef SPW_SHIPPED_FOLDER
#define SPW_SHIPPED_FOLDER "/usr/share/spillway"
#endif
#define ETC_FOLDER "/etc/spillway"

/* Where Steam's container and Flatpak show the machine's own /usr and /etc. */
#define HOST_PREFIX "/run/host"

/* Complaints about one file that are shown to a user who did not ask to have it checked. */
#define MAX_SHOWN_COMPLAINTS 10

struct loader {
    struct spw_config *config;
    bool privileged;
    spw_complain_fn complain;
    void *user;
};

/* ---- files ---- */

static void file_finish(struct spw_config_file *file)
{
    spw_free(file->path);
    spw_json_destroy(file->tree);
    spw_config_values_finish(&file->layer_settings);
    *file = (struct spw_config_file){0};
}

/* A slot at the end of the list, with its path; NULL: no memory, which was complained about. */
static struct spw_config_file *add_file(struct loader *l, const char *path,
                                        enum spw_file_place place)
{
    struct spw_config *config = l->config;
    if (config->file_count == config->file_capacity) {
        size_t capacity = config->file_capacity == 0 ? 16 : config->file_capacity * 2;
        struct spw_config_file *files =
            spw_realloc(config->files, capacity * sizeof(*config->files));
        if (files == NULL) {
            spw_complain(l->complain, l->user, SPW_LOG_WARN, "%s: out of memory; it is left out",
                         path);
            return NULL;
        }
        config->files = files;
        config->file_capacity = capacity;
    }
    char *copy = spw_strdup(path);
    if (copy == NULL) {
        spw_complain(l->complain, l->user, SPW_LOG_WARN, "%s: out of memory; it is left out", path);
        return NULL;
    }
    struct spw_config_file *file = &config->files[config->file_count++];
    *file = (struct spw_config_file){.path = copy, .place = place};
    return file;
}

static void parse_json(struct spw_config_file *file, const struct spw_text_file *text,
                       struct spw_file_complaints *c)
{
    struct spw_json_error error;
    if (text->text[strspn(text->text, " \t\r\n")] == '\0' && strlen(text->text) == text->length) {
        spw_complain_file(c, SPW_LOG_WARN, 0, NULL, "it is empty; an empty configuration is {}");
        return;
    }
    switch (spw_json_parse(text->text, text->length, &file->tree, &error)) {
    case SPW_OK:
        spw_config_file_check(file, c);
        break;
    case SPW_NO_HOST_MEMORY:
        spw_complain_file(c, SPW_LOG_WARN, 0, NULL, "out of memory; it is left out");
        break;
    default:
        spw_complain_file(c, SPW_LOG_WARN, error.line, NULL, "%s; nothing in this file is used",
                          error.text);
        break;
    }
}

/* Reads and checks what file->path names, as `name` in the folder. A file that is gone by now is
 * like one that was never there, unless it was asked for by name. */
static enum spw_result read_file(struct spw_config_file *file, int dir_fd, const char *name,
                                 bool root_only, bool must_exist, struct spw_file_complaints *c)
{
    struct spw_text_file text;
    char reason[SPW_TEXT_FILE_REASON];
    enum spw_result result = spw_text_file_read(dir_fd, name, root_only, &text, reason);
    if (result == SPW_NO_HOST_MEMORY) {
        spw_complain_file(c, SPW_LOG_WARN, 0, NULL, "out of memory; it is left out");
    } else if (result == SPW_IO || (result == SPW_NOT_FOUND && must_exist)) {
        spw_complain_file(c, SPW_LOG_WARN, 0, NULL, "it cannot be read: %s", reason);
    }
    if (result != SPW_OK) {
        return result;
    }
    if (file->place == SPW_PLACE_LAYER_SETTINGS) {
        spw_layer_settings_parse(text.text, &file->layer_settings, c);
    } else {
        parse_json(file, &text, c);
    }
    spw_complain_rest(c);
    spw_text_file_finish(&text);
    return SPW_OK;
}

static void load_file(struct loader *l, int dir_fd, const char *name, const char *path,
                      enum spw_file_place place)
{
    struct spw_config_file *file = add_file(l, path, place);
    if (file == NULL) {
        return;
    }
    struct spw_file_complaints c = {.path = file->path,
                                    .complain = l->complain,
                                    .user = l->user,
                                    .max_shown = MAX_SHOWN_COMPLAINTS};
    bool by_name = place == SPW_PLACE_VARIABLE;
    if (read_file(file, dir_fd, name, l->privileged, by_name, &c) == SPW_NOT_FOUND && !by_name) {
        file_finish(file);
        l->config->file_count--;
    }
}

/* ---- folders ---- */

static int open_folder(struct loader *l, const char *path)
{
    enum spw_result result;
    char reason[SPW_TEXT_FILE_REASON];
    int fd = spw_folder_open(path, l->privileged, &result, reason);
    if (fd < 0 && result == SPW_IO) {
        spw_complain(l->complain, l->user, SPW_LOG_WARN, "%.300s: it cannot be read: %s", path,
                     reason);
    }
    return fd;
}

static void load_names(struct loader *l, int fd, const char *folder, enum spw_file_place place)
{
    char **names;
    size_t count;
    bool cut_off;
    enum spw_result result = spw_folder_list(fd, ".json", &names, &count, &cut_off);
    if (result != SPW_OK) {
        spw_complain(l->complain, l->user, SPW_LOG_WARN, "%.300s: %s; its files are left out",
                     folder, result == SPW_IO ? "it cannot be read" : "out of memory");
        return;
    }
    if (cut_off) {
        spw_complain(l->complain, l->user, SPW_LOG_WARN,
                     "%.300s: more than %d files; some of them are left out", folder,
                     SPW_FOLDER_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof(path), "%s/%s", folder, names[i]) < (int)sizeof(path)) {
            load_file(l, fd, names[i], path, place);
        }
        spw_free(names[i]);
    }
    spw_free(names);
}

/* Keeps the folder's name, which becomes ours. */
static void load_folder(struct loader *l, char *folder, enum spw_file_place place)
{
    if (folder == NULL) {
        return;
    }
    l->config->folders[place] = folder;
    int fd = open_folder(l, folder);
    if (fd >= 0) {
        load_names(l, fd, folder, place);
        close(fd);
    }
}

static char *join(const char *a, const char *b)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof(path), "%s%s", a, b) < (int)sizeof(path) ? spw_strdup(path) : NULL;
}

/* The machine's folders, from inside a container too. */
static char *find_system_folder(const struct loader *l, const char *folder)
{
#ifdef SPW_CHECK
    /* The end-to-end tests bring a system of their own, and else see none. */
    const char *root = secure_getenv("SPILLWAY_TEST_CONFIG_ROOT");
    if (!l->privileged) {
        return root != NULL ? join(root, folder) : NULL;
    }
#endif
    if (!l->privileged && access(folder, F_OK) != 0) {
        char *host = join(HOST_PREFIX, folder);
        if (host != NULL && access(host, F_OK) == 0) {
            return host;
        }
        spw_free(host);
    }
    return spw_strdup(folder);
}

/* The XDG base directory specification has relative paths ignored, and so nothing comes from the
 * working directory. */
static char *user_folder(const char *variable, const char *below_home, const char *tail)
{
    char path[PATH_MAX];
    const char *base = secure_getenv(variable);
    const char *between = "";
    if (base == NULL || base[0] != '/') {
        base = secure_getenv("HOME");
        between = below_home;
    }
    if (base == NULL || base[0] != '/' ||
        snprintf(path, sizeof(path), "%s%s%s", base, between, tail) >= (int)sizeof(path)) {
        return NULL;
    }
    return spw_strdup(path);
}

static bool user_files_wanted(void)
{
#ifdef SPW_CHECK
    return secure_getenv("SPILLWAY_TEST_CONFIG_ROOT") != NULL;
#else
    return true;
#endif
}

/* ---- vk_layer_settings.txt ---- */

/* Where Vulkan-Utility-Libraries looks, but for the working directory, its last resort: the first
 * that is there. VK_LAYER_SETTINGS_PATH is a file, or a folder with a file of that name. */
static void load_layer_settings(struct loader *l)
{
    static const char name[] = "/vk_layer_settings.txt";
    char *path = user_files_wanted() ? user_folder("XDG_DATA_HOME", "/.local/share",
                                                   "/vulkan/settings.d/vk_layer_settings.txt")
                                     : NULL;
    if (path == NULL || access(path, F_OK) != 0) {
        spw_free(path);
        path = NULL;
        const char *variable = secure_getenv("VK_LAYER_SETTINGS_PATH");
        if (variable == NULL || variable[0] != '/') {
            return;
        }
        char *below = join(variable, name);
        path = below != NULL && access(below, F_OK) == 0 ? below : spw_strdup(variable);
        if (path != below) {
            spw_free(below);
        }
    }
    if (path != NULL) {
        load_file(l, AT_FDCWD, path, path, SPW_PLACE_LAYER_SETTINGS);
    }
    spw_free(path);
}

/* ---- variables ---- */

static void load_config_variable(struct loader *l)
{
    const char *path = spw_settings_env_config();
    if (path == NULL) {
        return;
    }
    if (path[0] != '/') {
        spw_complain(l->complain, l->user, SPW_LOG_WARN,
                     "SPILLWAY_CONFIG: '%.300s' is not an absolute path; it is left out", path);
        return;
    }
    load_file(l, AT_FDCWD, path, path, SPW_PLACE_VARIABLE);
}

static void load_variable(void *user, const struct spw_setting_row *row, const char *name,
                          const char *value)
{
    struct loader *l = user;
    struct spw_settings scratch;
    /* For its complaints. */
    spw_settings_init(&scratch);
    enum spw_result result =
        spw_settings_set(&scratch, row->key, value, name, l->complain, l->user);
    spw_settings_finish(&scratch);
    if (result != SPW_OK) {
        return;
    }
    if (spw_config_values_add(&l->config->variables, row, value, 0) != SPW_OK) {
        spw_complain(l->complain, l->user, SPW_LOG_WARN, "%s: out of memory; it is left out", name);
    }
}

/* ---- what config.h declares ---- */

struct spw_config *spw_config_load(spw_complain_fn complain, void *user)
{
    struct loader l = {.config = spw_calloc(1, sizeof(*l.config)),
                       .privileged = getauxval(AT_SECURE) != 0,
                       .complain = complain,
                       .user = user};
    if (l.config == NULL) {
        return NULL;
    }
    load_folder(&l, find_system_folder(&l, SPW_SHIPPED_FOLDER), SPW_PLACE_SHIPPED);
    load_folder(&l, find_system_folder(&l, ETC_FOLDER), SPW_PLACE_ETC);
    if (!l.privileged) {
        load_folder(&l,
                    user_files_wanted() ? user_folder("XDG_CONFIG_HOME", "/.config", "/spillway")
                                        : NULL,
                    SPW_PLACE_USER);
        load_layer_settings(&l);
        load_config_variable(&l);
    }
    spw_settings_visit_env(load_variable, &l, complain, user);
    return l.config;
}

void spw_config_destroy(struct spw_config *config)
{
    if (config == NULL) {
        return;
    }
    for (size_t i = 0; i < SPW_FOLDER_COUNT; i++) {
        spw_free(config->folders[i]);
    }
    for (size_t i = 0; i < config->file_count; i++) {
        file_finish(&config->files[i]);
    }
    spw_free(config->files);
    spw_config_values_finish(&config->variables);
    spw_free(config);
}

enum spw_result spw_config_check_file(const char *path, spw_complain_fn complain, void *user)
{
    struct spw_config_file file = {.place = SPW_PLACE_VARIABLE};
    struct spw_file_complaints c = {.path = path, .complain = complain, .user = user};
    enum spw_result result = read_file(&file, AT_FDCWD, path, false, true, &c);
    file_finish(&file);
    if (result == SPW_NOT_FOUND) {
        return SPW_IO;
    }
    if (result == SPW_OK && c.wrong > 0) {
        return SPW_INVALID;
    }
    return result;
}

size_t spw_config_file_count(const struct spw_config *config)
{
    return config->file_count;
}

struct spw_config_file_info spw_config_file_info(const struct spw_config *config, size_t i)
{
    const struct spw_config_file *file = &config->files[i];
    return (struct spw_config_file_info){
        .path = file->path,
        .place = file->place,
        .usable = file->tree != NULL || file->place == SPW_PLACE_LAYER_SETTINGS,
        .profile_count = file->profiles != NULL ? file->profiles->count : 0};
}

const char *spw_config_folder(const struct spw_config *config, enum spw_file_place place)
{
    bool is_folder = (size_t)place < SPW_FOLDER_COUNT && config->folders[place] != NULL;
    return is_folder ? config->folders[place] : "";
}
