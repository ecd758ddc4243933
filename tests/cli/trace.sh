#!/usr/bin/env bash
# --trace: a file that is whole whenever one looks, also after a kill; and refusals that help.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8

train="train photos --model mlp --batch 8 --threads 1 -q"

# check FILE: it is JSON with steps; prints their numbers.
check()
{
    python3 - "$1" <<'PYTHON'
import gzip, json, sys
opened = gzip.open if sys.argv[1].endswith(".gz") else open
trace = json.load(opened(sys.argv[1]))
steps = [e["name"].split("#")[1] for e in trace["traceEvents"]
         if e.get("cat") == "user_annotation"]
assert trace["otherData"]["tool"] == "stoker"
print(*steps)
PYTHON
}

run $train --epochs 2 -o range --trace steps=3-5,level=2
expect_code 0 "a range of steps"
[ "$(check range/trace.json.gz)" = "3 4 5" ] || fail "steps 3 to 5 were asked for"

run $train --epochs 2 -o named --trace "$work/named.json,level=1"
expect_code 0 "a named file"
check "$work/named.json" >steps
expect_in steps "0 1 2" "a named file"

# A killed run leaves the file of a moment before.
"$stoker" $train --epochs 100000 -o killed --trace on >out 2>err &
child=$!
for _ in $(seq 3000); do
    [ -e killed/trace.json.gz ] && break
    sleep 0.01
done
kill -KILL "$child"
wait "$child" 2>/dev/null || true
check killed/trace.json.gz >steps || fail "the trace of a killed run is not whole"
[ -s steps ] || fail "the trace of a killed run has no steps"

# Ctrl-C ends it as a run does.
"$stoker" $train --epochs 100000 -o stopped --trace on,level=1 >out 2>err &
child=$!
for _ in $(seq 3000); do
    ls stopped/metrics.csv >/dev/null 2>&1 && break
    sleep 0.01
done
sleep 0.2
kill -INT "$child"
code=0
wait "$child" || code=$?
expect_code 130 "Ctrl-C"
check stopped/trace.json.gz >steps || fail "the trace of a stopped run is not whole"

run $train -o no --trace level=3
expect_code 2 "level 3 without a GPU"
expect_in err "level=2 has every operation" "level 3 without a GPU"
run $train -o no --trace steps=9-3
expect_code 2 "a range that ends before it begins"
run $train -o no --trace /no/such/folder/t.json
expect_code 1 "a folder that is not there"
expect_in err "/no/such/folder/t.json" "a folder that is not there"
[ ! -e no ] || fail "a run was begun whose trace could not be written"

run bench train photos --model mlp --batch 8 --threads 1 --seconds 0.3 -q --trace bench.json,steps=2-4
expect_code 0 "bench train --trace"
[ "$(check bench.json)" = "2 3 4" ] || fail "bench train: steps 2 to 4 were asked for"

# Without fusion every operation is there by itself, under its layer's name.
run $train --epochs 1 -o fused --trace fused.json,steps=1
run $train --epochs 1 -o plain --no-fuse --trace plain.json,steps=1
python3 - <<'PYTHON' || fail "operations without fusion are not mapped to layers"
import json
def kernels(name):
    events = json.load(open(name))["traceEvents"]
    return [e for e in events if e.get("cat") == "kernel"]
fused, plain = kernels("fused.json"), kernels("plain.json")
layers = lambda events: {e["args"]["layer"].split(".")[0] for e in events if "layer" in e["args"]}
assert len(plain) > len(fused), (len(plain), len(fused))
assert layers(fused) <= layers(plain), (layers(fused), layers(plain))
PYTHON

# A run that is going on is asked; one that is not, or is none, says so.
"$stoker" $train --epochs 100000 -o asked >asked.out 2>asked.err &
child=$!
for _ in $(seq 3000); do
    [ -s asked/metrics.csv ] && break
    sleep 0.01
done
run trace ask asked --steps 3
expect_code 0 "a run that is going on"
file=$(cat out)
[ "$(check "$file" | wc -w)" = 3 ] || fail "three steps were asked for: $(check "$file")"
case $file in asked/trace-*.json.gz) ;; *) fail "the file is $file" ;; esac
expect_in err "3 steps from step" "a run that is going on"
run trace ask asked --steps 1 --level 1 --json
expect_code 0 "as JSON"
python3 -c 'import json, sys; r = json.load(open("out")); assert r["steps"] == 1 and r["level"] == 1 and r["events"] > 0, r' ||
    fail "the JSON of a trace"
run trace ask asked --level 3
expect_code 1 "kernels without a GPU"
expect_in err "level=2 has every operation" "kernels without a GPU"
[ -z "$(ls asked | grep -E 'request|reply')" ] || fail "requests are left over: $(ls asked)"
kill -INT "$child"
wait "$child" || true
run trace ask asked
expect_code 1 "a run that is over"
expect_in err "this run is not going on" "a run that is over"
run trace ask photos
expect_code 1 "no run"
expect_in err "has no recipe.yaml" "no run"
finish
