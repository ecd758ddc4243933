#!/usr/bin/env bash
# A run whose reads are slow says S1, and so does its trace, whoever looks at it; and the operation
# of a fused stage that is slow is told by its name.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 20 8
# Noise, so that a batch is some hundred kilobytes.
python3 - <<'PYTHON'
import pathlib, random, struct, zlib
random.seed(1)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for i in range(120):
    folder = pathlib.Path("noise") / f"class{i % 3}"
    folder.mkdir(parents=True, exist_ok=True)
    rows = b"".join(b"\0" + random.randbytes(3 * 64) for _ in range(64))
    (folder / f"{i}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0))
                                      + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))
PYTHON
"$stoker" pack noise packed >/dev/null 2>&1 || fail "pack"

# says_read DATA NAME FLAGS...: the run and all that read its trace name S1.
says_read()
{
    local data=$1 name=$2
    shift 2
    run train "$data" --model mlp --size 8 --batch 8 --steps 30 --validation none --set data.shuffle=16 -q \
        -o "$name" --trace steps=6-28,level=1 "$@"
    expect_code 0 "$name"
    for told in "$name" "$name/trace.json.gz"; do
        run diagnose "$told" --json
        python3 - "$told" <<'PYTHON' || fail "$told does not say S1: $(head -c 300 out)"
import json, sys
d = json.load(open("out"))
shares = {row["name"]: row["exposed"] for row in d["rows"] if row["stage"] != "none"}
assert d["limit"]["stage"] == "S1 read", d["verdict"]
assert shares["S1 read"] > 5 * shares["S2 preprocess"], shares
PYTHON
    done
    run trace gaps "$name/trace.json.gz"
    expect_in out "S1  wait for bytes" "$name: gaps"
}

says_read packed ahead --threads 1 --input-threads 2 --inject read=2MB/s
says_read packed alone --threads 1 --input-threads 1 --inject read=2MB/s
says_read photos files --threads 1 --input-threads 2 --inject read-latency=5ms

run train packed --model mlp --size 8 --batch 8 --steps 30 --validation none --set data.shuffle=16 -q \
    -o clean --threads 1 --input-threads 2 --trace steps=6-28,level=1
run trace diff clean/trace.json.gz ahead/trace.json.gz --json
expect_code 0 "diff"
python3 - <<'PYTHON' || fail "what became slower is not S1: $(head -c 300 out)"
import json
d = json.load(open("out"))
grown = max(d["stages"], key=lambda s: s["delta_ns"])
assert grown["stage"] == "S1 read", grown
PYTHON
run train packed --model mlp --size 8 --batch 8 --steps 30 --validation none --set data.shuffle=16 -q \
    -o busy --threads 1 --input-threads 1 --trace steps=6-28,level=1 --inject preprocess=2ms
expect_code 0 "a slow operation"
run diagnose busy
expect_in out "of what prepares batches, injected takes" "a slow operation: the run"
run diagnose busy/trace.json.gz
expect_in out "of what prepares batches, injected takes" "a slow operation: its trace"
run trace gaps busy/trace.json.gz
expect_in out "S2  injected" "a slow operation: gaps"
run trace ops busy/trace.json.gz
expect_in out "decode_image" "a slow operation: the others"
finish
