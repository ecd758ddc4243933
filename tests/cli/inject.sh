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

# Former names work, and are noted once.
run train photos --model mlp --batch 8 --steps 2 --threads 1 -o former -q --inject share=1ms \
    --inject share=2ms --set train.rise=0.4 --set knobs.ahead=0 --schedule one-cycle
expect_code 0 "train with former names"
for note in "stoker train: --inject share is now called --inject allreduce" \
    "stoker train: train.rise is now called train.rise_fraction" \
    "stoker train: knobs.ahead is now called knobs.steps_in_flight"; do
    [ "$(grep -cF "$note" err)" = 1 ] || fail "it is not noted once: $note: $(cat err)"
done
expect_in former/recipe.yaml "rise_fraction: 0.4" "train with former names"
run train photos --model mlp --batch 8 --steps 2 --threads 1 -o today -q --inject allreduce=1ms \
    --set train.rise_fraction=0.4 --set knobs.steps_in_flight=0 --schedule one-cycle
expect_code 0 "train with names of today"
expect_not_in err "is now called" "train with names of today"
run train photos --set train.rise=0.4 --set train.rise_fraction=0.4
expect_code 2 "both names of a key"
expect_in err "train.rise_fraction is given twice; train.rise is its former name" "both names of a key"
sed -i 's/rise_fraction/rise/' former/recipe.yaml # as the release before wrote it
run train --resume former --steps 4 -q
expect_code 0 "a run of the release before goes on"
expect_in err "train.rise is now called train.rise_fraction" "a run of the release before goes on"

run train photos --inject red=1MB/s
expect_code 2 "no such fault"
expect_in err "read-latency, preprocess, copy" "no such fault"
run train photos --inject read=fast
expect_code 2 "no rate"
expect_in err "read=RATE" "no rate"
run train --help
expect_in out "Faults for --inject" "help"
finish
