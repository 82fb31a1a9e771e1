/* SPDX-License-Identifier: MIT
 *
 * "8GiB", "512 MiB", "60%", "1.5GiB", "4096": sizes as people write them. */
#pragma once

#include "base.h"

enum spw_size_kind {
    SPW_SIZE_UNSET, /* not configured: the formula of the setting's own default applies */
    SPW_SIZE_BYTES,
    SPW_SIZE_PERCENT, /* of what the setting says it is a share of */
};

struct spw_size {
    enum spw_size_kind kind;
    uint64_t bytes;
    double percent; /* 0 to 100 */
};

/* Units: none or B (bytes), KiB MiB GiB TiB (1024), KB MB GB TB (1000), also K M G T (1024, as most
 * tools have them), upper or lower case, with or without a space before; decimals ("1.5GiB", digits
 * on both sides) with a unit above the byte, rounded down to a whole byte. '%' from 0 to 100, to
 * nine decimals. Locale plays no part ('.' is the decimal point). SPW_INVALID, *out untouched:
 * anything else, also blanks around it, a sign, or more than UINT64_MAX bytes. */
SPW_MUST_CHECK enum spw_result spw_size_parse(const char *text, struct spw_size *out);

/* Writes what spw_size_parse() reads back to the same size: bytes as a number, "12.5%", "" where
 * unset. Cut to text_size like snprintf. */
void spw_size_print(struct spw_size size, char *text, size_t text_size);

/* Bytes; a percentage is taken of `whole`, at most all of it; UNSET gives `unset`. */
uint64_t spw_size_resolve(struct spw_size size, uint64_t whole, uint64_t unset);
