#!/usr/bin/env bash
# Training, evaluating, checkpointing: each has its share of a run and what limits it, of the run and of its trace.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos/train 3 24 8
make_colours photos/val 3 24 8

run train photos --model mlp --batch 8 --epochs 8 --threads 1 --input-threads 1 -q -o run \
    --checkpoint-every 12 --trace level=1
expect_code 0 "train"
for told in run run/trace.json.gz; do
    run diagnose "$told" --json
    python3 - "$told" <<'PYTHON' || fail "the phases of $told: $(grep -A30 phases out | head -40)"
import json, sys
phases = {p["name"]: p for p in json.load(open("out"))["phases"]}
assert set(phases) == {"train", "evaluate", "checkpoint"}, phases
assert abs(sum(p["share"] for p in phases.values()) - 1) < 1e-6, phases
assert phases["evaluate"]["times"] >= 5 and phases["evaluate"]["sentence"], phases
assert phases["checkpoint"]["stage"] == "S8 write" and phases["train"]["times"] >= 40, phases
PYTHON
    run diagnose "$told"
    expect_in out "Phases" "$told"
    expect_in out "evaluate" "$told"
done
# Memory that grows to the end is told, too: samples of an hour are put into the run.
python3 - <<'PYTHON' || fail "profile.json cannot be changed"
import gzip, json, pathlib
path = next(p for p in pathlib.Path("run").glob("profile.json*"))
packed = path.suffix == ".gz"
profile = json.loads(gzip.decompress(path.read_bytes()) if packed else path.read_text())
table = profile["resources"]
row = dict(zip(table["keys"], table["rows"][-1]))
grown = [row | {"seconds": i + 1.0, "own_memory": 1e9 + 2e6 * i} for i in range(300)]
table["rows"] = [[sample[key] for key in table["keys"]] for sample in grown]
profile["run"]["cache"] = "none"
text = json.dumps(profile).encode()
path.write_bytes(gzip.compress(text) if packed else text)
PYTHON
run diagnose run
expect_in out "Over time" "a run that leaks"
expect_in out "memory grows by 120 MB a minute" "a run that leaks"
run diagnose run --json
python3 -c 'import json; assert [f["name"] for f in json.load(open("out"))["findings"]] == ["leak"]' ||
    fail "a run that leaks, as JSON"
run diagnose run -o page.html
expect_in page.html '"phases"' "the page"
expect_in page.html "memory grows by 120 MB a minute" "the page of a run that leaks"

run profile photos --model mlp --batch 8 --steps 30 --threads 1 -q -o profiled --no-report --set output.checkpoint_every=10
expect_code 0 "profile"
expect_in out "Phases" "profile"
expect_in out "checkpoint" "profile"
finish
