/* SPDX-License-Identifier: MIT
 *
 * The state of images, and what is compared with it: see layouts.h. One lock over all of it, a
 * leaf. */
#include "layouts.h"

#include "bound.h"
#include "queue.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY VK_QUEUE_FAMILY_IGNORED

/* Layouts are kept as layout_of() makes them, so that names of the same thing are equal. */
struct subresource {
    VkImageLayout layout;
    uint32_t owner;         /* NOBODY: not used yet */
    uint32_t released_to;   /* NOBODY: not between a release and its acquire */
    VkImageLayout released; /* the layout that the release said it would be in */
};

struct sim_layouts {
    VkImage image;
    VkImageAspectFlags aspects;
    uint32_t planes; /* 2: depth and stencil apart */
    uint32_t mips, layers;
    bool exclusive;
    struct subresource subresources[]; /* by plane, mip, layer */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *layout_name(VkImageLayout layout)
{
    static const struct {
        VkImageLayout layout;
        const char *name;
    } names[] = {
        {VK_IMAGE_LAYOUT_UNDEFINED, "UNDEFINED"},
        {VK_IMAGE_LAYOUT_PREINITIALIZED, "PREINITIALIZED"},
        {VK_IMAGE_LAYOUT_GENERAL, "GENERAL"},
        {VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL, "ATTACHMENT_OPTIMAL"},
        {VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL, "READ_ONLY_OPTIMAL"},
        {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, "SHADER_READ_ONLY_OPTIMAL"},
        {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, "TRANSFER_SRC_OPTIMAL"},
        {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, "TRANSFER_DST_OPTIMAL"},
        {VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, "PRESENT_SRC_KHR"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].layout == layout)
            return names[i].name;
    }
    return "another layout";
}

/* Vulkan 1.3, 12.4: image layout matching rules. The combined layouts of depth and stencil say
 * something of each aspect, and the general names stand for those of the aspect. */
static VkImageLayout layout_of(VkImageLayout layout, VkImageAspectFlags aspect)
{
    bool depth = aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
    switch ((int)layout) {
    case VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL:
        return VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
        return VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
        return depth ? VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
        return depth ? VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
        return aspect == VK_IMAGE_ASPECT_COLOR_BIT ? VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL : layout;
    default:
        return layout;
    }
}

static VkImageAspectFlags format_aspects(VkFormat format)
{
    switch ((int)format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
        return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
        return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
        return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
        return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

static VkImageAspectFlags plane_aspect(const struct sim_layouts *image, uint32_t plane)
{
    if (image->planes == 1)
        return image->aspects;
    return plane == 0 ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_STENCIL_BIT;
}

/* --- images */

void sim_layouts_add(struct sim_device *device, VkImage image, const VkImageCreateInfo *info,
                     bool swapchain)
{
    /* The planes of a disjoint image may be in different layouts, and images that alias each other
     * on purpose may share theirs (Vulkan 1.3, 12.8): not followed. */
    const VkImageSwapchainCreateInfoKHR *alias =
        sim_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
    if (alias != NULL)
        sim_layouts_forget_swapchain(device, alias->swapchain);
    if (alias != NULL || (info->flags & (VK_IMAGE_CREATE_DISJOINT_BIT | VK_IMAGE_CREATE_ALIAS_BIT)))
        return;
    VkImageAspectFlags aspects = format_aspects(info->format);
    uint32_t planes = aspects == (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT) ? 2 : 1;
    size_t count = (size_t)planes * info->mipLevels * info->arrayLayers;
    struct sim_layouts *l = calloc(1, sizeof(*l) + count * sizeof(l->subresources[0]));
    if (l == NULL)
        return;
    l->image = image;
    l->aspects = aspects;
    l->planes = planes;
    l->mips = info->mipLevels;
    l->layers = info->arrayLayers;
    l->exclusive = !swapchain && info->sharingMode == VK_SHARING_MODE_EXCLUSIVE;
    for (size_t i = 0; i < count; i++)
        l->subresources[i] = (struct subresource){
            .layout = info->initialLayout, .owner = NOBODY, .released_to = NOBODY};
    if (sim_map_insert(&device->layouts, SIM_KEY(image), l) != 0)
        free(l);
}

void sim_layouts_forget(struct sim_device *device, VkImage image)
{
    pthread_mutex_lock(&lock);
    free(sim_map_remove(&device->layouts, SIM_KEY(image)));
    pthread_mutex_unlock(&lock);
}

/* NULL: not known. The caller frees them. */
static VkImage *swapchain_images(struct sim_device *device, VkSwapchainKHR swapchain,
                                 uint32_t *count)
{
    const struct sim_device_table *vk = &device->vk;
    *count = 0;
    if (vk->GetSwapchainImagesKHR(device->handle, swapchain, count, NULL) != VK_SUCCESS)
        return NULL;
    VkImage *images = calloc(*count > 0 ? *count : 1, sizeof(VkImage));
    if (images != NULL &&
        vk->GetSwapchainImagesKHR(device->handle, swapchain, count, images) == VK_SUCCESS)
        return images;
    free(images);
    return NULL;
}

void sim_layouts_add_swapchain(struct sim_device *device, VkSwapchainKHR swapchain,
                               const VkSwapchainCreateInfoKHR *info)
{
    VkImageCreateInfo image = {.format = info->imageFormat,
                               .mipLevels = 1,
                               .arrayLayers = info->imageArrayLayers,
                               .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
    uint32_t count;
    VkImage *images = swapchain_images(device, swapchain, &count);
    for (uint32_t i = 0; images != NULL && i < count; i++)
        sim_layouts_add(device, images[i], &image, true);
    free(images);
}

void sim_layouts_forget_swapchain(struct sim_device *device, VkSwapchainKHR swapchain)
{
    uint32_t count;
    VkImage *images =
        swapchain != VK_NULL_HANDLE ? swapchain_images(device, swapchain, &count) : NULL;
    for (uint32_t i = 0; images != NULL && i < count; i++)
        sim_layouts_forget(device, images[i]);
    free(images);
}

static void free_value(void *value, void *user)
{
    (void)user;
    free(value);
}

void sim_layouts_finish(struct sim_device *device)
{
    struct sim_map *const maps[] = {&device->layouts, &device->views, &device->framebuffers,
                                    &device->passes};
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        sim_map_for_each(maps[i], free_value, NULL);
        sim_map_finish(maps[i]);
    }
}

VkImageAspectFlags sim_layouts_aspects(struct sim_device *device, VkImage image)
{
    const struct sim_layouts *l = sim_map_find(&device->layouts, SIM_KEY(image));
    return l != NULL ? l->aspects : 0;
}

/* --- steps */

void sim_layout_steps_add(struct sim_layout_steps *s, const struct sim_layout_step *step)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity > 0 ? 2 * s->capacity : 8;
        struct sim_layout_step *bigger = realloc(s->steps, capacity * sizeof(*bigger));
        if (bigger == NULL)
            return;
        s->steps = bigger;
        s->capacity = capacity;
    }
    s->steps[s->count++] = *step;
}

