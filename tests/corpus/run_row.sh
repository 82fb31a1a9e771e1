#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# One side of one row of rows.txt:
#
#     run_row.sh UNDER PROGRAMS SIDE ROW...     SIDE: without or with; ROW: its number, and which case of it
#     run_row.sh --list                         the rows
#     run_row.sh --field NAME ROW...            what rows.txt says there
#
# UNDER is the program of tests/harness, PROGRAMS the folder where the corpus's programs are. Says in one line
# how it ended for the program. Exit code 0: as rows.txt has it; 77: this machine lacks something; else not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rows=$here/rows.txt

# field NAME: its lines in the row's paragraph, in order, without the name.
field()
{
    awk -v key="row $row" -v name="$1" '
        /^row / { inside = $0 == key }
        inside && $1 == name { sub(/^[^ ]+ ?/, ""); print }' "$rows"
}

known()
{
    grep -q -x -F "row $row" "$rows" || { echo "rows.txt has no 'row $row'" >&2; exit 2; }
}

case ${1:-} in
--list)
    sed -n 's/^row //p' "$rows"
    exit 0
    ;;
--field)
    name=$2
    row=${*:3}
    known
    field "$name"
    exit 0
    ;;
esac
[ $# -ge 4 ] || { sed -n '4,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
under=$1 programs=$2 side=$3
row=${*:4}
known

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Options are words, a check is a whole line.
read -r -a program <<<"$(field program)"
read -r -a card <<<"$(field card)"
card=("${card[@]//@corpus@/$here}")
read -r expected words <<<"$(field "$side")"
options=(--expect "$expected")
if [ "$side" = without ]; then
    options+=(--layer off)
else
    # The machine that runs the tests is not part of the test.
    options+=(--env 'SPILLWAY_TEST_MEMINFO=total=4GiB,available=3GiB')
    read -r -a more <<<"$(field with-options)"
    options+=("${more[@]}")
    if [ "$expected" = 0 ]; then
        options+=(--no-refusals --check 'simgpu.heaps.*.live_bytes == 0'
            --check 'spillway.devices.*.tiers.*.bytes == 0')
    fi
fi
while IFS= read -r line; do
    [ -z "$line" ] || options+=(--check "$line")
done <<<"$(field "$side-check")"

# run OUTPUT OPTION…
run()
{
    local output=$1 status=0
    shift
    "$under" "${card[@]}" "$@" -- "$programs/${program[0]}" "${program[@]:1}" >"$output" 2>"$work/said" || status=$?
    [ "$status" -eq 77 ] || [ "$status" -eq 0 ] || cat "$output" >&2
    [ "$status" -eq 0 ] || { cat "$work/said" >&2; exit "$status"; }
}

run "$work/output" "${options[@]}"
outcome=$(sed -n 's/^outcome: //p' "$work/output")
printf '%s\n' "$outcome"
# shellcheck disable=SC2053 # rows.txt has a pattern
if [ -z "$words" ] || [[ $outcome != $words ]]; then
    printf 'rows.txt has it otherwise: %s\n' "$words" >&2
    exit 1
fi

reference=$(field reference)
if [ "$side" = with ] && [ -n "$reference" ]; then
    read -r -a more <<<"$reference"
    # The same words are the program's only if it ended the same way.
    run "$work/reference" "${more[@]}" --expect "$expected"
    grep '^log: ' "$work/output" >"$work/log" || { echo "nothing was logged" >&2; exit 1; }
    grep '^log: ' "$work/reference" >"$work/log-reference" || { echo "the reference logged nothing" >&2; exit 1; }
    if ! diff "$work/log-reference" "$work/log" >&2; then
        echo "the log is not that of the reference ($reference)" >&2
        exit 1
    fi
fi
