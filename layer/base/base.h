/* SPDX-License-Identifier: MIT
 *
 * What every ring may lean on: attributes, units, checked arithmetic and the result type of
 * everything below the Vulkan glue. No state, no Vulkan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPW_MUST_CHECK    __attribute__((warn_unused_result))
#define SPW_PRINTF(f, a)  __attribute__((format(printf, f, a)))
#define SPW_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define SPW_KIB ((uint64_t)1 << 10)
#define SPW_MIB ((uint64_t)1 << 20)
#define SPW_GIB ((uint64_t)1 << 30)

/* What functions below the glue return. NO_ROOM is an answer, not a failure: no tier could take it.
 * The glue maps these to VkResult in one place (vk/result.c). */
enum spw_result {
    SPW_OK = 0,
    SPW_NO_ROOM,        /* no device or overflow memory left for it */
    SPW_NO_HOST_MEMORY, /* malloc failed */
    SPW_IO,             /* the operating system said no: errno tells */
    SPW_INVALID,        /* the input is not what it has to be */
    SPW_NOT_FOUND,
};

/* States what only a mistake of ours could make false. Check builds stop there (a line on stderr,
 * then abort); shipped builds evaluate nothing, whatever NDEBUG says. */
#ifdef SPW_CHECK
_Noreturn void spw_check_failed(const char *file, int line, const char *what);
#define SPW_CHECK_THAT(cond) ((cond) ? (void)0 : spw_check_failed(__FILE__, __LINE__, #cond))
#else
#define SPW_CHECK_THAT(cond) ((void)sizeof(!(cond)))
#endif

/* Sizes and offsets are uint64_t bytes. These say false, and leave *out alone, where the true
 * result does not fit. */
static inline bool spw_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool spw_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* a - b, but never below zero: what budgets and head-room want. */
static inline uint64_t spw_sub_sat_u64(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* a + b, but never beyond UINT64_MAX. */
static inline uint64_t spw_add_sat_u64(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t spw_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t spw_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
