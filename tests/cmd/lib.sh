# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the scripts beside it: a clean environment for the command, and a few checks.
#
# meson sets SPILLWAY (the command), JSON_GET, OTHER_MACHINE, BAD_DRIVER, BAD_LAYER, SIMGPU_ICD, BUILD_ROOT,
# SOURCE_ROOT, SANITIZED. Nothing of the caller's environment reaches what `spw` starts.

# shellcheck disable=SC2034 # used by the scripts
chromium=/usr/lib/chromium/libvulkan.so.1
failures=0

skip()
{
    echo "skipped: $*"
    exit 77
}

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

finish()
{
    [ "$failures" -eq 0 ] || exit 1
    exit 0
}

setup()
{
    work=$(mktemp -d "${TMPDIR:-/tmp}/spillway-cmd.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/home" "$work/share"
    icd=$SIMGPU_ICD
}

# The simulated card stands on lavapipe.
need_card()
{
    [ -e "$icd" ] || skip 'simgpu is not built'
    compgen -G '/usr/share/vulkan/icd.d/lvp_icd.*.json' >/dev/null || skip 'lavapipe is not installed'
}

# spw [VARIABLE=value]... argument...: the command; its output in $work/out and $work/err, its exit code in $code.
spw()
{
    local variables=()
    while [ $# -gt 0 ] && [[ $1 == [A-Z]*=* ]]; do
        variables+=("$1")
        shift
    done
    said="${variables[*]} spillway $*"
    env -i PATH="${spw_path:-/usr/bin:/bin}" HOME="$work/home" TMPDIR="$work" LC_ALL=C TERM=xterm \
        XDG_DATA_DIRS="$work/share" XDG_CONFIG_DIRS="$work/etc" NODEVICE_SELECT=1 MESA_SHADER_CACHE_DISABLE=true \
        VK_DRIVER_FILES="$icd" VK_ICD_FILENAMES="$icd" ${SANITIZER_ENV:-} "${variables[@]}" \
        "${spw_command:-$SPILLWAY}" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

show_output()
{
    sed 's/^/    | /' "$work/out" "$work/err" >&2
}

expect_code()
{
    [ "$code" -eq "$1" ] && return
    fail "$said: exit code $code, expected $1"
    show_output
}

# expect_out TEXT, expect_err TEXT: the output has it, over line ends. expect_silent: nothing on stderr.
has() { tr -s '\n ' '  ' <"$1" | grep -qF -- "$2"; }
expect_out()
{
    has "$work/out" "$1" && return
    fail "$said: does not say '$1'"
    show_output
}
expect_err()
{
    has "$work/err" "$1" && return
    fail "$said: does not say on stderr '$1'"
    show_output
}
expect_silent()
{
    [ -s "$work/err" ] || return
    fail "$said: says something on stderr"
    show_output
}
expect_not()
{
    has "$work/out" "$1" || has "$work/err" "$1" || return
    fail "$said: says '$1'"
    show_output
}

# json POINTER: of the output; empty where there is none.
json() { "$JSON_GET" "$work/out" "$1"; }
expect_json()
{
    local value
    value=$(json "$1")
    [ "$value" = "$2" ] && return
    fail "$said: $1 is '$value', expected '$2'"
    show_output
}

# A manifest of Spillway's in $work/share, for a library: manifest LIBRARY [FILE].
manifest()
{
    mkdir -p "$work/share/vulkan/implicit_layer.d"
    cat >"$work/share/vulkan/implicit_layer.d/${2:-spillway_layer.x86_64.json}" <<MANIFEST
{"file_format_version": "1.2.1", "layer": {
  "name": "VK_LAYER_SPILLWAY_overcommit", "type": "GLOBAL", "library_path": "$1", "api_version": "1.4.4095",
  "implementation_version": "1", "description": "Spillway",
  "enable_environment": {"SPILLWAY": "1"}, "disable_environment": {"SPILLWAY_DISABLE": "1"}}}
MANIFEST
}
no_manifests() { rm -rf "$work/share/vulkan"; }

# The command where it has no layer beside it: a copy elsewhere.
use_lone_command()
{
    mkdir -p "$work/alone"
    cp "$SPILLWAY" "$work/alone/spillway"
    spw_command=$work/alone/spillway
}
