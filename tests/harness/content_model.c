/* SPDX-License-Identifier: MIT
 *
 * The model of contents: the list of resources with their patterns, and the checks by copy and by
 * mapped pointer. The checks by shader are in content_shader.c. */
#include "content_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "content_private.h"
#include "vk_fixture_private.h"

uint32_t content_word(uint32_t seed, uint32_t index)
{
    uint32_t x = index * 0x9E3779B1u + seed;
    x ^= x >> 16;
    x *= 0x85EBCA6Bu;
    x ^= x >> 13;
    x *= 0xC2B2AE35u;
    x ^= x >> 16;
    return x;
}

uint32_t content_seed(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9E3779B97F4A7C15u ^ (b + 0x2545F4914F6CDD1Du);
    x ^= x >> 31;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 29;
    return (uint32_t)(x ^ x >> 32);
}

void content_pattern(uint32_t seed, uint64_t offset, void *bytes, size_t size_bytes)
{
    uint8_t *out = bytes;
    size_t done = 0;
    while (done < size_bytes) {
        uint64_t at = offset + done;
        uint32_t word = content_word(seed, (uint32_t)(at / 4));
        size_t skip = at % 4;
        size_t take = 4 - skip < size_bytes - done ? 4 - skip : size_bytes - done;
        memcpy(out + done, (const uint8_t *)&word + skip, take);
        done += take;
    }
}

size_t content_compare(uint32_t seed, uint64_t offset, const void *bytes, size_t size_bytes)
{
    const uint8_t *in = bytes;
    size_t done = 0;
    while (done < size_bytes) {
        uint64_t at = offset + done;
        uint32_t word = content_word(seed, (uint32_t)(at / 4));
        size_t skip = at % 4;
        size_t take = 4 - skip < size_bytes - done ? 4 - skip : size_bytes - done;
        const uint8_t *expected = (const uint8_t *)&word + skip;
        if (memcmp(in + done, expected, take) != 0) {
            while (in[done] == *expected) {
                done++;
                expected++;
            }
            return done;
        }
        done += take;
    }
    return size_bytes;
}

struct content *content_create(struct vkf *f, uint64_t seed)
{
    struct content *c = vkf_calloc(1, sizeof(*c));
    c->f = f;
    c->seed = seed;
    return c;
}

void content_destroy(struct content *c)
{
    if (!c)
        return;
    content_shader_finish(c);
    free(c->items);
    free(c);
}

static uint32_t add_item(struct content *c, struct content_item item, const char *name)
{
    if (c->item_count == c->item_capacity) {
        c->item_capacity = c->item_capacity ? c->item_capacity * 2 : 64;
        c->items = realloc(c->items, c->item_capacity * sizeof(*c->items));
        VKF_CHECK(c->items, "no memory for %u items", c->item_capacity);
    }
    item.serial = c->next_serial++;
    snprintf(item.name, sizeof(item.name), "%s", name);
    c->items[c->item_count] = item;
    return c->item_count++;
}

uint32_t content_add_buffer(struct content *c, const struct vkf_buffer *buffer, const char *name)
{
    return add_item(c,
                    (struct content_item){.kind = CONTENT_BUFFER,
                                          .buffer = buffer->handle,
                                          .size_bytes = buffer->size_bytes},
                    name);
}

uint32_t content_add_image(struct content *c, const struct vkf_image *image, const char *name)
{
    uint64_t size = 0;
    for (uint32_t mip = 0; mip < image->mip_count; mip++)
        size += content_mip_bytes(image, mip);
    return add_item(
        c, (struct content_item){.kind = CONTENT_IMAGE, .image = *image, .size_bytes = size}, name);
}

uint32_t content_add_mapped(struct content *c, void *bytes, VkDeviceSize size_bytes,
                            const char *name)
{
    return add_item(
        c, (struct content_item){.kind = CONTENT_MAPPED, .bytes = bytes, .size_bytes = size_bytes},
        name);
}

void content_remove(struct content *c, uint32_t item)
{
    c->items[item].kind = CONTENT_GONE;
}

void content_clear(struct content *c)
{
    /* Serials go on, so that what is added next never gets the pattern of what was here. */
    c->item_count = 0;
}

