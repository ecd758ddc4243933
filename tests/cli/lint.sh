#!/usr/bin/env bash
# stoker lint: a clean recipe, findings as text and as JSON, and the input's own rules.
set -eu
source "$(dirname "$0")/support.bash" "$1"
make_colours "$work/data" 3 12 24

run lint "$work/data" --size 8 --model cnn --batch 6 --backend ref --eager --set output.checkpoint_every=1 -q
expect_code 0 "lint"
expect_empty "$work/err" "lint"
for rule in tiny_batch reference_backend eager; do
    expect_in "$work/out" "$rule (S4 compute)" "lint"
done
expect_in "$work/out" "many_checkpoints (S8 write)" "lint"
expect_in "$work/out" "large_images (S2 preprocess)" "lint"
expect_in "$work/out" "run     stoker pack $work/data $work/data-9 --resize 9" "lint"
expect_in "$work/out" "recipe  knobs: {eager: false}" "lint"

run lint "$work/data" --model cnn --batch 10 --seconds 0.01 --json -q
expect_code 0 "lint as JSON"
python3 - "$work/out" <<'PYTHON' || fail "the JSON: $(cat "$work/out")"
import json, sys
found = {item["rule"]: item for item in json.load(open(sys.argv[1]))}
assert found["odd_batch"]["recipe"] == "data: {batch: 16}", found
assert found["odd_batch"]["gain"] is None, found
PYTHON

# For scripts: what is found is a failure where one asks for it, of speed or of the data.
run lint "$work/data" --model cnn --batch 10 --images 0 --strict --json -q
expect_code 1 "lint --strict with findings"
expect_in "$work/out" odd_batch "lint --strict with findings"
run lint "$work/data" --model cnn --batch 16 --pictures 0 --strict -q
expect_code 0 "lint with a flag's former name"
expect_in "$work/err" "stoker lint: --pictures is now called --images" "lint with a flag's former name"
run lint "$work/data" --model cnn --batch 16 --images 0 --strict -q
expect_not_in "$work/err" "is now called" "lint with a flag of today"
expect_code 0 "lint --strict without findings"
expect_in "$work/out" "nothing to say" "lint --strict without findings"
cp "$work/data/class0/0_000.png" "$work/data/class1/copy.png"
run lint "$work/data" --model cnn --batch 16 --strict -q
expect_code 1 "lint --strict with a copy in the data"
rm "$work/data/class1/copy.png"

run lint "$work/data" --model nothing
expect_code 2 "a model that is not there"
run lint
expect_code 2 "no data"
finish
