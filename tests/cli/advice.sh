#!/usr/bin/env bash
# Advice: every fix has a form that a program can carry out, and carrying one out does what it says. All faults and six
# PyTorch programs are measured by bench/observe/advice.py.
set -eu
source "$(dirname "$0")/support.bash" "$1"
# Sanitizers slow stages down by unequal factors, so that advice on their build is advice on them.
[ -z "$(sed -n 's/^STOKER_SANITIZE:STRING=//p' "$1/CMakeCache.txt")" ] || exit 77
traces=$(cd "$(dirname "$0")/../data/trace" && pwd)
cd "$work"
make_colours photos 3 40 8

# profile NAME FLAGS...: a diagnosis in NAME.json
profile()
{
    run profile photos --model mlp --threads 1 --seconds 0.4 --no-report --json -q -o "profiles/$1" "${@:2}"
    expect_code 0 "profile $1"
    cp out "$1.json"
}

profile small --batch 2
python3 - small.json <<'PYTHON' || fail "the fixes of a small batch"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["unit"] == "samples" and d["framework"] == "", (d["unit"], d["framework"])
tiny = next(fix for fix in d["fixes"] if fix["name"] in ("batch", "tiny_batch"))  # measured, or by rule
assert tiny["set"][0].startswith("data.batch=") and tiny["changes_training"], tiny
for fix in d["fixes"]:
    assert fix["name"] and fix["title"] and fix["code"] == "", fix
    assert "  " not in fix["command"], fix["command"]
    if fix["samples_per_s"]["value"] >= 0:
        assert fix["gain_low"] <= fix["gain"] + 1e-9 and fix["gain"] <= fix["gain_high"] + 1e-9, fix
    else:
        assert fix["gain"] == 0, fix
best = d["fixes"][0]
assert "as it should" not in d["verdict"] or best["gain"] < 0.25 or best["at_most"], d["verdict"]
# every key is one that training takes
open("sets", "w").write("\n".join(s for fix in d["fixes"] for s in fix["set"]) + "\n")
PYTHON
while read -r key; do
    [ -z "$key" ] && continue
    run train photos --model mlp --explain --set "$key"
    expect_code 0 "train with --set $key"
done <sets

# A callback that sleeps costs the same on any machine: a tenth of it gives what was predicted, or nearly.
profile called --batch 8 --steps 60 --inject callback=40ms:sleep
python3 - called.json <<'PYTHON' || fail "the fixes of a slow callback"
import json, sys
d = json.load(open(sys.argv[1]))
fix = next(fix for fix in d["fixes"] if fix["name"] == "call_less")
assert "'injected'" in fix["title"] and fix["gain_low"] > 0 and not fix["set"], fix
PYTHON
profile less --batch 8 --steps 60 --inject callback=4ms:sleep
python3 - called.json less.json <<'PYTHON' || fail "the callback that was called less often"
import json, sys
slow, fast = (json.load(open(name)) for name in sys.argv[1:])
fix = next(fix for fix in slow["fixes"] if fix["name"] == "call_less")
gain = fast["samples_per_s"]["value"] / slow["samples_per_s"]["value"] - 1
assert gain > fix["gain_low"] / 3, (gain, fix["gain_low"], fix["gain_high"])
PYTHON

# Gradients that are added up are shared once an update: what "every fourth step" predicts.
profile shared --batch 8 --steps 60 --inject allreduce=20ms --set train.accumulate=4
python3 - profiles/shared/profile.json <<'PYTHON' || fail "gradients that are added up"
import json, sys
p = json.load(open(sys.argv[1]))
ms = p["stages"][5]["exposed_ns"] / p["steps"] / 1e6
assert 4 < ms < 15, ms
PYTHON

# Traces of others are told in their words.
run diagnose "$traces/advice_slow_dataset.json.gz" --cores 2
expect_code 0 "diagnose a trace of PyTorch"
expect_in out "DataLoader(..., num_workers=2, persistent_workers=True)" "a trace of PyTorch"
expect_in out "steps/s" "a trace of PyTorch"
for word in "stoker" "samples/s" "0 cores" "recipe:"; do
    expect_not_in out "$word" "a trace of PyTorch"
done
run diagnose "$traces/advice_slow_dataset.json.gz" --cores 0
expect_code 2 "no cores"
run diagnose "$traces/xprof_input_bound.json.gz"
expect_in out "num_parallel_calls=tf.data.AUTOTUNE" "a trace of TensorFlow"
finish
