/* SPDX-License-Identifier: MIT
 *
 * The cards that can be simulated. The tables are those of tests/harness/CONTRACTS.md; a new card
 * is one more entry here. */
#include "card.h"

#include <string.h>

#define DL VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define HV VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
#define HC VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
#define CA VK_MEMORY_PROPERTY_HOST_CACHED_BIT

#define VRAM_HEAP                                                                                  \
    {                                                                                              \
        SIM_SIZE_VRAM, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT                                             \
    }
#define HOST_HEAP                                                                                  \
    {                                                                                              \
        SIM_SIZE_HOST, 0                                                                           \
    }
#define BAR_HEAP                                                                                   \
    {                                                                                              \
        SIM_SIZE_BAR, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT                                              \
    }

/* Graphics ×2, compute ×2, transfer ×1. Every family of a sparse card can bind. */
#define FAMILY(count, flags)                                                                       \
    {                                                                                              \
        .queueFlags = (flags), .queueCount = (count), .timestampValidBits = 64,                    \
        .minImageTransferGranularity = {                                                           \
            1,                                                                                     \
            1,                                                                                     \
            1                                                                                      \
        }                                                                                          \
    }
#define FAMILIES(extra)                                                                            \
    .family_count = 3,                                                                             \
    .families = {                                                                                  \
        FAMILY(2, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT | (extra)), \
        FAMILY(2, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT | (extra)),                         \
        FAMILY(1, VK_QUEUE_TRANSFER_BIT | (extra)),                                                \
    }
#define SPARSE_FAMILIES .sparse = true, FAMILIES(VK_QUEUE_SPARSE_BINDING_BIT)

#define NVIDIA_CARD                                                                                \
    .device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, .vendor_id = 0x10de, .device_id = 0x2684, \
    .optimal_image_types = 0x3, .optimal_image_alignment = 1024, .buffer_image_granularity = 1024
#define NVIDIA_TYPES                                                                               \
    {0, 1}, {DL, 0}, {HV | HC, 1},                                                                 \
    {                                                                                              \
        HV | HC | CA, 1                                                                            \
    }
/* One queue that does everything: no way around it while it waits. */
#define ONE_QUEUE                                                                                  \
    .sparse = true, .family_count = 1,                                                             \
    .families = {                                                                                  \
        FAMILY(1, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT |           \
                      VK_QUEUE_SPARSE_BINDING_BIT),                                                \
    }
/* Sparse binding on a family of its own that can do nothing else, as in RADV 24.0 to 25.0. */
#define BIND_FAMILY                                                                                \
    .sparse = true, .family_count = 3,                                                             \
    .families = {                                                                                  \
        FAMILY(1, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT),           \
        FAMILY(2, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT),                                   \
        FAMILY(1, VK_QUEUE_SPARSE_BINDING_BIT),                                                    \
    }
/* A render and a compute engine, one queue each. */
#define INTEL_FAMILIES                                                                             \
    .sparse = true, .family_count = 2,                                                             \
    .families = {                                                                                  \
        FAMILY(1, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT |           \
                      VK_QUEUE_SPARSE_BINDING_BIT),                                                \
        FAMILY(1, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT),     \
    }

#define AMD_CARD                                                                                   \
    .device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, .vendor_id = 0x1002, .device_id = 0x73bf, \
    .optimal_image_types = 0xf, .optimal_image_alignment = 4096, .buffer_image_granularity = 64

