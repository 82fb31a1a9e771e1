/* SPDX-License-Identifier: MIT
 *
 * The first configuration file: strict JSON, so its comments are "comment" members. tests/cmd
 * checks that it is a file without fault, and that it changes nothing as it is. */
#include "config_init.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char starter[] =
    "{\n"
    "    \"comment\": \"Spillway's settings. spillway config keys: what there is. "
    "spillway config check FILE: is it right? spillway config show: what holds.\",\n"
    "\n"
    "    \"defaults\": {\n"
    "        \"comment\": \"For every program that is started with Spillway. Sizes: 512MiB, 8GiB, "
    "60%. Example: \\\"log.level\\\": \\\"info\\\"\"\n"
    "    },\n"
    "\n"
    "    \"profiles\": [\n"
    "        {\n"
    "            \"name\": \"one game, as an example\",\n"
    "            \"comment\": \"What stands here holds for this game only, above the defaults. "
    "executable: its file name (with a / in it: the whole path); * stands for anything. Or by "
    "Steam: "
    "\\\"steam_app_id\\\": \\\"1091500\\\". Copy this block for each game; the one here matches "
    "none.\",\n"
    "            \"match\": {\"executable\": \"name-of-the-game.exe\"},\n"
    "            \"vram_limit\": \"6GiB\",\n"
    "            \"report\": \"virtual\"\n"
    "        }\n"
    "    ]\n"
    "}\n";

/* mkdir -p; false: errno says why. The user's configuration is nobody else's business. */
static bool make_folders(const char *folder)
{
    char *path = cli_copy(folder);
    bool fine = true;
    for (char *slash = path + 1; fine && *slash != '\0'; slash++) {
        if (*slash != '/')
            continue;
        *slash = '\0';
        fine = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
    }
    fine = fine && (mkdir(path, 0700) == 0 || errno == EEXIST);
    int error = errno;
    free(path);
    errno = error;
    return fine;
}

static bool write_starter(const char *path)
{
    /* O_EXCL: what is there stays, links included. */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST) {
        cli_error("%s is there already and stays as it is", path);
        return false;
    }
    size_t length = sizeof(starter) - 1;
    bool fine = fd >= 0 && write(fd, starter, length) == (ssize_t)length;
    int error = errno;
    if (fd >= 0 && close(fd) != 0 && fine) {
        error = errno;
        fine = false;
    }
    if (fine)
        return true;
    if (fd >= 0)
        unlink(path); /* half a file would be complained about by every program */
    cli_error("cannot write %s: %s", path, strerror(error));
    return false;
}

bool config_init_write(const char *folder)
{
    if (folder[0] == '\0') {
        cli_error("there is no place for your configuration: HOME is not set");
        return false;
    }
    if (!make_folders(folder)) {
        cli_error("cannot make the folder %s: %s", folder, strerror(errno));
        return false;
    }
    char *path = cli_format("%s/spillway.json", folder);
    bool fine = write_starter(path);
    if (fine)
        printf("Wrote %s. Edit it, then:\n    spillway config check %s\n", path, path);
    free(path);
    return fine;
}
