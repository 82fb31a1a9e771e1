/* SPDX-License-Identifier: MIT
 *
 * Mistakes with image layouts and queue families, which a software driver does not notice: each has
 * to be counted once (the set-up checks the counter) and told with the right words; and programs
 * without mistakes have to be left alone. One case a process. */
#include "../suite/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNDEFINED VK_IMAGE_LAYOUT_UNDEFINED
#define GENERAL   VK_IMAGE_LAYOUT_GENERAL
#define SRC       VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
#define DST       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
#define COLOR     VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL

enum { SIZE = 32, MIPS = 2, TRANSFER = 2 /* the family of the default card that only copies */ };

struct scene {
    struct vkf f;
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view; /* of mip 0 */
    struct suite_mapped io;
    VkCommandPool transfer_pool;
    VkCommandBuffer transfer; /* for the family TRANSFER */
};

static const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS,
                                              0, VK_REMAINING_ARRAY_LAYERS};

/* An image with all the usages that its format allows. */
static void make_image(struct scene *s, VkFormat format, VkImageUsageFlags attachment,
                       VkSharingMode sharing)
{
    static const uint32_t families[] = {0, TRANSFER};
    bool concurrent = sharing == VK_SHARING_MODE_CONCURRENT;
    VkMemoryRequirements needs;
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {SIZE, SIZE, 1},
        .mipLevels = MIPS,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = attachment | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .sharingMode = sharing,
        .queueFamilyIndexCount = concurrent ? 2 : 0,
        .pQueueFamilyIndices = concurrent ? families : NULL,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {attachment & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                 ? VK_IMAGE_ASPECT_COLOR_BIT
                                 : VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT,
                             0, 1, 0, 1},
    };
    VKF_VK(vkCreateImage(s->f.device, &info, NULL, &s->image));
    vkGetImageMemoryRequirements(s->f.device, s->image, &needs);
    s->memory = vkf_allocate(&s->f, needs.size, suite_vram_type(&s->f, needs.memoryTypeBits));
    VKF_VK(vkBindImageMemory(s->f.device, s->image, s->memory, 0));
    view.image = s->image;
    VKF_VK(vkCreateImageView(s->f.device, &view, NULL, &s->view));
}

static void begin(struct scene *s, VkSharingMode sharing)
{
    suite_begin(&s->f);
    s->io = suite_mapped_create(&s->f, SIZE * SIZE * 8, 0);
    s->transfer_pool = suite_pool(&s->f, TRANSFER);
    make_image(s, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, sharing);
}

static void destroy_image(struct scene *s)
{
    vkDestroyImageView(s->f.device, s->view, NULL);
    vkDestroyImage(s->f.device, s->image, NULL);
    vkf_free(&s->f, s->memory);
}

static void end(struct scene *s)
{
    VKF_VK(vkDeviceWaitIdle(s->f.device));
    destroy_image(s);
    suite_mapped_destroy(&s->f, &s->io);
    vkDestroyCommandPool(s->f.device, s->transfer_pool, NULL);
    vkf_end(&s->f);
}

static void barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    vkf_image_barrier(commands, image, from, to);
}

static void upload(struct scene *s, VkCommandBuffer commands, uint32_t mip, VkImageLayout layout)
{
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1},
                              .imageExtent = {SIZE >> mip, SIZE >> mip, 1}};
    vkCmdCopyBufferToImage(commands, s->io.buffer.handle, s->image, layout, 1, &copy);
}

static void download(struct scene *s, VkCommandBuffer commands, VkImageLayout layout)
{
    VkBufferImageCopy copy = {.bufferOffset = SIZE * SIZE * 4,
                              .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {SIZE, SIZE, 1}};
    vkCmdCopyImageToBuffer(commands, s->image, layout, s->io.buffer.handle, 1, &copy);
}

