/* SPDX-License-Identifier: MIT
 *
 * A render target: see corpus.h. Colour and depth are cleared by a render pass, to values that
 * survive any rounding, and read back through a copy. */
#include "corpus.h"

#include <string.h>

enum { COLOUR, DEPTH };

static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D32_SFLOAT};
static const VkImageAspectFlags aspects[] = {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT};
static const VkImageUsageFlags usages[] = {VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                           VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT};
static const VkImageLayout layouts[] = {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                        VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
static const VkClearValue clears[] = {{.color = {.float32 = {1.0f, 0.0f, 1.0f, 0.0f}}},
                                      {.depthStencil = {.depth = 0.25f}}};
/* The same as a texel's four bytes: a float has 0.25 exactly. */
static const uint32_t texels[] = {0x00ff00ff, 0x3e800000};

static VkResult create_attachment(struct corpus_target *t, const struct vkf *f, int which)
{
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = formats[which],
        .extent = {CORPUS_TARGET_SIDE, CORPUS_TARGET_SIDE, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usages[which] | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    };
    VkMemoryRequirements need;
    VKF_VK(vkCreateImage(f->device, &info, NULL, &t->images[which]));
    vkGetImageMemoryRequirements(f->device, t->images[which], &need);
    VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .image = t->images[which]};
    VkResult result = vkf_try_allocate(
        f, need.size, vkf_want_type(f, need.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
        &dedicated, &t->memories[which]);
    if (result != VK_SUCCESS)
        return result;
    VKF_VK(vkBindImageMemory(f->device, t->images[which], t->memories[which], 0));
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = t->images[which],
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = formats[which],
        .subresourceRange = {aspects[which], 0, 1, 0, 1},
    };
    VKF_VK(vkCreateImageView(f->device, &view, NULL, &t->views[which]));
    return VK_SUCCESS;
}

VkResult corpus_target_create(struct corpus_target *target, const struct vkf *f, bool with_depth)
{
    *target = (struct corpus_target){.count = with_depth ? 2 : 1};
    VkResult result = create_attachment(target, f, COLOUR);
    if (result == VK_SUCCESS && with_depth)
        result = create_attachment(target, f, DEPTH);
    return result;
}

void corpus_target_destroy(struct corpus_target *target, const struct vkf *f)
{
    for (uint32_t i = 0; i < target->count; i++) {
        vkDestroyImageView(f->device, target->views[i], NULL);
        vkDestroyImage(f->device, target->images[i], NULL);
        vkFreeMemory(f->device, target->memories[i], NULL);
    }
    *target = (struct corpus_target){0};
}

static VkRenderPass create_pass(const struct corpus_target *t, const struct vkf *f)
{
    VkAttachmentDescription attachments[2] = {0};
    VkAttachmentReference references[2];
    for (uint32_t i = 0; i < t->count; i++) {
        attachments[i] = (VkAttachmentDescription){
            .format = formats[i],
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
            .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        };
        references[i] = (VkAttachmentReference){i, layouts[i]};
    }
    VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .colorAttachmentCount = 1,
        .pColorAttachments = references,
        .pDepthStencilAttachment = t->count > 1 ? &references[DEPTH] : NULL,
    };
    VkSubpassDependency after = {
        .srcSubpass = 0,
        .dstSubpass = VK_SUBPASS_EXTERNAL,
        .srcStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
        .srcAccessMask =
            VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
    };
    VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = t->count,
        .pAttachments = attachments,
        .subpassCount = 1,
        .pSubpasses = &subpass,
        .dependencyCount = 1,
        .pDependencies = &after,
    };
    VkRenderPass pass = VK_NULL_HANDLE;
    VKF_VK(vkCreateRenderPass(f->device, &info, NULL, &pass));
    return pass;
}

static void draw(const struct corpus_target *t, struct vkf *f)
{
    VkRenderPass pass = create_pass(t, f);
    VkFramebufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = pass,
        .attachmentCount = t->count,
        .pAttachments = t->views,
        .width = CORPUS_TARGET_SIDE,
        .height = CORPUS_TARGET_SIDE,
        .layers = 1,
    };
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    VKF_VK(vkCreateFramebuffer(f->device, &info, NULL, &framebuffer));
    VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = pass,
        .framebuffer = framebuffer,
        .renderArea = {{0, 0}, {CORPUS_TARGET_SIDE, CORPUS_TARGET_SIDE}},
        .clearValueCount = t->count,
        .pClearValues = clears,
    };
    VkCommandBuffer commands = vkf_commands_begin(f);
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(commands);
    vkf_commands_run(f);
    vkDestroyFramebuffer(f->device, framebuffer, NULL);
    vkDestroyRenderPass(f->device, pass, NULL);
}

static void check(const struct corpus_target *t, struct vkf *f, uint32_t which)
{
    VkBufferImageCopy region = {
        .imageSubresource = {aspects[which], 0, 0, 1},
        .imageExtent = {CORPUS_TARGET_SIDE, CORPUS_TARGET_SIDE, 1},
    };
    size_t count = (size_t)CORPUS_TARGET_SIDE * CORPUS_TARGET_SIDE;
    memset(vkf_staging(f), 0xa5, count * 4);
    vkCmdCopyImageToBuffer(vkf_commands_begin(f), t->images[which],
                           VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, f->staging.handle, 1, &region);
    vkf_commands_run(f);
    for (size_t i = 0; i < count; i++) {
        uint32_t texel;
        memcpy(&texel, vkf_staging(f) + i * 4, 4);
        if (texel != texels[which])
            vkf_exit_with(VKF_EXIT_CONTENT, __FILE__, __LINE__,
                          "texel %zu of attachment %u is %#x and should be %#x", i, which, texel,
                          texels[which]);
    }
}

void corpus_target_exercise(const struct corpus_target *target, struct vkf *f)
{
    draw(target, f);
    for (uint32_t i = 0; i < target->count; i++)
        check(target, f, i);
}
