#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every key, set in each place that settings come from, arrives in a real program under a real loader:
#
#   test_round_trip.sh LOADER SHIPPED_FOLDER SHIPPED_FILES...
#
# One run a place: there every key has a value, and in all places that rank lower another one. What holds, and
# from where, is read from the exit summary, which itself depends on `stats` and `log.file` getting through.
set -u
. "$(dirname "$0")/../loader/lib.sh"
setup "$1" simgpu
shipped=$2
shift 2

# The check build, which takes its machine's folders from below a root of ours.
mkdir -p "$work/check/vulkan"
ln -s "$BUILD_ROOT/manifest/check" "$work/check/vulkan/implicit_layer.d"
data=$work/check
root=$work/root
mkdir -p "$root$shipped" "$root/etc/spillway" "$work/home/.config/spillway" "$work/home/.local/share/vulkan/settings.d"
named=$work/named.json

keys='enabled mode report vram_limit host_limit host_floor reserve overflow log.level log.file stats'
# The table is the truth; a key that is missing here fails the test.
for key in $keys; do echo "$key"; done | sort >"$work/keys.here"
sed -n 's/^SPW_SETTING([A-Z_]*, *"\([a-z_.]*\)".*/\1/p' "$SOURCE_ROOT/layer/os/settings_keys.h" | sort |
    diff - "$work/keys.here" >"$work/diff" || fail "the keys of settings_keys.h: $(cat "$work/diff")"

# value KEY RANK high|low: what a place sets; numbers differ from place to place.
value() {
    case $1.$3 in
    enabled.high) echo false ;;
    enabled.low) echo true ;;
    mode.high) echo redirect ;;
    mode.low) echo passthrough ;;
    report.high) echo "$((100 + $2))MiB" ;;
    report.low) echo truthful ;;
    reserve.high) echo "$2%" ;;
    reserve.low) echo 50% ;;
    log.level.high) echo debug ;;
    log.level.low) echo error ;;
    log.file.high) echo "$work/log.$2" ;;
    log.file.low) echo "$work/log.low" ;;
    stats.high) echo exit ;;
    stats.low) echo none ;;
    *.high) echo "$((200 + $2))KiB" ;;
    *.low) echo 7MiB ;;
    esac
}

# The value as the summary shows it.
shown() {
    local is
    is=$(value "$1" "$2" high)
    case $is in
    *MiB) echo $((${is%MiB} * 1048576)) ;;
    *KiB) echo $((${is%KiB} * 1024)) ;;
    *) echo "$is" ;;
    esac
}

# members RANK high|low: "key": value, of all keys.
members() {
    local key is separator=
    for key in $keys; do
        is=$(value "$key" "$1" "$2")
        [ "$key" = enabled ] || is="\"$is\""
        printf '%s"%s": %s' "$separator" "$key" "$is"
        separator=$',\n'
    done
}

profile='"name": "P", "match": {"executable": "settings_*", "application": "app", "engine": ["x", "Round Trip"]}'

# Places by rank, and what `from` says of them: set_place RANK high|low
from=(nowhere "$root$shipped/a.json" "$root/etc/spillway/a.json" "$work/home/.config/spillway/a.json"
    "$root$shipped/p.json" "$root/etc/spillway/p.json" "$work/home/.config/spillway/p.json"
    VK_EXT_layer_settings "$work/home/.local/share/vulkan/settings.d/vk_layer_settings.txt" "$named" "$named" SPILLWAY_)
set_place() {
    local key name
    case $1 in
    1 | 2 | 3) echo "{\"defaults\": {$(members "$1" "$2")}}" >"${from[$1]}" ;;
    4 | 5 | 6) echo "{\"profiles\": [{$profile, $(members "$1" "$2")}]}" >"${from[$1]}" ;;
    7)
        for key in $keys; do
            name=$key
            [ "$key" = enabled ] && name=enabled:bool
            arguments+=("$name=$(value "$key" "$1" "$2")")
        done
        ;;
    8) for key in $keys; do echo "spillway_overcommit.$key = $(value "$key" "$1" "$2") # $2"; done >"${from[$1]}" ;;
    9) echo "{\"defaults\": {$(members "$1" "$2")}}" >"$named" ;;
    10) echo "{\"defaults\": {$(members 9 low)}, \"profiles\": [{$profile, $(members "$1" "$2")}]}" >"$named" ;;
    11)
        for key in $keys; do
            name=${key//./_}
            environment+=("SPILLWAY_${name^^}=$(value "$key" "$1" "$2")")
        done
        ;;
    esac
}

