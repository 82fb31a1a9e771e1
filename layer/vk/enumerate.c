/* SPDX-License-Identifier: MIT
 *
 * vkEnumerate*Properties: the layer describes itself when it is asked by name and passes everything
 * else down. It adds no extension (LLP_LAYER_16 forbids it for the NULL layer name). */
#include "objects.h"

#include <string.h>

static const VkLayerProperties layer_properties = {
    .layerName = SPW_LAYER_NAME,
    .specVersion = VK_HEADER_VERSION_COMPLETE,
    .implementationVersion = 1,
    .description = SPW_LAYER_DESCRIPTION,
};

static bool is_ours(const char *layer_name)
{
    return layer_name && strcmp(layer_name, SPW_LAYER_NAME) == 0;
}

/* The two-call idiom over one element. */
static VkResult answer_layer(uint32_t *count, VkLayerProperties *properties)
{
    if (!properties) {
        *count = 1;
        return VK_SUCCESS;
    }
    if (*count < 1)
        return VK_INCOMPLETE;
    *count = 1;
    properties[0] = layer_properties;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL spw_EnumerateInstanceLayerProperties(uint32_t *pPropertyCount,
                                                                    VkLayerProperties *pProperties)
{
    return answer_layer(pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_EnumerateDeviceLayerProperties(VkPhysicalDevice physicalDevice,
                                                                  uint32_t *pPropertyCount,
                                                                  VkLayerProperties *pProperties)
{
    (void)physicalDevice;
    return answer_layer(pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_EnumerateInstanceExtensionProperties(
    const char *pLayerName, uint32_t *pPropertyCount, VkExtensionProperties *pProperties)
{
    (void)pProperties;
    if (!is_ours(pLayerName))
        return VK_ERROR_LAYER_NOT_PRESENT;
    *pPropertyCount = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
spw_EnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice, const char *pLayerName,
                                       uint32_t *pPropertyCount, VkExtensionProperties *pProperties)
{
    if (is_ours(pLayerName)) {
        *pPropertyCount = 0;
        return VK_SUCCESS;
    }
    struct spw_instance *instance = spw_instance_of(physicalDevice);
    if (!instance)
        return VK_ERROR_INITIALIZATION_FAILED;
    return instance->next.EnumerateDeviceExtensionProperties(physicalDevice, pLayerName,
                                                             pPropertyCount, pProperties);
}
