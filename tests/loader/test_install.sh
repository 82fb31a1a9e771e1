#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `meson install` into a DESTDIR, found by nothing but XDG_DATA_DIRS; moved elsewhere, it still works; and
# uninstalled, nothing is left that a loader could find: test_install.sh LOADER DRIVER
set -u
. "$(dirname "$0")/lib.sh"
setup "$1" "$2"

probe_base

# The build directory's own record of what was installed is not ours to lose.
log=$BUILD_ROOT/meson-logs/install-log.txt
[ ! -e "$log" ] || cp "$log" "$work/install-log.saved"
restore() {
    if [ -e "$work/install-log.saved" ]; then
        cp "$work/install-log.saved" "$log"
    else
        rm -f "$log"
    fi
}
trap 'restore; rm -rf "$work"' EXIT

${MESON:-meson} install -C "$BUILD_ROOT" --destdir "$work/dest" >"$work/install.out" 2>&1 ||
    { fail "meson install: $(tail -n 5 "$work/install.out")" && finish; }
data=$(dirname "$(find "$work/dest" -type d -path '*/vulkan/implicit_layer.d')")
data=${data%/vulkan}
[ "$(find "$work/dest" -name '*.json' -path '*layer.d/*' | wc -l)" -eq 2 ] || fail "not two manifests"
[ "$(find "$work/dest" -name '*_check.so' | wc -l)" -eq 0 ] || fail "the check build is installed"

probe off
expect_absent off
probe by-switch SPILLWAY=1
expect_active by-switch
probe by-instance-layers VK_INSTANCE_LAYERS=$layer_name
expect_active by-instance-layers
probe by-filter "VK_LOADER_LAYERS_ENABLE=*SPILLWAY*"
expect_active by-filter
probe by-program -- --layer=$layer_name
expect_active by-program
probe disable SPILLWAY=1 SPILLWAY_DISABLE=1
expect_absent disable

# It is the installed library, not the build directory's. The loader says which file it takes.
run SPILLWAY=1 VK_LOADER_DEBUG=layer "$PROBE" >"$work/debug" 2>&1
grep -q 'libVkLayer_spillway' "$work/debug" || fail "the loader does not say what it loads"
grep 'libVkLayer_spillway' "$work/debug" | grep -v "$work/dest" && fail "not the installed library"

# The tree may be moved.
mv "$work/dest" "$work/elsewhere"
data=$work/elsewhere${data#"$work/dest"} probe moved SPILLWAY=1
expect_active moved
mv "$work/elsewhere" "$work/dest"

# LLP_LAYER_20: uninstalled, no manifest is left.
(cd "$BUILD_ROOT" && ${MESON:-meson} --internal uninstall) >"$work/uninstall.out" 2>&1 ||
    fail "uninstall: $(tail -n 5 "$work/uninstall.out")"
left=$(find "$work" -path "$work/dest/*" -type f)
[ -z "$left" ] || fail "left behind: $left"
probe uninstalled SPILLWAY=1
expect_absent uninstalled

finish
