#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The generators on inputs whose answers are known: the lists of this folder from tiny.xml, and the layer's
# hooks from a hooks.def with the mistakes that people make, which must not pass:
# test_generators.sh SOURCE-DIR PYTHON VK_XML
set -u
source=$1
python=$2
vk_xml=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/spillway-registry.XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
export PYTHONDONTWRITEBYTECODE=1

# --- gen_lists.py
printf '%s\n' '/* HOOK(Comment, x.c) */' '// HOOK(Comment, x.c)' 'HOOK(Nested, a.c)' \
    'NEWER(Later, a.c, device, VK_KHR_later)' >"$work/hooks.def"
"$python" "$source/tests/registry/gen_lists.py" "$source/tests/registry/tiny.xml" "$work/hooks.def" "$work/lists.h" ||
    fail "gen_lists.py"
sed -n 's/^    {\(.*\)},$/\1/p' "$work/lists.h" >"$work/rows"
diff - "$work/rows" <<'ROWS' || fail "gen_lists.py: other rows than expected"
"vkAnswer", "vkAnswer", "device", 1, 0, "", false
"vkChained", "vkChained", "device", 1, 0, "", false
"vkDirect", "vkDirect", "device", 1, 0, "", false
"vkNested", "vkNested", "device", 1, 1, "", true
"vkNestedKHR", "vkNested", "device", 0, 0, "VK_KHR_nested", true
"vkNothing", "vkNothing", "device", 1, 0, "", false
"vkLater", "vkLater", "newer", 0, 0, "", true
"vkDirect", "memory", "memory"
"vkNested", "memory", "VkInner::memory"
"vkChained", "handle", "VkChainedEXT::object"
"vkAnswer", "answer", "VkMemoryRequirements::memoryTypeBits pAnswer"
ROWS

# --- gen_hooks.py
# refuses NAME WORDS LINE...: a hooks.def of these lines is refused, with these words, and says which line.
gen_hooks() {
    "$python" "$source/layer/vk/gen/gen_hooks.py" "$vk_xml" "$work/hooks.def" "$work/out.h" "$work/out.c"
}
refuses() {
    local words=$1
    shift
    printf '%s\n' '/* planted */' 'HOOK(DestroyInstance, instance.c)' "$@" >"$work/hooks.def"
    rm -f "$work/out.h" "$work/out.c"
    gen_hooks >"$work/said" 2>&1 && fail "$*: gen_hooks.py takes it"
    grep -q -F "$words" "$work/said" || fail "$*: says '$(cat "$work/said")', not '$words'"
    grep -q -F "hooks.def:$((2 + $#)):" "$work/said" || fail "$*: does not name the line: $(cat "$work/said")"
    [ ! -e "$work/out.c" ] || fail "$*: writes something all the same"
}
# The shipped mistake of a public rival: it compared "CreateInstance", and never once loaded.
refuses 'no command vkCreateInstanc' 'HOOK(CreateInstanc, instance.c)'
refuses 'no command vkvkCreateInstance' 'HOOK(vkCreateInstance, instance.c)'
refuses 'no command vkcreateInstance' 'HOOK_CHAIN(createInstance, instance.c)'
refuses 'no command vkAllocateMemori' 'CALL(AllocateMemori)'
refuses 'is an alias' 'HOOK(GetBufferMemoryRequirements2KHR, requirements.c)'
refuses 'stands on line' 'HOOK(DestroyInstance, instance.c)'
refuses 'arguments' 'HOOK(CreateInstance)'
refuses 'arguments' 'NEWER(MapMemory2, memory.c)'
refuses 'not a hook line' 'HOK(CreateInstance, instance.c)'
refuses 'not a hook line' 'HOOK(CreateInstance, instance.c'
refuses 'unknown level' 'NEWER(MapMemory3, memory.c, devise, VK_KHR_map_memory3)'

# What is right passes, every alias with it, and the table is sorted as its binary search expects.
cp "$source/layer/vk/hooks.def" "$work/hooks.def"
gen_hooks || fail "gen_hooks.py refuses the real hooks.def"
sed -n 's/^    {"\(vk[A-Za-z0-9]*\)", .*/\1/p' "$work/out.c" >"$work/names"
LC_ALL=C sort -c -u "$work/names" || fail "the table is not sorted"
"$python" "$source/tests/registry/gen_lists.py" "$vk_xml" "$work/hooks.def" "$work/lists.h" || fail "gen_lists.py"
sed -n -e '/registry_commands\[\]/,/^};/s/^    {"\([A-Za-z0-9]*\)".*, true},$/\1/p' "$work/lists.h" |
    LC_ALL=C sort >"$work/hooked"
diff "$work/hooked" "$work/names" || fail "the table has other names than hooks.def and vk.xml"
[ "$(wc -l <"$work/names")" -ge 20 ] || fail "hardly any names"

# A hook that is defined with another signature than its command's does not compile.
# compiles FIRST-PARAMETER: vkFreeMemory's hook, so defined
compiles() {
    printf '%s\n' '#include "out.h"' "void spw_FreeMemory($1, VkDeviceMemory memory," \
        'const VkAllocationCallbacks *a) { (void)d, (void)memory, (void)a; }' >"$work/hook.c"
    "${CC:-cc}" -std=c17 -fsyntax-only -I"$work" -I"$source/layer/vk" "$work/hook.c" 2>"$work/said"
}
compiles 'VkDevice d' || fail "the right signature does not compile: $(cat "$work/said")"
compiles 'VkPhysicalDevice d' && fail "a wrong signature compiles"
grep -q 'conflicting types' "$work/said" || fail "refused for another reason: $(cat "$work/said")"

[ "$failures" -eq 0 ]
