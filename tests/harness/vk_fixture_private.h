/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of the fixture, not for tests. */
#pragma once

#include <stddef.h>

/* Zeroed memory; having none ends the test. */
void *vkf_calloc(size_t count, size_t size);
