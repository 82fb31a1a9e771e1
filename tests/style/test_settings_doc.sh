#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# README.md with one mistake each: test_settings_doc finds it. test_settings_doc.sh PROGRAM README
set -u
program=$1
readme=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/spillway-style.XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0

# finds WORDS SED-SCRIPT
finds() {
    sed -e "$2" "$readme" >"$work/README.md"
    ! cmp -s "$readme" "$work/README.md" || { echo "FAILED: '$2' changes nothing" >&2; failures=1; }
    if "$program" "$work/README.md" 2>"$work/said"; then
        echo "FAILED: '$2' is not found" >&2
        failures=1
    fi
    grep -q -F -e "$1" "$work/said" ||
        { echo "FAILED: '$2' is found for another reason: $(cat "$work/said")" >&2; failures=1; }
}
finds "where 'mode' is expected" '/^| `mode` /d'
finds "where 'nothing more' is expected" 's/^\(| `stats` .*\)$/\1\n| `sttas` | `none` | nothing |/'
finds "where 'report' is expected" 's/^\(| `mode` .*\)$/\1\n\1/'
finds "the default is \`true\`" 's/^| `enabled` | `true`/| `enabled` | `false`/'
finds "has other numbers" '/^| `reserve` /s/256/265/'
finds "has other numbers" '/^| `host_floor` /s/10/12/'
finds "does not tell" 's/^| `vram_limit` | [^|]*|/| `vram_limit` | |/'
finds "no variable 'SPILLWAY_VRAM_LIMITS'" 's/SPILLWAY_VRAM_LIMIT=/SPILLWAY_VRAM_LIMITS=/'
finds "0 of" '/^## Settings$/d'
exit $failures
