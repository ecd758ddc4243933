#!/usr/bin/env bash
# stoker bench claims: every claim has its row, with a ratio and a verdict, or the reason for none.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"

small="--backend cpu --threads 1 --model mlp --size 8 --batch 4 --windows 5 --seconds 0.005"
run bench claims $small --json -q
expect_code 0 "bench claims as JSON"
expect_empty err "bench claims, quiet"
python3 - out <<'PYTHON' || fail "the JSON of bench claims"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["backend"] == "cpu" and r["model"] == "mlp" and r["batch"] == 4 and r["windows"] == 5, r
rows = {c["key"]: c for c in r["claims"]}
assert len(rows) == len(r["claims"]) == 19, sorted(rows)
groups = {"precision", "eight", "batch", "graph", "fused", "layout", "resize", "cpu"}
assert {key.split(".")[0] for key in rows} == groups, sorted(rows)
for c in rows.values():
    assert c["claim"] and c["theirs"], c
    if c["verdict"] == "not measured":
        assert c["note"] and "ratio" not in c, c
    else:
        assert 0 < c["ratio_p10"] <= c["ratio"] <= c["ratio_p90"] and c["compared"], c
        assert c["before"] > 0 and c["after"] > 0 and c["unit"] in ("img/s", "GFLOP/s"), c
        assert c["verdict"] in ("holds", "does not hold here", "too noisy to tell"), c
        assert (c["verdict"] == "does not hold here") == ("why" in c), c
for key in ("precision.tf32", "precision.fp16", "graph.record", "graph.large"):
    assert rows[key]["note"] == "needs a GPU", rows[key]
for key in ("eight.batch", "graph.small", "fused.training", "layout.nchw", "resize.half", "cpu.library"):
    assert "ratio" in rows[key], rows[key]
assert [p["batch"] for p in r["curve"]] == [1, 1, 4, 16], r["curve"]
assert all(p["images_per_s"] > 0 for p in r["curve"]), r["curve"]
PYTHON
run bench claims $small --only resize,fused -q
expect_code 0 "bench claims"
for text in "Times faster" "images of half the side" "4 times in theory" "fused.training: mlp, batch 4" \
    "What was compared"; do
    expect_in out "$text" "bench claims"
done
expect_not_in out "mixed precision" "bench claims --only"
run bench claims --only resize,speed
expect_code 2 "a group that is none"
expect_in err "no group 'speed'" "a group that is none"
run bench claims --windows 2
expect_code 2 "too few windows"
finish
