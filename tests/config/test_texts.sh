#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# test_texts finds what is planted: test_texts.sh CHECKER SCHEMA MANIFEST SHIPPED_FILE...
set -u
checker=$1 schema=$2 manifest=$3 shipped=$4
work=$(mktemp -d "${TMPDIR:-/tmp}/spillway-config.XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0

# plant NAME WORDS SED-SCRIPT FILE: the file so changed is complained about with those words.
plant() {
    cp "$schema" "$work/schema"
    cp "$manifest" "$work/manifest"
    cp "$shipped" "$work/shipped"
    sed -i -e "$3" "$work/$4"
    if "$checker" "$work/schema" "$work/manifest" "$work/shipped" 2>"$work/out"; then
        echo "FAILED: $1: not found out" >&2
        failures=$((failures + 1))
    elif ! grep -qF -e "$2" "$work/out"; then
        echo "FAILED: $1: not because of '$2': $(cat "$work/out")" >&2
        failures=$((failures + 1))
    fi
}

plant name "schema: no 'host_floor'" '/"setting_name"/,/]/s/"host_floor"/"hostfloor"/' schema
plant missing "not as many settings" '/"setting_name"/,/]/{/"trace"/d;s/"disk.write_cap",/"disk.write_cap"/}' schema
plant description "schema: 'stats' is described as" 's/a summary in JSON when/a summary when/' schema
plant word "schema: 'fast' is no value of 'mode'" 's/"redirect",/"fast",/' schema
plant few "'log.level' has 3 words" '/"error",/d' schema
plant order "manifest: 'mode' is not setting 2" '/"features"/,$s/"key": "mode",$/"key": "modus",/' manifest
plant variable "the variable of 'reserve' is not" 's/SPILLWAY_RESERVE/SPILLWAY_RESERVES/' manifest
plant default "the default of 'stats' is not 'exit'" 's/"default": "none"/"default": "exit"/' manifest
plant preset "'4GB of it' is no value of 'vram_limit'" 's/"4GiB"/"4GB of it"/' manifest
plant key "did you mean 'report'" 's/"report":/"reprot":/' shipped
plant why "does not say why" 's/"comment": "llama.*$/"comment": "x",/' shipped
[ "$failures" -eq 0 ]
