/* SPDX-License-Identifier: MIT
 *
 * Row 20, d9vk 221: a memory type is wanted with flags that the card has not together. Every type
 * that it does have is used, then the one that is not there is looked for. */
#include "content_model.h"
#include "corpus.h"

#define BUFFER_BYTES ((VkDeviceSize)256 << 10)

static void use_type(struct vkf *f, struct content *content, uint32_t type)
{
    struct vkf_buffer buffer = vkf_buffer_create(f, BUFFER_BYTES, 0);
    corpus_log("buffer: types %#x", buffer.requirements.memoryTypeBits);
    if (buffer.requirements.memoryTypeBits >> type & 1) {
        VkDeviceMemory memory = vkf_allocate(f, buffer.requirements.size, type);
        VKF_VK(vkBindBufferMemory(f->device, buffer.handle, memory, 0));
        uint32_t item = content_add_buffer(content, &buffer, "buffer");
        content_fill(content, item, CONTENT_BY_SHADER);
        content_verify(content, item, CONTENT_BY_COPY);
        content_remove(content, item);
        vkf_buffer_destroy(f, &buffer);
        vkf_free(f, memory);
        corpus_log("type %u holds a buffer", type);
        return;
    }
    vkf_buffer_destroy(f, &buffer);
}

int main(void)
{
    struct vkf f;
    vkf_begin(&f, NULL);
    struct content *content = content_create(&f, 20);
    corpus_log_types(&f);
    for (uint32_t type = 0; type < f.memory.memoryTypeCount; type++)
        use_type(&f, content, type);
    struct vkf_image image = vkf_image_create(&f, 64, 64, 1, 1, VK_IMAGE_TILING_OPTIMAL, 0);
    corpus_log("image: types %#x", image.requirements.memoryTypeBits);
    vkf_image_destroy(&f, &image);
    uint32_t found =
        vkf_find_type(&f, UINT32_MAX,
                      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                          VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                      0);
    content_destroy(content);
    vkf_end(&f);
    if (found == VKF_NONE)
        corpus_give_up(VKF_EXIT_FAILED,
                       "no memory type is DEVICE_LOCAL, HOST_VISIBLE and HOST_CACHED");
    corpus_outcome("memory type %u is DEVICE_LOCAL, HOST_VISIBLE and HOST_CACHED", found);
    return 0;
}
