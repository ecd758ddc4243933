#!/usr/bin/env bash
# stoker predict and eval with weights alone, and predictions as tables.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 20 8
mv photos/class2 'photos/a, "b"'
run train photos --model mlp --epochs 4 --batch 16 --threads 1 -q -o model
expect_code 0 "a model to use"
run predict model photos --threads 1 --json --top 2
expect_code 0 "predict with a run folder"
mv out with_folder
mkdir alone
cp model/best.safetensors alone/w.safetensors
cp model/checkpoints/step-*.safetensors alone/
checkpoint=$(ls alone/step-* | tail -1)
last=$(ls model/checkpoints/step-* | tail -1)
run predict model/best.safetensors photos --threads 1 --json --top 2
cmp -s out with_folder || fail "the weights of a run folder predict otherwise"
run predict "$last" photos --threads 1 --json --top 2
expect_code 0 "a checkpoint in its run folder"
mv out with_checkpoint
mv model elsewhere

run predict alone/w.safetensors photos --threads 1 --json --top 2
expect_code 0 "weights alone"
cmp -s out with_folder || fail "weights alone predict otherwise"
run eval alone/w.safetensors photos --threads 1 --json
expect_code 0 "eval with weights alone"
expect_in out '"accuracy": 1' "eval with weights alone"
run predict alone/w.safetensors photos --which last
expect_code 1 "nothing to choose"
printf 'one\ntwo\r\nthree' >names.txt
run predict alone/w.safetensors photos/class0/0_000.png --classes names.txt --threads 1
expect_in out "three" "names for classes"
run predict alone/w.safetensors photos/class0/0_000.png --classes 4 --threads 1
expect_code 1 "another number of classes"
expect_in err "it has 4 classes, but the model was trained with 3" "another number of classes"

# A file that says nothing of itself.
run predict "$checkpoint" photos/class0 --threads 1
expect_code 1 "weights that say nothing"
expect_in err "--model NAME, --preset NAME, --classes FILE (or a number)" "weights that say nothing"
printf 'a, "b"\nclass0\nclass1\n' >names.txt
run predict "$checkpoint" photos --model mlp --preset cifar --size 8 --classes names.txt --threads 1 --json --top 2
expect_code 0 "weights with flags"
python3 - out with_checkpoint <<'PYTHON' || fail "weights with flags predict otherwise than in their run folder"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
same = lambda r: [(p["path"], p["truth"], p["right"], p["top"]) for p in r]
assert same(a) == same(b)
PYTHON
run predict "$checkpoint" photos --model mlp --preset cifar --size 8 --classes 4 --threads 1
expect_code 1 "weights of other classes"
expect_in err "float32[3,256] in the file but float32[4,256] in the model" "weights of other classes"
expect_in err "--model, --classes and --size" "weights of other classes"
run predict nowhere.safetensors photos
expect_code 1 "no such weights"
expect_in err "RUN is the folder that 'stoker train' wrote, or a .safetensors file" "no such weights"

# Tables.
printf 'no image' >'bad, one.png'
run predict alone/w.safetensors photos 'bad, one.png' --top 2 --csv p.csv --jsonl p.jsonl --threads 1
expect_code 1 "tables with a bad image"
expect_in out "60 of 60 right" "tables"
expect_not_in out "0_000.png" "tables"
python3 - with_folder p.csv p.jsonl <<'PYTHON' || fail "the tables of predict"
import csv, json, sys
want = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2], newline="")))
lines = [json.loads(l) for l in open(sys.argv[3])]
assert len(rows) == len(lines) == 61, (len(rows), len(lines))
assert lines[:60] == want
for r, w in zip(rows, want):
    assert (r["image"], r["true"], r["predicted"], r["right"], r["error"]) == \
           (w["path"], w["truth"], w["top"][0]["class"], str(int(w["right"])), ""), r
    assert abs(float(r["confidence"]) - w["top"][0]["probability"]) < 1e-6
    assert r["class_2"] == w["top"][1]["class"] and abs(float(r["probability_2"]) - w["top"][1]["probability"]) < 1e-6
assert any(r["true"] == 'a, "b"' for r in rows)
assert rows[60]["image"] == "bad, one.png" == lines[60]["path"] and rows[60]["error"], rows[60]
assert rows[60]["predicted"] == "" and rows[60]["class_2"] == "" and lines[60]["error"]
PYTHON
run predict alone/w.safetensors photos --jsonl - --threads 1
[ "$(wc -l <out)" = 60 ] || fail "rows on stdout"
run predict alone/w.safetensors photos --jsonl - --csv - --threads 1
expect_code 2 "two tables on stdout"
run predict alone/w.safetensors photos --csv no/such/folder.csv --threads 1
expect_code 1 "a table that cannot be written"
finish
