/* SPDX-License-Identifier: MIT
 *
 * Something that calls itself Spillway and crashes when a program starts. */
#include <signal.h>
#include <stdint.h>

int32_t vkNegotiateLoaderLayerInterfaceVersion(void *version);

int32_t vkNegotiateLoaderLayerInterfaceVersion(void *version)
{
    (void)version;
    raise(SIGSEGV);
    return 0;
}
