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

/* VK_KHR_maintenance6: one result per element of vkBind*Memory2. */
#ifndef VK_KHR_maintenance6
#define VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS ((VkStructureType)1000545002)
typedef struct VkBindMemoryStatus {
    VkStructureType sType;
    const void *pNext;
    VkResult *pResult;
} VkBindMemoryStatus;
#endif
