/* SPDX-License-Identifier: MIT
 *
 * The graphics cards that the machine has, whether or not a Vulkan driver answers for them. */
#pragma once

#include "doctor.h"

/* [{"vendor": "NVIDIA", "vendor_id": 4318, "device_id": …, "kernel_driver": "nouveau"}]; a card
 * that is given to a virtual machine (vfio-pci) is not this machine's. */
json_object *cards_list(void);

/* How to get a Vulkan driver for a card of that list. Static. */
const char *cards_fix(json_object *card);
