#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# vkGetInstanceProcAddr and vkGetDeviceProcAddr answer as without the layer: an address where there was one, and
# NULL where there was none, for every command of the registry under all its names: test_procs.sh LOADER DRIVER
set -u
. "$(dirname "$0")/lib.sh"
setup "$1" "$2"

# The layer lists itself among the tools whatever the driver has: the one command that it adds.
own='^proc=vkGetPhysicalDeviceToolProperties(EXT)?\|'
# For a program of Vulkan 1.0 the layer enables VK_KHR_get_physical_device_properties2, to read the budget
# (layer/README.md). The loader itself then answers these names, before any layer is asked.
properties2='^proc=vkGetPhysicalDevice([A-Za-z]*Properties|Features)2KHR\|'

ignored()
{
    case $1 in
    none | 1.0) echo "$own|$properties2" ;;
    *) echo "$own" ;;
    esac
}

for api in none 1.0 1.1 1.2 1.3; do
    data=$work/empty probe without-$api SPILLWAY=1 -- --api=$api --procs
    probe with-$api SPILLWAY=1 -- --api=$api --procs
    grep -q '^mapped=yes$' "$work/with-$api" || fail "api $api: the layer is not in the process"
    grep -E '^proc=' "$work/without-$api" | grep -v -E "$(ignored $api)" >"$work/without-procs"
    grep -E '^proc=' "$work/with-$api" | grep -v -E "$(ignored $api)" >"$work/with-procs"
    [ "$(wc -l <"$work/with-procs")" -gt 400 ] || fail "api $api: hardly any names"
    diff "$work/without-procs" "$work/with-procs" >"$work/diff" ||
        fail "api $api: other names have an address: $(head -n 20 "$work/diff")"
done
grep -q '^proc=vkAllocateMemory|-|instance|device$' "$work/with-1.3" || fail "vkAllocateMemory has no address"

finish
