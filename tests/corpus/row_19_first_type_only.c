/* SPDX-License-Identifier: MIT
 *
 * Row 19, upscayl 1314 and llama.cpp 22368: all memory is asked of the first device-local type,
 * whose heap is the smaller one of two.
 *
 *   row_19_first_type_only TOTAL */
#include "corpus.h"
#include "hoard.h"

#define CHUNK_BYTES ((VkDeviceSize)1 << 20)

int main(int argc, char **argv)
{
    struct vkf f;
    struct hoard hoard;
    if (argc != 2)
        return VKF_EXIT_USAGE;
    VkDeviceSize total = vkf_parse_size(argv[1]);
    vkf_begin(&f, NULL);
    uint32_t first = vkf_want_type(&f, UINT32_MAX, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VKF_CHECK(f.memory.memoryTypes[first].heapIndex != vkf_vram_heap(&f),
              "the first device-local type has the largest heap: not the card for this");
    hoard_begin(&hoard, &f, 19);
    while (hoard.total_bytes < total) {
        VkResult result = hoard_try_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, CHUNK_BYTES);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "the first device-local type was");
        VKF_CHECK(hoard.holdings[hoard.count - 1].memory_type == first, "another type was asked");
    }
    hoard_exercise(&hoard);
    corpus_outcome("%s of the first device-local type", corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
