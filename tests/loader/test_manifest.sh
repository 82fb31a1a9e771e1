#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The manifests are right, by test_manifest (argument 1) and by two real loaders; and those planted here that
# are wrong are found out, by both where a loader cares.
set -u
. "$(dirname "$0")/lib.sh"
checker=$1

setup debian lavapipe
manifests=$BUILD_ROOT/manifest
"$checker" implicit "$manifests/implicit_layer.d/spillway_layer.json" || fail "the implicit manifest"
"$checker" explicit "$manifests/explicit_layer.d/spillway_layer.json" || fail "the explicit manifest"
"$checker" implicit "$manifests/check/spillway_layer_check.json" || fail "the check build's manifest"

# plant NAME SED-SCRIPT: the implicit manifest, changed, in a place of its own: $data.
plant() {
    data=$work/$1
    mkdir -p "$data/vulkan/implicit_layer.d"
    planted=$data/vulkan/implicit_layer.d/planted.json
    sed -e "s|\"\.\./\.\./layer|\"$(realpath --relative-to="$(dirname "$planted")" "$BUILD_ROOT")/layer|" \
        -e "$2" "$manifests/implicit_layer.d/spillway_layer.json" >"$planted"
}

# must_complain NAME WORDS: the checker refuses what was planted, for that reason and no other.
must_complain() {
    if "$checker" implicit "$planted" 2>"$work/complaint"; then
        fail "$1: not found out"
    fi
    [ "$(cat "$work/complaint")" = "$2" ] || fail "$1: not because of '$2': $(cat "$work/complaint")"
}

loaders=debian
[ -e $chromium/libvulkan.so.1 ] && loaders="debian chromium"

# must_load NAME yes|no: do the loaders take it?
must_load() {
    for l in $loaders; do
        setup_loader "$l"
        probe "$1-$l" SPILLWAY=1
        grep -q "^mapped=$2$" "$work/$1-$l" || fail "$1: loader $l: not mapped=$2"
    done
}

# The planting itself breaks nothing.
plant as-it-is ''
"$checker" implicit "$planted" || fail "as it is"
must_load as-it-is yes

# The planted bug of old: loaders skip an implicit layer that cannot be turned off (LLP_LAYER_9).
plant no-disable '/"disable_environment"/,/}/d; s/^        },$/        }/'
must_complain no-disable "no disable_environment"
must_load no-disable no

plant no-enable '/"enable_environment"/,/},/d'
must_complain no-enable "no enable_environment"
plant wrong-arch 's/"library_arch": "[0-9]*"/"library_arch": "16"/'
must_complain wrong-arch "library_arch is '16', not '$(($(getconf LONG_BIT)))'"
plant bare-name 's|"library_path": .*|"library_path": "libVkLayer_spillway.so",|'
must_complain bare-name "library_path 'libVkLayer_spillway.so' is not relative to the manifest"
must_load bare-name no
plant other-name 's/SPILLWAY_overcommit/SPILLWAY_overcomit/'
must_complain other-name "name is 'VK_LAYER_SPILLWAY_overcomit', not 'VK_LAYER_SPILLWAY_overcommit'"
plant extensions 's/"type"/"device_extensions": [], "type"/'
must_complain extensions "device_extensions: the loader would add them to every device"
plant old-api 's/"api_version": .*/"api_version": "1.2.0",/'
must_complain old-api "api_version is no version that programs of today ask for"
plant cut-off '$d'
must_complain cut-off "'$planted' is no manifest of a layer"

finish
