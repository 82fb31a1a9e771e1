/* SPDX-License-Identifier: MIT
 *
 * Learning what resources can live in. */
#pragma once

#include "objects.h"

/* Enters a memoryTypeBits in the device's classes; says so in the log where placement loses a host
 * type by it. Any thread. */
void spw_requirements_note(struct spw_device *device, uint32_t memory_type_bits);
