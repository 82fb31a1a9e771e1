#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The house rules that a machine can check: style.sh CHECK ROOT [BUILD]
#
#   headers   each header compiles alone, with what its ring may see (BUILD: where generated ones are)
#   includes  who includes whom (layer/README.md's table)
#   built     every C file stands in a meson.build, or is named by a script beside it
#   length    no C file is longer than MAX_LINES
#   licence   SPDX line at the top
#   marks     nothing left to do, no path of somebody's machine
#   calls     nothing that acts on the host process (forbidden_calls.allowed: what may, and why)
#
# Says every breach on stderr as "FILE: what"; exit status 1 if there is one. test_style.sh shows that each
# check finds what it is for.
set -u
check=$1
root=$2
build=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
breaches=0

# style.md asks for about 600; a file that grows beyond this is two modules.
MAX_LINES=700

cd "$root" || exit 1

breach() {
    echo "$*" >&2
    breaches=$((breaches + 1))
}

# files PATTERN...: of the project, by name, wherever they are.
files() {
    local names=() pattern
    for pattern; do
        names+=(-o -name "$pattern")
    done
    find layer manifest config tools tests -type f \( "${names[@]:1}" \) 2>/dev/null | sort
}

# code FILE: without comments, line by line.
code() {
    "${CC:-cc}" -fpreprocessed -dD -E -P "$1" 2>/dev/null
}

ring_of() {
    case $1 in
    layer/*/*) echo "$1" | cut -d/ -f2 ;;
    tools/spillway/*) echo tool ;;
    *) echo test ;;
    esac
}

# What a ring may see of the others: folders under layer/.
may_see() {
    case $1 in
    base) echo base ;;
    core) echo base core ;;
    os | tool) echo base core os ;;
    vk) echo base core os vk ;;
    esac
}

# --- headers

check_headers() {
    local header ring see flags define said
    said=$(mktemp)
    while read -r header; do
        # A table of macros, which is not to be read alone.
        [ "$header" != layer/os/settings_keys.h ] || continue
        ring=$(ring_of "$header")
        flags=()
        for see in $(may_see "$ring"); do
            flags+=("-Ilayer/$see")
        done
        [ "$ring" != vk ] || flags+=("-I$build/layer/vk")
        [ "$ring" != test ] || flags+=("-I$(dirname "$header")" "-I$build/$(dirname "$header")" -Itests/harness
            -Ilayer/base -Ilayer/core -Ilayer/os)
        for define in SPW_SHIPPED SPW_CHECK; do
            echo "#include \"$(basename "$header")\"" |
                "${CC:-cc}" -std=c17 -D_GNU_SOURCE -D$define -Wall -Wextra -Werror -fsyntax-only -x c \
                    -I"$(dirname "$header")" "${flags[@]}" - >"$said" 2>&1 ||
                breach "$header: does not compile alone: $(grep -m 1 error "$said")"
        done
        grep -q '^#pragma once$' "$header" || breach "$header: no #pragma once"
    done < <(find layer tests -name '*.h' -type f | sort)
    rm -f "$said"
}

# --- includes

check_includes() {
    local file ring line target allowed see
    while read -r file; do
        ring=$(ring_of "$file")
        [ "$ring" != test ] || continue
        while read -r line; do
            case $line in
            '<vulkan/'*)
                # The probe is a Vulkan program like any other: it opens the loader, not the layer.
                [ "$ring" = vk ] || [ "$file" = tools/spillway/doctor_probe.c ] || breach "$file: $line outside vk"
                ;;
            '<json'*) [ "$ring" = os ] || [ "$ring" = tool ] || breach "$file: $line outside os" ;;
            '<'*) ;;
            *)
                target=${line//\"/}
                allowed=
                for see in $(may_see "$ring") "${file%/*}"; do
                    [ ! -e "layer/$see/$target" ] && [ ! -e "$see/$target" ] || allowed=1
                done
                # Generated, by vk for vk.
                [ "$ring" != vk ] || [ "$target" != hooks_gen.h ] || allowed=1
                [[ $target != *..* ]] || allowed=
                [ -n "$allowed" ] || breach "$file: $line is not for ring $ring"
                # Of core, os sees the statistics that it prints and nothing else.
                if [ "$ring" = os ] && [ -e "layer/core/$target" ] && [ "$target" != stats.h ]; then
                    breach "$file: $line: os sees core/stats.h only"
                fi
                ;;
            esac
        done < <(code "$file" | sed -n 's/^ *# *include *\([<"][^>"]*[>"]\).*/\1/p')
    done < <(find layer tools -name '*.[ch]' -type f | sort)
}