/* One half of a transfer from the main family to TRANSFER. */
static void half(struct scene *s, VkCommandBuffer commands, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier b = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = s->f.main_family,
        .dstQueueFamilyIndex = TRANSFER,
        .image = s->image,
        .subresourceRange = whole,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

static VkCommandBuffer transfer_begin(struct scene *s)
{
    return s->transfer = suite_commands_begin(&s->f, s->transfer_pool);
}

static void transfer_run(struct scene *s)
{
    struct suite_batch batch = {.commands = s->transfer};
    suite_commands_end(s->transfer);
    suite_submit(s->f.queues[TRANSFER][0], &batch, s->f.fence);
    suite_fence_must(&s->f, s->f.fence);
    VKF_VK(vkResetFences(s->f.device, 1, &s->f.fence));
}

/* --- without mistakes */

static void right_copies(struct scene *s)
{
    begin(s, VK_SHARING_MODE_EXCLUSIVE);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        s->io.words[i] = suite_word(5, i);
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    barrier(c, s->image, UNDEFINED, DST);
    upload(s, c, 0, DST);
    upload(s, c, 1, DST);
    barrier(c, s->image, DST, SRC);
    download(s, c, SRC);
    barrier(c, s->image, SRC, GENERAL);
    vkf_commands_run(&s->f);
    VKF_CHECK(memcmp(s->io.words, s->io.words + SIZE * SIZE, SIZE * SIZE * 4) == 0,
              "another content than was uploaded");
    /* the content may go at any time */
    c = vkf_commands_begin(&s->f);
    barrier(c, s->image, UNDEFINED, DST);
    vkf_commands_run(&s->f);
}

static void right_transfer(struct scene *s)
{
    begin(s, VK_SHARING_MODE_EXCLUSIVE);
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    barrier(c, s->image, UNDEFINED, DST);
    upload(s, c, 0, DST);
    half(s, c, DST, SRC);
    vkf_commands_run(&s->f);
    c = transfer_begin(s);
    half(s, c, DST, SRC);
    download(s, c, SRC);
    transfer_run(s);
    /* and back without its content, which needs no transfer */
    c = vkf_commands_begin(&s->f);
    barrier(c, s->image, UNDEFINED, DST);
    upload(s, c, 0, DST);
    vkf_commands_run(&s->f);
}

static void right_concurrent(struct scene *s)
{
    begin(s, VK_SHARING_MODE_CONCURRENT);
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    barrier(c, s->image, UNDEFINED, GENERAL);
    upload(s, c, 0, GENERAL);
    vkf_commands_run(&s->f);
    download(s, transfer_begin(s), GENERAL);
    transfer_run(s);
}

static void run_pass(struct scene *s, VkImageLayout initial, VkImageLayout final)
{
    VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                          .initialLayout = initial,
                                          .finalLayout = final};
    VkAttachmentReference reference = {0, COLOR};
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachments = &reference};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = &attachment,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass};
    VkClearValue clear = {.color = {.float32 = {0, 0, 0, 0}}};
    VkRenderPassBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderArea = {.extent = {SIZE, SIZE}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    VKF_VK(vkCreateRenderPass(s->f.device, &info, NULL, &begin_info.renderPass));
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = begin_info.renderPass,
                                           .attachmentCount = 1,
                                           .pAttachments = &s->view,
                                           .width = SIZE,
                                           .height = SIZE,
                                           .layers = 1};
    VKF_VK(vkCreateFramebuffer(s->f.device, &framebuffer, NULL, &begin_info.framebuffer));
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    vkCmdBeginRenderPass(c, &begin_info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(c);
    download(s, c, final);
    vkf_commands_run(&s->f);
    vkDestroyFramebuffer(s->f.device, begin_info.framebuffer, NULL);
    vkDestroyRenderPass(s->f.device, begin_info.renderPass, NULL);
}

static void right_pass(struct scene *s)
{
    begin(s, VK_SHARING_MODE_EXCLUSIVE);
    run_pass(s, UNDEFINED, SRC);
    run_pass(s, SRC, GENERAL);
    run_pass(s, UNDEFINED, GENERAL);
}

