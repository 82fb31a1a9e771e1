# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# What the tools share: where things are, and how they speak. Sourced, never run.

SPW_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Where builds go (one folder per kind of build) and what may be kept between runs: npm packages, the model.
# shellcheck disable=SC2034
SPW_BUILD=${SPILLWAY_BUILD_DIR:-$SPW_ROOT/build}
# shellcheck disable=SC2034 # used by those who source this
SPW_CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/spillway

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    spw_bold=$'\e[1m' spw_red=$'\e[31m' spw_green=$'\e[32m' spw_yellow=$'\e[33m' spw_plain=$'\e[0m'
else
    spw_bold='' spw_red='' spw_green='' spw_yellow='' spw_plain=''
fi

heading() { printf '\n%s== %s%s\n' "$spw_bold" "$*" "$spw_plain"; }
say()     { printf '   %s\n' "$*"; }
pass()    { printf '%sPASS%s  %s\n' "$spw_green" "$spw_plain" "$*"; }
fail()    { printf '%sFAIL%s  %s\n' "$spw_red" "$spw_plain" "$*"; }
skip()    { printf '%sSKIP%s  %s\n' "$spw_yellow" "$spw_plain" "$*"; }

# die MESSAGE [EXIT CODE]
die()
{
    printf '%s%s: %s%s\n' "$spw_red" "${0##*/}" "$1" "$spw_plain" >&2
    exit "${2:-1}"
}

# run_logged LOG COMMAND…: quiet while it goes well; shows the end of the log where it doesn't.
run_logged()
{
    local log=$1 status=0
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        printf '   %s\n' "'$*' failed with exit code $status; the end of $log:"
        tail -n 40 "$log" | sed 's/^/   | /'
    fi
    return "$status"
}

# configure_build DIR MESON OPTIONS…: sets DIR up, or sets it up anew where it was made for something else.
configure_build()
{
    local dir=$1 wanted
    shift
    wanted="$SPW_ROOT ${CC:-} $*"
    if [ -f "$dir/build.ninja" ] && [ "$(cat "$dir/spillway-setup" 2>/dev/null)" = "$wanted" ]; then
        return 0
    fi
    rm -rf "$dir"
    mkdir -p "$dir"
    run_logged "$dir/setup.log" meson setup "$dir" "$SPW_ROOT" "$@" || return 1
    printf '%s\n' "$wanted" >"$dir/spillway-setup"
}
