/* SPDX-License-Identifier: MIT
 *
 * A hoard of allocations: see hoard.h. */
#include "hoard.h"

#include <stdio.h>
#include <stdlib.h>

/* Parts of a mixed allocation: an odd size, so that the next one does not start where an alignment
 * bug would put it anyway. */
#define MIXED_BUFFER_BYTES ((VkDeviceSize)1048576 + 4 * 37)
#define MIXED_IMAGE_SIDE   491

void hoard_begin(struct hoard *h, struct vkf *f, uint64_t seed)
{
    *h = (struct hoard){.f = f, .content = content_create(f, seed)};
}

void hoard_end(struct hoard *h)
{
    hoard_clear(h);
    content_destroy(h->content);
    free(h->holdings);
    *h = (struct hoard){0};
}

static uint32_t choose_type(const struct vkf *f, enum hoard_type type, uint32_t bits)
{
    VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    if (type == HOARD_VISIBLE)
        return vkf_need_type(f, bits, local | visible | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    uint32_t found = vkf_find_type(f, bits, local, visible);
    return found == VKF_NONE ? vkf_want_type(f, bits, local) : found;
}

static void note_item(struct holding *g, uint32_t item)
{
    g->items[g->item_count++] = item;
}

static void make_image(struct hoard *h, struct holding *g, uint32_t width, uint32_t height,
                       uint32_t mips)
{
    g->images[g->image_count++] =
        vkf_image_create(h->f, width, height, mips, 1, VK_IMAGE_TILING_OPTIMAL, 0);
}

static VkDeviceSize align_up(VkDeviceSize value, VkDeviceSize alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/* Buffer, image, buffer, image, …, while they fit. Returns the size that is needed. */
static VkDeviceSize make_mixed(struct hoard *h, struct holding *g, VkDeviceSize size_bytes,
                               VkDeviceSize offsets[HOARD_MAX_PARTS * 2])
{
    VkDeviceSize granularity = h->f->properties.limits.bufferImageGranularity, end = 0;
    uint32_t parts = 0;
    while (g->buffer_count < HOARD_MAX_PARTS && g->image_count < HOARD_MAX_PARTS) {
        VkMemoryRequirements need;
        if (parts % 2 == 0) {
            g->buffers[g->buffer_count] = vkf_buffer_create(h->f, MIXED_BUFFER_BYTES, 0);
            need = g->buffers[g->buffer_count++].requirements;
        } else {
            make_image(h, g, MIXED_IMAGE_SIDE, MIXED_IMAGE_SIDE, 3);
            need = g->images[g->image_count - 1].requirements;
        }
        offsets[parts] = align_up(align_up(end, granularity), need.alignment);
        if (offsets[parts] + need.size > size_bytes && parts >= 2) {
            if (parts % 2 == 0)
                vkf_buffer_destroy(h->f, &g->buffers[--g->buffer_count]);
            else
                vkf_image_destroy(h->f, &g->images[--g->image_count]);
            break;
        }
        end = offsets[parts++] + need.size;
    }
    return end > size_bytes ? end : size_bytes;
}

/* Creates the resources of a shape; the size that the memory has to have, and the types it may
 * have. */
static VkDeviceSize make_resources(struct hoard *h, struct holding *g, VkDeviceSize size_bytes,
                                   uint32_t *bits, VkDeviceSize offsets[HOARD_MAX_PARTS * 2])
{
    VkDeviceSize need = size_bytes;
    offsets[0] = 0;
    *bits = UINT32_MAX;
    switch (g->shape) {
    case HOARD_BARE:
        return size_bytes;
    case HOARD_BUFFER:
    case HOARD_DEDICATED:
    case HOARD_MAPPED:
        g->buffers[g->buffer_count++] = vkf_buffer_create(h->f, size_bytes, 0);
        need = g->buffers[0].requirements.size;
        break;
    case HOARD_IMAGE:
        make_image(h, g, 512, (uint32_t)(size_bytes / (512 * 4)), 1);
        need = g->images[0].requirements.size;
        break;
    case HOARD_MIXED:
        need = make_mixed(h, g, size_bytes, offsets);
        break;
    }
    for (uint32_t i = 0; i < g->buffer_count; i++)
        *bits &= g->buffers[i].requirements.memoryTypeBits;
    for (uint32_t i = 0; i < g->image_count; i++)
        *bits &= g->images[i].requirements.memoryTypeBits;
    return need;
}

static void destroy_resources(struct hoard *h, struct holding *g)
{
    for (uint32_t i = 0; i < g->item_count; i++)
        content_remove(h->content, g->items[i]);
    for (uint32_t i = 0; i < g->buffer_count; i++)
        vkf_buffer_destroy(h->f, &g->buffers[i]);
    for (uint32_t i = 0; i < g->image_count; i++)
        vkf_image_destroy(h->f, &g->images[i]);
}

static void bind_resources(struct hoard *h, struct holding *g, const VkDeviceSize *offsets)
{
    char name[40];
    for (uint32_t i = 0; i < g->buffer_count; i++) {
        VKF_VK(vkBindBufferMemory(h->f->device, g->buffers[i].handle, g->memory, offsets[2 * i]));
        snprintf(name, sizeof(name), "holding %u buffer %u", h->count, i);
        note_item(g, content_add_buffer(h->content, &g->buffers[i], name));
    }
    for (uint32_t i = 0; i < g->image_count; i++) {
        VkDeviceSize offset = g->shape == HOARD_MIXED ? offsets[2 * i + 1] : 0;
        VKF_VK(vkBindImageMemory(h->f->device, g->images[i].handle, g->memory, offset));
        snprintf(name, sizeof(name), "holding %u image %u", h->count, i);
        note_item(g, content_add_image(h->content, &g->images[i], name));
    }
    if (g->shape == HOARD_MAPPED) {
        void *bytes = NULL;
        VKF_VK(vkMapMemory(h->f->device, g->memory, 0, VK_WHOLE_SIZE, 0, &bytes));
        g->mapped = bytes;
    }
}

static void grow(struct hoard *h)
{
    if (h->count < h->capacity)
        return;
    h->capacity = h->capacity ? h->capacity * 2 : 64;
    h->holdings = realloc(h->holdings, h->capacity * sizeof(*h->holdings));
    VKF_CHECK(h->holdings, "no memory for %u holdings", h->capacity);
}

VkResult hoard_try_add(struct hoard *h, enum hoard_shape shape, enum hoard_type type,
                       VkDeviceSize size_bytes)
{
    VkDeviceSize offsets[HOARD_MAX_PARTS * 2];
    uint32_t bits;
    grow(h);
    struct holding *g = &h->holdings[h->count];
    *g = (struct holding){.shape = shape};
    g->size_bytes = make_resources(h, g, size_bytes, &bits, offsets);
    g->memory_type = choose_type(h->f, type, bits);
    VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .image = shape == HOARD_IMAGE ? g->images[0].handle : VK_NULL_HANDLE,
        .buffer = shape == HOARD_DEDICATED ? g->buffers[0].handle : VK_NULL_HANDLE,
    };
    bool is_dedicated = shape == HOARD_IMAGE || shape == HOARD_DEDICATED;
    VkResult result = vkf_try_allocate(h->f, g->size_bytes, g->memory_type,
                                       is_dedicated ? &dedicated : NULL, &g->memory);
    if (result != VK_SUCCESS) {
        destroy_resources(h, g);
        return result;
    }
    bind_resources(h, g, offsets);
    h->total_bytes += g->size_bytes;
    h->count++;
    return VK_SUCCESS;
}

void hoard_add(struct hoard *h, enum hoard_shape shape, enum hoard_type type,
               VkDeviceSize size_bytes)
{
    VkResult result = hoard_try_add(h, shape, type, size_bytes);
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "the hoard holds %u allocations of %llu bytes together\n", h->count,
            (unsigned long long)h->total_bytes);
    vkf_exit_result(result, __FILE__, __LINE__, "vkAllocateMemory");
}

