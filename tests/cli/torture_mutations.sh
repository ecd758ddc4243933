#!/usr/bin/env bash
# Commands that are given damaged packs, runs, recipes, caches and traces (tests/torture, a short form with a fixed
# seed): exit 0, 1 or 2, no report of a sanitizer, no result that is silently different.
set -eu
source "$(dirname "$0")/torture.bash" "$1"
torture --cases 60 --mutate 1
