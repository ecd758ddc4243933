#!/usr/bin/env bash
# stoker show: sheets of presets, epochs and operations; guesses; what cannot be shown.
set -eu
source "$(dirname "$0")/support.bash" "$1"

# is_png FILE WIDTH-AT-LEAST: has a PNG's size in its header.
is_png()
{
    python3 - "$@" <<'PYTHON' || fail "$1 is no such sheet"
import struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
width, height = struct.unpack(">II", data[16:24])
assert width >= int(sys.argv[2]) and height >= 100, (width, height)
PYTHON
}

make_images "$work/small" 2 5 32 32
make_images "$work/photos" 1 3 90 60
run pack "$work/small" "$work/packed" --quiet
expect_code 0 "pack"

run show "$work/packed" -o "$work/a.png"
expect_code 0 "a sheet of a pack"
expect_in "$work/out" "a.png: 10 images in 8 columns, " "a sheet of a pack"
expect_in "$work/err" "32 x 32 pixels: taken for preset cifar" "the guess"
is_png "$work/a.png" 1000

run show "$work/photos" -o "$work/b.png" --evaluate --size 48 --columns 2
expect_code 0 "a sheet of a folder"
expect_in "$work/err" "90 x 60 pixels: taken for preset imagenet" "the guess"
expect_in "$work/out" "3 images in 2 columns" "a sheet of a folder"

run show "$work/packed" --preset cifar --count 4 --epoch 2 --seed 7 --json -o "$work/c.png"
expect_code 0 "JSON"
expect_empty "$work/err" "no guess, no note"
python3 - "$work/out" "$work/c.png" <<'PYTHON' || fail "the JSON does not say what is shown"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["out"] == sys.argv[2] and r["preset"] == "cifar" and r["seed"] == 7, r
assert len(r["images"]) == 4, r
assert all(p["epoch"] == 2 and p["width"] == 32 for p in r["images"]), r
assert all(p["label"] in ("class0", "class1") for p in r["images"]), r
assert len({p["sample"] for p in r["images"]}) == 4, r
PYTHON

run show "$work/packed" --epochs 3 --count 2 -q -o "$work/d.png"
expect_code 0 "epochs"
expect_empty "$work/err" "quiet"
expect_in "$work/out" "6 images in 3 columns" "epochs"

run show "$work/photos" --op 'rotate degrees=30' --op flip -o "$work/e.png"
expect_code 0 "operations"
run show "$work/photos" --op all -o "$work/f.png"
expect_code 0 "all operations"
is_png "$work/f.png" 600

# Names in other alphabets are spelled, and told apart: the same sheet as of names that are so already.
for names in "there:bär 猫:bär 犬" "here:baer <732B>:baer <72AC>"; do
    IFS=: read -r place first second <<<"$names"
    make_images "$work/$place/set" 2 2 16 16
    mv "$work/$place/set/class0" "$work/$place/set/$first"
    mv "$work/$place/set/class1" "$work/$place/set/$second"
    (cd "$work/$place" && "$stoker" show set --seed 3 -q -o sheet.png >/dev/null) || fail "a sheet of $first"
done
# 犬 comes before 猫 by code, and so does <72AC>.
cmp "$work/there/sheet.png" "$work/here/sheet.png" || fail "names in other alphabets are not spelled"

# The same seed gives the same sheet, on any number of threads.
run show "$work/packed" --preset cifar -o "$work/g.png" --threads 1
run show "$work/packed" --preset cifar -o "$work/h.png" --threads 4
cmp -s "$work/g.png" "$work/h.png" || fail "the sheet is not the same again"

