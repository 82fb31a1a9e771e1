/* SPDX-License-Identifier: MIT
 *
 * Barriers, copies, blits, resolves and clears of images: what they say of layouts and families is
 * noted in the command buffer (layouts.h), and the driver gets them unchanged. */
#include "layouts.h"
#include "record.h"

#define NO_FAMILY VK_QUEUE_FAMILY_IGNORED

static void add_use(struct sim_commands *c, const char *command, VkImage image,
                    VkImageSubresourceRange range, VkImageLayout layout)
{
    struct sim_layout_step step = {.command = command,
                                   .image = image,
                                   .range = range,
                                   .from = layout,
                                   .to = layout,
                                   .src_family = NO_FAMILY,
                                   .dst_family = NO_FAMILY};
    sim_layout_steps_add(&c->layouts, &step);
}

static void add_layers(struct sim_commands *c, const char *command, VkImage image,
                       VkImageSubresourceLayers l, VkImageLayout layout)
{
    VkImageSubresourceRange range = {l.aspectMask, l.mipLevel, 1, l.baseArrayLayer, l.layerCount};
    add_use(c, command, image, range, layout);
}

/* --- barriers */

/* Without a transfer, two equal layouts say nothing of the one that the image is in (Vulkan 1.3,
 * VUID-VkImageMemoryBarrier2-oldLayout-01197). */
static void add_barrier(struct sim_commands *c, const char *command, VkImage image,
                        VkImageSubresourceRange range, VkImageLayout from, VkImageLayout to,
                        uint32_t src_family, uint32_t dst_family)
{
    bool transfer = src_family != dst_family && src_family != NO_FAMILY && dst_family != NO_FAMILY;
    struct sim_layout_step step = {.command = command,
                                   .image = image,
                                   .range = range,
                                   .transition = true,
                                   .from = from,
                                   .to = to,
                                   .src_family = transfer ? src_family : NO_FAMILY,
                                   .dst_family = transfer ? dst_family : NO_FAMILY};
    if (transfer || from != to)
        sim_layout_steps_add(&c->layouts, &step);
}

static void add_barriers(struct sim_commands *c, const char *command, uint32_t count,
                         const VkImageMemoryBarrier *b)
{
    for (uint32_t i = 0; i < count; i++)
        add_barrier(c, command, b[i].image, b[i].subresourceRange, b[i].oldLayout, b[i].newLayout,
                    b[i].srcQueueFamilyIndex, b[i].dstQueueFamilyIndex);
}

