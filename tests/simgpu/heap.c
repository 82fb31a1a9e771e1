/* SPDX-License-Identifier: MIT
 *
 * A heap: see heap.h. */
#include "heap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* File length in heap sizes: section "heap" of README.md. */
#define HEAP_FILE_FACTOR 64
/* Where ranges begin: the sparse block size, so that any allocation can be bound block by block. */
#define HEAP_ALIGNMENT ((uint64_t)65536)
#define HEAP_PAGE      ((uint64_t)4096)
/* Fresh memory up to this size is filled with POISON_WORD; of larger ranges only the first and last
 * POISON_EDGE bytes, because every page touched for the first time costs 10 to 40 us on a small VM.
 */
#define POISON_ALL  ((uint64_t)1 << 20)
#define POISON_EDGE ((uint64_t)65536)
/* A NaN as a float, a huge index as an integer, two odd halves as 16-bit floats (one a NaN). */
#define POISON_WORD UINT32_C(0xFFFA5A5A)

bool sim_heap_init(struct sim_heap *heap, const char *name, uint64_t limit, bool poison)
{
    uint64_t length = limit > INT64_MAX / HEAP_FILE_FACTOR ? INT64_MAX & ~(HEAP_ALIGNMENT - 1)
                                                           : limit * HEAP_FILE_FACTOR;
    length &= ~(HEAP_ALIGNMENT - 1);
    *heap = (struct sim_heap){.limit = limit, .poison = poison, .lock = PTHREAD_MUTEX_INITIALIZER};
    heap->fd = memfd_create(name, MFD_CLOEXEC);
    heap->free_ranges = calloc(64, sizeof(*heap->free_ranges));
    heap->free_capacity = 64;
    if (heap->fd < 0 || heap->free_ranges == NULL || ftruncate(heap->fd, (off_t)length) != 0)
        return false;
    heap->free_ranges[0] = (struct sim_range){.offset = 0, .size = length};
    heap->free_count = 1;
    return true;
}

static void remove_range(struct sim_heap *heap, size_t i)
{
    heap->free_count--;
    memmove(&heap->free_ranges[i], &heap->free_ranges[i + 1],
            (heap->free_count - i) * sizeof(*heap->free_ranges));
}

/* Next fit: goes on behind the last range given out. */
static bool take_range_locked(struct sim_heap *heap, uint64_t size, uint64_t *offset)
{
    for (size_t n = 0; n < heap->free_count; n++) {
        size_t i = (heap->cursor + n) % heap->free_count;
        struct sim_range *r = &heap->free_ranges[i];
        if (r->size < size)
            continue;
        *offset = r->offset;
        r->offset += size;
        r->size -= size;
        heap->cursor = i;
        if (r->size == 0)
            remove_range(heap, i);
        return true;
    }
    return false;
}

/* Puts a range back, merged with its neighbours. On lack of memory the addresses are lost, which
 * only shortens the file. */
static void give_range_locked(struct sim_heap *heap, uint64_t offset, uint64_t size)
{
    size_t low = 0, high = heap->free_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (heap->free_ranges[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    struct sim_range *before = low > 0 ? &heap->free_ranges[low - 1] : NULL;
    struct sim_range *after = low < heap->free_count ? &heap->free_ranges[low] : NULL;
    if (before != NULL && before->offset + before->size == offset) {
        before->size += size;
        if (after != NULL && before->offset + before->size == after->offset) {
            before->size += after->size;
            remove_range(heap, low);
            heap->cursor -= heap->cursor >= low && heap->cursor > 0;
        }
        return;
    }
    if (after != NULL && offset + size == after->offset) {
        after->offset = offset;
        after->size += size;
        return;
    }
    if (heap->free_count == heap->free_capacity) {
        struct sim_range *bigger =
            realloc(heap->free_ranges, heap->free_capacity * 2 * sizeof(*heap->free_ranges));
        if (bigger == NULL)
            return;
        heap->free_ranges = bigger;
        heap->free_capacity *= 2;
    }
    memmove(&heap->free_ranges[low + 1], &heap->free_ranges[low],
            (heap->free_count - low) * sizeof(*heap->free_ranges));
    heap->free_ranges[low] = (struct sim_range){.offset = offset, .size = size};
    heap->free_count++;
    heap->cursor += heap->cursor >= low;
}

static void poison(const struct sim_heap *heap, uint64_t offset, uint64_t size)
{
    uint32_t words[4096];
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        words[i] = POISON_WORD;
    for (uint64_t done = 0; done < size;) {
        uint64_t chunk = size - done < sizeof(words) ? size - done : sizeof(words);
        ssize_t written = pwrite(heap->fd, words, (size_t)chunk, (off_t)(offset + done));
        if (written <= 0)
            return;
        done += (uint64_t)written;
    }
}

static uint64_t whole(uint64_t size, uint64_t unit)
{
    return (size + unit - 1) & ~(unit - 1);
}

static uint64_t room_locked(const struct sim_heap *heap)
{
    return heap->limit > heap->taken ? heap->limit - heap->taken : 0;
}

bool sim_heap_take(struct sim_heap *heap, uint64_t size, uint64_t beyond, uint64_t *offset)
{
    uint64_t pages = whole(size, HEAP_PAGE);
    pthread_mutex_lock(&heap->lock);
    uint64_t most = room_locked(heap) + beyond;
    bool fits = size <= heap->limit && heap->used <= most && pages <= most - heap->used &&
                take_range_locked(heap, whole(size, HEAP_ALIGNMENT), offset);
    if (fits) {
        heap->used += pages;
        heap->allocations++;
        if (heap->peak < heap->used)
            heap->peak = heap->used;
    } else {
        heap->refusals++;
    }
    pthread_mutex_unlock(&heap->lock);
    if (!fits || !heap->poison)
        return fits;
    if (pages <= POISON_ALL) {
        poison(heap, *offset, pages);
    } else {
        poison(heap, *offset, POISON_EDGE);
        poison(heap, *offset + pages - POISON_EDGE, POISON_EDGE);
    }
    return true;
}

void sim_heap_note_failure(struct sim_heap *heap, bool refusal)
{
    pthread_mutex_lock(&heap->lock);
    heap->allocations--;
    heap->refusals += refusal;
    pthread_mutex_unlock(&heap->lock);
}

void sim_heap_give(struct sim_heap *heap, uint64_t offset, uint64_t size)
{
    /* Before the range can be taken again: the hole would eat the next owner's bytes. */
    fallocate(heap->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
              (off_t)whole(size, HEAP_ALIGNMENT));
    pthread_mutex_lock(&heap->lock);
    heap->used -= whole(size, HEAP_PAGE);
    give_range_locked(heap, offset, whole(size, HEAP_ALIGNMENT));
    pthread_mutex_unlock(&heap->lock);
}

void sim_heap_set_taken(struct sim_heap *heap, uint64_t bytes)
{
    pthread_mutex_lock(&heap->lock);
    heap->taken = bytes;
    pthread_mutex_unlock(&heap->lock);
}

uint64_t sim_heap_room(struct sim_heap *heap)
{
    pthread_mutex_lock(&heap->lock);
    uint64_t room = room_locked(heap);
    pthread_mutex_unlock(&heap->lock);
    return room;
}

struct sim_heap_numbers sim_heap_numbers(struct sim_heap *heap)
{
    pthread_mutex_lock(&heap->lock);
    struct sim_heap_numbers numbers = {.used = heap->used,
                                       .peak = heap->peak,
                                       .allocations = heap->allocations,
                                       .refusals = heap->refusals};
    pthread_mutex_unlock(&heap->lock);
    return numbers;
}
