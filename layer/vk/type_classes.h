/* SPDX-License-Identifier: MIT
 *
 * Which memory types can stand in for which. A program that allocates without naming a resource may
 * bind anything to the memory that accepts its type: so type Y may replace type X only if every
 * class of resource that accepts X accepts Y as well. Classes are known by the memoryTypeBits that
 * the driver answers: "identical for all VkImage objects created with the same combination of
 * values for [tiling, sparse-binding, protected, …]" (Resource Memory Association), asked at device
 * creation for the usual classes and learnt from every later answer. */
#pragma once

#include "core_types.h"

#include <stdatomic.h>

struct spw_type_classes {
    /* atomic: allowed[x] = AND of all masks seen that have bit x. Bits only ever fall; relaxed,
     * since an allocation that races with the first query of a new class could just as well have
     * come before it. */
    _Atomic uint32_t allowed[SPW_MAX_TYPES];
};

void spw_type_classes_init(struct spw_type_classes *classes);

/* Any thread. True where a type lost a possible stand-in by it. */
bool spw_type_classes_note(struct spw_type_classes *classes, uint32_t memory_type_bits);

/* A bit per type that can replace `type` whatever is bound later; `type` itself is among them. */
uint32_t spw_type_classes_allowed(const struct spw_type_classes *classes, uint32_t type);
