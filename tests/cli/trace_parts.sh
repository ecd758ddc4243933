#!/usr/bin/env bash
# stoker trace: gaps, operations, differences, ranks together, soundness; and refusals.
set -eu
source "$(dirname "$0")/support.bash" "$1"
traces=$(cd "$(dirname "$0")/../data/trace" && pwd)

# make_trace FILE RANK HOST CONV: ten steps of a device that waits for a callback in step 4.
make_trace()
{
    python3 - "$@" <<'PYTHON'
import json, sys
path, rank, host, conv = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
events = [{"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
          {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}}]
def span(pid, tid, cat, name, ts, dur, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})
t = 0
for i in range(10):
    wait = 500 if i == 4 else 0
    span(7, 7, "user_annotation", f"ProfilerStep#{i}", t, conv + 100 + wait)
    span(7, 7, "cuda_runtime", "cudaLaunchKernel", t, 5)
    span(0, 7, "kernel", "conv", t + 5, conv + i % 3, bytes=1000)
    if wait:
        span(7, 7, "python_function", "slow_callback", t + conv + 10, 480)
    span(0, 7, "kernel", "relu", t + conv + 10 + wait, 80)
    t += conv + 100 + wait
json.dump({"schemaVersion": 1, "distributedInfo": {"rank": rank}, "host_name": host,
           "baseTimeNanoseconds": 1000 + rank, "traceEvents": events}, open(path, "w"))
PYTHON
}
make_trace "$work/a.json" 0 one 200
make_trace "$work/b.json" 1 one 600
make_trace "$work/far.json" 2 two 200

run trace gaps "$work/a.json" --count 2
expect_code 0 "gaps"
expect_empty "$work/err" "gaps"
expect_in "$work/out" "slow_callback" "gaps"
expect_in "$work/out" "step 4" "gaps"
run trace gaps "$work/a.json" --json
python3 - "$work/out" <<'PYTHON' || fail "the JSON of gaps"
import json, sys
r = json.load(open(sys.argv[1]))
gap = r["gaps"][0]
assert gap["step"] == 4 and gap["ns"] > 400_000 and gap["meanwhile"][0]["name"] == "slow_callback", gap
assert r["rows"][0]["is_device"] and 0.1 < r["rows"][0]["idle_ns"] / r["rows"][0]["window_ns"] < 0.5, r["rows"]
PYTHON
run trace gaps "$traces/pytorch_input_bound.json.gz"
expect_in "$work/out" "enumerate(DataLoader)" "gaps without a device"
expect_in "$work/out" "S2 preprocess" "gaps without a device"

run trace ops "$work/a.json"
expect_code 0 "ops"
expect_in "$work/out" "conv" "ops"
expect_in "$work/out" "MB/s" "ops"
expect_not_in "$work/out" "roof" "ops of a trace without roofs"
sed 's/"host_name"/"metadata": {"roofs": {"flops_per_s": 1e9, "bytes_per_s": 1e7, "launch_ns": 30}}, "host_name"/' \
    "$work/a.json" >"$work/roofs.json"
run trace ops "$work/roofs.json"
expect_in "$work/out" "roofs: 1.00 GFLOP/s, 0 GB/s" "ops under roofs"
expect_in "$work/out" "memory 50 %" "ops under roofs"
run trace ops "$work/roofs.json" --json
python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); o = {o["name"]: o for o in r["operations"]}; \
assert r["roofs"]["launch_ns"] == 30 and o["conv"]["roof"] == "memory" and 0.49 < o["conv"]["roof_share"] < 0.51, o; \
assert o["relu"]["roof"] is None' "$work/out" || fail "the JSON of roofs"
run trace ops "$work/a.json" --csv --sort name
expect_code 0 "ops as CSV"
[ "$(sed -n 2p "$work/out" | cut -d, -f1-4)" = '"conv",device,S4,10' ] || fail "CSV: $(cat "$work/out")"
for sort in self total calls mean p95 name; do
    run trace ops "$traces/pytorch_compute_bound.json.gz" --json --sort $sort
    expect_code 0 "ops by $sort"
