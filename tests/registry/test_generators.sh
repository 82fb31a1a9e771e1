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
