/* SPDX-License-Identifier: MIT
 *
 * What the programs of the corpus share: how one says in words how it ended, lines that two runs
 * are compared by, budgets, and a render target that is drawn to and read back.
 *
 * Externally synchronised as the fixture. */
#pragma once

#include "vk_fixture.h"

struct hoard;

/* "64 MiB", "13696 KiB", "17 bytes": in one of a few static buffers. */
const char *corpus_size(uint64_t bytes);

/* A line that has to be the same in two runs (rows.txt: reference). */
void corpus_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The list of memory types (not the heaps' sizes: those are Spillway's to tell). */
void corpus_log_types(const struct vkf *f);

/* The program's last words, which rows.txt knows: it ended as it should. */
void corpus_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and it ends here: as the program of the report did. */
_Noreturn void corpus_give_up(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* An allocation was refused and the program has no answer to that. What it holds is checked first.
 */
_Noreturn void corpus_refused(VkResult result, struct hoard *hoard, const char *what);

/* Heap budgets as told now. */
struct corpus_budget {
    VkDeviceSize size, budget, usage;
};
struct corpus_budget corpus_budget(const struct vkf *f, uint32_t heap);

/* A colour attachment, with or without a depth attachment of the same size, in device-local memory
 * of their own. */
enum { CORPUS_TARGET_SIDE = 256 };
struct corpus_target {
    uint32_t count; /* attachments: colour, depth */
    VkImage images[2];
    VkImageView views[2];
    VkDeviceMemory memories[2];
};

/* What vkAllocateMemory answered; destroy accepts what is left after a failure. */
VkResult corpus_target_create(struct corpus_target *target, const struct vkf *f, bool with_depth);
void corpus_target_destroy(struct corpus_target *target, const struct vkf *f);
/* Renders (a render pass that clears) and reads back: wrong texels end the program with
 * VKF_EXIT_CONTENT. */
void corpus_target_exercise(const struct corpus_target *target, struct vkf *f);
