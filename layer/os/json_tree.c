/* SPDX-License-Identifier: MIT
 *
 * The reader of JSON: one pass, recursive to SPW_JSON_MAX_DEPTH. Everything that it keeps lies in
 * two blocks whose sizes are known before: values (each follows a '{', '[', ':' or ',', or is the
 * root) and texts (no decoded text is longer than it was written). */
#include "json_tree.h"

#include "host_alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct spw_json_tree {
    struct spw_json *values;
    size_t value_count;
    char *texts, *free_text; /* free_text: where the next one goes */
};

struct parser {
    const char *at, *end;
    unsigned line;
    struct spw_json_tree *tree;
    struct spw_json_error *error;
};

static SPW_PRINTF(2, 3) bool fail(struct parser *p, const char *format, ...)
{
    p->error->line = p->line;
    va_list args;
    va_start(args, format);
    vsnprintf(p->error->text, sizeof(p->error->text), format, args);
    va_end(args);
    return false;
}

/* What stands here, for a message. */
static const char *shown(const struct parser *p, char buffer[static 16])
{
    if (p->at == p->end) {
        return "the end of the file";
    }
    unsigned char c = (unsigned char)*p->at;
    if (c >= 0x20 && c < 0x7f) {
        snprintf(buffer, 16, "'%c'", c);
    } else {
        snprintf(buffer, 16, "the byte 0x%02x", c);
    }
    return buffer;
}

static bool fail_expected(struct parser *p, const char *what)
{
    char buffer[16];
    if (p->at != p->end && (*p->at == '/' || *p->at == '#')) {
        return fail(p, "JSON has no comments; write \"comment\": \"...\" instead");
    }
    if (p->at != p->end && *p->at == '\'') {
        return fail(p, "expected %s; texts stand in double quotes", what);
    }
    return fail(p, "expected %s, not %s", what, shown(p, buffer));
}

static void skip_blanks(struct parser *p)
{
    for (; p->at != p->end; p->at++) {
        if (*p->at == '\n') {
            p->line++;
        } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
            return;
        }
    }
}

static bool take(struct parser *p, char c)
{
    if (p->at == p->end || *p->at != c) {
        return false;
    }
    p->at++;
    return true;
}

/* ---- texts ---- */

/* The length of the UTF-8 character that starts at s, 0 if there is none (Unicode 15, table 3-7).
 */
static size_t utf8_length(const unsigned char *s, size_t room)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    if (s[0] < 0x80) {
        return 1;
    }
    for (size_t i = 0; i < SPW_ARRAY_SIZE(forms); i++) {
        if (s[0] < forms[i].first_low || s[0] > forms[i].first_high) {
            continue;
        }
        if (room < forms[i].length || s[1] < forms[i].second_low || s[1] > forms[i].second_high) {
            return 0;
        }
        for (size_t k = 2; k < forms[i].length; k++) {
            if (s[k] < 0x80 || s[k] > 0xbf) {
                return 0;
            }
        }
        return forms[i].length;
    }
    return 0;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* Four hexadecimal digits. */
static bool read_hex4(struct parser *p, uint32_t *out)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        char c = p->at != p->end ? *p->at : '\0';
        uint32_t digit;
        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
            digit = (uint32_t)((c | 0x20) - 'a' + 10);
        } else {
            return fail_expected(p, "four hexadecimal digits after \\u");
        }
        code = code << 4 | digit;
    }
    *out = code;
    return true;
}

/* After "\u". */
static bool read_unicode_escape(struct parser *p, char **to)
{
    uint32_t code, low;
    if (!read_hex4(p, &code)) {
        return false;
    }
    if (code == 0) {
        return fail(p, "a text cannot contain \\u0000");
    }
    if (code >= 0xd800 && code < 0xdc00) {
        if (!take(p, '\\') || !take(p, 'u')) {
            return fail(p, "a high surrogate without a low one after it");
        }
        if (!read_hex4(p, &low)) {
            return false;
        }
        if (low < 0xdc00 || low > 0xdfff) {
            return fail(p, "a high surrogate without a low one after it");
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return fail(p, "a low surrogate without a high one before it");
    }
    *to = put_utf8(*to, code);
    return true;
}

/* After the backslash. */
static bool read_escape(struct parser *p, char **to)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (take(p, 'u')) {
        return read_unicode_escape(p, to);
    }
    const char *found = p->at != p->end && *p->at != '\0' ? strchr(names, *p->at) : NULL;
    if (found == NULL) {
        char buffer[16];
        return fail(p, "no escape is written as a backslash and %s; a backslash itself is \\\\",
                    shown(p, buffer));
    }
    *(*to)++ = values[found - names];
    p->at++;
    return true;
}

