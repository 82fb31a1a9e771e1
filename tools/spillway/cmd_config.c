/* SPDX-License-Identifier: MIT
 *
 * spillway config: what holds, where it comes from, is a file right, a first file. All reading is
 * done by the same code that the layer uses (layer/os/config.h). */
#include "cli.h"
#include "config.h"
#include "config_init.h"

#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* A path in log.file is the longest value there is. */
#define MAX_VALUE 4096

struct complaints {
    bool wrong, quiet;
};

static void complain(void *user, enum spw_log_level level, const char *message)
{
    struct complaints *seen = user;
    bool wrong = level <= SPW_LOG_WARN;
    seen->wrong = seen->wrong || wrong;
    if (wrong)
        cli_error("%s", message);
    else if (!seen->quiet)
        cli_warn("%s", message);
}

/* ---- show ---- */

struct show {
    struct spw_config *config;
    struct spw_program program;
    struct spw_effective effective;
    bool for_program;
    struct complaints complaints;
};

/* A size is given in bytes: shown as it would be written. */
static const char *shown(const char *value, char text[CLI_SIZE_TEXT])
{
    if (value[0] == '\0')
        return "(default)";
    if (value[strspn(value, "0123456789")] != '\0')
        return value;
    uint64_t bytes = strtoull(value, NULL, 10);
    if (bytes == 0 || bytes % SPW_MIB != 0)
        return value;
    bool gib = bytes % SPW_GIB == 0;
    snprintf(text, CLI_SIZE_TEXT, "%llu%s", (unsigned long long)(bytes / (gib ? SPW_GIB : SPW_MIB)),
             gib ? "GiB" : "MiB");
    return text;
}

static void print_profile(void *user, const struct spw_match *match)
{
    (void)user;
    printf("Profile %s%s%s (%s:%u)%s\n", match->name != NULL ? "'" : "",
           match->name != NULL ? match->name : "without a name", match->name != NULL ? "'" : "",
           match->file, match->line,
           match->needs_gpu ? ", on the GPUs that it names only: not counted below" : "");
    if (match->comment != NULL) {
        printf("    ");
        cli_print_wrapped(match->comment, 4);
    }
}

static void count_profile(void *user, const struct spw_match *match)
{
    (void)match;
    ++*(size_t *)user;
}

static void print_files(const struct show *s)
{
    size_t count = spw_config_file_count(s->config);
    printf("Files, later ones win:%s\n", count == 0 ? " none" : "");
    for (size_t i = 0; i < count; i++) {
        struct spw_config_file_info file = spw_config_file_info(s->config, i);
        printf("    %s%s\n", file.path, file.usable ? "" : " (cannot be used)");
    }
}

static void print_profiles(const struct show *s)
{
    size_t count = 0;
    spw_config_for_each_match(s->config, &s->program, NULL, count_profile, &count);
    if (count == 0) {
        printf("Profiles: none is for this program\n");
        return;
    }
    spw_config_for_each_match(s->config, &s->program, NULL, print_profile, NULL);
}

static void print_settings(const struct show *s)
{
    size_t width = 0;
    char value[MAX_VALUE], origin[MAX_VALUE], size[CLI_SIZE_TEXT];
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        struct spw_setting_info info = spw_setting_info(i);
        if (!info.later && strlen(info.key) > width)
            width = strlen(info.key);
    }
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        struct spw_setting_info info = spw_setting_info(i);
        const struct spw_origin *from = &s->effective.origins[i];
        if (info.later || !spw_settings_get(&s->effective.settings, info.key, value, sizeof(value)))
            continue;
        bool built_in = from->kind == SPW_ORIGIN_BUILT_IN;
        spw_origin_print(from, info.key, origin, sizeof(origin));
        printf("%s%-*s%s  %-14s  %s%s%s\n", cli_style(stdout, CLI_BOLD), (int)width, info.key,
               cli_style(stdout, CLI_PLAIN), shown(value, size),
               cli_style(stdout, built_in ? CLI_FAINT : CLI_GOOD), origin,
               cli_style(stdout, CLI_PLAIN));
    }
}

static void add_text(json_object *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_object_add(object, key, json_object_new_string(text));
}

static void add_profile(void *user, const struct spw_match *match)
{
    json_object *profile = json_object_new_object();
    add_text(profile, "name", match->name);
    add_text(profile, "comment", match->comment);
    add_text(profile, "file", match->file);
    json_object_object_add(profile, "line", json_object_new_int64(match->line));
    json_object_object_add(profile, "needs_gpu", json_object_new_boolean(match->needs_gpu));
    json_object_array_add(user, profile);
}

static json_object *settings_as_json(const struct show *s)
{
    json_object *settings = json_object_new_object();
    char value[MAX_VALUE], text[MAX_VALUE];
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        struct spw_setting_info info = spw_setting_info(i);
        const struct spw_origin *from = &s->effective.origins[i];
        if (info.later || !spw_settings_get(&s->effective.settings, info.key, value, sizeof(value)))
            continue;
        spw_origin_print(from, info.key, text, sizeof(text));
        json_object *setting = json_object_new_object();
        add_text(setting, "value", value);
        add_text(setting, "origin", text);
        add_text(setting, "file", from->file);
        add_text(setting, "profile", from->profile);
        if (from->file != NULL)
            json_object_object_add(setting, "line", json_object_new_int64(from->line));
        json_object_object_add(settings, info.key, setting);
    }
    return settings;
}

