#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# spillway doctor where something is wrong: it says what, and what to do.
set -u
. "$(dirname "$0")/lib.sh"
setup
need_card
lib=$BUILD_ROOT/layer/vk/libVkLayer_spillway.so
both=()
[ ! -e $chromium ] || both=(--loader "$chromium")

# problem ID: the only kind of problem, with a way out; also in words.
# usage: problem ID [VARIABLE=value]... -- TEXT...
problem()
{
    local id=$1 variables=() i count
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        variables+=("$1")
        shift
    done
    shift
    spw "${variables[@]}" doctor --json "${options[@]}"
    expect_code 1
    expect_json /well false
    count=$(json /problems)
    [ "${count:-0}" -gt 0 ] || fail "$said: no problem"
    for ((i = 0; i < ${count:-0}; i++)); do
        [[ " $id " == *" $(json /problems/$i/id) "* ]] || fail "$said: another problem: $(json /problems/$i/text)"
        [ -n "$(json /problems/$i/fix)" ] || fail "$said: no way out of '$(json /problems/$i/text)'"
    done
    spw "${variables[@]}" doctor "${options[@]}"
    expect_code 1
    expect_silent
    expect_not 'All well'
    for text; do
        expect_out "$text"
    done
}
options=("${both[@]}")
manifest "$lib"
spw doctor "${options[@]}"
expect_code 0

# ---- no GPU, no loader

icd=$work/none.json
problem 'no-gpu driver-files' -- 'Problem: No GPU: no Vulkan driver answers' '-> install the driver of your card' \
    "VK_DRIVER_FILES is set, so only '$icd' is used for a driver, and that file does not exist" '-> unset VK_DRIVER_FILES' \
    'no GPU found'
icd=$SIMGPU_ICD

options=()
if [ "$SANITIZED" = 0 ]; then
    problem no-loader LD_PRELOAD="$OTHER_MACHINE" -- 'Problem: No Vulkan loader: libvulkan.so.1 is not on this machine' \
        '-> install it: apt install libvulkan1'
    # One with --loader is looked at all the same.
    if [ -e $chromium ]; then
        spw LD_PRELOAD="$OTHER_MACHINE" doctor --json --loader $chromium
        expect_code 1
        expect_json /loaders/0/layer_loads false
        expect_json /loaders/1/layer_loads true
    fi
    # What can be seen without a loader is said as well.
    problem 'no-loader disabled' LD_PRELOAD="$OTHER_MACHINE" SPILLWAY_DISABLE=1 -- 'Spillway is switched off'
fi

# The card is there, its driver is not: which one to install.
card()
{
    rm -rf "$work/pci"
    mkdir -p "$work/pci/0000:01:00.0"
    echo 0x030000 >"$work/pci/0000:01:00.0/class"
    echo "$1" >"$work/pci/0000:01:00.0/vendor"
    echo 0x1234 >"$work/pci/0000:01:00.0/device"
    [ -z "$2" ] || ln -s "../../../bus/pci/drivers/$2" "$work/pci/0000:01:00.0/driver"
}
if [ "$SANITIZED" = 0 ]; then
    other=(LD_PRELOAD="$OTHER_MACHINE" OTHER_PCI="$work/pci" VK_DRIVER_FILES= VK_ICD_FILENAMES=)
    card 0x10de nvidia
    problem no-gpu "${other[@]}" -- 'No GPU: no Vulkan driver answers (this machine has a card of NVIDIA; its kernel driver: nvidia)' \
        "-> install the Vulkan part of NVIDIA's driver"
    card 0x10de nouveau
    problem no-gpu "${other[@]}" -- 'its kernel driver: nouveau' "-> install NVIDIA's own driver with its Vulkan part"
    card 0x1002 ''
    problem no-gpu "${other[@]}" -- 'a card of AMD; its kernel driver: none' '-> install Mesa'
    # One that a virtual machine has, and one that nobody misses.
    card 0x10de vfio-pci
    problem no-gpu "${other[@]}" -- 'No GPU: no Vulkan driver answers' '-> install the driver of your card'
    expect_not 'this machine has'
    card 0x1234 bochs-drm
    problem no-gpu "${other[@]}" -- 'No GPU: no Vulkan driver answers' '-> install the driver of your card'
    expect_not 'this machine has'
