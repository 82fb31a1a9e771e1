/* SPDX-License-Identifier: MIT
 *
 * Chains of structs, read only. */
#include "sim.h"

const void *sim_chain_find(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *s = chain; s != NULL; s = s->pNext) {
        if (s->sType == type)
            return s;
    }
    return NULL;
}
