/* SPDX-License-Identifier: MIT
 *
 * A hoard: what a test program has allocated so far, in the shapes that programs use, every byte of
 * it in the content model. Built to be filled beyond a card's memory and emptied again.
 *
 * Externally synchronised as its fixture. */
#pragma once

#include "content_model.h"
#include "vk_fixture.h"

enum hoard_shape {
    HOARD_BUFFER,    /* a buffer with memory of its own */
    HOARD_DEDICATED, /* the same, named as dedicated to it */
    HOARD_IMAGE,     /* a dedicated optimal image of about the size asked for */
    HOARD_MIXED,     /* buffers and optimal images placed in one allocation of the size asked for */
    HOARD_MAPPED,    /* host-visible device-local memory, mapped for good, with a buffer over it */
    HOARD_BARE,      /* memory only, never bound */
};

/* Which device-local type is asked for. */
enum hoard_type {
    HOARD_DEVICE,  /* one that is not host-visible, where there is one */
    HOARD_VISIBLE, /* one that is host-visible and -coherent: without one the test is skipped */
};

enum { HOARD_MAX_PARTS = 8 };

struct holding {
    enum hoard_shape shape;
    uint32_t memory_type; /* asked for */
    VkDeviceSize size_bytes;
    VkDeviceMemory memory;
    uint32_t buffer_count, image_count;
    struct vkf_buffer buffers[HOARD_MAX_PARTS];
    struct vkf_image images[HOARD_MAX_PARTS];
    uint32_t item_count;
    uint32_t items[HOARD_MAX_PARTS * 2]; /* in the content model */
    uint8_t *mapped;
};

struct hoard {
    struct vkf *f;
    struct content *content;
    uint32_t count, capacity;
    struct holding *holdings;
    VkDeviceSize total_bytes; /* of allocationSize */
};

void hoard_begin(struct hoard *h, struct vkf *f, uint64_t seed);
/* Frees everything, and the model. */
void hoard_end(struct hoard *h);

/* Adds one holding; what vkAllocateMemory answered (on failure nothing is left behind). */
VkResult hoard_try_add(struct hoard *h, enum hoard_shape shape, enum hoard_type type,
                       VkDeviceSize size_bytes);
/* The same, where failure ends the test with the code that belongs to it. */
void hoard_add(struct hoard *h, enum hoard_shape shape, enum hoard_type type,
               VkDeviceSize size_bytes);
/* Until total_bytes reaches `total` (the last one may go beyond). */
void hoard_fill_up(struct hoard *h, enum hoard_shape shape, enum hoard_type type,
                   VkDeviceSize size_bytes, VkDeviceSize total);
/* Until an allocation is answered VK_ERROR_OUT_OF_DEVICE_MEMORY (another error ends the test), or
 * `total` is reached; true: it was refused. */
bool hoard_until_refused(struct hoard *h, enum hoard_shape shape, enum hoard_type type,
                         VkDeviceSize size_bytes, VkDeviceSize total);
/* The last holding moves into the gap. Every other one is freed before its resources are destroyed,
 * the rest after: both are legal. */
void hoard_remove(struct hoard *h, uint32_t index);
void hoard_clear(struct hoard *h);

/* Write everything by shader and copy, read it back the other way, rewrite a third and read all
 * again. */
void hoard_exercise(struct hoard *h);