fi

options=(--loader "$work/none.so")
problem bad-loader -- "The Vulkan loader $work/none.so cannot be used" '-> name another file with --loader'
echo 'no library' >"$work/text.so"
options=(--loader "$work/text.so")
problem bad-loader -- "The Vulkan loader $work/text.so cannot be used"
options=(--loader "$JSON_GET")
problem bad-loader -- 'cannot be used'

# ---- a driver that is no GPU, or crashes

options=()
lavapipe=$(compgen -G '/usr/share/vulkan/icd.d/lvp_icd.*.json' | head -n 1)
if [ -n "$lavapipe" ]; then
    icd=$lavapipe
    problem 'software-only driver-files' -- "Only a software driver ('llvmpipe" 'there is no VRAM to spill from' \
        '-> install the driver of your card'
fi
if [ "$SANITIZED" = 0 ]; then
    icd=$work/bad_driver.json
    echo "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"$BAD_DRIVER\", \"api_version\": \"1.3.0\"}}" >"$icd"
    problem driver-crashes -- 'Without Spillway: a Vulkan driver or layer crashes at' '(Segmentation fault)' \
        '-> find out which driver it is'
    icd=$SIMGPU_ICD
    options=("${both[@]}")
    manifest "$BAD_LAYER"
    problem layer-fails -- 'With Spillway, Vulkan crashes at vkCreateInstance (Segmentation fault), without it does not' \
        'please report it'
fi
icd=$SIMGPU_ICD
options=("${both[@]}")

# ---- switched off

manifest "$lib"
for value in 1 0 ''; do
    problem disabled SPILLWAY_DISABLE=$value -- 'Spillway is switched off: SPILLWAY_DISABLE is set' '-> unset SPILLWAY_DISABLE' \
        'none: Spillway is not loaded'
done
for filter in '~implicit~' '~all~' '*spillway*' 'a,VK_LAYER_SPILLWAY_overcommit'; do
    problem filtered VK_LOADER_LAYERS_DISABLE="$filter" -- "VK_LOADER_LAYERS_DISABLE='$filter'" '-> unset VK_LOADER_LAYERS_DISABLE'
done
spw VK_LOADER_LAYERS_DISABLE='*other*' doctor "${options[@]}"
expect_code 0

# ---- paths that leak into the environment

if [ -n "${both[*]}" ]; then
    problem implicit-path VK_IMPLICIT_LAYER_PATH=/some/where -- \
        "VK_IMPLICIT_LAYER_PATH='/some/where' makes newer Vulkan loaders look nowhere else" '-> unset VK_IMPLICIT_LAYER_PATH'
fi
# The older loader does not mind; it is worth a word.
spw VK_IMPLICIT_LAYER_PATH=/some/where doctor
if [ "$code" -eq 0 ]; then
    expect_out "Note: VK_IMPLICIT_LAYER_PATH='/some/where' is set"
fi
spw VK_LAYER_PATH=/some/where doctor "${options[@]}"
expect_code 0
expect_out "Note: VK_LAYER_PATH='/some/where' is set"

# `run` gets past all of these, with every loader, whether the layer is installed or lies beside the command.
for place in installed beside; do
    [ $place = installed ] || no_manifests
    for obstacle in VK_IMPLICIT_LAYER_PATH=/some/where VK_LOADER_LAYERS_DISABLE=~all~ \
        VK_LOADER_LAYERS_DISABLE=~implicit~ 'VK_LOADER_LAYERS_DISABLE=*spill*' VK_LAYER_PATH=/some/where; do
        spw "$obstacle" run -- "$SPILLWAY" doctor "${options[@]}"
        expect_code 0
        expect_out 'All well'
    done
done

# ---- manifests and libraries

