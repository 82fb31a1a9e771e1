#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compile_32_bit.sh SOURCE_ROOT PROGRAM COMPILER...: base, core and os as 32-bit code (Steam's older games
# and Wine's 32-bit programs load such layers), warnings as errors, in both forms; then PROGRAM, which runs.
# The shipped object may need nothing beyond libc, so no 64-bit atomic may become a call into libatomic.
# 77 (skipped) where the compiler or libc has no -m32: on Debian, gcc-multilib brings it.
set -eu

root=$1
program=$2
shift 2
flags="-m32 -std=c17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O2 -fPIC -Wall -Wextra -Wpedantic -Wundef -Wshadow
    -Wno-missing-field-initializers -Wno-psabi -Werror
    -I$root/layer/base -I$root/layer/core -I$root/layer/os"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '#include <stdio.h>\nint main(void) { return 0; }\n' >"$work/try.c"
if ! "$@" -m32 "$work/try.c" -o "$work/try" 2>"$work/why" || ! "$work/try"; then
    echo "no 32-bit build here: $(head -n 1 "$work/why")"
    exit 77
fi

# json-c's headers are the same in both widths; its library is not needed to compile.
json_flags=$(pkg-config --cflags json-c)

for form in "" -DSPW_CHECK; do
    rm -f "$work"/*.o
    for source in "$root"/layer/base/*.c "$root"/layer/core/*.c "$root"/layer/os/*.c; do
        # shellcheck disable=SC2086 # flags are words
        "$@" $flags $json_flags $form -c "$source" -o "$work/$(basename "$source" .c).o"
    done
    if nm -u "$work"/*.o | grep '__atomic_'; then
        echo "64-bit atomics call into libatomic"
        exit 1
    fi
done

rm -f "$work/stats_json.o" # the one that needs json-c
# shellcheck disable=SC2086
"$@" $flags -DSPW_CHECK "$program" "$work"/*.o -pthread -o "$work/smoke"
"$work/smoke"
