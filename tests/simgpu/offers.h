/* SPDX-License-Identifier: MIT
 *
 * What the card offers that the driver below does not have, and what of the driver's it hides: the
 * API version, extensions and features. */
#pragma once

#include "sim.h"

/* The card's version, given the driver's or the program's: at most SIMGPU_API's. */
uint32_t sim_offers_api_version(uint32_t version);

/* The n-th extension that simgpu itself brings; NULL: no more. */
const VkExtensionProperties *sim_offers_extension(uint32_t n);
bool sim_offers_adds(const char *extension);
/* An extension of the driver's that this card does not have. */
bool sim_offers_hides(const char *extension);

/* Over the driver's answer: the core features, and the structs of a chain of features. */
void sim_offers_patch_features(VkPhysicalDeviceFeatures *features);
void sim_offers_patch_feature_chain(void *chain);

/* What the driver may hear of features that a program enables. */
void sim_offers_mask_features(const struct sim_physical *physical,
                              VkPhysicalDeviceFeatures *features);
/* A struct for vkCreateDevice that is simgpu's own business. */
bool sim_offers_keeps(VkStructureType type);
/* VK_ERROR_FEATURE_NOT_PRESENT where a program enables what the card does not have. */
VkResult sim_offers_check_chain(const void *chain);

/* Structs of Vulkan versions that the card does not have are left as the program filled them, as a
 * driver of that time would: the driver below fills them, so their content is put back. */
struct sim_newer_structs {
    uint32_t count;
    struct {
        VkBaseOutStructure *at;
        size_t size;
        union {
            VkPhysicalDeviceVulkan11Properties a;
            VkPhysicalDeviceVulkan12Properties b;
            VkPhysicalDeviceVulkan13Properties c;
            VkPhysicalDeviceVulkan12Features d;
            VkPhysicalDeviceVulkan13Features e;
            VkPhysicalDeviceVulkan11Features f;
        } before;
    } saved[8];
};
void sim_newer_structs_save(struct sim_newer_structs *newer, void *chain);
void sim_newer_structs_restore(const struct sim_newer_structs *newer);
