#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# spillway run: environment, exit codes, signals, and what it refuses.
set -u
. "$(dirname "$0")/lib.sh"
setup

show='for v in SPILLWAY SPILLWAY_VRAM_LIMIT SPILLWAY_STATS SPILLWAY_LOG_LEVEL SPILLWAY_CONFIG; do
    eval "echo \"$v=\${$v-unset}\""; done'

# ---- the environment

spw run -- sh -c "$show"
expect_code 0
expect_silent
expect_out 'SPILLWAY=1 SPILLWAY_VRAM_LIMIT=unset SPILLWAY_STATS=unset SPILLWAY_LOG_LEVEL=unset SPILLWAY_CONFIG=unset'

spw run --vram-limit 4GiB --set log.level=info --stats -- sh -c "$show"
expect_code 0
expect_silent
expect_out 'SPILLWAY=1 SPILLWAY_VRAM_LIMIT=4GiB SPILLWAY_STATS=exit SPILLWAY_LOG_LEVEL=info'

# The last one counts; without "--", the first word that is no option is the program.
spw run --set vram_limit=1GiB --vram-limit=50% sh -c "$show"
expect_code 0
expect_out 'SPILLWAY_VRAM_LIMIT=50%'

# A value may hold what it likes; an option stands above the variable of the caller.
spw SPILLWAY_LOG_FILE=/other run --set "log.file=/tmp/a=b c" -- sh -c 'echo "[$SPILLWAY_LOG_FILE]"'
expect_code 0
expect_out '[/tmp/a=b c]'

# Arguments reach the program as they are, also those that look like ours.
spw run -- printf '<%s>' --stats -- 'a b' ''
expect_code 0
[ "$(cat "$work/out")" = '<--stats><--><a b><>' ] || fail "arguments: $(cat "$work/out")"

# --config: absolute, since the program may change its folder.
mkdir "$work/here"
echo '{"defaults": {"vram_limit": "3GiB"}}' >"$work/here/game.json"
cd "$work/here" || exit 1
spw run --config game.json -- sh -c "$show"
expect_code 0
expect_out "SPILLWAY_CONFIG=$(realpath "$work")/here/game.json"
spw run --set log.file=a.log -- sh -c 'echo "$SPILLWAY_LOG_FILE"'
expect_out "$work/here/a.log"
cd / || exit 1

# ---- the way to the layer

spw run -- sh -c 'echo "$XDG_DATA_DIRS"'
expect_out "$work/share:$BUILD_ROOT/tools/spillway/build-tree"
# The variable replaces the defaults, so they are kept.
spw XDG_DATA_DIRS= run -- sh -c 'echo "$XDG_DATA_DIRS"'
expect_out "/usr/local/share:/usr/share:$BUILD_ROOT/tools/spillway/build-tree"
manifest "$BUILD_ROOT/layer/vk/libVkLayer_spillway.so"
spw run -- sh -c 'echo "$XDG_DATA_DIRS"'
expect_out "$work/share"
expect_not build-tree
# One that cannot be used does not count.
manifest "$work/not-there.so"
spw run -- sh -c 'echo "$XDG_DATA_DIRS"'
expect_out build-tree
no_manifests

spw VK_IMPLICIT_LAYER_PATH=/some/where run -- sh -c 'echo "$VK_IMPLICIT_LAYER_PATH"'
expect_out "/some/where:$BUILD_ROOT/tools/spillway/build-tree/vulkan/implicit_layer.d"
spw VK_LOADER_LAYERS_DISABLE=~implicit~ run -- sh -c 'echo "$VK_LOADER_LAYERS_ENABLE"'
expect_out VK_LAYER_SPILLWAY_overcommit
spw VK_LOADER_LAYERS_DISABLE=~all~ VK_LOADER_LAYERS_ENABLE=a run -- sh -c 'echo "$VK_LOADER_LAYERS_ENABLE"'
expect_out a,VK_LAYER_SPILLWAY_overcommit
spw run -- sh -c 'echo "${VK_LOADER_LAYERS_ENABLE-none}${VK_IMPLICIT_LAYER_PATH-none}"'
expect_out nonenone

