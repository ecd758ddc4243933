#!/usr/bin/env bash
# stoker bench --save, --against, --fail-below: a base, what is compared with it, and when it fails.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8
train=(bench train photos --model mlp --batch 8 --threads 1 --seconds 0.4 -q)
input=(bench input photos --preset cifar --batch 8 --threads 1 --seconds 0.4 -q)
compute=(bench compute mlp --batch 8 --size 8 --classes 3 --threads 1 --seconds 0.4 -q)

# copy_base FROM TO RATE YARDSTICK: with all rates so many times as high.
copy_base()
{
    python3 - "$@" <<'PYTHON'
import json, sys
r = json.load(open(sys.argv[1]))
for one in r["rounds"]:
    one["rate"] *= float(sys.argv[3])
    for name in ("arithmetic", "memory", "together"):
        one[name] *= float(sys.argv[4])
json.dump(r, open(sys.argv[2], "w"))
PYTHON
}

# The yardstick of a busy machine may differ by more than a tenth: then it is not what is tested here.
steady()
{
    python3 -c '
import json, sys
c = json.load(open(sys.argv[1]))["comparison"]
sys.exit(0 if all(0.9 < c["yardstick_" + y]["ratio"] < 1.1 for y in ("arithmetic", "memory", "together")) else 1)' out
}

for bench in train input compute; do
    declare -n words=$bench
    run "${words[@]}" --save "$bench.json"
    expect_code 0 "bench $bench --save"
    expect_in out "mean of 8 rounds" "bench $bench --save"
    expect_in out "saved as $bench.json" "bench $bench --save"
    expect_empty err "bench $bench --save"
    run "${words[@]}" --against "$bench.json" --fail-below 0.05 --json
    expect_code 0 "bench $bench against itself"
    python3 - out "$bench" <<'PYTHON' || fail "the JSON of bench $bench --against"
import json, sys
r, bench = json.load(open(sys.argv[1])), sys.argv[2]
c = r["comparison"]
assert r["bench"] == bench and len(r["rounds"]) == 8 and r["rate_low"] <= r["rate"] <= r["rate_high"], r
assert r["machine"]["cores"] >= 1 and r["machine"]["processor"] and r["version"] and r["measured"]["batch"] == "8", r
assert c["base"] == bench + ".json" and c["verdict"] in ("no_loss", "inconclusive") and c["fail_below"] == 0.05, c
assert c["low"] <= c["as_measured"]["low"] <= c["ratio"] <= c["as_measured"]["high"] <= c["high"], c
assert c["low"] <= c["by_memory"]["low"] and c["high"] >= c["by_arithmetic"]["high"], c
assert ("why" in c) == (c["verdict"] == "inconclusive"), c
PYTHON

    # A base that was a thousand times as fast: a loss, on a machine that is as it was.
    copy_base "$bench.json" fast.json 1000 1
    found=
    for try in 1 2 3 4 5; do
        run "${words[@]}" --against fast.json --fail-below 0.97 --json
        if steady; then
            expect_code 1 "bench $bench against a faster base"
            expect_in out '"verdict": "loss"' "bench $bench against a faster base"
            found=yes
            break
        fi
        expect_code 0 "bench $bench on a machine that differs"
        run "${words[@]}" --save "$bench.json"
        copy_base "$bench.json" fast.json 1000 1
    done
    [ "$found" ] || echo "bench $bench: the yardstick never was steady" >&2
    [ "$bench" = compute ] || continue
    # Without a bound it is told, and no failure.
    run "${words[@]}" --against fast.json
    expect_code 0 "bench $bench without a bound"
    expect_in out " of fast.json: " "bench $bench without a bound"

    # The machine was many times as fast then: nothing can be said.
    copy_base "$bench.json" day.json 1000 20
    run "${words[@]}" --against day.json --fail-below 0.97
    expect_code 0 "bench $bench beside a faster machine"
    expect_in out "inconclusive: the machine itself is slower now" "bench $bench beside a faster machine"
done

python3 - <<'PYTHON'
import json
r = json.load(open("compute.json"))
r["machine"]["processor"] = "Abacus"
json.dump(r, open("other.json", "w"))
PYTHON
run "${compute[@]}" --against other.json --fail-below 0.97
expect_code 0 "another machine"
expect_in out "inconclusive: the base is of another machine: Abacus" "another machine"

# What is not the same is refused before anything is measured, and never with the exit code of a loss.
run bench compute lenet --batch 8 --threads 1 --seconds 60 -q --against compute.json
expect_code 2 "another model"
expect_in err "the base has model mlp, this measures model lenet" "another model"
run bench compute mlp --batch 16 --size 8 --classes 3 --threads 1 --seconds 0.4 -q --against compute.json
expect_code 2 "another batch"
expect_in err "the base has batch 8, this measures batch 16" "another batch"
run "${train[@]}" --against compute.json
expect_code 2 "another bench"
expect_in err "is a base of 'stoker bench compute', not of 'stoker bench train'" "another bench"

head -c 400 compute.json >cut.json
run "${compute[@]}" --against cut.json
expect_code 2 "a base that is cut"
expect_in err "cut.json" "a base that is cut"
echo '{"format": "something else"}' >foreign.json
run "${compute[@]}" --against foreign.json
expect_code 2 "a foreign file"
expect_in err 'is no base: a file that ' "a foreign file"
for damage in 's/"rate": [0-9.]*/"rate": -1/' 's/"rate": [0-9.]*/"rate": "x"/' 's/"rounds"/"sounds"/' 's/"cores": [0-9]*/"cores": null/' \
    's/"format_version": 1/"format_version": 2/'; do
    sed "$damage" compute.json >damaged.json
    run "${compute[@]}" --against damaged.json
    expect_code 2 "a damaged base ($damage)"
    expect_in err "damaged.json: is " "a damaged base ($damage)"
done
run "${compute[@]}" --against nothing.json
expect_code 2 "no base"

run "${compute[@]}" --fail-below 0.97
expect_code 2 "--fail-below without a base"
expect_in err "--against FILE" "--fail-below without a base"
run "${compute[@]}" --save compute.json --against compute.json
expect_code 2 "a base that follows itself"
run "${compute[@]}" --ops --save x.json
expect_code 2 "--ops with a base"
expect_in err "--ops is for a run of its own" "--ops with a base"
run "${compute[@]}" --save nowhere/x.json
expect_code 1 "a base in no folder"
if [ -e /dev/full ]; then
    mkdir held && chmod 500 held
    [ -w held ] || {
        run "${compute[@]}" --save held/x.json
        expect_code 1 "a folder that cannot be written"
    }
fi
ls -A | grep -q '\.tmp$' && fail "a temporary file is left over"
finish
