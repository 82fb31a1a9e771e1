/* SPDX-License-Identifier: MIT
 *
 * Physical devices: what there is, which mode fits, and the books. Made on first sight of a handle,
 * live as long as their instance. */
#pragma once

#include "objects.h"

/* Any thread. NULL only for lack of host memory. */
struct spw_physical_device *spw_physical_device_get(struct spw_instance *instance,
                                                    VkPhysicalDevice handle);

void spw_physical_devices_destroy(struct spw_instance *instance);

/* Asks the driver for budget and usage and enters them in the books. Takes the lock, not across the
 * call down. Nothing where the driver lacks VK_EXT_memory_budget. */
void spw_physical_device_poll(struct spw_physical_device *physical) SPW_EXCLUDES(&physical->lock);

/* What a new promise of host memory could be at most, in bytes; 0 where MemAvailable cannot be
 * read. */
uint64_t spw_host_room(const struct spw_physical_device *physical);

/* Promises host memory, keeping the host floor. NO_ROOM: nothing was promised. */
SPW_MUST_CHECK enum spw_result spw_host_take(const struct spw_physical_device *physical,
                                             uint64_t size_bytes);
