#!/usr/bin/env bash
# stoker inspect on sound, damaged and foreign files.
set -eu
source "$(dirname "$0")/support.bash" "$1"

make_images "$work/photos" 3 40 12 9
run pack "$work/photos" "$work/packed" --shard-mb 0.005 --quiet
expect_code 0 "pack"

run inspect "$work/packed"
expect_code 0 "inspect"
expect_empty "$work/err" "inspect"
expect_in "$work/out" "120 records" "inspect"
expect_in "$work/out" "Classes: 3 by 'label', 40 each" "inspect"
expect_in "$work/out" "class1" "class names"
expect_in "$work/out" "####" "bars without a terminal"
expect_in "$work/out" "<PNG, " "first records"
! grep -q ' $' "$work/out" || fail "lines end in blanks"
! grep -q $'\033' "$work/out" || fail "colours without a terminal"

run inspect --color always "$work/packed"
grep -q $'\033' "$work/out" || fail "--color always has no colours"
code=0; NO_COLOR=1 "$stoker" inspect --color always "$work/packed" >"$work/out" || code=$?
! grep -q $'\033' "$work/out" || fail "NO_COLOR is not heeded"

run inspect --verify "$work/packed" -n0
expect_code 0 "verify"
expect_in "$work/out" "verified: 120 records, no damage" "verify"
expect_not_in "$work/out" "First records" "-n0"

run inspect --json --all "$work/packed"
expect_code 0 "json"
python3 -m json.tool "$work/out" >/dev/null || fail "the JSON of one path"
python3 - "$work/out" <<'PYTHON' || fail "the JSON does not say what is there"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["kind"] == "tfrecord" and r["records"] == 120 == r["records_read"], r
assert sum(f["records"] for f in r["files"]) == 120 and len(r["files"]) > 2, r["files"]
assert [(c["name"], c["count"]) for c in r["classes"]] == [(f"class{i}", 40) for i in range(3)]
assert {f["name"]: f["dtype"] for f in r["features"]}["image"] == "bytes"
assert r["bad"] == [] and r["bad_count"] == 0 and len(r["first_records"]) == 3
PYTHON

run inspect --json "$work/packed" "$work/photos" "$work/nothing"
expect_code 1 "json of several paths, one of them missing"
python3 - "$work/out" <<'PYTHON' || fail "the JSON of several paths"
import json, sys
r = json.load(open(sys.argv[1]))
assert len(r) == 3 and r[1]["kind"] == "folder" and r[1]["records"] == 120, r
assert "nothing" in r[2]["error"], r[2]
PYTHON

run inspect --verify "$work/photos"
expect_code 0 "a folder of images"
expect_in "$work/out" "120 items" "a folder of images"
expect_in "$work/out" "verified: 120" "a folder of images"

run inspect "$work/packed/packed-train.tfrecord-*"
expect_code 0 "a pattern"
expect_in "$work/out" "120 records" "a pattern"

# One flipped bit in the data of one record.
shard=$(ls "$work"/packed/*tfrecord* | sed -n 2p)
printf '\x55' | dd of="$shard" bs=1 seek=40 conv=notrunc status=none
run inspect "$work/packed" --verify -n0
expect_code 1 "damage"
expect_in "$work/out" "damaged: 1 problem in 120 records" "damage"
expect_in "$work/out" "$shard: corrupted record 0 at offset 0: data checksum" "damage"
run inspect "$work/packed" --verify --json
expect_code 1 "damage in JSON"
python3 -c '
import json, sys
bad = json.load(open(sys.argv[1]))["bad"]
assert len(bad) == 1 and bad[0]["record"] == 0 and bad[0]["path"] == sys.argv[2], bad
' "$work/out" "$shard" || fail "damage in JSON"

# A truncated shard disagrees with dataset_info.json too.
truncate -s -10 "$shard"
run inspect "$work/packed" --verify
expect_code 1 "truncation"
expect_in "$work/out" "truncated record" "truncation"

rm "$shard"
run inspect "$work/packed"
expect_code 1 "a missing shard"
expect_in "$work/err" "$(basename "$shard")" "a missing shard"

# Records of another format; a file of another format.
python3 - "$work/other.tfrecord" <<'PYTHON'
import struct, sys
def crc(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    value ^= 0xFFFFFFFF
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF
with open(sys.argv[1], "wb") as out:
    for text in (b"\x0a\x7fnot an Example", b"\x0a\x01"):
        length = struct.pack("<Q", len(text))
        out.write(length + struct.pack("<I", crc(length)) + text + struct.pack("<I", crc(text)))
PYTHON
run inspect "$work/other.tfrecord"
expect_code 0 "records that are no Examples"
expect_in "$work/out" "records are not tf.train.Examples" "records that are no Examples"
run inspect --verify "$work/other.tfrecord"
expect_code 1 "verify of records that are no Examples"
expect_in "$work/out" "record 1 at offset" "verify of records that are no Examples"
expect_in "$work/out" "not a tf.train.Example" "verify of records that are no Examples"
echo "just some text" >"$work/letter.txt"
run inspect "$work/letter.txt"
expect_code 1 "a text file"

# A name that would drive the terminal is shown, not obeyed.
cp "$work/other.tfrecord" "$work/$(printf 'evil\033[31m.tfrecord')"
run inspect "$work/$(printf 'evil\033[31m.tfrecord')"
expect_code 0 "an odd name"
! grep -q $'\033' "$work/out" || fail "an escape sequence reached the output"
expect_in "$work/out" 'evil\x1B[31m.tfrecord' "an odd name"

# A command that hangs, here in a pipe that nobody empties: the first Ctrl-C asks, the second ends it.
# The thread sanitizer holds signals back until the system call returns, which it never does here.
if grep -q __tsan_init "$stoker"; then finish; exit; fi
mkfifo "$work/pipe"
sleep 20 <"$work/pipe" &
reader=$!
paths=()
for _ in $(seq 60); do paths+=("$work/photos"); done
code=0
"$stoker" inspect --json -n 20 "${paths[@]}" >"$work/pipe" 2>"$work/err" &
child=$!
sleep 1
kill -INT "$child"
sleep 0.3
kill -0 "$child" 2>/dev/null || fail "the first Ctrl-C ended a command that hangs"
expect_in "$work/err" "stopping; press Ctrl-C again to quit at once" "the first Ctrl-C"
kill -INT "$child"
wait "$child" || code=$?
expect_code 130 "the second Ctrl-C"
kill "$reader"
# As many first records as are asked for, also where the sample is smaller.
make_image_files "$work/more" 3 80
run inspect --records 230 "$work/more"
[ "$(grep -c '^  class./' "$work/out")" = 230 ] || fail "first items: $(grep -c '^  class./' "$work/out")"
"$stoker" pack "$work/more" "$work/more_packed" -q >/dev/null
run inspect --records 230 --sample 5 --pictures 0 "$work/more_packed"
expect_in "$work/err" "stoker inspect: --pictures is now called --images" "inspect with a flag's former name"
run inspect --pictures 0 --images 0 "$work/more_packed"
expect_code 2 "inspect with both names of a flag"
expect_in "$work/err" "--images is given twice; --pictures is its former name" "inspect with both names of a flag"
run inspect --records 230 --sample 5 --images 0 "$work/more_packed"
expect_not_in "$work/err" "is now called" "inspect with a flag of today"
[ "$(grep -c ', record ' "$work/out")" = 230 ] || fail "first records of a small sample"
finish
