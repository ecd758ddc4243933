#!/usr/bin/env bash
# stoker train: a run with nothing but data, its files, JSON, recipes and flags, what is refused.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8

run train photos --epochs 2 --threads 1
expect_code 0 "no flag that matters"
for text in "data      " "81 images" "9 to validate on" "3 classes" "model     resnet20" "schedule  nesterov" "machine   cpu" \
    "cache     memory: " "output    runs/photos-resnet20-1" "validation loss" "best" "next: stoker eval"; do
    expect_in err "$text" "the plan"
done
for text in "loss" "* training" "of the validation images right" "compute" "img/s" \
    "a step takes" "S4 compute" \
    "model runs/photos-resnet20-1/best.safetensors"; do
    expect_in out "$text" "the result"
done
[ "$(grep -c "a step takes" out)" = 1 ] || fail "the table of stages is there more than once"
for file in recipe.yaml classes.txt metrics.csv best.safetensors final.safetensors curve.svg; do
    [ -s "runs/photos-resnet20-1/$file" ] || fail "$file is missing"
done
for text in '>loss<' '>accuracy, %<' '>best: ' 'class="l s0 b"'; do
    expect_in runs/photos-resnet20-1/curve.svg "$text" "the learning curve"
done
expect_in out "accuracy, %" "the learning curve on the screen"
ls runs/photos-resnet20-1/events.out.tfevents.* >/dev/null || fail "event files are missing"

# The curve fits a narrow terminal.
cat >narrow.py <<'PYTHON'
import fcntl, os, pty, struct, subprocess, sys, termios
main, side = pty.openpty()
fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
child = subprocess.Popen(sys.argv[2:], stdout=side, stderr=subprocess.DEVNULL)
os.close(side)
text = b""
try:
    while part := os.read(main, 65536): text += part
except OSError: pass
assert child.wait() == 0, child.returncode
curve = text.decode().replace("\r", "").split("of the validation")[0].split("\n")[:-1]
assert len(curve) > 20 and sum(line.startswith("A (") for line in curve) == 2, curve
wide = [line for line in curve if len(line) > int(sys.argv[1])]
assert not wide, wide
PYTHON
for columns in 40 24; do
    python3 narrow.py $columns "$stoker" train photos --model mlp --epochs 3 --batch 16 --threads 1 --color never \
        -o "narrow-$columns" || fail "the curve in a terminal of $columns columns"
done

# One object as the result, nothing else on stdout, nothing on stderr.
run train photos --model mlp --epochs 3 --batch 16 --threads 1 -o first --json --quiet
expect_code 0 "as JSON"
expect_empty err "as JSON, quiet"
python3 - out <<'PYTHON' || fail "the JSON of a run"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["folder"] == "first" and r["model"] == "mlp" and r["batch"] == 16 and r["threads"] == 1, r
assert r["cache"].startswith("memory: "), r
assert r["step"] == r["steps"] == 15 and r["epochs"] == 3 and r["resumed_from"] == 0, r
assert r["best_accuracy"] > 0.9 and r["best_model"] == "first/best.safetensors", r
start = {part["name"]: part["seconds"] for part in r["startup"]["parts"]}
assert set(start) >= {"looking at the data", "deciding", "device", "compile", "weights", "files", "input", "first batch",
                      "first step", "other"}, start
assert abs(sum(start.values()) - r["startup"]["seconds"]) < 1e-6 and min(start.values()) >= 0, r["startup"]
assert start["compile"] > 0 and start["looking at the data"] > 0 and start["first step"] > 0, start
assert start["other"] < 0.5 * r["startup"]["seconds"] + 0.2, start
assert not r["interrupted"] and r["time"]["wall_s"] > 0 and r["memory"]["arena_bytes"] > 0, r
assert "progress" in [c["name"] for c in r["callbacks"]], r
stages = r["stages"]
assert [s["stage"][:2] for s in stages[1:]] == [f"S{i}" for i in range(1, 9)], stages
assert abs(sum(s["share"] for s in stages) - 1) < 1e-6 and r["measured"]["steps"] == 12, r
assert abs(sum(s["exposed_ms"] for s in stages) - r["measured"]["step_ms"]) < 1e-6, r
assert stages[4]["share"] > 0 and stages[1]["items_per_s"] > 0 and stages[8]["busy_ms"] > 0, stages
PYTHON
# The epoch's means: those of its five rows of one step each.
python3 - out first/metrics.csv <<'PYTHON' || fail "the loss of the last epoch"
import csv, json, sys
r, rows = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2])))[-5:]
for name in ("loss", "accuracy"):
    mean = sum(float(row[name]) for row in rows) / 5
    assert abs(r[name] - mean) < 1e-9 and abs(float(rows[-1]["epoch_" + name]) - mean) < 1e-9, (name, r[name], mean)
    assert not rows[0]["epoch_" + name], rows[0]
