#!/usr/bin/env bash
# What a trained model is good for: stoker eval, predict and lr-find.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8
run train photos --model mlp --epochs 4 --batch 16 --threads 1 -q -o model
expect_code 0 "a model to use"

run eval model --threads 1
expect_code 0 "eval"
for text in "% right" "9 images of" "Classes, worst first" "class2"; do
    expect_in out "$text" "eval"
done
run eval model photos --which last --batch 7 --threads 1 --json
expect_code 0 "eval of other data"
python3 - out <<'PYTHON' || fail "the JSON of eval"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["run"] == "model" and r["data"] == "photos" and r["count"] == 90, r
assert r["accuracy"] > 0.9 and r["top5"] == 1 and r["loss"] >= 0 and r["images_per_s"] > 0, r
assert sum(c["images"] for c in r["classes"]) == 90 and len(r["classes"]) == 3, r
PYTHON
mkdir moved
cp -r photos/class0 moved/class1
cp -r photos/class1 moved/class0
cp -r photos/class2 moved/class2
run eval model moved --threads 1
expect_code 0 "eval of wrong labels"
expect_in out "Confused most" "eval of wrong labels"
run eval nowhere
expect_code 1 "eval of nothing"
expect_in err "RUN is the folder that 'stoker train' wrote" "eval of nothing"
run eval model --split dev
expect_code 1 "eval of no split"
run eval model --which photos/class0/0_000.png
expect_code 1 "eval of no weights"
expect_in err "0_000.png" "eval of no weights"

run predict model photos/class0/0_000.png --threads 1
expect_code 0 "predict"
expect_in out "photos/class0/0_000.png  right" "predict"
[ "$(grep -c ' %  ' out)" = 3 ] || fail "predict does not show three classes"
printf 'no image' >bad.png
run predict model bad.png photos/class1 nowhere.png --top 1 --sheet sheet.png --threads 1
expect_code 1 "predict with a bad image"
expect_in err "bad.png" "predict with a bad image"
expect_in err "nowhere.png" "predict with an image that is not there"
expect_in out "right, by the names of their folders" "predict of a folder"
[ "$(head -c 4 sheet.png | tail -c 3)" = PNG ] || fail "the sheet is no PNG"
run predict model photos --json --threads 1
expect_code 0 "predict as JSON"
python3 - out <<'PYTHON' || fail "the JSON of predict"
import json, sys
r = json.load(open(sys.argv[1]))
assert len(r) == 90 and all(len(p["top"]) == 3 and abs(sum(t["probability"] for t in p["top"]) - 1) < 1e-4 for p in r)
assert r[0]["path"] == "photos/class0/0_000.png" and r[0]["truth"] == "class0", r[0]
assert sum(p["right"] for p in r) > 80
PYTHON
mkdir empty
run predict model empty
expect_code 1 "predict of an empty folder"
run predict model
expect_code 2 "predict of nothing"

run lr-find photos --model mlp --batch 16 --steps 60 --threads 1 --plot rates.svg --csv rates.csv
expect_code 0 "lr-find"
for text in "learning rate" "suggestion" "stoker train photos --batch 16 --model mlp --threads 1 --learning-rate 0."; do
    expect_in out "$text" "lr-find"
done
head -1 rates.csv | grep -qx "rate,loss,smoothed" || fail "the heading of rates.csv"
grep -q "<svg" rates.svg || fail "rates.svg is none"
[ ! -e runs ] || fail "lr-find made a run"
# The command is one for a shell: with all that was given but the rate.
cp -r photos "its photos"
run lr-find "its photos" --model mlp --batch 16 --steps 30 --threads 1 --lr 3 --set train.learning_rate=2 \
    --set "train.milestones=3 4" --trivial-model --json -q --plot rates.png
command=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["command"])' out)
case $command in
"stoker train 'its photos' --batch 16 --model mlp --threads 1 --trivial-model --set 'train.milestones=3 4' --learning-rate "*) ;;
*) fail "the command of lr-find: $command" ;;
esac
eval "${command/stoker/run} --explain"
expect_code 0 "$command"
run lr-find photos --model mlp --batch 16 --steps 30 --threads 1 --json -q --plot rates.png
expect_code 0 "lr-find as JSON"
python3 - out <<'PYTHON' || fail "the JSON of lr-find"
import json, sys
r = json.load(open(sys.argv[1]))
rates = [p["rate"] for p in r["points"]]
assert rates == sorted(rates) and abs(rates[0] - 1e-5) < 1e-12 and "suggestion" in r, r
PYTHON
run lr-find photos --from 1 --to 0.1
expect_code 2 "a ramp that goes down"
run lr-find photos --plot rates.gif
expect_code 2 "a plot of no known kind"
finish
