#!/usr/bin/env bash
# Names that lead out of the data's folder and are left out: every command that trains, evaluates or
# shows says so.
set -eu
source "$(dirname "$0")/support.bash" "$1"

python3 - "$work" <<'PY'
import os, pathlib, sys
root = pathlib.Path(sys.argv[1])
for i in range(24):
    folder = root / "data" / "ab"[i % 2]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{i}.ppm").write_bytes(b"P6\n8 8\n255\n" + bytes([i * 10 % 256, 255 * (i % 2), 7]) * 64)
(root / "key.ppm").write_bytes(b"P6\n8 8\n255\n" + bytes(192))
os.symlink("../../key.ppm", root / "data/a/99.ppm")
PY
data="$work/data"
told="left out: 1 name that leads out of the data's folder ('a/99.ppm')"

run train "$data" --trivial-model --epochs 1 -o "$work/strict" -q
expect_code 1 "training with a link that leads out"
run train "$data" --trivial-model --epochs 1 -o "$work/run" --on-bad skip -q
expect_code 0 "training without it"

run eval "$work/run" "$data" --on-bad skip --json
expect_code 0 "eval"
expect_in "$work/err" "$told" "eval"
expect_in "$work/out" '"outside": 1' "eval --json"

# The flag counts, not what the run was trained with.
rm "$data/a/99.ppm"
run train "$data" --trivial-model --epochs 1 -o "$work/plain" -q
expect_code 0 "training without links"
ln -s ../../key.ppm "$data/a/99.ppm"
run eval "$work/plain" "$data" -q
expect_code 1 "eval of a run that left out nothing"
run eval "$work/plain" "$data" --on-bad skip -q
expect_code 0 "eval of a run that left out nothing, --on-bad skip"

run show "$data" --on-bad skip -n 4 -o "$work/show.png" --json
expect_code 0 "show"
expect_in "$work/err" "$told" "show"
expect_in "$work/out" '"reason": "outside"' "show --json"

run lr-find "$data" --trivial-model --on-bad skip --steps 10 --json
expect_code 0 "lr-find"
expect_in "$work/err" "$told" "lr-find"
expect_in "$work/out" '"reason": "outside"' "lr-find --json"

run profile "$data" --trivial-model --on-bad skip --seconds 1 -o "$work/profile"
expect_code 0 "profile"
expect_in "$work/err" "$told" "profile"
finish
