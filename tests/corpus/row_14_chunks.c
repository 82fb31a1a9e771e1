/* SPDX-License-Identifier: MIT
 *
 * Row 14, dxvk 3268: large chunks to 1.1 times the heap, with buffers and images placed in them.
 * Here 8 MiB for 256.
 *
 *   row_14_chunks TOTAL */
#include "corpus.h"
#include "hoard.h"

#define CHUNK_BYTES ((VkDeviceSize)8 << 20)

int main(int argc, char **argv)
{
    struct vkf f;
    struct hoard hoard;
    if (argc != 2)
        return VKF_EXIT_USAGE;
    VkDeviceSize total = vkf_parse_size(argv[1]);
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 14);
    while (hoard.total_bytes < total) {
        VkResult result = hoard_try_add(&hoard, HOARD_MIXED, HOARD_DEVICE, CHUNK_BYTES);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "a chunk was");
    }
    hoard_exercise(&hoard);
    corpus_outcome("%u chunks, %s", hoard.count, corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
