/* SPDX-License-Identifier: MIT
 *
 * spillway doctor: is everything there that Spillway needs, what does it do on each GPU, and if
 * something is wrong, how to put it right. Here: options, and the report that the parts work on. */
#include "budget.h"
#include "cards.h"
#include "cli.h"
#include "config.h"
#include "doctor.h"
#include "meminfo.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM_LOADER "libvulkan.so.1"

/* ---- JSON ---- */

json_object *report_get(json_object *object, const char *key)
{
    json_object *value = NULL;
    if (!json_object_is_type(object, json_type_object) ||
        !json_object_object_get_ex(object, key, &value))
        return NULL;
    return value;
}

const char *report_text(json_object *object, const char *key)
{
    json_object *value = report_get(object, key);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

int64_t report_int(json_object *object, const char *key)
{
    return json_object_get_int64(report_get(object, key));
}

bool report_flag(json_object *object, const char *key)
{
    return json_object_get_boolean(report_get(object, key));
}

size_t report_count(json_object *array)
{
    return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

json_object *report_item(json_object *array, size_t i)
{
    return json_object_array_get_idx(array, i);
}

json_object *report_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        cli_out_of_memory();
    json_object *string = json_object_new_string(text);
    free(text);
    return string;
}

/* ---- the report ---- */

static void put_manifests(json_object *report, const struct layer_search *search)
{
    static const char *const states[] = {
        [MANIFEST_OK] = "ok",
        [MANIFEST_OTHER_WORD_SIZE] = "other-word-size",
        [MANIFEST_UNREADABLE] = "unreadable",
        [MANIFEST_BROKEN] = "broken",
        [MANIFEST_NO_LIBRARY] = "no-library",
        [MANIFEST_BAD_LIBRARY] = "bad-library",
    };
    json_object *list = json_object_new_array();
    for (size_t i = 0; i < search->manifest_count; i++) {
        const struct manifest *m = &search->manifests[i];
        json_object *entry = json_object_new_object();
        json_object_object_add(entry, "path", json_object_new_string(m->path));
        json_object_object_add(entry, "state", json_object_new_string(states[m->state]));
        if (m->detail != NULL)
            json_object_object_add(entry, "detail", json_object_new_string(m->detail));
        if (m->library != NULL)
            json_object_object_add(entry, "library", json_object_new_string(m->library));
        json_object_array_add(list, entry);
    }
    json_object_object_add(report, "manifests", list);
}

static void complain(void *user, enum spw_log_level level, const char *message)
{
    json_object *report = user;
    bool wrong = level <= SPW_LOG_WARN;
    if (level > SPW_LOG_INFO)
        return;
    json_object *entry = json_object_new_object();
    json_object_object_add(entry, "id", json_object_new_string("setting"));
    json_object_object_add(entry, "text", json_object_new_string(message));
    if (wrong)
        json_object_object_add(
            entry, "fix",
            json_object_new_string("correct or remove it; `spillway config keys` lists every "
                                   "setting and what it takes"));
    json_object_array_add(report_get(report, wrong ? "problems" : "notes"), entry);
}

/* What host memory could take, by the settings that hold for a program which no profile knows. */
static void put_memory(json_object *report)
{
    struct spw_program nobody = {0};
    struct spw_effective effective;
    struct spw_meminfo memory;
    struct spw_config *config = spw_config_load(complain, report);
    if (config == NULL ||
        spw_config_resolve(config, &nobody, NULL, NULL, &effective, NULL, NULL) != SPW_OK)
        cli_out_of_memory();
    if (spw_meminfo_read(&memory) == SPW_OK) {
        const struct spw_settings *s = &effective.settings;
        uint64_t total = memory.total_bytes;
        uint64_t floor =
            spw_size_resolve(s->host_floor, total, spw_budget_default_host_floor(total));
        uint64_t room = spw_budget_overflow(spw_size_resolve(s->overflow, total, total / 2),
                                            memory.available_bytes, floor,
                                            spw_size_resolve(s->host_limit, total, UINT64_MAX));
        json_object *out = json_object_new_object();
        json_object_object_add(out, "total", json_object_new_uint64(total));
        json_object_object_add(out, "available", json_object_new_uint64(memory.available_bytes));
        json_object_object_add(out, "host_floor", json_object_new_uint64(floor));
        json_object_object_add(out, "overflow", json_object_new_uint64(room));
        json_object_object_add(report, "memory", out);
    }
    spw_effective_finish(&effective);
    spw_config_destroy(config);
}

/* The GPU as the driver has it, with what Spillway makes of it added: mode, reason, and for each
 * heap "told_size" and "told_budget". */
static json_object *merge_gpu(json_object *plain, json_object *with)
{
    json_object *gpu = NULL;
    if (json_object_deep_copy(plain, &gpu, NULL) != 0)
        cli_out_of_memory();
    static const char *const ours[] = {"mode", "reason", "layer_version"};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(ours); i++) {
        /* An explicitly named layer is there without us asking, to say that it is off. */
        json_object_object_del(gpu, ours[i]);
        json_object *value = report_get(with, ours[i]);
        if (value != NULL)
            json_object_object_add(gpu, ours[i], json_object_get(value));
    }
    json_object *heaps = report_get(gpu, "heaps"), *told = report_get(with, "heaps");
    for (size_t i = 0; i < report_count(heaps) && i < report_count(told); i++) {
        json_object *heap = report_item(heaps, i);
        json_object *size = report_get(report_item(told, i), "size");
        json_object *budget = report_get(report_item(told, i), "budget");
        json_object_object_add(heap, "told_size", json_object_get(size));
        if (budget != NULL)
            json_object_object_add(heap, "told_budget", json_object_get(budget));
    }
    return gpu;
}

