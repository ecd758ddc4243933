#!/usr/bin/env bash
# stoker train --inject: what is said of faults, and that they are no part of a run's recipe.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8

run train photos --model mlp --batch 8 --steps 6 --threads 1 -o run --json \
    --inject callback=1ms:sleep --inject write=10KB/2,fetch=1KB
expect_code 0 "train with faults"
expect_in err "injected on purpose: fetch=1KB,callback=1ms:sleep,write=10KB/2" "train with faults"
python3 - out <<'PYTHON' || fail "the JSON of train with faults"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["inject"] == "fetch=1KB,callback=1ms:sleep,write=10KB/2", r
assert any(c["name"] == "injected" and c["calls"] == 6 for c in r["callbacks"]), r
PYTHON
if grep -q "inject\|callback" run/recipe.yaml; then fail "faults are in the recipe"; fi
[ -z "$(ls run | grep injected || true)" ] || fail "what was written for nothing is left"

run train photos --model mlp --batch 8 --steps 6 --threads 1 -o without --json -q --no-callbacks \
    --inject callback=1ms
expect_code 0 "train without callbacks"
python3 - out <<'PYTHON' || fail "the JSON of train without callbacks"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["inject"] == "" and all(c["name"] != "injected" for c in r["callbacks"]), r
PYTHON

run train photos --inject red=1MB/s
expect_code 2 "no such fault"
expect_in err "read-latency, preprocess, copy" "no such fault"
run train photos --inject read=fast
expect_code 2 "no rate"
expect_in err "read=RATE" "no rate"
run train --help
expect_in out "Faults for --inject" "help"
finish
