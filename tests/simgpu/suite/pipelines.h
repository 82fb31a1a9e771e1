/* SPDX-License-Identifier: MIT
 *
 * Pipelines of the tests that need more than storage buffers: any descriptors, and a draw of
 * coloured triangles into one R8G8B8A8_UNORM attachment (dynamic rendering). */
#pragma once

#include "suite.h"

enum { PIPELINE_MAX_BINDINGS = 4 };

struct suite_pipeline {
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

/* A compute pipeline and one descriptor set for it, binding i being types[i]. */
struct suite_pipeline suite_compute(const struct vkf *f, const uint32_t *spirv, size_t spirv_bytes,
                                    const VkDescriptorType *types, uint32_t binding_count,
                                    uint32_t push_bytes);
/* Triangles from one vertex buffer of struct suite_vertex, no descriptors. */
struct suite_pipeline suite_draw(const struct vkf *f, uint32_t width, uint32_t height);
void suite_pipeline_destroy(const struct vkf *f, struct suite_pipeline *p);

struct suite_vertex {
    float x, y;
    uint32_t colour; /* red in the lowest byte */
};

void suite_write_buffer(const struct vkf *f, const struct suite_pipeline *p, uint32_t binding,
                        VkDescriptorType type, VkBuffer buffer, VkDeviceSize offset,
                        VkDeviceSize range);
void suite_write_view(const struct vkf *f, const struct suite_pipeline *p, uint32_t binding,
                      VkDescriptorType type, VkBufferView view);
void suite_write_image(const struct vkf *f, const struct suite_pipeline *p, uint32_t binding,
                       VkSampler sampler, VkImageView view);

VkImageView suite_image_view(const struct vkf *f, VkImage image, uint32_t first_mip,
                             uint32_t mip_count);
/* Begins to draw into a view in COLOR_ATTACHMENT_OPTIMAL, after clearing it. */
void suite_rendering_begin(VkCommandBuffer commands, VkImageView view, uint32_t width,
                           uint32_t height, uint32_t clear_colour);