done
python3 -c "import json, sys; r = json.load(open(sys.argv[1])); n = [o['name'] for o in r['operations']]; \
assert n == sorted(n) and len(n) > 20 and r['tool'] == 'PyTorch Kineto'" "$work/out" || fail "the JSON of operations"

run trace diff "$work/a.json" "$work/b.json"
expect_code 0 "diff"
expect_in "$work/out" "S4 compute" "diff"
run trace diff "$work/a.json" "$work/b.json" --json
python3 - "$work/out" <<'PYTHON' || fail "the JSON of diff"
import json, sys
r = json.load(open(sys.argv[1]))
op = r["operations"][0]
assert op["name"] == "conv" and abs(op["delta_ns"] - 400_000) < 1 and op["low_ns"] > 390_000, op
assert r["a"]["steps"] == 10 and r["step"]["delta_ns"] > 300_000, r["step"]
PYTHON

run trace merge "$work/all.json.gz" "$work/a.json" "$work/b.json"
expect_code 0 "merge"
run trace check "$work/all.json.gz" --json
expect_code 0 "check of what was merged"
python3 - "$work/all.json.gz" "$work/out" <<'PYTHON' || fail "the merged trace"
import gzip, json, sys
events = json.load(gzip.open(sys.argv[1]))["traceEvents"]
names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
assert names == {0: "rank 0", 1: "rank 0 python", 1000: "rank 1", 1001: "rank 1 python"}, names
check = json.load(open(sys.argv[2]))
assert check["sound"] and check["steps"] == 20 and check["crossing"] == 0, check
PYTHON
run trace merge "$work/x.json" "$work/a.json" "$work/far.json"
expect_code 1 "another host"
expect_in "$work/err" "--offset 1=" "another host"
[ ! -e "$work/x.json" ] || fail "a merge that failed left a file"
run trace merge "$work/x.json" "$work/a.json" "$work/far.json" --offset 1=-2500 --json
expect_code 0 "--offset"
run trace merge "$work/y.json" "$work/a.json" "$work/b.json" --offset 2=5
expect_code 2 "--offset of no file"
run trace merge "$work/a.json" "$work/a.json" "$work/b.json"
expect_code 1 "a merge into its own part"
expect_in "$work/err" "another name" "a merge into its own part"
mkdir "$work/closed"
chmod 500 "$work/closed"
run trace merge "$work/closed/x.json" "$work/a.json" "$work/b.json"
[ "$(id -u)" = 0 ] || expect_code 1 "a folder that cannot be written"
run trace merge "$work/missing/x.json" "$work/a.json" "$work/b.json"
expect_code 1 "a folder that is not there"

head -c 1500 "$work/a.json" >"$work/cut.json"
run trace check "$work/cut.json"
expect_code 1 "a cut trace"
expect_in "$work/out" "not sound" "a cut trace"
run trace ops "$work/cut.json"
expect_code 0 "operations of a cut trace"
expect_in "$work/err" "cut off" "operations of a cut trace"
for part in gaps ops check; do
    : >"$work/empty"
    run trace $part "$work/empty"
    expect_code 1 "$part of an empty file"
    echo "not a trace" >"$work/text"
    run trace $part "$work/text"
    expect_code 1 "$part of a text"
    expect_in "$work/err" "byte 0" "$part of a text"
    expect_empty "$work/out" "$part of a text"
    run trace $part "$work/none.json"
    expect_code 1 "$part of no file"
done
run trace diff "$work/a.json" "$work/text"
expect_code 1 "diff with a text"
run trace check "$work/a.json" --events 12
expect_in "$work/err" "--events keeps more" "a limit on events"

run trace
expect_code 2 "no word"
run trace unknown
expect_code 2 "an unknown word"
run trace ops --csv --json "$work/a.json"
expect_code 2 "two forms at once"
run trace gaps
expect_code 2 "no file"
run trace merge "$work/all.json" "$work/a.json"
expect_code 2 "one file to merge"
expect_in "$work/err" "another TRACE is missing" "one file to merge"
echo '[]' >"$work/nothing.json"
run diagnose "$work/nothing.json"
expect_code 1 "a trace of nothing"
expect_in "$work/err" "nothing.json: the trace has no spans" "a trace of nothing"
run help trace gaps
expect_code 0 "help"
finish
