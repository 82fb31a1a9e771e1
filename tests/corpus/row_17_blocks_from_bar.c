/* SPDX-License-Identifier: MIT
 *
 * Row 17, VMA 390: sixty blocks from the small host-visible device-local heap, mapped for good.
 * Here 256 KiB for 4 MiB. */
#include "corpus.h"
#include "hoard.h"

#define BLOCK_BYTES ((VkDeviceSize)256 << 10)
#define BLOCK_COUNT 60

int main(void)
{
    struct vkf f;
    struct hoard hoard;
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 17);
    while (hoard.count < BLOCK_COUNT) {
        VkResult result = hoard_try_add(&hoard, HOARD_MAPPED, HOARD_VISIBLE, BLOCK_BYTES);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "a block was");
    }
    hoard_exercise(&hoard);
    corpus_outcome("%u mapped blocks, %s", hoard.count, corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
