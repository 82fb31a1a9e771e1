/* SPDX-License-Identifier: MIT
 *
 * Comparisons over the two JSON documents of a run. */
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats_json.h"

struct side {
    double number;
    char text[256]; /* if is_text */
    bool is_text;
};

static const struct stats *document(const char *path, const struct stats *simgpu,
                                    const struct stats *spillway)
{
    return strncmp(path, "spillway.", 9) == 0 ? spillway : simgpu;
}

/* A number with an optional unit. */
static bool parse_number(const char *word, double *out)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
    char *end = NULL;
    double value = strtod(word, &end);
    for (size_t i = 0; end != word && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(end, units[i].unit) == 0) {
            *out = value * units[i].factor;
            return true;
        }
    return false;
}

static bool parse_term(const char *word, const struct stats *simgpu, const struct stats *spillway,
                       struct side *out)
{
    size_t length = strlen(word);
    if (length >= 2 && word[0] == '\'' && word[length - 1] == '\'') {
        out->is_text = true;
        snprintf(out->text, sizeof(out->text), "%.*s", (int)length - 2, word + 1);
        return true;
    }
    if (parse_number(word, &out->number))
        return true;
    const struct stats *from = document(word, simgpu, spillway);
    const char *text = stats_text(from, word);
    char *end = NULL;
    if (text && (strtod(text, &end), *end)) { /* not a number: true, "redirect" */
        out->is_text = true;
        snprintf(out->text, sizeof(out->text), "%s", text);
        return true;
    }
    return stats_number(from, word, &out->number);
}

/* Terms joined by + - *, left to right; NULL where it ends well, else the word that is no good. */
static const char *parse_side(char *words, const struct stats *simgpu, const struct stats *spillway,
                              struct side *out)
{
    char join = '+';
    char *rest = words;
    *out = (struct side){0};
    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
        struct side term = {0};
        if (!*word)
            continue;
        if (!word[1] && strchr("+-*", *word)) {
            join = *word;
            continue;
        }
        if (!parse_term(word, simgpu, spillway, &term))
            return word;
        if (term.is_text)
            *out = term;
        else if (join == '*')
            out->number *= term.number;
        else
            out->number += join == '-' ? -term.number : term.number;
    }
    return NULL;
}

static bool compare(const struct side *left, const char *operator, const struct side * right)
{
    if (left->is_text || right->is_text) {
        bool same = left->is_text && right->is_text && strcmp(left->text, right->text) == 0;
        return strcmp(operator, "==") == 0 ? same : strcmp(operator, "!=") == 0 && !same;
    }
    double a = left->number, b = right->number;
    /* Sums of whole numbers below 2^53 are exact. */
    return strcmp(operator, "==") == 0   ? !(a < b) && !(a > b)
           : strcmp(operator, "!=") == 0 ? a < b || a > b
           : strcmp(operator, "<=") == 0 ? a <= b
           : strcmp(operator, ">=") == 0 ? a >= b
           : strcmp(operator, "<") == 0  ? a < b
                                         : a > b;
}

static void print_side(const struct side *side)
{
    if (side->is_text)
        fprintf(stderr, "'%s'", side->text);
    else
        fprintf(stderr, "%.15g", side->number);
}

bool check_holds(const char *expression, const struct stats *simgpu, const struct stats *spillway)
{
    static const char *const operators[] = {" == ", " != ", " <= ", " >= ", " < ", " > "};
    char text[512], operator[4] = "";
    char *right_words = NULL;
    struct side left, right;
    snprintf(text, sizeof(text), "%s", expression);
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]) && !right_words; i++) {
        char *at = strstr(text, operators[i]);
        if (!at)
            continue;
        right_words = at + strlen(operators[i]);
        *at = '\0';
        snprintf(operator, sizeof(operator), "%.*s", (int)strlen(operators[i]) - 2,
                 operators[i] + 1);
    }
    if (!right_words) {
        fprintf(stderr, "check '%s': no comparison in it\n", expression);
        return false;
    }
    const char *bad = parse_side(text, simgpu, spillway, &left);
    if (!bad)
        bad = parse_side(right_words, simgpu, spillway, &right);
    if (bad) {
        fprintf(stderr, "check '%s': '%s' is neither a value nor a place in what the run printed\n",
                expression, bad);
        return false;
    }
    if (compare(&left, operator, & right))
        return true;
    fprintf(stderr, "check '%s' does not hold: ", expression);
    print_side(&left);
    fprintf(stderr, " is not %s ", operator);
    print_side(&right);
    fputc('\n', stderr);
    return false;
}
