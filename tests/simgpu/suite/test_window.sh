#!/bin/sh
# SPDX-License-Identifier: MIT
# test_window.sh UNDER [OPTION]...: sixty frames of vkcube in a window of an X server of its own.
# 77 where Xvfb or vkcube is not installed.
set -eu
command -v Xvfb >/dev/null || { echo "no Xvfb here"; exit 77; }
command -v vkcube >/dev/null || { echo "no vkcube here"; exit 77; }
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || :; fi; rm -rf "$folder"' EXIT
mkfifo "$folder/display"
Xvfb -displayfd 3 -screen 0 640x480x24 -nolisten tcp 3<>"$folder/display" 2>"$folder/log" &
server=$!
# The server says which display it took; a fifo opened for reading and writing never blocks it.
exec 4<>"$folder/display"
if ! read -r DISPLAY <&4; then
    cat "$folder/log"
    exit 1
fi
export DISPLAY=":$DISPLAY"
"$@" -- vkcube --c 60
