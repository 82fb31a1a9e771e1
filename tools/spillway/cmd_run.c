/* SPDX-License-Identifier: MIT
 *
 * spillway run: sets the environment and becomes the program (exec), so that exit code, signals,
 * terminal and process id are the program's own.
 *
 * What a loader needs to take the layer in:
 *
 *   the switch    SPILLWAY=1, the manifest's enable_environment. Every loader with implicit layers.
 *   the manifest  in one of the folders of layers.c. Where the layer is not installed there but
 *                 lies beside this command (a prefix of its own, the build tree), its data folder
 *                 goes to the end of XDG_DATA_DIRS, with the defaults that the variable replaces:
 *                 loaders of all ages look there, and Steam's container takes it along.
 *                 VK_ADD_LAYER_PATH would do only since 1.3.207, and as an explicit layer, which
 *                 no loader lets SPILLWAY_DISABLE switch off.
 *   no obstacle   VK_IMPLICIT_LAYER_PATH (loaders since 1.3.296) replaces all folders: ours is put
 *                 at its end. VK_LOADER_LAYERS_DISABLE (since 1.3.234) may take implicit layers
 *                 away: VK_LOADER_LAYERS_ENABLE has precedence over it, so the layer is named
 *                 there. SPILLWAY_DISABLE stays: it is the user's way of saying no. */
#include "cli.h"
#include "config.h"
#include "layers.h"
#include "settings.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct run_options {
    struct text_list changes; /* "NAME=value", in the order given */
    bool print_only;
};

/* Sets a variable, here and in the list of what was changed. */
static void change(struct run_options *o, const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        cli_out_of_memory();
    size_t length = strlen(name);
    char *entry = cli_format("%s=%s", name, value);
    for (size_t i = 0; i < o->changes.count; i++) {
        if (strncmp(o->changes.items[i], entry, length + 1) == 0) {
            free(o->changes.items[i]);
            o->changes.items[i] = entry;
            return;
        }
    }
    text_list_add(&o->changes, entry);
}

/* ---- settings ---- */

struct complaints {
    bool wrong;
};

/* INFO is for what does nothing in this version: worth a word, no reason not to start. */
static void complain(void *user, enum spw_log_level level, const char *message)
{
    struct complaints *seen = user;
    if (level <= SPW_LOG_WARN) {
        seen->wrong = true;
        cli_error("%s", message);
    } else {
        cli_warn("%s", message);
    }
}

/* The layer's own complaint says what it keeps instead; here nothing is kept, the program does not
 * start. */
static void complain_about_option(void *user, enum spw_log_level level, const char *message)
{
    const char *keeping = strstr(message, "; keeping ");
    char *text = cli_format("%.*s", keeping != NULL ? (int)(keeping - message) : -1, message);
    complain(user, level, text);
    free(text);
}

static bool set_setting(struct run_options *o, const char *key, const char *text,
                        const char *source)
{
    struct spw_settings scratch;
    struct complaints seen = {0};
    char name[128];
    spw_settings_init(&scratch);
    (void)spw_settings_set(&scratch, key, text, source, complain_about_option, &seen);
    spw_settings_finish(&scratch);
    if (seen.wrong)
        return false;
    spw_setting_variable(key, name, sizeof(name));
    change(o, name, text);
    return true;
}

static bool set_pair(struct run_options *o, const char *pair)
{
    const char *equals = strchr(pair, '=');
    if (equals == NULL || equals == pair) {
        cli_error("--set takes key=value, not '%s' (spillway config keys lists the keys)", pair);
        return false;
    }
    char *key = cli_format("%.*s", (int)(equals - pair), pair);
    char *source = cli_format("--set %s", key);
    char *value = cli_copy(equals + 1);
    char *here = NULL;
    /* The program may change its folder before the layer opens the file. */
    if (strcmp(key, "log.file") == 0 && value[0] != '/' && value[0] != '\0' &&
        (here = getcwd(NULL, 0)) != NULL) {
        free(value);
        value = cli_format("%s/%s", here, equals + 1);
    }
    bool fine = set_setting(o, key, value, source);
    free(here);
    free(value);
    free(source);
    free(key);
    return fine;
}

/* The layer reads nothing relative to the working directory, which the program may change. */
static bool set_config(struct run_options *o, const char *path)
{
    struct complaints seen = {0};
    char *absolute = realpath(path, NULL);
    if (absolute == NULL) {
        cli_error("--config %s: %s", path, strerror(errno));
        return false;
    }
    enum spw_result result = spw_config_check_file(absolute, complain, &seen);
    if (result == SPW_OK)
        change(o, "SPILLWAY_CONFIG", absolute);
    free(absolute);
    return result == SPW_OK;
}

/* ---- the way to the layer ---- */

static void add_to_list(struct run_options *o, const char *name, const char *standing,
                        const char *separator, const char *addition)
{
    char *list = cli_format("%s%s%s", standing, separator, addition);
    change(o, name, list);
    free(list);
}

static const char *environment_or(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : otherwise;
}

/* Puts the folder of a usable manifest where a loader looks that was told to look nowhere else. */
static void pass_implicit_path(struct run_options *o, const char *folder)
{
    const char *standing = getenv("VK_IMPLICIT_LAYER_PATH");
    if (standing == NULL || standing[0] == '\0')
        return;
    size_t length = strlen(folder);
    const char *found = strstr(standing, folder);
    bool there = found != NULL && (found == standing || found[-1] == ':') &&
                 (found[length] == '\0' || found[length] == ':');
    if (!there)
        add_to_list(o, "VK_IMPLICIT_LAYER_PATH", standing, ":", folder);
}

