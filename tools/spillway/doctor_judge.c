/* SPDX-License-Identifier: MIT
 *
 * What is wrong, and how to put it right, in plain words. Problems make the exit code 1; notes are
 * worth knowing. tests/cmd looks for the "id"s and the words of the fixes. */
#include "doctor.h"

#include "cards.h"
#include "cli.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* VkResult: the one that says "no driver". */
#define RESULT_INCOMPATIBLE_DRIVER (-9)

struct judge {
    json_object *report, *problems, *notes;
    const struct layer_search *search;
    const char *layer_folder; /* beside the command, where the layer is not installed; or NULL */
};

static void add(json_object *list, const char *id, char *text, const char *fix)
{
    /* Two loaders with the same complaint: said once. */
    for (size_t i = 0; i < report_count(list); i++) {
        const char *said = report_text(report_item(list, i), "text");
        if (said != NULL && strcmp(said, text) == 0) {
            free(text);
            return;
        }
    }
    json_object *entry = json_object_new_object();
    json_object_object_add(entry, "id", json_object_new_string(id));
    json_object_object_add(entry, "text", json_object_new_string(text));
    if (fix != NULL)
        json_object_object_add(entry, "fix", json_object_new_string(fix));
    json_object_array_add(list, entry);
    free(text);
}

/* Set and not empty; loaders take an empty list for none. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* ---- manifests ---- */

static const char *fix_of_manifest(enum manifest_state state)
{
    switch (state) {
    case MANIFEST_UNREADABLE:
        return "make the file readable (chmod a+r), or install Spillway again";
    case MANIFEST_NO_LIBRARY:
        return "install Spillway again (meson install -C build), or remove that manifest if it is "
               "a leftover";
    case MANIFEST_BAD_LIBRARY:
        return "install a Spillway that was built for this machine; a 32-bit build goes beside "
               "the 64-bit one, each with its own libdir";
    default:
        return "install Spillway again (meson install -C build): it writes that file anew";
    }
}

static bool judge_manifests(struct judge *j)
{
    bool found = false;
    for (size_t i = 0; i < j->search->manifest_count; i++) {
        const struct manifest *m = &j->search->manifests[i];
        if (!m->ours || m->state == MANIFEST_OK || m->state == MANIFEST_OTHER_WORD_SIZE)
            continue;
        add(j->problems, "bad-manifest",
            cli_format("The layer's manifest %s is broken: %s", m->path, m->detail),
            fix_of_manifest(m->state));
        found = true;
    }
    return found;
}

/* Loader 1.3.239 gives up altogether (VK_ERROR_OUT_OF_HOST_MEMORY) over one manifest that is no
 * JSON, whoever's it is. */
static bool judge_foreign_manifests(struct judge *j)
{
    bool found = false;
    for (size_t i = 0; i < j->search->manifest_count; i++) {
        const struct manifest *m = &j->search->manifests[i];
        if (m->ours)
            continue;
        add(j->problems, "foreign-manifest",
            cli_format("Another layer's manifest %s is broken: %s", m->path, m->detail),
            "install that layer's package again, or remove the file");
        found = true;
    }
    return found;
}

/* ---- the loader and the drivers ---- */

static const char fix_loader[] =
    "install it: apt install libvulkan1 (Debian, Ubuntu), dnf install vulkan-loader (Fedora), "
    "pacman -S vulkan-icd-loader (Arch)";
static const char fix_driver[] =
    "install the driver of your card: apt install mesa-vulkan-drivers (AMD, Intel), NVIDIA's own "
    "driver with its Vulkan part (Debian: nvidia-vulkan-icd); then log in again";

/* VK_DRIVER_FILES and its old name replace the search for drivers: an entry that is not there is a
 * driver that is not found. */
static bool judge_driver_files(struct judge *j)
{
    static const char *const names[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(names); i++) {
        const char *list = variable(names[i]);
        if (list == NULL)
            continue;
        char *first = cli_format("%.*s", (int)strcspn(list, ":"), list);
        bool there = access(first, R_OK) == 0;
        char *fix = cli_format("unset %s, or let it name a driver's manifest", names[i]);
        add(j->problems, "driver-files",
            cli_format("%s is set, so only '%s' is used for a driver%s", names[i], list,
                       there ? "" : ", and that file does not exist"),
            fix);
        free(fix);
        free(first);
        return true;
    }
    return false;
}

