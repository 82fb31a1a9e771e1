#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The layer is a guest in the program's process. It prints nothing to stdout, and signal handlers, locale,
# working directory and their like are the same with it and without: test_manners.sh LOADER DRIVER
set -u
. "$(dirname "$0")/lib.sh"
setup "$1" "$2"

probe_state() {
    name=$1
    shift
    run "$@" "$PROBE" --state-file="$work/$name.state" >"$work/$name" 2>"$work/$name.err"
    status=$?
    [ -s "$work/$name.state" ] || fail "$name: loader_probe: $(tail -n 3 "$work/$name.err")"
}

# The same variables in both, so that the environment is the same too.
data=$work/empty probe_state without SPILLWAY=1
without=$status
probe_state with SPILLWAY=1
[ "$status" -eq "$without" ] || fail "the layer changes the process: $(cat "$work/with.err")"
grep -q '^mapped=yes$' "$work/with" || fail "the layer is not in the process"
grep -q '^mapped=no$' "$work/without" || fail "the layer is in the process that must not have it"
diff "$work/without.state" "$work/with.state" || fail "the state differs"
# The mock driver changes nothing of its own, so nothing may change at all.
[ "$driver" != mock ] || [ "$status" -eq 0 ] || fail "changed: $(cat "$work/with.err")"

# Every line on stdout is the program's. (All that it prints is key=value.)
grep -v -E '^(loader|listed|instance|tool|device|heap|type|extension|device-used|mapped)=' "$work/with" &&
    fail "something else printed to stdout"
# By default nothing is said on stderr either: there is nothing wrong.
diff "$work/without.err" "$work/with.err" || fail "stderr differs"

finish
