#!/usr/bin/env bash
# Commands whose n-th call fails (tests/torture, a short form with a fixed seed): an error that says so, and the
# same command again gives what an undisturbed one gives.
set -eu
source "$(dirname "$0")/torture.bash" "$1"
torture --cases 90 --mutate 0 --kinds fault --list "$torture_folder/regressions.txt"
