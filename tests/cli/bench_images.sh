#!/usr/bin/env bash
# stoker bench input --preset: rates per core, ablation, forms side by side; what does not go
# together; Ctrl-C leaves nothing behind.
set -eu
source "$(dirname "$0")/support.bash" "$1"
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

make_images "$work/photos" 2 20 80 64
run bench input "$work/photos" --preset imagenet --size 32 --batch 8 --seconds 0.3
expect_code 0 "a preset"
expect_in "$work/out" "img/s per core: " "a preset"
expect_in "$work/out" "batches/s" "a preset"
# Bytes are of every 64th batch, so there must be several times as many.
run bench input "$work/photos" -p imagenet --size 32 -b 8 -s 1.5 --json --normalize --planar
expect_code 0 "a preset as JSON"
python3 - "$work/out" <<'PYTHON' || fail "the JSON of a preset"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["samples"] == 8 * r["elements"] and r["samples_per_core_s"] > 0, r
assert r["cpu_seconds"] > 0 and r["bytes"] / r["samples"] > 3 * 3 * 32 * 32, r
PYTHON
cat > "$work/recipe.yaml" <<'YAML'
data:
  - images: {path: photos, repeat: forever}
  - map: {decode_image: {shrink: true}}
  - map: {random_resized_crop: 32}
  - map: {flip: {probability: 0.5}}
  - map: {normalize: {preset: imagenet}}
  - batch: 8
YAML
run bench input "$work/recipe.yaml" -s 0.3 --json
expect_code 0 "a recipe of images"
python3 - "$work/out" <<'PYTHON' || fail "samples of a recipe whose stages became one"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["samples"] == 8 * r["elements"] > 0, r
assert r["stages"][-1]["name"].startswith("fused_map(select, rename, decode_image, rand"), r["stages"]
PYTHON
printf 'cut off' > "$work/photos/class1/bad.jpg"
run bench input "$work/recipe.yaml" -s 0.3
expect_code 1 "a bad image"
expect_in "$work/err" "bad.jpg" "a bad image"
expect_in "$work/err" "--on-bad skip" "a bad image"
rm "$work/photos/class1/bad.jpg"
run bench input "$work/photos" --preset imagenet --explain
expect_code 0 "explain"
expect_in "$work/out" "after image:" "explain"
expect_in "$work/out" "image[decode_image[" "explain"
run bench input "$work/photos" -p imagenet --size 32 -b 8 -s 0.2 --drop flip --stub decode_image
expect_code 0 "drop and stub"
run bench input "$work/photos" -p imagenet --drop rotate
expect_code 2 "nothing to drop"
expect_in "$work/err" "there are: random_resized_crop, flip" "nothing to drop"

run bench input "$work/photos" -p imagenet --size 32 -b 8 -s 0.25 --ablate -q
expect_code 0 "ablate"
expect_empty "$work/err" "ablate, quiet"
for text in "decode_image" "random_resized_crop" "flip" "sum of these" "100 %"; do
    expect_in "$work/out" "$text" "ablate"
done
run bench input "$work/photos" -p imagenet --size 32 -b 8 -s 0.25 --ablate --json
python3 - "$work/out" <<'PYTHON' || fail "the JSON of --ablate"
import json, sys
r = json.load(open(sys.argv[1]))
names = [o["operation"] for o in r["operations"]]
assert names == ["decode_image", "random_resized_crop", "flip"], names
assert r["total_us"] > 0 and abs(sum(o["us"] for o in r["operations"]) - r["sum_us"]) < 1e-6, r
PYTHON

cat >"$work/own.yaml" <<YAML
data:
  - images: {path: $work/photos, repeat: forever}
  - map: {decode_image: {}}
  - map: {random_resized_crop: 24}
  - map: {blur: {sigma: 8, kernel: 31}}
  - map: {flip: {axis: horizontal}}
  - map: {normalize: {preset: imagenet}}
  - batch: 8
YAML
sanitize=$(sed -n 's/^STOKER_SANITIZE:STRING=//p' "$1/CMakeCache.txt")
run bench input "$work/own.yaml" -s 0.5 --ablate --json
expect_code 0 "ablate a recipe"
python3 - "$work/out" "$sanitize" <<'PYTHON' || fail "the JSON of --ablate of a recipe"
import json, sys
r = json.load(open(sys.argv[1]))
us = {o["operation"]: o["us"] for o in r["operations"]}
assert {"decode_image", "random_resized_crop", "blur", "flip + normalize"} <= set(us), us
assert us["blur"] > us["flip + normalize"], us
# The whole is of other runs than the part, which a sanitizer spreads too far apart to compare.
assert r["total_us"] > (0 if sys.argv[2] else us["blur"]), (r["total_us"], us)
PYTHON
run bench input "$work/own.yaml" -s 0.5
expect_in "$work/out" "blur" "operations in the report"

run bench input "$work/photos" -p imagenet --size 32 -b 8 -s 0.25 --compare files,packed,raw --json
expect_code 0 "forms"
python3 - "$work/out" <<'PYTHON' || fail "the JSON of --compare"
import json, sys
r = json.load(open(sys.argv[1]))
forms = {f["form"]: f for f in r["forms"]}
assert list(forms) == ["files", "packed", "raw"] and forms["files"]["ratio"] == 1, r
assert forms["raw"]["bytes_per_image"] > 80 * 64 * 3, r
PYTHON
run bench input "$work/photos" -p imagenet -s 0.25 --size 32 -b 8 --compare seekable --resize 40 -q
expect_code 0 "one form, resized"
expect_in "$work/out" "seekable" "one form, resized"
[ -z "$(ls "$TMPDIR")" ] || fail "packs are left behind: $(ls "$TMPDIR")"

run bench input "$work/photos" -p imagenet --compare files,pact
expect_code 2 "no such form"
expect_in "$work/err" "a form is files, packed, seekable or raw" "no such form"
for forms in raw,raw "" files,; do
    run bench input "$work/photos" -p imagenet --compare "$forms"
    expect_code 2 "forms '$forms'"
done
run bench input "$work/photos" --ablate
expect_code 2 "no preset"
expect_in "$work/err" "--preset is missing" "no preset"
run bench input "$work/photos" -p imagenet --ablate --compare files
expect_code 2 "both"
run bench input "$work/photos" --preset imagnet
expect_code 2 "no such preset"
expect_in "$work/err" "did you mean 'imagenet'?" "no such preset"

code=0
"$stoker" bench input "$work/photos" -p imagenet -s 60 --size 32 -b 8 --compare packed,seekable \
    >"$work/out" 2>"$work/err" &
child=$!
sleep 1
kill -INT "$child"
wait "$child" || code=$?
expect_code 130 "Ctrl-C"
[ -z "$(ls "$TMPDIR")" ] || fail "Ctrl-C leaves packs behind: $(ls "$TMPDIR")"
finish