static void add_dependency(struct sim_commands *c, const char *command,
                           const VkDependencyInfo *info)
{
    const VkImageMemoryBarrier2 *b = info->pImageMemoryBarriers;
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
        add_barrier(c, command, b[i].image, b[i].subresourceRange, b[i].oldLayout, b[i].newLayout,
                    b[i].srcQueueFamilyIndex, b[i].dstQueueFamilyIndex);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdPipelineBarrier(
    VkCommandBuffer handle, VkPipelineStageFlags src, VkPipelineStageFlags dst,
    VkDependencyFlags flags, uint32_t memory_count, const VkMemoryBarrier *memory,
    uint32_t buffer_count, const VkBufferMemoryBarrier *buffers, uint32_t image_count,
    const VkImageMemoryBarrier *images)
{
    struct sim_commands *c = sim_commands_find(handle);
    add_barriers(c, "vkCmdPipelineBarrier", image_count, images);
    c->device->vk.CmdPipelineBarrier(handle, src, dst, flags, memory_count, memory, buffer_count,
                                     buffers, image_count, images);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdPipelineBarrier2(VkCommandBuffer handle,
                                                   const VkDependencyInfo *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    add_dependency(c, "vkCmdPipelineBarrier2", info);
    c->device->vk.CmdPipelineBarrier2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdWaitEvents(VkCommandBuffer handle, uint32_t count,
                                             const VkEvent *events, VkPipelineStageFlags src,
                                             VkPipelineStageFlags dst, uint32_t memory_count,
                                             const VkMemoryBarrier *memory, uint32_t buffer_count,
                                             const VkBufferMemoryBarrier *buffers,
                                             uint32_t image_count,
                                             const VkImageMemoryBarrier *images)
{
    struct sim_commands *c = sim_commands_find(handle);
    add_barriers(c, "vkCmdWaitEvents", image_count, images);
    c->device->vk.CmdWaitEvents(handle, count, events, src, dst, memory_count, memory, buffer_count,
                                buffers, image_count, images);
}

/* vkCmdSetEvent2 names the same barriers, which happen once: here. */
VKAPI_ATTR void VKAPI_CALL sim_CmdWaitEvents2(VkCommandBuffer handle, uint32_t count,
                                              const VkEvent *events, const VkDependencyInfo *infos)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++)
        add_dependency(c, "vkCmdWaitEvents2", &infos[i]);
    c->device->vk.CmdWaitEvents2(handle, count, events, infos);
}

/* --- copies; the second versions have the same members */

VKAPI_ATTR void VKAPI_CALL sim_CmdCopyImage(VkCommandBuffer handle, VkImage src,
                                            VkImageLayout src_layout, VkImage dst,
                                            VkImageLayout dst_layout, uint32_t count,
                                            const VkImageCopy *regions)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++) {
        add_layers(c, "vkCmdCopyImage", src, regions[i].srcSubresource, src_layout);
        add_layers(c, "vkCmdCopyImage", dst, regions[i].dstSubresource, dst_layout);
    }
    c->device->vk.CmdCopyImage(handle, src, src_layout, dst, dst_layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdCopyImage2(VkCommandBuffer handle, const VkCopyImageInfo2 *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkImageCopy2 *r = &info->pRegions[i];
        add_layers(c, "vkCmdCopyImage2", info->srcImage, r->srcSubresource, info->srcImageLayout);
        add_layers(c, "vkCmdCopyImage2", info->dstImage, r->dstSubresource, info->dstImageLayout);
    }
    c->device->vk.CmdCopyImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdBlitImage(VkCommandBuffer handle, VkImage src,
                                            VkImageLayout src_layout, VkImage dst,
                                            VkImageLayout dst_layout, uint32_t count,
                                            const VkImageBlit *regions, VkFilter filter)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++) {
        add_layers(c, "vkCmdBlitImage", src, regions[i].srcSubresource, src_layout);
        add_layers(c, "vkCmdBlitImage", dst, regions[i].dstSubresource, dst_layout);
    }
    c->device->vk.CmdBlitImage(handle, src, src_layout, dst, dst_layout, count, regions, filter);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdBlitImage2(VkCommandBuffer handle, const VkBlitImageInfo2 *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkImageBlit2 *r = &info->pRegions[i];
        add_layers(c, "vkCmdBlitImage2", info->srcImage, r->srcSubresource, info->srcImageLayout);
        add_layers(c, "vkCmdBlitImage2", info->dstImage, r->dstSubresource, info->dstImageLayout);
    }
    c->device->vk.CmdBlitImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdResolveImage(VkCommandBuffer handle, VkImage src,
                                               VkImageLayout src_layout, VkImage dst,
                                               VkImageLayout dst_layout, uint32_t count,
                                               const VkImageResolve *regions)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++) {
        add_layers(c, "vkCmdResolveImage", src, regions[i].srcSubresource, src_layout);
        add_layers(c, "vkCmdResolveImage", dst, regions[i].dstSubresource, dst_layout);
    }
    c->device->vk.CmdResolveImage(handle, src, src_layout, dst, dst_layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdResolveImage2(VkCommandBuffer handle,
                                                const VkResolveImageInfo2 *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < info->regionCount; i++) {
        const VkImageResolve2 *r = &info->pRegions[i];
        add_layers(c, "vkCmdResolveImage2", info->srcImage, r->srcSubresource,
                   info->srcImageLayout);
        add_layers(c, "vkCmdResolveImage2", info->dstImage, r->dstSubresource,
                   info->dstImageLayout);
    }
    c->device->vk.CmdResolveImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdCopyBufferToImage(VkCommandBuffer handle, VkBuffer src,
                                                    VkImage dst, VkImageLayout layout,
                                                    uint32_t count,
                                                    const VkBufferImageCopy *regions)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++)
        add_layers(c, "vkCmdCopyBufferToImage", dst, regions[i].imageSubresource, layout);
    c->device->vk.CmdCopyBufferToImage(handle, src, dst, layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdCopyBufferToImage2(VkCommandBuffer handle,
                                                     const VkCopyBufferToImageInfo2 *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < info->regionCount; i++)
        add_layers(c, "vkCmdCopyBufferToImage2", info->dstImage, info->pRegions[i].imageSubresource,
                   info->dstImageLayout);
    c->device->vk.CmdCopyBufferToImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdCopyImageToBuffer(VkCommandBuffer handle, VkImage src,
                                                    VkImageLayout layout, VkBuffer dst,
                                                    uint32_t count,
                                                    const VkBufferImageCopy *regions)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++)
        add_layers(c, "vkCmdCopyImageToBuffer", src, regions[i].imageSubresource, layout);
    c->device->vk.CmdCopyImageToBuffer(handle, src, layout, dst, count, regions);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdCopyImageToBuffer2(VkCommandBuffer handle,
                                                     const VkCopyImageToBufferInfo2 *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < info->regionCount; i++)
        add_layers(c, "vkCmdCopyImageToBuffer2", info->srcImage, info->pRegions[i].imageSubresource,
                   info->srcImageLayout);
    c->device->vk.CmdCopyImageToBuffer2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdClearColorImage(VkCommandBuffer handle, VkImage image,
                                                  VkImageLayout layout,
                                                  const VkClearColorValue *color, uint32_t count,
                                                  const VkImageSubresourceRange *ranges)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++)
        add_use(c, "vkCmdClearColorImage", image, ranges[i], layout);
    c->device->vk.CmdClearColorImage(handle, image, layout, color, count, ranges);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdClearDepthStencilImage(VkCommandBuffer handle, VkImage image,
                                                         VkImageLayout layout,
                                                         const VkClearDepthStencilValue *value,
                                                         uint32_t count,
                                                         const VkImageSubresourceRange *ranges)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < count; i++)
        add_use(c, "vkCmdClearDepthStencilImage", image, ranges[i], layout);
    c->device->vk.CmdClearDepthStencilImage(handle, image, layout, value, count, ranges);
}
