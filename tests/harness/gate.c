/* SPDX-License-Identifier: MIT
 *
 * The validation gate: commits one deliberate error (a buffer of no size) and, if asked, one
 * deliberate hazard (a copy that reads what a copy before it writes, no barrier between). `under`
 * looks for both in the validation layer's log before it believes that layer's silence. What the
 * driver makes of it does not matter; the exit code is 0. */
#include <string.h>

#include "vk_fixture.h"

static void commit_hazard(struct vkf *f)
{
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct vkf_buffer buffers[3];
    VkDeviceMemory memory[3];
    for (int i = 0; i < 3; i++) {
        buffers[i] = vkf_buffer_create(f, 4096, usage);
        memory[i] = vkf_allocate(f, buffers[i].requirements.size,
                                 vkf_want_type(f, buffers[i].requirements.memoryTypeBits,
                                               VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT));
        VKF_VK(vkBindBufferMemory(f->device, buffers[i].handle, memory[i], 0));
    }
    VkCommandBuffer commands = vkf_commands_begin(f);
    VkBufferCopy region = {.size = 4096};
    vkCmdCopyBuffer(commands, buffers[0].handle, buffers[1].handle, 1, &region);
    vkCmdCopyBuffer(commands, buffers[1].handle, buffers[2].handle, 1, &region);
    vkf_commands_run(f);
    for (int i = 0; i < 3; i++) {
        vkf_buffer_destroy(f, &buffers[i]);
        vkf_free(f, memory[i]);
    }
}

int main(int argc, char **argv)
{
    struct vkf f;
    vkf_begin(&f, NULL);
    VkBuffer buffer = VK_NULL_HANDLE;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = 0,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    if (vkCreateBuffer(f.device, &info, NULL, &buffer) == VK_SUCCESS)
        vkDestroyBuffer(f.device, buffer, NULL);
    if (argc > 1 && strcmp(argv[1], "sync") == 0)
        commit_hazard(&f);
    vkf_end(&f);
    return 0;
}