/* After the opening quote. */
static bool read_text(struct parser *p, const char **out)
{
    char *start = p->tree->free_text, *to = start;
    unsigned start_line = p->line;
    while (!take(p, '"')) {
        if (p->at == p->end) {
            p->line = start_line;
            return fail(p, "a text without its closing quote");
        }
        unsigned char c = (unsigned char)*p->at;
        if (c < 0x20) {
            return fail(p, c == '\n' ? "a text without its closing quote in the same line"
                                     : "a control character in a text (write \\t or \\u00..)");
        }
        if (c == '\\') {
            p->at++;
            if (!read_escape(p, &to)) {
                return false;
            }
            continue;
        }
        size_t length = utf8_length((const unsigned char *)p->at, (size_t)(p->end - p->at));
        if (length == 0) {
            return fail(p, "the byte 0x%02x is not UTF-8", c);
        }
        memcpy(to, p->at, length);
        to += length;
        p->at += length;
    }
    *to++ = '\0';
    p->tree->free_text = to;
    *out = start;
    return true;
}

/* Keeps what stands between `from` and here. */
static const char *keep_raw(struct parser *p, const char *from)
{
    char *start = p->tree->free_text;
    size_t length = (size_t)(p->at - from);
    memcpy(start, from, length);
    start[length] = '\0';
    p->tree->free_text = start + length + 1;
    return start;
}

/* ---- other scalars ---- */

static size_t skip_digits(struct parser *p)
{
    const char *from = p->at;
    while (p->at != p->end && *p->at >= '0' && *p->at <= '9') {
        p->at++;
    }
    return (size_t)(p->at - from);
}

static bool read_number(struct parser *p, const char **out)
{
    const char *from = p->at;
    (void)take(p, '-');
    if (take(p, '0')) {
        if (p->at != p->end && *p->at >= '0' && *p->at <= '9') {
            return fail(p, "a number cannot start with 0");
        }
    } else if (skip_digits(p) == 0) {
        return fail_expected(p, "a digit");
    }
    if (take(p, '.') && skip_digits(p) == 0) {
        return fail_expected(p, "a digit after the point");
    }
    if (take(p, 'e') || take(p, 'E')) {
        if (!take(p, '+')) {
            (void)take(p, '-');
        }
        if (skip_digits(p) == 0) {
            return fail_expected(p, "a digit in the exponent");
        }
    }
    *out = keep_raw(p, from);
    return true;
}

static bool read_literal(struct parser *p, struct spw_json *value)
{
    static const struct {
        const char *name;
        enum spw_json_type type;
    } literals[] = {{"true", SPW_JSON_BOOL}, {"false", SPW_JSON_BOOL}, {"null", SPW_JSON_NULL}};
    const char *from = p->at;
    while (p->at != p->end && (*p->at | 0x20) >= 'a' && (*p->at | 0x20) <= 'z') {
        p->at++;
    }
    size_t length = (size_t)(p->at - from);
    for (size_t i = 0; i < SPW_ARRAY_SIZE(literals); i++) {
        if (strlen(literals[i].name) == length && memcmp(from, literals[i].name, length) == 0) {
            value->type = literals[i].type;
            value->text = keep_raw(p, from);
            return true;
        }
    }
    if (length == 0) {
        return fail_expected(p, "a value");
    }
    return fail(p, "'%.*s' is no value; a text stands in double quotes",
                (int)(length < 32 ? length : 32), from);
}

/* ---- values ---- */

static bool read_value(struct parser *p, struct spw_json *value, unsigned depth);

static struct spw_json *new_value(struct parser *p)
{
    return &p->tree->values[p->tree->value_count++];
}

/* A ',' or `closing` after an element. true: go on; *done says which. */
static bool read_separator(struct parser *p, char closing, bool *done)
{
    skip_blanks(p);
    *done = take(p, closing);
    if (*done) {
        return true;
    }
    if (!take(p, ',')) {
        return fail_expected(p, closing == '}' ? "',' or '}'" : "',' or ']'");
    }
    skip_blanks(p);
    if (p->at != p->end && *p->at == closing) {
        return fail(p, "a comma before '%c'", closing);
    }
    return true;
}

static bool read_array(struct parser *p, struct spw_json *array, unsigned depth)
{
    struct spw_json **link = &array->first;
    skip_blanks(p);
    bool done = take(p, ']');
    while (!done) {
        struct spw_json *value = new_value(p);
        if (!read_value(p, value, depth) || !read_separator(p, ']', &done)) {
            return false;
        }
        *link = value;
        link = &value->next;
        array->count++;
    }
    return true;
}

