#!/usr/bin/env bash
# stoker tune: the files of a search, its JSON, going on, Ctrl-C, refusals; a program that is not ours.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 20 8
one_thread="--threads 1 --input-threads 1 --pin knobs.threads,knobs.input_threads"
flags="--model mlp --batch 8 --eager $one_thread --no-packs --only eager --budget 0.1"

run tune photos $flags -o found --json -q
expect_code 0 "tune"
expect_empty err "tune, quiet"
python3 - <<'PYTHON' || fail "the JSON of tune"
import json
d = json.load(open("out"))
keys = ("kind subject unit version host processor cores started objective least budget_s seconds noise best base_rate best_rate "
        "base_joules best_joules gain limit_base limit_best trials advice ended")
assert list(d) == keys.split(), list(d)
assert d["kind"] == "recipe" and d["unit"] == "samples" and d["base_rate"] > 0 and d["noise"] > 0 and d["ended"]
for t in d["trials"]:
    assert t["action"] == "eager" and t["class"] == "equal" and t["change"] == {"knobs.eager": "false"}, t
    assert t["decision"] in ("kept", "no gain", "slower", "undecided", "refused", "failed") and t["reason"], t
kept = [t for t in d["trials"] if t["decision"] == "kept"]
assert bool(kept) == bool(d["best"]) == bool(d["gain"]), d
PYTHON
for file in tuned.yaml tune.jsonl report.html; do [ -s "found/$file" ] || fail "tune wrote no $file"; done
[ ! -e found/tune-runs ] || fail "the runs of trials were left"
[ ! -e found/tune-data ] || fail "--no-packs packed"
expect_in found/report.html "<html" "the page"
run train -r found/tuned.yaml --steps 3 -o trained -q
expect_code 0 "train with what was found"

