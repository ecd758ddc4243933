#!/usr/bin/env bash
# --memory-mb against what the process really has: the peak of its resident memory, for each source
# and for several forms of pipelines.
set -eu
source "$(dirname "$0")/support.bash" "$1"
if [ -n "$(sed -n 's/^STOKER_SANITIZE:STRING=//p' "$1/CMakeCache.txt")" ]; then
    echo "a sanitizer has memory of its own; the plain build tests what is resident"
    exit 77
fi
python3 "$(dirname "$0")/memory_ceiling.py" "$stoker" "$work" || fail "memory against the ceiling"

# A batch that takes longer than the time is not waited for, nor does Ctrl-C wait for it.
cat >"$work/long.yaml" <<'YAML'
data:
  - range: 1000000000000
  - map: {add: 1}
  - batch: 2000000000
YAML
begin=$SECONDS
run bench input "$work/long.yaml" --seconds 0.3 --memory-mb 200000 --quiet
expect_code 0 "a batch without end, --seconds"
expect_in "$work/out" "ended by: time" "a batch without end, --seconds"
code=0
"$stoker" bench input "$work/long.yaml" --seconds 60 --memory-mb 200000 >"$work/out" 2>"$work/err" &
child=$!
sleep 1
kill -INT "$child"
wait "$child" || code=$?
expect_code 130 "a batch without end, Ctrl-C"
[ $((SECONDS - begin)) -lt 30 ] || fail "stopping took $((SECONDS - begin)) s"
finish
