/* SPDX-License-Identifier: MIT
 *
 * The exit summary as JSON text: see stats_json.h. */
#include "stats_json.h"

#include "host_alloc.h"

#include <json-c/json.h>

/* json-c asserts that what it adds to is there. Without memory for an object it stays away, and
 * what would have gone into it too; a NULL value is JSON's null. So a failed allocation shows as a
 * missing figure and never as a crash. Both take ownership of the value. */
static void add(struct json_object *object, const char *key, struct json_object *value)
{
    if (!object || json_object_object_add(object, key, value) != 0)
        json_object_put(value);
}

static void append(struct json_object *array, struct json_object *value)
{
    if (!array || json_object_array_add(array, value) != 0)
        json_object_put(value);
}

static void add_u64(struct json_object *object, const char *key, uint64_t value)
{
    add(object, key, json_object_new_uint64(value));
}

static void add_text(struct json_object *object, const char *key, const char *value)
{
    add(object, key, json_object_new_string(value));
}

static struct json_object *tiers_json(const struct spw_stats *stats)
{
    struct json_object *tiers = json_object_new_object();
    for (int t = 0; t < SPW_TIER_COUNT; t++) {
        struct json_object *tier = json_object_new_object();
        add_u64(tier, "bytes", stats->tiers[t].bytes);
        add_u64(tier, "peak_bytes", stats->tiers[t].peak_bytes);
        add_u64(tier, "allocations", stats->tiers[t].allocations);
        add(tiers, spw_tier_name((enum spw_tier)t), tier);
    }
    return tiers;
}

static struct json_object *placements_json(const struct spw_stats *stats)
{
    struct json_object *list = json_object_new_array();
    for (uint32_t i = 0; i < stats->placement_count; i++) {
        const struct spw_stats_placement *p = &stats->placements[i];
        struct json_object *line = json_object_new_object();
        add_u64(line, "asked_type", p->asked_type);
        add_u64(line, "placed_type", p->placed_type);
        if (p->tier != SPW_TIER_COUNT)
            add_text(line, "tier", spw_tier_name(p->tier));
        add_text(line, "why", spw_why_name(p->why));
        add_u64(line, "allocations", p->allocations);
        add_u64(line, "bytes", p->bytes);
        append(list, line);
    }
    return list;
}

/* What is JSON already goes in as it is. */
static void add_json(struct json_object *object, const char *key, char *json)
{
    struct json_object *value = json_object_new_object();
    json_object_set_serializer(value, json_object_userdata_to_json_string, json, NULL);
    add(object, key, value);
}

char *spw_effective_to_json(const struct spw_effective *effective)
{
    struct json_object *root = json_object_new_object();
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        char value[4096], from[4096];
        const char *key = spw_setting_info(i).key;
        if (!spw_settings_get(&effective->settings, key, value, sizeof(value)))
            continue;
        spw_origin_print(&effective->origins[i], key, from, sizeof(from));
        struct json_object *line = json_object_new_object();
        add(line, "value", value[0] ? json_object_new_string(value) : NULL);
        add_text(line, "from", from);
        add(root, key, line);
    }
    const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE);
    char *copy = text ? spw_strdup(text) : NULL;
    json_object_put(root);
    return copy;
}

static struct json_object *device_json(const struct spw_device_summary *d)
{
    struct json_object *device = json_object_new_object();
    add_text(device, "name", d->name);
    add_text(device, "mode", d->mode);
    add_text(device, "reason", d->reason);
    add_u64(device, "vram_target", d->vram_target);
    add_u64(device, "virtual_size", d->virtual_size);
    add(device, "tiers", tiers_json(&d->stats));
    add(device, "placements", placements_json(&d->stats));
    if (d->settings_json)
        add_json(device, "settings", d->settings_json);
    struct json_object *refusals = json_object_new_object();
    for (int r = 0; r < SPW_REFUSAL_COUNT; r++)
        add_u64(refusals, spw_refusal_name((enum spw_refusal)r), d->stats.refusals[r]);
    add(device, "refusals", refusals);
    return device;
}

char *spw_stats_to_json(const char *version, const struct spw_device_summary *devices, size_t count,
                        uint64_t devices_left_out)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < count; i++)
        append(list, device_json(&devices[i]));
    struct json_object *spillway = json_object_new_object();
    add_text(spillway, "version", version);
    add(spillway, "devices", list);
    if (devices_left_out)
        add_u64(spillway, "devices_left_out", devices_left_out);
    struct json_object *root = json_object_new_object();
    add(root, "spillway", spillway);
    const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE);
    char *copy = text ? spw_strdup(text) : NULL;
    json_object_put(root);
    return copy;
}
