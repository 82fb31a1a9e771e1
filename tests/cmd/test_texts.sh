#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# spillway's help, version, man page and completion: they agree with each other and with the settings' table.
set -u
. "$(dirname "$0")/lib.sh"
setup
man_page=$SOURCE_ROOT/tools/spillway/spillway.1
completion=$SOURCE_ROOT/tools/spillway/completion.bash
keys_table=$SOURCE_ROOT/layer/os/settings_keys.h

# ---- help and version

spw --version
expect_code 0
[ "$(cat "$work/out")" = "spillway $PROJECT_VERSION" ] || fail "version: $(cat "$work/out")"
for words in --help -h help 'run --help' 'doctor --help' 'config --help' 'config show --help' 'config init -h' \
    'help run' 'help doctor' 'help config'; do
    # shellcheck disable=SC2086
    spw $words
    expect_code 0
    expect_silent
    [ -s "$work/out" ] || fail "$said: says nothing"
    [ "$(wc -L <"$work/out")" -le 100 ] || fail "$said: wider than 100 columns"
done
[ ! -e "$work/home/.config" ] || fail "config init -h wrote something"
spw
expect_code 2
expect_err 'spillway run -- PROGRAM'
spw docter
expect_code 2
expect_err "there is no command 'docter'; did you mean 'doctor'?"
spw --hlep
expect_code 2
expect_err "there is no option '--hlep'"
spw help nothing
expect_code 2
spw config nothing
expect_code 2
expect_err "there is no 'config nothing' (show, check, init or keys)"
spw config
expect_code 2

# Output that cannot be written is not silently lost.
env -i "$SPILLWAY" --help >/dev/full 2>"$work/err"
code=$? said='--help to a full disk'
expect_code 1
expect_err 'cannot write the output: No space left on device'

# ---- colour: on a terminal only

if command -v script >/dev/null; then
    # on_terminal [VARIABLE=value]...: what doctor writes there.
    on_terminal()
    {
        env -i PATH=/usr/bin:/bin HOME="$work/home" TERM=xterm XDG_DATA_DIRS="$work/share" VK_DRIVER_FILES="$icd" \
            VK_ICD_FILENAMES="$icd" SIMGPU_PROFILE=nvidia ${SANITIZER_ENV:-} "$@" \
            script -qec "'$SPILLWAY' config keys; '$SPILLWAY' nothing" /dev/null </dev/null >"$work/out" 2>&1
    }
    escape=$'\033'
    on_terminal
    grep -q "$escape" "$work/out" || fail 'no colour on a terminal'
    on_terminal NO_COLOR=1
    grep -q "$escape" "$work/out" && fail 'colour in spite of NO_COLOR'
    on_terminal NO_COLOR=
    grep -q "$escape" "$work/out" || fail 'an empty NO_COLOR is none'
    on_terminal TERM=dumb
    grep -q "$escape" "$work/out" && fail 'colour on a dumb terminal'
fi
spw config keys
grep -q $'\033' "$work/out" && fail 'colour in a pipe'

# ---- every key

mapfile -t keys < <(sed -nE 's/^SPW_SETTING\([^"]*"([^"]+)".*/\1/p' "$keys_table")
mapfile -t later < <(sed -nE 's/^SPW_SETTING_LATER\("([^"]+)".*/\1/p' "$keys_table")
[ ${#keys[@]} -ge 11 ] || fail "only ${#keys[@]} keys in settings_keys.h: this test reads it wrongly"
spw config keys --names
expect_code 0
[ "$(cat "$work/out")" = "$(printf '%s\n' "${keys[@]}")" ] || fail "config keys --names: $(cat "$work/out")"
spw config keys
for key in "${keys[@]}"; do
    variable=SPILLWAY_$(tr 'a-z.' 'A-Z_' <<<"$key")
    expect_out "$key ($variable): "
    # At its own place, set in bold, not just as part of another word.
    grep -qE "^\.(B|BR) $key( |\$)" "$man_page" || fail "spillway.1 does not explain '$key'"
done
for key in "${later[@]}"; do
    grep -qE "^\.(B|BR) $key( |\$)" "$man_page" || fail "spillway.1 does not know '$key'"
done

# ---- every option: help, man page, completion

plain_man=$(sed 's/\\-/-/g' "$man_page")
for command in run doctor config; do
    spw $command --help
    mapfile -t options < <(grep -oE -- '--[a-z][a-z-]+' "$work/out" | sort -u)
    [ ${#options[@]} -gt 1 ] || fail "no options in the help of $command"
    for option in "${options[@]}"; do
        grep -qF -- "$option" <<<"$plain_man" || fail "spillway.1 does not know $command $option"
        grep -qF -- "$option" "$completion" || fail "the completion does not know $command $option"
    done
done
for code_text in 125 126 127; do
    grep -q $code_text "$man_page" || fail "spillway.1 does not explain exit code $code_text"
done
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww "$man_page" 2>&1 >/dev/null | grep . && fail "groff complains about spillway.1"
fi

# ---- completion

# completed WORD...: what the last word becomes, sorted, in one line.
completed()
{
    env -i PATH="$(dirname "$SPILLWAY"):/usr/bin:/bin" HOME="$work/home" bash --norc -c '
        . "$0"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _spillway 2>/dev/null
        printf "%s\n" "${COMPREPLY[@]}" | sort | tr "\n" " "' "$completion" "$@"
}
expect_completed()
{
    local expected=$1 got
    shift
    got=$(completed "$@")
    [ "$got" = "$expected" ] || fail "completion of '$*': '$got', expected '$expected'"
}
expect_completed 'run ' spillway r
expect_completed 'config doctor run ' spillway help ''
expect_completed '--json ' spillway doctor --j
expect_completed 'init ' spillway config i
expect_completed '--for ' spillway config show --f
expect_completed '--vram-limit ' spillway run --v
expect_completed 'host_floor= host_limit= ' spillway run --set host
expect_completed 'redirect ' spillway run --set mode = re
expect_completed '--stats ' spillway run --vram-limit 4GiB --st
touch "$work/my.json" "$work/my.txt"
expect_completed "$work/my.json " spillway config check "$work/my"

finish
