/* SPDX-License-Identifier: MIT
 *
 * What the tests of the cards share beyond the suite's own helpers. */
#pragma once

#include "../suite/suite.h"

/* VK_EXT_memory_budget's answer now. */
struct cards_budget {
    VkDeviceSize budget[VK_MAX_MEMORY_HEAPS], usage[VK_MAX_MEMORY_HEAPS];
};
struct cards_budget cards_budget(const struct vkf *f);

/* Writes SIMGPU_CONTROL's file as a whole; NULL removes it. Skips if the variable is not set. */
void cards_control(const char *text);

/* Runs argv[0] anew, as a process of its own, with variables ("NAME=VALUE", ended by NULL) set and
 * its stderr going to a file; its wait status. */
int cards_run(char *const argv[], const char *const variables[], const char *stderr_path);
/* The file's content in a static buffer; "" if there is none. */
const char *cards_read(const char *path);
