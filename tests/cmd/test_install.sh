#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `meson install` into a folder of its own: the command finds the layer that was installed with it, by where it
# lies itself, also after the tree was moved; man page and completion are where programs look for them.
set -u
. "$(dirname "$0")/lib.sh"
setup

# The build directory's own record of what was installed is not ours to lose.
log=$BUILD_ROOT/meson-logs/install-log.txt
[ ! -e "$log" ] || cp "$log" "$work/install-log.saved"
restore()
{
    if [ -e "$work/install-log.saved" ]; then
        cp "$work/install-log.saved" "$log"
    else
        rm -f "$log"
    fi
}
trap 'restore; rm -rf "$work"' EXIT
${MESON:-meson} install -C "$BUILD_ROOT" --no-rebuild --destdir "$work/dest" >"$work/install.out" 2>&1 ||
    { fail "meson install: $(tail -n 5 "$work/install.out")" && finish; }
mv "$work/dest" "$work/moved"

# one NAME: the only file of that path.
one()
{
    local found
    found=$(find "$work/moved" -path "*/$1" -type f)
    [ -n "$found" ] && [ "$(wc -l <<<"$found")" -eq 1 ] || fail "not one '$1' is installed: $found"
    echo "$found"
}
spw_command=$(one bin/spillway)
one man/man1/spillway.1 >/dev/null
one bash-completion/completions/spillway >/dev/null
manifest_path=$(one "implicit_layer.d/spillway_layer.*.json")
share=$(realpath "${manifest_path%/vulkan/*}")
[ -x "$spw_command" ] || fail 'the command cannot be executed'

spw --version
expect_code 0
spw run -- sh -c 'echo "$XDG_DATA_DIRS"'
expect_code 0
expect_silent
[ "$(cat "$work/out")" = "$work/share:$share" ] || fail "$said: $(cat "$work/out"), not $share"
if compgen -G '/usr/share/vulkan/icd.d/lvp_icd.*.json' >/dev/null; then
    spw doctor --json
    expect_code 0
    expect_json /loaders/0/library "$(realpath "$(one libVkLayer_spillway.so)")"
fi

# Where the loader looks by itself, nothing is added.
spw XDG_DATA_DIRS="$share" run -- sh -c 'echo "$XDG_DATA_DIRS"'
[ "$(cat "$work/out")" = "$share" ] || fail "$said: $(cat "$work/out")"

# It needs no library that a player's machine may not have.
readelf -d "$spw_command" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc|ld-linux.*|libdl|libpthread)\.so' |
    grep . && [ "$SANITIZED" = 0 ] && fail 'the command needs more than the C library'

finish