static void run_rendering(struct scene *s, VkImageLayout layout)
{
    VkRenderingAttachmentInfo attachment = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                            .imageView = s->view,
                                            .imageLayout = layout,
                                            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .renderArea = {.extent = {SIZE, SIZE}},
                            .layerCount = 1,
                            .colorAttachmentCount = 1,
                            .pColorAttachments = &attachment};
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    vkCmdBeginRendering(c, &info);
    vkCmdEndRendering(c);
    vkf_commands_run(&s->f);
}

static void first_barrier(struct scene *s, VkImageLayout to)
{
    begin(s, VK_SHARING_MODE_EXCLUSIVE);
    barrier(vkf_commands_begin(&s->f), s->image, UNDEFINED, to);
    vkf_commands_run(&s->f);
}

/* A general name for the same layout. */
static void right_rendering(struct scene *s)
{
    first_barrier(s, COLOR);
    run_rendering(s, COLOR);
    run_rendering(s, VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL);
}

/* --- wrong layouts */

static void wrong_old(struct scene *s)
{
    first_barrier(s, GENERAL);
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    barrier(c, s->image, DST, SRC);
    download(s, c, SRC); /* right: once told, the mistake is not repeated */
    vkf_commands_run(&s->f);
}

static void barrier2(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to,
                     VkEvent event)
{
    VkImageMemoryBarrier2 b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                               .srcStageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT,
                               .dstStageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT,
                               .oldLayout = from,
                               .newLayout = to,
                               .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                               .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                               .image = image,
                               .subresourceRange = whole};
    VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                             .imageMemoryBarrierCount = 1,
                             .pImageMemoryBarriers = &b};
    if (event == VK_NULL_HANDLE) {
        vkCmdPipelineBarrier2(commands, &info);
        return;
    }
    vkCmdSetEvent2(commands, event, &info);
    vkCmdWaitEvents2(commands, 1, &event, &info);
}

static void wrong_old2(struct scene *s)
{
    first_barrier(s, GENERAL);
    barrier2(vkf_commands_begin(&s->f), s->image, SRC, DST, VK_NULL_HANDLE);
    vkf_commands_run(&s->f);
}

/* The event's barrier happens once, and is right; the same again is not. */
static void wrong_event(struct scene *s)
{
    VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    first_barrier(s, GENERAL);
    VKF_VK(vkCreateEvent(s->f.device, &info, NULL, &event));
    for (int i = 0; i < 2; i++) {
        barrier2(vkf_commands_begin(&s->f), s->image, GENERAL, DST, event);
        vkf_commands_run(&s->f);
        VKF_VK(vkResetEvent(s->f.device, event));
    }
    vkDestroyEvent(s->f.device, event, NULL);
}

static void wrong_mip(struct scene *s)
{
    VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                              .oldLayout = DST,
                              .newLayout = SRC,
                              .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                              .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                              .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    first_barrier(s, DST);
    b.image = s->image;
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         0, 0, NULL, 0, NULL, 1, &b);
    upload(s, c, 1, DST);
    barrier(c, s->image, SRC, GENERAL);
    vkf_commands_run(&s->f);
}

static void wrong_copy(struct scene *s)
{
    first_barrier(s, SRC);
    upload(s, vkf_commands_begin(&s->f), 0, DST);
    vkf_commands_run(&s->f);
}

static void no_transition(struct scene *s)
{
    begin(s, VK_SHARING_MODE_EXCLUSIVE);
    upload(s, vkf_commands_begin(&s->f), 0, GENERAL);
    vkf_commands_run(&s->f);
}

static void wrong_clear(struct scene *s)
{
    first_barrier(s, GENERAL);
    vkCmdClearColorImage(vkf_commands_begin(&s->f), s->image, DST,
                         &(VkClearColorValue){.float32 = {0, 0, 0, 0}}, 1, &whole);
    vkf_commands_run(&s->f);
}

static void wrong_pass(struct scene *s)
{
    first_barrier(s, DST);
    run_pass(s, COLOR, SRC);
}

