/* SPDX-License-Identifier: MIT
 *
 * See unit_settings.h. */
#include "unit_settings.h"

#include <stdio.h>
#include <string.h>

void unit_complain(void *user, enum spw_log_level level, const char *message)
{
    struct unit_complaints *c = user;
    assert_true(message[0] != '\0' && strlen(message) < sizeof(c->last));
    c->count++;
    c->last_level = level;
    strcpy(c->last, message);
}

void unit_assert_complaint(struct unit_complaints *c, enum spw_log_level level, ...)
{
    if (c->count != 1) {
        fail_msg("%zu complaints, the last is: %s", c->count, c->last);
    }
    assert_int_equal(c->last_level, level);
    va_list texts;
    va_start(texts, level);
    for (const char *text = va_arg(texts, const char *); text != NULL;
         text = va_arg(texts, const char *)) {
        if (strstr(c->last, text) == NULL) {
            fail_msg("no \"%s\" in: %s", text, c->last);
        }
    }
    va_end(texts);
    c->count = 0;
}

void unit_settings_print(const struct spw_settings *s, char text[UNIT_SETTINGS_TEXT])
{
    size_t at = 0;
#define SPW_SETTING(kind_, key_, field_, default_, scope_, doc_)                                   \
    {                                                                                              \
        char value[256];                                                                           \
        assert_true(spw_settings_get(s, key_, value, sizeof(value)));                              \
        at += (size_t)snprintf(text + at, UNIT_SETTINGS_TEXT - at, "%s=%s\n", key_, value);        \
        assert_true(at < UNIT_SETTINGS_TEXT);                                                      \
    }
#define SPW_SETTING_LATER(key_, doc_)
#include "settings_keys.h"
#undef SPW_SETTING
#undef SPW_SETTING_LATER
}
