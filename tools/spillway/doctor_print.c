/* SPDX-License-Identifier: MIT
 *
 * The report for people: each loader and GPU in a few lines, and last, where the eye is, what is
 * wrong and what to do. */
#include "doctor.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 11

static const char *style(enum cli_style which)
{
    return cli_style(stdout, which);
}

static void print_line(const char *label, const char *text)
{
    printf("    %s%-*s%s", style(CLI_FAINT), LABEL_WIDTH, label, style(CLI_PLAIN));
    cli_print_wrapped(text, 4 + LABEL_WIDTH);
}

/* print_line() of text that is freed. */
static void print_owned(const char *label, char *text)
{
    print_line(label, text);
    free(text);
}

static char *join(json_object *words, const char *between)
{
    char *text = cli_copy("");
    for (size_t i = 0; i < report_count(words); i++) {
        char *longer = cli_format("%s%s%s", text, i > 0 ? between : "",
                                  json_object_get_string(report_item(words, i)));
        free(text);
        text = longer;
    }
    return text;
}

static void print_heaps(json_object *gpu)
{
    json_object *heaps = report_get(gpu, "heaps");
    bool unified = true; /* no heap that is not the device's own */
    for (size_t i = 0; i < report_count(heaps); i++)
        unified = unified && report_flag(report_item(heaps, i), "device_local");
    for (size_t i = 0; i < report_count(heaps); i++) {
        json_object *heap = report_item(heaps, i);
        bool local = report_flag(heap, "device_local");
        char size[CLI_SIZE_TEXT], told[CLI_SIZE_TEXT], budget[CLI_SIZE_TEXT];
        uint64_t bytes = json_object_get_uint64(report_get(heap, "size"));
        json_object *told_size = report_get(heap, "told_size");
        json_object *budget_now = report_get(heap, "budget");
        char *label = cli_format("heap %zu", i);
        char *told_text = cli_copy("");
        if (told_size != NULL && json_object_get_uint64(told_size) != bytes) {
            free(told_text);
            told_text = cli_format(", programs are told %s",
                                   cli_size(json_object_get_uint64(told_size), told));
        }
        bool all = budget_now == NULL || json_object_get_uint64(budget_now) >= bytes;
        char *free_text = all ? cli_copy("")
                              : cli_format(", %s of it to be had now",
                                           cli_size(json_object_get_uint64(budget_now), budget));
        print_owned(label, cli_format("%s %s%s%s", cli_size(bytes, size),
                                      unified ? "shared with the host"
                                      : local ? "VRAM"
                                              : "host memory",
                                      free_text, told_text));
        free(free_text);
        free(told_text);
        free(label);
    }
}

static void print_types(json_object *gpu)
{
    json_object *types = report_get(gpu, "memory_types");
    for (size_t i = 0; i < report_count(types); i++) {
        json_object *type = report_item(types, i);
        char *label = cli_format("type %zu", i);
        char *flags = join(report_get(type, "flags"), ", ");
        print_owned(label, cli_format("heap %lld%s%s", (long long)report_int(type, "heap"),
                                      flags[0] != '\0' ? ": " : "", flags));
        free(flags);
        free(label);
    }
}

static void print_queues(json_object *gpu)
{
    json_object *families = report_get(gpu, "queue_families");
    for (size_t i = 0; i < report_count(families); i++) {
        json_object *family = report_item(families, i);
        char *label = i == 0 ? cli_copy("queues") : cli_copy("");
        char *flags = join(report_get(family, "flags"), ", ");
        print_owned(label,
                    cli_format("family %zu: %lld with %s%s", i,
                               (long long)report_int(family, "queues"), flags,
                               strstr(flags, "sparse") != NULL ? "" : "; cannot bind sparse"));
        free(flags);
        free(label);
    }
}

static void print_sparse(json_object *gpu)
{
    json_object *sparse = report_get(gpu, "sparse");
    char space[CLI_SIZE_TEXT];
    if (!report_flag(sparse, "binding")) {
        print_line("sparse", "none (later versions need it to move memory while a program runs)");
        return;
    }
    print_owned(
        "sparse",
        cli_format("binding%s%s%s, %s of address space",
                   report_flag(sparse, "residency_buffer") ? ", buffer residency" : "",
                   report_flag(sparse, "residency_image_2d") ? ", image residency" : "",
                   report_flag(sparse, "residency_aliased") ? ", aliasing" : "",
                   cli_size(json_object_get_uint64(report_get(sparse, "address_space")), space)));
}

static void print_abilities(json_object *gpu)
{
    static const struct {
        const char *key, *text;
    } abilities[] = {
        {"memory_budget", "memory budget"},
        {"timeline_semaphores", "timeline semaphores"},
        {"pageable_memory", "pageable memory"},
    };
    for (int has = 1; has >= 0; has--) {
        json_object *words = json_object_new_array();
        for (size_t i = 0; i < SPW_ARRAY_SIZE(abilities); i++) {
            if (report_flag(gpu, abilities[i].key) == (has == 1))
                json_object_array_add(words, json_object_new_string(abilities[i].text));
        }
        if (report_count(words) > 0)
            print_owned(has == 1 ? "has" : "lacks", join(words, ", "));
        json_object_put(words);
    }
}