run show "$work/packed" --preset cifer
expect_code 2 "no such preset"
expect_in "$work/err" "did you mean 'cifar'?" "no such preset"
run show "$work/packed" --op rotat
expect_code 2 "no such operation"
expect_in "$work/err" "there is no image operation 'rotat'" "no such operation"
expect_in "$work/err" "did you mean 'rotate'?" "no such operation"
run show "$work/packed" --op 'rotate angle=3'
expect_code 1 "no such parameter"
expect_in "$work/err" "angle" "no such parameter"
run show "$work/packed" --op to_float -o "$work/x.png"
expect_code 1 "no image"
expect_in "$work/err" "only uint8" "no image"
run show "$work/packed" --op flip --preset cifar
expect_code 2 "both"
run show "$work/nothing"
expect_code 1 "nothing there"
mkdir "$work/empty"
run show "$work/empty"
expect_code 1 "no images"
run show "$work/packed" --split valid
expect_code 1 "no such split"
expect_in "$work/err" 'there is no split "valid"' "no such split"
printf 'a,b\n1,2\n' >"$work/table.csv"
run show "$work/table.csv"
expect_code 1 "data without images"
expect_in "$work/err" 'there is no field "image"' "data without images"
run show "$work/packed" -q -o "$work/none/x.png"
expect_code 1 "a place that is not there"
[ ! -e "$work/x.png" ] || fail "a sheet that failed was written"
printf 'no image' >"$work/photos/class0/text.png"
run show "$work/photos" -q -o "$work/y.png"
expect_code 1 "a bad image"
expect_in "$work/err" "class0/text.png" "a bad image is named"
expect_in "$work/err" "'stoker pack --on-bad skip'" "what to do with a bad image"
[ ! -e "$work/y.png" ] || fail "a sheet with a bad image was written"
run show "$work/photos" --on-bad skip -n 64 -o "$work/y.png"
expect_code 0 "a bad image that is passed over"
expect_in "$work/err" "class0/text.png" "an image that is passed over is named"
[ -s "$work/y.png" ] || fail "no sheet without the bad image"
run show "$work/photos" --on-bad skip --epochs 2 -o "$work/y.png"
expect_code 2 "--on-bad skip with --epochs"

# Elements of a recipe and of data.
cat >"$work/pairs.yaml" <<'YAML'
data:
- range: 7
- enumerate
- padded_batch: 3
YAML
run show "$work/pairs.yaml" --elements 2
expect_code 0 "elements of a recipe"
cat >"$work/expected" <<'TEXT'
element 0, element 0 of epoch 0
  0: int64[3] 0 1 2
  1: int64[3] 0 1 2
element 1, element 3 of epoch 0
  0: int64[3] 3 4 5
  1: int64[3] 3 4 5
TEXT
cmp -s "$work/out" "$work/expected" || fail "elements of a recipe: $(cat "$work/out")"
run show "$work/pairs.yaml" --elements 100 --json
expect_code 0 "elements as JSON"
python3 - "$work/out" <<'PYTHON' || fail "elements as JSON: $(head -20 "$work/out")"
import json, sys
found = json.load(open(sys.argv[1]))["elements"]
assert len(found) == 3 and found[2]["where"] == "element 6 of epoch 0", found
assert found[2]["values"][1] == {"name": "1", "kind": "dense", "dtype": "int64", "shape": [1], "text": "int64[1] 6"}, found
PYTHON
printf 'a,b\n1,2\n3,4\n' >"$work/two.csv"
run show "$work/two.csv" --elements 1
expect_code 0 "elements of data"
expect_in "$work/out" "b: int64 2" "elements of data"
printf 'data:\n- lines: %s/words\n' "$work" | sed 's/lines/text/' >"$work/words.yaml"
printf 'plain\nbell \a, turned \342\200\256, no text \377\n' >"$work/words"
run show "$work/words.yaml" --elements 2
expect_in "$work/out" 'line: bytes "plain"' "text"
expect_in "$work/out" 'line: bytes "bell \x07, turned \xE2\x80\xAE, no text \xFF"' "bytes that may not be shown"
printf 'data:\n- range: 5\n- map: {multiply: 2}\n- bach: 2\n' >"$work/wrong.yaml"
run show "$work/wrong.yaml" --elements 2
expect_code 2 "a wrong recipe"
expect_in "$work/err" "did you mean batch?" "a wrong recipe"
run show "$work/pairs.yaml" --elements 2 --preset cifar
expect_code 2 "elements with flags of a sheet"

run replay "$work/packed" packed-train.tfrecord-00000-of-00001 --preset cifar -o "$work/z.png"
expect_code 1 "a file of several images"
expect_in "$work/err" "name one as packed-train.tfrecord-00000-of-00001:RECORD" "several images"
run replay "$work/packed" nothing.jpg --preset cifar -o "$work/z.png"
expect_code 1 "no such sample"
expect_in "$work/err" "nothing.jpg is not among its images" "no such sample"
finish
