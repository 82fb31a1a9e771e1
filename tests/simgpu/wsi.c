/* SPDX-License-Identifier: MIT
 *
 * Windows: surfaces and swapchains are the driver's. An acquire is waited for with a fence of the
 * driver's own and then signals ours; a present runs on the queue's worker, behind the work it
 * waits for, while the program's thread waits for its result. */
#include "lost.h"
#include "present_hash.h"
#include "costing.h"
#include "layouts.h"
#include "queue.h"

/* Graphics and compute queues present, transfer-only ones do not, as on NVIDIA's cards. */
static bool family_presents(uint32_t family)
{
    const struct sim_profile *profile = sim_card_get()->profile;
    return family < profile->family_count &&
           (profile->families[family].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT));
}

VKAPI_ATTR VkResult VKAPI_CALL sim_GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice handle,
                                                                      uint32_t family,
                                                                      VkSurfaceKHR surface,
                                                                      VkBool32 *supported)
{
    VkResult result = sim_physical_find(handle)->instance->vk.GetPhysicalDeviceSurfaceSupportKHR(
        handle, 0, surface, supported);
    if (result == VK_SUCCESS && !family_presents(family))
        *supported = VK_FALSE;
    return result;
}

VKAPI_ATTR VkBool32 VKAPI_CALL sim_GetPhysicalDeviceXcbPresentationSupportKHR(
    VkPhysicalDevice handle, uint32_t family, xcb_connection_t *connection, xcb_visualid_t visual)
{
    return family_presents(family) &&
           sim_physical_find(handle)->instance->vk.GetPhysicalDeviceXcbPresentationSupportKHR(
               handle, 0, connection, visual);
}

VKAPI_ATTR VkBool32 VKAPI_CALL sim_GetPhysicalDeviceXlibPresentationSupportKHR(
    VkPhysicalDevice handle, uint32_t family, Display *display, VisualID visual)
{
    return family_presents(family) &&
           sim_physical_find(handle)->instance->vk.GetPhysicalDeviceXlibPresentationSupportKHR(
               handle, 0, display, visual);
}

VKAPI_ATTR VkBool32 VKAPI_CALL sim_GetPhysicalDeviceWaylandPresentationSupportKHR(
    VkPhysicalDevice handle, uint32_t family, struct wl_display *display)
{
    return family_presents(family) &&
           sim_physical_find(handle)->instance->vk.GetPhysicalDeviceWaylandPresentationSupportKHR(
               handle, 0, display);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_CreateSwapchainKHR(VkDevice handle,
                                                      const VkSwapchainCreateInfoKHR *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkSwapchainKHR *swapchain)
{
    VkSwapchainCreateInfoKHR copy = *info;
    copy.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
    copy.queueFamilyIndexCount = 0;
    copy.pQueueFamilyIndices = NULL;
    struct sim_device *device = sim_device_find(handle);
    VkResult result = sim_present_hash_create(device, &copy, allocator, swapchain);
    if (result == VK_SUCCESS)
        sim_layouts_add_swapchain(device, *swapchain, &copy);
    return result;
}

VKAPI_ATTR void VKAPI_CALL sim_DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                   const VkAllocationCallbacks *allocator)
{
    struct sim_device *device = sim_device_find(handle);
    sim_layouts_forget_swapchain(device, swapchain);
    sim_present_hash_forget(device, swapchain);
    device->vk.DestroySwapchainKHR(handle, swapchain, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_AcquireNextImageKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                       uint64_t timeout, VkSemaphore semaphore,
                                                       VkFence fence, uint32_t *index)
{
    struct sim_device *device = sim_device_find(handle);
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence acquired;
    if (sim_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    VkResult result = device->vk.CreateFence(handle, &info, NULL, &acquired);
    if (result != VK_SUCCESS)
        return result;
    result =
        device->vk.AcquireNextImageKHR(handle, swapchain, timeout, VK_NULL_HANDLE, acquired, index);
    if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR) {
        struct sim_point point = {0};
        uint32_t points = 0;
        device->vk.WaitForFences(handle, 1, &acquired, VK_TRUE, UINT64_MAX);
        if (semaphore != VK_NULL_HANDLE) {
            point = sim_point_for_signal(device, semaphore, 0);
            points = 1;
            sim_cost_add_host(&point);
        }
        sim_points_signal(device, &point, points, sim_fence_find(device, fence));
    }
    device->vk.DestroyFence(handle, acquired, NULL);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL sim_AcquireNextImage2KHR(VkDevice handle,
                                                        const VkAcquireNextImageInfoKHR *info,
                                                        uint32_t *index)
{
    return sim_AcquireNextImageKHR(handle, info->swapchain, info->timeout, info->semaphore,
                                   info->fence, index);
}

VKAPI_ATTR VkResult VKAPI_CALL sim_QueuePresentKHR(VkQueue handle, const VkPresentInfoKHR *info)
{
    struct sim_queue *queue = sim_queue_from(handle);
    struct sim_present present = {.info = info, .result = VK_ERROR_DEVICE_LOST};
    struct sim_fence done = {0};
    struct sim_op_list list;
    VkResult result = sim_device_status(queue->device);
    if (result == VK_SUCCESS)
        result = sim_fifo_start(&queue->work);
    if (result != VK_SUCCESS)
        return result;
    struct sim_op *op = sim_op_create(info->waitSemaphoreCount, 0, 0, 0);
    if (op == NULL)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
        op->waits[i] = sim_point_for_wait(queue->device, info->pWaitSemaphores[i], 0);
    op->present = &present;
    op->fence = &done;
    sim_op_list_init(&list);
    sim_op_list_add(&list, op);
    sim_fifo_push(&queue->work, &list);
    sim_fence_wait(queue->device, &done);
    return present.result;
}
