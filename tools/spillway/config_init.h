/* SPDX-License-Identifier: MIT
 *
 * The first configuration file of a user. */
#pragma once

#include <stdbool.h>

/* Writes <folder>/spillway.json, making the folder, and says where; false: it could not (said why),
 * or there is one already (never overwritten). */
bool config_init_write(const char *folder);