/* A card for which no Vulkan driver answers; NULL: none, or nobody was to look for one. */
static json_object *find_silent_card(struct judge *j)
{
    json_object *cards = report_get(j->report, "cards");
    json_object *loaders = report_get(j->report, "loaders");
    if (variable("VK_DRIVER_FILES") != NULL || variable("VK_ICD_FILENAMES") != NULL)
        return NULL;
    for (size_t i = 0; i < report_count(cards); i++) {
        json_object *card = report_item(cards, i);
        bool answers = false;
        for (size_t l = 0; l < report_count(loaders); l++) {
            json_object *gpus = report_get(report_item(loaders, l), "gpus");
            for (size_t g = 0; g < report_count(gpus); g++)
                answers = answers || report_int(report_item(gpus, g), "vendor_id") ==
                                         report_int(card, "vendor_id");
        }
        if (!answers)
            return card;
    }
    return NULL;
}

/* "", or the card that is there all the same. The caller frees. */
static char *describe_card(json_object *card)
{
    if (card == NULL)
        return cli_copy("");
    const char *driver = report_text(card, "kernel_driver");
    return cli_format(" (this machine has a card of %s; its kernel driver: %s)",
                      report_text(card, "vendor"), driver[0] != '\0' ? driver : "none");
}

static void add_lack_of_driver(struct judge *j, const char *id, char *text)
{
    json_object *card = find_silent_card(j);
    char *described = describe_card(card);
    add(j->problems, id, cli_format("%s%s", text, described),
        card != NULL ? cards_fix(card) : fix_driver);
    free(described);
    free(text);
    (void)judge_driver_files(j);
}

static void judge_no_gpu(struct judge *j)
{
    add_lack_of_driver(j, "no-gpu", cli_copy("No GPU: no Vulkan driver answers"));
}

static void judge_plain_failure(struct judge *j, json_object *entry, json_object *without)
{
    const char *loader = report_text(entry, "path");
    const char *status = report_text(without, "status");
    const char *error = report_text(without, "error");
    const char *at = report_text(without, "at");
    if (strcmp(status, "crashed") == 0 || strcmp(status, "hung") == 0) {
        bool hung = strcmp(status, "hung") == 0;
        add(j->problems, hung ? "driver-hangs" : "driver-crashes",
            cli_format("Without Spillway: a Vulkan driver or layer %s at %s%s%s%s",
                       hung ? "hangs" : "crashes", at != NULL ? at : "its start", hung ? "" : " (",
                       hung ? "" : report_text(without, "signal"), hung ? "" : ")"),
            "find out which driver it is: run again with VK_DRIVER_FILES set to one manifest of "
            "/usr/share/vulkan/icd.d at a time, then update or remove that driver");
        return;
    }
    if (report_get(without, "loader") == NULL) {
        bool system = report_flag(entry, "system");
        if (error != NULL && strstr(error, "wrong ELF class") != NULL)
            error = sizeof(void *) == 8 ? "it is for 32-bit programs" : "it is for 64-bit programs";
        bool absent = error != NULL && strstr(error, "cannot open shared object file") != NULL;
        if (absent && system)
            add(j->problems, "no-loader",
                cli_copy("No Vulkan loader: libvulkan.so.1 is not on this machine"), fix_loader);
        else
            add(j->problems, "bad-loader",
                cli_format("The Vulkan loader %s cannot be used: %s", loader,
                           error != NULL ? error : "it said nothing"),
                system ? fix_loader : "name another file with --loader");
        return;
    }
    if (report_int(without, "result") == RESULT_INCOMPATIBLE_DRIVER) {
        judge_no_gpu(j);
        return;
    }
    bool explained = judge_manifests(j);
    explained = judge_foreign_manifests(j) || explained;
    if (!explained)
        add(j->problems, "no-instance",
            cli_format("Without Spillway: Vulkan does not start: %s (VkResult %lld)",
                       error != NULL ? error : "no reason given",
                       (long long)report_int(without, "result")),
            "see what the loader says: VK_LOADER_DEBUG=error,warn spillway doctor --verbose");
}

