/* SPDX-License-Identifier: MIT
 *
 * Attachments, of render passes and of dynamic rendering: views, framebuffers and render passes are
 * kept so that a command buffer can note which subresources change from which layout to which
 * (layouts.h). A render pass takes its attachments from their initial to their final layouts; what
 * they are in between is the render pass's own affair. */
#include "layouts.h"
#include "record.h"

#include <stdlib.h>

struct framebuffer {
    uint32_t count; /* 0 where it is imageless */
    VkImageView views[];
};

/* Depth (or color) and stencil of an attachment. */
struct attachment {
    VkImageLayout initial[2], final[2];
};

struct pass {
    uint32_t count;
    struct attachment attachments[];
};

/* --- views */

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateImageView(VkDevice handle,
                                                   const VkImageViewCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkImageView *out)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = device->vk.CreateImageView(handle, info, allocator, out);
    struct sim_view *view = result == VK_SUCCESS ? malloc(sizeof(*view)) : NULL;
    if (view == NULL)
        return result;
    view->image = info->image;
    view->range = info->subresourceRange;
    if (sim_map_insert(&device->views, SIM_KEY(*out), view) != 0)
        free(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyImageView(VkDevice handle, VkImageView view,
                                                const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    free(sim_map_remove(&device->views, SIM_KEY(view)));
    device->vk.DestroyImageView(handle, view, allocator);
}

/* --- framebuffers */

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateFramebuffer(VkDevice handle,
                                                     const VkFramebufferCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkFramebuffer *out)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = device->vk.CreateFramebuffer(handle, info, allocator, out);
    uint32_t count = info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT ? 0 : info->attachmentCount;
    struct framebuffer *f =
        result == VK_SUCCESS ? malloc(sizeof(*f) + count * sizeof(f->views[0])) : NULL;
    if (f == NULL)
        return result;
    f->count = count;
    for (uint32_t i = 0; i < count; i++)
        f->views[i] = info->pAttachments[i];
    if (sim_map_insert(&device->framebuffers, SIM_KEY(*out), f) != 0)
        free(f);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyFramebuffer(VkDevice handle, VkFramebuffer framebuffer,
                                                  const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    free(sim_map_remove(&device->framebuffers, SIM_KEY(framebuffer)));
    device->vk.DestroyFramebuffer(handle, framebuffer, allocator);
}

/* --- render passes */

static struct pass *create_pass(uint32_t count)
{
    struct pass *p = malloc(sizeof(*p) + count * sizeof(p->attachments[0]));
    if (p != NULL)
        p->count = count;
    return p;
}

static void keep_pass(struct sim_device *device, VkRenderPass handle, struct pass *pass)
{
    if (sim_map_insert(&device->passes, SIM_KEY(handle), pass) != 0)
        free(pass);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateRenderPass(VkDevice handle,
                                                    const VkRenderPassCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkRenderPass *out)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = device->vk.CreateRenderPass(handle, info, allocator, out);
    struct pass *p = result == VK_SUCCESS ? create_pass(info->attachmentCount) : NULL;
    if (p == NULL)
        return result;
    for (uint32_t i = 0; i < p->count; i++) {
        VkImageLayout initial = info->pAttachments[i].initialLayout;
        VkImageLayout final = info->pAttachments[i].finalLayout;
        p->attachments[i] = (struct attachment){{initial, initial}, {final, final}};
    }
    keep_pass(device, *out, p);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateRenderPass2(VkDevice handle,
                                                     const VkRenderPassCreateInfo2 *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkRenderPass *out)
{
    struct sim_device *device = sim_device_find(handle);
    VkResult result = device->vk.CreateRenderPass2(handle, info, allocator, out);
    struct pass *p = result == VK_SUCCESS ? create_pass(info->attachmentCount) : NULL;
    if (p == NULL)
        return result;
    for (uint32_t i = 0; i < p->count; i++) {
        const VkAttachmentDescription2 *a = &info->pAttachments[i];
        const VkAttachmentDescriptionStencilLayout *stencil =
            sim_chain_find(a->pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);
        p->attachments[i] = (struct attachment){
            {a->initialLayout, stencil != NULL ? stencil->stencilInitialLayout : a->initialLayout},
            {a->finalLayout, stencil != NULL ? stencil->stencilFinalLayout : a->finalLayout}};
    }
    keep_pass(device, *out, p);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroyRenderPass(VkDevice handle, VkRenderPass pass,
                                                 const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    free(sim_map_remove(&device->passes, SIM_KEY(pass)));
    device->vk.DestroyRenderPass(handle, pass, allocator);
}

/* --- commands */

/* A step of the aspects among `aspects` that the view's image has: a view's own aspects do not
 * count for an attachment. */
static void add_attachment(struct sim_commands *c, struct sim_layout_step step, VkImageView handle,
                           VkImageAspectFlags aspects)
{
    const struct sim_view *view = sim_map_find(&c->device->views, SIM_KEY(handle));
    if (view == NULL)
        return;
    step.image = view->image;
    step.range = view->range;
    step.range.aspectMask = sim_layouts_aspects(c->device, view->image) & aspects;
    step.src_family = step.dst_family = VK_QUEUE_FAMILY_IGNORED;
    if (step.range.aspectMask != 0)
        sim_layout_steps_add(&c->layouts, &step);
}

static void begin_pass(struct sim_commands *c, const VkRenderPassBeginInfo *info)
{
    static const VkImageAspectFlags parts[] = {
        VK_IMAGE_ASPECT_COLOR_BIT | VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT};
    const struct pass *pass = sim_map_find(&c->device->passes, SIM_KEY(info->renderPass));
    const struct framebuffer *f =
        sim_map_find(&c->device->framebuffers, SIM_KEY(info->framebuffer));
    const VkRenderPassAttachmentBeginInfo *imageless =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
    if (pass == NULL || f == NULL)
        return;
    bool given = imageless != NULL && imageless->attachmentCount > 0;
    uint32_t count = given ? imageless->attachmentCount : f->count;
    const VkImageView *views = given ? imageless->pAttachments : f->views;
    for (uint32_t i = 0; i < count && i < pass->count; i++) {
        for (uint32_t part = 0; part < 2; part++) {
            struct sim_layout_step step = {.command = "vkCmdBeginRenderPass",
                                           .transition = true,
                                           .from = pass->attachments[i].initial[part],
                                           .to = pass->attachments[i].final[part]};
            add_attachment(c, step, views[i], parts[part]);
        }
    }
}

VKAPI_ATTR void VKAPI_CALL sim_CmdBeginRenderPass(VkCommandBuffer handle,
                                                  const VkRenderPassBeginInfo *info,
                                                  VkSubpassContents contents)
{
    struct sim_commands *c = sim_commands_find(handle);
    begin_pass(c, info);
    c->device->vk.CmdBeginRenderPass(handle, info, contents);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdBeginRenderPass2(VkCommandBuffer handle,
                                                   const VkRenderPassBeginInfo *info,
                                                   const VkSubpassBeginInfo *begin)
{
    struct sim_commands *c = sim_commands_find(handle);
    begin_pass(c, info);
    c->device->vk.CmdBeginRenderPass2(handle, info, begin);
}

static void add_rendering(struct sim_commands *c, const VkRenderingAttachmentInfo *a,
                          VkImageAspectFlags aspect)
{
    struct sim_layout_step step = {.command = "vkCmdBeginRendering"};
    if (a == NULL || a->imageView == VK_NULL_HANDLE)
        return;
    step.from = step.to = a->imageLayout;
    add_attachment(c, step, a->imageView, aspect);
    step.from = step.to = a->resolveImageLayout;
    if (a->resolveMode != VK_RESOLVE_MODE_NONE)
        add_attachment(c, step, a->resolveImageView, aspect);
}

VKAPI_ATTR void VKAPI_CALL sim_CmdBeginRendering(VkCommandBuffer handle,
                                                 const VkRenderingInfo *info)
{
    struct sim_commands *c = sim_commands_find(handle);
    for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
        add_rendering(c, &info->pColorAttachments[i], VK_IMAGE_ASPECT_COLOR_BIT);
    add_rendering(c, info->pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT);
    add_rendering(c, info->pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT);
    c->device->vk.CmdBeginRendering(handle, info);
}