static void wrong_rendering(struct scene *s)
{
    first_barrier(s, DST);
    run_rendering(s, COLOR);
}

/* The second run finds what the first one left. */
static void wrong_again(struct scene *s)
{
    first_barrier(s, DST);
    VkCommandBuffer c = transfer_begin(s);
    barrier2(c, s->image, DST, SRC, VK_NULL_HANDLE);
    suite_commands_end(c);
    for (int i = 0; i < 2; i++) {
        struct suite_batch batch = {.commands = c};
        suite_submit2(s->f.queues[TRANSFER][0], &batch, s->f.fence);
        suite_fence_must(&s->f, s->f.fence);
        VKF_VK(vkResetFences(s->f.device, 1, &s->f.fence));
    }
}

static void wrong_secondary(struct scene *s)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                        .commandBufferCount = 1};
    VkCommandBufferInheritanceInfo inherits = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo start = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .pInheritanceInfo = &inherits};
    VkCommandBuffer secondary;
    first_barrier(s, GENERAL);
    info.commandPool = s->f.pool;
    VKF_VK(vkAllocateCommandBuffers(s->f.device, &info, &secondary));
    VKF_VK(vkBeginCommandBuffer(secondary, &start));
    barrier(secondary, s->image, SRC, DST);
    suite_commands_end(secondary);
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    vkCmdExecuteCommands(c, 1, &secondary);
    upload(s, c, 0, DST);
    vkf_commands_run(&s->f);
}

/* Only the depth is brought into the layout. */
static void wrong_stencil(struct scene *s)
{
    static const VkFormat formats[] = {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT};
    VkFormatProperties has;
    begin(s, VK_SHARING_MODE_EXCLUSIVE);
    vkGetPhysicalDeviceFormatProperties(s->f.gpu, formats[0], &has);
    bool first = has.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
    destroy_image(s);
    make_image(s, formats[first ? 0 : 1], VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
               VK_SHARING_MODE_EXCLUSIVE);
    VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                              .newLayout = DST,
                              .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                              .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                              .image = s->image,
                              .subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 2, 0, 1}};
    VkImageSubresourceRange both = {VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1,
                                    0, 1};
    VkCommandBuffer c = vkf_commands_begin(&s->f);
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         0, 0, NULL, 0, NULL, 1, &b);
    vkCmdClearDepthStencilImage(c, s->image, DST, &(VkClearDepthStencilValue){0}, 1, &both);
    vkf_commands_run(&s->f);
}

/* --- wrong families */

static void no_transfer(struct scene *s)
{
    first_barrier(s, SRC);
    download(s, transfer_begin(s), SRC);
    transfer_run(s);
}

static void no_acquire(struct scene *s)
{
    first_barrier(s, SRC);
    half(s, vkf_commands_begin(&s->f), SRC, SRC);
    vkf_commands_run(&s->f);
    download(s, transfer_begin(s), SRC);
    transfer_run(s);
}

static void no_release(struct scene *s)
{
    first_barrier(s, SRC);
    VkCommandBuffer c = transfer_begin(s);
    half(s, c, SRC, SRC);
    download(s, c, SRC);
    transfer_run(s);
}

static void wrong_acquire(struct scene *s)
{
    first_barrier(s, DST);
    half(s, vkf_commands_begin(&s->f), DST, SRC);
    vkf_commands_run(&s->f);
    half(s, transfer_begin(s), DST, GENERAL);
    transfer_run(s);
}

/* SIMGPU_STRICT=abort ends the process at the mistake. */
static void strict(struct scene *s)
{
    int status;
    pid_t child = fork();
    VKF_CHECK(child >= 0, "no process");
    if (child == 0) {
        VKF_CHECK(setenv("SIMGPU_STRICT", "abort", 1) == 0, "no memory");
        wrong_copy(s);
        _exit(0);
    }
    VKF_CHECK(waitpid(child, &status, 0) == child, "lost the process");
    VKF_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "it went on");
}

