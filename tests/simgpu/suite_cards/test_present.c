/* SPDX-License-Identifier: MIT
 *
 * Hashes of presented images, against hashes of what the program has painted; and a present that
 * waits for work of a device that is lost. In a window of an X server of its own, or on a headless
 * surface. */
#define VK_USE_PLATFORM_XCB_KHR
#include <xcb/xcb.h>

#include "cards.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 80, HEIGHT = 50, FRAMES = 3, MAX_IMAGES = 8 };

struct window {
    struct vkf f;
    xcb_connection_t *connection;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkExtent2D extent;
    VkImage images[MAX_IMAGES];
    VkSemaphore acquired, rendered;
    bool unready; /* presents in the layout that the copy left */
};

static pid_t server;

static void stop_server(void)
{
    if (server > 0) {
        kill(server, SIGTERM);
        waitpid(server, NULL, 0);
    }
}

/* An X server without a screen; the display it chose goes into DISPLAY. */
static void start_server(void)
{
    int ends[2];
    char number[16] = "", display[24];
    VKF_CHECK(pipe(ends) == 0, "no pipe");
    server = fork();
    VKF_CHECK(server >= 0, "cannot fork");
    if (server == 0) {
        char fd[16];
        snprintf(fd, sizeof(fd), "%d", ends[1]);
        close(ends[0]);
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* a test that crashes leaves no server behind */
        if (freopen("/dev/null", "w", stderr))
            execlp("Xvfb", "Xvfb", "-displayfd", fd, "-screen", "0", "320x200x24", "-nolisten",
                   "tcp", (char *)NULL);
        _exit(127);
    }
    atexit(stop_server);
    close(ends[1]);
    size_t length = 0;
    ssize_t n;
    while (length < sizeof(number) - 1 && !strchr(number, '\n') &&
           (n = read(ends[0], number + length, sizeof(number) - 1 - length)) > 0)
        length += (size_t)n;
    close(ends[0]);
    if (!strchr(number, '\n'))
        VKF_SKIP("no Xvfb here");
    snprintf(display, sizeof(display), ":%d", atoi(number));
    setenv("DISPLAY", display, 1);
}

static void open_window(struct window *w)
{
    w->connection = xcb_connect(NULL, NULL);
    VKF_CHECK(!xcb_connection_has_error(w->connection), "cannot connect to the X server");
    const xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(w->connection)).data;
    xcb_window_t window = xcb_generate_id(w->connection);
    xcb_create_window(w->connection, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, WIDTH,
                      HEIGHT, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
    xcb_map_window(w->connection, window);
    xcb_flush(w->connection);
    VkXcbSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
                                      .connection = w->connection,
                                      .window = window};
    VKF_VK(((PFN_vkCreateXcbSurfaceKHR)vkf_instance_proc(&w->f, "vkCreateXcbSurfaceKHR"))(
        w->f.instance, &info, NULL, &w->surface));
}

static void open_headless(struct window *w)
{
    VkHeadlessSurfaceCreateInfoEXT info = {.sType =
                                               VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VKF_VK(((PFN_vkCreateHeadlessSurfaceEXT)vkf_instance_proc(&w->f, "vkCreateHeadlessSurfaceEXT"))(
        w->f.instance, &info, NULL, &w->surface));
}

static void make_swapchain(struct window *w)
{
    VkSurfaceCapabilitiesKHR surface;
    VkBool32 presents = VK_FALSE;
    uint32_t count = MAX_IMAGES;
    VKF_VK(vkGetPhysicalDeviceSurfaceSupportKHR(w->f.gpu, w->f.main_family, w->surface, &presents));
    VKF_CHECK(presents, "the main family does not present");
    VKF_VK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(w->f.gpu, w->surface, &surface));
    w->extent = surface.currentExtent.width == UINT32_MAX ? (VkExtent2D){WIDTH, HEIGHT}
                                                          : surface.currentExtent;
    VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = w->surface,
        .minImageCount = surface.minImageCount > 2 ? surface.minImageCount : 2,
        .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
        .imageExtent = w->extent,
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        .preTransform = surface.currentTransform,
        .compositeAlpha = surface.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                              ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                              : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
    };
    VKF_VK(vkCreateSwapchainKHR(w->f.device, &info, NULL, &w->swapchain));
    VKF_VK(vkGetSwapchainImagesKHR(w->f.device, w->swapchain, &count, w->images));
    w->acquired = suite_binary(&w->f);
    w->rendered = suite_binary(&w->f);
}

