/* SPDX-License-Identifier: MIT
 *
 * A Vulkan driver that crashes as soon as the loader talks to it. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
void *vk_icdGetInstanceProcAddr(void *instance, const char *name);

int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    (void)version;
    raise(SIGSEGV);
    return 0;
}

void *vk_icdGetInstanceProcAddr(void *instance, const char *name)
{
    (void)instance;
    (void)name;
    return NULL;
}
