/* SPDX-License-Identifier: MIT
 *
 * The exit summary (stats = exit): devices add themselves; when the process ends, or the loader
 * unloads the layer, what they did is printed as one line of JSON. */
#pragma once

#include "objects.h"

void spw_report_add_device(struct spw_device *device);
/* Keeps the device's figures; the object may go afterwards, its physical device must still be
 * there. */
void spw_report_remove_device(struct spw_device *device);
