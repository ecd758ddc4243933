#!/usr/bin/env bash
# stoker compare: runs and profiles side by side, keys that differ, what is none of them.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8
run train photos --model mlp --width 0.25 --epochs 2 --batch 8 --threads 1 -q -o runs/first
expect_code 0 "a run"
run train photos --model mlp --width 0.25 --epochs 3 --batch 16 --threads 1 -q -o runs/second
expect_code 0 "another run"
run profile photos --model mlp --width 0.25 --batch 8 --threads 1 --seconds 1 -q -o prof
expect_code 0 "a profile"

run compare runs/first runs/second/ prof
expect_code 0 "compare"
for text in "first" "second" "prof" "is a" "profile" "rate" "samples/s" "of the first" "limit" "waits for input" "S4 compute" \
    "accuracy, best" "Recipe keys that differ" "data.batch" "train.epochs" "version" "cores"; do
    expect_in out "$text" "compare"
done
for text in output.folder model.name; do
    expect_not_in out "$text" "keys that are the same"
done
run compare runs/first runs/second prof/profile.json --json
expect_code 0 "compare --json"
python3 - out <<'PYTHON' || fail "the JSON of compare"
import json, sys
r = json.load(open(sys.argv[1]))
first, second, prof = r["items"]
assert [i["kind"] for i in r["items"]] == ["run", "run", "profile"] and [i["name"] for i in r["items"]] == ["first", "second", "prof"], r
assert first["batch"] == 8 and second["batch"] == 16 and second["epochs"] == 3 and first["model"] == "mlp", r
assert first["ratio"] == 1 and abs(second["ratio"] * first["rate"] - second["rate"]) < 1e-6 * second["rate"], r
assert abs(sum(first["shares"].values()) - 1) < 0.02 and 0 <= first["input_wait"] <= 1, r
assert 0 <= first["last_accuracy"] <= first["best_accuracy"] <= 1 and "best_accuracy" not in prof, r
assert r["recipe"]["data.batch"] == ["8", "16", None] and "output.folder" not in r["recipe"], r
PYTHON

# The same name twice: by their paths. A run that was killed has no profile.
mkdir other && cp -r runs/first other/first && rm other/first/profile.json
run compare runs/first other/first
expect_code 0 "two of one name"
expect_in out "runs/first" "two of one name"
expect_in out "other/first" "two of one name"
expect_in out "Recipe keys that differ: none" "two of one name"
expect_not_in out "of the first" "a run without a profile"

# Names drive no terminal.
cp -r runs/second $'runs/a\e[31mb'
run compare runs/first $'runs/a\e[31mb'
expect_code 0 "a name that colours"
expect_in out '\x1B' "a name that colours"

# A ledger of a tuning: its best setting, and what it gained.
mkdir tuned
cat >tuned/tune.jsonl <<'LEDGER'
{"event":"start","at_s":0,"kind":"recipe","subject":"photos","unit":"samples","version":"0.1.0","host":"h","processor":"p","cores":2}
{"event":"noise","at_s":3,"deviation":0.02,"rate":1000,"joules":0}
{"event":"candidates","at_s":4,"limit":{"verdict":"S4","exposed":[0.01,0,0.2,0,0.79,0,0,0,0]},"advice":[]}
{"event":"confirmed","at_s":40,"gain":{"value":0.2,"low":0.18,"high":0.22},"base_rate":1000,"best_rate":1200}
LEDGER
run compare tuned runs/first --json
expect_code 0 "a tuning"
python3 - out <<'PYTHON' || fail "the JSON of a tuning"
import json, sys
tuning, first = json.load(open(sys.argv[1]))["items"]
assert tuning["kind"] == "tuning" and tuning["rate"] == 1200 and tuning["gain"] == 0.2 and tuning["seconds"] == 40, tuning
assert tuning["limit"] == "S4 compute" and abs(tuning["input_wait"] - 0.2) < 1e-9 and first["ratio"] > 0, tuning
PYTHON
run compare tuned/tune.jsonl runs/first
expect_code 0 "a ledger"
expect_in out "gained" "a ledger"
echo '{}' >other.jsonl
run compare runs/first other.jsonl
expect_code 1 "a ledger of something else"

run compare runs/first
expect_code 2 "one run"
run compare runs/first nowhere
expect_code 1 "no such run"
expect_in err "nowhere" "no such run"
run compare runs/first photos
expect_code 1 "a folder of images"
expect_in err "photos: is no run, profile or tuning: it has no recipe.yaml" "a folder of images"
run compare runs/first runs/first/metrics.csv
expect_code 1 "a table"
expect_in err "expected the folder of a run" "a table"
run compare runs/first prof/trace.json.gz
expect_code 1 "a trace"
expect_in err "stoker trace diff" "a trace"
head -c 300 prof/profile.json >cut.json
run compare runs/first cut.json
expect_code 1 "a profile that is cut"
expect_in err "cut.json" "a profile that is cut"
echo 'step' >other/first/metrics.csv
run compare runs/first other/first
expect_code 0 "a table without rows"
echo 'data: {batch: many}' >other/first/recipe.yaml
run compare runs/first other/first
expect_code 1 "a recipe that is damaged"
expect_in err "other/first/recipe.yaml" "a recipe that is damaged"
finish
