/* SPDX-License-Identifier: MIT
 *
 * Cards for the tests of core: the memory types of tests/harness/CONTRACTS.md, with round heap
 * sizes. */
#pragma once

#include "unit.h"

#include "core_types.h"

enum unit_card {
    UNIT_NVIDIA,
    UNIT_NVIDIA_REBAR,
    UNIT_TINY_BAR,
    UNIT_AMD,
    UNIT_UMA,
    UNIT_CARD_COUNT
};

#define UNIT_VRAM ((uint64_t)8000)
#define UNIT_HOST ((uint64_t)32000)
#define UNIT_BAR  ((uint64_t)256)

struct spw_memory_layout unit_card_layout(enum unit_card card);
