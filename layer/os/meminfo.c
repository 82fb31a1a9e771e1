/* SPDX-License-Identifier: MIT
 *
 * /proc/meminfo, read whole at each call (tens of microseconds; the callers poll it rarely). */
#include "meminfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SPW_CHECK
#include "size_parse.h"
#endif

/* The two lines wanted are among the first three; the whole file is below 2 KiB today. */
#define MAX_TEXT 8192

/* Reads what fits, with a terminating zero. */
static enum spw_result read_text(const char *path, char *text, size_t text_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return SPW_IO;
    }
    size_t length = 0;
    ssize_t got = 0;
    while (length < text_size - 1) {
        got = read(fd, text + length, text_size - 1 - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
    }
    int saved = errno;
    close(fd);
    errno = saved;
    text[length] = '\0';
    return got < 0 ? SPW_IO : SPW_OK;
}

/* "MemTotal:       65834560 kB" at the start of a line. */
static bool find_kib_line(const char *text, const char *name, uint64_t *out)
{
    size_t name_length = strlen(name);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, name_length) != 0 || line[name_length] != ':') {
            continue;
        }
        const char *p = line + name_length + 1;
        p += strspn(p, " \t");
        uint64_t kib = 0;
        size_t digits = 0;
        for (; p[digits] >= '0' && p[digits] <= '9'; digits++) {
            if (!spw_mul_u64(kib, 10, &kib) ||
                !spw_add_u64(kib, (uint64_t)(p[digits] - '0'), &kib)) {
                return false;
            }
        }
        return digits > 0 && strncmp(p + digits, " kB", 3) == 0 && spw_mul_u64(kib, SPW_KIB, out);
    }
    return false;
}

static enum spw_result read_kernel(struct spw_meminfo *out)
{
    char text[MAX_TEXT];
    enum spw_result result = read_text("/proc/meminfo", text, sizeof(text));
    if (result != SPW_OK) {
        return result;
    }
    struct spw_meminfo info;
    if (!find_kib_line(text, "MemTotal", &info.total_bytes) ||
        !find_kib_line(text, "MemAvailable", &info.available_bytes) || info.total_bytes == 0) {
        errno = ENODATA;
        return SPW_IO;
    }
    /* Nothing that is promised may rest on more than there is. */
    info.available_bytes = spw_min_u64(info.available_bytes, info.total_bytes);
    *out = info;
    return SPW_OK;
}

#ifdef SPW_CHECK

/* "name=SIZE" → the field of that name. */
static bool apply_override(const char *item, struct spw_meminfo *info)
{
    static const char total[] = "total=", available[] = "available=";
    uint64_t *field;
    if (strncmp(item, total, strlen(total)) == 0) {
        field = &info->total_bytes;
        item += strlen(total);
    } else if (strncmp(item, available, strlen(available)) == 0) {
        field = &info->available_bytes;
        item += strlen(available);
    } else {
        return false;
    }
    struct spw_size size;
    if (spw_size_parse(item, &size) != SPW_OK || size.kind != SPW_SIZE_BYTES) {
        return false;
    }
    *field = size.bytes;
    return true;
}

static enum spw_result read_override(const char *plan, struct spw_meminfo *out)
{
    char text[256];
    if (plan[0] == '@') {
        if (read_text(plan + 1, text, sizeof(text)) != SPW_OK) {
            return SPW_IO;
        }
        text[strcspn(text, "\n")] = '\0';
    } else if (strlen(plan) < sizeof(text)) {
        strcpy(text, plan);
    } else {
        return SPW_IO;
    }

    struct spw_meminfo info;
    if (strcmp(text, "fail") == 0 || read_kernel(&info) != SPW_OK) {
        return SPW_IO;
    }
    char *rest = NULL;
    for (char *item = strtok_r(text, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        if (!apply_override(item, &info)) {
            errno = EINVAL;
            return SPW_IO;
        }
    }
    *out = info;
    return SPW_OK;
}

#endif

enum spw_result spw_meminfo_read(struct spw_meminfo *out)
{
#ifdef SPW_CHECK
    const char *plan = secure_getenv("SPILLWAY_TEST_MEMINFO");
    if (plan != NULL) {
        return read_override(plan, out);
    }
#endif
    return read_kernel(out);
}
