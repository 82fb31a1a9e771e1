/* SPDX-License-Identifier: MIT
 *
 * LD_PRELOADed: a machine without the system's Vulkan loader. dlopen("libvulkan.so.1") fails as it
 * does where that file is not; everything else is the real dlopen's. */
#include <dlfcn.h>
#include <string.h>

void *dlopen(const char *path, int flags)
{
    static const char missing[] = "libvulkan.so.1.of-another-machine";
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    void *(*next)(const char *, int);
    memcpy(&next, &symbol, sizeof(next));
    return next(path != NULL && strcmp(path, "libvulkan.so.1") == 0 ? missing : path, flags);
}
