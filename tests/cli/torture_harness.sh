#!/usr/bin/env bash
# tests/torture finds what it is for: calls fail as asked, torn files and wrong endings are found. And docs/reliability.md
# names tests that are there.
set -eu
source "$(dirname "$0")/torture.bash" "$1"
python3 "$torture_folder/test_harness.py" "$build/tests/libstoker_faults.so"
root=$(cd "$torture_folder/../.." && pwd)
named=$(grep -oE '`(cli|[a-z]+/test)[/_][a-z0-9_]+`' "$root/docs/reliability.md" | tr -d '\`' | sort -u)
[ "$(wc -w <<<"$named")" -gt 20 ]
for test in $named; do
    [ -n "$(find "$root/tests" -path "*/$test.c" -o -path "*/$test.sh")" ] || {
        echo "docs/reliability.md names $test, which is not there" >&2
        exit 1
    }
done
