/* SPDX-License-Identifier: MIT
 *
 * Row 28, llama.cpp 27360: an integrated GPU whose one heap is told larger than what the machine
 * has left. The program takes what it is given and then computes with it: either an allocation is
 * refused in time, which it can deal with, or submits begin to fail, which it can not.
 *
 *   row_28_unified_memory TOTAL */
#include "corpus.h"
#include "hoard.h"

#define LAYER_BYTES ((VkDeviceSize)4 << 20)

/* Not the fixture's way to submit, which ends the program without last words. */
static VkResult try_submit(struct vkf *f)
{
    vkf_commands_begin(f);
    VKF_VK(vkEndCommandBuffer(f->commands));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &f->commands,
    };
    VkResult result = vkQueueSubmit(f->queue, 1, &submit, VK_NULL_HANDLE);
    if (result == VK_SUCCESS)
        VKF_VK(vkQueueWaitIdle(f->queue));
    return result;
}

int main(int argc, char **argv)
{
    struct vkf f;
    struct hoard hoard;
    if (argc != 2)
        return VKF_EXIT_USAGE;
    VkDeviceSize total = vkf_parse_size(argv[1]);
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 28);
    vkf_staging(&f); /* of the same heap */
    bool refused = hoard_until_refused(&hoard, HOARD_BUFFER, HOARD_DEVICE, LAYER_BYTES, total);
    VkResult result = try_submit(&f);
    if (result != VK_SUCCESS)
        corpus_give_up(VKF_EXIT_FAILED, "no allocation was refused up to %s, then a submit was: %s",
                       corpus_size(hoard.total_bytes), vkf_result_name(result));
    hoard_exercise(&hoard);
    corpus_outcome("%s after %s; every submit worked", refused ? "refused" : "not refused",
                   corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
