/* SPDX-License-Identifier: MIT
 *
 * Shared by content_model.c and content_shader.c, not for tests. */
#pragma once

#include "content_model.h"

enum content_kind { CONTENT_GONE, CONTENT_BUFFER, CONTENT_IMAGE, CONTENT_MAPPED };

struct content_item {
    enum content_kind kind;
    char name[40];
    VkBuffer buffer;        /* CONTENT_BUFFER */
    struct vkf_image image; /* CONTENT_IMAGE */
    uint8_t *bytes;         /* CONTENT_MAPPED */
    uint64_t size_bytes;
    uint64_t serial;     /* never used twice in a model */
    uint32_t generation; /* 0: never filled */
    uint32_t pattern;    /* seed of the pattern that it holds */
};

/* So many ranges are filled or compared by one submit. */
enum { CONTENT_SLOTS = 64 };

/* Made at first use. */
struct content_shader {
    bool ready;
    struct vkf_compute fill, verify;
    VkDescriptorPool pool;
    struct vkf_buffer results; /* two words a slot */
    VkDeviceMemory results_memory;
    uint32_t *result_words;
    /* the batch that is being put together: all of one kind */
    bool verifying;
    uint32_t slot_count;
    struct content_slot {
        uint32_t item;
        uint64_t offset, size_bytes;
    } slots[CONTENT_SLOTS];
};

struct content {
    struct vkf *f;
    uint64_t seed, next_serial;
    uint32_t item_count, item_capacity;
    struct content_item *items;
    struct content_shader shader;
};

uint64_t content_mip_bytes(const struct vkf_image *image, uint32_t mip);
void content_new_generation(struct content *c, struct content_item *item);
void content_report(struct content *c, const struct content_item *item, uint64_t offset,
                    uint8_t got);

/* Queue a buffer's ranges; whatever is queued runs when the batch is full or flushed. The answer is
 * false where a compared range was wrong (reported). */
void content_shader_fill(struct content *c, uint32_t item);
bool content_shader_check(struct content *c, uint32_t item);
bool content_shader_flush(struct content *c);
void content_shader_finish(struct content *c);
