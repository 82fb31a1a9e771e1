/* SPDX-License-Identifier: MIT
 *
 * Who is running: see program.h. */
#include "program.h"

#include "host_alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the command line: the name of a Windows program stands first, or after Wine's own. */
#define MAX_COMMAND_LINE 16384

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b, bool no_case)
{
    if (!no_case) {
        return a == b;
    }
    a = a == '\\' ? '/' : lower(a);
    b = b == '\\' ? '/' : lower(b);
    return a == b;
}

/* The last '*' is the only one to come back to: what an earlier one could take more, it can too. */
bool spw_glob_matches(const char *pattern, const char *text, bool no_case)
{
    const char *star = NULL, *taken = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            taken = text;
        } else if (*pattern == '?' || (*pattern != '\0' && same(*pattern, *text, no_case))) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

static bool ends_in_exe(const char *name)
{
    return spw_glob_matches("?*.exe", name, true);
}

/* wine, wine64, wine-preloader, wine64-preloader, wineloader, Proton's and others' copies of them.
 */
static bool is_wine(const char *executable)
{
    const char *slash = strrchr(executable, '/');
    return strncmp(slash != NULL ? slash + 1 : executable, "wine", 4) == 0;
}

/* In lists of NUL-ended arguments: the first that is a Windows program. A program that is not Wine
 * may well have such a name among its arguments (an installer, an editor): there it must be the
 * first, which it is where Wine has set it. */
static const char *find_exe(const char *arguments, size_t length, bool first_only)
{
    for (const char *at = arguments; at < arguments + length; at += strlen(at) + 1) {
        if (ends_in_exe(at)) {
            return at;
        }
        if (first_only) {
            return NULL;
        }
    }
    return NULL;
}

/* text has room for one byte more than size, for a NUL. */
static size_t read_file(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    size_t length = 0;
    while (length < size) {
        ssize_t got = read(fd, text + length, size - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
    }
    close(fd);
    text[length] = '\0';
    return length;
}

/* /proc/self/exe of a program that was replaced while it runs ends in " (deleted)". */
static bool read_executable(char path[static PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    static const char deleted[] = " (deleted)";
    size_t suffix = strlen(deleted);
    if ((size_t)length > suffix && strcmp(path + length - suffix, deleted) == 0) {
        path[(size_t)length - suffix] = '\0';
    }
    return true;
}

static char *steam_id(const char *variable)
{
    const char *value = secure_getenv(variable);
    /* Steam gives 0 to what has no id. */
    if (value == NULL || value[0] == '\0' || strcmp(value, "0") == 0) {
        return NULL;
    }
    return spw_strdup(value);
}

void spw_program_init_self(struct spw_program *p)
{
    *p = (struct spw_program){0};
    char path[PATH_MAX];
    bool has_path = read_executable(path);

    char *arguments = spw_calloc(MAX_COMMAND_LINE + 1, 1);
    if (arguments != NULL) {
        size_t length = read_file("/proc/self/cmdline", arguments, MAX_COMMAND_LINE);
        const char *exe = find_exe(arguments, length, !has_path || !is_wine(path));
        if (exe != NULL) {
            p->executable = spw_strdup(exe);
            p->windows = true;
        }
        spw_free(arguments);
    }
    if (!p->windows && has_path) {
        p->executable = spw_strdup(path);
    }
    p->steam_ids[0] = steam_id("SteamAppId");
    p->steam_ids[1] = steam_id("SteamGameId");
}

/* The file that a name without a slash would run, as the shell has it. */
static bool find_in_path(const char *name, char found[static PATH_MAX])
{
    const char *folders = secure_getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        size_t length = strcspn(folders, ":");
        /* An empty folder means the working directory: not here. */
        if (length > 0 && length + strlen(name) + 2 <= PATH_MAX) {
            snprintf(found, PATH_MAX, "%.*s/%s", (int)length, folders, name);
            if (access(found, X_OK) == 0) {
                return true;
            }
        }
        folders += length + (folders[length] == ':');
    }
    return false;
}

void spw_program_init_for(struct spw_program *p, const char *path)
{
    *p = (struct spw_program){.windows = ends_in_exe(path)};
    char found[PATH_MAX], real[PATH_MAX];
    if (p->windows) {
        p->executable = spw_strdup(path);
        return;
    }
    if (strchr(path, '/') == NULL && find_in_path(path, found)) {
        path = found;
    }
    bool has_folder = strchr(path, '/') != NULL;
    p->executable = spw_strdup(has_folder && realpath(path, real) != NULL ? real : path);
}

void spw_program_finish(struct spw_program *p)
{
    spw_free(p->executable);
    spw_free(p->steam_ids[0]);
    spw_free(p->steam_ids[1]);
    *p = (struct spw_program){0};
}
