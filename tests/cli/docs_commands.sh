#!/usr/bin/env bash
# The commands of README.md and docs/tutorial.md run, and their programs compile.
set -eu
exec "$(dirname "$0")/../../scripts/docs-test" --commands "$1"
