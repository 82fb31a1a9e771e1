#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# simgpu's generator on the tiny registry, whose answers are known by heart, and on a hooks.def with mistakes:
# test_generator.sh SOURCE-DIR PYTHON
set -u
source=$1
python=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/simgpu-generator.XXXXXX")
trap 'rm -rf "$work"' EXIT
tiny=$work/tiny.xml
# Two of its commands can fail.
sed -e 's/<command>\(<proto>.*vkDirect<\)/<command successcodes="VK_SUCCESS" errorcodes="VK_ERROR_OUT_OF_HOST_MEMORY,VK_ERROR_DEVICE_LOST">\1/' \
    -e 's/<command>\(<proto>.*vkNested<\)/<command successcodes="VK_SUCCESS" errorcodes="VK_ERROR_OUT_OF_DEVICE_MEMORY">\1/' \
    "$source/tests/registry/tiny.xml" >"$tiny"
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
# generate LINE...: with a hooks.def of these lines
generate() {
    rm -f "$work"/out.*
    printf '%s\n' "$@" >"$work/hooks.def"
    "$python" "$source/tests/simgpu/gen/gen_simgpu.py" "$source/layer/vk/gen" "$tiny" "$work/hooks.def" \
        "$work/out.h" "$work/out.c" "$work/out.calls" >"$work/said" 2>&1
}
# expect WHAT FILE: what stands on stdin is what a list of the file holds
expect() {
    diff - "$2" || fail "$1: other rows than expected"
}

generate '# a comment' 'HOOK Direct   # and another' 'PASS Nested' || fail "refused: $(cat "$work/said")"
# Every command under every name, sorted; level, version, hook and extensions; vkWindowsKHR and vkSafety are not ours.
sed -n '/sim_commands\[\]/,/^};/s/^    {\(.*\)},$/\1/p' "$work/out.c" >"$work/rows"
expect "commands" "$work/rows" <<'ROWS'
"vkAnswer", SIM_LEVEL_DEVICE, VK_MAKE_API_VERSION(0, 1, 0, 0), NULL, 0, NULL, false, UINT16_MAX
"vkChained", SIM_LEVEL_DEVICE, VK_MAKE_API_VERSION(0, 1, 0, 0), NULL, 0, NULL, false, UINT16_MAX
"vkDirect", SIM_LEVEL_DEVICE, VK_MAKE_API_VERSION(0, 1, 0, 0), (PFN_vkVoidFunction)sim_Direct, 0, NULL, false, 0
"vkNested", SIM_LEVEL_DEVICE, VK_MAKE_API_VERSION(0, 1, 1, 0), NULL, 0, NULL, false, 1
"vkNestedKHR", SIM_LEVEL_DEVICE, 0, NULL, 1, ext_vkNestedKHR, false, 1
"vkNothing", SIM_LEVEL_DEVICE, VK_MAKE_API_VERSION(0, 1, 0, 0), NULL, 0, NULL, false, UINT16_MAX
ROWS
sed -n '/sim_extensions\[/,/^};/s/^    {\(.*\)},$/\1/p' "$work/out.c" >"$work/rows"
expect "extensions" "$work/rows" <<'ROWS'
"VK_KHR_nested", false, false
"VK_KHR_windows", false, false
ROWS
sed -n '/sim_calls\[\]/,/^};/s/^    {\(.*\)},$/\1/p' "$work/out.calls" >"$work/rows"
expect "calls" "$work/rows" <<'ROWS'
"vkDirect", (PFN_vkVoidFunction)call_Direct, "OUT_OF_HOST_MEMORY DEVICE_LOST"
"vkNested", (PFN_vkVoidFunction)call_Nested, "OUT_OF_DEVICE_MEMORY"
ROWS
sed -n '/sim_results\[\]/,/^};/s/^    {\(.*\)},$/\1/p' "$work/out.calls" >"$work/rows"
expect "results" "$work/rows" <<'ROWS'
"ERROR_DEVICE_LOST", VK_ERROR_DEVICE_LOST
"ERROR_OUT_OF_DEVICE_MEMORY", VK_ERROR_OUT_OF_DEVICE_MEMORY
"ERROR_OUT_OF_HOST_MEMORY", VK_ERROR_OUT_OF_HOST_MEMORY
"SUCCESS", VK_SUCCESS
ROWS
grep -q 'VkResult VKAPI_CALL sim_Direct(VkDevice device, VkDeviceMemory memory);' "$work/out.h" || fail "no prototype of the hook"
grep -q 'PFN_vkNested Nested;' "$work/out.h" || fail "no table"
grep -q 'PFN_vkNestedKHR' "$work/out.h" && fail "an alias has a place of its own in the table"
# An alias stands in for a command that the driver has only under that name.
grep -q 't->Nested = (PFN_vkNested)get(h, "vkNestedKHR");' "$work/out.c" || fail "no fallback to the alias"

# An extension can be hidden, and one whose command carries a handle that nobody looks at is.
generate 'HOOK Direct' 'PASS Nested' 'HIDE VK_KHR_nested' || fail "HIDE: $(cat "$work/said")"
grep -q '{"VK_KHR_nested", false, true},' "$work/out.c" || fail "HIDE does not hide"
sed 's/<require><command name="vkNested"\/><\/require>/<require><\/require>/' "$tiny" >"$work/later.xml"
tiny=$work/later.xml generate 'HOOK Direct' || fail "later.xml: $(cat "$work/said")"
grep -q '{"VK_KHR_nested", false, true},' "$work/out.c" || fail "an extension with an unknown carrier is offered"
grep -q '{"vkNestedKHR", .*, true, [A-Z0-9_]*},' "$work/out.c" || fail "its command is given out"

# refuses WORDS LINE...
refuses() {
    local words=$1
    shift
    generate "$@" && fail "$*: taken"
    grep -q -F -- "$words" "$work/said" || fail "$*: says '$(cat "$work/said")', not '$words'"
    [ ! -e "$work/out.c" ] || fail "$*: writes something all the same"
}
refuses 'vkNested carries a queue' 'HOOK Direct'
refuses 'vkDirect carries a queue' 'PASS Nested'
refuses 'vkDirekt is not a command' 'HOOK Direkt' 'PASS Nested'
refuses 'vkNestedKHR is not a command of this registry (or is an alias)' 'HOOK Direct' 'PASS NestedKHR'
refuses "unknown extensions ['VK_KHR_nestled']" 'HOOK Direct' 'PASS Nested' 'HIDE VK_KHR_nestled'
refuses "hooks.def:2: cannot read 'HOOK'" 'HOOK Direct' 'HOOK'
refuses "hooks.def:2: cannot read 'HOOK Direct'" 'HOOK Direct' 'HOOK Direct'
refuses "hooks.def:1: cannot read 'HUK Direct'" 'HUK Direct'

[ "$failures" -eq 0 ]
