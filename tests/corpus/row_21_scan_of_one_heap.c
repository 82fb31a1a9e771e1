/* SPDX-License-Identifier: MIT
 *
 * Row 21, vkd3d-proton 2269: when a type is refused the program scans on for another device-local
 * one, and meets types of the same full heap only.
 *
 *   row_21_scan_of_one_heap TOTAL */
#include <stdio.h>

#include "content_model.h"
#include "corpus.h"

#define CHUNK_BYTES ((VkDeviceSize)2 << 20)
enum { MOST = 64 };

static struct vkf f;
static struct vkf_buffer buffers[MOST];
static VkDeviceMemory memories[MOST];
static unsigned count;

/* Every device-local type in turn; the first one asked goes round, as users of both kinds do. */
static void add(struct content *content)
{
    struct vkf_buffer *buffer = &buffers[count];
    char tried[64] = "";
    size_t length = 0;
    *buffer = vkf_buffer_create(&f, CHUNK_BYTES, 0);
    for (uint32_t i = 0; i < f.memory.memoryTypeCount && !memories[count]; i++) {
        uint32_t type = (i + count) % f.memory.memoryTypeCount;
        VkMemoryType t = f.memory.memoryTypes[type];
        if (!(buffer->requirements.memoryTypeBits >> type & 1) ||
            !(t.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
            continue;
        VkResult result =
            vkf_try_allocate(&f, buffer->requirements.size, type, NULL, &memories[count]);
        if (result != VK_SUCCESS)
            length += (size_t)snprintf(tried + length, sizeof(tried) - length, " type %u (heap %u)",
                                       type, t.heapIndex);
    }
    if (!memories[count]) {
        content_verify_all(content, CONTENT_BY_COPY);
        corpus_give_up(VKF_EXIT_OOM, "refused by all it scanned:%s, %s held", tried,
                       corpus_size(count * CHUNK_BYTES));
    }
    VKF_CHECK(length == 0, "the scan went on from%s and got memory of a full heap", tried);
    VKF_VK(vkBindBufferMemory(f.device, buffer->handle, memories[count], 0));
    content_fill(content, content_add_buffer(content, buffer, "chunk"), CONTENT_BY_SHADER);
    count++;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return VKF_EXIT_USAGE;
    VkDeviceSize total = vkf_parse_size(argv[1]);
    VKF_CHECK(total <= MOST * CHUNK_BYTES, "too much");
    vkf_begin(&f, NULL);
    corpus_log_types(&f);
    struct content *content = content_create(&f, 21);
    while (count * CHUNK_BYTES < total)
        add(content);
    content_verify_all(content, CONTENT_BY_COPY);
    corpus_outcome("%u chunks, %s, and no scan", count, corpus_size(count * CHUNK_BYTES));
    content_destroy(content);
    while (count-- > 0) {
        vkf_buffer_destroy(&f, &buffers[count]);
        vkf_free(&f, memories[count]);
    }
    vkf_end(&f);
    return 0;
}
