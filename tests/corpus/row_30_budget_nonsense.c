/* SPDX-License-Identifier: MIT
 *
 * Row 30, VMA 157 and llama.cpp 29277: the driver tells a budget above the heap's size, or wrapped
 * around zero. The program takes half of what is free by these numbers, several times. */
#include "corpus.h"
#include "hoard.h"

#define ROUNDS      4
#define GRAIN_BYTES ((VkDeviceSize)64 << 10)

int main(void)
{
    struct vkf f;
    struct hoard hoard;
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 30);
    uint32_t heap = vkf_vram_heap(&f);
    for (int round = 0; round < ROUNDS; round++) {
        struct corpus_budget now = corpus_budget(&f, heap);
        if (now.budget > now.size || now.budget == 0 || now.usage > now.budget)
            corpus_give_up(VKF_EXIT_FAILED, "the budget of a heap of %s is %s",
                           corpus_size(now.size), corpus_size(now.budget));
        VkDeviceSize want = (now.budget - now.usage) / 2 & ~(GRAIN_BYTES - 1);
        VkResult result = hoard_try_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, want);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "half of what is free was");
    }
    hoard_exercise(&hoard);
    corpus_outcome("half of what was free, %d times: %s", ROUNDS, corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
