#!/usr/bin/env python3
"""Kills searches of 'stoker tune' at random moments and lets them go on: does each come to the same recipe?

    bench/tune/killed.py build/release/stoker DATA [--times 30] [-- FLAGS of tune]

A search that was never killed comes first. Each other one is begun, killed (SIGKILL) at a random moment of
that one's time, once or several times, and resumed until it ends. Prints what differs; exits 1 if anything does."""
import argparse
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

usual = ["--model", "mlp", "--batch", "64", "--threads", "1", "--input-threads", "1", "--pin", "knobs.threads",
         "--set", "output.checkpoint_every=1", "--only", "checkpoints", "--budget", "2"]
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("stoker")
parser.add_argument("data")
parser.add_argument("--times", type=int, default=30)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("flags", nargs="*", default=usual)
args = parser.parse_args()
random.seed(args.seed)
work = pathlib.Path(tempfile.mkdtemp(prefix="stoker-killed-"))


def command(folder, resume):
    return [args.stoker, "tune", args.data, *args.flags, "-q", "-o", str(folder)] + (["--resume"] if resume else [])


def run(folder, kill_after=None):
    """Whether it came to its end."""
    resume = (folder / "tune.jsonl").exists()
    child = subprocess.Popen(command(folder, resume), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        error = child.communicate(timeout=kill_after)[1]
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        child.communicate()
        return False
    if child.returncode:
        sys.exit(f"{' '.join(command(folder, resume))}: exit code {child.returncode}: {error.decode()[-300:]}")
    return True


def decisions(folder):
    events = [json.loads(line) for line in open(folder / "tune.jsonl")]
    return [(e["action"], e["decision"]) for e in events if e["event"] == "trial"]


def recipe(folder):
    return (folder / "tuned.yaml").read_text()


begin = time.monotonic()
run(work / "whole")
whole_s = time.monotonic() - begin
print(f"not killed: {whole_s:.1f} s, {decisions(work / 'whole')}")
different = 0
for number in range(args.times):
    folder, kills = work / str(number), 0
    while not run(folder, random.uniform(0, whole_s) if kills < 3 else None):
        kills += 1
    same = recipe(folder) == recipe(work / "whole")
    different += not same
    print(f"{number + 1}: killed {kills} times, {'the same recipe' if same else decisions(folder)}", flush=True)
print(f"{args.times - different} of {args.times} came to the same recipe")
shutil.rmtree(work)
sys.exit(1 if different else 0)