void hoard_fill_up(struct hoard *h, enum hoard_shape shape, enum hoard_type type,
                   VkDeviceSize size_bytes, VkDeviceSize total)
{
    while (h->total_bytes < total)
        hoard_add(h, shape, type, size_bytes);
}

bool hoard_until_refused(struct hoard *h, enum hoard_shape shape, enum hoard_type type,
                         VkDeviceSize size_bytes, VkDeviceSize total)
{
    while (h->total_bytes < total) {
        VkResult result = hoard_try_add(h, shape, type, size_bytes);
        if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
            return true;
        VKF_CHECK(result == VK_SUCCESS, "vkAllocateMemory answered %s", vkf_result_name(result));
    }
    return false;
}

void hoard_remove(struct hoard *h, uint32_t index)
{
    struct holding *g = &h->holdings[index];
    if (index % 2 == 0)
        destroy_resources(h, g);
    /* Freeing implicitly unmaps. */
    vkf_free(h->f, g->memory);
    if (index % 2 == 1)
        destroy_resources(h, g);
    h->total_bytes -= g->size_bytes;
    *g = h->holdings[--h->count];
}

void hoard_clear(struct hoard *h)
{
    while (h->count > 0)
        hoard_remove(h, h->count - 1);
    if (h->content)
        content_clear(h->content);
}

/* Through the pointer, for what is mapped, and then as the GPU sees it; and the other way. */
static void exercise_mapped(struct hoard *h)
{
    for (uint32_t i = 0; i < h->count; i++) {
        struct holding *g = &h->holdings[i];
        if (!g->mapped)
            continue;
        const struct vkf_buffer *buffer = &g->buffers[0];
        uint32_t pointer = content_add_mapped(h->content, g->mapped, buffer->size_bytes, "mapped");
        content_fill(h->content, pointer, CONTENT_BY_COPY);
        content_note_copy(h->content, pointer, g->items[0]); /* the same bytes: no copy needed */
        content_verify(h->content, g->items[0], CONTENT_BY_SHADER);
        content_fill(h->content, g->items[0], CONTENT_BY_SHADER);
        content_note_copy(h->content, g->items[0], pointer);
        content_verify(h->content, pointer, CONTENT_BY_COPY);
        content_remove(h->content, pointer);
    }
}

void hoard_exercise(struct hoard *h)
{
    content_fill_all(h->content, CONTENT_BY_SHADER);
    content_verify_all(h->content, CONTENT_BY_COPY);
    for (uint32_t i = 0; i < h->count; i += 3)
        for (uint32_t k = 0; k < h->holdings[i].item_count; k++)
            content_fill(h->content, h->holdings[i].items[k], CONTENT_BY_COPY);
    content_verify_all(h->content, CONTENT_BY_SHADER);
    exercise_mapped(h);
    content_verify_all(h->content, CONTENT_BY_SHADER);
}
