/* SPDX-License-Identifier: MIT
 *
 * The SIGSEGV handler and the table of regions it looks into. */
#pragma once

#include "region.h"

/* Installs the handler if need be. */
void sim_fault_install(void);
/* Enters a region in the table and installs the handler if need be; false: the table is full. */
bool sim_fault_watch(struct sim_region *region);
/* The caller holds device->map_lock. */
void sim_fault_unwatch(struct sim_region *region);

/* The device's regions. The caller holds device->map_lock, so that none goes away meanwhile. */
void sim_fault_for_each_region(struct sim_device *device,
                               void (*fn)(struct sim_region *, void *user), void *user);
