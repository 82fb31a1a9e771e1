/* SPDX-License-Identifier: MIT
 *
 * Where Vulkan loaders look for implicit layers, and what stands there about Spillway. */
#pragma once

#include "base.h"

#define LAYER_NAME "VK_LAYER_SPILLWAY_overcommit"

enum manifest_state {
    MANIFEST_OK,
    MANIFEST_OTHER_WORD_SIZE, /* for 32-bit programs, seen from a 64-bit one (or the reverse) */
    MANIFEST_UNREADABLE,
    MANIFEST_BROKEN,      /* no JSON, or not what a manifest has to be */
    MANIFEST_NO_LIBRARY,  /* names a file that is not there */
    MANIFEST_BAD_LIBRARY, /* for another processor, or no shared library at all */
};

struct manifest {
    char *path;
    bool ours; /* else: somebody's that is no JSON, which loader 1.3.239 takes as out of memory */
    enum manifest_state state;
    char *detail;  /* why it is not OK, NULL where it is */
    char *library; /* as an absolute path where the manifest gives one; NULL: not known */
};

struct text_list {
    char **items;
    size_t count;
};

struct layer_search {
    struct text_list folders; /* in the order in which loaders look, existing or not */
    struct manifest *manifests;
    size_t manifest_count;
    /* Vulkan Configurator's ways of taking layers away: paths, NULL where there are none. */
    char *override_manifest, *loader_settings;
};

/* Looks through the usual places, as the environment has them. */
void layer_search_init(struct layer_search *search);
void layer_search_finish(struct layer_search *search);

/* The first manifest that a loader of our word size can use; NULL: none. */
const struct manifest *layer_search_find(const struct layer_search *search);

/* A folder for XDG_DATA_DIRS that has a usable manifest of ours, found from where this command
 * lies: the prefix that it was installed to, or its build tree. NULL: none. The caller frees. */
char *layer_folder_beside_command(void);

/* True where `folder` (for XDG_DATA_DIRS) holds a usable implicit manifest of ours. */
bool layer_folder_has_manifest(const char *folder);

void text_list_add(struct text_list *list, char *owned);
void text_list_finish(struct text_list *list);
