#!/usr/bin/env bash
# Run folders: each run has its own, its best model is never another one in silence, and names may be any
# bytes.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8
train="--model mlp --batch 8 --threads 1 -q ${STOKER_TEST_FLAGS:-}"

# Four at once without a name take four numbers.
for i in 1 2 3 4; do
    "$stoker" train photos $train --epochs 1 >"out$i" 2>"err$i" &
    children[i]=$!
done
for i in 1 2 3 4; do
    wait "${children[i]}" || fail "run $i of four at once: $(head -3 "err$i")"
    expect_in "out$i" "model runs/photos-mlp-" "run $i of four at once"
done
[ "$(echo runs/*)" = "runs/photos-mlp-1 runs/photos-mlp-2 runs/photos-mlp-3 runs/photos-mlp-4" ] ||
    fail "four at once made: $(echo runs/*)"
cat out? | grep "^model" | sort -u | wc -l | grep -qx 4 || fail "two runs of four have one folder"

# The best model is gone: another is named, and asked for it is an error; going on writes it.
run train photos $train --epochs 4 --set output.keep=9 --checkpoint-every 10 -o gone
cp gone/best.safetensors best
rm gone/best.safetensors
run eval gone
expect_code 0 "eval without the best model"
expect_in out "weights gone/final.safetensors" "eval without the best model"
expect_in err "WARNING: the best model of this run (step" "eval without the best model"
run eval gone --json
expect_in out '"weights": "gone/final.safetensors"' "eval --json without the best model"
expect_in out '"warning": "the best model of this run' "eval --json without the best model"
run predict gone photos/class0
expect_in err "WARNING: the best model of this run (step" "predict without the best model"
run eval gone --which best
expect_code 1 "eval --which best without it"
expect_in err "is gone" "eval --which best without it"
run train --resume gone
expect_code 0 "going on without the best model"
expect_in err "best.safetensors was not there: it is written anew" "going on without the best model"
cmp best gone/best.safetensors >&2 || fail "the best model that was written anew differs"
run eval gone
expect_in out "weights gone/best.safetensors" "eval with the best model"
expect_empty err "eval with the best model"

# What cannot be written is told and gives 1; going on writes it. What is there stays as it was.
mkdir -p blocked/curve.svg blocked/report.html
run train photos $train --epochs 2 -o blocked
expect_code 1 "files that cannot be written"
expect_in err "the curve could not be written: write: blocked/curve.svg: " "a curve that cannot be written"
expect_in err "the report could not be written: write: blocked/report.html: " "a report that cannot be written"
expect_in err "stoker train --resume blocked" "files that cannot be written"
rmdir blocked/curve.svg blocked/report.html
cp blocked/profile.json blocked/learning.json .
run train --resume blocked -q
expect_code 0 "files that can be written again"
[ -s blocked/curve.svg ] && [ -s blocked/report.html ] || fail "going on did not write what was missing"
cmp profile.json blocked/profile.json >&2 || fail "a start that had nothing to do replaced the profile"
cmp learning.json blocked/learning.json >&2 || fail "a start that had nothing to do replaced learning.json"
rm blocked/profile.json
run train --resume blocked -q
expect_in err "profile.json is missing" "a profile that cannot be made again"

# Weights that are not finite are refused, by name.
python3 - <<'PYTHON'
import json, struct
data = open("best", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + size])
del header["__metadata__"]["stoker.crc32c"]
name = next(n for n, t in header.items() if n != "__metadata__" and t["dtype"] == "F32")
body = bytearray(data[8 + size :])
at = header[name]["data_offsets"][0]
body[at : at + 4] = struct.pack("<f", float("nan"))
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open("broken.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + body)
open("tensor", "w").write(name)
PYTHON
for use in "predict broken.safetensors photos/class0" "eval broken.safetensors photos"; do
    run $use
    expect_code 1 "$use"
    expect_in err "broken.safetensors: element 0 of '$(cat tensor)' is nan" "$use"
    expect_empty out "$use"
done

run train photos $train --weights broken.safetensors -o never
expect_code 1 "weights that are not finite to begin with"
expect_in err "broken.safetensors: element 0 of '$(cat tensor)' is nan" "weights that are not finite to begin with"

# A start that fails (in reading weights that are damaged) leaves no folder behind.
python3 -c "d = bytearray(open('best', 'rb').read()); d[-1] ^= 1; open('damaged.safetensors', 'wb').write(d)"
run train photos $train --weights damaged.safetensors
expect_code 1 "a start that fails"
[ ! -e runs/photos-mlp-5 ] || fail "a start that failed left $(ls -A runs/photos-mlp-5)"

# Names that are not UTF-8, of the data, a class and the run.
name=$(printf 'ph\xe9tos')
cp -r photos "$name"
mv "$name/class1" "$name/$(printf 'chi\xe9n')"
run train "$name" $train --epochs 2 -o "$(printf 'r\xfcn')"
expect_code 0 "a name that is not UTF-8"
expect_not_in out "failed" "a name that is not UTF-8"
run train --resume "$(printf 'r\xfcn')" --epochs 3 -q
expect_code 0 "going on with a name that is not UTF-8"
run eval "$(printf 'r\xfcn')"
expect_code 0 "eval with a name that is not UTF-8"
# A run is named after the folder that "." is, and is not hidden.
(cd photos && run train . --trivial-model --epochs 1 -q && expect_code 0 "train .") || fail "train ."
[ -d photos/runs ] && [ "$(ls -A photos/runs)" = "$(ls photos/runs)" ] && ls photos/runs | grep -q '^photos-' ||
    fail "train . made: $(ls -A photos/runs)"
rm -r photos/runs

finish
