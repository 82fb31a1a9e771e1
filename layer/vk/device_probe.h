/* SPDX-License-Identifier: MIT
 *
 * Which memory types the usual classes of resource can live in, asked with throw-away resources
 * when the device is created. */
#pragma once

#include "objects.h"

/* Externally synchronised: the device is not the program's yet. A class that cannot be made is
 * skipped. */
void spw_device_probe(struct spw_device *device);
