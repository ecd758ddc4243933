#!/usr/bin/env bash
# stoker pack: results, flags, being stopped and going on.
set -eu
source "$(dirname "$0")/support.bash" "$1"

make_image_files "$work/photos" 4 50
run pack "$work/photos" "$work/a" --shard-mb 0.01
expect_code 0 "pack"
expect_in "$work/out" "packed 200 items into $work/a" "pack"
expect_in "$work/err" "stoker inspect $work/a" "the hint"

run pack "$work/photos" "$work/a" --shard-mb 0.01
expect_code 0 "pack again"
expect_in "$work/out" "already" "pack again"

run pack "$work/photos" "$work/b" --shard-mb=0.01 --name a --threads 3 --quiet --json
expect_code 0 "pack in JSON"
expect_empty "$work/err" "--quiet"
python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["items"] == 200 and r["kind"] == "folder" and r["shards"] > 1 and not r["already_done"], r
' "$work/out" || fail "pack in JSON: $(cat "$work/out")"
for file in "$work"/a/*tfrecord*; do
    cmp -s "$file" "$work/b/$(basename "$file")" || fail "$file differs on 3 threads"
done

run pack "$work/photos" "$work/c" --splits train=0.75,test=0.25 --compression gzip --seed 5
expect_code 0 "splits"
run inspect "$work/c" --json
python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
splits = {f["split"]: f["records"] for f in r["files"]}
assert splits == {"train": 150, "test": 50}, splits
assert {f["compression"] for f in r["files"]} == {"gzip"}
' "$work/out" || fail "splits and compression"

run pack "$work/photos" "$work/d" --trace "$work/trace.json" -q
expect_code 0 "trace"
python3 -m json.tool "$work/trace.json" >/dev/null || fail "the trace is no JSON"

# A trace that has nowhere to go is told before anything is packed.
run pack "$work/photos" "$work/d2" --trace "$work/nowhere/trace.json"
expect_code 1 "no folder for the trace"
expect_in "$work/err" "nowhere/trace.json" "no folder for the trace"
[ ! -e "$work/d2" ] || fail "packed although the trace cannot be written"
expect_not_in "$work/out" "packed" "no folder for the trace"
[ -z "$(find "$work" -maxdepth 1 -name '.trace*')" ] || fail "a temporary trace is left"

# Names that would drive a terminal are shown, not sent.
mkdir "$work/one" && cp "$work/photos/class0/00000.jpg" "$work/one/"
run pack "$work/one" "$work/$(printf 'e\033[31m')"
expect_code 0 "a name with an escape"
expect_in "$work/out" "packed 1 item into" "one item"
for file in out err; do
    expect_not_in "$work/$file" "$(printf '\033')" "a name with an escape"
done
expect_in "$work/out" 'e\x1B[31m' "a name with an escape"
expect_in "$work/err" "e\\033\\13331m')\"" "a name with an escape, to type"
mkdir "$work/near"
for size in 2001 2002; do head -c $size /dev/zero >"$work/near/$size.jpg"; done
run inspect --images 0 "$work/near"
expect_in "$work/out" "mean item 2.00 kB" "sizes that look alike"
expect_not_in "$work/out" ", from" "sizes that look alike"

# Without stdout and stderr nothing that is printed may end up in a shard: their numbers are not for
# files.
code=0
"$stoker" pack /proc/self/fd/1 "$work/x" >&- 2>"$work/err" || code=$?
expect_in "$work/err" "is a pipe or device" "the number of a closed stdout is taken"
python3 - "$work/table.csv" <<'PYTHON'
import sys
with open(sys.argv[1], "w") as f:
    f.write("a,b,text\n")
    f.writelines(f"{i},{i / 8},row {i}\n" for i in range(20000))
PYTHON
code=0
"$stoker" pack "$work/table.csv" "$work/t2" --name t --shard-mb 0.2 <&- >&- 2>&- || code=$?
expect_code 1 "a result that has nowhere to go"
code=0
"$stoker" pack "$work/table.csv" "$work/t3" --name t --shard-mb 0.2 -q \
    >/dev/full 2>"$work/err" || code=$?
expect_code 1 "a result on a full disk"
expect_in "$work/err" "cannot write the result: " "a full disk"
expect_not_in "$work/err" "Success" "a full disk"
for file in "$work"/t3/*tfrecord*; do
    cmp -s "$file" "$work/t2/$(basename "$file")" || fail "$file differs with closed descriptors"
done

# More archives than a process may usually have open.
python3 - "$work/archives" <<'PYTHON'
import io, os, sys, tarfile
os.mkdir(sys.argv[1])
for i in range(100):
    with tarfile.open(f"{sys.argv[1]}/{i:03d}.tar", "w") as tar:
        for suffix, content in (("jpg", b"image"), ("cls", b"3")):
            member = tarfile.TarInfo(f"{i}.{suffix}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
PYTHON
code=0
(ulimit -S -n 64 && "$stoker" pack "$work/archives" "$work/f" -q) \
    >"$work/out" 2>"$work/err" || code=$?
expect_code 0 "more archives than descriptors"

run pack "$work/nothing" "$work/e"
expect_code 1 "no source"
expect_in "$work/err" "stoker pack: " "no source"
[ ! -e "$work/e" ] || fail "a failed pack left a folder"

# Stopped by Ctrl-C: exit code 130, the advice, nothing under the name; then going on to the same
# bytes. Bytes without a pattern keep gzip busy for a second, so that the pack outlasts the signal.
mkdir -p "$work/many/noise"
for i in $(seq 250); do head -c 200000 /dev/urandom >"$work/many/noise/$i.jpg"; done
flags=(--name whole --shard-mb 2 --compression gzip)
run pack "$work/many" "$work/whole" "${flags[@]}" -q
expect_code 0 "a large pack"
stopped=0
for delay in 0.5 0.25 0.12 0.06; do
    rm -rf "$work/part" "$work/part.partial"
    code=0
    "$stoker" pack "$work/many" "$work/part" "${flags[@]}" --threads 1 \
        >"$work/out" 2>"$work/err" &
    child=$!
    sleep "$delay"
    kill -INT "$child" 2>/dev/null || true
    wait "$child" || code=$?
    if [ "$code" = 130 ]; then
        stopped=1
        break
    fi
    expect_code 0 "a pack that was quicker than the signal"
done
if [ "$stopped" = 1 ]; then
    expect_in "$work/err" "stopping; press Ctrl-C again to quit at once" "Ctrl-C"
    expect_in "$work/err" "run the same command again to continue" "Ctrl-C"
    [ ! -e "$work/part" ] || fail "a stopped pack left $work/part"
    run pack "$work/many" "$work/part" "${flags[@]}" --threads 2 -q
    expect_code 0 "going on"
    for file in "$work"/whole/*tfrecord*; do
        cmp -s "$file" "$work/part/$(basename "$file")" || fail "$file differs after going on"
    done
else
    echo "no pack took long enough to be stopped" >&2
fi

# Names that lead out of the data's folder: refused, left out and counted, or followed.
mkdir -p "$work/table"
make_images "$work/table/in" 2 2 8 8
make_images "$work/secret" 1 1 8 8
secret=$(find "$work/secret" -type f | head -1)
(
    cd "$work/table"
    echo file,label
    find in -type f | sort | sed 's/$/,a/'
    echo "$secret,b"
    echo "../secret${secret#"$work/secret"},b"
) >"$work/table/rows.csv"
run pack "$work/table/rows.csv" "$work/rows" -q
expect_code 1 "rows that lead out"
expect_in "$work/err" "2 rows lead out of the data's folder" "rows that lead out"
expect_in "$work/err" "--follow-outside" "rows that lead out"
run pack "$work/table/rows.csv" "$work/rows" --on-bad skip
expect_code 0 "rows that are left out"
expect_in "$work/out" "left out: 2 names that lead out of the data's folder" "rows that are left out"
run pack "$work/table/rows.csv" "$work/followed" --follow-outside --json -q
expect_code 0 "rows that are followed"
expect_in "$work/out" '"items": 6' "rows that are followed"
expect_in "$work/out" "were followed: 2" "rows that are followed"
finish
