/* SPDX-License-Identifier: MIT
 *
 * A program that makes an instance and a device and ends: what the layer made of its settings is in
 * the exit summary.
 *
 *   settings_probe [--application NAME] [--engine NAME] [KEY[:bool|:u64|:i32]=VALUE]...
 *
 * Each KEY=VALUE goes to the layer through the structure of VK_EXT_layer_settings. The extension
 * itself is not enabled: see manifest/meson.build. */
#include "newer.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SETTINGS 32

union value {
    VkBool32 truth;
    uint64_t u64;
    int32_t i32;
    const char *text;
};

static VkLayerSettingEXT settings[MAX_SETTINGS];
static union value values[MAX_SETTINGS];
static uint32_t setting_count;

static void add_setting(char *argument)
{
    char *value = strchr(argument, '=');
    CHECK(value != NULL && setting_count < MAX_SETTINGS);
    *value++ = '\0';
    char *type = strchr(argument, ':');
    if (type != NULL)
        *type++ = '\0';
    union value *v = &values[setting_count];
    VkLayerSettingEXT *s = &settings[setting_count++];
    *s = (VkLayerSettingEXT){.pLayerName = SPILLWAY_LAYER,
                             .pSettingName = argument,
                             .type = VK_LAYER_SETTING_TYPE_STRING_EXT,
                             .valueCount = 1,
                             .pValues = v};
    if (type == NULL) {
        v->text = value;
    } else if (strcmp(type, "bool") == 0) {
        s->type = VK_LAYER_SETTING_TYPE_BOOL32_EXT;
        v->truth = strcmp(value, "true") == 0;
    } else if (strcmp(type, "u64") == 0) {
        s->type = VK_LAYER_SETTING_TYPE_UINT64_EXT;
        v->u64 = strtoull(value, NULL, 10);
    } else {
        CHECK(strcmp(type, "i32") == 0);
        s->type = VK_LAYER_SETTING_TYPE_INT32_EXT;
        v->i32 = atoi(value);
    }
}

int main(int argc, char **argv)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--application") == 0 && i + 1 < argc)
            app.pApplicationName = argv[++i];
        else if (strcmp(argv[i], "--engine") == 0 && i + 1 < argc)
            app.pEngineName = argv[++i];
        else
            add_setting(argv[i]);
    }
    const VkLayerSettingsCreateInfoEXT create = {
        .sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
        .settingCount = setting_count,
        .pSettings = settings};
    probe_open_loader();
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pNext = setting_count > 0 ? &create : NULL,
                                       .pApplicationInfo = &app};
    VkInstance instance;
    CHECK_VK(vk.CreateInstance(&info, NULL, &instance));
    struct probe_device device;
    probe_device_create(&device, instance, probe_gpu(instance));
    probe_device_destroy(&device);
    probe_destroy_instance(instance);
    return 0;
}
