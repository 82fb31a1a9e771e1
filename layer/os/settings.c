/* SPDX-License-Identifier: MIT
 *
 * Setting, getting and copying any key of settings_keys.h: a table of rows, each with the kind of
 * its value. Nothing here knows a key by name. */
#include "settings.h"

#include "host_alloc.h"
#include "json_tree.h"
#include "settings_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longest complaint; what the user wrote is cut to fit. */
#define MAX_COMPLAINT 1024

/* A text that spw_settings_get() gives for a complaint: sizes and words are short, paths are cut.
 */
#define MAX_SHOWN_VALUE 128

/* ---- words ---- */

struct word {
    const char *text;
    int value;
};

static const struct word bool_words[] = {
    /* the first of a value is what get shows */
    {"true", true}, {"false", false}, {"1", true},  {"0", false},
    {"yes", true},  {"no", false},    {"on", true}, {"off", false},
};

static const struct word mode_words[] = {
    {"auto", SPW_MODE_AUTO},
    {"paging", SPW_MODE_PAGING},
    {"priority", SPW_MODE_PRIORITY},
    {"redirect", SPW_MODE_REDIRECT},
    {"passthrough", SPW_MODE_PASSTHROUGH},
};

static const struct word log_words[] = {
    {"error", SPW_LOG_ERROR},
    {"warn", SPW_LOG_WARN},
    {"info", SPW_LOG_INFO},
    {"debug", SPW_LOG_DEBUG},
};

static const struct word stats_words[] = {
    {"none", SPW_STATS_NONE},
    {"page", SPW_STATS_PAGE},
    {"exit", SPW_STATS_EXIT},
};

static const struct word report_words[] = {
    {"virtual", SPW_REPORT_VIRTUAL},
    {"truthful", SPW_REPORT_TRUTHFUL},
};

static const struct word *find_word(const struct word *words, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i].text, text) == 0) {
            return &words[i];
        }
    }
    return NULL;
}

static const char *name_of_value(const struct word *words, size_t count, int value)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i].value == value) {
            return words[i].text;
        }
    }
    return "?";
}

/* ---- kinds of values ---- */

