#!/usr/bin/env bash
# Commands that are killed before, in or after their n-th call, or with the power (tests/torture, a short form with
# a fixed seed): gone on with, they give what an undisturbed one gives.
set -eu
source "$(dirname "$0")/torture.bash" "$1"
torture --cases 70 --mutate 0 --kinds kill --list "$torture_folder/regressions.txt"
