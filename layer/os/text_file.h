/* SPDX-License-Identifier: MIT
 *
 * Configuration files as they lie on disk: read whole, without hanging on what is no file (a FIFO,
 * a device), without an end (a size limit) and, in a privileged process, without believing what
 * others than root may have written. Any thread. */
#pragma once

#include "base.h"

/* Far more than any configuration has: what is larger is something else. */
#define SPW_TEXT_FILE_MAX (UINT64_C(1) << 20)

/* Longest reason, with its NUL. */
#define SPW_TEXT_FILE_REASON 160

struct spw_text_file {
    char *text; /* owned; a NUL behind it that does not count */
    size_t length;
};

/* Opens `name` in the folder dir_fd (AT_FDCWD: name is absolute) and reads it. SPW_NOT_FOUND: it
 * is not there; SPW_IO: it cannot be used, `reason` says why in words ("it is a FIFO", "permission
 * denied"); SPW_NO_HOST_MEMORY. root_only: the file must be owned by root, writable by nobody else,
 * and no symbolic link. */
SPW_MUST_CHECK enum spw_result spw_text_file_read(int dir_fd, const char *name, bool root_only,
                                                  struct spw_text_file *file,
                                                  char reason[static SPW_TEXT_FILE_REASON]);
void spw_text_file_finish(struct spw_text_file *file);

/* The same for a folder: its descriptor, or -1 with *result SPW_NOT_FOUND or SPW_IO. `path` must be
 * absolute. */
int spw_folder_open(const char *path, bool root_only, enum spw_result *result,
                    char reason[static SPW_TEXT_FILE_REASON]);

/* The names in an open folder that end in `suffix` and do not start with a dot, sorted bytewise;
 * each and the list to be freed with spw_free. At most SPW_FOLDER_MAX, the rest is not looked at
 * (*cut_off). SPW_OK, SPW_IO or SPW_NO_HOST_MEMORY. */
#define SPW_FOLDER_MAX 256
SPW_MUST_CHECK enum spw_result spw_folder_list(int dir_fd, const char *suffix, char ***names,
                                               size_t *count, bool *cut_off);
