#!/usr/bin/env bash
# stoker eval finds the classes of any data among those of the run, by name.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8
mv photos/class0 photos/apple
mv photos/class1 photos/leaf
mv photos/class2 "photos/sea sky"
run train photos --model mlp --epochs 4 --batch 16 --threads 1 -q -o model
expect_code 0 "a model to use"

# expect_result COUNT PRESENT BY WHAT: all images are recognised, and JSON says so.
expect_result()
{
    expect_code 0 "$4"
    python3 - out "$@" <<'PYTHON' || fail "$4: $(cat out | head -c 400)"
import json, sys
r, (count, present, by) = json.load(open(sys.argv[1])), sys.argv[2:5]
assert r["count"] == int(count) and r["classes_present"] == int(present) and r["classes_by"] == by, r
assert r["accuracy"] > 0.9 and r["classes_of_run"] == 3, r
PYTHON
}

mkdir two
cp -r photos/leaf "photos/sea sky" two/
run eval model two --threads 1 --json
expect_result 60 2 name "a folder with two of three classes"
run eval model two --threads 1
expect_in out "these are of 2 of the run's 3 classes; there are none of apple" "a subset"
mv "two/sea sky" two/sea_sky
run eval model two --threads 1 --json
expect_result 60 2 name "a sign that differs"
expect_in err 'class "sea_sky" of the data is taken for the run'\''s "sea sky"' "a sign that differs"
run pack two packed --threads 1 -q
run eval model packed --threads 1 --json
expect_result 60 2 name "a pack with two of three classes"

# A new class that is numbered before the others moves all of them.
mkdir other
cp -r photos/apple photos/leaf other/
cp -r photos/apple other/aardvark
cp -r photos/apple other/appel
run eval model other --threads 1
expect_code 1 "unknown classes"
expect_in err "2 of its class names are not the run's: aardvark, appel; the run knows 3: apple, leaf, sea sky" \
    "unknown classes"
expect_in err "did you mean apple" "unknown classes"
expect_in err "--match index" "unknown classes"
expect_empty out "unknown classes"
run pack other packed2 --threads 1 -q
run eval model packed2 --threads 1
expect_code 1 "unknown classes of a pack"
expect_in err "aardvark, appel" "unknown classes of a pack"
run eval model other --match index --threads 1
expect_code 1 "by index: a fourth class"
expect_in err "its class has number 3, but the run has 3 classes" "by index: a fourth class"
rm -r other/aardvark other/appel
mkdir other/empty
run eval model other --threads 1 --json
expect_result 60 2 name "an empty folder is no class"

# Data without names goes by index: images of two classes, numbered as the run has them.
python3 - photos idx <<'PYTHON'
import pathlib, struct, sys, zlib
photos, idx = map(pathlib.Path, sys.argv[1:])
idx.mkdir()
def pixels(path):
    data, at, idat = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        idat += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    rows = zlib.decompress(idat)
    return b"".join(rows[y * 25 + 1:(y + 1) * 25] for y in range(8))
images, labels = b"", b""
for label, name in enumerate(["apple", "leaf", "sea sky"]):
    for path in sorted((photos / name).iterdir())[:10] if label else []:
        images += pixels(path)
        labels += bytes([label])
(idx / "t10k-images-idx4-ubyte").write_bytes(struct.pack(">IIIII", 0x804, 20, 8, 8, 3) + images)
(idx / "t10k-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, 20) + labels)
wrong = pathlib.Path("wrong")
wrong.mkdir()
(wrong / "t10k-images-idx4-ubyte").write_bytes((idx / "t10k-images-idx4-ubyte").read_bytes())
(wrong / "t10k-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, 20) + b"\x07" * 20)
PYTHON
run eval model idx --threads 1 --json
expect_result 20 2 index "data without class names"
expect_in err "the data has no class names: class 0 of it is the run's first" "data without class names"
run eval model wrong --threads 1
expect_code 1 "a class number past the run's"
expect_in err "its class has number 7, but the run has 3 classes" "a class number past the run's"

# Of other data the split that is meant to judge by.
mkdir -p parts/train parts/test
cp -r photos/leaf parts/train/leaf
cp -r photos/apple parts/train/apple
mkdir parts/test/leaf
cp photos/leaf/1_00* parts/test/leaf/
run eval model parts --threads 1 --json
expect_result 10 1 name "the test split"
run eval model parts --threads 1
expect_in out "10 images of parts (split test)" "the test split"
run eval model parts --split train --threads 1 --json
expect_result 60 2 name "the train split"

# Letters of any language are letters: names of one length are not alike.
mkdir -p pets/猫 pets/犬
cp photos/apple/* pets/猫/
cp photos/leaf/* pets/犬/
run train pets --model mlp --epochs 4 --batch 16 --threads 1 -q -o pets_model
expect_code 0 "a model of pets"
run predict pets_model pets --threads 1 --json
python3 - out <<'PYTHON' || fail "predict confuses names of one length"
import json, sys
r = json.load(open(sys.argv[1]))
assert all(p["path"].split("/")[1] == p["truth"] for p in r) and sum(p["right"] for p in r) > 50, r[:2]
PYTHON
finish
