/* SPDX-License-Identifier: MIT
 *
 * Row 3, vkd3d-proton 124: device-local allocations to 1.2 times the heap, and no plan for a
 * refusal. Buffers, dedicated images, and both in one allocation.
 *
 *   row_03_no_retry TOTAL */
#include "corpus.h"
#include "hoard.h"

int main(int argc, char **argv)
{
    static const struct {
        enum hoard_shape shape;
        VkDeviceSize size_bytes;
    } kinds[] = {{HOARD_BUFFER, 4 << 20}, {HOARD_IMAGE, 1 << 20}, {HOARD_MIXED, 6 << 20}};
    struct vkf f;
    struct hoard hoard;
    if (argc != 2)
        return VKF_EXIT_USAGE;
    VkDeviceSize total = vkf_parse_size(argv[1]);
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 3);
    for (unsigned i = 0; hoard.total_bytes < total; i++) {
        VkResult result =
            hoard_try_add(&hoard, kinds[i % 3].shape, HOARD_DEVICE, kinds[i % 3].size_bytes);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "an allocation was");
    }
    hoard_exercise(&hoard);
    corpus_outcome("%u allocations, %s", hoard.count, corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
