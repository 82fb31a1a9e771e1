/* SPDX-License-Identifier: MIT
 *
 * Row 1, vkd3d-proton 2359: device-local chunks of two sizes until one is refused, then a render
 * target. Here 1 and 2 MiB for 16 and 32. */
#include "corpus.h"
#include "hoard.h"

#define CHUNK_BYTES ((VkDeviceSize)1 << 20)

int main(void)
{
    struct vkf f;
    struct hoard hoard;
    struct corpus_target target;
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 1);
    vkf_staging(&f); /* what it needs to work with, before it takes all there is */
    VkResult result = VK_SUCCESS;
    while (result == VK_SUCCESS)
        result = hoard_try_add(&hoard, HOARD_BUFFER, HOARD_DEVICE,
                               hoard.count % 2 ? 2 * CHUNK_BYTES : CHUNK_BYTES);
    VKF_CHECK(result == VK_ERROR_OUT_OF_DEVICE_MEMORY, "a chunk was answered %s",
              vkf_result_name(result));
    VKF_CHECK(hoard.total_bytes + 2 * CHUNK_BYTES > vkf_vram_bytes(&f),
              "refused with %s held of a heap of %s", corpus_size(hoard.total_bytes),
              corpus_size(vkf_vram_bytes(&f)));
    result = corpus_target_create(&target, &f, false);
    if (result != VK_SUCCESS)
        corpus_refused(result, &hoard, "the render target was");
    corpus_target_exercise(&target, &f);
    hoard_exercise(&hoard);
    corpus_target_exercise(&target, &f);
    corpus_outcome("%u chunks, %s, and the render target", hoard.count,
                   corpus_size(hoard.total_bytes));
    corpus_target_destroy(&target, &f);
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