/* Only what cannot use Spillway? Says so. */
static void judge_gpus(struct judge *j, json_object *entry)
{
    json_object *gpus = report_get(entry, "gpus");
    size_t software = 0, count = report_count(gpus);
    for (size_t i = 0; i < count; i++) {
        json_object *gpu = report_item(gpus, i);
        const char *mode = report_text(gpu, "mode");
        if (strcmp(report_text(gpu, "type"), "software") == 0)
            software++;
        else if (mode != NULL && strcmp(mode, "passthrough") == 0)
            add(j->notes, "passthrough",
                cli_format("On '%s' Spillway passes everything through: %s",
                           report_text(gpu, "name"), report_text(gpu, "reason")),
                NULL);
    }
    if (count == 0) {
        judge_no_gpu(j);
    } else if (software == count) {
        add_lack_of_driver(
            j, "software-only",
            cli_format("Only a software driver ('%s') answers: there is no VRAM to spill from",
                       report_text(report_item(gpus, 0), "name")));
    }
}

/* ---- why the layer is not there ---- */

/* Whether one of the words of VK_LOADER_LAYERS_DISABLE takes the layer away. Loaders match without
 * regard to case, and know the words ~all~, ~implicit~ and ~explicit~. */
static bool filter_matches(const char *list)
{
    bool matches = false;
    while (list != NULL && *list != '\0' && !matches) {
        size_t length = strcspn(list, ",");
        char *word = cli_format("%.*s", (int)length, list);
        matches = strcmp(word, "~all~") == 0 || strcmp(word, "~implicit~") == 0 ||
                  fnmatch(word, LAYER_NAME, FNM_CASEFOLD) == 0;
        free(word);
        list += length + (list[length] == ',');
    }
    return matches;
}

static bool judge_switches(struct judge *j)
{
    bool found = false;
    /* Loaders ask whether it is set, not to what. */
    if (getenv("SPILLWAY_DISABLE") != NULL) {
        add(j->problems, "disabled",
            cli_format("Spillway is switched off: SPILLWAY_DISABLE is set ('%s')",
                       getenv("SPILLWAY_DISABLE")),
            "unset SPILLWAY_DISABLE (with any value it means off); look for it in ~/.profile, "
            "/etc/environment and the game's launch options");
        found = true;
    }
    if (filter_matches(variable("VK_LOADER_LAYERS_DISABLE"))) {
        add(j->problems, "filtered",
            cli_format("The Vulkan loader is told to leave Spillway out: "
                       "VK_LOADER_LAYERS_DISABLE='%s'",
                       variable("VK_LOADER_LAYERS_DISABLE")),
            "unset VK_LOADER_LAYERS_DISABLE, or start the program with `spillway run`, which "
            "names Spillway in VK_LOADER_LAYERS_ENABLE");
        found = true;
    }
    return found;
}

static bool judge_paths(struct judge *j)
{
    bool found = false;
    if (variable("VK_IMPLICIT_LAYER_PATH") != NULL) {
        add(j->problems, "implicit-path",
            cli_format("VK_IMPLICIT_LAYER_PATH='%s' makes newer Vulkan loaders look nowhere else "
                       "for layers",
                       variable("VK_IMPLICIT_LAYER_PATH")),
            "unset VK_IMPLICIT_LAYER_PATH (in Steam: take it out of the launch options and of the "
            "shell that starts Steam), or start the program with `spillway run`");
        found = true;
    }
    if (j->search->override_manifest != NULL) {
        add(j->problems, "override",
            cli_format("Vulkan Configurator decides which layers there are: %s",
                       j->search->override_manifest),
            "open Vulkan Configurator and let applications control their layers, or remove that "
            "file");
        found = true;
    }
    if (j->search->loader_settings != NULL) {
        add(j->problems, "loader-settings",
            cli_format("Vulkan Configurator decides which layers there are: %s",
                       j->search->loader_settings),
            "open Vulkan Configurator and let applications control their layers, or remove that "
            "file");
        found = true;
    }
    return found;
}

