#!/usr/bin/env bash
# Images of any size: what a model is shown is what it was trained on, never a scrap nor a black frame.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"

# make_frames FOLDER COUNT WIDTH HEIGHT [GREY]: three classes that differ in what is at the top, in the middle and at
# the bottom; a part of the image does not tell them apart.
make_frames()
{
    python3 - "$@" <<'PYTHON'
import pathlib, random, struct, sys, zlib
root, (count, width, height), grey = pathlib.Path(sys.argv[1]), map(int, sys.argv[2:5]), len(sys.argv) > 5
random.seed(width)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for c in range(3):
    folder = root / f"class{c}"
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(count):
        rows = []
        for y in range(height):
            bright = 150 if y * 3 // height == c else 0
            texel = bytes(random.randrange(60) + bright for x in range((8 if grey else 24)))
            rows.append(b"\0" + (texel * width)[:width * (1 if grey else 3)])
        png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0 if grey else 2, 0, 0, 0))
        png += chunk(b"IDAT", zlib.compress(b"".join(rows), 1)) + chunk(b"IEND", b"")
        (folder / f"{c}_{width}_{i:03d}.png").write_bytes(png)
PYTHON
}
accuracy() { python3 -c 'import json; print(int(1000 * json.load(open("out"))["accuracy"]))'; }

make_frames small 40 32 32
make_frames large 6 320 240
make_frames banner 6 600 60
make_frames tiny 6 9 9
run train small --model mlp --epochs 6 --batch 8 --threads 1 -q -o model
expect_code 0 "training on small images"
for set in small large banner tiny; do
    run eval model $set --threads 1 --json
    expect_code 0 "eval of $set images"
    [ "$(accuracy)" -ge 900 ] || fail "of the $set images $(accuracy) of 1000 are right"
    run predict model $set --threads 1 --json
    python3 -c 'import json; r = json.load(open("out")); assert sum(p["right"] for p in r) >= 0.9 * len(r)' ||
        fail "predict of $set images"
done

# A larger input: the image fills it.
run train small --model mlp --size 64 --epochs 2 --batch 8 --threads 1 -q -o larger
expect_code 0 "training at another size"
run eval larger large --threads 1 --json
[ "$(accuracy)" -ge 900 ] || fail "a model of 64 pixels has $(accuracy) of 1000 of the large images right"
finish
