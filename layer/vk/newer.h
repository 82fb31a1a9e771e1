/* SPDX-License-Identifier: MIT
 *
 * Commands newer than the oldest registry that we build against (1.3.239, Debian 12), declared by
 * hand. A system with newer headers has them itself: then only the names are used and these
 * declarations are skipped, the guard being the extension's own macro. Our hooks look at nothing
 * inside the structures named here but what is declared. */
#pragma once

#include <vulkan/vulkan.h>

#ifndef VK_EXT_device_generated_commands
typedef struct VkGeneratedCommandsMemoryRequirementsInfoEXT
    VkGeneratedCommandsMemoryRequirementsInfoEXT;
typedef void(VKAPI_PTR *PFN_vkGetGeneratedCommandsMemoryRequirementsEXT)(
    VkDevice device, const VkGeneratedCommandsMemoryRequirementsInfoEXT *pInfo,
    VkMemoryRequirements2 *pMemoryRequirements);
#endif

#ifndef VK_ARM_tensors
typedef struct VkTensorMemoryRequirementsInfoARM VkTensorMemoryRequirementsInfoARM;
typedef struct VkDeviceTensorMemoryRequirementsARM VkDeviceTensorMemoryRequirementsARM;
typedef void(VKAPI_PTR *PFN_vkGetTensorMemoryRequirementsARM)(
    VkDevice device, const VkTensorMemoryRequirementsInfoARM *pInfo,
    VkMemoryRequirements2 *pMemoryRequirements);
typedef void(VKAPI_PTR *PFN_vkGetDeviceTensorMemoryRequirementsARM)(
    VkDevice device, const VkDeviceTensorMemoryRequirementsARM *pInfo,
    VkMemoryRequirements2 *pMemoryRequirements);
#endif

#ifndef VK_ARM_data_graph
typedef struct VkDataGraphPipelineSessionMemoryRequirementsInfoARM
    VkDataGraphPipelineSessionMemoryRequirementsInfoARM;
typedef void(VKAPI_PTR *PFN_vkGetDataGraphPipelineSessionMemoryRequirementsARM)(
    VkDevice device, const VkDataGraphPipelineSessionMemoryRequirementsInfoARM *pInfo,
    VkMemoryRequirements2 *pMemoryRequirements);
#endif

/* The program's own settings of layers, in vkCreateInstance's chain. */
#ifndef VK_EXT_layer_settings
#define VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT ((VkStructureType)1000496000)
typedef enum VkLayerSettingTypeEXT {
    VK_LAYER_SETTING_TYPE_BOOL32_EXT = 0,
    VK_LAYER_SETTING_TYPE_INT32_EXT = 1,
    VK_LAYER_SETTING_TYPE_INT64_EXT = 2,
    VK_LAYER_SETTING_TYPE_UINT32_EXT = 3,
    VK_LAYER_SETTING_TYPE_UINT64_EXT = 4,
    VK_LAYER_SETTING_TYPE_FLOAT32_EXT = 5,
    VK_LAYER_SETTING_TYPE_FLOAT64_EXT = 6,
    VK_LAYER_SETTING_TYPE_STRING_EXT = 7,
    VK_LAYER_SETTING_TYPE_MAX_ENUM_EXT = 0x7FFFFFFF
} VkLayerSettingTypeEXT;
typedef struct VkLayerSettingEXT {
    const char *pLayerName;
    const char *pSettingName;
    VkLayerSettingTypeEXT type;
    uint32_t valueCount;
    const void *pValues;
} VkLayerSettingEXT;
typedef struct VkLayerSettingsCreateInfoEXT {
    VkStructureType sType;
    const void *pNext;
    uint32_t settingCount;
    const VkLayerSettingEXT *pSettings;
} VkLayerSettingsCreateInfoEXT;
#endif

/* VK_KHR_maintenance6: one result per element of vkBind*Memory2. */
#ifndef VK_KHR_maintenance6
#define VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS ((VkStructureType)1000545002)
typedef struct VkBindMemoryStatus {
    VkStructureType sType;
    const void *pNext;
    VkResult *pResult;
} VkBindMemoryStatus;
#endif
