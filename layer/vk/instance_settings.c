/* SPDX-License-Identifier: MIT
 *
 * From the configuration to an instance's settings: see instance_settings.h. */
#include "instance_settings.h"

#include "chain.h"
#include "host_alloc.h"
#include "log.h"
#include "newer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A value of a setting as a log line shows it. */
#define MAX_SHOWN 256

struct complaint {
    struct complaint *next;
    enum spw_log_level level;
    char text[];
};

/* Complaints about settings are kept until the settings themselves have said where the log goes. */
struct complaints {
    struct complaint *first, **last;
};

/* The process's: read once, shared by its instances. The loader unloads the layer with the last
 * instance, so it has to go with that. */
static struct spw_mutex lock = SPW_MUTEX_INIT(SPW_RANK_CONFIG);
/* protected by lock */
static struct spw_config *config;
static struct spw_program program;
static unsigned users;

static void note_complaint(void *user, enum spw_log_level level, const char *message)
{
    struct complaints *all = user;
    struct complaint *c = spw_calloc(1, sizeof(*c) + strlen(message) + 1);
    if (!c)
        return;
    c->level = level;
    strcpy(c->text, message);
    *all->last = c;
    all->last = &c->next;
}

static void log_complaints(struct complaints *complaints)
{
    while (complaints->first) {
        struct complaint *c = complaints->first;
        complaints->first = c->next;
        /* No call site: each is another message. */
        spw_log_at(NULL, c->level, "%s", c->text);
        spw_free(c);
    }
}

static struct spw_config *acquire_config(struct spw_program *self, struct complaints *complaints)
{
    spw_mutex_lock(&lock);
    if (!config) {
        config = spw_config_load(note_complaint, complaints);
        if (config)
            spw_program_init_self(&program);
    }
    struct spw_config *result = config;
    if (result) {
        users++;
        *self = program;
    }
    spw_mutex_unlock(&lock);
    return result;
}

static void release_config(void)
{
    spw_mutex_lock(&lock);
    if (--users == 0) {
        spw_config_destroy(config);
        spw_program_finish(&program);
        config = NULL;
    }
    spw_mutex_unlock(&lock);
}

/* ---- VK_EXT_layer_settings ---- */

/* As vk_layer_settings.txt would have it. false: nothing that a setting here could be. */
static bool value_as_text(const VkLayerSettingEXT *setting, char *text, size_t text_size)
{
    const void *v = setting->pValues;
    switch ((int)setting->type) {
    case VK_LAYER_SETTING_TYPE_BOOL32_EXT:
        snprintf(text, text_size, "%s", *(const VkBool32 *)v ? "true" : "false");
        return true;
    case VK_LAYER_SETTING_TYPE_INT32_EXT:
        snprintf(text, text_size, "%" PRId32, *(const int32_t *)v);
        return true;
    case VK_LAYER_SETTING_TYPE_INT64_EXT:
        snprintf(text, text_size, "%" PRId64, *(const int64_t *)v);
        return true;
    case VK_LAYER_SETTING_TYPE_UINT32_EXT:
        snprintf(text, text_size, "%" PRIu32, *(const uint32_t *)v);
        return true;
    case VK_LAYER_SETTING_TYPE_UINT64_EXT:
        snprintf(text, text_size, "%" PRIu64, *(const uint64_t *)v);
        return true;
    case VK_LAYER_SETTING_TYPE_STRING_EXT: {
        const char *string = *(const char *const *)v;
        return string && (size_t)snprintf(text, text_size, "%s", string) < text_size;
    }
    default:
        return false;
    }
}