/* All layers of one mip level, tightly packed: the order in which an image's bytes are counted. */
uint64_t content_mip_bytes(const struct vkf_image *image, uint32_t mip)
{
    uint64_t width = image->width >> mip ? image->width >> mip : 1;
    uint64_t height = image->height >> mip ? image->height >> mip : 1;
    return width * height * 4 * image->layer_count;
}

/* A band of rows of one layer of one mip that fits the staging buffer. */
struct band {
    uint64_t offset, size_bytes; /* in the image's bytes */
    VkBufferImageCopy copy;
};

/* The next band at or after *cursor; false at the end. cursor counts bytes of the image. */
static bool next_band(const struct vkf_image *image, uint64_t *cursor, struct band *band)
{
    uint64_t start = 0;
    for (uint32_t mip = 0; mip < image->mip_count; mip++) {
        uint32_t width = image->width >> mip ? image->width >> mip : 1;
        uint32_t height = image->height >> mip ? image->height >> mip : 1;
        uint64_t row_bytes = (uint64_t)width * 4;
        uint64_t mip_bytes = content_mip_bytes(image, mip);
        if (*cursor >= start + mip_bytes) {
            start += mip_bytes;
            continue;
        }
        uint64_t row = (*cursor - start) / row_bytes;
        uint32_t layer = (uint32_t)(row / height), y = (uint32_t)(row % height);
        uint32_t rows = height - y;
        if (rows > VKF_STAGING_BYTES / row_bytes)
            rows = (uint32_t)(VKF_STAGING_BYTES / row_bytes);
        *band = (struct band){
            .offset = *cursor,
            .size_bytes = rows * row_bytes,
            .copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, mip, layer, 1},
                     .imageOffset = {0, (int32_t)y, 0},
                     .imageExtent = {width, rows, 1}},
        };
        *cursor += band->size_bytes;
        return true;
    }
    return false;
}

static void fill_buffer_by_copy(struct content *c, struct content_item *item)
{
    uint8_t *staging = vkf_staging(c->f);
    for (uint64_t at = 0; at < item->size_bytes; at += VKF_STAGING_BYTES) {
        uint64_t rest = item->size_bytes - at;
        VkBufferCopy region = {.dstOffset = at,
                               .size = rest < VKF_STAGING_BYTES ? rest : VKF_STAGING_BYTES};
        content_pattern(item->pattern, at, staging, region.size);
        vkCmdCopyBuffer(vkf_commands_begin(c->f), c->f->staging.handle, item->buffer, 1, &region);
        vkf_commands_run(c->f);
    }
}

