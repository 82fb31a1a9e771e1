/* SPDX-License-Identifier: MIT
 *
 * The records of live device memory. */
#pragma once

#include "objects.h"

/* NULL: not memory that was allocated through us. Any thread. */
const struct spw_memory *spw_memory_find(struct spw_device *device, VkDeviceMemory memory);

/* Takes what the program never freed off the books. The device is gone. */
void spw_memories_forget(struct spw_device *device);