static void print_gpu(json_object *gpu, size_t index, bool verbose)
{
    const char *driver = report_text(gpu, "driver");
    const char *mode = report_text(gpu, "mode");
    printf("  %sGPU %zu: %s%s (%s%s%s)\n", style(CLI_BOLD), index, report_text(gpu, "name"),
           style(CLI_PLAIN), report_text(gpu, "type"), driver != NULL ? ", driver " : "",
           driver != NULL ? driver : "");
    if (mode != NULL)
        print_owned("mode", cli_format("%s: %s", mode, report_text(gpu, "reason")));
    else
        print_line("mode", "none: Spillway is not loaded");
    print_heaps(gpu);
    if (verbose)
        print_types(gpu);
    print_queues(gpu);
    print_sparse(gpu);
    print_abilities(gpu);
}

static void print_said(json_object *probe, const char *label)
{
    json_object *said = report_get(probe, "said");
    if (report_count(said) == 0)
        return;
    printf("  What was written on the way, %s:\n", label);
    for (size_t i = 0; i < report_count(said); i++) {
        printf("    ");
        cli_print_wrapped(json_object_get_string(report_item(said, i)), 6);
    }
}

static void print_loader(json_object *entry, bool verbose)
{
    const char *version = report_text(entry, "version");
    const char *library = report_text(entry, "library");
    json_object *gpus = report_get(entry, "gpus");
    printf("%sVulkan loader %s%s%s%s%s\n", style(CLI_BOLD), report_text(entry, "path"),
           style(CLI_PLAIN), version != NULL ? " (" : "", version != NULL ? version : "",
           version != NULL ? ")" : "");
    if (library != NULL)
        print_line("layer", library);
    for (size_t i = 0; i < report_count(gpus); i++)
        print_gpu(report_item(gpus, i), i, verbose);
    if (report_count(gpus) == 0)
        printf("  no GPU found\n");
    if (verbose) {
        print_said(report_get(entry, "without"), "without Spillway");
        print_said(report_get(entry, "with"), "with Spillway");
    }
    putchar('\n');
}

static void print_memory(json_object *memory)
{
    char total[CLI_SIZE_TEXT], available[CLI_SIZE_TEXT], floor[CLI_SIZE_TEXT], room[CLI_SIZE_TEXT];
    if (memory == NULL)
        return;
    printf("%sHost memory%s ", style(CLI_BOLD), style(CLI_PLAIN));
    char *text = cli_format(
        "%s, %s of it available. Spillway leaves %s alone, so up to %s can overflow now.",
        cli_size(json_object_get_uint64(report_get(memory, "total")), total),
        cli_size(json_object_get_uint64(report_get(memory, "available")), available),
        cli_size(json_object_get_uint64(report_get(memory, "host_floor")), floor),
        cli_size(json_object_get_uint64(report_get(memory, "overflow")), room));
    cli_print_wrapped(text, 12);
    free(text);
    putchar('\n');
}

static void print_findings(json_object *list, const char *heading, enum cli_style colour)
{
    for (size_t i = 0; i < report_count(list); i++) {
        json_object *entry = report_item(list, i);
        const char *fix = report_text(entry, "fix");
        printf("%s%s:%s ", style(colour), heading, style(CLI_PLAIN));
        cli_print_wrapped(report_text(entry, "text"), strlen(heading) + 2);
        if (fix != NULL) {
            printf("%*s-> ", (int)strlen(heading) + 2, "");
            cli_print_wrapped(fix, strlen(heading) + 5);
        }
    }
}

static void print_all_well(json_object *report)
{
    json_object *loaders = report_get(report, "loaders");
    bool any = false;
    for (size_t i = 0; i < report_count(loaders); i++) {
        json_object *gpus = report_get(report_item(loaders, i), "gpus");
        for (size_t k = 0; k < report_count(gpus); k++) {
            const char *mode = report_text(report_item(gpus, k), "mode");
            any = any || (mode != NULL && strcmp(mode, "passthrough") != 0);
        }
    }
    const char *text = "Nothing is wrong, but Spillway has nothing to do on this machine.";
    if (any && report_get(report, "layer_beside_command") != NULL)
        text = "All well: start programs with `spillway run`.";
    else if (any)
        text = "All well: start programs with SPILLWAY=1 or `spillway run`.";
    printf("%s%s%s\n", style(CLI_GOOD), text, style(CLI_PLAIN));
}

void doctor_print(json_object *report, bool verbose)
{
    json_object *loaders = report_get(report, "loaders");
    json_object *problems = report_get(report, "problems");
    for (size_t i = 0; i < report_count(loaders); i++)
        print_loader(report_item(loaders, i), verbose);
    print_memory(report_get(report, "memory"));
    print_findings(report_get(report, "notes"), "Note", CLI_BOLD);
    print_findings(problems, "Problem", CLI_BAD);
    if (report_count(problems) == 0)
        print_all_well(report);
}
