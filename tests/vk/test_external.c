/* SPDX-License-Identifier: MIT
 *
 * Memory that is shared with others is the driver's own business: exported and imported allocations
 * of a device-local type stay in that type, full or not.
 *
 *   test_external export TOTAL   exportable allocations until refused: by the card, before TOTAL
 *   test_external import         host memory imported into a device-local type it is allowed in */
#include "vk_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hoard.h"

#define STEP_BYTES ((VkDeviceSize)1 << 20)

static void export(struct vkf *f, VkDeviceSize total)
{
    VkExportMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    uint32_t type = vkf_want_type(f, UINT32_MAX, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VkDeviceMemory *list = calloc((size_t)(total / STEP_BYTES), sizeof(*list));
    uint32_t count = 0;
    VkResult result = VK_SUCCESS;
    VKF_CHECK(list, "no memory");
    for (; count < total / STEP_BYTES; count++) {
        result = vkf_try_allocate(f, STEP_BYTES, type, &info, &list[count]);
        if (result != VK_SUCCESS)
            break;
    }
    printf("%u exportable allocations, then %s\n", count, vkf_result_name(result));
    VKF_CHECK(count > 0 || result == VK_ERROR_OUT_OF_DEVICE_MEMORY, "the first was answered %s",
              vkf_result_name(result));
    VKF_CHECK(result == VK_ERROR_OUT_OF_DEVICE_MEMORY, "exportable memory went beyond the card");
    while (count > 0)
        vkf_free(f, list[--count]);
    free(list);
}

static void import(struct vkf *f)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
    vkGetPhysicalDeviceProperties2(f->gpu, &properties);
    size_t alignment = host.minImportedHostPointerAlignment;
    void *bytes = aligned_alloc(alignment, STEP_BYTES);
    VKF_CHECK(bytes, "no memory");
    PFN_vkGetMemoryHostPointerPropertiesEXT get_properties =
        (PFN_vkGetMemoryHostPointerPropertiesEXT)vkf_device_proc(
            f, "vkGetMemoryHostPointerPropertiesEXT");
    VkMemoryHostPointerPropertiesEXT pointer = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VKF_VK(get_properties(f->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, bytes,
                          &pointer));
    VkImportMemoryHostPointerInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
        .pHostPointer = bytes,
    };
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
    };
    VkBufferCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = &external,
        .size = STEP_BYTES,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    struct vkf_buffer buffer = {.size_bytes = STEP_BYTES};
    VKF_VK(vkCreateBuffer(f->device, &create, NULL, &buffer.handle));
    vkGetBufferMemoryRequirements(f->device, buffer.handle, &buffer.requirements);
    uint32_t type =
        vkf_want_type(f, pointer.memoryTypeBits & buffer.requirements.memoryTypeBits, 0);
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VKF_VK(vkf_try_allocate(f, STEP_BYTES, type, &info, &memory));
    VKF_VK(vkBindBufferMemory(f->device, buffer.handle, memory, 0));
    content_pattern(5, 0, bytes, STEP_BYTES);
    uint8_t *copy = malloc(STEP_BYTES);
    VKF_CHECK(copy, "no memory");
    vkf_buffer_read(f, buffer.handle, 0, copy, STEP_BYTES);
    VKF_CHECK(content_compare(5, 0, copy, STEP_BYTES) == STEP_BYTES, "the GPU reads other bytes");
    free(copy);
    vkf_buffer_destroy(f, &buffer);
    vkf_free(f, memory);
    free(bytes);
}

int main(int argc, char **argv)
{
    static const char *const fd[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
    static const char *const host[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    bool exports = argc == 3 && strcmp(argv[1], "export") == 0;
    if (!exports && !(argc == 2 && strcmp(argv[1], "import") == 0))
        return VKF_EXIT_USAGE;
    struct vkf f;
    struct hoard hoard;
    vkf_begin(&f, &(struct vkf_options){.device_extensions = exports ? fd : host,
                                        .device_extension_count = 1});
    hoard_begin(&hoard, &f, 40);
    /* Imported or not, the card is full to the brim and beyond. */
    hoard_fill_up(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES,
                  exports ? vkf_vram_bytes(&f) / 8 : (VkDeviceSize)24 << 20);
    if (exports)
        export(&f, vkf_parse_size(argv[2]));
    else
        import(&f);
    hoard_exercise(&hoard);
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
