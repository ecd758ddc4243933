#!/usr/bin/env bash
# stoker models: the list, one model, its graph, and refusals.
set -eu
source "$(dirname "$0")/support.bash" "$1"

run models
expect_code 0 "models"
expect_empty "$work/err" "models"
for name in mlp lenet cnn resnet8 resnet20 airbench resnet18_cifar resnet18 resnet34 resnet50 mobilenet_v1 mobilenet_v2 \
    efficientnet_b0 vit_tiny; do
    expect_in "$work/out" "  $name " "the list"
done
grep -qE '^  resnet18 +224 +1000 +11,689,512 +3\.6[0-9] G +[0-9.]+ MB$' "$work/out" || fail "resnet18: $(cat "$work/out")"
! grep -q ' $' "$work/out" || fail "lines end in blanks"

run models --json --size 64 --classes 10 --batch 4
expect_code 0 "the list as JSON"
python3 - "$work/out" <<'PYTHON' || fail "the JSON of all models"
import json, sys
models = {m["name"]: m for m in json.load(open(sys.argv[1]))}
assert len(models) == 14 and all(m["size"] == 64 and m["classes"] == 10 for m in models.values())
assert models["resnet18"]["parameters"] == 11181642, models["resnet18"]
assert all(m["flops"] > 0 and m["training_bytes"] > 0 for m in models.values())
PYTHON

run models resnet8 --batch 5
expect_code 0 "one model"
expect_in "$work/out" "78,042 parameters" "one model"
expect_in "$work/out" "[5,32,32,16]" "one model"
expect_in "$work/out" "layer2.0.downsample.0" "one model"

for name in resnet50 efficientnet_b0 vit_tiny airbench; do
    run models "$name" --json
    expect_code 0 "$name as JSON"
    python3 - "$work/out" <<'PYTHON' || fail "the layers of $name"
import json, sys
m = json.load(open(sys.argv[1]))
assert sum(l["parameters"] for l in m["layers"]) == m["parameters"], m["parameters"]
assert abs(sum(l["training_bytes"] for l in m["layers"]) - m["training_bytes"]) < 1, m["training_bytes"]
PYTHON
done

# Costs are per image, whatever the batch.
run models resnet20 --json
cp "$work/out" "$work/one"
run models resnet20 --json --batch 32
python3 - "$work/one" "$work/out" <<'PYTHON' || fail "costs depend on the batch"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert abs(a["flops"] - b["flops"]) < 0.01 * a["flops"], (a["flops"], b["flops"])
PYTHON

run models mobilenet_v2 --width 0.35 --classes 1000
expect_in "$work/out" "1,677,128 parameters" "--width"
run models lenet --graph
expect_code 0 "--graph"
expect_in "$work/out" "conv2d(" "--graph"
expect_in "$work/out" "# conv1" "--graph"

run models resnet51
expect_code 2 "an unknown model"
for text in "model 'resnet51': there is no such model; did you mean resnet50?" "there are mlp, lenet,"; do
    expect_in "$work/err" "$text" "an unknown model"
done
expect_empty "$work/out" "an unknown model"
run models --graph
expect_code 2 "--graph without a name"
run models lenet --size 0
expect_code 2 "a size of 0"
run models lenet --size 1
expect_code 1 "an image that is too small"
expect_in "$work/err" "max_pool" "an image that is too small"
finish
