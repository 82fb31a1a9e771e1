/* SPDX-License-Identifier: MIT
 *
 * The settings of an instance and of its physical devices: the process's configuration, read when
 * its first instance is made and kept until the last one is gone, resolved for what the program
 * says of itself and for the GPU. */
#pragma once

#include "objects.h"

/* Fills instance->settings_source and instance->effective, and tells the log where to go; what was
 * complained about is logged then. VK_SUCCESS or VK_ERROR_OUT_OF_HOST_MEMORY. */
VkResult spw_instance_settings_init(struct spw_instance *instance,
                                    const VkInstanceCreateInfo *info);
/* The same for an instance that passes through: built-in defaults, nothing is read. */
void spw_instance_settings_init_disabled(struct spw_instance *instance);
/* Accepts a zeroed instance. */
void spw_instance_settings_finish(struct spw_instance *instance);

/* What holds on this GPU; to be given to spw_effective_finish(). */
SPW_MUST_CHECK enum spw_result spw_instance_settings_resolve(const struct spw_instance *instance,
                                                             const struct spw_gpu *gpu,
                                                             struct spw_effective *out);
