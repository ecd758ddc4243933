#!/usr/bin/env bash
# pack_kill.sh BUILD [SOURCE [KILLS [SHARD_MB]]]: a pack that is killed (SIGKILL) at random moments
# and started again gives the same bytes as one that never was, and OUT never exists before it is
# whole. Without SOURCE a folder of small files is made.
set -eu
build=$1 source=${2:-} kills=${3:-20} shard_mb=${4:-0.05}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stoker=$build/stoker

if [ -z "$source" ]; then
    source=$work/photos
    mkdir -p "$source/cat" "$source/dog"
    for class in cat dog; do
        seq 1 1500 | while read -r i; do
            printf '%s %s %0*d' "$class" "$i" $((200 + i % 500)) 0 >"$source/$class/$i.jpg"
        done
    done
fi
pack() { "$stoker" pack "$source" "$1" --shard-mb "$shard_mb" --quiet >/dev/null; }

begin=$(date +%s%N)
pack "$work/whole/data"
whole_us=$((($(date +%s%N) - begin) / 1000))

killed=0 round=0
while [ "$killed" -lt "$kills" ] && [ "$round" -lt $((kills * 10)) ]; do
    round=$((round + 1))
    delay_us=$(((RANDOM * 32768 + RANDOM) % whole_us))
    "$stoker" pack "$source" "$work/killed/data" --shard-mb "$shard_mb" --quiet >/dev/null &
    pid=$!
    sleep "$(printf '%d.%06d' $((delay_us / 1000000)) $((delay_us % 1000000)))"
    kill -KILL $pid 2>/dev/null || true
    code=0
    wait $pid 2>/dev/null || code=$?
    if [ "$code" = 137 ]; then
        killed=$((killed + 1))
        if [ -e "$work/killed/data" ]; then
            # The name appears only when all is written: it must be whole now.
            diff -r "$work/whole/data" "$work/killed/data"
        fi
    elif [ "$code" != 0 ]; then
        echo "pack failed with $code"
        exit 1
    fi
    # Finished early, or killed after the rename: begin anew to use up the kills.
    if [ -e "$work/killed/data" ]; then
        diff -r "$work/whole/data" "$work/killed/data"
        [ "$killed" -ge "$kills" ] || rm -rf "$work/killed"
    fi
done
pack "$work/killed/data"
diff -r "$work/whole/data" "$work/killed/data"
[ ! -e "$work/killed/data.partial" ]
"$stoker" inspect --verify --images 0 "$work/killed/data" >/dev/null
echo "killed $killed times in $round runs; the result is byte-identical"
[ "$killed" -ge "$kills" ]
