#!/usr/bin/env bash
# What stoker eval tells and writes: scores, the matrix, calibration, mistakes, a table.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8
run train photos --model mlp --epochs 4 --batch 16 --threads 1 -q -o model
expect_code 0 "a model to use"
# Some images lie in the wrong folders, so that there are mistakes.
cp -r photos mixed
for i in 0 1 2 3 4 5 6; do mv "mixed/class0/0_00$i.png" mixed/class1/; done
for i in 0 1; do mv "mixed/class2/2_00$i.png" "mixed/class0/a,$i.png"; done

run eval model mixed --threads 1 --csv p.csv --confusion matrix.png --mistakes worst.png --worst 5 --columns 2
expect_code 0 "eval"
for text in "90.00 % right" "90 images of mixed" "mean of classes: recall" "balanced accuracy" \
    "images   recall  precision" "Confused most" "Confusion: rows are what it is" \
    "1 class1   7  30   ." "expected error (ECE)" "sure of"; do
    expect_in out "$text" "eval"
done
expect_not_in out "splits" "eval"
for file in matrix.png worst.png; do
    [ "$(head -c 4 $file | tail -c 3)" = PNG ] || fail "$file is no PNG"
done
run eval model mixed --threads 1 --json --csv again.csv --top 1
expect_code 0 "eval as JSON"
cp out report.json
run eval model mixed --threads 2 --batch 7 --csv threads.csv -q
cut -d, -f1-5 p.csv >a
cut -d, -f1-5 threads.csv >b
cmp -s a b || fail "the table depends on threads or batches"

# Every number again, from the table alone.
python3 - p.csv again.csv report.json <<'PYTHON' || fail "the numbers of eval"
import collections, csv, json, math, sys
rows, again = (list(csv.DictReader(open(f, newline=""))) for f in sys.argv[1:3])
r = json.load(open(sys.argv[3]))
assert list(again[0]) == ["image", "record", "true", "predicted", "right", "confidence", "true_probability"]
assert [a["predicted"] for a in again] == [a["predicted"] for a in rows]
assert len(rows) == r["count"] == 90 and r["split"] == "train" and not r["held_back"]
near = lambda a, b, by=1e-12: abs(a - b) <= by
for x in rows:
    folder, name = x["image"].split("/")[1:]
    assert x["image"].startswith("mixed/") and folder == x["true"] and x["record"] == "0", x
    assert (x["right"] == "1") == (x["true"] == x["predicted"]), x
    assert float(x["confidence"]) >= float(x["probability_2"]) >= float(x["probability_3"]), x
    total = sum(float(x[k]) for k in ("confidence", "probability_2", "probability_3"))
    assert near(total, 1, 1e-5) and {x["predicted"], x["class_2"], x["class_3"]} == {"class0", "class1", "class2"}, x
names = r["confusion"]["classes"]
count = collections.Counter((x["true"], x["predicted"]) for x in rows)
assert r["confusion"]["matrix"] == [[count[a, b] for b in names] for a in names], r["confusion"]
right = sum(x["right"] == "1" for x in rows)
assert near(r["accuracy"], right / 90) and right == 81, right
scores = {}
for c in names:
    hits, of, taken = count[c, c], sum(count[c, b] for b in names), sum(count[b, c] for b in names)
    scores[c] = (hits / taken, hits / of, 2 * hits / (of + taken))
for c in r["classes"]:
    assert all(map(near, (c["precision"], c["recall"], c["f1"]), scores[c["class"]])), c
for key, at in ("macro_precision", 0), ("macro_recall", 1), ("balanced_accuracy", 1), ("macro_f1", 2):
    assert near(r[key], sum(s[at] for s in scores.values()) / 3), key
loss = -sum(math.log(float(x["true_probability"])) for x in rows) / 90
assert near(r["loss"], loss, 1e-4), (r["loss"], loss)
bins = collections.defaultdict(list)
for x in rows:
    bins[math.ceil(float(x["confidence"]) * 10) - 1].append(x)
mean = lambda list: sum(list) / len(list)
ece = sum(abs(mean([float(x["confidence"]) for x in b]) - mean([x["right"] == "1" for x in b])) * len(b) / 90
          for b in bins.values())
assert near(r["calibration"]["ece"], ece, 1e-6), (r["calibration"]["ece"], ece)
assert [b["images"] for b in r["calibration"]["bins"]] == [len(bins[i]) for i in range(10)]
assert any("a,0.png" in x["image"] for x in rows)
PYTHON

run eval model photos --threads 1 --mistakes none.png
expect_code 0 "no mistakes"
expect_in err "there are no mistakes to draw" "no mistakes"
[ ! -e none.png ] || fail "a sheet of no mistakes"
run eval model photos --threads 1 --csv no/such/p.csv
expect_code 1 "a table that cannot be written"
expect_in err "no/such/p.csv" "a table that cannot be written"
run eval model photos --bins 0
expect_code 2 "no bins"

# predict sees what eval sees: one image at a time, and many.
run predict model mixed --threads 1 --csv many.csv --top 3 -q
expect_code 0 "predict of many"
run predict model mixed/class0/0_010.png mixed/class1/1_010.png --threads 1 --csv few.csv --top 3 -q
expect_code 0 "predict of few"
python3 - p.csv many.csv few.csv <<'PYTHON' || fail "predict and eval differ"
import csv, sys
evaluated, many, few = ({x["image"]: x for x in csv.DictReader(open(f, newline=""))} for f in sys.argv[1:])
assert len(evaluated) == len(many) == 90 and len(few) == 2
for rows in many, few:
    for image, x in rows.items():
        e = evaluated[image]
        assert (x["true"], x["predicted"], x["right"]) == (e["true"], e["predicted"], e["right"]), (x, e)
        assert abs(float(x["confidence"]) - float(e["confidence"])) < 2e-5, (x, e)
PYTHON

# What cannot be read.
cp -r photos damaged
printf 'no image' >damaged/class1/zz.png
run eval model damaged --threads 1
expect_code 1 "a damaged image"
expect_in err "damaged/class1/zz.png" "a damaged image"
expect_in err "--on-bad skip" "a damaged image"
run eval model damaged --threads 1 --on-bad skip --csv damaged.csv
expect_code 0 "a damaged image left out"
expect_in err "zz.png" "a damaged image left out"
expect_in out "1 more could not be read and were left out" "a damaged image left out"
expect_not_in damaged.csv "zz.png" "a damaged image left out"
[ "$(wc -l <damaged.csv)" = 91 ] || fail "rows beside a damaged image"

# Of a pack, rows name the shard and the record.
run pack mixed packed --threads 1 -q
run eval model packed --threads 1 --csv packed.csv -q
expect_code 0 "eval of a pack"
python3 - p.csv packed.csv <<'PYTHON' || fail "the table of a pack"
import collections, csv, sys
a, b = (list(csv.DictReader(open(f, newline=""))) for f in sys.argv[1:])
assert sorted(int(x["record"]) for x in b) == list(range(90)) and "packed-train.tfrecord" in b[0]["image"], b[0]
key = lambda rows: sorted((x["true"], x["predicted"], x["confidence"]) for x in rows)
assert key(a) == key(b)
PYTHON
finish
