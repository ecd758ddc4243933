#!/usr/bin/env bash
# stoker watch: exit codes, signals, what is written, refusals; the screen in a terminal of its own.
set -eu
source "$(dirname "$0")/support.bash" "$1"

# The command's output, input and exit code stay its own.
code=0
echo "typed" | "$stoker" watch -- sh -c 'cat; echo said; exit 7' >"$work/out" 2>"$work/err" || code=$?
expect_code 7 "exit code of the command"
printf 'typed\nsaid\n' | cmp -s - "$work/out" || fail "the command's output: $(cat "$work/out")"
expect_in "$work/err" "verdict" "the summary"
expect_in "$work/err" "exit code 7" "the summary"
expect_in "$work/err" "watching took" "the summary"

run watch -q -- no-such-command-anywhere
expect_code 127 "a command that is not there"
expect_in "$work/err" "no-such-command-anywhere: No such file" "a command that is not there"
echo 'not a program' >"$work/file"
run watch -q -- "$work/file"
expect_code 126 "a file that cannot be run"
run watch -q -- sh -c 'kill -9 $$'
expect_code 137 "a command that was killed"
expect_in "$work/err" "killed by signal 9" "a command that was killed"

# Signals go on to the command.
"$stoker" watch -q -- sh -c 'trap "echo got it; exit 5" TERM; echo up; while :; do sleep 0.05; done' \
    >"$work/out" 2>"$work/err" &
watcher=$!
for _ in $(seq 200); do grep -q up "$work/out" && break; sleep 0.05; done
kill -TERM "$watcher"
code=0
wait "$watcher" || code=$?
expect_code 5 "a command that handles SIGTERM"
expect_in "$work/out" "got it" "a command that handles SIGTERM"

# Numbers: what was burnt is what was counted, also by children, and in every row.
run watch --interval 0.1 --csv "$work/use.csv" --csv-interval 0.2 --summary "$work/use.json" -- \
    python3 -c '
import subprocess, sys, time
burn = "import time\nwhile time.process_time() < 0.5: pass"
subprocess.run([sys.executable, "-c", burn])
while time.process_time() < 0.5: pass'
expect_code 0 "burning"
python3 - "$work/use.csv" "$work/use.json" <<'PYTHON' || fail "numbers of a burner"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
summary = json.load(open(sys.argv[2]))
assert summary["exit_code"] == 0 and summary["signal"] == 0, summary
assert summary["limit"] in ("unknown", "gpu", "cores", "others", "disk", "network", "thread", "latency")
assert summary["machine"]["cores"] >= 1 and summary["samples"] >= 5
burnt = summary["own_cores"]["mean"] * summary["seconds"]
assert 0.8 < burnt < 1.6, burnt  # one second, and what starting Python takes
assert len(rows) >= 2 and list(rows[0])[:4] == ["seconds", "unix_time", "cpu", "iowait"], rows[0]
last, sum_s = 0, 0
for row in rows:
    sum_s += float(row["own_cores"]) * (float(row["seconds"]) - last)
    last = float(row["seconds"])
assert 0.3 < sum_s < 1.6, sum_s
PYTHON

# A metric in what the command writes, on both streams, which go on unchanged and in whole.
run watch --interval 0.1 --csv "$work/use.csv" --csv-interval 0.2 --summary "$work/use.json" --link 10G \
    --metric 'loss[:= ]+(-?[0-9.,]+|nan)' -- python3 -c '
import sys, time
for i in range(10):
    print(f"step {i} loss: {2 - i / 4:.2f}", end="\r" if i % 2 else "\n", flush=True)
    time.sleep(0.06)
print("loss = nan", file=sys.stderr, flush=True)
sys.stdout.buffer.write(b"\0\xff" + b"x" * 300000 + b"\nno end of line, loss=1,234.5 and loss=-3")'
expect_code 0 "a metric"
python3 - "$work" <<'PYTHON' || fail "a metric: $(cat "$work/use.json")"
import csv, json, sys
work = sys.argv[1]
wanted = b"".join(f"step {i} loss: {2 - i / 4:.2f}".encode() + (b"\r" if i % 2 else b"\n") for i in range(10))
wanted += b"\0\xff" + b"x" * 300000 + b"\nno end of line, loss=1,234.5 and loss=-3"
assert open(work + "/out", "rb").read() == wanted
summary = json.load(open(work + "/use.json"))
metric = summary["metric"]
assert metric["count"] == 11 and metric["not_finite"] == 1, metric
assert metric["first"] == 2 and metric["last"] == -3 and metric["least"] == -3 and metric["most"] == 2
assert abs(metric["mean"] - (sum(2 - i / 4 for i in range(10)) - 3) / 11) < 1e-9
assert summary["machine"]["link_bytes_per_s"] == 1.25e9, summary["machine"]
rows = [row["metric"] for row in csv.DictReader(open(work + "/use.csv"))]
known = [float(value) for value in rows if value]
assert len(known) >= 2 and known[0] > known[-1] and 0 < known[0] <= 2, rows
PYTHON
expect_in "$work/err" "metric   -3 (first 2, least -3, most 2, mean" "a metric"
expect_in "$work/err" "loss = nan" "what the command writes to stderr"
run watch --metric 'speed ([0-9]+)' --every 0.2 --interval 0.1 -- sh -c 'echo speed 70; sleep 1'
expect_in "$work/err" "  metric 70" "a metric in lines"
run watch --metric 'speed ([0-9]+)' --json -- sh -c 'echo nothing; exit 3'
expect_code 3 "a metric that never comes"
tail -n +2 "$work/out" | python3 -c '
import json,sys; m=json.load(sys.stdin)["metric"]; assert m["count"] == 0 and m["last"] is None' ||
    fail "a metric that never comes"