static void judge_not_installed(struct judge *j)
{
    for (size_t i = 0; i < j->search->manifest_count; i++) {
        if (j->search->manifests[i].ours)
            return;
    }
    if (j->layer_folder != NULL)
        add(j->notes, "not-installed",
            cli_format("Spillway is not installed where Vulkan looks; `spillway run` uses the one "
                       "in %s",
                       j->layer_folder),
            "to use SPILLWAY=1 without `spillway run`, install it: meson install -C build");
    else
        add(j->problems, "no-manifest",
            cli_copy("Spillway's layer is not installed: none of the folders where Vulkan looks "
                     "has its manifest (spillway_layer.*.json)"),
            "install it: meson install -C build (for one user: meson setup build "
            "--prefix=$HOME/.local first)");
}

/* The loader's own words about us, when we have no better explanation. */
static json_object *said_about_us(json_object *with)
{
    json_object *said = report_get(with, "said");
    for (size_t i = report_count(said); i > 0; i--) {
        json_object *line = report_item(said, i - 1);
        const char *text = json_object_get_string(line);
        if (strcasestr(text, "spillway") != NULL && strcasestr(text, "error") != NULL)
            return line;
    }
    return NULL;
}

static void judge_layer(struct judge *j, json_object *entry, json_object *with)
{
    const char *status = report_text(with, "status");
    const char *loader = report_text(entry, "path");
    bool crashed = strcmp(status, "crashed") == 0, hung = strcmp(status, "hung") == 0;
    if (crashed || hung || strcmp(status, "failed") == 0) {
        const char *what = crashed ? report_text(with, "signal")
                           : hung  ? "no answer"
                                   : report_text(with, "error");
        add(j->problems, "layer-fails",
            cli_format("With Spillway, Vulkan %s at %s (%s), without it does not",
                       crashed ? "crashes"
                       : hung  ? "hangs"
                               : "fails",
                       report_text(with, "at") != NULL ? report_text(with, "at") : "its start",
                       what != NULL ? what : "no reason given"),
            "that is a bug: please report it with the output of spillway doctor --verbose; until "
            "then run the program without Spillway (SPILLWAY_DISABLE=1)");
        return;
    }
    if (report_flag(entry, "layer_loads"))
        return;
    bool explained = judge_switches(j);
    explained = judge_manifests(j) || explained;
    if (layer_search_find(j->search) != NULL || j->layer_folder != NULL)
        explained = judge_paths(j) || explained;
    if (layer_search_find(j->search) == NULL && j->layer_folder == NULL)
        explained = true; /* not installed: said elsewhere */
    if (explained)
        return;
    json_object *line = said_about_us(with);
    add(j->problems, "not-loaded",
        cli_format("The Vulkan loader %s does not load Spillway%s%s", loader,
                   line != NULL ? ". It says: " : "",
                   line != NULL ? json_object_get_string(line) : ""),
        "see what the loader says: VK_LOADER_DEBUG=all spillway doctor --verbose");
}

/* ---- what is worth knowing ---- */

static void note_32_bit(struct judge *j)
{
    static const char *const loaders[] = {"/usr/lib/i386-linux-gnu/libvulkan.so.1",
                                          "/usr/lib32/libvulkan.so.1"};
    bool has_loader = false, has_layer = false;
    for (size_t i = 0; i < SPW_ARRAY_SIZE(loaders); i++)
        has_loader = has_loader || access(loaders[i], F_OK) == 0;
    for (size_t i = 0; i < j->search->manifest_count; i++)
        has_layer = has_layer || j->search->manifests[i].state == MANIFEST_OTHER_WORD_SIZE;
    if (has_loader && !has_layer && sizeof(void *) == 8)
        add(j->notes, "no-32-bit",
            cli_copy("32-bit programs (older games) run without Spillway: only its 64-bit layer "
                     "is installed"),
            NULL);
}

