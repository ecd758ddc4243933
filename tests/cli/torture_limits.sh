#!/usr/bin/env bash
# Commands that are stopped by signals, or have a full disk, little memory or few files (tests/torture, a short form
# with a fixed seed).
set -eu
source "$(dirname "$0")/torture.bash" "$1"
torture --cases 60 --mutate 0 --kinds signal --kinds space --kinds tmpfs --kinds fsize --kinds as --kinds memory \
    --kinds nofile --kinds stdout --kinds twice
