#!/usr/bin/env bash
# What stoker train learns from, chooses by and reports on.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
for split in train val test; do make_colours all/$split 3 20 8; done
tiny="--model mlp --epochs 1 --batch 8 --threads 1"

run train all $tiny -o chosen
expect_code 0 "train with all three splits"
expect_in err "60 images to learn from (train), 60 to validate on (val), 60 to test the best model on at the end (test)" \
    "the plan"
expect_in out "of the validation images right (val)" "what the best model is chosen by"
expect_in out "% of the 60 images of test right, which the best model was shown once" "the test"
python3 - chosen/test.json <<'PYTHON' || fail "test.json"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["split"] == "test" and r["count"] == 60 and 0 <= r["accuracy"] <= 1, r
PYTHON

# No split to validate on: a part of train is held back. Other names and cases are splits, too.
mv all/train all/Training
mv all/test all/TESTING
rm -r all/val
run train all $tiny -o held
expect_code 0 "train with training and testing"
expect_in err "54 images to learn from (Training), 6 to validate on (one of 10 of Training, held back" "the plan"
expect_in err "3 classes" "training and testing are splits"
expect_in out "60 images of TESTING right" "the test of TESTING"
grep -q 'validation: "0.1"' held/recipe.yaml || fail "the recipe does not say what was held back"
run eval held --threads 1 --json
python3 -c 'import json; r = json.load(open("out")); assert r["count"] == 6, r' || fail "eval is not on what was held back"

# What is said counts.
run train all $tiny -o said --validation testing --json -q
expect_code 0 "train --validation testing"
python3 -c 'import json; r = json.load(open("out")); assert r["data"]["validation_split"] == "TESTING" and r["data"]["looked_at"] == 60 and "test" not in r, r' ||
    fail "--validation testing"
run train all $tiny -o untested --set data.test=none
expect_code 0 "train without a test"
expect_not_in out "shown once" "data.test=none"
[ ! -e untested/test.json ] || fail "data.test=none tests"
run train all $tiny -o wrong --set data.test=extra
expect_code 1 "a test split that is not there"
expect_in err "there are: TESTING, Training" "a test split that is not there"

# A pack has the same splits.
run pack all packed -q
run train packed $tiny -o packed_run
expect_in err "54 images to learn from (Training), 6 to validate on" "a pack"
finish
