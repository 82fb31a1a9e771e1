/* SPDX-License-Identifier: MIT
 *
 * The CPU's model of what is in memory: every resource holds a pattern that depends on the
 * resource, its generation and the offset, so that a byte that is lost, stale, or another
 * resource's is told apart from the right one. Fills and checks run on the GPU by compute shader,
 * by copies through staging, or through a pointer that the test has mapped. The first wrong byte is
 * reported with its resource and offset.
 *
 * Externally synchronised as the fixture. */
#pragma once

#include "vk_fixture.h"

enum content_how {
    CONTENT_BY_COPY,   /* through the staging buffer, compared on the CPU */
    CONTENT_BY_SHADER, /* buffers of whole words only; images go by copy */
};

struct content;

struct content *content_create(struct vkf *f, uint64_t seed);
void content_destroy(struct content *c);

/* Add a resource that is bound already; the answer names it from then on. `name` is copied. */
uint32_t content_add_buffer(struct content *c, const struct vkf_buffer *buffer, const char *name);
uint32_t content_add_image(struct content *c, const struct vkf_image *image, const char *name);
uint32_t content_add_mapped(struct content *c, void *bytes, VkDeviceSize size_bytes,
                            const char *name);
/* Forget it. The number is not used again. */
void content_remove(struct content *c, uint32_t item);
void content_clear(struct content *c);

/* Gives the resource a new generation and writes its pattern. */
void content_fill(struct content *c, uint32_t item, enum content_how how);
void content_fill_all(struct content *c, enum content_how how);
/* false and a sentence on stderr: the first wrong byte. Items never filled are passed over. */
bool content_check(struct content *c, uint32_t item, enum content_how how);
/* Wrong bytes anywhere end the test with VKF_EXIT_CONTENT. */
void content_verify(struct content *c, uint32_t item, enum content_how how);
void content_verify_all(struct content *c, enum content_how how);

/* `from` was copied over `to` by the test itself (a copy of equal size): the model follows. */
void content_note_copy(struct content *c, uint32_t from, uint32_t to);

/* The pattern itself: little-endian words. `offset` and size in bytes, any alignment. */
uint32_t content_word(uint32_t seed, uint32_t index);
void content_pattern(uint32_t seed, uint64_t offset, void *bytes, size_t size_bytes);
/* Offset of the first byte that differs from the pattern, or size_bytes. */
size_t content_compare(uint32_t seed, uint64_t offset, const void *bytes, size_t size_bytes);
/* A seed for bytes that a test keeps without a model (one thread's own memory). */
uint32_t content_seed(uint64_t a, uint64_t b);
