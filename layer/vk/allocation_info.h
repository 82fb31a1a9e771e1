/* SPDX-License-Identifier: MIT
 *
 * What a VkMemoryAllocateInfo asks for, as far as placement cares. */
#pragma once

#include "objects.h"

struct spw_allocation_info {
    const char *leave_alone; /* why the memory type may not be changed; NULL: it may */
    bool imported;           /* takes no new memory */
    VkBuffer buffer;         /* what the memory is dedicated to, if anything */
    VkImage image;
};

/* Pure. A structure that we do not know may mean anything: such an allocation is left alone. */
void spw_allocation_info_read(struct spw_allocation_info *out, const VkMemoryAllocateInfo *info,
                              const struct spw_device *device);
