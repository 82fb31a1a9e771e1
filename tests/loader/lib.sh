# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the scripts beside it: a clean environment with one loader and one driver, and a few checks.
#
#   . lib.sh; setup LOADER DRIVER     LOADER debian|chromium, DRIVER lavapipe|mock|simgpu
#
# meson sets BUILD_ROOT (build directory) and PROBE (loader_probe). Nothing of the caller's environment reaches the programs that `run` starts.

layer_name=VK_LAYER_SPILLWAY_overcommit
chromium=/usr/lib/chromium
failures=0

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

finish() {
    [ "$failures" -eq 0 ] || exit 1
    exit 0
}

# first_of PATH...: the first that exists.
first_of() {
    for candidate; do
        if [ -e "$candidate" ]; then
            echo "$candidate"
            return
        fi
    done
}

setup_loader() {
    loader=$1
    case $loader in
    debian)
        loader_path=
        loader_is=/usr/lib/
        ;;
    chromium)
        [ -e $chromium/libvulkan.so.1 ] || skip "chromium-common is not installed"
        loader_path=$chromium
        loader_is=$chromium/
        ;;
    *) fail "no loader '$loader'" && finish ;;
    esac
}

setup_driver() {
    driver=$1
    case $driver in
    lavapipe)
        icd=$(first_of /usr/share/vulkan/icd.d/lvp_icd.x86_64.json /usr/share/vulkan/icd.d/lvp_icd.i686.json)
        [ -n "$icd" ] || skip "lavapipe is not installed"
        ;;
    mock)
        [ -e $chromium/libVkICD_mock_icd.so ] || skip "chromium-common is not installed"
        icd=$work/mock_icd.json
        echo "{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"$chromium/libVkICD_mock_icd.so\"," \
            "\"api_version\":\"1.4.300\"}}" >"$icd"
        ;;
    simgpu)
        icd=$BUILD_ROOT/tests/simgpu/simgpu_icd.json
        [ -e "$icd" ] || skip "simgpu is not built"
        [ -n "$(first_of /usr/share/vulkan/icd.d/lvp_icd.*.json)" ] || skip "lavapipe is not installed"
        ;;
    *) fail "no driver '$driver'" && finish ;;
    esac
}

setup() {
    work=$(mktemp -d "${TMPDIR:-/tmp}/spillway-loader.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    setup_loader "$1"
    setup_driver "$2"
    mkdir -p "$work/home" "$work/empty" "$work/built"
    # The build directory's manifests, as a folder of data that XDG_DATA_DIRS can name.
    ln -s "$BUILD_ROOT/manifest" "$work/built/vulkan"
    data=$work/built
}

# run [VARIABLE=value]... program [argument]...: in that environment; $data is where layers are found.
run() {
    env -i PATH=/usr/bin:/bin HOME="$work/home" TMPDIR="$work" XDG_RUNTIME_DIR="$work" LC_ALL=C \
        LD_LIBRARY_PATH="$loader_path" VK_DRIVER_FILES="$icd" XDG_DATA_DIRS="$data" \
        MESA_SHADER_CACHE_DISABLE=true ${SANITIZER_ENV:-} "$@"
}

# probe NAME [VARIABLE=value]... [-- argument...]: loader_probe's facts in $work/NAME.
probe() {
    out=$work/$1
    shift
    variables=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        variables+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    if ! run "${variables[@]}" "$PROBE" "$@" >"$out" 2>"$out.err"; then
        fail "loader_probe ${variables[*]} $*: $(tail -n 3 "$out.err")"
        return 1
    fi
    grep -q "^loader=$loader_is" "$out" || fail "the loader is not $loader's: $(grep ^loader= "$out")"
}

# facts NAME: what must not depend on a layer that does nothing: all but the list of layers to choose from.
facts() {
    grep -v -e '^listed=' "$work/$1"
}

# The layer's own tool entry, as "mode=…; reason".
tool_of() {
    sed -n "s/^tool=$layer_name|Spillway|//p" "$work/$1"
}

expect_active() {
    local count
    count=$(tool_of "$1" | wc -l)
    [ "$count" -eq 1 ] || fail "$1: listed $count times among the tools"
    grep -q '^mapped=yes$' "$work/$1" || fail "$1: the layer is not in the process"
    case $(tool_of "$1") in
    mode=passthrough*[Dd][Ii][Ss][Aa][Bb][Ll]*) fail "$1: disabled: '$(tool_of "$1")'" ;;
    mode=redirect\;*) ;;
    # What lavapipe is: nothing there to spill from.
    mode=passthrough\;*) [ "$driver" = lavapipe ] || fail "$1: passes through: '$(tool_of "$1")'" ;;
    *) fail "$1: unexpected description '$(tool_of "$1")'" ;;
    esac
}

# Not in the process, and nothing differs from a machine without it.
expect_absent() {
    grep -q '^mapped=no$' "$work/$1" || fail "$1: the layer is in the process"
    facts "$1" | diff "$work/base.facts" - >"$work/diff" || fail "$1: differs: $(cat "$work/diff")"
}

# In the process or not, it changes nothing; and where it lists itself it says that it is off.
expect_disabled() {
    case $(tool_of "$1") in
    '' | mode=passthrough\;*) ;;
    *) fail "$1: not disabled: '$(tool_of "$1")'" ;;
    esac
    facts "$1" | grep -v -e '^mapped=' -e "^tool=$layer_name" |
        diff <(grep -v '^mapped=' "$work/base.facts") - >"$work/diff" || fail "$1: differs: $(cat "$work/diff")"
}

# The machine without the layer, to compare with.
probe_base() {
    data=$work/empty probe base "$@" && facts base >"$work/base.facts"
    grep -q '^mapped=no$' "$work/base" || fail "base: the layer is in the process"
}
