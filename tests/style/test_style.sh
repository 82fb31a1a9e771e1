#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# style.sh on a tree of a few lines, good at first, then with one breach each: test_style.sh SOURCE
set -u
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/spillway-style.XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

licence='/* SPDX-License-Identifier: MIT */'

# fresh: a tree that keeps all rules.
fresh() {
    rm -rf "$work/tree"
    mkdir -p "$work"/tree/layer/{base,core,os,vk} "$work"/tree/{manifest,config,tools,tests/style} "$work/build/layer/vk"
    cd "$work/tree" || exit 1
    local ring
    for ring in base core os vk; do
        printf '%s\n#pragma once\n#include <stdint.h>\nuint32_t %s_a(void);\n' "$licence" $ring >layer/$ring/${ring}_a.h
        printf '%s\n#include "%s_a.h"\n#include "base_a.h"\n' "$licence" $ring >layer/$ring/${ring}_a.c
        echo "x = files('${ring}_a.c')" >layer/$ring/meson.build
    done
    printf '%s\n#pragma once\n#include "core_a.h"\n' "$licence" >layer/core/stats.h
    echo '#include "stats.h"' >>layer/os/os_a.c
    printf '#include <vulkan/vulkan.h>\n#include "core_a.h"\n#include "os_a.h"\n' >>layer/vk/vk_a.c
    echo '/* exit() and printf() in a comment are no calls */' >>layer/vk/vk_a.c
    printf 'layer/base/base_a.c: malloc: the one place that takes memory\n' >tests/style/forbidden_calls.allowed
    echo 'void *m(void) { return malloc(1); }' >>layer/base/base_a.c
    cd "$work" || exit 1
}

# finds CHECK FILE WORDS: style.sh must say so, of that file, and fail.
finds() {
    if bash "$source/tests/style/style.sh" "$1" "$work/tree" "$work/build" >/dev/null 2>"$work/said"; then
        fail "$1: '$3' in $2 is not found"
    elif ! grep -F -e "$2:" "$work/said" | grep -q -F -e "$3"; then
        fail "$1: $2: not '$3' but '$(cat "$work/said")'"
    fi
    fresh
}

# plant FILE LINE...: appends.
plant() {
    local file=$work/tree/$1
    shift
    mkdir -p "$(dirname "$file")"
    printf '%s\n' "$@" >>"$file"
}

fresh
for check in headers includes built length licence marks calls; do
    bash "$source/tests/style/style.sh" $check "$work/tree" "$work/build" || fail "$check: finds fault with a good tree"
done
bash "$source/tests/style/style.sh" nonsense "$work/tree" 2>/dev/null && fail "an unknown check passes"

plant layer/core/core_a.h 'struct x { size_t y; };'
finds headers layer/core/core_a.h 'does not compile alone'
plant layer/base/base_a.h '#include "core_a.h"'
finds headers layer/base/base_a.h 'does not compile alone'
plant layer/os/os_b.h "$licence" 'int os_b(void);'
finds headers layer/os/os_b.h 'no #pragma once'
plant layer/vk/vk_a.h '#ifdef SPW_CHECK' 'unknown_type x(void);' '#endif'
finds headers layer/vk/vk_a.h 'does not compile alone'

plant layer/base/base_a.c '#include "core_a.h"'
finds includes layer/base/base_a.c 'not for ring base'
plant layer/core/core_a.c '#include "os_a.h"'
finds includes layer/core/core_a.c 'not for ring core'
plant layer/core/core_a.h '#include <vulkan/vulkan_core.h>'
finds includes layer/core/core_a.h 'outside vk'
plant layer/os/os_a.c '#  include "vk_a.h"'
finds includes layer/os/os_a.c 'not for ring os'
plant layer/os/os_a.c '#include "core_a.h"'
finds includes layer/os/os_a.c 'core/stats.h only'
plant layer/vk/vk_a.c '#include <json-c/json.h>'
finds includes layer/vk/vk_a.c 'outside os'
plant tools/spillway/main.c "$licence" '#include "vk_a.h"'
finds includes tools/spillway/main.c 'not for ring tool'
plant layer/base/base_a.c '#include "../core/core_a.h"'
finds includes layer/base/base_a.c 'not for ring base'

plant layer/core/core_b.c "$licence"
finds built layer/core/core_b.c 'in no meson.build'

plant layer/vk/vk_a.c "$(yes '' | head -n 699; echo '/**/')"
finds length layer/vk/vk_a.c ' lines'
plant layer/vk/gen/g.py 'import sys'
finds licence layer/vk/gen/g.py 'no SPDX line'

plant layer/os/os_a.c '/* TODO: later */'
finds marks layer/os/os_a.c 'left to do'
plant tools/run '# FIXME'
finds marks tools/run 'left to do'
plant tests/x.sh 'cd /home/somebody/src'
finds marks tests/x.sh "a machine's path"
plant layer/os/os_a.c '/* as on /wor''k/main/x */'
finds marks layer/os/os_a.c "a machine's path"

for call in abort exit setlocale chdir signal sigaction printf puts getenv secure_getenv assert calloc system; do
    plant layer/vk/vk_a.c "void f(void) { $call(0); }"
    finds calls layer/vk/vk_a.c $call
done
plant layer/core/core_a.c 'void f(void) { fprintf(stdout, "x"); }'
finds calls layer/core/core_a.c stdout
plant tests/style/forbidden_calls.allowed 'layer/base/base_a.c: exit: was right once upon a time'
finds calls tests/style/forbidden_calls.allowed stale
printf 'layer/base/base_a.c: malloc: because\n' >"$work/tree/tests/style/forbidden_calls.allowed"
finds calls layer/base/base_a.c malloc

[ "$failures" -eq 0 ]