/* Loader 1.3.239 takes the last one that it finds, 1.4.364 the first. */
static void note_two_installed(struct judge *j)
{
    const struct manifest *first = layer_search_find(j->search);
    for (size_t i = 0; first != NULL && i < j->search->manifest_count; i++) {
        const struct manifest *m = &j->search->manifests[i];
        if (!m->ours || m->state != MANIFEST_OK || m->library == NULL || first->library == NULL ||
            strcmp(m->library, first->library) == 0)
            continue;
        add(j->notes, "two-installed",
            cli_format("Two Spillways are installed, and Vulkan loaders differ in which they take: "
                       "%s and %s",
                       first->library, m->library),
            "remove one of them (ninja -C build uninstall in its build tree)");
        return;
    }
}

static void note_version(struct judge *j)
{
    json_object *loaders = report_get(j->report, "loaders");
    for (size_t i = 0; i < report_count(loaders); i++) {
        json_object *entry = report_item(loaders, i);
        json_object *gpu = report_item(report_get(entry, "gpus"), 0);
        const char *version = report_text(gpu, "layer_version");
        const char *library = report_text(entry, "library");
        if (version != NULL && strcmp(version, cli_version) != 0)
            add(j->notes, "version",
                cli_format("The layer is Spillway %s, this command is of %s: %s", version,
                           cli_version, library != NULL ? library : "a library of another name"),
                "install both from the same source");
    }
}

/* A second card without a driver is no problem of the first. */
static void note_silent_card(struct judge *j)
{
    json_object *card = find_silent_card(j);
    if (card == NULL || report_count(j->problems) > 0)
        return;
    char *described = describe_card(card);
    add(j->notes, "silent-card", cli_format("No Vulkan driver answers for one card%s", described),
        cards_fix(card));
    free(described);
}

/* What stands in the way of some loaders, even where the layer was loaded just now. */
static void note_leaks(struct judge *j)
{
    if (variable("VK_IMPLICIT_LAYER_PATH") != NULL && report_count(j->problems) == 0)
        add(j->notes, "implicit-path",
            cli_format("VK_IMPLICIT_LAYER_PATH='%s' is set: newer Vulkan loaders, and Steam's "
                       "container, look nowhere else for layers",
                       variable("VK_IMPLICIT_LAYER_PATH")),
            "unset VK_IMPLICIT_LAYER_PATH unless you need it");
    if (variable("VK_LAYER_PATH") != NULL)
        add(j->notes, "layer-path",
            cli_format("VK_LAYER_PATH='%s' is set: Spillway can then not be named in "
                       "VK_INSTANCE_LAYERS with older Vulkan loaders; SPILLWAY=1 works",
                       variable("VK_LAYER_PATH")),
            NULL);
}

void doctor_judge(json_object *report, const struct layer_search *search, const char *layer_folder)
{
    struct judge j = {.report = report,
                      .problems = report_get(report, "problems"),
                      .notes = report_get(report, "notes"),
                      .search = search,
                      .layer_folder = layer_folder};
    json_object *loaders = report_get(report, "loaders");
    judge_not_installed(&j);
    for (size_t i = 0; i < report_count(loaders); i++) {
        json_object *entry = report_item(loaders, i);
        json_object *without = report_get(entry, "without"), *with = report_get(entry, "with");
        if (strcmp(report_text(without, "status"), "ok") == 0) {
            judge_gpus(&j, entry);
            if (report_count(report_get(without, "gpus")) > 0)
                judge_layer(&j, entry, with);
        } else {
            judge_plain_failure(&j, entry, without);
        }
    }
    /* Where no loader got as far as trying the layer, what can be seen without one. */
    bool tried = false;
    for (size_t i = 0; i < report_count(loaders); i++)
        tried = tried || report_count(report_get(report_item(loaders, i), "gpus")) > 0;
    if (!tried) {
        (void)judge_switches(&j);
        (void)judge_manifests(&j);
    }
    note_32_bit(&j);
    note_two_installed(&j);
    note_version(&j);
    note_silent_card(&j);
    note_leaks(&j);
}
