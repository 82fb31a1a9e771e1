/* SPDX-License-Identifier: MIT
 *
 * Which memory types can stand in for which: see type_classes.h. */
#include "type_classes.h"

void spw_type_classes_init(struct spw_type_classes *classes)
{
    for (uint32_t type = 0; type < SPW_MAX_TYPES; type++)
        atomic_init(&classes->allowed[type], UINT32_MAX);
}

bool spw_type_classes_note(struct spw_type_classes *classes, uint32_t memory_type_bits)
{
    bool narrowed = false;
    for (uint32_t rest = memory_type_bits; rest; rest &= rest - 1) {
        _Atomic uint32_t *allowed = &classes->allowed[__builtin_ctz(rest)];
        if (!(atomic_load_explicit(allowed, memory_order_relaxed) & ~memory_type_bits))
            continue;
        atomic_fetch_and_explicit(allowed, memory_type_bits, memory_order_relaxed);
        narrowed = true;
    }
    return narrowed;
}

uint32_t spw_type_classes_allowed(const struct spw_type_classes *classes, uint32_t type)
{
    return atomic_load_explicit(&classes->allowed[type], memory_order_relaxed);
}
