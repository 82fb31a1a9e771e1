#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A test program under the layer, with a real loader that really has it in the chain:
# test_program.sh LOADER DRIVER PROGRAM [ARGUMENT]...
set -u
. "$(dirname "$0")/lib.sh"
setup "$1" "$2"
shift 2

run SPILLWAY=1 "$@" >"$work/out" 2>&1 || fail "$*: status $?: $(tail -n 5 "$work/out")"
run SPILLWAY=1 VK_LOADER_DEBUG=layer "$@" 2>&1 | grep -q "Insert instance layer \"$layer_name\"" ||
    fail "the layer was not in the chain"
finish
