/* SPDX-License-Identifier: MIT
 *
 * What differs where size_t and pointers are narrow: 64-bit handles in the map, and sizes beyond 4
 * GiB. Built with -m32 by compile_32_bit.sh, without cmocka, which Debian has in one width at a
 * time. Silent and 0 when all is right. */
#include "handle_map.h"
#include "host_alloc.h"
#include "meminfo.h"
#include "settings.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(void *) == 4, "built without -m32");

static int failures;

#define CHECK(cond)                                                                                \
    ((cond) ? (void)0 : (void)(failures++, fprintf(stderr, "line %d: %s\n", __LINE__, #cond)))

static void check_handle_map(void)
{
    static int objects[2][300];
    struct spw_handle_map map;
    spw_handle_map_init(&map);
    /* Pairs that differ in the upper half only. */
    for (uint64_t i = 0; i < 300; i++) {
        CHECK(spw_handle_map_insert(&map, i + 1, &objects[0][i]) == SPW_OK);
        CHECK(spw_handle_map_insert(&map, (i + 1) << 32 | (i + 1), &objects[1][i]) == SPW_OK);
    }
    for (uint64_t i = 0; i < 300; i++) {
        CHECK(spw_handle_map_find(&map, i + 1) == &objects[0][i]);
        CHECK(spw_handle_map_find(&map, (i + 1) << 32 | (i + 1)) == &objects[1][i]);
        CHECK(spw_handle_map_find(&map, (i + 1) << 32) == NULL);
        CHECK(spw_handle_map_remove(&map, (i + 1) << 32 | (i + 1)) == &objects[1][i]);
        CHECK(spw_handle_map_find(&map, i + 1) == &objects[0][i]);
    }
    CHECK(spw_handle_map_is_valid(&map));
    spw_handle_map_finish(&map);
    CHECK(spw_calloc(65536, 65537) == NULL); /* wraps a 32-bit size_t to 64 KiB */
    CHECK(spw_host_alloc_live() == 0);
}

static void check_sizes(void)
{
    struct spw_settings s;
    char text[32];
    spw_settings_init(&s);
    CHECK(spw_settings_set(&s, "vram_limit", "24GiB", "x", NULL, NULL) == SPW_OK);
    CHECK(s.vram_limit.bytes == 24 * SPW_GIB);
    CHECK(spw_settings_get(&s, "vram_limit", text, sizeof(text)));
    CHECK(strcmp(text, "25769803776") == 0);
    CHECK(spw_settings_set(&s, "vram_limit", "12.5%", "x", NULL, NULL) == SPW_OK);
    CHECK(spw_size_resolve(s.vram_limit, 64 * SPW_GIB, 0) == 8 * SPW_GIB);
    spw_settings_finish(&s);

    struct spw_meminfo info;
    CHECK(spw_meminfo_read(&info) == SPW_OK);
    CHECK(info.available_bytes > 0 && info.available_bytes <= info.total_bytes);
}

int main(void)
{
    check_handle_map();
    check_sizes();
    return failures == 0 ? 0 : 1;
}
