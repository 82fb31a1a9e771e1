/* SPDX-License-Identifier: MIT
 *
 * Row 16, rpcs3 17868: without resizable BAR, one allocation from the host-visible device-local
 * type is larger than the heap behind it. It is mapped for good, and written and read from both
 * sides. */
#include "corpus.h"
#include "hoard.h"

#define ONE_BYTES ((VkDeviceSize)16 << 20)

int main(void)
{
    struct vkf f;
    struct hoard hoard;
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 16);
    VkResult result = hoard_try_add(&hoard, HOARD_MAPPED, HOARD_VISIBLE, ONE_BYTES);
    if (result != VK_SUCCESS)
        corpus_refused(result, &hoard, "the allocation was");
    hoard_exercise(&hoard);
    corpus_outcome("one mapped allocation of %s", corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