static void fill_image(struct content *c, struct content_item *item)
{
    uint8_t *staging = vkf_staging(c->f);
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    uint64_t cursor = 0;
    struct band band;
    while (next_band(&item->image, &cursor, &band)) {
        content_pattern(item->pattern, band.offset, staging, band.size_bytes);
        VkCommandBuffer commands = vkf_commands_begin(c->f);
        vkf_image_barrier(commands, item->image.handle, layout,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
        vkCmdCopyBufferToImage(commands, c->f->staging.handle, item->image.handle, layout, 1,
                               &band.copy);
        vkf_commands_run(c->f);
    }
    vkf_image_barrier(vkf_commands_begin(c->f), item->image.handle, layout,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkf_commands_run(c->f);
}

static uint32_t generation_seed(const struct content *c, const struct content_item *item,
                                uint32_t generation)
{
    return content_seed(c->seed ^ item->serial << 20, generation);
}

void content_new_generation(struct content *c, struct content_item *item)
{
    item->generation++;
    item->pattern = generation_seed(c, item, item->generation);
}

void content_fill(struct content *c, uint32_t index, enum content_how how)
{
    struct content_item *item = &c->items[index];
    if (item->kind == CONTENT_GONE)
        return;
    content_new_generation(c, item);
    if (item->kind == CONTENT_MAPPED) {
        content_pattern(item->pattern, 0, item->bytes, item->size_bytes);
    } else if (item->kind == CONTENT_IMAGE) {
        fill_image(c, item);
    } else if (how == CONTENT_BY_COPY) {
        fill_buffer_by_copy(c, item);
    } else {
        content_shader_fill(c, index);
        content_shader_flush(c);
    }
}

void content_fill_all(struct content *c, enum content_how how)
{
    for (uint32_t i = 0; i < c->item_count; i++) {
        struct content_item *item = &c->items[i];
        if (item->kind != CONTENT_BUFFER || how != CONTENT_BY_SHADER) {
            content_fill(c, i, how);
            continue;
        }
        content_new_generation(c, item);
        content_shader_fill(c, i);
    }
    content_shader_flush(c);
}

void content_report(struct content *c, const struct content_item *item, uint64_t offset,
                    uint8_t got)
{
    static const char *const kinds[] = {"gone", "buffer", "image", "mapped memory"};
    uint8_t expected, before;
    content_pattern(item->pattern, offset, &expected, 1);
    fprintf(
        stderr,
        "wrong content: '%s' (%s of %llu bytes, generation %u) at offset %llu: %#04x, not %#04x\n",
        item->name, kinds[item->kind], (unsigned long long)item->size_bytes, item->generation,
        (unsigned long long)offset, got, expected);
    if (got == 0)
        fprintf(stderr, "  (zero: never written, or from elsewhere)\n");
    if (item->generation < 2)
        return;
    content_pattern(generation_seed(c, item, item->generation - 1), offset, &before, 1);
    if (before == got)
        fprintf(stderr, "  (what its generation before had there)\n");
}

static bool compare(struct content *c, struct content_item *item, uint64_t offset,
                    const uint8_t *bytes, uint64_t size_bytes)
{
    size_t wrong = content_compare(item->pattern, offset, bytes, size_bytes);
    if (wrong == size_bytes)
        return true;
    content_report(c, item, offset + wrong, bytes[wrong]);
    return false;
}

static bool check_buffer_by_copy(struct content *c, struct content_item *item)
{
    uint8_t *staging = vkf_staging(c->f);
    for (uint64_t at = 0; at < item->size_bytes; at += VKF_STAGING_BYTES) {
        uint64_t rest = item->size_bytes - at;
        VkBufferCopy region = {.srcOffset = at,
                               .size = rest < VKF_STAGING_BYTES ? rest : VKF_STAGING_BYTES};
        vkCmdCopyBuffer(vkf_commands_begin(c->f), item->buffer, c->f->staging.handle, 1, &region);
        vkf_commands_run(c->f);
        if (!compare(c, item, at, staging, region.size))
            return false;
    }
    return true;
}

static bool check_image(struct content *c, struct content_item *item)
{
    uint8_t *staging = vkf_staging(c->f);
    uint64_t cursor = 0;
    struct band band;
    while (next_band(&item->image, &cursor, &band)) {
        vkCmdCopyImageToBuffer(vkf_commands_begin(c->f), item->image.handle,
                               VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, c->f->staging.handle, 1,
                               &band.copy);
        vkf_commands_run(c->f);
        if (!compare(c, item, band.offset, staging, band.size_bytes))
            return false;
    }
    return true;
}

bool content_check(struct content *c, uint32_t index, enum content_how how)
{
    struct content_item *item = &c->items[index];
    if (item->kind == CONTENT_GONE || item->generation == 0)
        return true;
    if (item->kind == CONTENT_MAPPED)
        return compare(c, item, 0, item->bytes, item->size_bytes);
    if (item->kind == CONTENT_IMAGE)
        return check_image(c, item);
    if (how == CONTENT_BY_COPY)
        return check_buffer_by_copy(c, item);
    return content_shader_check(c, index) && content_shader_flush(c);
}

void content_verify(struct content *c, uint32_t index, enum content_how how)
{
    if (!content_check(c, index, how))
        exit(VKF_EXIT_CONTENT);
}

void content_verify_all(struct content *c, enum content_how how)
{
    bool right = true;
    for (uint32_t i = 0; i < c->item_count && right; i++) {
        struct content_item *item = &c->items[i];
        bool shader = item->kind == CONTENT_BUFFER && how == CONTENT_BY_SHADER && item->generation;
        right = shader ? content_shader_check(c, i) : content_check(c, i, how);
    }
    if (!content_shader_flush(c) || !right)
        exit(VKF_EXIT_CONTENT);
}

void content_note_copy(struct content *c, uint32_t from, uint32_t to)
{
    VKF_CHECK(c->items[from].size_bytes == c->items[to].size_bytes, "a copy of unequal sizes");
    c->items[to].generation++;
    c->items[to].pattern = c->items[from].pattern;
}
