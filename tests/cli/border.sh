#!/usr/bin/env bash
# Nothing that oneDNN throws gets through: a training run with any one allocation failing, and with
# too little memory, ends with the same model or with an error for people, never with a crash.
# STOKER_BORDER_STEP=1 fails every single allocation (minutes).
set -eu
source "$(dirname "$0")/support.bash" "$1"
preload=$1/tests/libfailing_preload.so
root=$(cd "$(dirname "$0")/../.." && pwd)
if grep -q '^STOKER_SANITIZE:.*=..*' "$1/CMakeCache.txt" || [ ! -e "$preload" ]; then
    echo "sanitizers have an allocator of their own; the plain build tests the border"
    exit 77
fi
ulimit -c 0

# One door: oneDNN is called where exceptions are caught and nowhere else.
calls=$(grep -nE '(^|[^_a-z])dnnl_[a-z0-9_]+\(' "$root"/src/compute/cpu/*.[ch] || true)
[ -z "$calls" ] || fail "C calls oneDNN past the border: $calls"
for object in "$1"/CMakeFiles/stoker_objects.dir/src/compute/cpu/*.c.o; do
    ! nm -u "$object" | grep -q ' dnnl_' || fail "$object calls oneDNN past the border"
done

cd "$work"
make_colours photos 3 10 8
flags="--model lenet --epochs 1 --batch 8 --backend cpu --quiet"

# judge CODE WHAT: an error of the command, or the model of the run that nothing disturbed.
judge()
{
    case $1 in
    0) cmp -s run/final.safetensors good/final.safetensors || fail "$2: exit 0 and another model" ;;
    1) grep -q "^stoker train: [a-z]" err || fail "$2: exit 1 without an error: $(head -3 err)" ;;
    *) fail "$2: exit code $1: $(head -3 err)" ;;
    esac
    rm -rf run
}

# fail_each THREADS LIBRARY STEP: from the first allocation to the last.
fail_each()
{
    rm -rf good
    STK_FAIL_IN=$2 STK_FAIL_COUNT=count LD_PRELOAD=$preload \
        "$stoker" train photos $flags --threads "$1" -o good >out
    [ "$(cat count)" -gt 1000 ] || fail "only $(cat count) allocations were counted ($2)"
    for ((n = 1; n <= $(cat count); n += ${STOKER_BORDER_STEP:-$3})); do
        code=0
        STK_FAIL_IN=$2 STK_FAIL_AT=$n timeout 60 env LD_PRELOAD="$preload" \
            "$stoker" train photos $flags --threads "$1" -o run >out 2>err || code=$?
        judge $code "allocation $n in ${2:-all} on $1 threads"
        ends="$ends $code"
    done
}
ends=""
fail_each 1 libdnnl 401
# One more in a row than the reserve (dnnl_reserve.cpp) makes up for: it is thrown, and caught.
export STK_FAIL_MANY=9
ends=""
fail_each 1 libdnnl 601
[ "$(grep -o 1 <<<"$ends" | wc -l)" -ge 5 ] || fail "9 failed allocations in oneDNN, and no error:$ends"
for text in "stoker train: onednn: " "no memory for " " bytes, and oneDNN takes up to 8 MiB more"; do
    expect_in err "$text" "the error"
done
unset STK_FAIL_MANY
fail_each 2 libdnnl 401
fail_each 2 "" 1201

# Too little memory, step by step, and enough: malloc reserves 64 MB and more for each thread that waits
# for another, so how much that is differs from run to run.
for kib in $(seq 100000 50000 400000) 3000000; do
    code=0
    (ulimit -v $kib && exec timeout 60 "$stoker" train photos $flags --threads 2 -o run) >out 2>err || code=$?
    judge $code "ulimit -v $kib"
done
[ $code = 0 ] || fail "3 GB are enough for this run: $(head -3 err)"
finish
