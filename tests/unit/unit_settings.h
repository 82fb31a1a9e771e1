/* SPDX-License-Identifier: MIT
 *
 * What the tests of the settings share: a collector of complaints, and all values of a struct as
 * text. */
#pragma once

#include "unit.h"

#include "settings.h"

struct unit_complaints {
    size_t count;
    enum spw_log_level last_level;
    char last[600];
};

/* A spw_complain_fn; user is a struct unit_complaints. Checks that a complaint is one short
 * sentence. */
void unit_complain(void *user, enum spw_log_level level, const char *message);

/* Exactly one complaint since the last call, at that level, with each of the texts in it (NULL ends
 * them). */
void unit_assert_complaint(struct unit_complaints *c, enum spw_log_level level, ...);

#define UNIT_SETTINGS_TEXT 2048

/* "key=value" of every key, to compare two states. */
void unit_settings_print(const struct spw_settings *s, char text[UNIT_SETTINGS_TEXT]);