# --- built

check_built() {
    local file folder name
    while read -r file; do
        folder=$(dirname "$file")
        name=$(basename "$file" .c)
        while :; do
            # By its file name, or by what follows test_ in a list of tests.
            ! grep -q -E "\b($name\.c|$name|${name#test_})\b" "$folder/meson.build" 2>/dev/null || break
            ! cat "$folder"/*.sh 2>/dev/null | grep -q -w -F "$name.c" || break
            case $folder in
            */*) folder=${folder%/*} ;;
            *)
                breach "$file: in no meson.build"
                break
                ;;
            esac
        done
    done < <(files '*.c')
}

# --- length, licence, marks

check_length() {
    local file lines
    while read -r file; do
        lines=$(wc -l <"$file")
        [ "$lines" -le $MAX_LINES ] || breach "$file: $lines lines"
    done < <(files '*.c' '*.h' '*.py' '*.sh')
}

check_licence() {
    local file
    while read -r file; do
        head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || breach "$file: no SPDX line"
    done < <(
        files '*.c' '*.h' '*.py' '*.sh' '*.comp' '*.glsl' '*.mjs'
        find tools tests -type f -perm -u+x ! -name '*.*'
    )
}

check_marks() {
    local file line
    while read -r file; do
        # These two have the words themselves.
        case $file in
        tests/style/style.sh | tests/style/test_style.sh) continue ;;
        esac
        while read -r line; do
            breach "$file: left to do: line $line"
        done < <(grep -I -n -w -E 'TODO|FIXME|XXX|HACK|TBD' "$file")
        # A machine's own folders: the desk that it was written on, somebody's home.
        while read -r line; do
            breach "$file: a machine's path: line $line"
        done < <(grep -I -n -E '(^|[^A-Za-z0-9._$}-])/(work|home/[a-z]+|Users|mnt|media)/' "$file")
    done < <(find layer manifest config tools tests ./*.md .ci meson.build -type f 2>/dev/null | sort)
}

# --- calls

forbidden='abort|exit|_exit|_Exit|quick_exit|raise|kill|setlocale|uselocale|chdir|fchdir|chroot|umask|signal|sigaction'
forbidden+='|sigprocmask|pthread_sigmask|sigaltstack|atexit|on_exit|putenv|setenv|unsetenv|clearenv|getenv|secure_getenv'
forbidden+='|printf|vprintf|puts|putchar|system|popen|fork|vfork|execve?|setrlimit|prctl|srand|rand|strtok'
forbidden+='|localtime|gmtime|asctime|strerror|assert|alloca|sprintf|strcat|gets|fesetround|malloc|calloc|realloc|free|strdup'

check_calls() {
    local file token allowed=$here/forbidden_calls.allowed used
    [ -e "$root/tests/style/forbidden_calls.allowed" ] && allowed=$root/tests/style/forbidden_calls.allowed
    used=$(mktemp)
    while read -r file; do
        while read -r token; do
            if grep -q -E "^$file: $token: .{12,}" "$allowed"; then
                echo "$file: $token:" >>"$used"
            else
                breach "$file: $token"
            fi
        done < <(code "$file" | grep -o -E "\b($forbidden) *\(|\bstdout\b" | tr -d ' (' | sort -u)
    done < <(find layer -name '*.[ch]' -type f | sort)
    while IFS= read -r line; do
        case $line in
        '#'* | '') continue ;;
        esac
        grep -q -x -F "${line%%: *}: $(cut -d: -f2 <<<"$line" | tr -d ' '):" "$used" ||
            breach "${allowed#"$root"/}: stale: $line"
    done <"$allowed"
    rm -f "$used"
}

case $check in
headers | includes | built | length | licence | marks | calls) "check_$check" ;;
*) breach "no check '$check'" ;;
esac
[ "$breaches" -eq 0 ]
