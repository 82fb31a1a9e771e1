#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every way to turn the layer on, and off, with a real loader: test_enable.sh LOADER DRIVER
set -u
. "$(dirname "$0")/lib.sh"
setup "$1" "$2"

probe_base

# Not asked for: not there.
probe off
expect_absent off
probe off-zero SPILLWAY=0
expect_absent off-zero

# Each way, and all of them together: once.
probe by-switch SPILLWAY=1
expect_active by-switch
probe by-instance-layers VK_INSTANCE_LAYERS=$layer_name
expect_active by-instance-layers
probe by-filter "VK_LOADER_LAYERS_ENABLE=*SPILLWAY*"
expect_active by-filter
probe by-program -- --layer=$layer_name
expect_active by-program
probe by-all SPILLWAY=1 VK_INSTANCE_LAYERS=$layer_name "VK_LOADER_LAYERS_ENABLE=*SPILLWAY*" -- --layer=$layer_name
expect_active by-all
data=$work/empty probe by-path VK_LAYER_PATH="$BUILD_ROOT/manifest/explicit_layer.d" \
    VK_INSTANCE_LAYERS=$layer_name
expect_active by-path
data=$work/empty probe by-check-path VK_LAYER_PATH="$BUILD_ROOT/manifest/check" VK_INSTANCE_LAYERS=$layer_name
expect_active by-check-path

# Whatever the program asks for in VkApplicationInfo, or without one.
for api in none 1.0 1.1 1.2 1.3 1.4 1.4.999; do
    probe api-$api SPILLWAY=1 -- --api=$api
    grep -q '^mapped=yes$' "$work/api-$api" || fail "api $api: not in the process"
done

# SPILLWAY_DISABLE=1 wins, also where the loader does not ask for it.
probe disable SPILLWAY=1 SPILLWAY_DISABLE=1
expect_absent disable
probe disable-instance-layers SPILLWAY_DISABLE=1 VK_INSTANCE_LAYERS=$layer_name
expect_disabled disable-instance-layers
probe disable-filter SPILLWAY_DISABLE=1 "VK_LOADER_LAYERS_ENABLE=*SPILLWAY*"
expect_disabled disable-filter
probe disable-program SPILLWAY=1 SPILLWAY_DISABLE=1 -- --layer=$layer_name
expect_disabled disable-program
probe disable-all SPILLWAY=1 SPILLWAY_DISABLE=1 VK_INSTANCE_LAYERS=$layer_name \
    "VK_LOADER_LAYERS_ENABLE=*SPILLWAY*" -- --layer=$layer_name
expect_disabled disable-all
# The loader's own switch.
probe loader-disable SPILLWAY=1 "VK_LOADER_LAYERS_DISABLE=~implicit~"
expect_absent loader-disable

# `enabled = false`: there, and without effect.
probe not-enabled SPILLWAY=1 SPILLWAY_ENABLED=false
expect_disabled not-enabled

finish
