/* SPDX-License-Identifier: MIT
 *
 * The loaders' search for implicit layers, redone: LoaderLayerInterface.md, "Linux Layer
 * Discovery". Loaders differ in details (the system's own SYSCONFDIR is built in), not in these
 * folders:
 *
 *     $XDG_CONFIG_HOME (~/.config), $XDG_CONFIG_DIRS (/etc/xdg), /etc,
 *     $XDG_DATA_HOME (~/.local/share), $XDG_DATA_DIRS (/usr/local/share:/usr/share)
 *
 * each with vulkan/implicit_layer.d below it. */
#include "layers.h"

#include "cli.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMPLICIT "vulkan/implicit_layer.d"

/* Larger than any manifest; a file beyond it is not one. */
#define MAX_MANIFEST ((size_t)1 << 20)

void text_list_add(struct text_list *list, char *owned)
{
    char **items = realloc(list->items, (list->count + 1) * sizeof(*items));
    if (items == NULL)
        cli_out_of_memory();
    list->items = items;
    list->items[list->count++] = owned;
}

void text_list_finish(struct text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct text_list){0};
}

/* ---- folders ---- */

static void add_below(struct text_list *folders, const char *base, size_t length)
{
    if (length > 0)
        text_list_add(folders, cli_format("%.*s/%s", (int)length, base, IMPLICIT));
}

/* Every part of a list with colons. */
static void add_each(struct text_list *folders, const char *list)
{
    while (*list != '\0') {
        size_t length = strcspn(list, ":");
        add_below(folders, list, length);
        list += length + (list[length] == ':');
    }
}

static const char *variable_or(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : otherwise;
}

static void add_home(struct text_list *folders, const char *variable, const char *below_home)
{
    const char *value = getenv(variable);
    const char *home = getenv("HOME");
    if (value != NULL && value[0] != '\0') {
        add_below(folders, value, strlen(value));
    } else if (home != NULL && home[0] != '\0') {
        char *base = cli_format("%s/%s", home, below_home);
        add_below(folders, base, strlen(base));
        free(base);
    }
}

/* ---- libraries ---- */

/* NULL: a shared library for this processor and word size. */
static const char *what_is_wrong_with_library(const char *path)
{
    union {
        Elf32_Ehdr header32;
        Elf64_Ehdr header64;
        unsigned char ident[EI_NIDENT];
    } file, self;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, &file, sizeof(file)) : -1;
    ssize_t got_own = own >= 0 ? read(own, &self, sizeof(self)) : -1;
    if (fd >= 0)
        close(fd);
    if (own >= 0)
        close(own);
    if (fd < 0)
        return "cannot be read";
    if (got < (ssize_t)sizeof(file) || memcmp(file.ident, ELFMAG, SELFMAG) != 0)
        return "is no shared library";
    if (got_own < (ssize_t)sizeof(self))
        return NULL;
    if (file.ident[EI_CLASS] != self.ident[EI_CLASS])
        return file.ident[EI_CLASS] == ELFCLASS32 ? "is a 32-bit library" : "is a 64-bit library";
    /* e_machine has the same place in both classes. */
    if (file.header32.e_machine != self.header32.e_machine)
        return "is for another processor";
    return NULL;
}

/* ---- one manifest ---- */

static char *read_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd < 0)
        return NULL;
    char *text = NULL;
    size_t used = 0;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (regular)
        text = malloc(MAX_MANIFEST + 1);
    for (ssize_t got = 1; text != NULL && got > 0 && used < MAX_MANIFEST; used += (size_t)got) {
        got = read(fd, text + used, MAX_MANIFEST - used);
        if (got < 0) {
            free(text);
            text = NULL;
            break;
        }
    }
    close(fd);
    if (text != NULL)
        text[used] = '\0';
    else if (!regular)
        errno = EINVAL;
    return text;
}

static const char *string_of(json_object *object, const char *key)
{
    json_object *value = NULL;
    if (!json_object_object_get_ex(object, key, &value) ||
        !json_object_is_type(value, json_type_string))
        return NULL;
    return json_object_get_string(value);
}

static void set_state(struct manifest *m, enum manifest_state state, char *detail)
{
    m->state = state;
    m->detail = detail;
}

/* A path with a slash is relative to the manifest's folder; a bare name is looked up by the dynamic
 * linker, and only trying would tell. */
static void judge_library(struct manifest *m, const char *library)
{
    if (strchr(library, '/') == NULL)
        return;
    const char *slash = strrchr(m->path, '/');
    char *path = library[0] == '/'
                     ? cli_copy(library)
                     : cli_format("%.*s/%s", (int)(slash - m->path), m->path, library);
    char *clean = realpath(path, NULL);
    if (clean != NULL) {
        free(path);
        path = clean;
    }
    m->library = path;
    if (access(path, F_OK) != 0) {
        set_state(m, MANIFEST_NO_LIBRARY, cli_format("its library '%s' does not exist", path));
        return;
    }
    const char *wrong = what_is_wrong_with_library(path);
    if (wrong != NULL)
        set_state(m, MANIFEST_BAD_LIBRARY, cli_format("its library '%s' %s", path, wrong));
}