# It says so where the program will run without.
spw SPILLWAY_DISABLE=1 run -- sh -c 'echo "$SPILLWAY_DISABLE"'
expect_code 0
expect_out 1
expect_err 'SPILLWAY_DISABLE is set, so the program runs without Spillway'
(
    use_lone_command
    spw run -- echo started
    expect_code 0
    expect_out started
    expect_err 'the Vulkan layer is not installed: the program runs without Spillway'
    finish
) || failures=$((failures + 1))

# ---- exit codes and signals

for n in 0 1 3 77 125 255; do
    spw run -- sh -c "exit $n"
    expect_code $n
done
for signal in TERM KILL SEGV; do
    spw run -- sh -c "kill -$signal \$\$"
    expect_code $((128 + $(kill -l $signal)))
done

# It becomes the program: same process, and a signal from outside is the program's.
env -i PATH=/usr/bin:/bin HOME="$work/home" "$SPILLWAY" run -- sleep 100 2>/dev/null &
pid=$!
for ((i = 0; i < 200; i++)); do
    [ "$(readlink "/proc/$pid/exe")" = "$(realpath "$(command -v sleep)")" ] && break
    sleep 0.05
done
[ "$(readlink "/proc/$pid/exe")" = "$(realpath "$(command -v sleep)")" ] || fail "it does not become the program"
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || fail "SIGTERM from outside is not the program's"

spw run -- no-such-program-anywhere
expect_code 127
expect_err "cannot run 'no-such-program-anywhere': there is no such program in PATH"
spw run -- "$work/nothing"
expect_code 127
expect_err "cannot run '$work/nothing': No such file or directory"
spw run -- "$work/here/game.json"
expect_code 126
expect_err 'Permission denied'
spw run -- "$work"
expect_code 126
printf '#!/no/such/interpreter\n' >"$work/script"
chmod +x "$work/script"
spw run -- "$work/script"
expect_code 126
expect_err 'names as its interpreter'

# ---- what it refuses, before the program starts

refused()
{
    spw run "$@" -- touch "$work/started"
    expect_code 125
    [ ! -e "$work/started" ] || fail "$said: started the program"
    rm -f "$work/started"
}
refused --vram-limit 4GB4
expect_err "--vram-limit: '4GB4' is not a size (like 8GiB, 512 MiB or 60%)"
expect_not keeping
refused --set vram_limt=4GiB
expect_err "--set vram_limt: there is no setting 'vram_limt'; did you mean 'vram_limit'?"
refused --set mode=fast
expect_err "'fast' is not auto"
refused --set mode
expect_err "--set takes key=value, not 'mode'"
refused --config "$work/no.json"
expect_err "--config $work/no.json: No such file or directory"
echo '{"defaults": {"vram_limit": "a lot"}}' >"$work/bad.json"
refused --config "$work/bad.json"
expect_err "$work/bad.json:1: defaults.vram_limit"
refused --no-such-option
expect_err "unrecognized option '--no-such-option'"
spw run
expect_code 125
expect_err 'which program?'

# A later version's: said, and no reason not to play.
spw run --set paging.block=4MiB -- true
expect_code 0
expect_err "'paging.block' does nothing in this version"

# ---- --print

manifest "$BUILD_ROOT/layer/vk/libVkLayer_spillway.so"
spw run --print --vram-limit 4GiB
expect_code 0
[ "$(cat "$work/out")" = 'SPILLWAY=1 SPILLWAY_VRAM_LIMIT=4GiB %command%' ] || fail "--print: $(cat "$work/out")"
spw run --print --set "log.file=/tmp/it's" -- sh -c 'echo "$SPILLWAY_LOG_FILE"'
[ "$(sh -c "$(cat "$work/out")")" = "/tmp/it's" ] || fail "--print is no line for a shell: $(cat "$work/out")"

finish
