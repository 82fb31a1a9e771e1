/* SPDX-License-Identifier: MIT
 *
 * Memory that is shared with others, or that asks for something Spillway has never heard of, is the
 * driver's own business: allocations of a device-local type stay in that type, full or not.
 *
 *   test_external export TOTAL    exportable allocations until refused: by the card, before TOTAL
 *   test_external unknown TOTAL   the same with a structure in the chain that nobody knows
 *   test_external import          host memory imported */
#include "vk_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hoard.h"

#define STEP_BYTES ((VkDeviceSize)1 << 20)

/* Fills the card with allocations that have `next` in their chain. */
static void left_alone(struct vkf *f, const void *next, VkDeviceSize total)
{
    uint32_t type = vkf_want_type(f, UINT32_MAX, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VkDeviceMemory *list = calloc((size_t)(total / STEP_BYTES), sizeof(*list));
    uint32_t count = 0;
    VkResult result = VK_SUCCESS;
    VKF_CHECK(list, "no memory");
    for (; count < total / STEP_BYTES; count++) {
        result = vkf_try_allocate(f, STEP_BYTES, type, next, &list[count]);
        if (result != VK_SUCCESS)
            break;
    }
    printf("%u allocations, then %s\n", count, vkf_result_name(result));
    VKF_CHECK(count > 0, "the first was answered %s", vkf_result_name(result));
    VKF_CHECK(result == VK_ERROR_OUT_OF_DEVICE_MEMORY, "they went on beyond the card: %s",
              vkf_result_name(result));
    while (count > 0)
        vkf_free(f, list[--count]);
    free(list);
}

static void export(struct vkf *f, VkDeviceSize total)
{
    VkExportMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    left_alone(f, &info, total);
}

static void unknown(struct vkf *f, VkDeviceSize total)
{
    /* A number of an extension that does not exist. */
    VkBaseInStructure info = {.sType = (VkStructureType)1999999000};
    left_alone(f, &info, total);
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
    static const char *const host[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    const char *what = argc > 1 ? argv[1] : "";
    bool imports = argc == 2 && strcmp(what, "import") == 0;
    struct vkf f;
    struct hoard hoard;
    vkf_begin(&f, &(struct vkf_options){.device_extensions = host,
                                        .device_extension_count = imports ? 1 : 0});
    hoard_begin(&hoard, &f, 40);
    /* Imports with a card that is full to the brim and beyond; what fills the card with some on it.
     */
    hoard_fill_up(&hoard, HOARD_BUFFER, HOARD_DEVICE, STEP_BYTES,
                  (VkDeviceSize)(imports ? 24 : 4) << 20);
    if (imports)
        import(&f);
    else if (argc == 3 && strcmp(what, "export") == 0)
        export(&f, vkf_parse_size(argv[2]));
    else if (argc == 3 && strcmp(what, "unknown") == 0)
        unknown(&f, vkf_parse_size(argv[2]));
    else
        vkf_exit_with(VKF_EXIT_USAGE, __FILE__, __LINE__, "what to do? ('%s')", what);
    hoard_exercise(&hoard);
    hoard_end(&hoard);
    vkf_end(&f);
    return 0;
}
