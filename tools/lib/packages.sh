# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# The one place that knows what has to be installed: Debian packages, each with what shows that it is there.
# The probe is what counts, not dpkg's word: a compiler or Node.js from elsewhere serves just as well.
# Sourced after common.sh.

# package | probe | needed by (a tool asks for what it needs and all that stands on the same word)
#   cmd:NAME      a program in PATH
#   pc:NAME       pkg-config knows it
#   file:PATTERN  such a file exists
spw_packages='
ca-certificates            file:/etc/ssl/certs/ca-certificates.crt                                 build
gcc                        cmd:gcc                                                                build
libc6-dev                  file:/usr/include/*/gnu/libc-version.h:/usr/include/gnu/libc-version.h  build
meson                      cmd:meson                                                              build
ninja-build                cmd:ninja                                                              build
pkg-config                 cmd:pkg-config                                                         build
python3                    file:/usr/bin/python3                                                  build
libvulkan-dev              file:/usr/share/vulkan/registry/vk.xml                                 build
libjson-c-dev              file:/usr/lib/*/libjson-c.a:/usr/lib/libjson-c.a                        build
libxcb1-dev                pc:xcb                                                                 build
libx11-dev                 pc:x11                                                                 build
libcmocka-dev              pc:cmocka                                                              build
mesa-vulkan-drivers        file:/usr/share/vulkan/icd.d/lvp_icd.*json                             run
npm                        cmd:npm                                                                client
clang                      cmd:clang                                                              test
gcc-multilib               file:/usr/lib/gcc/x86_64-linux-gnu/*/32/libgcc.a                        test
glslang-tools              cmd:glslangValidator                                                   test
spirv-tools                cmd:spirv-val                                                          test
vulkan-tools               cmd:vulkaninfo                                                         test
vulkan-validationlayers    file:/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json test
chromium-common            file:/usr/lib/chromium/libvk_swiftshader.so                            test
ffmpeg                     cmd:ffmpeg                                                             test
xvfb                       cmd:Xvfb                                                               test
xauth                      cmd:xauth                                                              test
binutils                   cmd:readelf                                                            test
clang-format               cmd:clang-format                                                       lint
shellcheck                 cmd:shellcheck                                                         lint
git                        cmd:git                                                                lint
gdb                        cmd:gdb                                                                gdb
debootstrap                file:/usr/sbin/debootstrap                                             bare
'

# package_is_there PROBE
package_is_there()
{
    local kind=${1%%:*} what=${1#*:} pattern
    case $kind in
    cmd) command -v "$what" >/dev/null ;;
    pc) pkg-config --exists "$what" 2>/dev/null ;;
    file)
        local IFS=:
        for pattern in $what; do
            compgen -G "$pattern" >/dev/null && return 0
        done
        return 1
        ;;
    *) die "packages.sh: no such probe: '$1'" ;;
    esac
}

# missing_packages WORD…: prints the packages of these words that are not there.
missing_packages()
{
    local package probe word wanted=" $* "
    while read -r package probe word; do
        [ -n "$package" ] || continue
        case $wanted in
        *" $word "*) package_is_there "$probe" || printf '%s\n' "$package" ;;
        esac
    done <<<"$spw_packages"
}

# ensure_packages WORD…: installs what is missing; says nothing where nothing is.
ensure_packages()
{
    local missing log
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0

    heading "Installing what is missing"
    say "Debian packages: ${missing[*]}"
    if ! command -v apt-get >/dev/null; then
        die "this is not a Debian system: please install what these Debian packages hold, then run this again: ${missing[*]}"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        die "only root can install them. As root: apt-get install --no-install-recommends ${missing[*]}"
    fi

    say "(this takes a minute or two)"
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # An old package list is the usual reason for a failed download: refresh it first.
    if ! run_logged "$log" apt-get update; then
        die "apt-get update failed: is there a network, and are the sources in /etc/apt right?"
    fi
    if ! run_logged "$log" apt-get install -y --no-install-recommends "${missing[@]}"; then
        die "apt-get could not install: ${missing[*]}"
    fi
    rm -f "$log"
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -eq 0 ] || die "installed, but still not found: ${missing[*]}"
}
