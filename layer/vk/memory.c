/* SPDX-License-Identifier: MIT
 *
 * vkAllocateMemory and vkFreeMemory: walks the placement list (core/placement.h) until the driver
 * takes one. Room is booked before the driver is asked and given back when it refuses; no lock is
 * held across a call down. The handle that the program gets is the driver's own. */
#include "memory.h"

#include "allocation_info.h"
#include "host_alloc.h"
#include "log.h"
#include "physical_device.h"
#include "placement.h"
#include "requirements.h"

/* Lists made for one request while other threads keep taking the room that they name. Each attempt
 * fails only if another thread's allocation succeeded meanwhile. */
#define MAX_ATTEMPTS 8

#define MIB(bytes) ((unsigned long long)((bytes) / SPW_MIB))

/* One request on its way to memory. */
struct request {
    struct spw_device *device;
    const VkMemoryAllocateInfo *info;
    const VkAllocationCallbacks *allocator;
    struct spw_memory *record; /* filled in as it goes */
    VkDeviceMemory *out;
};

const struct spw_memory *spw_memory_find(struct spw_device *device, VkDeviceMemory memory)
{
    return spw_handle_map_find(&device->memories, SPW_HANDLE_KEY(memory));
}

static bool is_refusal(VkResult result)
{
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Books record (its types and size are set) or takes it off again. */
static void book(struct request *r, bool add)
{
    struct spw_physical_device *physical = r->device->physical;
    struct spw_memory *m = r->record;
    spw_mutex_lock(&physical->lock);
    if (add)
        spw_account_add(&physical->account, m->asked_type, m->placed_type, m->size_bytes);
    else
        spw_account_remove(&physical->account, m->asked_type, m->placed_type, m->size_bytes);
    spw_mutex_unlock(&physical->lock);
}

static void give_back_promise(struct spw_memory *m)
{
    if (m->promised_bytes)
        spw_host_promise_give_back(&spw_process_get()->host_promise, m->promised_bytes);
    m->promised_bytes = 0;
}

/* Asks the driver for memory of record->placed_type. What was booked and promised stays only on
 * success. */
static VkResult call_down(struct request *r)
{
    VkMemoryAllocateInfo copy = *r->info;
    copy.memoryTypeIndex = r->record->placed_type;
    VkResult result =
        r->device->next.AllocateMemory(r->device->handle, &copy, r->allocator, r->out);
    if (result != VK_SUCCESS) {
        book(r, false);
        give_back_promise(r->record);
    }
    return result;
}

/* Is there still room for this placement, now that the lock is held again? Another thread may have
 * been faster. Books it if so. */
static bool try_book_room(struct request *r, const struct spw_placement *placement)
{
    struct spw_physical_device *physical = r->device->physical;
    struct spw_memory *m = r->record;
    struct spw_account *account = &physical->account;
    uint32_t heap = account->layout.types[placement->type].heap;
    spw_mutex_lock(&physical->lock);
    uint64_t room = placement->why == SPW_WHY_VRAM_RESERVE
                        ? spw_account_room_to_limit(account, heap)
                        : spw_account_room_to_target(account, heap);
    room = spw_min_u64(room, spw_account_room_to_commit(account));
    if (placement->tier == SPW_TIER_HOST)
        room = spw_min_u64(room, spw_account_room_in_host_tier(account));
    bool booked = m->size_bytes <= room;
    if (booked) {
        m->placed_type = placement->type;
        m->tier = placement->tier;
        spw_account_add(account, m->asked_type, m->placed_type, m->size_bytes);
    }
    spw_mutex_unlock(&physical->lock);
    return booked;
}

enum booking {
    BOOKED,
    BOOKING_RACED, /* another thread took the room since the list was made */
    BOOKING_FLOOR, /* host memory is down to its floor */
};

static enum booking try_book(struct request *r, const struct spw_placement *placement)
{
    struct spw_memory *m = r->record;
    if (!try_book_room(r, placement))
        return BOOKING_RACED;
    if (placement->tier != SPW_TIER_HOST)
        return BOOKED;
    if (spw_host_take(r->device->physical, m->size_bytes) != SPW_OK) {
        book(r, false);
        return BOOKING_FLOOR;
    }
    m->promised_bytes = m->size_bytes;
    return BOOKED;
}

static void note_placed(struct request *r, enum spw_why why)
{
    struct spw_physical_device *physical = r->device->physical;
    struct spw_memory *m = r->record;
    spw_mutex_lock(&physical->lock);
    spw_stats_note_placed(&r->device->stats, m->tier, m->asked_type, m->placed_type, why,
                          m->size_bytes);
    spw_mutex_unlock(&physical->lock);
    if (m->asked_type != m->placed_type)
        spw_log(SPW_LOG_INFO, "'%s': %llu MiB of memory type %u placed in type %u (%s)",
                physical->name, MIB(m->size_bytes), m->asked_type, m->placed_type,
                spw_why_name(why));
}

/* The state dump that goes with a refusal: what is full. */
static void note_refused(struct request *r, enum spw_refusal refusal)
{
    struct spw_physical_device *physical = r->device->physical;
    uint64_t host_room = spw_host_room(physical);
    spw_mutex_lock(&physical->lock);
    spw_stats_note_refused(&r->device->stats, refusal);
    const struct spw_account *account = &physical->account;
    uint32_t heap = account->layout.types[r->info->memoryTypeIndex].heap;
    uint64_t committed = account->committed, cap = account->config.commit_cap;
    uint64_t used = spw_account_used(account, heap), limit = account->config.limit[heap];
    uint64_t host = account->host_bytes;
    spw_mutex_unlock(&physical->lock);
    spw_log(SPW_LOG_WARN,
            "'%s': no room for %llu MiB of memory type %u (%s): committed %llu of %llu MiB, heap "
            "%u uses %llu "
            "of %llu MiB, host tier holds %llu MiB and could take %llu MiB more; the program gets "
            "VK_ERROR_OUT_OF_DEVICE_MEMORY",
            physical->name, MIB(r->info->allocationSize), r->info->memoryTypeIndex,
            spw_refusal_name(refusal), MIB(committed), MIB(cap), heap, MIB(used), MIB(limit),
            MIB(host), MIB(host_room));
}

/* The types that what will be bound can live in. */
static uint32_t allowed_types(struct spw_device *device, const struct spw_allocation_info *what,
                              uint32_t asked_type)
{
    VkMemoryRequirements requirements;
    if (what->buffer) {
        device->next.GetBufferMemoryRequirements(device->handle, what->buffer, &requirements);
        return requirements.memoryTypeBits;
    }
    if (what->image) {
        device->next.GetImageMemoryRequirements(device->handle, what->image, &requirements);
        return requirements.memoryTypeBits;
    }
    return spw_type_classes_allowed(&device->type_classes, asked_type);
}

/* One walk down the list. *raced: somewhere room was lost to another thread, so that a new list may
 * do better. */
static VkResult walk(struct request *r, const struct spw_placement_list *list,
                     enum spw_refusal *refusal, bool *raced)
{
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *refusal = list->refusal;
    *raced = false;
    for (uint32_t i = 0; i < list->count; i++) {
        enum booking booking = try_book(r, &list->items[i]);
        *raced |= booking == BOOKING_RACED;
        if (booking == BOOKING_FLOOR)
            *refusal = SPW_REFUSAL_HOST_FLOOR;
        if (booking != BOOKED)
            continue;
        result = call_down(r);
        if (result == VK_SUCCESS)
            note_placed(r, list->items[i].why);
        if (!is_refusal(result))
            return result;
    }
    return result;
}

static VkResult allocate_placed(struct request *r, const struct spw_allocation_info *what)
{
    struct spw_physical_device *physical = r->device->physical;
    struct spw_placement_request request = {
        .size_bytes = r->record->size_bytes,
        .asked_type = r->record->asked_type,
        .allowed_types = allowed_types(r->device, what, r->record->asked_type),
        /* Not asked ahead: /proc/meminfo is read only when it comes to that (try_book). */
        .host_room = UINT64_MAX,
    };
    struct spw_placement_list list;
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    enum spw_refusal refusal = SPW_REFUSAL_DRIVER;
    bool raced = true;
    for (int attempt = 0; raced && attempt < MAX_ATTEMPTS; attempt++) {
        spw_physical_device_poll(physical);
        spw_mutex_lock(&physical->lock);
        spw_placement_list_fill(&list, &physical->account, &request);
        spw_mutex_unlock(&physical->lock);
        result = walk(r, &list, &refusal, &raced);
        if (!is_refusal(result))
            return result;
    }
    note_refused(r, refusal);
    return result;
}

/* Memory whose type is not ours to change. A limit that the user set still holds for it. */
static VkResult allocate_alone(struct request *r, const struct spw_allocation_info *what)
{
    struct spw_physical_device *physical = r->device->physical;
    struct spw_memory *m = r->record;
    struct spw_account *account = &physical->account;
    uint32_t heap = account->layout.types[m->asked_type].heap;
    m->tier = SPW_TIER_VRAM;
    spw_physical_device_poll(physical);
    spw_mutex_lock(&physical->lock);
    bool limited = account->config.limit[heap] < account->layout.heaps[heap].size_bytes;
    bool booked = !limited || m->size_bytes <= spw_account_room_to_limit(account, heap);
    if (booked)
        spw_account_add(account, m->asked_type, m->placed_type, m->size_bytes);
    spw_mutex_unlock(&physical->lock);
    if (!booked) {
        note_refused(r, SPW_REFUSAL_NO_TYPE);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    VkResult result = call_down(r);
    if (result == VK_SUCCESS) {
        note_placed(r, SPW_WHY_LEFT_ALONE);
        spw_log(SPW_LOG_DEBUG, "'%s': %llu MiB of memory type %u left alone: %s", physical->name,
                MIB(m->size_bytes), m->asked_type, what->leave_alone);
    } else if (is_refusal(result)) {
        note_refused(r, SPW_REFUSAL_DRIVER);
    }
    return result;
}

/* Host memory that the program asked for as such. */
static VkResult allocate_host(struct request *r)
{
    r->record->tier = SPW_TIER_COUNT;
    book(r, true);
    VkResult result = call_down(r);
    if (result == VK_SUCCESS)
        note_placed(r, SPW_WHY_NOT_DEVICE_LOCAL);
    return result;
}

/* Unified memory: nothing is placed, but an allocation that would take the machine below the host
 * floor is refused, before the kernel starts to swap or to kill. */
static VkResult allocate_unified(struct request *r, const struct spw_allocation_info *what)
{
    struct spw_memory *m = r->record;
    m->tier = SPW_TIER_VRAM;
    if (spw_host_take(r->device->physical, m->size_bytes) != SPW_OK) {
        note_refused(r, SPW_REFUSAL_HOST_FLOOR);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    m->promised_bytes = m->size_bytes;
    book(r, true);
    VkResult result = call_down(r);
    if (result == VK_SUCCESS)
        note_placed(r, what->leave_alone ? SPW_WHY_LEFT_ALONE : SPW_WHY_FITS);
    return result;
}

static VkResult allocate(struct request *r)
{
    struct spw_physical_device *physical = r->device->physical;
    const struct spw_memory_layout *layout = &physical->account.layout;
    struct spw_allocation_info what;
    spw_allocation_info_read(&what, r->info, r->device);
    bool device_local = layout->types[r->info->memoryTypeIndex].flags & SPW_MEMORY_DEVICE_LOCAL;
    bool placed = device_local && !physical->unified && !what.leave_alone;
    /* VUID-vkAllocateMemory-pAllocateInfo-01713: more than the heap has is the program's error and
     * the driver's to answer; such a figure would spoil the books. Somebody else's bytes take none
     * of ours. */
    uint64_t heap_bytes = layout->heaps[layout->types[r->info->memoryTypeIndex].heap].size_bytes;
    if (what.imported || (!placed && r->record->size_bytes > heap_bytes))
        r->record->size_bytes = 0;
    if (physical->unified)
        return allocate_unified(r, &what);
    if (!device_local)
        return allocate_host(r);
    return placed ? allocate_placed(r, &what) : allocate_alone(r, &what);
}

VKAPI_ATTR VkResult VKAPI_CALL spw_AllocateMemory(VkDevice device,
                                                  const VkMemoryAllocateInfo *pAllocateInfo,
                                                  const VkAllocationCallbacks *pAllocator,
                                                  VkDeviceMemory *pMemory)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return VK_ERROR_INITIALIZATION_FAILED;
    struct spw_physical_device *physical = object->physical;
    bool ours = physical->mode != SPW_MODE_PASSTHROUGH || physical->unified;
    /* A type index that does not exist is the program's error and the driver's to answer. */
    if (!ours || pAllocateInfo->memoryTypeIndex >= physical->account.layout.type_count)
        return object->next.AllocateMemory(device, pAllocateInfo, pAllocator, pMemory);

    struct spw_memory *record = spw_calloc(1, sizeof(*record));
    if (!record)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    record->size_bytes = pAllocateInfo->allocationSize;
    record->asked_type = record->placed_type = pAllocateInfo->memoryTypeIndex;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    struct request request = {object, pAllocateInfo, pAllocator, record, &memory};
    VkResult result = allocate(&request);
    if (result == VK_SUCCESS &&
        spw_handle_map_insert(&object->memories, SPW_HANDLE_KEY(memory), record) != SPW_OK) {
        object->next.FreeMemory(device, memory, pAllocator);
        book(&request, false);
        give_back_promise(record);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result != VK_SUCCESS) {
        spw_free(record);
        return result;
    }
    *pMemory = memory;
    return VK_SUCCESS;
}

static void forget(struct spw_device *device, struct spw_memory *record)
{
    struct spw_physical_device *physical = device->physical;
    spw_mutex_lock(&physical->lock);
    spw_account_remove(&physical->account, record->asked_type, record->placed_type,
                       record->size_bytes);
    spw_stats_note_freed(&device->stats, record->tier, record->size_bytes);
    spw_mutex_unlock(&physical->lock);
    give_back_promise(record);
    spw_free(record);
}

VKAPI_ATTR void VKAPI_CALL spw_FreeMemory(VkDevice device, VkDeviceMemory memory,
                                          const VkAllocationCallbacks *pAllocator)
{
    struct spw_device *object = spw_device_find(device);
    if (!object)
        return;
    /* Out of the map first: once the driver has freed it, another thread may be given the same
     * handle. Off the books last: room is there only when the driver has it back. */
    struct spw_memory *record =
        memory ? spw_handle_map_remove(&object->memories, SPW_HANDLE_KEY(memory)) : NULL;
    object->next.FreeMemory(device, memory, pAllocator);
    if (record)
        forget(object, record);
}

static void forget_one(uint64_t key, void *value, void *user)
{
    (void)key;
    forget(user, value);
}

void spw_memories_forget(struct spw_device *device)
{
    spw_handle_map_for_each(&device->memories, forget_one, device);
}
