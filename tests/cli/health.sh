#!/usr/bin/env bash
# The health of data in inspect and lint, what is left out, and --on-bad of links.
set -eu
source "$(dirname "$0")/support.bash" "$1"
make_images "$work/data/train" 2 12 40 30
make_images "$work/data/test" 2 3 30 40
cp "$work/data/train/class0/0_000.png" "$work/data/test/class0/copy.png"
printf 'not pixels' >"$work/data/train/class1/bad.png"
: >"$work/data/train/class1/photo.heic"
: >"$work/data/train/.hidden"

run inspect "$work/data"
expect_code 0 "inspect"
expect_in "$work/out" "Images, from all 32" "inspect"
expect_in "$work/out" "problem  bad_images: images that cannot be decoded: 1" "inspect"
expect_in "$work/out" "train/class1/bad.png: 10 bytes that are no JPEG" "inspect"
expect_in "$work/out" "test/class0/copy.png = train/class0/0_000.png" "inspect"
expect_in "$work/out" "1 .heic image, 1 hidden file or folder" "inspect"

run inspect --images 4 "$work/data" --json
expect_code 0 "a sample"
python3 - "$work/out" <<'PYTHON' || fail "the JSON: $(cat "$work/out")"
import json, sys
health = json.load(open(sys.argv[1]))["health"]
assert health["items"] == 32 and health["looked_at"] == 4, health
assert health["formats"] == {"png": 4} and health["width"]["max"] in (30, 40), health
assert any(f["rule"] == "left_out" and f["level"] == "warning" for f in health["findings"]), health
PYTHON
run inspect --images 0 "$work/data"
expect_not_in "$work/out" "Images, from" "no images"

# Every image is decoded, and a bad one is damage.
run inspect --verify "$work/data"
expect_code 1 "verify"
expect_in "$work/out" "damaged: 1 image cannot be decoded" "verify"
expect_not_in "$work/out" "no damage" "verify"

run lint "$work/data" --model cnn --batch 8 --size 32 --json -q
expect_code 0 "lint"
python3 - "$work/out" <<'PYTHON' || fail "lint's JSON: $(cat "$work/out")"
import json, sys
found = {item["rule"]: item for item in json.load(open(sys.argv[1]))}
for rule in ("bad_images", "split_overlap", "duplicates", "left_out"):
    assert found[rule]["data"] and found[rule]["stage"] == "S1 read", found
assert "copy.png" in found["split_overlap"]["message"], found
PYTHON
run lint "$work/data" --model cnn --batch 8 --size 32 --images 0 -q
expect_not_in "$work/out" "split_overlap" "lint without images"

# Links to nothing and back up, and what may not be read.
ln -s nowhere.png "$work/data/train/class0/gone.png"
ln -s .. "$work/data/train/class0/up"
run pack "$work/data" "$work/packed" -q
expect_code 1 "a link to nothing"
expect_in "$work/err" "is a link to nothing" "a link to nothing"
expect_in "$work/err" "--on-bad skip" "a link to nothing"
rm "$work/data/train/class0/gone.png"
run pack "$work/data" "$work/packed" -q
expect_code 1 "a link back up"
expect_in "$work/err" "train/class0/up" "a link back up"
expect_in "$work/err" "leads back up" "a link back up"
run pack "$work/data" "$work/packed" -q --on-bad skip
expect_code 0 "skipping"
expect_in "$work/out" "packed 31 items" "skipping"
expect_in "$work/out" "left out: 1 link that leads back up ('train/class0/up'), 1 .heic image" "skipping"
run train "$work/data" --model cnn --batch 8 --size 32 --steps 1 -q -o "$work/run"
expect_code 1 "training with a link back up"
expect_in "$work/err" "data.on_bad_sample: skip" "training with a link back up"
run train "$work/data" --model cnn --batch 8 --size 32 --epochs 1 --on-bad skip -o "$work/run"
expect_code 0 "training without it"
expect_in "$work/err" "left out  1 link that leads back up" "training without it"
run inspect "$work/packed"
expect_in "$work/out" "test/class0/copy.png, record " "names of packed images"
run show "$work/packed" --json -q -o "$work/sheet.png" -n 3
expect_in "$work/out" '"file_name": "train/class' "names of packed images in show"
sample=$(sed -n 's/.*"sample": "\(.*\)",/\1/p' "$work/out" | head -1)
file=$(sed -n 's/.*"file_name": "\(.*\)",/\1/p' "$work/out" | head -1)
preset=$(sed -n 's/.*"preset": "\(.*\)",/\1/p' "$work/out")
run replay "$work/packed" "$sample" --preset "$preset" -o "$work/one.png"
expect_code 0 "replay"
expect_in "$work/out" "($file)" "names of packed images in replay"
finish
