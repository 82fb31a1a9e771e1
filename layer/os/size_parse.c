/* SPDX-License-Identifier: MIT
 *
 * Sizes as text. strtod and printf's floating point follow the program's locale, so the digits are
 * read and written here, in integers. */
#include "size_parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A percentage is kept to this fraction of a percent. */
#define PERCENT_DIGITS   9
#define PERCENT_FRACTION UINT64_C(1000000000)

struct unit {
    const char *name; /* lower case */
    uint64_t bytes;
};

static const struct unit units[] = {
    {"", 1},
    {"b", 1},
    {"k", SPW_KIB},
    {"kib", SPW_KIB},
    {"kb", UINT64_C(1000)},
    {"m", SPW_MIB},
    {"mib", SPW_MIB},
    {"mb", UINT64_C(1000000)},
    {"g", SPW_GIB},
    {"gib", SPW_GIB},
    {"gb", UINT64_C(1000000000)},
    {"t", SPW_GIB << 10},
    {"tib", SPW_GIB << 10},
    {"tb", UINT64_C(1000000000000)},
};

/* A number as written: the whole part's value and the digits after the point. */
struct number {
    uint64_t whole;
    const char *digits;
    size_t digit_count;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Advances *text past the number. */
static bool read_number(const char **text, struct number *out)
{
    const char *p = *text;
    if (!is_digit(*p)) {
        return false;
    }
    for (; is_digit(*p); p++) {
        if (!spw_mul_u64(out->whole, 10, &out->whole) ||
            !spw_add_u64(out->whole, (uint64_t)(*p - '0'), &out->whole)) {
            return false;
        }
    }
    if (*p == '.') {
        out->digits = ++p;
        while (is_digit(*p)) {
            p++;
        }
        out->digit_count = (size_t)(p - out->digits);
        if (out->digit_count == 0) {
            return false;
        }
    }
    *text = p;
    return true;
}

static const struct unit *find_unit(const char *text)
{
    for (size_t i = 0; i < SPW_ARRAY_SIZE(units); i++) {
        const char *name = units[i].name;
        const char *p = text;
        while (*name != '\0' && to_lower(*p) == *name) {
            name++;
            p++;
        }
        if (*name == '\0' && *p == '\0') {
            return &units[i];
        }
    }
    return NULL;
}

/* The fraction times `scale`, rounded down. From the last digit to the first, because
 * floor((a + floor(x)) / 10) = floor((a + x) / 10) for a whole a: exact for any number of digits.
 */
static uint64_t scale_fraction(const struct number *n, uint64_t scale)
{
    uint64_t scaled = 0;
    for (size_t i = n->digit_count; i > 0; i--) {
        scaled = ((uint64_t)(n->digits[i - 1] - '0') * scale + scaled) / 10;
    }
    return scaled;
}

static enum spw_result percent_from_number(const struct number *n, struct spw_size *out)
{
    bool has_fraction = false;
    for (size_t i = 0; i < n->digit_count; i++) {
        has_fraction |= n->digits[i] != '0';
    }
    if (n->whole > 100 || (n->whole == 100 && has_fraction)) {
        return SPW_INVALID;
    }
    /* Below 2^53, so that the division alone rounds, and print finds the same whole number again.
     */
    uint64_t fractions = n->whole * PERCENT_FRACTION + scale_fraction(n, PERCENT_FRACTION);
    *out = (struct spw_size){.kind = SPW_SIZE_PERCENT,
                             .percent = (double)fractions / (double)PERCENT_FRACTION};
    return SPW_OK;
}

enum spw_result spw_size_parse(const char *text, struct spw_size *out)
{
    struct number n = {0};
    if (text == NULL || !read_number(&text, &n)) {
        return SPW_INVALID;
    }
    bool has_space = *text == ' ';
    if (has_space) {
        text++;
    }
    if (strcmp(text, "%") == 0) {
        return percent_from_number(&n, out);
    }
    const struct unit *unit = find_unit(text);
    if (unit == NULL || (has_space && *unit->name == '\0') ||
        (n.digit_count > 0 && unit->bytes == 1)) {
        return SPW_INVALID;
    }
    uint64_t bytes;
    if (!spw_mul_u64(n.whole, unit->bytes, &bytes) ||
        !spw_add_u64(bytes, scale_fraction(&n, unit->bytes), &bytes)) {
        return SPW_INVALID;
    }
    *out = (struct spw_size){.kind = SPW_SIZE_BYTES, .bytes = bytes};
    return SPW_OK;
}

static void print_percent(double percent, char *text, size_t text_size)
{
    uint64_t fractions = (uint64_t)(percent * (double)PERCENT_FRACTION + 0.5);
    char digits[PERCENT_DIGITS + 1];
    snprintf(digits, sizeof(digits), "%09u", (unsigned)(fractions % PERCENT_FRACTION));
    size_t count = PERCENT_DIGITS;
    while (count > 0 && digits[count - 1] == '0') {
        count--;
    }
    snprintf(text, text_size, "%u%s%.*s%%", (unsigned)(fractions / PERCENT_FRACTION),
             count > 0 ? "." : "", (int)count, digits);
}

void spw_size_print(struct spw_size size, char *text, size_t text_size)
{
    switch (size.kind) {
    case SPW_SIZE_UNSET:
        break;
    case SPW_SIZE_BYTES:
        snprintf(text, text_size, "%" PRIu64, size.bytes);
        return;
    case SPW_SIZE_PERCENT:
        print_percent(size.percent, text, text_size);
        return;
    }
    if (text_size > 0) {
        text[0] = '\0';
    }
}

/* The comparisons are written so that NaN is nothing, and so that no double too large is ever
 * converted. */
static uint64_t share_of(uint64_t whole, double percent)
{
    if (!(percent > 0)) {
        return 0;
    }
    if (percent >= 100) {
        return whole;
    }
    double share = (double)whole * percent / 100;
    return share < (double)whole ? spw_min_u64((uint64_t)share, whole) : whole;
}

uint64_t spw_size_resolve(struct spw_size size, uint64_t whole, uint64_t unset)
{
    switch (size.kind) {
    case SPW_SIZE_UNSET:
        return unset;
    case SPW_SIZE_BYTES:
        return size.bytes;
    case SPW_SIZE_PERCENT:
        return share_of(whole, size.percent);
    }
    return unset;
}
