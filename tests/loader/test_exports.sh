#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the shipped object shows to the process it is loaded into: one symbol, and no library that a
# game's container might lack; and nothing of the check build's switches: test_exports.sh SHIPPED CHECK
set -u
. "$(dirname "$0")/lib.sh"
object=$1
check_object=$2

[ "${SANITIZED:-0}" = 0 ] || skip "a sanitizer's build needs its run-time library"
[ -s "$object" ] || { fail "no '$object'" && finish; }

exported=$(nm -D --defined-only "$object" | awk '{ print $NF }')
[ "$exported" = vkNegotiateLoaderLayerInterfaceVersion ] || fail "exports: $exported"

needed=$(readelf -dW "$object" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
    case $library in
    libc.so.6 | libm.so.6 | ld-linux*.so.*) ;;
    *) fail "needs $library" ;;
    esac
done
[ -n "$needed" ] || fail "needs nothing: is this readelf's output?"

# Loaded late into a process: no lazy binding to go wrong, nothing writable that need not be, no executable
# stack (which would make the whole process's stacks executable), no text relocations.
dynamic=$(readelf -dW "$object")
grep -q -E 'BIND_NOW|FLAGS_1.*NOW' <<<"$dynamic" || fail "not linked with -z now"
grep -q -E 'TEXTREL' <<<"$dynamic" && fail "text relocations"
grep -q -E 'RPATH|RUNPATH' <<<"$dynamic" && fail "a run path"
segments=$(readelf -lW "$object")
grep -q 'GNU_RELRO' <<<"$segments" || fail "no relro"
grep -q -E 'GNU_STACK.*RWE' <<<"$segments" && fail "an executable stack"

# Nothing that would act on the host process, whoever calls it: ours or json-c. (json-c asserts, and reads the
# environment for its hash seed: tests/style sees to it that our own source does neither where it must not.)
for symbol in abort exit _exit _Exit quick_exit raise signal sigaction setlocale chdir putenv setenv \
    unsetenv puts putchar printf vprintf system fork execve popen; do
    nm -D --undefined-only "$object" | awk '{ sub(/@.*/, "", $NF); print $NF }' | grep -q -x "$symbol" &&
        fail "calls $symbol"
done

# The switches that tests turn are not in what is shipped. (The bare prefix is: such variables are no settings.)
switches_of() {
    grep -a -o -E 'SPILLWAY_TEST_[A-Z][A-Z_]*' "$1" | sort -u
}
[ "$(switches_of "$check_object" | wc -l)" -ge 3 ] || fail "the check build has hardly any switch"
[ -z "$(switches_of "$object")" ] || fail "test switches in the shipped object: $(switches_of "$object")"

finish
