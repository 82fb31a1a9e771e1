/* SPDX-License-Identifier: MIT
 *
 * Settings from the environment. All of the layer's reading of it is here (the check build's own
 * switches aside), through secure_getenv, which sees nothing in a privileged process. */
#include "config.h"

#include "settings_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PREFIX        "SPILLWAY_"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)

/* Not settings, but names that a misspelt variable may have been meant to be. */
static const char name_disable[] = "SPILLWAY_DISABLE";
static const char name_config[] = "SPILLWAY_CONFIG";
static const char prefix_test[] = "SPILLWAY_TEST_";

/* The rows of settings_keys.h, the switch and the name of a file. */
#define MAX_NAMES 64

struct variable_names {
    char text[MAX_NAMES][SPW_NAME_MAX + 1];
    const char *list[MAX_NAMES];
    size_t count;
};

/* "log.level" → "SPILLWAY_LOG_LEVEL" */
static void name_of_key(const char *key, char *name)
{
    memcpy(name, PREFIX, PREFIX_LENGTH);
    size_t i = PREFIX_LENGTH;
    for (; *key != '\0' && i < SPW_NAME_MAX; key++, i++) {
        bool lower = *key >= 'a' && *key <= 'z';
        name[i] = *key == '.' ? '_' : lower ? (char)(*key - 'a' + 'A') : *key;
    }
    name[i] = '\0';
}

static void list_names(struct variable_names *names)
{
    names->count = 0;
    for (size_t i = 0; i < spw_setting_row_count && names->count < MAX_NAMES - 2; i++) {
        name_of_key(spw_setting_rows[i].key, names->text[names->count]);
        names->list[names->count] = names->text[names->count];
        names->count++;
    }
    names->list[names->count++] = name_disable;
    names->list[names->count++] = name_config;
}

static bool is_listed(const struct variable_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->list[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* "SPILWAY_MODE": not our prefix, but one slip away from a name of ours, prefix and all. */
static bool has_misspelt_prefix(const struct variable_names *names, const char *name)
{
    const char *nearest = spw_nearest_name(name, names->list, names->count);
    return nearest != NULL && spw_edit_distance(name, nearest) == 1;
}

static void complain_about_name(const struct variable_names *names, const char *name,
                                spw_complain_fn complain, void *user)
{
    /* The prefix says nothing about what was meant: compare what follows it. */
    bool ours = strncmp(name, PREFIX, PREFIX_LENGTH) == 0;
    size_t skip = ours ? PREFIX_LENGTH : 0;
    const char *tails[MAX_NAMES];
    for (size_t i = 0; i < names->count; i++) {
        tails[i] = names->list[i] + skip;
    }
    const char *nearest = spw_nearest_name(name + skip, tails, names->count);
    if (nearest != NULL) {
        spw_complain(complain, user, SPW_LOG_WARN,
                     "%s: there is no such variable; did you mean %s%s?", name, ours ? PREFIX : "",
                     nearest);
    } else {
        spw_complain(complain, user, SPW_LOG_WARN, "%s: there is no such variable", name);
    }
}

/* Looks at one "NAME=value" of the environment for a name that was meant for us and is none. */
static void check_variable(const struct variable_names *names, const char *entry,
                           spw_complain_fn complain, void *user)
{
    char name[SPW_NAME_MAX + 1];
    size_t length = strcspn(entry, "=");
    if (entry[length] != '=') {
        return; /* no variable, though execve lets it through */
    }
    length = length < SPW_NAME_MAX ? length : SPW_NAME_MAX; /* far longer than any name of ours */
    memcpy(name, entry, length);
    name[length] = '\0';
    bool ours = strncmp(name, PREFIX, PREFIX_LENGTH) == 0;
    if (strncmp(name, prefix_test, strlen(prefix_test)) == 0 || is_listed(names, name)) {
        return;
    }
    if (!ours && (strcmp(name, "SPILLWAY") == 0 || !has_misspelt_prefix(names, name))) {
        return;
    }
    complain_about_name(names, name, complain, user);
}

void spw_settings_visit_env(void (*visit)(void *user, const struct spw_setting_row *row,
                                          const char *name, const char *value),
                            void *visit_user, spw_complain_fn complain, void *user)
{
    struct variable_names names;
    list_names(&names);
    for (size_t i = 0; i < spw_setting_row_count; i++) {
        const char *value = secure_getenv(names.list[i]);
        if (value != NULL && value[0] != '\0') {
            visit(visit_user, &spw_setting_rows[i], names.list[i], value);
        }
    }
    if (getauxval(AT_SECURE) != 0) {
        return; /* secure_getenv's own test, for names that it cannot be asked for */
    }
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        check_variable(&names, *entry, complain, user);
    }
}

struct setter {
    struct spw_settings *settings;
    spw_complain_fn complain;
    void *user;
};

static void set_variable(void *user, const struct spw_setting_row *row, const char *name,
                         const char *value)
{
    const struct setter *setter = user;
    (void)spw_settings_set(setter->settings, row->key, value, name, setter->complain, setter->user);
}

void spw_settings_read_env(struct spw_settings *s, spw_complain_fn complain, void *user)
{
    struct setter setter = {.settings = s, .complain = complain, .user = user};
    spw_settings_visit_env(set_variable, &setter, complain, user);
}

const char *spw_settings_env_config(void)
{
    const char *value = secure_getenv(name_config);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

void spw_setting_variable(const char *key, char *name, size_t name_size)
{
    char whole[SPW_NAME_MAX + 1];
    name_of_key(key, whole);
    snprintf(name, name_size, "%s", whole);
}

bool spw_settings_env_disabled(void)
{
    const char *value = secure_getenv(name_disable);
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}