static const struct sim_profile profiles[] = {
    {.name = "nvidia",
     NVIDIA_CARD,
     SPARSE_FAMILIES,
     .heap_count = 2,
     .heaps = {VRAM_HEAP, HOST_HEAP},
     .type_count = 4,
     .types = {NVIDIA_TYPES}},
    {.name = "nvidia-rebar",
     NVIDIA_CARD,
     SPARSE_FAMILIES,
     .heap_count = 2,
     .heaps = {VRAM_HEAP, HOST_HEAP},
     .type_count = 5,
     .types = {NVIDIA_TYPES, {DL | HV | HC, 0}}},
    {.name = "tiny-bar",
     NVIDIA_CARD,
     SPARSE_FAMILIES,
     .heap_count = 3,
     .heaps = {VRAM_HEAP, HOST_HEAP, BAR_HEAP},
     .type_count = 5,
     .types = {NVIDIA_TYPES, {DL | HV | HC, 2}}},
    {.name = "amd",
     AMD_CARD,
     SPARSE_FAMILIES,
     .heap_count = 3,
     .heaps = {VRAM_HEAP, HOST_HEAP, BAR_HEAP},
     .type_count = 4,
     .types = {{DL, 0}, {HV | HC, 1}, {DL | HV | HC, 2}, {HV | HC | CA, 1}}},
    {.name = "amd-rebar",
     AMD_CARD,
     SPARSE_FAMILIES,
     .heap_count = 2,
     .heaps = {VRAM_HEAP, HOST_HEAP},
     .type_count = 4,
     .types = {{DL, 0}, {HV | HC, 1}, {DL | HV | HC, 0}, {HV | HC | CA, 1}}},
    {.name = "uma",
     .device_type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
     .vendor_id = 0x8086,
     .device_id = 0x9a49,
     .optimal_image_types = 0x7,
     .optimal_image_alignment = 4096,
     .buffer_image_granularity = 64,
     SPARSE_FAMILIES,
     .heap_count = 1,
     .heaps = {VRAM_HEAP},
     .type_count = 3,
     .types = {{DL, 0}, {DL | HV | HC, 0}, {DL | HV | HC | CA, 0}}},
    /* tiny-bar with a host type that is cached and not coherent, and stands before the coherent
       ones */
    {.name = "non-coherent",
     NVIDIA_CARD,
     SPARSE_FAMILIES,
     .heap_count = 3,
     .heaps = {VRAM_HEAP, HOST_HEAP, BAR_HEAP},
     .type_count = 6,
     .types = {{0, 1}, {DL, 0}, {HV | CA, 1}, {HV | HC, 1}, {HV | HC | CA, 1}, {DL | HV | HC, 2}}},
    {.name = "no-sparse",
     NVIDIA_CARD,
     FAMILIES(0),
     .heap_count = 2,
     .heaps = {VRAM_HEAP, HOST_HEAP},
     .type_count = 4,
     .types = {NVIDIA_TYPES}},
    /* An Arc under ANV with resizable BAR: all of VRAM is visible. */
    {.name = "intel",
     .device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     .vendor_id = 0x8086,
     .device_id = 0x56a0,
     .optimal_image_types = 0x7,
     .optimal_image_alignment = 65536,
     .buffer_image_granularity = 64,
     INTEL_FAMILIES,
     .heap_count = 2,
     .heaps = {VRAM_HEAP, HOST_HEAP},
     .type_count = 3,
     .types = {{DL, 0}, {HV | HC | CA, 1}, {DL | HV | HC, 0}}},
    {.name = "one-queue",
     NVIDIA_CARD,
     ONE_QUEUE,
     .heap_count = 2,
     .heaps = {VRAM_HEAP, HOST_HEAP},
     .type_count = 4,
     .types = {NVIDIA_TYPES}},
    {.name = "bind-family",
     AMD_CARD,
     BIND_FAMILY,
     .heap_count = 3,
     .heaps = {VRAM_HEAP, HOST_HEAP, BAR_HEAP},
     .type_count = 4,
     .types = {{DL, 0}, {HV | HC, 1}, {DL | HV | HC, 2}, {HV | HC | CA, 1}}},
    {.name = "pageable",
     NVIDIA_CARD,
     SPARSE_FAMILIES,
     .pageable = true,
     .heap_count = 2,
     .heaps = {VRAM_HEAP, HOST_HEAP},
     .type_count = 4,
     .types = {NVIDIA_TYPES}},
};

const struct sim_profile *sim_profile_find(const char *name)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    }
    return NULL;
}
