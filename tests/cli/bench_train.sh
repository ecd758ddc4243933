#!/usr/bin/env bash
# stoker bench compute and stoker bench train: rates, operations, JSON, what cannot be measured.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8

run bench compute lenet --batch 4 --steps 5 --warmup 1 --threads 1
expect_code 0 "bench compute"
for text in "ms" "a step" "img/s" "FLOP/s" "lenet, training, batch 4, 28 x 28" "1 thread;" "Memory: " \
    "of variables"; do
    expect_in out "$text" "bench compute"
done
# bfloat16 is computed or refused, whatever a CPU has that oneDNN may use: it is never a crash.
export DNNL_MAX_CPU_ISA=ALL
run bench compute mlp --batch 5 --size 8 --classes 10 --steps 2 --threads 1 --precision bf16 --backend cpu
[ "$code" = 0 ] || {
    expect_code 1 "bench compute in bf16"
    expect_in err "--precision fp32" "bench compute in bf16"
}
unset DNNL_MAX_CPU_ISA

run bench compute mlp --batch 4 --size 8 --classes 3 --steps 4 --threads 1 --ops --fit-mb 100
expect_code 0 "bench compute --ops"
expect_in out "Operations, the longest first" "bench compute --ops"
expect_in out "matmul" "bench compute --ops"
for text in "roofs: " "Kinds of operations" "floor  above it" "  all " "GB/s  roof"; do
    expect_in out "$text" "bench compute --ops"
done
expect_in out "Largest batch: " "bench compute --fit-mb"
run bench compute mlp --batch 4 --steps 6 --threads 1 --inference --ops --json
expect_code 0 "bench compute as JSON"
python3 - out <<'PYTHON' || fail "the JSON of bench compute"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["model"] == "mlp" and r["inference"] and r["batch"] == 4 and r["steps"] == 6, r
assert r["step_ms_p10"] <= r["step_ms"] <= r["step_ms_p90"] and r["images_per_s"] > 0, r
assert r["gflops"] > 0 and r["memory"]["gradients"] == 0 and r["memory"]["arena_bytes"] > 0, r
assert r["operations"] and all(o["ms"] >= 0 for o in r["operations"]), r
assert r["roofs"]["flops_per_s"] > 1e8 and r["roofs"]["bytes_per_s"] > 1e8 and r["roofs"]["precision"] == "fp32", r
assert all(o["roof"] in ("math", "memory", "launch", None) for o in r["operations"]), r
assert all((o["roof_share"] is not None) == (o["roof"] in ("math", "memory")) for o in r["operations"]), r
assert abs(sum(k["ms"] for k in r["kinds"]) - sum(o["ms"] for o in r["operations"])) < 1e-6 and r["kinds"][0]["floor_ms"] >= 0, r
PYTHON
run bench compute resnet19
expect_code 2 "no such network"
expect_in err "resnet18" "no such network"
run bench compute mlp --batch 0
expect_code 2 "no batch"
expect_in err "--batch: data.batch is \"0\"" "no batch"
run bench compute mlp --batch 4 --size 8 --classes 3 --steps 7 --window 3 --threads 1 --json
expect_code 0 "bench compute --window"
python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["steps"] == 9 and r["window"] == 3, r' "$work/out" ||
    fail "bench compute --window: $(cat "$work/out")"

run bench compute mlp --batch 1 --steps 1 --threads 1 --fit-mb 100
expect_code 0 "--fit-mb from a batch of 1"
expect_in out "Largest batch: " "--fit-mb from a batch of 1"
run bench compute mlp --batch 8 --steps 1 --threads 1 --fit-mb 300 --json -q
expect_code 0 "--fit-mb as JSON"
fits=$(python3 -c 'import json; r = json.load(open("out")); print(r["largest_batch"], r["largest_batch_bytes"])')
# The answer is what that very batch takes, not what two smaller ones let expect.
run bench compute mlp --batch "${fits% *}" --steps 1 --warmup 0 --threads 1 --json -q
python3 - out $fits <<'PYTHON' || fail "--fit-mb is not the plan of its batch"
import json, sys
m = json.load(open(sys.argv[1]))["memory"]
taken = m["variables_bytes"] + m["arena_bytes"]
assert taken == int(sys.argv[3]) and 280e6 < taken <= 300e6, (taken, sys.argv)
PYTHON
run bench compute mlp --batch 8 --steps 1 --threads 1 --fit-mb 1
expect_code 1 "--fit-mb of less than one image"
expect_in err "a batch of 1 takes" "--fit-mb of less than one image"

run bench compute mlp --batches 2..8 --threads 1 --plot batches.svg --json -q
expect_code 0 "bench compute --batches"
python3 - out <<'PYTHON' || fail "the JSON of bench compute --batches"
import json, sys
r = json.load(open(sys.argv[1]))
assert [row["batch"] for row in r["batches"]] == [2, 4, 8] and r["enough"] in (2, 4, 8), r
assert all(row["images_per_s"] > 0 and row["memory_bytes"] > 0 for row in r["batches"]), r
PYTHON
grep -q "<svg" batches.svg || fail "the curve of bench compute --batches"
run bench compute mlp --batches 8..4
expect_code 2 "batches that go down"

run bench train photos --model mlp --batch 8 --threads 1 --seconds 0.5 -q
expect_code 0 "bench train"
expect_empty err "bench train, quiet"
for text in "img/s together" "compute alone" "input alone" "Threads: " "Limit: " "a step takes" \
    "S4 compute"; do
    expect_in out "$text" "bench train"
done
run bench train photos --trivial-model --batch 8 --threads 1 --seconds 0.5 --json
expect_code 0 "bench train as JSON"
python3 - out <<'PYTHON' || fail "the JSON of bench train"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["model"] == "trivial" and r["batch"] == 8 and r["slower_part"] in ("input", "compute"), r
assert r["limit"] and r["cache"].startswith("memory: "), r
assert r["images_per_s"] == r["together"]["images_per_s"] > 0 and r["ratio"] > 0, r
assert r["compute"]["images_per_s"] > 0 and r["input"]["images_per_s"] > 0, r
assert len(r["stages"]) == 9 and abs(sum(s["share"] for s in r["stages"]) - 1) < 1e-6, r
PYTHON
[ ! -e runs ] || fail "bench train made a run"
run bench train photos --model mlp --batch 8 --threads 1 --seconds 0.5 -q --inject allreduce=1ms --inject copy=2x
expect_code 0 "bench train with faults"
expect_in out "faults on purpose: copy=2x,allreduce=1ms" "bench train with faults"
# A stage that neither part has alone: of the whole it is most, and is what limits it.
run bench train photos --trivial-model --batch 8 --threads 1 --seconds 4 -q --json --cache none --inject allreduce=30ms
expect_code 0 "bench train that shares slowly"
python3 - out <<'PYTHON' || fail "bench train does not name the stage that limits"
import json, sys
r = json.load(open(sys.argv[1]))
most = max(r["stages"], key=lambda s: s["share"])
assert r["limit"] == "S5 all-reduce" and r["cause"] == "allreduce", r
assert "S5 all-reduce limits" in r["verdict"] and most["share"] > 0.5, r
assert r["cache"] == "none: data.cache says so", r
PYTHON
run bench train nowhere
expect_code 1 "bench train of nothing"
code=0
"$stoker" bench train photos --model mlp --threads 1 --seconds 60 >out 2>err &
child=$!
sleep 1
kill -INT "$child"
wait "$child" || code=$?
expect_code 130 "Ctrl-C"
finish
