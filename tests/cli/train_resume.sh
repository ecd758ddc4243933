#!/usr/bin/env bash
# A run that is killed goes on as if nothing had happened; Ctrl-C leaves a checkpoint.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8

train="train photos --model mlp --epochs 40 --batch 8 --threads 1 --checkpoint-every 7 -q"
run $train -o whole
expect_code 0 "the whole run"

# wait_for FILE: until there is one, or 20 seconds are over.
wait_for()
{
    for _ in $(seq 400); do
        ls $1 >/dev/null 2>&1 && return
        sleep 0.05
    done
    fail "$1 did not come"
}

# What a run learnt: the columns of metrics.csv that do not measure time.
learnt()
{
    cut -d, -f1-6,10-14 "$1/metrics.csv"
}

"$stoker" $train -o killed >/dev/null 2>&1 &
child=$!
wait_for 'killed/checkpoints/step-*'
kill -KILL "$child"
wait "$child" 2>/dev/null || true
[ ! -e killed/final.safetensors ] || echo "the run was over before it could be killed" >&2
cd / # a run goes on from anywhere
run train --resume "$work/killed" --json
cd "$work"
expect_code 0 "going on after a kill"
expect_in err "going on after step" "going on after a kill"
learnt whole >a
learnt killed >b
cmp a b >&2 || fail "metrics.csv differs after a kill"
cmp whole/final.safetensors killed/final.safetensors >&2 || fail "the weights differ after a kill"
cmp whole/best.safetensors killed/best.safetensors >&2 || fail "the best weights differ"

# Ctrl-C: a checkpoint, how to go on, 130.
code=0
"$stoker" $train -o stopped >out 2>err &
child=$!
wait_for 'stopped/checkpoints/step-*'
kill -INT "$child"
wait "$child" || code=$?
if [ -e stopped/final.safetensors ]; then
    echo "the run was over before Ctrl-C" >&2
else
    expect_code 130 "Ctrl-C"
    expect_in err "go on with: stoker train --resume stopped" "Ctrl-C"
fi
run train --resume stopped -q
expect_code 0 "going on after Ctrl-C"
cmp whole/final.safetensors stopped/final.safetensors >&2 || fail "the weights differ after Ctrl-C"

# A run that is over has nothing left to do.
run train --resume whole -q
expect_code 0 "resuming a run that is over"

# What does not fit.
run train --resume whole --batch 16
expect_code 1 "another recipe"
expect_in err "another recipe" "another recipe"
run train photos --resume whole
expect_code 2 "DATA with --resume"
run train --resume nowhere
expect_code 1 "no run"
expect_in err "--resume takes the folder of a run" "no run"
cp -r whole other
rm other/checkpoints/*
run train photos --model mlp --width 2 --epochs 1 --batch 8 --threads 1 -q -o wide
cp wide/checkpoints/* other/checkpoints/
run train --resume other
expect_code 1 "a checkpoint of another model"
expect_in err "checkpoints/step-" "a checkpoint of another model"
finish