# summary FILE: its last one.
summary() {
    grep '^{"spillway"' "$1" | tail -n 1
}

for rank in 1 2 3 4 5 6 7 8 9 10 11; do
    arguments=(--application app --engine "Round Trip")
    environment=(SPILLWAY=1 SPILLWAY_TEST_CONFIG_ROOT="$root")
    [ "$rank" -lt 9 ] || environment+=(SPILLWAY_CONFIG="$named")
    for ((lower = 1; lower < rank; lower++)); do
        set_place $lower low
    done
    set_place $rank high
    rm -f "$work"/log.*
    run "${environment[@]}" "$SETTINGS_PROBE" "${arguments[@]}" >"$work/out" 2>&1 ||
        fail "place $rank: status $?: $(cat "$work/out")"
    [ ! -s "$work/out" ] || fail "place $rank: not in the log file: $(cat "$work/out")"
    if [ ! -f "$work/log.$rank" ]; then
        fail "place $rank: log.file did not get through"
        continue
    fi
    grep -q ' warn: ' "$work/log.$rank" && fail "place $rank: $(grep ' warn: ' "$work/log.$rank")"
    summary "$work/log.$rank" >"$work/summary"
    for key in $keys; do
        expected="\"$key\":{\"value\":\"$(shown "$key" $rank)\",\"from\":\"${from[$rank]}"
        grep -qF "$expected" "$work/summary" ||
            fail "place $rank: $key: not '$expected': $(grep -oF "\"$key\":{" -A0 "$work/summary") $(cat "$work/summary")"
    done
done

# A place that is silent lets the one below through, and what nobody sets is built in.
rm -rf "$root" "$work/home/.config" "$work/home/.local" "$named"
run SPILLWAY=1 SPILLWAY_STATS=exit "$SETTINGS_PROBE" >"$work/out" 2>&1 || fail "plain: $(cat "$work/out")"
[ "$(grep -o '"from":"built-in default"' "$work/out" | wc -l)" -eq 10 ] || fail "plain: $(cat "$work/out")"
grep -qF '"stats":{"value":"exit","from":"SPILLWAY_STATS"}' "$work/out" || fail "plain: $(cat "$work/out")"

# Settings of one GPU: simgpu's vendor is known to nobody else, so it is asked for by name.
mkdir -p "$work/home/.config/spillway"
for gpu in 'simgpu*:1' 'GeForce*:0'; do
    echo "{\"profiles\": [{\"match\": {\"gpu.name\": \"*${gpu%:*}*\"}, \"vram_limit\": \"33MiB\"}]}" \
        >"$work/home/.config/spillway/gpu.json"
    run SPILLWAY=1 SPILLWAY_STATS=exit SPILLWAY_TEST_CONFIG_ROOT="$root" "$SETTINGS_PROBE" >"$work/out" 2>&1
    [ "$(grep -c '"vram_limit":{"value":"34603008"' "$work/out")" -eq "${gpu#*:}" ] || fail "gpu: $(cat "$work/out")"
done
rm -f "$work/home/.config/spillway/gpu.json"

# The shipped files, for the programs that they are about: shipped_for KEY VALUE ARGUMENT...
mkdir -p "$root$shipped"
cp "$@" "$root$shipped"
shipped_for() {
    local key=$1 expected=$2
    shift 2
    run SPILLWAY=1 SPILLWAY_STATS=exit SPILLWAY_TEST_CONFIG_ROOT="$root" "$@" >"$work/out" 2>&1
    grep -qF "\"$key\":{\"value\":\"$expected\",\"from\":\"$root$shipped/" "$work/out" ||
        fail "$*: not $key = $expected from a shipped file: $(cat "$work/out")"
    grep -q ' warn: ' "$work/out" && fail "$*: $(cat "$work/out")"
}
shipped_for report truthful "$SETTINGS_PROBE" --engine DXVK --application game.exe
shipped_for report virtual "$SETTINGS_PROBE" --engine vkd3d
shipped_for report virtual "$SETTINGS_PROBE" --application ggml-vulkan
cp "$SETTINGS_PROBE" "$work/steamwebhelper"
shipped_for enabled false "$work/steamwebhelper"
grep -qF '"mode":"passthrough"' "$work/out" || fail "steamwebhelper: $(cat "$work/out")"
cp "$SETTINGS_PROBE" "$work/wine64-preloader"
shipped_for enabled false bash -c 'exec -a "C:\\Epic\\EPICGamesLauncher.exe" "$0"' "$work/wine64-preloader"

finish