static const struct {
    const char *name;
    void (*run)(struct scene *s);
    const char *words; /* that the log has to have; NULL: no mistake */
} cases[] = {
    {"right_copies", right_copies, NULL},
    {"right_transfer", right_transfer, NULL},
    {"right_concurrent", right_concurrent, NULL},
    {"right_pass", right_pass, NULL},
    {"right_rendering", right_rendering, NULL},
    {"wrong_old", wrong_old,
     "color, mip 0, layer 0: expected TRANSFER_DST_OPTIMAL, found GENERAL\n"},
    {"wrong_old2", wrong_old2, "expected TRANSFER_SRC_OPTIMAL, found GENERAL\n"},
    {"wrong_event", wrong_event, "expected GENERAL, found TRANSFER_DST_OPTIMAL\n"},
    {"wrong_mip", wrong_mip,
     "color, mip 1, layer 0: expected TRANSFER_SRC_OPTIMAL, found TRANSFER_DST_OPTIMAL\n"},
    {"wrong_copy", wrong_copy,
     "color, mip 0, layer 0: expected TRANSFER_DST_OPTIMAL, found TRANSFER_SRC_OPTIMAL\n"},
    {"no_transition", no_transition, "expected GENERAL, found UNDEFINED\n"},
    {"wrong_clear", wrong_clear, "expected TRANSFER_DST_OPTIMAL, found GENERAL\n"},
    {"wrong_pass", wrong_pass, "expected ATTACHMENT_OPTIMAL, found TRANSFER_DST_OPTIMAL\n"},
    {"wrong_rendering", wrong_rendering,
     "expected ATTACHMENT_OPTIMAL, found TRANSFER_DST_OPTIMAL\n"},
    {"wrong_again", wrong_again, "expected TRANSFER_DST_OPTIMAL, found TRANSFER_SRC_OPTIMAL\n"},
    {"wrong_secondary", wrong_secondary, "expected TRANSFER_SRC_OPTIMAL, found GENERAL\n"},
    {"wrong_stencil", wrong_stencil,
     "stencil, mip 0, layer 0: expected TRANSFER_DST_OPTIMAL, found UNDEFINED\n"},
    {"no_transfer", no_transfer, "owned by family 0, used by family 2\n"},
    {"no_acquire", no_acquire, "released to family 2 and not acquired, used by family 2\n"},
    {"no_release", no_release, "acquired from family 0 by family 2 without a release\n"},
    {"wrong_acquire", wrong_acquire,
     "acquired for GENERAL, but released for TRANSFER_SRC_OPTIMAL\n"},
    {"strict", strict, "expected TRANSFER_DST_OPTIMAL, found TRANSFER_SRC_OPTIMAL\n"},
};

static void check_log(const char *path, const char *words)
{
    static char text[65536];
    FILE *f = fopen(path, "r");
    VKF_CHECK(f != NULL, "no log");
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    if (words == NULL)
        VKF_CHECK(strstr(text, "LAYOUT FAULT") == NULL, "a mistake that is none:\n%s", text);
    else
        VKF_CHECK(strstr(text, "LAYOUT FAULT") != NULL && strstr(text, words) != NULL,
                  "the log does not say '%s', but:\n%s", words, text);
}

int main(int argc, char **argv)
{
    const char *path = getenv("SIMGPU_LOG");
    struct scene s = {0};
    size_t i = 0;
    while (i < sizeof(cases) / sizeof(cases[0]) &&
           (argc != 2 || strcmp(cases[i].name, argv[1]) != 0))
        i++;
    if (i == sizeof(cases) / sizeof(cases[0]) || path == NULL) {
        fprintf(stderr, "usage: SIMGPU_LOG=FILE test_layouts CASE\n");
        return VKF_EXIT_USAGE;
    }
    FILE *f = fopen(path, "w"); /* of an earlier run */
    VKF_CHECK(f != NULL, "cannot write the log");
    fclose(f);
    cases[i].run(&s);
    if (s.f.device != VK_NULL_HANDLE)
        end(&s);
    check_log(path, cases[i].words);
    return VKF_EXIT_OK;
}
