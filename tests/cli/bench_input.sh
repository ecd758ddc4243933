#!/usr/bin/env bash
# stoker bench input: rates, stages, the limit; JSON; plans; what cannot be read; Ctrl-C.
set -eu
source "$(dirname "$0")/support.bash" "$1"

make_image_files "$work/photos" 3 40
run pack "$work/photos" "$work/packed" --shard-mb 0.005 --quiet
expect_code 0 "pack"

run bench input "$work/packed" --seconds 0.3 --batch 10 --shuffle 50
expect_code 0 "bench of TFRecords"
for text in "samples/s" "batches/s" "ended by: time" "first element after" "S1  tfrecord(" \
    "shuffle_repeat(50" "batch(10, drop)" "Memory: " "Limit: "; do
    expect_in "$work/out" "$text" "bench of TFRecords"
done
! grep -q $'\033' "$work/out" || fail "colours without a terminal"
! grep -q ' $' "$work/out" || fail "lines end in blanks"

run bench input "$work/photos" --elements 7 --batch 0 --shuffle 0 --threads 1 --quiet
expect_code 0 "bench of a folder"
expect_empty "$work/err" "bench of a folder, quiet"
expect_in "$work/out" "7 samples in " "bench of a folder"
expect_in "$work/out" "1 thread; ended by: elements" "bench of a folder"
expect_in "$work/out" "S1  source(" "bench of a folder"
expect_not_in "$work/out" "batches/s" "bench without batches"

run bench input "$work/packed" --elements 30 --batch 10 --seconds 60 --json
expect_code 0 "bench as JSON"
python3 - "$work/out" "$work/packed" <<'PYTHON' || fail "the JSON does not say what was done"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["path"] == sys.argv[2] and r["ended"] == "elements", r
assert r["elements"] == 30 and r["samples"] == 300 and r["threads"] >= 1, r
assert r["samples_per_s"] > 0 and r["mb_per_s"] > 0 and r["first_element_ms"] > 0, r
assert r["stages"][0]["stage"] == "S1" and r["stages"][0]["elements"] >= 300, r["stages"]
assert r["stages"][-1]["depth"] == 0 and r["stages"][-1]["elements"] == 30, r["stages"]
assert r["memory_ceiling_bytes"] >= r["memory_peak_bytes"] > 0 and r["warnings"] == [], r
assert r["limit"] and r["io"]["backend"] and isinstance(r["decisions"], list), r
PYTHON

run bench input "$work/packed" --explain
expect_code 0 "explain"
expect_in "$work/out" "batch(256, drop)  (record: bytes[256])  infinite" "explain"
expect_in "$work/out" "after shuffle_repeat:" "explain"
expect_not_in "$work/out" "samples/s" "explain runs nothing"
run bench input "$work/packed" --lint
expect_code 0 "lint"
expect_empty "$work/out" "lint of a sound pipeline"

# Former names work, and each is reported once.
cat >"$work/former.yaml" <<'YAML'
data:
  - range: {stop: 100}
  - quarantine: {file: bad.jsonl, most_rate: 0.5}
  - quarantine: {file: bad.jsonl, most_rate: 0.5}
YAML
run bench input "$work/former.yaml" --quiet
expect_code 0 "a recipe with a former name"
says=$(grep -c "stoker bench input: quarantine.most_rate is now called quarantine.max_rate" "$work/err")
[ "$says" = 1 ] && [ "$(grep -c most_rate "$work/err")" = 1 ] || fail "a former name is reported once: $(cat "$work/err")"
sed -i 's/most_rate/max_rate/' "$work/former.yaml"
run bench input "$work/former.yaml" --quiet
expect_empty "$work/err" "a recipe with names of today"

# A recipe is run as it stands.
cat >"$work/recipe.yaml" <<'YAML'
data:
  - range: {stop: 100}
  - batch: {size: 10}
  - shuffle: {buffer: 5}
  - repeat: {count: 2}
YAML
run bench input "$work/recipe.yaml" --json --quiet
expect_code 0 "a recipe"
python3 - "$work/out" <<'PYTHON' || fail "the JSON of a recipe"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["ended"] == "end of data" and r["elements"] == 20 and r["samples"] == 200, r
assert [w["rule"] for w in r["warnings"]] == ["shuffle_after_batch"], r["warnings"]
PYTHON
run bench input "$work/recipe.yaml" --lint
expect_code 1 "lint of a recipe"
expect_in "$work/out" "shuffle_after_batch: shuffle(5): it shuffles whole batches" "lint of a recipe"
run bench input "$work/recipe.yaml" --lint --json
expect_code 1 "lint of a recipe as JSON"
cp "$work/out" "$work/lint.json"
run bench input "$work/recipe.yaml" --explain --json
expect_code 0 "--explain as JSON"
python3 - "$work/lint.json" "$work/out" <<'PYTHON' || fail "lint and --explain as JSON"
import json, sys
lint, plan = (json.load(open(name)) for name in sys.argv[1:])
assert lint["path"].endswith("recipe.yaml") and "plans" not in lint, lint
assert [(w["rule"], w["stage"]) for w in lint["warnings"]] == [("shuffle_after_batch", "shuffle(5)")], lint
assert plan["warnings"] == lint["warnings"], plan
titles = [p["title"] for p in plan["plans"]]
assert titles[0] == "" and len(titles) > 1 and all(t.startswith("after ") for t in titles[1:]), titles
assert all(p["lines"] and all(p["lines"]) for p in plan["plans"]), plan
PYTHON
run bench input "$work/recipe.yaml" --seconds 0.2
expect_in "$work/err" "shuffle_after_batch: " "a warning before the run"
run bench input "$work/recipe.yaml" --batch 4
expect_code 2 "--batch with a recipe"
expect_in "$work/err" "are for data, not for a recipe" "--batch with a recipe"

# What cannot be measured.
run bench output "$work/packed"
expect_code 2 "something else than input"
expect_in "$work/err" "what to measure must be input, compute, train, claims or cases" "something else than input"
run bench --seconds 0.1 input "$work/packed" --quiet
expect_code 0 "flags before the word"
run bench input
expect_code 2 "no path"
run bench input "$work/nothing"
expect_code 1 "nothing there"
expect_in "$work/err" "nothing" "nothing there"
expect_empty "$work/out" "nothing there"
run bench input "$work/packed" --memory-mb 0.001
expect_code 1 "no memory"
expect_in "$work/err" "--memory-mb raises the limit" "no memory"

# Damage stops the run and is named.
shard=$(ls "$work"/packed/*tfrecord* | sed -n 2p)
printf '\x55' | dd of="$shard" bs=1 seek=40 conv=notrunc status=none
run bench input "$work/packed" --seconds 20 --shuffle 0
expect_code 1 "damage"
expect_in "$work/err" "$shard" "damage"
expect_in "$work/err" "'stoker inspect --verify' finds all damage" "damage"

# Ctrl-C prints what was measured so far.
code=0
"$stoker" bench input "$work/photos" --seconds 60 --batch 4 >"$work/out" 2>"$work/err" &
child=$!
sleep 1
kill -INT "$child"
wait "$child" || code=$?
expect_code 130 "Ctrl-C"
expect_in "$work/out" "ended by: interrupted" "Ctrl-C"
expect_in "$work/out" "Limit: " "Ctrl-C"
finish
