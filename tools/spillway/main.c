/* SPDX-License-Identifier: MIT
 *
 * spillway: run a program with Spillway, find out why it does not work, look after configuration.
 * Here: which command is meant. Never linked with the layer's Vulkan ring; what it knows of a GPU
 * it learns through a real loader (doctor_probe.c). */
#include "cli.h"
#include "settings_table.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", cmd_run},
    {"doctor", cmd_doctor},
    {"config", cmd_config},
};

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int print_help(const char *command)
{
    for (size_t i = 0; command != NULL && i < SPW_ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i].name, command) != 0)
            continue;
        help_print(stdout, command);
        return cli_finish(EXIT_ALL_WELL);
    }
    if (command != NULL) {
        cli_error("there is no command '%s' (spillway --help lists them)", command);
        return EXIT_WRONG_USAGE;
    }
    help_print(stdout, NULL);
    return cli_finish(EXIT_ALL_WELL);
}

/* The settings table knows how to guess what a misspelt name was meant to be. */
static int complain_about_command(const char *word)
{
    const char *names[SPW_ARRAY_SIZE(commands)];
    for (size_t i = 0; i < SPW_ARRAY_SIZE(commands); i++)
        names[i] = commands[i].name;
    const char *nearest = spw_nearest_name(word, names, SPW_ARRAY_SIZE(names));
    const char *kind = word[0] == '-' ? "option" : "command";
    if (nearest != NULL)
        cli_error("there is no %s '%s'; did you mean '%s'? (spillway --help)", kind, word, nearest);
    else
        cli_error("there is no %s '%s' (spillway --help lists what there is)", kind, word);
    return EXIT_WRONG_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help_print(stderr, NULL);
        return EXIT_WRONG_USAGE;
    }
    const char *word = argv[1];
    if (is_one_of(word, "help", "--help", "-h"))
        return print_help(argc > 2 ? argv[2] : NULL);
    if (is_one_of(word, "version", "--version", "-V")) {
        printf("spillway %s\n", cli_version);
        return cli_finish(EXIT_ALL_WELL);
    }
    for (size_t i = 0; i < SPW_ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i].name, word) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    return complain_about_command(word);
}
