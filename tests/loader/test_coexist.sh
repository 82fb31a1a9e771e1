#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Together with other people's layers, above them and below: all of them work, and the validation layer has
# nothing to say about Spillway, after it was seen to speak: test_coexist.sh LOADER DRIVER
set -u
. "$(dirname "$0")/lib.sh"
setup "$1" "$2"

system=/usr/share/vulkan
ours=$BUILD_ROOT/manifest/explicit_layer.d
validation=VK_LAYER_KHRONOS_validation

# chain NAME: the layers' names from the program to the driver, as the loader shows its call stack.
chain() {
    sed -n -e '/<Application>/,/<Device>\|<Drivers>/p' "$work/$1.err" |
        grep -o -e 'VK_LAYER_[A-Za-z0-9_]*' | awk '!seen[$0]++' | tr '\n' ' '
}

# expect_chain NAME LAYER...: exactly these, in this order.
expect_chain() {
    local name=$1
    shift
    [ "$(chain "$name")" = "$* " ] || fail "$name: the chain is '$(chain "$name")', not '$* '"
}

# messages NAME: what the validation layer complains of, each kind once.
messages() {
    cat "$work/$1" "$work/$1.err" | grep -o -e 'VUID-[A-Za-z0-9-]*' -e 'UNASSIGNED-[A-Za-z0-9-]*' -e 'SYNC-[A-Z-]*' |
        sort -u
}

# Nothing that it does not say of the same program on the driver alone: the mock driver's limits are zero.
silent() {
    local said
    said=$(comm -13 <(messages validation-alone) <(messages "$1"))
    [ -z "$said" ] || fail "$1: the validation layer says: $said"
}

speaks() {
    messages "$1" | grep -q 'VUID-VkBufferCreateInfo-size-00912' ||
        fail "$1: the validation layer does not report the deliberate error"
}

# --- Mesa's device selection, an implicit layer that most Linux systems have.
if [ -e $system/implicit_layer.d/VkLayer_MESA_device_select.json ]; then
    data=$work/built:/usr/share probe select SPILLWAY=1 VK_LOADER_DEBUG=layer
    expect_active select
    case $(chain select) in
    "$layer_name VK_LAYER_MESA_device_select " | "VK_LAYER_MESA_device_select $layer_name ") ;;
    *) fail "device_select: the chain is '$(chain select)'" ;;
    esac
fi

# --- Mesa's overlay.
if [ -e $system/explicit_layer.d/VkLayer_MESA_overlay.json ]; then
    probe overlay SPILLWAY=1 VK_LOADER_DEBUG=layer VK_LAYER_PATH=$system/explicit_layer.d \
        VK_INSTANCE_LAYERS=VK_LAYER_MESA_overlay
    expect_active overlay
    expect_chain overlay $layer_name VK_LAYER_MESA_overlay
    # The overlay asks the next layer for vkCreateDevice without an instance, as older layers do.
    probe overlay-below VK_LOADER_DEBUG=layer VK_LAYER_PATH="$system/explicit_layer.d:$ours" \
        -- --layer=VK_LAYER_MESA_overlay --layer=$layer_name
    expect_active overlay-below
    expect_chain overlay-below VK_LAYER_MESA_overlay $layer_name
fi

# --- The validation layer that comes with this loader.
case $loader in
debian) validation_path=$system/explicit_layer.d ;;
chromium)
    validation_path=$work/validation
    mkdir -p "$validation_path"
    echo "{\"file_format_version\":\"1.2.0\",\"layer\":{\"name\":\"$validation\",\"type\":\"GLOBAL\"," \
        "\"library_path\":\"$chromium/libVkLayer_khronos_validation.so\",\"api_version\":\"1.4.364\"," \
        "\"implementation_version\":\"1\",\"description\":\"validation\"}}" >"$validation_path/validation.json"
    ;;
esac
if [ "$loader" = chromium ] || [ -e $validation_path/VkLayer_khronos_validation.json ]; then
    data=$work/empty probe validation-alone VK_LAYER_PATH="$validation_path" VK_INSTANCE_LAYERS=$validation
    [ "$driver" = mock ] || [ -z "$(messages validation-alone)" ] || fail "not silent without Spillway"

    # Below: an implicit layer is nearer to the program than an explicit one.
    below=(SPILLWAY=1 VK_LOADER_DEBUG=layer VK_LAYER_PATH="$validation_path" VK_INSTANCE_LAYERS="$validation")
    probe validation-below-error "${below[@]}" -- --deliberate-error
    speaks validation-below-error
    probe validation-below "${below[@]}"
    expect_chain validation-below $layer_name $validation
    expect_active validation-below
    silent validation-below

    # Above: both explicit, named by the program in that order.
    above=(VK_LOADER_DEBUG=layer VK_LAYER_PATH="$validation_path:$ours")
    data=$work/empty probe validation-above-error "${above[@]}" -- --layer=$validation --layer=$layer_name \
        --deliberate-error
    speaks validation-above-error
    data=$work/empty probe validation-above "${above[@]}" -- --layer=$validation --layer=$layer_name
    expect_chain validation-above $validation $layer_name
    expect_active validation-above
    silent validation-above
elif [ "$failures" -eq 0 ]; then
    skip "the validation layer is not installed"
fi

finish
