/* SPDX-License-Identifier: MIT
 *
 * Where memory goes, and when it is refused: the program's side. What is asserted here is what a
 * program can see; where the bytes lie is asserted by the checks over simgpu's counters and
 * Spillway's summary that tests/vk/meson.build hangs on each run.
 *
 *   test_placement fill SHAPE TOTAL     fills up to TOTAL in
 * buffers|dedicated|images|mixed|visible|bare, all right test_placement ledger [leave]       a
 * fixed list of allocations and frees, for exact figures; leave: ends with all that is live,
 * destroying nothing test_placement room TOTAL frees a third beyond full, allocates it again
 * test_placement refused MIN TOTAL    refused somewhere between MIN and TOTAL; goes on working;
 * works again after frees test_placement memory TOTAL MUCH NONE   fills up to TOTAL; refused when
 * MemAvailable falls from MUCH to NONE, and not when it is back */
#include "vk_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hoard.h"

#define STEP_BYTES ((VkDeviceSize)1 << 20)

static struct vkf f;
static struct hoard hoard;

static enum hoard_shape shape_named(const char *name, enum hoard_type *type)
{
    static const struct {
        const char *name;
        enum hoard_shape shape;
        enum hoard_type type;
    } shapes[] = {
        {"buffers", HOARD_BUFFER, HOARD_DEVICE},  {"dedicated", HOARD_DEDICATED, HOARD_DEVICE},
        {"images", HOARD_IMAGE, HOARD_DEVICE},    {"mixed", HOARD_MIXED, HOARD_DEVICE},
        {"visible", HOARD_MAPPED, HOARD_VISIBLE}, {"bare", HOARD_BARE, HOARD_DEVICE}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (strcmp(name, shapes[i].name) == 0) {
            *type = shapes[i].type;
            return shapes[i].shape;
        }
    vkf_exit_with(VKF_EXIT_USAGE, __FILE__, __LINE__, "no shape '%s'", name);
}

static void fill(const char *shape, VkDeviceSize total)
{
    enum hoard_type type;
    enum hoard_shape kind = shape_named(shape, &type);
    hoard_fill_up(&hoard, kind, type, kind == HOARD_MIXED ? 4 * STEP_BYTES : STEP_BYTES, total);
    hoard_exercise(&hoard);
}

/* Figures that a check can be exact about: 7, 3, 7, 3 and 7 MiB, the last two freed, then 1 MiB
 * more. All are bare, so that no requirement rounds them. */
static void ledger(bool leave)
{
    static const VkDeviceSize sizes[] = {7, 3, 7, 3, 7};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        hoard_add(&hoard, HOARD_BARE, HOARD_DEVICE, sizes[i] << 20);
    hoard_remove(&hoard, 4);
    hoard_remove(&hoard, 3);
    hoard_add(&hoard, HOARD_BARE, HOARD_DEVICE, (VkDeviceSize)1 << 20);
    if (leave)
        exit(0);
}

/* What is freed is room: the sum allocated in all is far more than both tiers could hold at once.
 */
static void room(VkDeviceSize total)
{
    hoard_fill_up(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES, total);
    content_fill_all(hoard.content, CONTENT_BY_SHADER);
    for (int round = 0; round < 6; round++) {
        for (uint32_t i = hoard.count; i-- > 0;)
            if (i % 3 == (uint32_t)round % 3)
                hoard_remove(&hoard, i);
        content_verify_all(hoard.content, CONTENT_BY_SHADER);
        uint32_t kept = hoard.count;
        hoard_fill_up(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES, total);
        for (uint32_t i = kept; i < hoard.count; i++)
            content_fill(hoard.content, hoard.holdings[i].items[0], CONTENT_BY_SHADER);
        content_verify_all(hoard.content, CONTENT_BY_SHADER);
    }
}

static void refused(VkDeviceSize min, VkDeviceSize total)
{
    VKF_CHECK(hoard_until_refused(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES, total),
              "%llu bytes were granted and none refused", (unsigned long long)hoard.total_bytes);
    VKF_CHECK(hoard.total_bytes >= min, "only %llu bytes were granted",
              (unsigned long long)hoard.total_bytes);
    printf("refused after %llu bytes\n", (unsigned long long)hoard.total_bytes);
    /* A refusal changes nothing: what is there is right, and asking again gets the same answer. */
    VKF_CHECK(hoard_try_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES) ==
                  VK_ERROR_OUT_OF_DEVICE_MEMORY,
              "the second try was answered otherwise");
    hoard_exercise(&hoard);
    VkDeviceSize before = hoard.total_bytes;
    for (int i = 0; i < 4; i++)
        hoard_remove(&hoard, hoard.count - 1);
    for (int i = 0; i < 4; i++)
        hoard_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES);
    VKF_CHECK(hoard.total_bytes == before, "the room given back is not the room that was had");
    hoard_exercise(&hoard);
}

static void write_meminfo(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    VKF_CHECK(file && fprintf(file, "%s\n", text) > 0 && fclose(file) == 0, "cannot write '%s'",
              path);
}

/* The machine has memory, has none, has some again, has none. SPILLWAY_TEST_MEMINFO=@FILE was set
 * before Vulkan started. */
static void memory(VkDeviceSize total, const char *path, const char *much, const char *none)
{
    hoard_fill_up(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES, total);
    hoard_exercise(&hoard); /* and with it the harness has what it needs itself */
    for (int round = 0; round < 2; round++) {
        write_meminfo(path, none);
        /* What is left of the card may still be had; then no more. */
        VKF_CHECK(hoard_until_refused(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES, 2 * total),
                  "nothing was refused, and the machine has no memory left");
        VKF_CHECK(hoard_try_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES) ==
                      VK_ERROR_OUT_OF_DEVICE_MEMORY,
                  "the second try was answered otherwise");
        content_fill_all(hoard.content, CONTENT_BY_SHADER);
        content_verify_all(hoard.content, CONTENT_BY_COPY);
        write_meminfo(path, much);
        for (int i = 0; i < 4; i++)
            hoard_add(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES);
    }
    hoard_exercise(&hoard);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char meminfo[] = "@/tmp/spillway-meminfo.XXXXXX";
    if (strcmp(what, "memory") == 0 && argc == 5) {
        VKF_CHECK(mkstemp(meminfo + 1) >= 0, "cannot make '%s'", meminfo + 1);
        write_meminfo(meminfo + 1, argv[3]);
        setenv("SPILLWAY_TEST_MEMINFO", meminfo, 1);
    }
    vkf_begin(&f, NULL);
    hoard_begin(&hoard, &f, 30);
    if (strcmp(what, "fill") == 0 && argc == 4)
        fill(argv[2], vkf_parse_size(argv[3]));
    else if (strcmp(what, "ledger") == 0)
        ledger(argc > 2);
    else if (strcmp(what, "room") == 0 && argc == 3)
        room(vkf_parse_size(argv[2]));
    else if (strcmp(what, "refused") == 0 && argc == 4)
        refused(vkf_parse_size(argv[2]), vkf_parse_size(argv[3]));
    else if (strcmp(what, "memory") == 0 && argc == 5)
        memory(vkf_parse_size(argv[2]), meminfo + 1, argv[3], argv[4]);
    else
        vkf_exit_with(VKF_EXIT_USAGE, __FILE__, __LINE__, "what to do? ('%s')", what);
    hoard_end(&hoard);
    vkf_end(&f);
    unlink(meminfo + 1);
    return 0;
}
