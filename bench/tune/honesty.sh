#!/usr/bin/env bash
# bench_tune_honesty by several processes, each on a core of its own, and the sum of what they say.
# Started again with the same flags it goes on: FOLDER has a file of trials for each process. Let
# nothing else run, and name cores that share nothing (of two hardware threads, one).
#
#   bench/tune/honesty.sh --data PACK --out FOLDER [--build DIR] [--cores 0,1,2] [--trials N]
#       [--injected N] [--json] [flags of bench_tune_honesty]
set -eu
build=build/release cores='' out='' trials=200 injected=100 json='' rest=()
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 ;;
    --cores) cores=$2 ;;
    --out) out=$2 ;;
    --trials) trials=$2 ;;
    --injected) injected=$2 ;;
    --json)
        json=--json
        shift
        continue
        ;;
    --*) rest+=("$1" "$2") ;;
    *)
        echo "honesty.sh: $1: a flag is expected" >&2
        exit 2
        ;;
    esac
    shift 2
done
[ -n "$out" ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ -n "$cores" ] || cores=$(seq -s, 0 $(($(nproc) - 1)))
bench=$build/bench/bench_tune_honesty
IFS=, read -ra list <<<"$cores"
all=$((trials + injected)) processes=${#list[@]}
mkdir -p "$out"

pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true' INT TERM
for ((i = 0; i < processes; i++)); do
    first=$((all * i / processes)) end=$((all * (i + 1) / processes))
    [ $end -gt $first ] || continue
    taskset -c "${list[i]}" "$bench" "${rest[@]}" --trials "$trials" --injected "$injected" \
        --first $first --count $((end - first)) --out "$out/trials-$i.jsonl" \
        >"$out/summary-$i.txt" 2>>"$out/log-$i.txt" &
    pids+=($!)
done
code=0
for pid in "${pids[@]}"; do
    status=0
    wait "$pid" || status=$?
    [ $status -lt 2 ] || code=2 # 1: a bound does not hold for a part, which tells little
done
[ $code = 0 ] || { echo "honesty.sh: a process failed: see $out/log-*.txt" >&2; exit 2; }
exec "$bench" --sum $json "$out"/trials-*.jsonl
