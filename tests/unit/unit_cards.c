/* SPDX-License-Identifier: MIT
 *
 * See unit_cards.h. */
#include "unit_cards.h"

#define DL SPW_MEMORY_DEVICE_LOCAL
#define HV SPW_MEMORY_HOST_VISIBLE
#define HC SPW_MEMORY_HOST_COHERENT
#define CA SPW_MEMORY_HOST_CACHED

/* clang-format off */
static const struct spw_memory_layout cards[UNIT_CARD_COUNT] = {
    [UNIT_NVIDIA] = {
        .heap_count = 2, .heaps = {{UNIT_VRAM, true}, {UNIT_HOST, false}},
        .type_count = 4, .types = {{0, 1}, {DL, 0}, {HV | HC, 1}, {HV | HC | CA, 1}},
        .main_heap = 0, .host_heap = 1},
    [UNIT_NVIDIA_REBAR] = {
        .heap_count = 2, .heaps = {{UNIT_VRAM, true}, {UNIT_HOST, false}},
        .type_count = 5, .types = {{0, 1}, {DL, 0}, {HV | HC, 1}, {HV | HC | CA, 1}, {DL | HV | HC, 0}},
        .main_heap = 0, .host_heap = 1},
    [UNIT_TINY_BAR] = {
        .heap_count = 3, .heaps = {{UNIT_VRAM, true}, {UNIT_HOST, false}, {UNIT_BAR, true}},
        .type_count = 5, .types = {{0, 1}, {DL, 0}, {HV | HC, 1}, {HV | HC | CA, 1}, {DL | HV | HC, 2}},
        .main_heap = 0, .host_heap = 1},
    [UNIT_AMD] = {
        .heap_count = 3, .heaps = {{UNIT_VRAM, true}, {UNIT_HOST, false}, {UNIT_BAR, true}},
        .type_count = 4, .types = {{DL, 0}, {HV | HC, 1}, {DL | HV | HC, 2}, {HV | HC | CA, 1}},
        .main_heap = 0, .host_heap = 1},
    [UNIT_UMA] = {
        .heap_count = 1, .heaps = {{UNIT_VRAM, true}},
        .type_count = 3, .types = {{DL, 0}, {DL | HV | HC, 0}, {DL | HV | HC | CA, 0}},
        .main_heap = 0, .host_heap = UINT32_MAX},
};
/* clang-format on */

struct spw_memory_layout unit_card_layout(enum unit_card card)
{
    return cards[card];
}