/* Layers may sort GPUs: the same one is the next with the same name and ids that was not taken. */
static json_object *find_same_gpu(json_object *plain, json_object *list, uint32_t *taken)
{
    for (size_t i = 0; i < report_count(list) && i < 32; i++) {
        json_object *other = report_item(list, i);
        bool same = report_int(plain, "vendor_id") == report_int(other, "vendor_id") &&
                    report_int(plain, "device_id") == report_int(other, "device_id") &&
                    strcmp(report_text(plain, "name"), report_text(other, "name")) == 0;
        if (!same || (*taken & (1u << i)) != 0)
            continue;
        *taken |= 1u << i;
        return other;
    }
    return NULL;
}

static void put_gpus(json_object *entry, json_object *without, json_object *with)
{
    json_object *gpus = json_object_new_array();
    json_object *plain = report_get(without, "gpus");
    uint32_t taken = 0;
    bool loads = false;
    for (size_t i = 0; i < report_count(plain); i++) {
        json_object *gpu = report_item(plain, i);
        json_object *merged = merge_gpu(gpu, find_same_gpu(gpu, report_get(with, "gpus"), &taken));
        loads = loads || report_get(merged, "mode") != NULL;
        json_object_array_add(gpus, merged);
    }
    json_object_object_add(entry, "layer_loads", json_object_new_boolean(loads));
    json_object_object_add(entry, "gpus", gpus);
}

static json_object *look_at_loader(const char *loader, const char *layer_folder)
{
    json_object *entry = json_object_new_object();
    json_object *without = doctor_run_probe(loader, PROBE_WITHOUT, layer_folder);
    json_object *found = report_get(without, "loader");
    const char *path = report_text(found, "path");
    json_object_object_add(entry, "system",
                           json_object_new_boolean(strcmp(loader, SYSTEM_LOADER) == 0));
    json_object_object_add(entry, "path", json_object_new_string(path != NULL ? path : loader));
    if (report_get(found, "version") != NULL)
        json_object_object_add(entry, "version", json_object_get(report_get(found, "version")));
    json_object *with = NULL;
    if (strcmp(report_text(without, "status"), "ok") == 0)
        with = doctor_run_probe(loader, PROBE_WITH, layer_folder);
    put_gpus(entry, without, with);
    if (report_get(with, "library") != NULL)
        json_object_object_add(entry, "library", json_object_get(report_get(with, "library")));
    json_object_object_add(entry, "without", without);
    json_object_object_add(entry, "with", with);
    return entry;
}

static json_object *make_report(const struct text_list *loaders)
{
    struct layer_search search;
    json_object *report = json_object_new_object();
    json_object_object_add(report, "version", json_object_new_string(cli_version));
    json_object_object_add(report, "well", json_object_new_boolean(false));
    json_object_object_add(report, "problems", json_object_new_array());
    json_object_object_add(report, "notes", json_object_new_array());
    layer_search_init(&search);
    char *beside = layer_search_find(&search) == NULL ? layer_folder_beside_command() : NULL;
    if (beside != NULL)
        json_object_object_add(report, "layer_beside_command", json_object_new_string(beside));
    put_manifests(report, &search);
    put_memory(report);
    json_object_object_add(report, "cards", cards_list());
    json_object *list = json_object_new_array();
    for (size_t i = 0; i < loaders->count; i++)
        json_object_array_add(list, look_at_loader(loaders->items[i], beside));
    json_object_object_add(report, "loaders", list);
    doctor_judge(report, &search, beside);
    json_object_object_add(
        report, "well", json_object_new_boolean(report_count(report_get(report, "problems")) == 0));
    free(beside);
    layer_search_finish(&search);
    return report;
}

/* ---- the command ---- */

int cmd_doctor(int argc, char **argv)
{
    static const struct option options[] = {
        {"loader", 1, NULL, 'l'}, {"json", 0, NULL, 'j'}, {"verbose", 0, NULL, 'v'},
        {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0},
    };
    struct text_list loaders = {0};
    bool as_json = false, verbose = false;
    int option;
    argv[0] = (char *)"spillway doctor";
    text_list_add(&loaders, cli_copy(SYSTEM_LOADER));
    while ((option = getopt_long(argc, argv, "hv", options, NULL)) != -1) {
        switch (option) {
        case 'l': {
            /* dlopen() takes a name without a slash for one to look up. */
            char *path = realpath(optarg, NULL);
            text_list_add(&loaders, path != NULL ? path : cli_copy(optarg));
            break;
        }
        case 'j':
            as_json = true;
            break;
        case 'v':
            verbose = true;
            break;
        case 'h':
            help_print(stdout, "doctor");
            text_list_finish(&loaders);
            return cli_finish(EXIT_ALL_WELL);
        default:
            text_list_finish(&loaders);
            return EXIT_WRONG_USAGE;
        }
    }
    if (argv[optind] != NULL) {
        cli_error("doctor takes no arguments, only options (spillway doctor --help)");
        text_list_finish(&loaders);
        return EXIT_WRONG_USAGE;
    }
    json_object *report = make_report(&loaders);
    if (as_json)
        puts(json_object_to_json_string_ext(report, JSON_C_TO_STRING_PRETTY |
                                                        JSON_C_TO_STRING_SPACED |
                                                        JSON_C_TO_STRING_NOSLASHESCAPE));
    else
        doctor_print(report, verbose);
    int code = report_flag(report, "well") ? EXIT_ALL_WELL : EXIT_SOMETHING_WRONG;
    json_object_put(report);
    text_list_finish(&loaders);
    return cli_finish(code);
}
