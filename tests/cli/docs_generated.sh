#!/usr/bin/env bash
# Pages that are made of the tree and of tables are as scripts/docs-generate makes them now.
set -eu
exec "$(dirname "$0")/../../scripts/docs-test" --generated "$1"