/* Enumerations differ in C type but not in representation: they are read and written as such. */
#define DEFINE_WORD_TYPE(name, c_type)                                                             \
    static enum spw_result parse_##name(void *field, const char *text)                             \
    {                                                                                              \
        const struct word *word = find_word(name##_words, SPW_ARRAY_SIZE(name##_words), text);     \
        if (word == NULL) {                                                                        \
            return SPW_INVALID;                                                                    \
        }                                                                                          \
        *(c_type *)field = (c_type)word->value;                                                    \
        return SPW_OK;                                                                             \
    }                                                                                              \
    static void print_##name(const void *field, char *text, size_t text_size)                      \
    {                                                                                              \
        int value = (int)*(const c_type *)field;                                                   \
        snprintf(text, text_size, "%s",                                                            \
                 name_of_value(name##_words, SPW_ARRAY_SIZE(name##_words), value));                \
    }

DEFINE_WORD_TYPE(bool, bool)
DEFINE_WORD_TYPE(mode, enum spw_mode)
DEFINE_WORD_TYPE(log, enum spw_log_level)
DEFINE_WORD_TYPE(stats, enum spw_stats_mode)

static enum spw_result parse_size(void *field, const char *text)
{
    return spw_size_parse(text, field);
}

static void print_size(const void *field, char *text, size_t text_size)
{
    spw_size_print(*(const struct spw_size *)field, text, text_size);
}

static enum spw_result parse_report(void *field, const char *text)
{
    struct spw_report *report = field;
    const struct word *word = find_word(report_words, SPW_ARRAY_SIZE(report_words), text);
    if (word != NULL) {
        *report = (struct spw_report){.kind = (enum spw_report_kind)word->value};
        return SPW_OK;
    }
    struct spw_size size;
    enum spw_result result = spw_size_parse(text, &size);
    if (result != SPW_OK) {
        return result;
    }
    /* A heap of nothing is no heap that a program could be told about. */
    if (size.kind == SPW_SIZE_PERCENT ? !(size.percent > 0) : size.bytes == 0) {
        return SPW_INVALID;
    }
    *report = (struct spw_report){.kind = SPW_REPORT_FIXED, .fixed = size};
    return SPW_OK;
}

static void print_report(const void *field, char *text, size_t text_size)
{
    const struct spw_report *report = field;
    if (report->kind == SPW_REPORT_FIXED) {
        spw_size_print(report->fixed, text, text_size);
        return;
    }
    snprintf(text, text_size, "%s",
             name_of_value(report_words, SPW_ARRAY_SIZE(report_words), (int)report->kind));
}

static enum spw_result parse_string(void *field, const char *text)
{
    char *copy = spw_strdup(text);
    if (copy == NULL) {
        return SPW_NO_HOST_MEMORY;
    }
    char **string = field;
    spw_free(*string);
    *string = copy;
    return SPW_OK;
}

static void print_string(const void *field, char *text, size_t text_size)
{
    const char *string = *(char *const *)field;
    snprintf(text, text_size, "%s", string != NULL ? string : "");
}

static const char *remark_stats(const void *field)
{
    enum spw_stats_mode stats = *(const enum spw_stats_mode *)field;
    return stats == SPW_STATS_PAGE ? "this version has no statistics page" : NULL;
}

static const struct spw_setting_type type_BOOL = {
    .json = SPW_JSON_BOOL, .expects = "true or false", .parse = parse_bool, .print = print_bool};
static const struct spw_setting_type type_ENUM_MODE = {
    .json = SPW_JSON_STRING,
    .expects = "auto, paging, priority, redirect or passthrough",
    .parse = parse_mode,
    .print = print_mode};
static const struct spw_setting_type type_ENUM_LOG = {.json = SPW_JSON_STRING,
                                                      .expects = "error, warn, info or debug",
                                                      .parse = parse_log,
                                                      .print = print_log};
static const struct spw_setting_type type_ENUM_STATS = {.json = SPW_JSON_STRING,
                                                        .expects = "none, page or exit",
                                                        .parse = parse_stats,
                                                        .print = print_stats,
                                                        .remark = remark_stats};
static const struct spw_setting_type type_REPORT = {
    .json = SPW_JSON_STRING | SPW_JSON_NUMBER,
    .expects = "virtual, truthful or a size above zero (like 12GiB or 80%)",
    .parse = parse_report,
    .print = print_report};
static const struct spw_setting_type type_SIZE = {.json = SPW_JSON_STRING | SPW_JSON_NUMBER,
                                                  .expects = "a size (like 8GiB, 512 MiB or 60%)",
                                                  .parse = parse_size,
                                                  .print = print_size};
static const struct spw_setting_type type_STRING = {
    .json = SPW_JSON_STRING, .expects = "a text", .parse = parse_string, .print = print_string};

/* ---- the table ---- */

#define SPW_SETTING(kind_, key_, field_, default_, scope_, doc_)                                   \
    {.key = key_,                                                                                  \
     .type = &type_##kind_,                                                                        \
     .offset = offsetof(struct spw_settings, field_),                                              \
     .size = sizeof(((struct spw_settings *)NULL)->field_),                                        \
     .scope = #scope_[0],                                                                          \
     .doc = doc_},
#define SPW_SETTING_LATER(key_, doc_) {.key = key_, .type = NULL, .doc = doc_},
const struct spw_setting_row spw_setting_rows[] = {
#include "settings_keys.h"
};
#undef SPW_SETTING
#undef SPW_SETTING_LATER
const size_t spw_setting_row_count = SPW_ARRAY_SIZE(spw_setting_rows);

const struct spw_setting_row *spw_setting_find(const char *key)
{
    for (size_t i = 0; i < spw_setting_row_count; i++) {
        if (strcmp(spw_setting_rows[i].key, key) == 0) {
            return &spw_setting_rows[i];
        }
    }
    return NULL;
}

static void *field_of(struct spw_settings *s, const struct spw_setting_row *row)
{
    return (char *)s + row->offset;
}

static const void *const_field_of(const struct spw_settings *s, const struct spw_setting_row *row)
{
    return (const char *)s + row->offset;
}

/* Strings have NULL as their default: init cannot fail. */
#define DEFAULT_BOOL(value)       value
#define DEFAULT_ENUM_MODE(value)  value
#define DEFAULT_ENUM_LOG(value)   value
#define DEFAULT_ENUM_STATS(value) value
#define DEFAULT_REPORT(value)                                                                      \
    {                                                                                              \
        .kind = value                                                                              \
    }
#define DEFAULT_SIZE(value) DEFAULT_SIZE_##value
#define DEFAULT_SIZE_none                                                                          \
    {                                                                                              \
        .kind = SPW_SIZE_UNSET                                                                     \
    }
#define DEFAULT_STRING(value) value

#define SPW_SETTING(kind_, key_, field_, default_, scope_, doc_)                                   \
    .field_ = DEFAULT_##kind_(default_),
#define SPW_SETTING_LATER(key_, doc_)
static const struct spw_settings default_settings = {
#include "settings_keys.h"
};
#undef SPW_SETTING
#undef SPW_SETTING_LATER

/* ---- misspelt names ---- */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

/* Optimal string alignment: three rows of the table of distances between prefixes. */
unsigned spw_edit_distance(const char *a, const char *b)
{
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > SPW_NAME_MAX || b_length > SPW_NAME_MAX) {
        return UINT32_MAX;
    }
    unsigned rows[3][SPW_NAME_MAX + 1];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *before = rows[(i - 1) % 3];
        const unsigned *before_that = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned change = before[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = min3(change, before[j] + 1, row[j - 1] + 1);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before_that[j - 2] + 1 < row[j]) {
                row[j] = before_that[j - 2] + 1;
            }
        }
    }
    return rows[a_length % 3][b_length];
}