static void pass_disable_filter(struct run_options *o)
{
    const char *disable = getenv("VK_LOADER_LAYERS_DISABLE");
    const char *enable = environment_or("VK_LOADER_LAYERS_ENABLE", "");
    if (disable == NULL || disable[0] == '\0' || strstr(enable, LAYER_NAME) != NULL)
        return;
    add_to_list(o, "VK_LOADER_LAYERS_ENABLE", enable, enable[0] != '\0' ? "," : "", LAYER_NAME);
}

static void make_layer_findable(struct run_options *o)
{
    struct layer_search search;
    layer_search_init(&search);
    const struct manifest *installed = layer_search_find(&search);
    if (installed != NULL) {
        char *folder = cli_format("%.*s", (int)(strrchr(installed->path, '/') - installed->path),
                                  installed->path);
        pass_implicit_path(o, folder);
        free(folder);
    } else {
        char *data = layer_folder_beside_command();
        if (data == NULL) {
            cli_warn("the Vulkan layer is not installed: the program runs without Spillway "
                     "(spillway doctor says more)");
        } else {
            char *folder = cli_format("%s/vulkan/implicit_layer.d", data);
            add_to_list(o, "XDG_DATA_DIRS",
                        environment_or("XDG_DATA_DIRS", "/usr/local/share:/usr/share"), ":", data);
            pass_implicit_path(o, folder);
            free(folder);
        }
        free(data);
    }
    layer_search_finish(&search);
    pass_disable_filter(o);
}

/* ---- the program ---- */

/* In quotes where a shell would make something else of it. */
static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:,%+@=-";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*c);
    }
    putchar('\'');
}

/* As a line for a shell or Steam's launch options. */
static void print_line(const struct run_options *o, char **program)
{
    for (size_t i = 0; i < o->changes.count; i++) {
        const char *value = strchr(o->changes.items[i], '=') + 1;
        printf("%.*s", (int)(value - o->changes.items[i]), o->changes.items[i]);
        print_word(value);
        putchar(' ');
    }
    if (program[0] == NULL)
        fputs("%command%", stdout);
    for (char **word = program; *word != NULL; word++) {
        print_word(*word);
        if (word[1] != NULL)
            putchar(' ');
    }
    putchar('\n');
}

/* Only comes back if it could not. */
static int become(char **program)
{
    execvp(program[0], program);
    int error = errno;
    struct stat status;
    if (error == ENOENT && strchr(program[0], '/') != NULL && stat(program[0], &status) == 0) {
        cli_error("cannot run '%s': the program that it names as its interpreter, or the dynamic "
                  "linker, does not exist",
                  program[0]);
        return EXIT_RUN_CANNOT_EXECUTE;
    }
    if (error == ENOENT && strchr(program[0], '/') == NULL)
        cli_error("cannot run '%s': there is no such program in PATH", program[0]);
    else
        cli_error("cannot run '%s': %s", program[0], strerror(error));
    return error == ENOENT || error == ENOTDIR ? EXIT_RUN_NOT_FOUND : EXIT_RUN_CANNOT_EXECUTE;
}

/* False: the option is wrong. */
static bool read_option(struct run_options *o, int option)
{
    switch (option) {
    case 'v':
        return set_setting(o, "vram_limit", optarg, "--vram-limit");
    case 's':
        return set_pair(o, optarg);
    case 'c':
        return set_config(o, optarg);
    case 'S':
        return set_setting(o, "stats", "exit", "--stats");
    case 'p':
        o->print_only = true;
        return true;
    default:
        return false; /* getopt_long() has said what is wrong */
    }
}

static int run(struct run_options *o, char **program)
{
    if (program[0] == NULL && !o->print_only) {
        cli_error("which program? spillway run [OPTION]… -- PROGRAM [ARGUMENT]…");
        return EXIT_RUN_REFUSED;
    }
    make_layer_findable(o);
    /* Loaders ask whether it is set, not to what. */
    if (getenv("SPILLWAY_DISABLE") != NULL)
        cli_warn("SPILLWAY_DISABLE is set, so the program runs without Spillway "
                 "(unset SPILLWAY_DISABLE)");
    if (!o->print_only)
        return become(program);
    print_line(o, program);
    return cli_finish(EXIT_ALL_WELL);
}

int cmd_run(int argc, char **argv)
{
    static const struct option options[] = {
        {"vram-limit", 1, NULL, 'v'}, {"set", 1, NULL, 's'},   {"config", 1, NULL, 'c'},
        {"stats", 0, NULL, 'S'},      {"print", 0, NULL, 'p'}, {"help", 0, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct run_options o = {0};
    int option, code = -1;
    argv[0] = (char *)"spillway run";
    change(&o, "SPILLWAY", "1");
    while (code < 0 && (option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
        if (option == 'h') {
            help_print(stdout, "run");
            code = cli_finish(EXIT_ALL_WELL);
        } else if (!read_option(&o, option)) {
            code = EXIT_RUN_REFUSED;
        }
    }
    if (code < 0)
        code = run(&o, argv + optind);
    text_list_finish(&o.changes);
    return code;
}
