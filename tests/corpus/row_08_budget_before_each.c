/* SPDX-License-Identifier: MIT
 *
 * Row 8, bevy 24722: as wgpu does it, the budget is asked before each of hundreds of textures, and
 * the program refuses itself what would go beyond.
 *
 *   row_08_budget_before_each COUNT */
#include <stdlib.h>

#include "corpus.h"
#include "hoard.h"

#define TEXTURE_BYTES ((VkDeviceSize)256 << 10)

int main(int argc, char **argv)
{
    struct vkf f;
    struct hoard hoard;
    if (argc != 2)
        return VKF_EXIT_USAGE;
    unsigned count = (unsigned)atoi(argv[1]);
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 8);
    for (unsigned i = 0; i < count; i++) {
        struct corpus_budget now = corpus_budget(&f, vkf_vram_heap(&f));
        if (now.usage > now.budget || now.budget - now.usage < TEXTURE_BYTES) {
            hoard_exercise(&hoard);
            corpus_give_up(VKF_EXIT_FAILED,
                           "the program refused itself texture %u of %u: %s of a budget of %s used",
                           i + 1, count, corpus_size(now.usage), corpus_size(now.budget));
        }
        VkResult result = hoard_try_add(&hoard, HOARD_IMAGE, HOARD_DEVICE, TEXTURE_BYTES);
        if (result != VK_SUCCESS)
            corpus_refused(result, &hoard, "a texture within the budget was");
    }
    hoard_exercise(&hoard);
    corpus_outcome("%u textures, %s, each within the budget", hoard.count,
                   corpus_size(hoard.total_bytes));
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
