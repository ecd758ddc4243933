#!/usr/bin/env bash
# Training that begins with weights, and training on classes with few images.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8
run train photos --model resnet8 --width 0.25 --epochs 2 --batch 16 --threads 1 -q -o first
expect_code 0 "a run to begin with"

# A run brings its model, its width and its size; what fine-tuning decides is told.
run train photos --weights first --threads 1 --steps 2 -o second
expect_code 0 "fine-tuning"
for text in "model     resnet8" "first/best.safetensors: fine-tuning: " "the usual one, for the last layer" "backbone rate 0.3" "a quarter of the usual" \
    "warm-up" "all 3 classes are in the file by name; the last layer is kept"; do
    expect_in err "$text" "fine-tuning"
done
grep -q "width: 0.25" second/recipe.yaml || fail "the width is not the run's"
run train photos --weights first --threads 1 --steps 2 --freeze -o third
expect_code 0 "frozen"
expect_in err "(backbone) stay as they are" "frozen"
expect_in err "the usual one, since only the last layer learns" "frozen"
python3 - first/best.safetensors third/final.safetensors <<'PYTHON' || fail "what was frozen changed"
import json, struct, sys
def load(path):
    data = open(path, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + n])
    return {k: data[8 + n + v["data_offsets"][0]:8 + n + v["data_offsets"][1]] for k, v in head.items() if k != "__metadata__"}
a, b = load(sys.argv[1]), load(sys.argv[2])
assert a.keys() == b.keys()
for name in a:
    assert (a[name] == b[name]) == (not name.startswith("fc.")), name
PYTHON
run train photos --weights first --freeze=layer9 -o no
expect_code 2 "no such layer"
expect_in err 'resnet8 has no layer "layer9"; it has: conv1, bn1, layer1, layer2, layer3, fc' "no such layer"
[ ! -e no ] || fail "a run that was refused left a folder"
run train photos --freeze -o no
expect_code 2 "freeze without weights"
expect_in err "none are named; give --weights FILE or a run" "freeze without weights"

# Other classes.
cp -r photos others
mv others/class0 others/violet
run train others --weights first --threads 1 --steps 1 -o fourth
expect_code 0 "other classes"
expect_in err "2 of 3 classes are in the file by name and keep their rows of the last layer; anew begin: violet" "other classes"

# What people take for weights.
printf 'PK\003\004\024\000\000\000\000\000archive/data.pkl' >model.pth
printf '\211HDF\r\n\032\n0000000000' >model.h5
run train photos --weights model.pth -o no
expect_code 1 "a pickle"
expect_in err "model.pth: it is a PyTorch file (a pickle), not safetensors" "a pickle"
expect_in err "safetensors.torch" "a pickle"
run train photos --weights model.h5 -o no
expect_in err "it is an HDF5 file (Keras .h5)" "HDF5"
run predict first photos/class0/0_000.png --which model.pth
expect_code 1 "predict with a pickle"
expect_in err "it is a PyTorch file" "predict with a pickle"

# Classes with few images.
rm photos/class2/2_00[3-9].png photos/class2/2_0[12]*.png
run train photos --model mlp --steps 2 --threads 1 --balance classes -o balanced
expect_code 0 "balanced"
expect_in err "balance classes: an epoch has " "balanced"
expect_in err "of each of 3 classes" "balanced"
run train --resume balanced --threads 1 -q
expect_code 0 "a balanced run goes on"
run train photos --model mlp --steps 2 --threads 1 --class-weights balanced --loss focal -o weighed
expect_code 0 "weighed"
expect_in err "class weights balanced: from " "weighed"
run train photos --model mlp --steps 2 --threads 1 --class-weights class2=5 --label-smoothing 0.1 --mixup 0.2 -o named
expect_code 0 "weights by name"
run train photos --class-weights clas2=5 -o no
expect_code 2 "no such class"
expect_in err 'there is no class "clas2"; did you mean class2?' "no such class"
run train photos --loss focus -o no
expect_code 2 "no such loss"
expect_in err "did you mean focal" "no such loss"
run pack photos packed -q
run train packed --model mlp --steps 2 --threads 1 --balance classes -o from-pack
expect_code 0 "a balanced pack"
run pack photos small --compression gzip -q
run train small --model mlp --steps 2 --threads 1 --balance classes -o no
expect_code 1 "a compressed pack"
expect_in err "data.balance draws records by number: the file is compressed" "a compressed pack"
expect_in err "train.class_weights: balanced instead" "a compressed pack"
[ ! -e no ] || fail "a balanced run of a compressed pack left a folder"
finish
