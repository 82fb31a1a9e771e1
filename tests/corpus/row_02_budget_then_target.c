/* SPDX-License-Identifier: MIT
 *
 * Row 2, vkd3d-proton 1365: memory is filled to just what the budget says at the start, then a
 * colour and a depth attachment are wanted. */
#include "corpus.h"
#include "hoard.h"

#define CHUNK_BYTES ((VkDeviceSize)4 << 20)
/* The last chunk is cut to fit: to whole pages. */
#define GRAIN_BYTES ((VkDeviceSize)64 << 10)

int main(void)
{
    struct vkf f;
    struct hoard hoard;
    struct corpus_target target;
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 2);
    vkf_staging(&f);
    VkDeviceSize left = corpus_budget(&f, vkf_vram_heap(&f)).budget & ~(GRAIN_BYTES - 1);
    while (left > 0) {
        VkDeviceSize size = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        VkResult result = hoard_try_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, size);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "a chunk within the budget was");
        left -= size;
    }
    VkResult result = corpus_target_create(&target, &f, true);
    if (result != VK_SUCCESS)
        corpus_refused(result, &hoard, "an attachment was");
    corpus_target_exercise(&target, &f);
    hoard_exercise(&hoard);
    corpus_outcome("%s to the budget, colour and depth attachment", corpus_size(hoard.total_bytes));
    corpus_target_destroy(&target, &f);
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
