/* SPDX-License-Identifier: MIT
 *
 * How the command talks: see cli.h. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Narrower is unreadable, wider is unusual; without a terminal, what fits in a bug report. */
#define MIN_WIDTH 40
#define MAX_WIDTH 110

const char cli_version[] = SPW_VERSION;

static void say(enum cli_style style, const char *label, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static void say(enum cli_style style, const char *label, const char *format, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "spillway: %s%s%s", cli_style(stderr, style), label,
            cli_style(stderr, CLI_PLAIN));
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(CLI_BAD, "error: ", format, args);
    va_end(args);
}

void cli_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(CLI_BOLD, "warning: ", format, args);
    va_end(args);
}

void cli_out_of_memory(void)
{
    cli_error("out of memory");
    exit(EXIT_SOMETHING_WRONG);
}

char *cli_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        cli_out_of_memory();
    return text;
}

char *cli_copy(const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        cli_out_of_memory();
    return copy;
}

/* no-color.org: set to anything but nothing. */
static bool wants_colour(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (no_colour != NULL && no_colour[0] != '\0')
        return false;
    if (terminal == NULL || strcmp(terminal, "dumb") == 0)
        return false;
    return isatty(fileno(stream)) == 1;
}

const char *cli_style(FILE *stream, enum cli_style style)
{
    static const char *const codes[] = {
        [CLI_PLAIN] = "\033[0m", [CLI_BOLD] = "\033[1m",  [CLI_GOOD] = "\033[32m",
        [CLI_BAD] = "\033[31m",  [CLI_FAINT] = "\033[2m",
    };
    return wants_colour(stream) ? codes[style] : "";
}

char *cli_size(uint64_t bytes, char text[CLI_SIZE_TEXT])
{
    static const struct {
        uint64_t unit;
        const char *name;
    } units[] = {{SPW_GIB << 10, "TiB"}, {SPW_GIB, "GiB"}, {SPW_MIB, "MiB"}, {SPW_KIB, "KiB"}};
    for (size_t i = 0; i < SPW_ARRAY_SIZE(units); i++) {
        uint64_t unit = units[i].unit;
        if (bytes < unit)
            continue;
        double count = (double)bytes / (double)unit;
        bool whole = bytes % unit == 0 || count >= 100;
        snprintf(text, CLI_SIZE_TEXT, whole ? "%.0f %s" : "%.1f %s", count, units[i].name);
        return text;
    }
    snprintf(text, CLI_SIZE_TEXT, "%llu B", (unsigned long long)bytes);
    return text;
}

static size_t output_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col > MAX_WIDTH || size.ws_col == 0)
        return MAX_WIDTH;
    return size.ws_col < MIN_WIDTH ? MIN_WIDTH : size.ws_col;
}

void cli_print_wrapped(const char *text, size_t indent)
{
    size_t width = output_width(), column = indent;
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (column > indent && column + 1 + word > width) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        for (size_t i = 0; i < word; i++)
            putchar((unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i]);
        column += word;
        text += word;
        text += *text == ' ';
    }
    putchar('\n');
}

int cli_finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    /* A reader that went away (`spillway doctor | head`) is no news for anybody. */
    if (errno != EPIPE)
        cli_error("cannot write the output: %s", strerror(errno));
    return code == EXIT_ALL_WELL ? EXIT_SOMETHING_WRONG : code;
}
