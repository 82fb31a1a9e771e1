#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# spillway doctor on one simulated card, with every loader there is: test_doctor.sh PROFILE
set -u
. "$(dirname "$0")/lib.sh"
setup
need_card

profile=$1
MiB=$((1024 * 1024))
loaders=()
[ ! -e $chromium ] || loaders=(--loader "$chromium")
manifest "$BUILD_ROOT/layer/vk/libVkLayer_spillway.so"

# What tests/harness/CONTRACTS.md says about the cards.
mode=redirect reason='memory is placed at allocation' heaps=2 types=4 sparse=true told=$((320 * MiB))
first_heap=1 families=3 last_family='family 2: 1 with transfer, sparse binding' pageable=false
case $profile in
nvidia) ;;
nvidia-rebar) types=5 ;;
tiny-bar) heaps=3 types=5 ;;
non-coherent) heaps=3 types=6 ;;
amd) heaps=3 first_heap=0 ;;
amd-rebar) first_heap=0 ;;
intel) types=3 first_heap=0 families=2 last_family='family 1: 1 with compute, transfer, sparse binding' ;;
one-queue) families=1 last_family='family 0: 1 with graphics, compute, transfer, sparse binding' ;;
bind-family) heaps=3 first_heap=0 last_family='family 2: 1 with sparse binding' ;;
pageable) pageable=true ;;
uma) first_heap=0 mode=passthrough reason='unified memory' heaps=1 types=3 told=$((256 * MiB)) ;;
no-sparse) sparse=false ;;
*) fail "no profile $profile" && finish ;;
esac
card=(SIMGPU_PROFILE="$profile" SIMGPU_VRAM=256MiB SIMGPU_HOST=2GiB SPILLWAY_OVERFLOW=64MiB)

spw "${card[@]}" doctor --json "${loaders[@]}"
expect_code 0
expect_silent
expect_json /well true
expect_json /problems 0
expect_json /manifests/0/state ok
total=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
expect_json /memory/total $((total * 1024))
expect_json /loaders $((1 + ${#loaders[@]} / 2))
for ((i = 0; i < 1 + ${#loaders[@]} / 2; i++)); do
    at=/loaders/$i
    expect_json $at/layer_loads true
    expect_json $at/library "$(realpath "$BUILD_ROOT/layer/vk/libVkLayer_spillway.so")"
    expect_json $at/gpus 1
    at=$at/gpus/0
    expect_json $at/mode $mode
    [[ $(json $at/reason) == *"$reason"* ]] || fail "$profile: the reason is '$(json $at/reason)'"
    expect_json $at/heaps $heaps
    expect_json $at/heaps/0/device_local true
    expect_json $at/heaps/0/size $((256 * MiB))
    expect_json $at/heaps/0/told_size "$told"
    expect_json $at/memory_types $types
    expect_json $at/memory_types/0/heap $first_heap
    expect_json $at/queue_families $families
    expect_json $at/sparse/binding $sparse
    expect_json $at/memory_budget true
    expect_json $at/timeline_semaphores true
    expect_json $at/pageable_memory $pageable
done
[ -z "${loaders[*]}" ] || [ "$(json /loaders/0/version)" != "$(json /loaders/1/version)" ] ||
    fail "--loader looked at the same loader twice"

# The same in words.
spw "${card[@]}" doctor "${loaders[@]}"
expect_code 0
expect_silent
expect_out "simgpu $profile"
expect_out "$mode: "
expect_out "$reason"
if [ $mode = redirect ]; then
    expect_out 'heap 0 256 MiB VRAM'
    expect_out 'programs are told 320 MiB'
    expect_out 'heap 1 2 GiB host memory'
    expect_out 'All well: start programs with SPILLWAY=1 or `spillway run`.'
else
    expect_out 'heap 0 256 MiB shared with the host'
    expect_out "Note: On 'simgpu $profile"
    expect_out 'Spillway has nothing to do on this machine'
fi
if [ $sparse = true ]; then
    expect_out "$last_family"
    expect_out '1 TiB of address space'
else
    expect_not 'sparse binding'
    expect_out 'sparse none'
fi

# A setting decides the mode, and is named as the reason.
spw "${card[@]}" SPILLWAY_MODE=passthrough doctor --json
expect_code 0
expect_json /loaders/0/gpus/0/mode passthrough
expect_json /loaders/0/gpus/0/reason "the setting 'mode' is passthrough"

# So does a configuration file; what it limits shows in what programs are told.
mkdir -p "$work/home/.config/spillway"
echo '{"defaults": {"vram_limit": "128MiB"}}' >"$work/home/.config/spillway/a.json"
spw "${card[@]}" doctor --json
expect_code 0
[ $mode = passthrough ] || told=$((192 * MiB))
expect_json /loaders/0/gpus/0/heaps/0/told_size $told
expect_json /loaders/0/gpus/0/heaps/0/size $((256 * MiB))

# What `run` sets reaches the layer through a real loader.
spw "${card[@]}" run --vram-limit 64MiB --set overflow=32MiB -- "$SPILLWAY" doctor --json
expect_code 0
[ $mode = passthrough ] || told=$((96 * MiB))
expect_json /loaders/0/gpus/0/heaps/0/told_size $told

finish
