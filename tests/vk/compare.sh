#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compare.sh same|different UNDER PROGRAM [OPTION]...
# Runs `PROGRAM dump` without the layer, and with it under the options, and compares what it prints.
# "different" is there to show that the comparison can tell.
set -eu
expected=$1
under=$2
program=$3
shift 3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$under" --vram 64MiB --layer off -- "$program" dump >"$folder/without" || exit $?
"$under" --vram 64MiB "$@" -- "$program" dump >"$folder/with" || exit $?
# An empty file equals another one.
[ "$(wc -l <"$folder/without")" -gt 20 ] || { echo "hardly anything was printed" >&2; exit 1; }

if diff "$folder/without" "$folder/with"; then
    found=same
else
    found=different
fi
[ "$found" = "$expected" ] || { echo "the two runs are $found, not $expected" >&2; exit 1; }
