/* SPDX-License-Identifier: MIT
 *
 * What a VkMemoryAllocateInfo asks for: see allocation_info.h. */
#include "allocation_info.h"

/* Newer than the oldest headers that we build against: the values are the registry's for good. */
#define IMPORT_MEMORY_ZIRCON_HANDLE_INFO_FUCHSIA ((VkStructureType)1000364000)

static void read_dedicated(struct spw_allocation_info *out,
                           const VkMemoryDedicatedAllocateInfo *info)
{
    out->buffer = info->buffer;
    out->image = info->image;
}

static void read_flags(struct spw_allocation_info *out, const VkMemoryAllocateFlagsInfo *info,
                       bool group)
{
    if (info->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT)
        out->leave_alone = "its device address is to be replayed";
    /* Without a group the only mask is that of the one device there is. */
    if (group && (info->flags & VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT))
        out->leave_alone = "it has a device mask";
}

static void read_struct(struct spw_allocation_info *out, const VkBaseInStructure *s, bool group)
{
    switch ((int)s->sType) {
    case VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO:
        read_dedicated(out, (const VkMemoryDedicatedAllocateInfo *)s);
        break;
    case VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO:
        read_flags(out, (const VkMemoryAllocateFlagsInfo *)s, group);
        break;
    case VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT:
        break; /* means the same wherever the memory lies */
    case VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO:
        if (((const VkMemoryOpaqueCaptureAddressAllocateInfo *)s)->opaqueCaptureAddress)
            out->leave_alone = "its device address is replayed";
        break;
    case VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO:
        if (((const VkExportMemoryAllocateInfo *)s)->handleTypes)
            out->leave_alone = "it is exported";
        break;
    case VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO_NV:
        if (((const VkExportMemoryAllocateInfoNV *)s)->handleTypes)
            out->leave_alone = "it is exported";
        break;
    case VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR:
        /* "If handleType is 0, this structure is ignored" */
        if (((const VkImportMemoryFdInfoKHR *)s)->handleType) {
            out->leave_alone = "it is imported";
            out->imported = true;
        }
        break;
    case VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT:
        if (((const VkImportMemoryHostPointerInfoEXT *)s)->handleType) {
            out->leave_alone = "it is imported";
            out->imported = true;
        }
        break;
    case IMPORT_MEMORY_ZIRCON_HANDLE_INFO_FUCHSIA:
        out->leave_alone = "it is imported";
        out->imported = true;
        break;
    default:
        out->leave_alone = "its create info has a structure that this version does not know";
        break;
    }
}

void spw_allocation_info_read(struct spw_allocation_info *out, const VkMemoryAllocateInfo *info,
                              const struct spw_device *device)
{
    *out = (struct spw_allocation_info){0};
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
        read_struct(out, s, device->group);
    /* Without a mask, memory of a multi-instance heap has an instance on every device of the group,
     * which no host heap has. */
    if (device->group)
        out->leave_alone = "the device is a group";
    uint32_t flags =
        device->physical->account.layout.types[info->memoryTypeIndex].flags; /* constant */
    if (flags & SPW_MEMORY_PROTECTED)
        out->leave_alone = "it is protected";
    if (flags & SPW_MEMORY_LAZILY_ALLOCATED)
        out->leave_alone = "it is lazily allocated";
}