static void begin(struct window *w, bool headless)
{
    static const char *const device[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    const char *instance[] = {VK_KHR_SURFACE_EXTENSION_NAME,
                              headless ? VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME
                                       : VK_KHR_XCB_SURFACE_EXTENSION_NAME};
    if (!headless)
        start_server();
    vkf_begin(&w->f, &(struct vkf_options){.instance_extensions = instance,
                                           .instance_extension_count = 2,
                                           .device_extensions = device,
                                           .device_extension_count = 1});
    if (headless)
        open_headless(w);
    else
        open_window(w);
    make_swapchain(w);
}

static uint8_t channel(uint32_t frame, uint32_t which)
{
    return (uint8_t)(37 * frame + 61 * which + 5);
}

/* The left half of a frame has its colour, the right half that of the next frame: so the order of
 * texels counts. A swapchain's image is cleared whole, and the right half comes out of a buffer. */
static void paint(struct window *w, VkImage image, uint32_t frame)
{
    VkClearColorValue colour;
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    uint32_t half = w->extent.width / 2;
    /* channels in the order of memory: B, G, R, A */
    for (uint32_t c = 0; c < 4; c++)
        colour.float32[c == 3 ? 3 : 2 - c] = (float)channel(frame, c) / 255.0f;
    uint8_t *bytes = vkf_staging(&w->f);
    for (size_t i = 0; i < (size_t)half * w->extent.height * 4; i++)
        bytes[i] = channel(frame + 1, i % 4);
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageOffset = {(int32_t)(w->extent.width - half), 0, 0},
                              .imageExtent = {half, w->extent.height, 1}};
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VKF_VK(vkBeginCommandBuffer(w->f.commands, &info));
    vkf_image_barrier(w->f.commands, image, VK_IMAGE_LAYOUT_UNDEFINED,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(w->f.commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1,
                         &all);
    vkf_image_barrier(w->f.commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(w->f.commands, w->f.staging.handle, image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    if (!w->unready)
        vkf_image_barrier(w->f.commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                          VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    VKF_VK(vkEndCommandBuffer(w->f.commands));
}

static uint64_t hash_of_frame(const struct window *w, uint32_t frame)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (uint32_t y = 0; y < w->extent.height; y++)
        for (uint32_t x = 0; x < w->extent.width; x++) {
            bool right = x >= w->extent.width - w->extent.width / 2;
            for (uint32_t c = 0; c < 4; c++)
                h = (h ^ channel(frame + right, c)) * UINT64_C(1099511628211);
        }
    return h;
}

/* What the present answered. */
static VkResult show(struct window *w, uint32_t frame)
{
    uint32_t index = 0;
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VKF_VK(vkAcquireNextImageKHR(w->f.device, w->swapchain, SUITE_STUCK_NS, w->acquired,
                                 VK_NULL_HANDLE, &index));
    paint(w, w->images[index], frame);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .waitSemaphoreCount = 1,
                           .pWaitSemaphores = &w->acquired,
                           .pWaitDstStageMask = &stage,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &w->f.commands,
                           .signalSemaphoreCount = 1,
                           .pSignalSemaphores = &w->rendered};
    VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                .waitSemaphoreCount = 1,
                                .pWaitSemaphores = &w->rendered,
                                .swapchainCount = 1,
                                .pSwapchains = &w->swapchain,
                                .pImageIndices = &index};
    VKF_VK(vkQueueSubmit(w->f.queue, 1, &submit, VK_NULL_HANDLE));
    VkResult result = vkQueuePresentKHR(w->f.queue, &present);
    if (result == VK_SUCCESS)
        VKF_VK(vkQueueWaitIdle(w->f.queue));
    return result;
}

static void end(struct window *w)
{
    vkDestroySemaphore(w->f.device, w->acquired, NULL);
    vkDestroySemaphore(w->f.device, w->rendered, NULL);
    vkDestroySwapchainKHR(w->f.device, w->swapchain, NULL);
}

int main(int argc, char **argv)
{
    struct window w = {0};
    const char *path = getenv("SIMGPU_PRESENT_HASHES");
    bool headless = argc == 3 && strcmp(argv[1], "headless") == 0;
    bool lost = argc == 3 && strcmp(argv[2], "lost") == 0;
    char expected[1024];
    size_t n = 0;
    VKF_CHECK(argc == 3 && path, "usage: test_present headless|window hashes|lost|unready");
    unlink(path);
    w.unready = argc == 3 && strcmp(argv[2], "unready") == 0;
    begin(&w, headless);
    VKF_CHECK((VkDeviceSize)w.extent.width * w.extent.height * 4 <= VKF_STAGING_BYTES, "too large");
    for (uint32_t frame = 1; frame <= FRAMES; frame++) {
        VKF_VK(show(&w, frame));
        n += (size_t)snprintf(expected + n, sizeof(expected) - n,
                              "swapchain 1 frame %u %ux%u B8G8R8A8_UNORM %016llx\n", frame,
                              w.extent.width, w.extent.height,
                              (unsigned long long)hash_of_frame(&w, frame));
    }
    if (lost) {
        /* SIMGPU_LOST=4:late: the present waits for a submit that never ends. */
        uint32_t index;
        VkResult result = show(&w, FRAMES + 1);
        VKF_CHECK(result == VK_ERROR_DEVICE_LOST, "the present: %s", vkf_result_name(result));
        result = vkAcquireNextImageKHR(w.f.device, w.swapchain, UINT64_MAX, w.acquired,
                                       VK_NULL_HANDLE, &index);
        VKF_CHECK(result == VK_ERROR_DEVICE_LOST, "the acquire: %s", vkf_result_name(result));
    }
    VKF_CHECK(strcmp(cards_read(path), expected) == 0, "the hashes are\n%s, not\n%s",
              cards_read(path), expected);
    end(&w);
    unlink(path);
    if (lost)
        return 0; /* the fixture would wait for the device */
    VkSurfaceKHR surface = w.surface;
    vkDestroySurfaceKHR(w.f.instance, surface, NULL);
    vkf_end(&w.f);
    if (w.connection)
        xcb_disconnect(w.connection);
    return 0;
}
