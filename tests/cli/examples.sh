#!/usr/bin/env bash
# Every example runs and does what its first comment says.
set -eu
source "$(dirname "$0")/support.bash" "$1"
examples=$1/examples

make_image_files "$work/photos" 3 40
run pack "$work/photos" "$work/packed" --quiet
expect_code 0 "pack"
"$examples/read_records" "$work/packed/*.tfrecord-*" >"$work/out" || fail "read_records"
expect_in "$work/out" "class 2: 40 images" "read_records"

"$examples/own_source" >"$work/out" || fail "own_source"
[ "$(wc -l <"$work/out")" = 4 ] || fail "own_source prints four points: $(cat "$work/out")"
"$examples/own_source" | cmp -s - "$work/out" || fail "own_source is not the same again"

"$examples/checkpoint_resume" >"$work/out" || fail "checkpoint_resume"
[ "$(sed -n 's/^first *//p' "$work/out")" = "$(sed -n 's/^second *//p' "$work/out")" ] ||
    fail "checkpoint_resume goes on elsewhere: $(cat "$work/out")"
expect_in "$work/out" "the checkpoint has " "checkpoint_resume"

"$examples/sentences" >"$work/out" || fail "sentences"
expect_in "$work/out" "elements: (word_lengths: int64[-1,-1])" "sentences"
expect_in "$work/out" "first  word_lengths: int64[3,4] 1 3 6 0 3 4 3 3 ..." "sentences"
[ "$(sed -n 's/^first *//p' "$work/out" | tail -n +3)" = "$(sed -n 's/^second *//p' "$work/out")" ] ||
    fail "sentences goes on elsewhere: $(cat "$work/out")"

"$examples/write_records" "$work/some.tfrecord" >"$work/out" || fail "write_records"
expect_in "$work/out" "5 records" "write_records"

make_colours "$work/colours" 3 30 8
"$examples/profile_own" "$work/colours" "$work/profile" >"$work/out" 2>"$work/err" || fail "profile_own: $(cat "$work/err")"
expect_in "$work/out" "% of a step is compute" "profile_own"
for file in profile.json diagnosis.json trace.json.gz report.html; do
    [ -s "$work/profile/$file" ] || fail "profile_own wrote no $file"
done
run diagnose "$work/profile"
expect_code 0 "diagnose what profile_own wrote"
"$examples/profile_own" "$work/nowhere" >"$work/out" 2>"$work/err" && fail "profile_own of nothing"
expect_in "$work/err" "nowhere" "profile_own of nothing"

"$examples/tune" "$work/colours" "$work/tuned" 0.05 >"$work/out" 2>"$work/err" || fail "tune: $(cat "$work/err")"
expect_in "$work/out" "samples/s at the start" "tune"
expect_in "$work/out" "ended: " "tune"
for file in tune.jsonl tuned.yaml report.html; do
    [ -s "$work/tuned/$file" ] || fail "the example tune wrote no $file"
done
"$examples/tune" "$work/colours" "$work/tuned" 0.05 >"$work/out" 2>"$work/err" && fail "tune into the same folder"
expect_in "$work/err" "--resume" "tune into the same folder"
finish