void sim_layout_steps_append(struct sim_layout_steps *s, const struct sim_layout_steps *more)
{
    for (size_t i = 0; i < more->count; i++)
        sim_layout_steps_add(s, &more->steps[i]);
}

void sim_layout_steps_finish(struct sim_layout_steps *s)
{
    free(s->steps);
    *s = (struct sim_layout_steps){0};
}

/* --- comparing */

/* One step on one subresource. */
struct moment {
    const struct sim_layout_step *step;
    const struct sim_layouts *image;
    uint32_t family; /* of the queue */
    VkImageLayout from, to;
    char *why; /* set to what is wrong */
    size_t why_size;
};

static bool wrong_layout(const struct moment *m, const struct subresource *s)
{
    if (s->layout == m->from)
        return false;
    snprintf(m->why, m->why_size, "expected %s, found %s", layout_name(m->from),
             layout_name(s->layout));
    return true;
}

static bool wrong_family(const struct moment *m, const struct subresource *s)
{
    if (!m->image->exclusive)
        return false;
    if (s->released_to != NOBODY)
        snprintf(m->why, m->why_size, "released to family %u and not acquired, used by family %u",
                 s->released_to, m->family);
    else if (s->owner != NOBODY && s->owner != m->family)
        snprintf(m->why, m->why_size, "owned by family %u, used by family %u", s->owner, m->family);
    else
        return false;
    return true;
}

static bool release(const struct moment *m, struct subresource *s)
{
    bool discards = m->from == VK_IMAGE_LAYOUT_UNDEFINED;
    bool right = !wrong_family(m, s) && (discards || !wrong_layout(m, s));
    s->layout = m->from;
    s->owner = m->family;
    s->released_to = m->step->dst_family;
    s->released = m->to;
    return right;
}

static bool acquire(const struct moment *m, struct subresource *s)
{
    uint32_t src = m->step->src_family;
    bool outside = src == VK_QUEUE_FAMILY_EXTERNAL || src == VK_QUEUE_FAMILY_FOREIGN_EXT;
    bool right = true;
    if (outside) {
        /* whatever others did with it */
    } else if (s->released_to != m->family || s->owner != src) {
        snprintf(m->why, m->why_size, "acquired from family %u by family %u without a release", src,
                 m->family);
        right = false;
    } else if (s->released != m->to) {
        snprintf(m->why, m->why_size, "acquired for %s, but released for %s", layout_name(m->to),
                 layout_name(s->released));
        right = false;
    } else if (m->from != VK_IMAGE_LAYOUT_UNDEFINED) {
        right = !wrong_layout(m, s);
    }
    s->layout = m->to;
    s->owner = m->family;
    s->released_to = NOBODY;
    return right;
}