/* False: somebody else's. */
static bool judge_layer(struct manifest *m, json_object *layer)
{
    json_object *ignored;
    const char *name = string_of(layer, "name");
    const char *library = string_of(layer, "library_path");
    const char *arch = string_of(layer, "library_arch");
    if (name == NULL || strcmp(name, LAYER_NAME) != 0)
        return false;
    const char *own_arch = sizeof(void *) == 8 ? "64" : "32";
    if (arch != NULL && strcmp(arch, own_arch) != 0) {
        set_state(m, MANIFEST_OTHER_WORD_SIZE, cli_format("it is for %s-bit programs", arch));
        return true;
    }
    if (library == NULL)
        set_state(m, MANIFEST_BROKEN, cli_copy("it names no library (library_path)"));
    else if (!json_object_object_get_ex(layer, "disable_environment", &ignored))
        set_state(m, MANIFEST_BROKEN,
                  cli_copy("it has no disable_environment, so loaders leave it out"));
    else
        judge_library(m, library);
    return true;
}

/* False: nothing worth remembering. */
static bool judge_manifest(struct manifest *m, struct layer_search *search)
{
    json_object *layer = NULL;
    m->ours = strstr(strrchr(m->path, '/'), "spillway") != NULL;
    char *text = read_file(m->path);
    if (text == NULL) {
        set_state(m, MANIFEST_UNREADABLE, cli_format("it cannot be read: %s", strerror(errno)));
        return m->ours;
    }
    json_object *root = json_tokener_parse(text);
    free(text);
    if (root == NULL) {
        set_state(m, MANIFEST_BROKEN, cli_copy("it is not valid JSON"));
        return true;
    }
    bool remember = m->ours;
    if (!json_object_object_get_ex(root, "layer", &layer) ||
        !json_object_is_type(layer, json_type_object)) {
        set_state(m, MANIFEST_BROKEN, cli_copy("there is no \"layer\" in it"));
    } else {
        const char *name = string_of(layer, "name");
        if (name != NULL && strcmp(name, "VK_LAYER_LUNARG_override") == 0 &&
            search->override_manifest == NULL)
            search->override_manifest = cli_copy(m->path);
        m->ours = judge_layer(m, layer);
        remember = m->ours;
    }
    json_object_put(root);
    return remember;
}

static void manifest_finish(struct manifest *m)
{
    free(m->path);
    free(m->detail);
    free(m->library);
}

static void search_folder(struct layer_search *search, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        struct manifest m = {.path = cli_format("%s/%s", folder, name)};
        free(entries[i]);
        if (length < 5 || strcmp(m.path + strlen(m.path) - 5, ".json") != 0 ||
            !judge_manifest(&m, search)) {
            manifest_finish(&m);
            continue;
        }
        struct manifest *grown =
            realloc(search->manifests, (search->manifest_count + 1) * sizeof(*grown));
        if (grown == NULL)
            cli_out_of_memory();
        search->manifests = grown;
        search->manifests[search->manifest_count++] = m;
    }
    if (count >= 0)
        free(entries);
}

/* ---- the search ---- */

/* vk_loader_settings.json (loaders since 1.3.234, Vulkan Configurator 3): lists the layers that are
 * on, and may take all others away. */
static char *find_loader_settings(void)
{
    const char *home = getenv("HOME");
    const char *data_home = getenv("XDG_DATA_HOME");
    char *path = NULL;
    if (data_home != NULL && data_home[0] != '\0')
        path = cli_format("%s/vulkan/loader_settings.d/vk_loader_settings.json", data_home);
    else if (home != NULL)
        path = cli_format("%s/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", home);
    if (path != NULL && access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

void layer_search_init(struct layer_search *search)
{
    *search = (struct layer_search){0};
    struct text_list *folders = &search->folders;
    add_home(folders, "XDG_CONFIG_HOME", ".config");
    add_each(folders, variable_or("XDG_CONFIG_DIRS", "/etc/xdg"));
    add_each(folders, "/etc");
    add_home(folders, "XDG_DATA_HOME", ".local/share");
    add_each(folders, variable_or("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    for (size_t i = 0; i < folders->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(folders->items[i], folders->items[j]) == 0;
        if (!seen)
            search_folder(search, folders->items[i]);
    }
    search->loader_settings = find_loader_settings();
}

void layer_search_finish(struct layer_search *search)
{
    for (size_t i = 0; i < search->manifest_count; i++)
        manifest_finish(&search->manifests[i]);
    free(search->manifests);
    text_list_finish(&search->folders);
    free(search->override_manifest);
    free(search->loader_settings);
    *search = (struct layer_search){0};
}

const struct manifest *layer_search_find(const struct layer_search *search)
{
    for (size_t i = 0; i < search->manifest_count; i++) {
        if (search->manifests[i].ours && search->manifests[i].state == MANIFEST_OK)
            return &search->manifests[i];
    }
    return NULL;
}

bool layer_folder_has_manifest(const char *folder)
{
    struct layer_search search = {0};
    char *path = cli_format("%s/%s", folder, IMPLICIT);
    search_folder(&search, path);
    free(path);
    bool found = layer_search_find(&search) != NULL;
    layer_search_finish(&search);
    return found;
}

char *layer_folder_beside_command(void)
{
    /* From the command's folder: the prefix's data folder; in the build tree one that
     * build-tree/vulkan/implicit_layer.d/meson.build makes. */
    static const char *const ways[] = {SPW_DATA_FROM_COMMAND, "build-tree"};
    char *command = realpath("/proc/self/exe", NULL);
    if (command == NULL)
        return NULL;
    *strrchr(command, '/') = '\0';
    char *found = NULL;
    for (size_t i = 0; found == NULL && i < SPW_ARRAY_SIZE(ways); i++) {
        char *path = cli_format("%s/%s", command, ways[i]);
        char *folder = realpath(path, NULL);
        free(path);
        if (folder != NULL && layer_folder_has_manifest(folder))
            found = folder;
        else
            free(folder);
    }
    free(command);
    return found;
}
