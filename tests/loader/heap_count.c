/* SPDX-License-Identifier: MIT
 *
 * malloc and its family, counted, and failing on demand for the layer alone: this program's
 * definitions come before libc's for the shared object too that it opens. */
#include "fake_world.h"

#include <errno.h>
#include <malloc.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#ifdef SANITIZED

bool heap_is_counted(void)
{
    return false;
}

int64_t heap_live(void)
{
    return 0;
}

void heap_fail_nth(uint32_t n)
{
    (void)n;
}

bool heap_has_failed(void)
{
    return false;
}

#else

static _Atomic int64_t live;
static uint32_t countdown; /* 0: none */
static bool failed;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

bool heap_is_counted(void)
{
    return true;
}

int64_t heap_live(void)
{
    return live;
}

void heap_fail_nth(uint32_t n)
{
    countdown = n;
    failed = false;
}

bool heap_has_failed(void)
{
    return failed;
}

/* Is it this allocation's turn? `caller` is where it returns to. */
static bool must_fail(void *caller)
{
    if (countdown == 0)
        return false;
    uint32_t saved = countdown;
    countdown = 0; /* what the question itself allocates is not asked about */
    bool layers = fake_is_layers((PFN_vkVoidFunction)(uintptr_t)caller);
    countdown = layers ? saved - 1 : saved;
    if (!layers || countdown > 0)
        return false;
    failed = true;
    errno = ENOMEM;
    return true;
}

static void *counted(void *block)
{
    if (block != NULL)
        live++;
    return block;
}

void *malloc(size_t size)
{
    return must_fail(__builtin_return_address(0)) ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return must_fail(__builtin_return_address(0)) ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    if (must_fail(__builtin_return_address(0)))
        return NULL;
    void *moved = __libc_realloc(block, size);
    if (block == NULL)
        return counted(moved);
    if (moved == NULL && size == 0)
        live--;
    return moved;
}

void *memalign(size_t alignment, size_t size)
{
    return must_fail(__builtin_return_address(0)) ? NULL
                                                  : counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return must_fail(__builtin_return_address(0)) ? NULL
                                                  : counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (must_fail(__builtin_return_address(0)))
        return ENOMEM;
    void *got = counted(__libc_memalign(alignment, size));
    if (got == NULL)
        return ENOMEM;
    *block = got;
    return 0;
}

void free(void *block)
{
    if (block != NULL)
        live--;
    __libc_free(block);
}

#endif