static bool is_first_word_of(const char *text, const char *name)
{
    size_t length = strlen(text);
    return length > 0 && strncmp(name, text, length) == 0 &&
           (name[length] == '.' || name[length] == '_');
}

const char *spw_nearest_name(const char *text, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    /* One slip in a short name, one more for every three letters: "mdoe", "vram_limt", "hostfloor".
     */
    unsigned least = 2 + (unsigned)(strlen(text) / 4);
    for (size_t i = 0; i < count; i++) {
        if (names[i] == NULL) {
            continue;
        }
        unsigned distance = spw_edit_distance(text, names[i]);
        if (distance < least) {
            least = distance;
            nearest = names[i];
        }
    }
    for (size_t i = 0; nearest == NULL && i < count; i++) {
        if (names[i] != NULL && is_first_word_of(text, names[i])) {
            nearest = names[i];
        }
    }
    return nearest;
}

/* ---- what settings.h declares ---- */

void spw_complain(spw_complain_fn complain, void *user, enum spw_log_level level,
                  const char *format, ...)
{
    if (complain == NULL) {
        return;
    }
    char message[MAX_COMPLAINT];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    /* What a file or a variable holds must not drive the terminal that it is shown on. */
    for (char *c = message; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
    complain(user, level, message);
}

static void forget_strings(struct spw_settings *s, size_t row_count)
{
    for (size_t i = 0; i < row_count; i++) {
        const struct spw_setting_row *row = &spw_setting_rows[i];
        if (row->type == &type_STRING) {
            char **string = field_of(s, row);
            spw_free(*string);
            *string = NULL;
        }
    }
}

void spw_settings_init(struct spw_settings *s)
{
    *s = default_settings;
}

void spw_settings_finish(struct spw_settings *s)
{
    if (s != NULL) {
        forget_strings(s, spw_setting_row_count);
    }
}

enum spw_result spw_settings_copy(struct spw_settings *to, const struct spw_settings *from)
{
    struct spw_settings copy = *from;
    for (size_t i = 0; i < spw_setting_row_count; i++) {
        const struct spw_setting_row *row = &spw_setting_rows[i];
        if (row->type != &type_STRING) {
            continue;
        }
        char **string = field_of(&copy, row);
        if (*string == NULL) {
            continue;
        }
        *string = spw_strdup(*string);
        if (*string == NULL) {
            forget_strings(&copy, i); /* from here on they are still those of *from */
            return SPW_NO_HOST_MEMORY;
        }
    }
    *to = copy;
    return SPW_OK;
}

static void set_default(struct spw_settings *s, const struct spw_setting_row *row)
{
    void *field = field_of(s, row);
    if (row->type == &type_STRING) {
        spw_free(*(char **)field);
    }
    memcpy(field, const_field_of(&default_settings, row), row->size);
}

static void complain_about_key(const char *key, const char *source, spw_complain_fn complain,
                               void *user)
{
    const char *names[SPW_ARRAY_SIZE(spw_setting_rows)];
    for (size_t i = 0; i < spw_setting_row_count; i++) {
        names[i] = spw_setting_rows[i].key;
    }
    const char *nearest = spw_nearest_name(key, names, spw_setting_row_count);
    if (nearest != NULL) {
        spw_complain(complain, user, SPW_LOG_WARN,
                     "%s: there is no setting '%.64s'; did you mean '%s'?", source, key, nearest);
    } else {
        spw_complain(complain, user, SPW_LOG_WARN, "%s: there is no setting '%.64s'", source, key);
    }
}

static void complain_about_value(const struct spw_settings *s, const struct spw_setting_row *row,
                                 const char *text, const char *source, enum spw_result result,
                                 spw_complain_fn complain, void *user)
{
    char kept[MAX_SHOWN_VALUE];
    row->type->print(const_field_of(s, row), kept, sizeof(kept));
    const char *quote = kept[0] != '\0' ? "'" : "";
    const char *shown = kept[0] != '\0' ? kept : "the default";
    if (result == SPW_NO_HOST_MEMORY) {
        spw_complain(complain, user, SPW_LOG_WARN, "%s: out of memory; keeping %s%s%s", source,
                     quote, shown, quote);
    } else {
        spw_complain(complain, user, SPW_LOG_WARN, "%s: '%.64s' is not %s; keeping %s%s%s", source,
                     text, row->type->expects, quote, shown, quote);
    }
}

enum spw_result spw_settings_set(struct spw_settings *s, const char *key, const char *text,
                                 const char *source, spw_complain_fn complain, void *user)
{
    const struct spw_setting_row *row = spw_setting_find(key);
    if (row == NULL) {
        complain_about_key(key, source, complain, user);
        return SPW_NOT_FOUND;
    }
    if (row->type == NULL) {
        spw_complain(complain, user, SPW_LOG_INFO, "%s: '%s' does nothing in this version", source,
                     key);
        return SPW_NOT_FOUND;
    }
    if (text[0] == '\0') {
        set_default(s, row);
        return SPW_OK;
    }
    void *field = field_of(s, row);
    enum spw_result result = row->type->parse(field, text);
    if (result != SPW_OK) {
        complain_about_value(s, row, text, source, result, complain, user);
        return result;
    }
    const char *remark = row->type->remark != NULL ? row->type->remark(field) : NULL;
    if (remark != NULL) {
        spw_complain(complain, user, SPW_LOG_INFO, "%s: '%.64s': %s", source, text, remark);
    }
    return SPW_OK;
}

enum spw_result spw_setting_check(const struct spw_setting_row *row, const char *text,
                                  const char **remark)
{
    struct spw_settings scratch;
    spw_settings_init(&scratch);
    void *field = field_of(&scratch, row);
    enum spw_result result = row->type->parse(field, text);
    bool has_remark = result == SPW_OK && row->type->remark != NULL;
    *remark = has_remark ? row->type->remark(field) : NULL;
    spw_settings_finish(&scratch);
    return result;
}

bool spw_settings_get(const struct spw_settings *s, const char *key, char *text, size_t text_size)
{
    const struct spw_setting_row *row = spw_setting_find(key);
    if (row == NULL || row->type == NULL) {
        return false;
    }
    row->type->print(const_field_of(s, row), text, text_size);
    return true;
}

const char *spw_mode_name(enum spw_mode mode)
{
    return name_of_value(mode_words, SPW_ARRAY_SIZE(mode_words), (int)mode);
}