# A search that has ended goes on at once, to the same result.
cp out first; cp found/tune.jsonl ledger; cp found/tuned.yaml yaml
run tune photos $flags -o found --json -q
expect_code 1 "a folder that has a search"
expect_in err "--resume" "a folder that has a search"
run tune photos $flags -o found --resume -q --json
expect_code 0 "--resume of a search that has ended"
cp out again
"$stoker" tune photos $flags -o found --resume -q --json --budget 9 --space 1 >out 2>err || fail "other limits: $(cat err)"
cmp -s out again || fail "--resume is not the same twice"
python3 - <<'PYTHON' || fail "--resume of a search that has ended differs"
import json
a, b = json.load(open("again")), json.load(open("ledger".replace("ledger", "out")))
lines = [json.loads(l) for l in open("ledger")]
assert a == b and len(a["trials"]) == sum(l["event"] == "trial" for l in lines) and a["ended"] == lines[-1]["reason"]
PYTHON
cmp -s found/tune.jsonl ledger || fail "--resume of a search that has ended wrote to its ledger"
for other in "--least 5" "--batch 16" "--inject callback=1ms"; do
    run tune photos $flags -o found --resume -q $other
    expect_code 1 "--resume with $other"
    expect_in err "--resume" "--resume with $other"
    word=${other#--}
    expect_in err "${word%% *}: " "--resume with $other"
done
cmp -s found/tuned.yaml yaml || fail "a refused --resume changed tuned.yaml"
run tune photos $flags -o nowhere --resume
expect_code 1 "--resume of nothing"
expect_in err "without --resume a new search begins" "--resume of nothing"
rm -rf nowhere
run tune nothing -o nowhere
expect_code 1 "no data"
[ ! -e nowhere ] || fail "a search without data left a folder"

# Ctrl-C in the middle, and on from there.
code=0
"$stoker" tune photos $flags -o stopped >out 2>err &
child=$!
for ((i = 0; i < 200; i++)); do
    grep -qs noise stopped/tune.jsonl && break
    sleep 0.05
done
kill -INT "$child"
wait "$child" || code=$?
expect_code 130 "Ctrl-C"
expect_in out "stopped/tuned.yaml" "Ctrl-C"
[ -s stopped/tuned.yaml ] && [ -s stopped/report.html ] || fail "Ctrl-C left no recipe and no page"
[ ! -e stopped/tune-runs ] || fail "Ctrl-C left runs"
mkdir -p stopped/tune-runs/1/checkpoints stopped/runs/first # what a kill leaves; a run of the user's own
touch stopped/tune-runs/1/recipe.yaml
run tune photos $flags -o stopped --resume --budget 0.01 -q
expect_code 0 "--resume after Ctrl-C"
[ -e stopped/runs/first ] || fail "a run that is not the search's is gone"
[ "$(grep -c '"noise"' stopped/tune.jsonl)" = 1 ] || fail "noise was measured again"
tail -1 stopped/tune.jsonl | grep -q '"event":"end"' || fail "--resume came to no end"

# Wrong command lines: nothing begins.
# wrong TEXT WORDS...
wrong()
{
    local text=$1
    shift
    run tune -o nowhere "$@"
    expect_code 2 "$*"
    expect_empty out "$*"
    expect_in err "$text" "$*"
    [ ! -e nowhere ] || fail "$* left a folder"
}
wrong "there is none" --knob workers=1,2
wrong "for a command with --knob" photos --rate '([0-9])'
wrong "one DATA or RECIPE" photos photos
wrong 'no action "eagre"; did you mean eager?' photos --only cache,eagre
wrong 'no action "zzzzzzzzz"; there are threads, cache,' photos --without zzzzzzzzz
wrong 'no key "data.bach"; did you mean data.batch?' photos --pin data.bach
wrong 'no key "batch"' photos --pin batch
wrong "--least: 0 is out of range" photos --least 0
wrong 'no knob "workes"; did you mean workers?' --knob workers=1,2 --pin workes -- sh -c true '{workers}'
wrong "used nowhere" --knob workers=1,2 -- sh -c true
wrong "0 groups" --knob workers=1,2 --rate rate -- sh -c true '{workers}'
run tune photos --resume
expect_code 2 "--resume without a folder"

# A program: each step sleeps for as long as a knob says, and one value cannot run.
cat >train.sh <<'SHELL'
[ "$1" = broken ] && { echo "no such mode" >&2; exit 3; }
while :; do
    sleep "$2"
    echo "step $((step += 1)) rate $1"
done
SHELL
run tune --knob mode=plain,broken --knob pause=0.05,0.01 --rate 'count:step ([0-9]+)' --warm-up 0.02 --measure 0.2 --timeout 20 \
    --budget 0.3 -o program -q --json -- sh train.sh '{mode}' '{pause}'
expect_code 0 "a program"
python3 - <<'PYTHON' || fail "what was found of a program: $(cat "$work/out")"
import json
d = json.load(open("out"))
assert d["kind"] == "program" and d["unit"] == "steps" and d["subject"].startswith("sh train.sh"), d
assert d["best"] == {"pause": "0.01"} and d["gain"]["value"] > 0.5, d["best"]
trials = {next(iter(t["change"].items())): t for t in d["trials"]}
assert trials["mode", "broken"]["decision"] == "failed" and "no such mode" in trials["mode", "broken"]["reason"]
assert trials["pause", "0.01"]["decision"] == "kept"
PYTHON
expect_in program/tuned.sh "sh train.sh plain 0.01" "the command that was found"
[ -x program/tuned.sh ] && [ -s program/report.html ] || fail "a program's files"
(timeout 1 program/tuned.sh || true) | grep -q "step 2" || fail "the command that was found does not run"
grep -q "no such mode" program/runs/*.log || fail "what the program printed is not kept"

if [ -e /dev/full ]; then
    code=0
    "$stoker" tune photos $flags -o found --resume -q >/dev/full 2>err || code=$?
    expect_code 1 "a full disk"
fi
finish