/* Both halves name both families, and the queue's family tells which half it is. */
static bool transfer(const struct moment *m, struct subresource *s)
{
    if (m->step->src_family == m->family)
        return release(m, s);
    if (m->step->dst_family == m->family)
        return acquire(m, s);
    snprintf(m->why, m->why_size, "transfer from family %u to family %u on a queue of family %u",
             m->step->src_family, m->step->dst_family, m->family);
    return false;
}

static bool step_subresource(const struct moment *m, struct subresource *s)
{
    const struct sim_layout_step *step = m->step;
    if (m->image->exclusive && step->src_family != step->dst_family)
        return transfer(m, s);
    bool discards = step->transition && step->from == VK_IMAGE_LAYOUT_UNDEFINED;
    bool right = discards || (!wrong_family(m, s) && !wrong_layout(m, s));
    s->layout = step->transition ? m->to : m->from;
    s->owner = m->family;
    s->released_to = NOBODY;
    return right;
}

static void note_fault(const struct sim_layout_step *step, VkImageAspectFlags aspect, uint32_t mip,
                       uint32_t layer, const char *why)
{
    const char *aspect_name = aspect == VK_IMAGE_ASPECT_DEPTH_BIT     ? "depth"
                              : aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? "stencil"
                                                                      : "color";
    char name[96];
    sim_name_get(SIM_KEY(step->image), name, sizeof(name));
    sim_card_note_layout_fault(sim_card_get(), "%s: image 0x%llx '%s', %s, mip %u, layer %u: %s",
                               step->command, (unsigned long long)SIM_KEY(step->image), name,
                               aspect_name, mip, layer, why);
}

static uint32_t end_of(uint32_t base, uint32_t count, uint32_t all)
{
    return count > all || base > all - count ? all : base + count;
}

/* Says the first thing that is wrong: the rest of the range is usually wrong in the same way. */
static void run_step(const struct sim_layout_step *step, struct sim_layouts *image, uint32_t family)
{
    const VkImageSubresourceRange *r = &step->range;
    uint32_t mip_end = end_of(r->baseMipLevel, r->levelCount, image->mips);
    uint32_t layer_end = end_of(r->baseArrayLayer, r->layerCount, image->layers);
    /* Views and copies of 3D images count slices as layers. */
    uint32_t layer_first = image->layers == 1 ? 0 : r->baseArrayLayer;
    char why[160], ignored[160];
    struct moment m = {step, image, family, 0, 0, why, sizeof(why)};
    for (uint32_t plane = 0; plane < image->planes; plane++) {
        VkImageAspectFlags aspect = plane_aspect(image, plane);
        if (image->planes == 2 && !(r->aspectMask & aspect))
            continue;
        m.from = layout_of(step->from, aspect);
        m.to = layout_of(step->to, aspect);
        for (uint32_t mip = r->baseMipLevel; mip < mip_end; mip++) {
            for (uint32_t layer = layer_first; layer < layer_end; layer++) {
                size_t i = ((size_t)plane * image->mips + mip) * image->layers + layer;
                if (step_subresource(&m, &image->subresources[i]) || m.why == ignored)
                    continue;
                note_fault(step, aspect, mip, layer, why);
                m.why = ignored;
            }
        }
    }
}

static void run_steps(struct sim_device *device, uint32_t family,
                      const struct sim_layout_steps *steps)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < steps->count; i++) {
        struct sim_layouts *image = sim_map_find(&device->layouts, SIM_KEY(steps->steps[i].image));
        if (image != NULL)
            run_step(&steps->steps[i], image, family);
    }
    pthread_mutex_unlock(&lock);
}

void sim_layouts_check(struct sim_device *device, const struct sim_queue *queue,
                       const struct sim_op *op)
{
    for (uint32_t i = 0; i < op->command_count; i++)
        run_steps(device, queue->family, &sim_commands_find(op->commands[i])->layouts);
}

void sim_layouts_check_present(struct sim_device *device, const VkPresentInfoKHR *info)
{
    for (uint32_t i = 0; i < info->swapchainCount; i++) {
        uint32_t count;
        VkImage *images = swapchain_images(device, info->pSwapchains[i], &count);
        if (images != NULL && info->pImageIndices[i] < count) {
            struct sim_layout_step step = {
                .command = "vkQueuePresentKHR",
                .image = images[info->pImageIndices[i]],
                .range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS},
                .from = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                .src_family = NOBODY,
                .dst_family = NOBODY};
            run_steps(device, NOBODY, &(struct sim_layout_steps){&step, 1, 1});
        }
        free(images);
    }
}
