/* SPDX-License-Identifier: MIT
 *
 * What only the check build listens to: SPILLWAY_TEST_BUG plants a bug that a permanent test must
 * find. */
#pragma once

#ifdef SPW_CHECK
/* Reads the environment; an unknown word is an error in the log, so that a test cannot pass by a
 * typing error. */
void spw_test_switches_read(void);
#endif
