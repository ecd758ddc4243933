#!/usr/bin/env bash
# A run that is killed goes on as if nothing had happened; Ctrl-C leaves a checkpoint.
set -eu
source "$(dirname "$0")/support.bash" "$1"
cd "$work"
make_colours photos 3 30 8

train="train photos --model mlp --epochs 60 --batch 8 --threads 1 --checkpoint-every 7 -q ${STOKER_TEST_FLAGS:-}"
run $train -o whole
expect_code 0 "the whole run"

# wait_for FILE: until there is one, or 20 seconds are over.
wait_for()
{
    for _ in $(seq 2000); do
        ls $1 >/dev/null 2>&1 && return
        sleep 0.01
    done
    fail "$1 did not come"
}

# What a run learnt: the columns of metrics.csv that do not measure time.
learnt()
{
    cut -d, -f1-6,10-14 "$1/metrics.csv"
}

# start_and_signal SIGNAL FOLDER: a run into FOLDER that gets SIGNAL after its first checkpoint. On a
# fast machine it can be over by then: it is started again, and $code is its exit code.
start_and_signal()
{
    for _ in $(seq 10); do
        rm -rf "$2"
        code=0
        "$stoker" $train -o "$2" >out 2>err &
        child=$!
        wait_for "$2/checkpoints/step-*"
        kill "-$1" "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || code=$?
        [ -e "$2/final.safetensors" ] || return 0
    done
    fail "ten runs were over before they could be stopped"
}

start_and_signal KILL killed
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
start_and_signal INT stopped
expect_code 130 "Ctrl-C"
expect_in err "go on with: stoker train --resume stopped" "Ctrl-C"
run train --resume stopped -q
expect_code 0 "going on after Ctrl-C"
cmp whole/final.safetensors stopped/final.safetensors >&2 || fail "the weights differ after Ctrl-C"

# A terminal that goes is a Ctrl-C, however often it says so; under nohup it is nothing.
start_and_signal HUP hung_up
expect_code 130 "SIGHUP"
expect_in err "go on with: stoker train --resume hung_up" "SIGHUP"
run train --resume hung_up -q
expect_code 0 "going on after SIGHUP"
cmp whole/final.safetensors hung_up/final.safetensors >&2 || fail "the weights differ after SIGHUP"
for _ in $(seq 10); do # as above: the run can be over by then
    rm -rf twice
    code=0
    "$stoker" $train -o twice >out 2>err &
    child=$!
    wait_for "twice/checkpoints/step-*"
    kill -STOP "$child" 2>/dev/null || true
    kill -HUP "$child" 2>/dev/null || true
    kill -CONT "$child" 2>/dev/null || true
    while kill -HUP "$child" 2>/dev/null; do :; done
    wait "$child" || code=$?
    [ -e twice/final.safetensors ] || break
done
expect_code 130 "SIGHUP again and again"
expect_in err "go on with: stoker train --resume twice" "SIGHUP again and again"
(
    trap '' HUP
    exec "$stoker" $train -o nohup >out 2>err
) &
child=$!
wait_for "nohup/checkpoints/step-*"
kill -HUP "$child" 2>/dev/null || true
code=0
wait "$child" || code=$?
expect_code 0 "SIGHUP under nohup"

# A run that is over has nothing left to do.
run train --resume whole -q
expect_code 0 "resuming a run that is over"
expect_in out "nothing left to do" "resuming a run that is over"

# Another end: with a constant rate it is the run that had that end from its beginning; else the rate
# is that run's. The new length is the run's from then on.
same="train photos --model mlp --batch 8 --threads 1 -q --schedule constant ${STOKER_TEST_FLAGS:-}"
run $same --epochs 9 -o long
run $same --epochs 4 -o grown
run train --resume grown --epochs 9 --threads 1
expect_code 0 "more epochs"
expect_in err "ends at step 90 instead of 40" "more epochs"
cmp long/final.safetensors grown/final.safetensors >&2 || fail "the weights of a longer run differ"
learnt long >a
learnt grown >b
cmp a b >&2 || fail "metrics.csv of a longer run differs"
grep -q "epochs: 9$" grown/recipe.yaml || fail "the new length is not in recipe.yaml"
run train --resume grown -q
expect_in out "nothing left to do" "a longer run that is over"
run $same --steps 35 --epochs 4 -o grown2
run train --resume grown2 --set train.epochs=9 -q
cmp long/final.safetensors grown2/final.safetensors >&2 || fail "a longer run after --steps differs"
start_and_signal INT shorter
run train --resume shorter --epochs 59.5 -q
expect_code 0 "fewer epochs"
[ "$(tail -1 shorter/metrics.csv | cut -d, -f1)" = 595 ] || fail "fewer epochs: $(tail -1 shorter/metrics.csv)"
run train --resume whole --epochs 3
expect_code 1 "fewer epochs than are done"
expect_in err "600 steps are done" "fewer epochs than are done"
run $same --model cnn --epochs 4 --set progressive.size_from=0.5 -o growing
expect_code 0 "a progressive run"
run train --resume growing --epochs 8
expect_code 1 "a progressive run with more epochs"
expect_in err "progressive training" "a progressive run with more epochs"

# What does not fit.
run train --resume whole --batch 16
expect_code 1 "another recipe"
expect_in err "another recipe: data.batch is 8 there and 16 here;" "another recipe"
run train --resume whole --set train.gamma=0.5 --model lenet
expect_in err 'model.name is "mlp" there and "lenet" here (and ' "two keys that differ"
run train photos --resume whole --recipe growing/recipe.yaml
expect_code 2 "a recipe with --resume"
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

# Data that was moved is named again.
mv photos elsewhere
run train --resume whole
expect_code 1 "data that is gone"
expect_in err "said as DATA beside --resume" "data that is gone"
run train --resume growing elsewhere
expect_code 0 "data that was moved"
mv elsewhere/"$(ls elsewhere | head -1)" other-class
mv elsewhere less
run train --resume whole less
expect_code 1 "data without a class"
finish
