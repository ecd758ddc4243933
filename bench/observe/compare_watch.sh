#!/usr/bin/env bash
# stoker watch beside pidstat, mpstat, iostat and the kernel's own accounts, on loads that use one core,
# two processes, short-lived children, the disk, and a hundred threads. Prints a table; differences
# of more than 2 % are marked. mpstat and iostat see the whole machine, over whole seconds: let nothing
# else run.
#
#   bench/observe/compare_watch.sh [BUILD]        (Debian: stress, sysstat, time)
set -eu
stoker=${1:-build/release}/stoker
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/threads.py" <<'PYTHON'
import threading, time
def nap():
    end = time.time() + 6
    while time.time() < end: time.sleep(0.01)
threads = [threading.Thread(target=nap) for _ in range(100)]
[t.start() for t in threads]; [t.join() for t in threads]
PYTHON
cat >"$work/burn.py" <<'PYTHON'
import time
end = time.time() + 6
while time.time() < end: pass
PYTHON

# compare NAME COMMAND...: CPU seconds by the summary, and by the kernel for all that was waited for.
# pidstat attaches by number, so the command is a shell that tells its own before it becomes it.
compare()
{
    local name=$1 others=()
    shift
    rm -f "$work/pid"
    /usr/bin/time -f '%e %U %S' -o "$work/time" "$stoker" watch -q --summary "$work/use.json" -- \
        sh -c 'echo $$ >"$0"; exec "$@"' "$work/pid" "$@" >"$work/out" 2>&1 &
    local watcher=$!
    while [ ! -s "$work/pid" ]; do sleep 0.02; done
    pidstat -u -p "$(cat "$work/pid")" 1 >"$work/pidstat" 2>/dev/null &
    others+=($!)
    mpstat 1 >"$work/mpstat" &
    others+=($!)
    iostat -d -k -y 1 >"$work/iostat" &
    others+=($!)
    wait "$watcher" || true
    kill -INT "${others[@]}" 2>/dev/null || true
    wait "${others[@]}" 2>/dev/null || true
    python3 - "$name" "$work" <<'PYTHON'
import json, re, sys
name, work = sys.argv[1:]
use = json.load(open(f"{work}/use.json"))
wall, user, system = map(float, open(f"{work}/time").read().split()[-3:])
def lines(tool):
    return [r.split() for r in open(f"{work}/{tool}")]
def mean(values):
    return sum(values) / len(values) if values else None
def show(what, ours, other, theirs, unit, slack):
    if theirs is None: return
    off = f"{100 * (ours - theirs) / theirs:+.2f} %" if theirs > 0 else ""
    print(f"{name:20} {what:14} watch {ours:9.3f}  {other:8} {theirs:9.3f} {unit:5} {off:>9}"
          + (" !" if abs(ours - theirs) > 0.02 * theirs + slack else ""))
# /usr/bin/time sees stoker and all it waited for; what watching itself took goes off.
show("CPU", use["own_cores"]["mean"] * use["seconds"], "kernel", user + system - use["watching_cores"] * wall, "s", 0.02)
own = [float(r[7]) / 100 for r in lines("pidstat") if len(r) > 8 and r[1].isdigit()]
if name == "one process" and len(own) > 3: show("cores", use["own_cores"]["median"], "pidstat", sorted(own)[len(own) // 2], "", 0.02)
show("machine", 100 * use["cpu"]["mean"], "mpstat",
     mean([100 - float(r[-1]) - float(r[5]) for r in lines("mpstat") if len(r) > 10 and r[1] == "all" and r[0] != "Average:"]), "%", 2)
disks = {}
for r in lines("iostat"):
    if len(r) >= 4 and re.match(r"(sd|vd|nvme|xvd)[a-z0-9]+$", r[0]): disks.setdefault(r[0], []).append(float(r[3]))
if name == "writing" and disks:
    show("disk written", use["disk_write_bytes_per_s"]["mean"] * use["seconds"] / 1e6, "iostat",
         sum(sum(v) for v in disks.values()) * 1024 / 1e6, "MB", 1)
print(f"{name:20} {'watching took':14} {100 * use['watching_cores']:.2f} % of a core")
PYTHON
}

compare "one process" python3 "$work/burn.py"
compare "one core, a child" stress --cpu 1 --timeout 5
compare "two children" stress --cpu 2 --timeout 5
compare "short children" sh -c 'for i in $(seq 60); do python3 -c "sum(range(400000))"; done'
compare "writing" sh -c "dd if=/dev/zero of=$work/big bs=1M count=400 conv=fsync 2>/dev/null; sleep 3"
compare "a hundred threads" python3 "$work/threads.py"
