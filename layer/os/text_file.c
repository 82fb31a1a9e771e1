/* SPDX-License-Identifier: MIT
 *
 * Reading configuration files: see text_file.h. */
#include "text_file.h"

#include "host_alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum spw_result refuse(char *reason, const char *words)
{
    snprintf(reason, SPW_TEXT_FILE_REASON, "%s", words);
    return SPW_IO;
}

static enum spw_result refuse_errno(char *reason, int error)
{
    char buffer[SPW_TEXT_FILE_REASON];
    /* GNU's strerror_r: unlike strerror it leaves the program's buffer alone. */
    const char *words = strerror_r(error, buffer, sizeof(buffer));
    snprintf(reason, SPW_TEXT_FILE_REASON, "%s", words);
    return error == ENOENT || error == ENOTDIR ? SPW_NOT_FOUND : SPW_IO;
}

static bool only_root_writes(const struct stat *status)
{
    return status->st_uid == 0 && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static const char *kind_of(const struct stat *status)
{
    switch (status->st_mode & S_IFMT) {
    case S_IFDIR:
        return "it is a folder";
    case S_IFIFO:
        return "it is a FIFO, not a file";
    case S_IFSOCK:
        return "it is a socket, not a file";
    default:
        return "it is a device, not a file";
    }
}

static enum spw_result check_status(int fd, bool root_only, char *reason)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return refuse_errno(reason, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return refuse(reason, kind_of(&status));
    }
    if (root_only && !only_root_writes(&status)) {
        return refuse(reason, "others than root may write it, and this process is privileged");
    }
    if (status.st_size > (off_t)SPW_TEXT_FILE_MAX) {
        return refuse(reason, "it is larger than 1 MiB, which no configuration is");
    }
    return SPW_OK;
}

/* The size that stat gives may be of yesterday (/proc, a file that is being written): reads to the
 * end, or to the limit. */
static enum spw_result read_all(int fd, struct spw_text_file *file, char *reason)
{
    size_t size = 0, length = 0;
    char *text = NULL;
    for (;;) {
        if (length + 1 >= size) {
            size_t larger = size == 0 ? 4096 : size * 4;
            char *moved = spw_realloc(text, larger);
            if (moved == NULL) {
                spw_free(text);
                return SPW_NO_HOST_MEMORY;
            }
            text = moved;
            size = larger;
        }
        ssize_t got = read(fd, text + length, size - 1 - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            enum spw_result result = refuse_errno(reason, errno);
            spw_free(text);
            return result;
        }
        if (got == 0) {
            break;
        }
        length += (size_t)got;
        if (length > SPW_TEXT_FILE_MAX) {
            spw_free(text);
            return refuse(reason, "it is larger than 1 MiB, which no configuration is");
        }
    }
    text[length] = '\0';
    *file = (struct spw_text_file){.text = text, .length = length};
    return SPW_OK;
}

enum spw_result spw_text_file_read(int dir_fd, const char *name, bool root_only,
                                   struct spw_text_file *file,
                                   char reason[static SPW_TEXT_FILE_REASON])
{
    /* People link their configuration from elsewhere: only where it matters is a link refused.
     * O_NONBLOCK: opening a FIFO does not wait for a writer. */
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (root_only ? O_NOFOLLOW : 0);
    int fd = openat(dir_fd, name, flags);
    if (fd < 0) {
        if (root_only && errno == ELOOP) {
            return refuse(reason, "it is a symbolic link, and this process is privileged");
        }
        return refuse_errno(reason, errno);
    }
    enum spw_result result = check_status(fd, root_only, reason);
    if (result == SPW_OK) {
        result = read_all(fd, file, reason);
    }
    close(fd);
    return result;
}

void spw_text_file_finish(struct spw_text_file *file)
{
    spw_free(file->text);
    *file = (struct spw_text_file){0};
}

int spw_folder_open(const char *path, bool root_only, enum spw_result *result,
                    char reason[static SPW_TEXT_FILE_REASON])
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        *result = refuse_errno(reason, errno);
        return -1;
    }
    struct stat status;
    if (root_only && (fstat(fd, &status) != 0 || !only_root_writes(&status))) {
        *result = refuse(reason, "others than root may write it, and this process is privileged");
        close(fd);
        return -1;
    }
    return fd;
}

static bool is_wanted(const char *name, const char *suffix)
{
    size_t length = strlen(name), suffix_length = strlen(suffix);
    return name[0] != '.' && length > suffix_length &&
           strcmp(name + length - suffix_length, suffix) == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum spw_result spw_folder_list(int dir_fd, const char *suffix, char ***names, size_t *count,
                                bool *cut_off)
{
    *names = NULL;
    *count = 0;
    *cut_off = false;
    int own = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    DIR *folder = own >= 0 ? fdopendir(own) : NULL;
    if (folder == NULL) {
        if (own >= 0) {
            close(own);
        }
        return SPW_IO;
    }
    char **list = spw_calloc(SPW_FOLDER_MAX, sizeof(*list));
    enum spw_result result = list != NULL ? SPW_OK : SPW_NO_HOST_MEMORY;
    size_t found = 0;
    struct dirent *entry;
    while (result == SPW_OK && (entry = readdir(folder)) != NULL) {
        if (!is_wanted(entry->d_name, suffix)) {
            continue;
        }
        if (found == SPW_FOLDER_MAX) {
            *cut_off = true;
            break;
        }
        list[found] = spw_strdup(entry->d_name);
        if (list[found] == NULL) {
            result = SPW_NO_HOST_MEMORY;
        } else {
            found++;
        }
    }
    closedir(folder);
    if (result != SPW_OK) {
        for (size_t i = 0; i < found; i++) {
            spw_free(list[i]);
        }
        spw_free(list);
        return result;
    }
    qsort(list, found, sizeof(*list), compare_names);
    *names = list;
    *count = found;
    return SPW_OK;
}
