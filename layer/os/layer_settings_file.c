/* SPDX-License-Identifier: MIT
 *
 * vk_layer_settings.txt, the ecosystem's file of settings for all layers, as Vulkan Configurator
 * writes it: "spillway_overcommit.key = value" a line, '#' starts a comment, the last one of a key
 * counts. The prefix is the layer's name in lower case without VK_LAYER_. Lines of other layers,
 * and what is no line at all, are none of our business. */
#include "config_data.h"

#include "host_alloc.h"

#include <string.h>

static const char prefix[] = "spillway_overcommit.";

enum spw_result spw_config_values_add(struct spw_config_values *values,
                                      const struct spw_setting_row *row, const char *text,
                                      unsigned line)
{
    if (values->count == values->capacity) {
        size_t capacity = values->capacity == 0 ? 8 : values->capacity * 2;
        struct spw_config_value *list = spw_realloc(values->list, capacity * sizeof(*values->list));
        if (list == NULL) {
            return SPW_NO_HOST_MEMORY;
        }
        values->list = list;
        values->capacity = capacity;
    }
    char *copy = spw_strdup(text);
    if (copy == NULL) {
        return SPW_NO_HOST_MEMORY;
    }
    values->list[values->count++] =
        (struct spw_config_value){.row = row, .text = copy, .line = line};
    return SPW_OK;
}

void spw_config_values_finish(struct spw_config_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        spw_free(values->list[i].text);
    }
    spw_free(values->list);
    *values = (struct spw_config_values){0};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Cuts blanks off both ends; text ends where it says, not at a NUL. */
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && is_blank(**text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && is_blank((*text)[*length - 1])) {
        (*length)--;
    }
}

static void take_setting(const char *key, const char *value, unsigned line,
                         struct spw_config_values *values, struct spw_file_complaints *c)
{
    const struct spw_setting_row *row = spw_setting_find(key);
    if (row == NULL) {
        const char *names[SPW_SETTING_COUNT];
        for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
            names[i] = spw_setting_rows[i].key;
        }
        const char *nearest = spw_nearest_name(key, names, SPW_SETTING_COUNT);
        spw_complain_file(c, SPW_LOG_WARN, line, key, "there is no such setting%s%s%s",
                          nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                          nearest != NULL ? "'?" : "");
        return;
    }
    if (row->type == NULL) {
        spw_complain_file(c, SPW_LOG_DEBUG, line, key, "it does nothing in this version");
        return;
    }
    if (value[0] == '\0') {
        return; /* Vulkan Configurator writes keys that are not set */
    }
    const char *remark = NULL;
    enum spw_result result = spw_setting_check(row, value, &remark);
    if (result == SPW_OK) {
        result = spw_config_values_add(values, row, value, line);
    }
    if (result == SPW_NO_HOST_MEMORY) {
        spw_complain_file(c, SPW_LOG_WARN, line, key, "out of memory; it is left out");
    } else if (result != SPW_OK) {
        spw_complain_file(c, SPW_LOG_WARN, line, key, "'%.64s' is not %s; it is left out", value,
                          row->type->expects);
    } else if (remark != NULL) {
        spw_complain_file(c, SPW_LOG_INFO, line, key, "'%.64s': %s", value, remark);
    }
}

static void take_line(const char *text, size_t length, unsigned line,
                      struct spw_config_values *values, struct spw_file_complaints *c)
{
    const char *comment = memchr(text, '#', length);
    length = comment != NULL ? (size_t)(comment - text) : length;
    const char *sign = memchr(text, '=', length);
    if (sign == NULL) {
        return;
    }
    const char *key = text, *value = sign + 1;
    size_t key_length = (size_t)(sign - text);
    size_t value_length = length - key_length - 1;
    trim(&key, &key_length);
    trim(&value, &value_length);
    size_t prefix_length = strlen(prefix);
    if (key_length <= prefix_length || memcmp(key, prefix, prefix_length) != 0) {
        return;
    }
    key += prefix_length;
    key_length -= prefix_length;
    char key_copy[SPW_NAME_MAX + 1];
    char *value_copy = spw_calloc(value_length + 1, 1);
    if (value_copy == NULL) {
        spw_complain_file(c, SPW_LOG_WARN, line, NULL, "out of memory; it is left out");
        return;
    }
    memcpy(value_copy, value, value_length);
    key_length = key_length < SPW_NAME_MAX ? key_length : SPW_NAME_MAX;
    memcpy(key_copy, key, key_length);
    key_copy[key_length] = '\0';
    take_setting(key_copy, value_copy, line, values, c);
    spw_free(value_copy);
}

void spw_layer_settings_parse(const char *text, struct spw_config_values *values,
                              struct spw_file_complaints *c)
{
    unsigned line = 1;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        take_line(text, length, line++, values, c);
        text += length + (text[length] == '\n');
    }
}
