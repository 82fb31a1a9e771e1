#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# spillway config: show says what holds and where it comes from, check finds what is wrong, init writes a file
# that is right and changes nothing.
set -u
. "$(dirname "$0")/lib.sh"
setup
user=$work/home/.config/spillway

# ---- show

spw config show
expect_code 0
expect_silent
expect_out 'mode auto built-in default'
expect_out 'vram_limit (default) built-in default'

mkdir -p "$user"
cat >"$user/a.json" <<'JSON'
{
    "defaults": {
        "log.level": "info",
        "vram_limit": "7GiB"
    },
    "profiles": [
        {
            "name": "the test game",
            "comment": "why it is here",
            "match": {"executable": "*/test-game.exe"},
            "vram_limit": "5GiB",
            "report": "truthful"
        }
    ]
}
JSON
spw config show
expect_code 0
expect_out "$user/a.json"
expect_out "log.level info $user/a.json:3"
expect_out "vram_limit 7GiB $user/a.json:4"
expect_out "$user/a.json:4"
expect_not '5368709120'

spw config show --for test-game.exe
expect_code 0
spw config show --for /games/bin/Test-Game.exe
expect_code 0
expect_out 'Program: /games/bin/Test-Game.exe'
expect_out "'the test game' ($user/a.json:"
expect_out 'why it is here'
expect_out "$user/a.json:11"
expect_out "$user/a.json:12"
expect_out "$user/a.json:3"
expect_not "$user/a.json:4"
spw config show --for /games/bin/another
expect_code 0
expect_out 'Profiles: none is for this program'
expect_out "$user/a.json:4"

# A variable is above all of it.
spw SPILLWAY_VRAM_LIMIT=3GiB config show --for /games/bin/test-game.exe --json
expect_code 0
expect_silent
expect_json /program /games/bin/test-game.exe
expect_json /settings/vram_limit/value $((3 << 30))
expect_json /settings/vram_limit/origin SPILLWAY_VRAM_LIMIT
expect_json /settings/report/value truthful
expect_json /settings/report/file "$user/a.json"
expect_json /settings/report/line 12
expect_json /settings/report/profile 'the test game'
expect_json /settings/log.level/line 3
expect_json /settings/mode/value auto
expect_json /settings/mode/origin 'built-in default'
count=$(json /profiles)
expect_json "/profiles/$((count - 1))/name" 'the test game'

# SPILLWAY_CONFIG stands between.
echo '{"defaults": {"vram_limit": "2GiB"}}' >"$work/extra.json"
spw SPILLWAY_CONFIG="$work/extra.json" config show --for /games/bin/test-game.exe --json
expect_json /settings/vram_limit/value $((2 << 30))
expect_json /settings/vram_limit/file "$work/extra.json"
expect_json /settings/report/value truthful

# `run --for` the file, end to end: what show says is what a program gets.
spw run --config "$work/extra.json" -- "$SPILLWAY" config show --json
expect_json /settings/vram_limit/value $((2 << 30))

# What is wrong is said, and the rest holds.
echo '{"defaults": {"log.levl": "info", "stats": "exit"}}' >"$user/b.json"
spw config show
expect_code 1
expect_err "$user/b.json:1: defaults.log.levl: there is no such key here; did you mean 'log.level'?"
expect_out "stats exit $user/b.json:1"
rm "$user/b.json"
spw config show something
expect_code 2
expect_err "(for one program: --for 'something')"

# ---- check

spw config check "$user/a.json"
expect_code 0
expect_out "$user/a.json: fine"
printf '{\n "defaults": {"mode": "fast",\n "vram_limit": "4GiB", "vram_limit": "5GiB"}\n}\n' >"$work/bad.json"
spw config check "$user/a.json" "$work/bad.json"
expect_code 1
expect_out "$user/a.json: fine"
expect_err "$work/bad.json:2: defaults.mode"
expect_err "$work/bad.json:3: defaults.vram_limit"
printf '{\n "defaults": {\n' >"$work/bad.json"
spw config check "$work/bad.json"
expect_code 1
expect_err "$work/bad.json:"
expect_not ': fine'
spw config check "$work/none.json"
expect_code 1
expect_err "$work/none.json"
mkdir "$work/folder"
spw config check "$work/folder"
expect_code 1
spw config check
expect_code 2
# Relative names are for people at a shell.
cd "$work" || exit 1
spw config check extra.json
expect_code 0
expect_out 'extra.json: fine'
cd / || exit 1

# ---- init

rm -r "$work/home/.config"
spw config show --json
grep -v '"path"\|"usable"' "$work/out" >"$work/before"
spw config init
expect_code 0
expect_silent
expect_out "Wrote $user/spillway.json"
[ -f "$user/spillway.json" ] || fail 'init wrote nothing'
"$JSON_GET" "$user/spillway.json" /defaults >"$work/get" || fail 'what init wrote is no JSON'
spw config check "$user/spillway.json"
expect_code 0
expect_silent
# It is in use, and changes nothing.
spw config show --json
expect_code 0
expect_out "\"path\": \"$user/spillway.json\""
grep -v '"path"\|"usable"' "$work/out" | tr -d '{}[], \n' >"$work/after"
tr -d '{}[], \n' <"$work/before" | cmp -s - "$work/after" || fail 'the file that init writes changes settings'
spw config show --for /games/bin/any-game.exe
expect_code 0
expect_out 'Profiles: none is for this program'
spw config show --for name-of-the-game.exe
expect_code 0
expect_out "vram_limit 6GiB $user/spillway.json"
# Never again over it.
echo '{"defaults": {}}' >"$user/spillway.json"
spw config init
expect_code 1
expect_err "$user/spillway.json is there already and stays as it is"
[ "$(cat "$user/spillway.json")" = '{"defaults": {}}' ] || fail 'init overwrote a file'
rm -r "$work/home/.config"
spw XDG_CONFIG_HOME="$work/elsewhere" config init
expect_code 0
[ -f "$work/elsewhere/spillway/spillway.json" ] || fail 'XDG_CONFIG_HOME is not heeded'
ln -s "$work/nowhere" "$work/home/.config"
spw config init
expect_code 1
expect_err "cannot make the folder $user"
spw config init now
expect_code 2

finish
