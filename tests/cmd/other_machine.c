/* SPDX-License-Identifier: MIT
 *
 * LD_PRELOADed: another machine. dlopen("libvulkan.so.1") fails, as it does where there is no such
 * file, or, with OTHER_PCI set instead, /sys/bus/pci/devices is that folder. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PCI_DEVICES "/sys/bus/pci/devices"

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* The path to use instead, in a static buffer: the command has one thread when it looks. */
static const char *instead(const char *path)
{
    static char other[1024];
    const char *folder = getenv("OTHER_PCI");
    size_t length = strlen(PCI_DEVICES);
    if (folder == NULL || strncmp(path, PCI_DEVICES, length) != 0)
        return path;
    snprintf(other, sizeof(other), "%s%s", folder, path + length);
    return other;
}

void *dlopen(const char *path, int flags)
{
    static const char missing[] = "libvulkan.so.1.of-another-machine";
    void *symbol = next("dlopen");
    void *(*real)(const char *, int);
    memcpy(&real, &symbol, sizeof(real));
    bool hidden =
        getenv("OTHER_PCI") == NULL && path != NULL && strcmp(path, "libvulkan.so.1") == 0;
    return real(hidden ? missing : path, flags);
}

DIR *opendir(const char *path)
{
    void *symbol = next("opendir");
    DIR *(*real)(const char *);
    memcpy(&real, &symbol, sizeof(real));
    return real(instead(path));
}

FILE *fopen(const char *path, const char *mode)
{
    void *symbol = next("fopen");
    FILE *(*real)(const char *, const char *);
    memcpy(&real, &symbol, sizeof(real));
    return real(instead(path), mode);
}

ssize_t readlink(const char *path, char *text, size_t size)
{
    void *symbol = next("readlink");
    ssize_t (*real)(const char *, char *, size_t);
    memcpy(&real, &symbol, sizeof(real));
    return real(instead(path), text, size);
}
