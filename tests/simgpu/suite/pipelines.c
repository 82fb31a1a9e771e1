/* SPDX-License-Identifier: MIT
 *
 * Pipelines: see pipelines.h. */
#include "pipelines.h"

#include <stddef.h>

#include "draw_frag.spv.h"
#include "draw_vert.spv.h"

static void create_set(const struct vkf *f, struct suite_pipeline *p, const VkDescriptorType *types,
                       uint32_t count)
{
    VkDescriptorSetLayoutBinding bindings[PIPELINE_MAX_BINDINGS];
    VkDescriptorPoolSize sizes[PIPELINE_MAX_BINDINGS];
    for (uint32_t i = 0; i < count; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = types[i],
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
        sizes[i] = (VkDescriptorPoolSize){types[i], 1};
    }
    VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings};
    VKF_VK(vkCreateDescriptorSetLayout(f->device, &layout, NULL, &p->set_layout));
    if (count == 0)
        return;
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = count,
                                       .pPoolSizes = sizes};
    VKF_VK(vkCreateDescriptorPool(f->device, &pool, NULL, &p->pool));
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = p->pool,
                                       .descriptorSetCount = 1,
                                       .pSetLayouts = &p->set_layout};
    VKF_VK(vkAllocateDescriptorSets(f->device, &set, &p->set));
}

static VkShaderModule create_module(const struct vkf *f, const uint32_t *spirv, size_t bytes)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = spirv};
    VkShaderModule module = VK_NULL_HANDLE;
    VKF_VK(vkCreateShaderModule(f->device, &info, NULL, &module));
    return module;
}

static void create_layout(const struct vkf *f, struct suite_pipeline *p, uint32_t push_bytes)
{
    VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = push_bytes};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &p->set_layout,
                                       .pushConstantRangeCount = push_bytes ? 1 : 0,
                                       .pPushConstantRanges = push_bytes ? &push : NULL};
    VKF_VK(vkCreatePipelineLayout(f->device, &info, NULL, &p->layout));
}

struct suite_pipeline suite_compute(const struct vkf *f, const uint32_t *spirv, size_t spirv_bytes,
                                    const VkDescriptorType *types, uint32_t binding_count,
                                    uint32_t push_bytes)
{
    struct suite_pipeline p = {0};
    create_set(f, &p, types, binding_count);
    create_layout(f, &p, push_bytes);
    VkShaderModule module = create_module(f, spirv, spirv_bytes);
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = p.layout,
    };
    VKF_VK(vkCreateComputePipelines(f->device, VK_NULL_HANDLE, 1, &info, NULL, &p.pipeline));
    vkDestroyShaderModule(f->device, module, NULL);
    return p;
}

static void create_draw_pipeline(const struct vkf *f, struct suite_pipeline *p, uint32_t width,
                                 uint32_t height, const VkPipelineShaderStageCreateInfo *stages)
{
    static const VkVertexInputBindingDescription binding = {.stride = sizeof(struct suite_vertex)};
    static const VkVertexInputAttributeDescription attributes[] = {
        {.location = 0, .format = VK_FORMAT_R32G32_SFLOAT},
        {.location = 1,
         .format = VK_FORMAT_R8G8B8A8_UNORM,
         .offset = offsetof(struct suite_vertex, colour)}};
    static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = 1,
        .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = 2,
        .pVertexAttributeDescriptions = attributes};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkViewport viewport = {.width = (float)width, .height = (float)height, .maxDepth = 1.0f};
    VkRect2D scissor = {.extent = {width, height}};
    VkPipelineViewportStateCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1.0f};
    VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 0xf};
    VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &attachment};
    VkPipelineRenderingCreateInfo rendering = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                               .colorAttachmentCount = 1,
                                               .pColorAttachmentFormats = &format};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = &rendering,
                                         .stageCount = 2,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &view,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pColorBlendState = &blend,
                                         .layout = p->layout};
    VKF_VK(vkCreateGraphicsPipelines(f->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline));
}

struct suite_pipeline suite_draw(const struct vkf *f, uint32_t width, uint32_t height)
{
    struct suite_pipeline p = {0};
    create_set(f, &p, NULL, 0);
    create_layout(f, &p, 0);
    VkPipelineShaderStageCreateInfo stages[] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = create_module(f, draw_vert_spv, sizeof(draw_vert_spv)),
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = create_module(f, draw_frag_spv, sizeof(draw_frag_spv)),
         .pName = "main"}};
    create_draw_pipeline(f, &p, width, height, stages);
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(f->device, stages[i].module, NULL);
    return p;
}

void suite_pipeline_destroy(const struct vkf *f, struct suite_pipeline *p)
{
    vkDestroyPipeline(f->device, p->pipeline, NULL);
    vkDestroyPipelineLayout(f->device, p->layout, NULL);
    vkDestroyDescriptorPool(f->device, p->pool, NULL);
    vkDestroyDescriptorSetLayout(f->device, p->set_layout, NULL);
    *p = (struct suite_pipeline){0};
}

void suite_write_buffer(const struct vkf *f, const struct suite_pipeline *p, uint32_t binding,
                        VkDescriptorType type, VkBuffer buffer, VkDeviceSize offset,
                        VkDeviceSize range)
{
    VkDescriptorBufferInfo info = {.buffer = buffer, .offset = offset, .range = range};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = p->set,
                                  .dstBinding = binding,
                                  .descriptorCount = 1,
                                  .descriptorType = type,
                                  .pBufferInfo = &info};
    vkUpdateDescriptorSets(f->device, 1, &write, 0, NULL);
}

void suite_write_view(const struct vkf *f, const struct suite_pipeline *p, uint32_t binding,
                      VkDescriptorType type, VkBufferView view)
{
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = p->set,
                                  .dstBinding = binding,
                                  .descriptorCount = 1,
                                  .descriptorType = type,
                                  .pTexelBufferView = &view};
    vkUpdateDescriptorSets(f->device, 1, &write, 0, NULL);
}

void suite_write_image(const struct vkf *f, const struct suite_pipeline *p, uint32_t binding,
                       VkSampler sampler, VkImageView view)
{
    VkDescriptorImageInfo info = {.sampler = sampler,
                                  .imageView = view,
                                  .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = p->set,
                                  .dstBinding = binding,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                  .pImageInfo = &info};
    vkUpdateDescriptorSets(f->device, 1, &write, 0, NULL);
}

VkImageView suite_image_view(const struct vkf *f, VkImage image, uint32_t first_mip,
                             uint32_t mip_count)
{
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, first_mip, mip_count, 0, 1}};
    VkImageView view = VK_NULL_HANDLE;
    VKF_VK(vkCreateImageView(f->device, &info, NULL, &view));
    return view;
}

void suite_rendering_begin(VkCommandBuffer commands, VkImageView view, uint32_t width,
                           uint32_t height, uint32_t clear_colour)
{
    VkClearValue clear;
    for (int i = 0; i < 4; i++)
        clear.color.float32[i] = (float)(clear_colour >> 8 * i & 0xff) / 255.0f;
    VkRenderingAttachmentInfo attachment = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                            .imageView = view,
                                            .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                            .clearValue = clear};
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .renderArea = {.extent = {width, height}},
                            .layerCount = 1,
                            .colorAttachmentCount = 1,
                            .pColorAttachments = &attachment};
    vkCmdBeginRendering(commands, &info);
}
