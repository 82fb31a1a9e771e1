/* SPDX-License-Identifier: MIT
 *
 * The control file (SIMGPU_CONTROL): what happens on the machine while a program runs. Another
 * process takes VRAM and gives it back; the budget turns into nonsense. It is read again at every
 * budget query, allocation and submit, so a test changes it and goes on, without signals or
 * sleeping.
 *
 * Lines of `key = value`; # begins a comment. What is not named is as without the file, and so is
 * everything when there is no file.
 *   vram, host, bar   taken by another process: a size, or a share of the heap ("70%")
 *   budget            of the VRAM heap: a size, heap, wrap, zero, huge; default: SIMGPU_BUDGET
 * A line that cannot be understood ends the process. Write the file anew and rename it into place:
 * a half-written one might be read. */
#pragma once

#include "card.h"

/* Reads the file if it has changed. Any thread. */
void sim_control_poll(struct sim_card *card);

/* The budget as it is now, without looking at the file. */
struct sim_budget sim_control_budget(struct sim_card *card);