static void print_json(const struct show *s)
{
    json_object *out = json_object_new_object();
    json_object *files = json_object_new_array(), *profiles = json_object_new_array();
    if (s->for_program)
        add_text(out, "program", s->program.executable);
    for (size_t i = 0; i < spw_config_file_count(s->config); i++) {
        struct spw_config_file_info file = spw_config_file_info(s->config, i);
        json_object *entry = json_object_new_object();
        add_text(entry, "path", file.path);
        json_object_object_add(entry, "usable", json_object_new_boolean(file.usable));
        json_object_array_add(files, entry);
    }
    spw_config_for_each_match(s->config, &s->program, NULL, add_profile, profiles);
    json_object_object_add(out, "files", files);
    json_object_object_add(out, "profiles", profiles);
    json_object_object_add(out, "settings", settings_as_json(s));
    puts(json_object_to_json_string_ext(out, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(out);
}

static int show(const char *program, bool as_json)
{
    struct show s = {.for_program = program != NULL, .complaints = {.quiet = as_json}};
    if (program != NULL)
        spw_program_init_for(&s.program, program);
    s.config = spw_config_load(complain, &s.complaints);
    if (s.config == NULL || spw_config_resolve(s.config, &s.program, NULL, NULL, &s.effective,
                                               complain, &s.complaints) != SPW_OK)
        cli_out_of_memory();
    if (as_json) {
        print_json(&s);
    } else {
        if (s.for_program)
            printf("Program: %s\n", s.program.executable);
        print_files(&s);
        if (s.for_program)
            print_profiles(&s);
        putchar('\n');
        print_settings(&s);
    }
    bool wrong = s.complaints.wrong;
    spw_effective_finish(&s.effective);
    spw_config_destroy(s.config);
    spw_program_finish(&s.program);
    return cli_finish(wrong ? EXIT_SOMETHING_WRONG : EXIT_ALL_WELL);
}

static int cmd_show(int argc, char **argv)
{
    static const struct option options[] = {
        {"for", 1, NULL, 'f'}, {"json", 0, NULL, 'j'}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0}};
    const char *program = NULL;
    bool as_json = false;
    int option;
    argv[0] = (char *)"spillway config show";
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'f')
            program = optarg;
        else if (option == 'j')
            as_json = true;
        else if (option == 'h')
            return help_print(stdout, "config"), cli_finish(EXIT_ALL_WELL);
        else
            return EXIT_WRONG_USAGE;
    }
    if (argv[optind] != NULL) {
        cli_error("config show: '%s' is no option (for one program: --for '%s')", argv[optind],
                  argv[optind]);
        return EXIT_WRONG_USAGE;
    }
    return show(program, as_json);
}

/* ---- check ---- */

static int cmd_check(int argc, char **argv)
{
    struct complaints seen = {0};
    bool wrong = false;
    if (argc < 2) {
        cli_error("which file? spillway config check FILE…");
        return EXIT_WRONG_USAGE;
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            continue;
        if (spw_config_check_file(argv[i], complain, &seen) == SPW_OK)
            printf("%s: fine\n", argv[i]);
        else
            wrong = true;
    }
    return cli_finish(wrong ? EXIT_SOMETHING_WRONG : EXIT_ALL_WELL);
}

/* ---- init, keys ---- */

static int cmd_init(int argc, char **argv)
{
    if (argc > 1) {
        cli_error("config init takes no arguments, and there is no '%s'", argv[1]);
        return EXIT_WRONG_USAGE;
    }
    struct complaints seen = {.quiet = true};
    struct spw_config *config = spw_config_load(NULL, &seen);
    if (config == NULL)
        cli_out_of_memory();
    bool fine = config_init_write(spw_config_folder(config, SPW_PLACE_USER));
    spw_config_destroy(config);
    return cli_finish(fine ? EXIT_ALL_WELL : EXIT_SOMETHING_WRONG);
}

static int cmd_keys(int argc, char **argv)
{
    bool names_only = argc == 2 && strcmp(argv[1], "--names") == 0;
    char variable[128];
    if (argc > 1 && !names_only) {
        cli_error("config keys takes no arguments, and there is no '%s'", argv[1]);
        return EXIT_WRONG_USAGE;
    }
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        struct spw_setting_info info = spw_setting_info(i);
        if (info.later)
            continue;
        if (names_only) {
            puts(info.key);
            continue;
        }
        spw_setting_variable(info.key, variable, sizeof(variable));
        printf("%s%s%s (%s): %s\n    ", cli_style(stdout, CLI_BOLD), info.key,
               cli_style(stdout, CLI_PLAIN), variable, info.expects);
        cli_print_wrapped(info.doc, 4);
    }
    return cli_finish(EXIT_ALL_WELL);
}

/* ---- the command ---- */

int cmd_config(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {
        {"show", cmd_show}, {"check", cmd_check}, {"init", cmd_init}, {"keys", cmd_keys}};
    if (argc < 2) {
        help_print(stderr, "config");
        return EXIT_WRONG_USAGE;
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            help_print(stdout, "config");
            return cli_finish(EXIT_ALL_WELL);
        }
    }
    for (size_t i = 0; i < SPW_ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i].name, argv[1]) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    cli_error("there is no 'config %s' (show, check, init or keys)", argv[1]);
    return EXIT_WRONG_USAGE;
}
