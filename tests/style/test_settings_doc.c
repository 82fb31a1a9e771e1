/* SPDX-License-Identifier: MIT
 *
 * README.md's table of settings against layer/os/settings_keys.h: every key once, in that order,
 * with its default, and no other; and no SPILLWAY_ variable is mentioned anywhere that does not
 * exist.
 *
 *   test_settings_doc README.md */
#include "settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
    const char *key, *doc;
} keys[] = {
#define SPW_SETTING(type, key, field, default_, scope, doc) {key, doc},
#define SPW_SETTING_LATER(key, doc)
#include "settings_keys.h"
#undef SPW_SETTING
#undef SPW_SETTING_LATER
};

/* The loader's switch and the name of a file, which are no settings. */
static const char *const other_variables[] = {"SPILLWAY_DISABLE", "SPILLWAY_CONFIG"};

static unsigned wrong_count;

#define WRONG(...)                                                                                 \
    do {                                                                                           \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fputc('\n', stderr);                                                                       \
        wrong_count++;                                                                             \
    } while (0)

/* The next number in *text, as written; false: there is none. */
static bool next_number(const char **text, char number[16])
{
    const char *start = *text + strcspn(*text, "0123456789");
    size_t length = strspn(start, "0123456789");
    if (length == 0 || length >= 16)
        return false;
    memcpy(number, start, length);
    number[length] = '\0';
    *text = start + length;
    return true;
}

/* A default that is a formula is told in words in both places: its numbers have to agree. */
static void compare_formulas(const char *key, const char *documented, const char *cell)
{
    char a[16] = "", b[16] = "";
    bool more_a, more_b;

    do {
        more_a = next_number(&documented, a);
        more_b = next_number(&cell, b);
        if (more_a != more_b || (more_a && strcmp(a, b) != 0)) {
            WRONG("%s: its default has other numbers in settings_keys.h", key);
            return;
        }
    } while (more_a && more_b);
}

static void compare_default(unsigned index, const char *cell)
{
    struct spw_settings settings;
    char value[256], quoted[260], formula[256];
    const char *key = keys[index].key;

    spw_settings_init(&settings);
    if (!spw_settings_get(&settings, key, value, sizeof value)) {
        WRONG("%s: settings.c does not know it", key);
        return;
    }
    spw_settings_finish(&settings);
    snprintf(quoted, sizeof quoted, "`%s`", value);
    if (value[0] != '\0') {
        if (strcmp(cell, quoted) != 0)
            WRONG("%s: the default is %s, not %s", key, quoted, cell);
        return;
    }
    const char *documented = strstr(keys[index].doc, "(default: ");
    if (documented == NULL || cell[0] == '\0' || cell[0] == '`') {
        WRONG("%s: '%s' does not tell what happens where it is not set", key, cell);
        return;
    }
    /* Up to the end of the formula: what follows a semicolon is explanation. */
    documented += strlen("(default: ");
    snprintf(formula, sizeof formula, "%.*s", (int)strcspn(documented, ";"), documented);
    compare_formulas(key, formula, cell);
}

/* "| `key` | default | …": takes the line apart; false: it is no such row. */
static bool parse_row(const char *line, char key[64], char cell[256])
{
    int end = 0;
    if (sscanf(line, "| `%63[a-z_.]` |%n", key, &end) != 1 || end == 0)
        return false;
    const char *start = line + end + strspn(line + end, " ");
    const char *bar = strchr(start, '|');
    if (bar == NULL)
        return false;
    while (bar > start && bar[-1] == ' ')
        bar--;
    snprintf(cell, 256, "%.*s", (int)(bar - start), start);
    return true;
}

static void check_variables(const char *line)
{
    for (const char *s = strstr(line, "SPILLWAY_"); s != NULL; s = strstr(s + 1, "SPILLWAY_")) {
        size_t length = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        bool found = s != line && (isalnum((unsigned char)s[-1]) || s[-1] == '_');
        for (unsigned i = 0; i < COUNT(other_variables) && !found; i++)
            found =
                strlen(other_variables[i]) == length && strncmp(s, other_variables[i], length) == 0;
        for (unsigned i = 0; i < COUNT(keys) && !found; i++) {
            char name[80];
            int end = snprintf(name, sizeof name, "SPILLWAY_%s", keys[i].key);
            for (int c = 0; c < end; c++)
                name[c] = name[c] == '.' ? '_' : (char)toupper((unsigned char)name[c]);
            found = strlen(name) == length && strncmp(s, name, length) == 0;
        }
        /* "`SPILLWAY_` and the key in capitals" */
        if (!found && length > strlen("SPILLWAY_"))
            WRONG("there is no variable '%.*s'", (int)length, s);
    }
}

int main(int argc, char **argv)
{
    char line[4096], key[64], cell[256];
    unsigned next = 0;
    bool in_settings = false;
    FILE *readme = argc == 2 ? fopen(argv[1], "re") : NULL;

    if (readme == NULL) {
        fprintf(stderr, "usage: test_settings_doc README.md (and it must be there)\n");
        return 1;
    }
    while (fgets(line, sizeof line, readme) != NULL) {
        check_variables(line);
        if (strncmp(line, "## ", 3) == 0)
            in_settings = strcmp(line, "## Settings\n") == 0;
        if (!in_settings || !parse_row(line, key, cell))
            continue;
        if (next < COUNT(keys) && strcmp(key, keys[next].key) == 0)
            compare_default(next++, cell);
        else
            WRONG("'%s' where '%s' is expected", key,
                  next < COUNT(keys) ? keys[next].key : "nothing more");
    }
    fclose(readme);
    if (next != COUNT(keys))
        WRONG("%u of %zu settings are documented", next, COUNT(keys));
    return wrong_count == 0 ? 0 : 1;
}