PYTHON
[ "$(wc -l <first/metrics.csv)" = 16 ] || fail "metrics.csv has $(wc -l <first/metrics.csv) lines"

# What is kept of the data changes no bit and is said; what cannot be kept is refused with both numbers.
for cache in none memory disk; do
    run train photos --model mlp --epochs 3 --batch 16 --threads 1 -o "kept-$cache" --cache $cache
    expect_code 0 "--cache $cache"
    expect_in err "cache     $cache: " "--cache $cache"
    cmp kept-$cache/final.safetensors first/final.safetensors || fail "--cache $cache learns something else"
done
[ ! -e kept-disk/cache ] || fail "a run that ended left its cache"
{ cat photos/class0/0_000.png; head -c 3000000 /dev/zero; } >photos/class0/large.png
run train photos --model mlp --epochs 3 --threads 1 -o never --cache memory --memory-mb 2
expect_code 1 "a cache that does not fit"
expect_in err "the files take 3." "a cache that does not fit"
expect_in err "may have 1.5 MB of the 2.0 MB" "a cache that does not fit"
rm photos/class0/large.png
run train photos --model mlp --epochs 3 --threads 1 -o never --cache sometimes
expect_code 2 "--cache sometimes"
run train photos --model lenet --epochs 3 --threads 1 -o never --set progressive.size_from=0.5
expect_code 2 "a network that cannot grow"
expect_in err "its weight fc1.weight is [" "a network that cannot grow"
[ ! -e never ] || fail "a run that was refused left a folder"

# A recipe, what is said on top of it, and what cannot be said.
cat >recipe.yaml <<'YAML'
data:
  path: photos
model:
  name: mlp
train:
  epochs: 1
YAML
run train --recipe recipe.yaml --batch 8 --set train.gamma=0.2 --threads 1 -o second -q
expect_code 0 "a recipe"
for line in 'batch: 8' 'gamma: 0.2' 'name: "mlp"'; do
    expect_in second/recipe.yaml "$line" "the recipe of the run"
done
run train --recipe recipe.yaml --explain --threads 1
expect_code 0 "--explain"
for text in "# Decisions" "batch " "# Recipe" 'name: "mlp"' "# Input" "global_shuffle" "# A step" \
    "fc1.weight"; do
    expect_in out "$text" "--explain"
done
run train --recipe recipe.yaml --explain --threads 1 --json --quiet
expect_code 0 "--explain as JSON"
python3 - out <<'PYTHON' || fail "--explain as JSON"
import json, sys
r = json.load(open(sys.argv[1]))
assert any(d.startswith("batch ") or d.startswith("epochs ") or d.startswith("learning rate ") for d in r["decisions"]), r["decisions"]
assert r["recipe"]["model"]["name"] == "mlp" and r["recipe"]["data"]["batch"] > 0, r["recipe"]
assert r["recipe"]["model"]["trivial"] is False and r["recipe"]["model"]["weights"] == "", r["recipe"]
assert r["input"][0]["title"] == "" and any("global_shuffle" in l for l in r["input"][0]["lines"]), r["input"]
assert r["step"][0]["title"].startswith("graph: as it was built"), r["step"][0]
assert any('"fc1.weight"' in l for l in r["step"][0]["lines"]), r["step"][0]
PYTHON
run train photos --model mlp --trivial-model --epochs 1 --threads 1 -q -o trivial
expect_code 0 "--trivial-model"

