/* SPDX-License-Identifier: MIT
 *
 * What every sub-command of `spillway` shares: exit codes, how it talks, and the commands
 * themselves. */
#pragma once

#include "base.h"

#include <stdio.h>

/* Documented in spillway.1. */
enum exit_code {
    EXIT_ALL_WELL = 0,
    EXIT_SOMETHING_WRONG = 1,
    EXIT_WRONG_USAGE = 2,
    /* `run` passes on the program's own exit code, so its own complaints have the codes that
     * env(1), timeout(1) and the shells use. */
    EXIT_RUN_REFUSED = 125,
    EXIT_RUN_CANNOT_EXECUTE = 126,
    EXIT_RUN_NOT_FOUND = 127,
};

extern const char cli_version[];

/* "spillway: …" on stderr, one line. */
void cli_error(const char *format, ...) SPW_PRINTF(1, 2);
void cli_warn(const char *format, ...) SPW_PRINTF(1, 2);

/* The same, but out of memory: nothing sensible is left to do. */
_Noreturn void cli_out_of_memory(void);

/* asprintf and strdup that never return NULL; the caller frees. */
char *cli_format(const char *format, ...) SPW_PRINTF(1, 2);
char *cli_copy(const char *text);

/* Escape sequences, or "" where `stream` is no terminal, TERM is dumb or NO_COLOR is set. */
enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_GOOD, CLI_BAD, CLI_FAINT };
const char *cli_style(FILE *stream, enum cli_style style);

/* "8.0 GiB", "214 MiB", "0": as people say it. Returns `text`. */
#define CLI_SIZE_TEXT 32
char *cli_size(uint64_t bytes, char text[CLI_SIZE_TEXT]);

/* Prints text on stdout, wrapped between words and ended with a newline; the first line stands at
 * column `indent` already, where the others begin. What comes from drivers and file names may hold
 * anything: control characters become '?'. */
void cli_print_wrapped(const char *text, size_t indent);

/* After everything was printed: EXIT_SOMETHING_WRONG where stdout could not take it (a full disk),
 * else `code`. */
int cli_finish(int code);

/* Help texts (help.c): by the name of a command, NULL for the whole. */
void help_print(FILE *stream, const char *command);

/* Commands: argv[0] is the command's name. They return the exit code. */
int cmd_run(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_config(int argc, char **argv);
