/* SPDX-License-Identifier: MIT
 *
 * JSON text as a tree that knows its lines. Strict RFC 8259: no comments, no trailing commas, UTF-8
 * only, no NUL in texts; a key that stands twice in an object is marked rather than overwritten.
 *
 * Not json-c, though the ring uses it for writing: json-c gives neither lines nor duplicate keys,
 * and version 0.16 (Debian 12), where malloc fails, crashes or drops members without a word, which
 * a guest in someone's process must not. The tests use json-c's strict mode as the judge of this
 * reader. */
#pragma once

#include "base.h"

enum spw_json_type {
    SPW_JSON_NULL = 1,
    SPW_JSON_BOOL = 2,
    SPW_JSON_NUMBER = 4,
    SPW_JSON_STRING = 8,
    SPW_JSON_ARRAY = 16,
    SPW_JSON_OBJECT = 32,
};

struct spw_json {
    enum spw_json_type type;
    unsigned line;                 /* of the value's first character, or of its key */
    const char *key;               /* in an object, decoded; else NULL */
    unsigned repeated;             /* the key stands twice: the line of another one; else 0 */
    bool again;                    /* it stood before: one complaint is enough */
    bool ignored;                  /* the user's mark, false at first */
    const char *text;              /* STRING: decoded; NUMBER, BOOL, NULL: as written; else NULL */
    struct spw_json *first, *next; /* children; siblings */
    size_t count;                  /* of children */
};

struct spw_json_error {
    unsigned line;
    char text[160]; /* "expected ',' or '}', not 'x'" */
};

/* What is deeper or wider is an error: far beyond any configuration, and bounds time and stack. */
#define SPW_JSON_MAX_DEPTH   16
#define SPW_JSON_MAX_MEMBERS 256 /* of one object; arrays are bounded by the text alone */

struct spw_json_tree;

/* SPW_INVALID: *error says what and where. SPW_NO_HOST_MEMORY. *tree is written on success only,
 * and does not point into text. */
SPW_MUST_CHECK enum spw_result spw_json_parse(const char *text, size_t length,
                                              struct spw_json_tree **tree,
                                              struct spw_json_error *error);
struct spw_json *spw_json_root(struct spw_json_tree *tree);
void spw_json_destroy(struct spw_json_tree *tree);

/* "an object", "a text", "true or false", …: static. */
const char *spw_json_type_name(enum spw_json_type type);
