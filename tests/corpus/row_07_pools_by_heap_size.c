/* SPDX-License-Identifier: MIT
 *
 * Row 7, Proton 3773: pools are sized from the heap's size at the start, in one pass, and the
 * budget is never asked: somebody else on the machine has some of that heap. */
#include "corpus.h"
#include "hoard.h"

int main(void)
{
    static const unsigned eighths[] = {4, 2, 1, 1};
    struct vkf f;
    struct hoard hoard;
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 7);
    VkDeviceSize heap = vkf_vram_bytes(&f);
    for (unsigned i = 0; i < sizeof(eighths) / sizeof(eighths[0]); i++) {
        VkResult result = hoard_try_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, heap / 8 * eighths[i]);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "a pool was");
    }
    hoard_exercise(&hoard);
    corpus_outcome("%u pools, %s of a heap of %s", hoard.count, corpus_size(hoard.total_bytes),
                   corpus_size(heap));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
