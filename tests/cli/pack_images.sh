#!/usr/bin/env bash
# stoker pack: what becomes of images.
set -eu
source "$(dirname "$0")/support.bash" "$1"

# Images are known by content: a name of any image will do for a PPM.
mkdir -p "$work/photos/a"
python3 - "$work/photos/a" <<'PYTHON'
import sys
for i in range(5):
    side = 160 + 40 * i
    pixels = bytes((x * 7 + y * y // 9 + x * y * c + i) % 256
                   for y in range(side) for x in range(side) for c in range(3))
    with open(f"{sys.argv[1]}/{i}.png", "wb") as f:
        f.write(b"P6\n%d %d\n255\n" % (side, side) + pixels)
PYTHON

run pack "$work/photos" "$work/jpeg" --format jpeg
expect_code 0 "to JPEG"
expect_in "$work/out" "images: 5 made seekable, 5 encoded anew; " "to JPEG"
run inspect "$work/jpeg"
expect_in "$work/out" "restart index" "what the index is"
expect_in "$work/out" "JPEG" "what images are"

run pack "$work/jpeg" "$work/keep" --format keep --quiet
expect_code 0 "keep"
expect_not_in "$work/out" "images" "keep"
run pack "$work/jpeg" "$work/raw" --format raw --quiet
expect_code 0 "raw"
run inspect "$work/raw"
expect_in "$work/out" "PNM" "raw"

run pack "$work/photos" "$work/said" --seekable --format raw
expect_code 2 "seekable pixels"
expect_in "$work/err" "--format raw stores pixels" "seekable pixels"
run pack "$work/photos" "$work/small" --resize 64 --quality 80 --no-seekable --json --quiet
expect_code 0 "resize"
python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["images_encoded"] == 5 and r["images_seekable"] == 0, r
assert 0 < r["image_bytes_out"] < r["image_bytes_in"] / 10, r
' "$work/out" || fail "resize: $(cat "$work/out")"

run pack "$work/photos" "$work/none" --resize 64 --format keep
expect_code 2 "resize and keep"
expect_in "$work/err" "--resize" "resize and keep"
run pack "$work/photos" "$work/none" --format gif
expect_code 2 "no such format"

# A file that begins as a JPEG and is none.
{ printf '\377\330\377\340\0\4'; head -c 20000 /dev/zero; } >"$work/photos/a/bad.jpg"
run pack "$work/photos" "$work/bad" --shard-mb 0.1
expect_code 1 "a bad image"
expect_in "$work/err" "a/bad.jpg" "a bad image"
expect_in "$work/err" "--on-bad skip" "a bad image"
run pack "$work/photos" "$work/bad" --shard-mb 0.1 --on-bad skip
expect_code 0 "without the bad image"
expect_in "$work/out" "packed 5 items" "without the bad image"
expect_in "$work/out" "1 bad image skipped: see $work/bad/bad_items.txt" "without the bad image"
expect_in "$work/bad/bad_items.txt" "a/bad.jpg" "the list"
run pack "$work/photos" "$work/bad" --shard-mb 0.1 --on-bad keep
expect_code 1 "another way with bad images"
run inspect "$work/bad"
expect_in "$work/out" "5 records" "without the bad image"
[ -z "$(find "$work/bad" -name '*.bad')" ] || fail "notes are left"