no_manifests
spw doctor "${options[@]}"
expect_code 0
expect_out 'Note: Spillway is not installed where Vulkan looks'
expect_out 'All well: start programs with `spillway run`.'

use_lone_command
problem no-manifest -- "Spillway's layer is not installed" '-> install it: meson install -C build'

mkdir -p "$work/share/vulkan/implicit_layer.d"
echo '{"file_format_version": "1.2.1", "layer": {' >"$work/share/vulkan/implicit_layer.d/spillway_layer.x86_64.json"
problem bad-manifest -- 'spillway_layer.x86_64.json is broken: it is not valid JSON' '-> install Spillway again'
echo '{"file_format_version": "1.2.1"}' >"$work/share/vulkan/implicit_layer.d/spillway_layer.x86_64.json"
problem bad-manifest -- 'is broken: there is no "layer" in it'
manifest "$work/gone.so"
problem bad-manifest -- "is broken: its library '$work/gone.so' does not exist" 'if it is a leftover'
manifest "$work/text.so"
problem bad-manifest -- "its library '$work/text.so' is no shared library" '-> install a Spillway that was built for this machine'
# A header of the other word size: an ELF file, byte 4 is its class.
cp "$lib" "$work/other.so"
printf '\1' | dd of="$work/other.so" bs=1 seek=4 conv=notrunc status=none
manifest "$work/other.so"
problem bad-manifest -- "its library '$work/other.so' is a 32-bit library"
cp "$lib" "$work/other.so"
printf '\50' | dd of="$work/other.so" bs=1 seek=18 conv=notrunc status=none
manifest "$work/other.so"
problem bad-manifest -- "its library '$work/other.so' is for another processor"
sed -i '/"disable_environment"/s/, "disable_environment".*/}}/' "$work/share/vulkan/implicit_layer.d/spillway_layer.x86_64.json"
problem bad-manifest -- 'it has no disable_environment, so loaders leave it out'

# Somebody else's: Debian's loader then starts nothing at all.
manifest "$lib"
echo '{' >"$work/share/vulkan/implicit_layer.d/other.json"
spw doctor
if [ "$code" -ne 0 ]; then
    expect_out "Another layer's manifest $work/share/vulkan/implicit_layer.d/other.json is broken: it is not valid JSON"
fi
no_manifests

# A command of another version, and two layers that can be used.
manifest "$lib"
sed "s/$PROJECT_VERSION/${PROJECT_VERSION//[0-9]/9}/g" "$SPILLWAY" >"$work/alone/spillway"
spw doctor "${options[@]}"
expect_code 0
expect_out "Note: The layer is Spillway $PROJECT_VERSION, this command is of ${PROJECT_VERSION//[0-9]/9}: $(realpath "$lib")"
expect_not 'Two Spillways'
cp "$SPILLWAY" "$work/alone/spillway"
cp "$lib" "$work/libVkLayer_spillway_2.so"
manifest "$work/libVkLayer_spillway_2.so"
manifest "$lib" spillway_layer.other.json
spw doctor "${options[@]}"
expect_code 0
expect_out "Note: Two Spillways are installed"
no_manifests

# ---- settings

manifest "$lib"
problem setting SPILLWAY_VRAM_LIMT=4GiB -- 'SPILLWAY_VRAM_LIMT: there is no such variable; did you mean SPILLWAY_VRAM_LIMIT?' \
    '-> correct or remove it'
problem setting SPILLWAY_MODE=fast -- "SPILLWAY_MODE: 'fast' is not auto"
mkdir -p "$work/home/.config/spillway"
printf '{"defaults": {\n "vram_limit": "a lot"}}\n' >"$work/home/.config/spillway/a.json"
problem setting -- "$work/home/.config/spillway/a.json:2: defaults.vram_limit"
rm -r "$work/home/.config"
spw SPILLWAY_PAGING_BLOCK=4MiB doctor
expect_code 0
expect_out 'Note: SPILLWAY_PAGING_BLOCK'

# ---- the command line

spw doctor --no-such-option
expect_code 2
spw doctor something
expect_code 2
expect_err 'doctor takes no arguments'

finish