# refused CODE TEXT WORDS...
refused()
{
    local expected=$1 text=$2
    shift 2
    run train "$@"
    expect_code "$expected" "$*"
    expect_empty out "$*"
    expect_in err "$text" "$*"
}
refused 2 "--epochs: train.epochs is \"many\"; it takes a number" photos --epochs many
refused 2 "--optimizer: train.optimizer is \"adamv\"; it is one of" photos --optimizer adamv
refused 2 "--set train.gama: the section \"train\" has no key \"gama\"" photos --set train.gama=1
refused 2 "--set epochs: the section of \"epochs\" is missing; did you mean train.epochs?" photos --set epochs=3
refused 2 "did you mean train.learning_rate?" photos --set learnin_rate=3
refused 2 "there is no key \"foobar\"; keys are written SECTION.KEY" photos --set foobar=3
refused 2 "'gamma' is not SECTION.KEY=VALUE" photos --set gamma
refused 2 "unknown flag '--epoch'" photos --epoch 3
refused 2 "DATA is missing"
refused 1 "nowhere" nowhere
refused 2 "resnet18" photos --model resnet19
refused 1 "there is a run here already" photos --model mlp -o first
refused 2 "there is no preset" photos --preset imagnet
refused 2 "a batch of 1000 is more than the 81 images there are to train on; give --batch 81 or less" \
    photos --batch 1000 --model mlp -o large
[ ! -e large ] || fail "a run that was refused left a folder"
run train photos --batch 81 --model mlp --epochs 2 --threads 1 -q -o whole
expect_code 0 "a batch of all images"
expect_in out "2 of 2 steps done" "a batch of all images"
refused 1 "there is no split" photos --split dev
refused 1 "none.safetensors" photos --model mlp --weights none.safetensors --threads 1 -o w
printf 'train:\n  epochs: 1\n  optimiser: sgd\n' >wrong.yaml
refused 2 "wrong.yaml:3: the section \"train\" has no key \"optimiser\"" --recipe wrong.yaml photos
printf 'epochs: 3\n' >bare.yaml
refused 2 "bare.yaml:1: the section of \"epochs\" is missing; did you mean train.epochs?" --recipe bare.yaml photos
printf 'train: [\n' >no-yaml.yaml
refused 2 "no-yaml.yaml:2: this is no YAML" --recipe no-yaml.yaml photos
refused 1 "not-there.yaml" --recipe not-there.yaml photos
mkdir empty
refused 1 "empty" empty
mkdir single
cp -r photos/class0 single/
refused 1 "one class only" single
run train photos --model mlp --set model.classes=2 -o few
expect_code 2 "fewer classes than labels"
expect_in err "classes" "fewer classes than labels"

# A loss that is lost stops the run, with the operation and the step.
lost="photos --model mlp --batch 16 --threads 1 -q --optimizer sgd --momentum 0 --lr 1e6 --schedule constant"
refused 1 "the loss of step " $lost -o lost
expect_in err "A smaller train.learning_rate" "a loss that is not finite"
refused 1 "not finite" $lost --eager -o lost-eager

# A class with a single image, and one with none.
cp -r photos odd
mkdir odd/class3 odd/class4
cp photos/class0/0_000.png odd/class3/
run train odd --model mlp --epochs 1 --threads 1 -q -o odd-run
expect_code 0 "a class with one image"

# An image that cannot be read is named; it can be passed over.
cp -r photos bad
printf 'no image' >bad/class1/1_005.png
run train bad --model mlp --epochs 1 --threads 1 -q -o bad-run
expect_code 1 "a bad image"
expect_in err "1_005.png" "a bad image"
expect_in err "--on-bad skip" "a bad image"
run train bad --model mlp --epochs 1 --threads 1 -q -o bad-run2 --on-bad skip
expect_code 0 "a bad image is passed over"
# No epochs are no training; a part of one is.
run train "$work/none" --epochs 0
expect_code 2 "--epochs 0"
expect_in "$work/err" 'train.epochs is "0"; it takes a number from 1e-06' "--epochs 0"

finish
