/* SPDX-License-Identifier: MIT
 *
 * Tests of the harness itself: a checker that cannot find a fault is worse than none.
 *   test_harness content   on any driver: the model finds one wrong byte in each kind of resource
 *   test_harness checks    no Vulkan: paths and comparisons over JSON
 *   test_harness exit N    ends with N;  test_harness abort  is killed by a signal */
#include "vk_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"
#include "content_model.h"
#include "stats_json.h"

static void spoil_buffer(struct vkf *f, VkBuffer buffer, VkDeviceSize offset)
{
    uint8_t byte;
    vkf_buffer_read(f, buffer, offset, &byte, 1);
    byte ^= 0x10;
    vkf_buffer_write(f, buffer, offset, &byte, 1);
}

static void spoil_image(struct vkf *f, const struct vkf_image *image)
{
    VkBufferImageCopy texel = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, image->mip_count - 1,
                             image->layer_count - 1, 1},
        .imageExtent = {1, 1, 1},
    };
    memset(vkf_staging(f), 0x5a, 4);
    VkCommandBuffer commands = vkf_commands_begin(f);
    vkf_image_barrier(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(commands, f->staging.handle, image->handle,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &texel);
    vkf_image_barrier(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkf_commands_run(f);
}

static void check_buffer_faults(struct vkf *f, struct content *c)
{
    static const VkDeviceSize offsets[] = {0, 4099, ((VkDeviceSize)5 << 20) - 1};
    struct vkf_buffer buffer = vkf_buffer_create(f, (VkDeviceSize)5 << 20, 0);
    uint32_t type =
        vkf_want_type(f, buffer.requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VkDeviceMemory memory = vkf_allocate(f, buffer.requirements.size, type);
    VKF_VK(vkBindBufferMemory(f->device, buffer.handle, memory, 0));
    uint32_t item = content_add_buffer(c, &buffer, "spoilt buffer");
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        for (int how = CONTENT_BY_COPY; how <= CONTENT_BY_SHADER; how++) {
            content_fill(c, item, how);
            VKF_CHECK(content_check(c, item, CONTENT_BY_COPY) &&
                          content_check(c, item, CONTENT_BY_SHADER),
                      "what was just written is not right");
            spoil_buffer(f, buffer.handle, offsets[i]);
            VKF_CHECK(!content_check(c, item, CONTENT_BY_COPY), "a copy misses a wrong byte");
            VKF_CHECK(!content_check(c, item, CONTENT_BY_SHADER), "a shader misses a wrong byte");
        }
    content_remove(c, item);
    vkf_buffer_destroy(f, &buffer);
    vkf_free(f, memory);
}

static void check_image_faults(struct vkf *f, struct content *c)
{
    /* Odd sizes, mips and layers: the walk over an image's bytes has corners. */
    struct vkf_image image = vkf_image_create(f, 1031, 517, 3, 2, VK_IMAGE_TILING_OPTIMAL, 0);
    uint32_t type =
        vkf_want_type(f, image.requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VkDeviceMemory memory = vkf_allocate(f, image.requirements.size, type);
    VKF_VK(vkBindImageMemory(f->device, image.handle, memory, 0));
    uint32_t item = content_add_image(c, &image, "spoilt image");
    content_fill(c, item, CONTENT_BY_COPY);
    VKF_CHECK(content_check(c, item, CONTENT_BY_COPY), "what was just written is not right");
    spoil_image(f, &image);
    VKF_CHECK(!content_check(c, item, CONTENT_BY_COPY), "a wrong texel is missed");
    content_remove(c, item);
    vkf_image_destroy(f, &image);
    vkf_free(f, memory);
}

static void check_mapped_faults(struct content *c)
{
    static uint8_t bytes[10007];
    uint32_t item = content_add_mapped(c, bytes, sizeof(bytes), "spoilt bytes");
    content_fill(c, item, CONTENT_BY_COPY);
    VKF_CHECK(content_check(c, item, CONTENT_BY_COPY), "what was just written is not right");
    bytes[sizeof(bytes) - 1] ^= 1;
    VKF_CHECK(!content_check(c, item, CONTENT_BY_COPY), "a wrong byte is missed");
    content_fill(c, item, CONTENT_BY_COPY);
    uint8_t stale = bytes[5000];
    do
        content_fill(c, item, CONTENT_BY_COPY);
    while (bytes[5000] == stale); /* generations differ, but one byte may agree */
    bytes[5000] = stale;
    VKF_CHECK(!content_check(c, item, CONTENT_BY_COPY), "a stale byte is missed");
    content_remove(c, item);
}

static void test_content(void)
{
    struct vkf f;
    vkf_begin(&f, NULL);
    struct content *c = content_create(&f, 1);
    check_buffer_faults(&f, c);
    check_image_faults(&f, c);
    check_mapped_faults(c);
    content_destroy(c);
    vkf_end(&f);
}

static const char simgpu_text[] =
    "{\"simgpu\":{\"profile\":\"nvidia\",\"heaps\":[{\"refusals\":2,\"peak_bytes\":1048576},"
    "{\"refusals\":1,\"peak_bytes\":4096}]}}";
static const char spillway_text[] =
    "noise\n{\"spillway\":{\"devices\":[{\"mode\":\"early\"}]}}\n"
    "{\"spillway\":{\"devices\":[{\"mode\":\"redirect\",\"placements\":["
    "{\"placed_type\":0,\"why\":\"vram-full\",\"bytes\":10},{\"placed_type\":2,\"why\":\"vram-"
    "full\","
    "\"bytes\":20},{\"placed_type\":1,\"why\":\"fits\",\"bytes\":5}]}]}}\nmore noise\n";

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    VKF_CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
}

static void test_checks(void)
{
    static const struct {
        const char *expression;
        bool holds;
    } cases[] = {
        {"simgpu.heaps.*.refusals == 3", true},
        {"simgpu.heaps.1.refusals > 1", false},
        {"simgpu.heaps.0.peak_bytes <= 1MiB", true},
        {"simgpu.heaps.0.peak_bytes < 1MiB", false},
        {"simgpu.heaps.0.peak_bytes + simgpu.heaps.1.peak_bytes == 1028KiB", true},
        {"simgpu.profile == 'nvidia'", true},
        {"simgpu.profile != 'nvidia'", false},
        {"spillway.devices.0.mode == 'redirect'", true},
        {"spillway.devices.# == 1", true},
        {"spillway.devices.0.placements.[why=vram-full].bytes == 30", true},
        {"spillway.devices.0.placements.[why=vram-full,placed_type=2].bytes == 20", true},
        {"spillway.devices.0.placements.[why=driver-full].bytes == 0", true},
        {"spillway.devices.0.placements.[why=fits].nothing == 0", false},
        {"spillway.devices.1.mode == 'redirect'", false},
        {"simgpu.heaps.0.peak_bytes * 2 >= 2MiB", true},
        {"simgpu.heaps.0.refusals = 2", false},
    };
    char folder[] = "/tmp/test_harness.XXXXXX", simgpu_path[64], spillway_path[64];
    VKF_CHECK(mkdtemp(folder), "cannot make a folder");
    snprintf(simgpu_path, sizeof(simgpu_path), "%s/simgpu", folder);
    snprintf(spillway_path, sizeof(spillway_path), "%s/spillway", folder);
    write_text(simgpu_path, simgpu_text);
    write_text(spillway_path, spillway_text);
    const char *why = "";
    struct stats *simgpu = stats_load_simgpu(simgpu_path, &why);
    VKF_CHECK(simgpu, "simgpu's counters: %s", why);
    struct stats *spillway = stats_load_spillway(spillway_path, &why);
    VKF_CHECK(spillway, "Spillway's summary: %s", why);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        VKF_CHECK(check_holds(cases[i].expression, simgpu, spillway) == cases[i].holds,
                  "'%s' is %s", cases[i].expression, cases[i].holds ? "true" : "false");
    VKF_CHECK(!stats_load_spillway(simgpu_path, &why), "a summary where there is none");
    VKF_CHECK(!stats_load_simgpu("/nonexistent", &why), "counters where there are none");
    stats_destroy(simgpu);
    stats_destroy(spillway);
    unlink(simgpu_path);
    unlink(spillway_path);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "content") == 0)
        test_content();
    else if (argc == 2 && strcmp(argv[1], "checks") == 0)
        test_checks();
    else if (argc == 3 && strcmp(argv[1], "exit") == 0)
        return atoi(argv[2]);
    else if (argc == 2 && strcmp(argv[1], "abort") == 0)
        abort();
    else
        return VKF_EXIT_USAGE;
    return 0;
}