expect_in "$work/out" "nothing" "a metric that never comes"
# A process that lives on does not hold the watch up; a reader that goes ends the command.
code=0
timeout 20 "$stoker" watch -q --metric '([0-9]+)' -- sh -c 'sleep 30 & echo 1' >"$work/out" 2>"$work/err" || code=$?
expect_code 0 "a command with a process that lives on"
code=0
timeout 20 "$stoker" watch -q --metric '([0-9]+)' -- yes 2>"$work/err" | head -1 >"$work/out" || code=$?
expect_code 0 "a reader that goes"
expect_in "$work/out" "y" "a reader that goes"
for wrong in 'loss' '(a)(b)' '(('; do
    run watch --metric "$wrong" -- true
    expect_code 2 "--metric $wrong"
done
run watch --metric '(a)'
expect_code 2 "--metric without a command"
for wrong in fast 10 10GB -1G; do
    run watch "--link=$wrong" --seconds 0.1
    expect_code 2 "--link $wrong"
done

# Without a command: the machine, for a time; a process, until it ends.
run watch --seconds 0.5 --interval 0.1 --json
expect_code 0 "the machine"
python3 -c 'import json,sys; s=json.load(open(sys.argv[1])); assert s["exit_code"] is None and s["own_cores"]["median"] is None' \
    "$work/out" || fail "the machine as JSON"
sleep 1 &
run watch --pid $! --interval 0.1 -q
expect_code 0 "a process"
expect_in "$work/out" "process " "a process"

# A driver that is not there, or is a fake one.
LD_LIBRARY_PATH=$1/tests FAKE_NVML=/dev/null "$stoker" watch --seconds 1.2 --interval 0.1 --json >"$work/out" || fail "a GPU"
python3 - "$work/out" <<'PYTHON' || fail "a GPU: $(cat "$work/out")"
import json, sys
s = json.load(open(sys.argv[1]))
assert s["machine"]["gpu_source"] == "NVML 580.65" and len(s["gpus"]) == 2
assert s["gpus"][0]["utilisation"]["median"] == 0.9
assert s["gpus"][0]["utilisation_median_nonzero"] == 0.9
assert any(f["kind"] == "persistence" for f in s["findings"])
PYTHON

# Refusals.
run watch --pid 1 -- true
expect_code 2 "--pid and a command"
run watch --view --lines
expect_code 2 "--view and --lines"
run watch --seconds 5 -- true
expect_code 2 "--seconds and a command"
run watch --interval 0
expect_code 2 "no interval"
run watch --pid 999999999
expect_code 1 "no such process"
run watch --csv "$work/no/such/folder.csv" -q -- true
expect_code 0 "the command is run although the log cannot be written"
expect_in "$work/err" "no/such/folder.csv" "a log that cannot be written"

# The screen: drawn, resized, obeyed, and given back as it was.
timeout 60 python3 - "$stoker" <<'PYTHON' || fail "the screen"
import fcntl, os, pty, select, signal, struct, sys, termios, time

def read_until(fd, wanted, seconds=20):
    got, end = b"", time.time() + seconds
    while wanted not in got and time.time() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                got += os.read(fd, 65536)
            except OSError:
                break
    assert wanted in got, (wanted, got[-500:])
    return got

def start(*words):
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(LC_ALL="C.UTF-8", TERM="xterm", NO_COLOR="1")
        os.execv(words[0], words)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.kill(pid, signal.SIGWINCH)
    return pid, fd

pid, fd = start(sys.argv[1], "watch", "--interval", "0.1")
text = read_until(fd, "╭─ CPU".encode())
assert b"\x1b[?1049h" in text and b"\x1b[0;3" not in text, text
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 40, 0, 0))
read_until(fd, b"disk    ")
os.write(fd, b"p")
read_until(fd, b"PAUSED")
os.write(fd, b"+")
read_until(fd, b"0.2 s")
os.write(fd, b"q")
read_until(fd, b"watching took")
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

# Ctrl-C and a crash give the terminal back, too.
for number, ending in ((signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGABRT, -signal.SIGABRT)):
    pid, fd = start(sys.argv[1], "watch", "--interval", "0.1")
    read_until(fd, b"\x1b[?1049h")
    time.sleep(0.3)
    os.kill(pid, number)
    read_until(fd, b"\x1b[?1049l")
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code == ending, (number, code)
PYTHON

finish