static VkResult add_api_setting(struct spw_api_settings *api, const VkLayerSettingEXT *setting,
                                struct complaints *complaints)
{
    char text[4096];
    if (!setting->pSettingName || setting->valueCount == 0 || !setting->pValues)
        return VK_SUCCESS;
    if (setting->valueCount != 1 || !value_as_text(setting, text, sizeof(text))) {
        char message[MAX_SHOWN];
        snprintf(message, sizeof(message),
                 "VK_EXT_layer_settings: '%.64s' must be one truth value, whole number or text",
                 setting->pSettingName);
        note_complaint(complaints, SPW_LOG_WARN, message);
        return VK_SUCCESS;
    }
    struct spw_api_setting *list = spw_realloc(api->list, (api->count + 1) * sizeof(*list));
    if (!list)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    api->list = list;
    struct spw_api_setting *added = &list[api->count++];
    added->key = spw_strdup(setting->pSettingName);
    added->text = spw_strdup(text);
    return added->key && added->text ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Of a key that is named twice the first counts, as Vulkan-Utility-Libraries has it: so they are
 * applied from the last to the first. */
static void reverse(struct spw_api_settings *api)
{
    for (size_t i = 0, k = api->count; i + 1 < k; i++) {
        k--;
        struct spw_api_setting swap = api->list[i];
        api->list[i] = api->list[k];
        api->list[k] = swap;
    }
}

static VkResult read_api_settings(struct spw_api_settings *api, const VkInstanceCreateInfo *info,
                                  struct complaints *complaints)
{
    const void *chain = info->pNext;
    const VkLayerSettingsCreateInfoEXT *create;
    while ((create = spw_chain_find(chain, VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT))) {
        for (uint32_t i = 0; create->pSettings && i < create->settingCount; i++) {
            const VkLayerSettingEXT *setting = &create->pSettings[i];
            if (!setting->pLayerName || strcmp(setting->pLayerName, SPW_LAYER_NAME) != 0)
                continue;
            VkResult result = add_api_setting(api, setting, complaints);
            if (result != VK_SUCCESS)
                return result;
        }
        chain = create->pNext;
    }
    reverse(api);
    return VK_SUCCESS;
}

/* ---- the log ---- */

static void configure_log(const struct spw_settings *settings)
{
    if (spw_log_configure(settings->log_level, settings->log_file) != SPW_OK)
        spw_log(SPW_LOG_WARN, "cannot open the log file '%s' (errno %d): messages go to stderr",
                settings->log_file, errno);
}

static void log_profile(void *user, const struct spw_match *match)
{
    const bool *of_gpu = user;
    if (match->needs_gpu != *of_gpu)
        return;
    spw_log_at(NULL, SPW_LOG_INFO, "profile '%s' (%s:%u) applies", match->name ? match->name : "?",
               match->file, match->line);
}

static void log_effective(const struct spw_effective *effective)
{
    if (!spw_log_enabled(SPW_LOG_DEBUG))
        return;
    for (size_t i = 0; i < SPW_SETTING_COUNT; i++) {
        const struct spw_origin *origin = &effective->origins[i];
        char value[MAX_SHOWN], from[MAX_SHOWN];
        const char *key = spw_setting_info(i).key;
        if (origin->kind == SPW_ORIGIN_BUILT_IN ||
            !spw_settings_get(&effective->settings, key, value, sizeof(value)))
            continue;
        spw_origin_print(origin, key, from, sizeof(from));
        spw_log_at(NULL, SPW_LOG_DEBUG, "setting %s = '%s' from %s", key, value, from);
    }
}

/* ---- what the header declares ---- */

static VkResult copy_name(const char *name, char **copy)
{
    if (!name)
        return VK_SUCCESS;
    *copy = spw_strdup(name);
    return *copy ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static VkResult read_source(struct spw_settings_source *source, const VkInstanceCreateInfo *info,
                            struct complaints *complaints)
{
    source->config = acquire_config(&source->program, complaints);
    if (!source->config)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkApplicationInfo *app = info->pApplicationInfo;
    if (app && (copy_name(app->pApplicationName, &source->application) != VK_SUCCESS ||
                copy_name(app->pEngineName, &source->engine) != VK_SUCCESS))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    source->program.application = source->application;
    source->program.engine = source->engine;
    return read_api_settings(&source->api, info, complaints);
}

VkResult spw_instance_settings_init(struct spw_instance *instance, const VkInstanceCreateInfo *info)
{
    struct complaints complaints = {.last = &complaints.first};
    struct spw_settings_source *source = &instance->settings_source;
    VkResult result = read_source(source, info, &complaints);
    if (result == VK_SUCCESS &&
        spw_config_resolve(source->config, &source->program, NULL, &source->api,
                           &instance->effective, note_complaint, &complaints) != SPW_OK)
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS) {
        log_complaints(&complaints);
        return result;
    }
    const struct spw_settings *settings = &instance->effective.settings;
    configure_log(settings);
    log_complaints(&complaints);
    bool of_gpu = false;
    if (spw_log_enabled(SPW_LOG_INFO))
        spw_config_for_each_match(source->config, &source->program, NULL, log_profile, &of_gpu);
    log_effective(&instance->effective);
    if (settings->mode == SPW_MODE_PAGING || settings->mode == SPW_MODE_PRIORITY)
        spw_log(SPW_LOG_INFO, "mode '%s' is not part of this version: running as redirect",
                spw_mode_name(settings->mode));
    return VK_SUCCESS;
}

void spw_instance_settings_init_disabled(struct spw_instance *instance)
{
    spw_settings_init(&instance->effective.settings);
}

void spw_instance_settings_finish(struct spw_instance *instance)
{
    struct spw_settings_source *source = &instance->settings_source;
    spw_effective_finish(&instance->effective);
    for (size_t i = 0; i < source->api.count; i++) {
        spw_free((char *)source->api.list[i].key);
        spw_free((char *)source->api.list[i].text);
    }
    spw_free(source->api.list);
    spw_free(source->application);
    spw_free(source->engine);
    if (source->config)
        release_config();
    *source = (struct spw_settings_source){0};
}

enum spw_result spw_instance_settings_resolve(const struct spw_instance *instance,
                                              const struct spw_gpu *gpu, struct spw_effective *out)
{
    const struct spw_settings_source *source = &instance->settings_source;
    if (!source->config) {
        *out = (struct spw_effective){0};
        spw_settings_init(&out->settings);
        return SPW_OK;
    }
    enum spw_result result =
        spw_config_resolve(source->config, &source->program, gpu, &source->api, out, NULL, NULL);
    bool of_gpu = true;
    if (result == SPW_OK && spw_log_enabled(SPW_LOG_INFO))
        spw_config_for_each_match(source->config, &source->program, gpu, log_profile, &of_gpu);
    return result;
}