static void mark_if_repeated(const struct spw_json *object, struct spw_json *member)
{
    for (struct spw_json *other = object->first; other != NULL; other = other->next) {
        if (strcmp(other->key, member->key) == 0) {
            member->repeated = other->line;
            member->again = true;
            if (other->repeated == 0) {
                other->repeated = member->line;
            }
            return;
        }
    }
}

static bool read_object(struct parser *p, struct spw_json *object, unsigned depth)
{
    struct spw_json **link = &object->first;
    skip_blanks(p);
    bool done = take(p, '}');
    while (!done) {
        if (object->count == SPW_JSON_MAX_MEMBERS) {
            return fail(p, "more than %u keys in one object", SPW_JSON_MAX_MEMBERS);
        }
        struct spw_json *value = new_value(p);
        unsigned line = p->line;
        if (!take(p, '"')) {
            return fail_expected(p, "a key in double quotes");
        }
        if (!read_text(p, &value->key)) {
            return false;
        }
        skip_blanks(p);
        if (!take(p, ':')) {
            return fail_expected(p, "':' after the key");
        }
        if (!read_value(p, value, depth)) {
            return false;
        }
        value->line = line;
        mark_if_repeated(object, value);
        if (!read_separator(p, '}', &done)) {
            return false;
        }
        *link = value;
        link = &value->next;
        object->count++;
    }
    return true;
}

static bool read_value(struct parser *p, struct spw_json *value, unsigned depth)
{
    skip_blanks(p);
    value->line = p->line;
    if (depth == SPW_JSON_MAX_DEPTH) {
        return fail(p, "nested more than %u deep", SPW_JSON_MAX_DEPTH);
    }
    if (take(p, '{')) {
        value->type = SPW_JSON_OBJECT;
        return read_object(p, value, depth + 1);
    }
    if (take(p, '[')) {
        value->type = SPW_JSON_ARRAY;
        return read_array(p, value, depth + 1);
    }
    if (take(p, '"')) {
        value->type = SPW_JSON_STRING;
        return read_text(p, &value->text);
    }
    if (p->at != p->end && (*p->at == '-' || (*p->at >= '0' && *p->at <= '9'))) {
        value->type = SPW_JSON_NUMBER;
        return read_number(p, &value->text);
    }
    return read_literal(p, value);
}

/* Upper bounds: what stands inside texts is counted too. A text needs no more than it was written
 * with, its quotes making room for the NUL; a bare scalar one byte more, after a delimiter or at
 * the start. */
static struct spw_json_tree *tree_create(const char *text, size_t length)
{
    size_t value_count = 1;
    for (size_t i = 0; i < length; i++) {
        value_count += text[i] == '{' || text[i] == '[' || text[i] == ',';
    }
    struct spw_json_tree *tree = spw_calloc(1, sizeof(*tree));
    if (tree == NULL) {
        return NULL;
    }
    tree->values = spw_calloc(value_count, sizeof(*tree->values));
    tree->texts = spw_calloc(length + 2, 1);
    tree->free_text = tree->texts;
    if (tree->values == NULL || tree->texts == NULL) {
        spw_json_destroy(tree);
        return NULL;
    }
    return tree;
}

enum spw_result spw_json_parse(const char *text, size_t length, struct spw_json_tree **out,
                               struct spw_json_error *error)
{
    struct spw_json_tree *tree = tree_create(text, length);
    if (tree == NULL) {
        return SPW_NO_HOST_MEMORY;
    }
    struct parser p = {.at = text, .end = text + length, .line = 1, .tree = tree, .error = error};
    /* Editors of another system put a byte order mark before UTF-8. */
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        p.at += 3;
    }
    bool good = read_value(&p, new_value(&p), 0);
    if (good) {
        skip_blanks(&p);
        good = p.at == p.end || fail_expected(&p, "the end of the file");
    }
    if (!good) {
        spw_json_destroy(tree);
        return SPW_INVALID;
    }
    *out = tree;
    return SPW_OK;
}

struct spw_json *spw_json_root(struct spw_json_tree *tree)
{
    return &tree->values[0];
}

void spw_json_destroy(struct spw_json_tree *tree)
{
    if (tree != NULL) {
        spw_free(tree->values);
        spw_free(tree->texts);
        spw_free(tree);
    }
}

const char *spw_json_type_name(enum spw_json_type type)
{
    switch (type) {
    case SPW_JSON_NULL:
        return "null";
    case SPW_JSON_BOOL:
        return "true or false";
    case SPW_JSON_NUMBER:
        return "a number";
    case SPW_JSON_STRING:
        return "a text";
    case SPW_JSON_ARRAY:
        return "a list";
    case SPW_JSON_OBJECT:
        return "an object";
    }
    return "?";
}
