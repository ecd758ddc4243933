#!/usr/bin/env python3
"""pytorch_cpu_grid.py STOKER PYTHON --images FOLDER --json FILE: `stoker tune` on a PyTorch training that it
knows nothing of (pytorch_cpu.py), beside an exhaustive grid over the same knobs.

Tuning starts from the first value of each knob. Then every point of the grid is measured, the start and the
setting that tuning found in the same way: a run of --warm-up and --seconds, --repeats times, all of them in
a new random order each time. The best points, the start and the tuned setting are measured once more,
--final times; rates are medians of runs that did not choose the best point. Wanted: 0.95 and more, in a fifth of the grid's time.

PYTHON has torch and Pillow. FILE gets every number as soon as it is measured; started again, what it has
already is not measured again. Let nothing else run."""
import argparse
import itertools
import json
import os
import pathlib
import re
import selectors
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import time

import bad_starts

SCRIPT = pathlib.Path(__file__).resolve().parent / "pytorch_cpu.py"
RATE = r"([0-9.]+) img/s"


def parse():
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stoker", type=pathlib.Path)
    parser.add_argument("python", type=pathlib.Path, help="an interpreter that has torch and Pillow")
    parser.add_argument("--images", type=pathlib.Path, required=True, help="JPEGs in folders of classes")
    parser.add_argument("--json", type=pathlib.Path, required=True, help="every number, read and written")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("pytorch-grid"))
    parser.add_argument("--workers", type=int, nargs="+", default=[0, *bad_starts.powers(cores)])
    parser.add_argument("--threads", type=int, nargs="+", default=bad_starts.powers(cores))
    parser.add_argument("--batch", type=int, nargs="+", default=[16, 32, 64, 128])
    parser.add_argument("--channels-last", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--size", type=int, default=96, help="of an image after resizing")
    parser.add_argument("--budget", type=float, default=20, help="minutes that tuning may take")
    parser.add_argument("--warm-up", type=float, default=5, help="seconds of a run that are not measured")
    parser.add_argument("--seconds", type=float, default=8, help="seconds that are, of the grid and of tuning")
    parser.add_argument("--repeats", type=int, default=3, help="measurements of a point")
    parser.add_argument("--finalists", type=int, default=5, help="points that are measured again")
    parser.add_argument("--final", type=int, default=6, help="measurements of those")
    parser.add_argument("--prefix", default="", help="before each command, such as 'taskset -c 0-7'")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    given = parser.parse_args()
    given.stoker, given.work = given.stoker.resolve(), given.work.resolve()
    given.python = given.python.absolute()  # a link of a virtual environment must stay one
    return given


def knobs_of(given):
    return {"workers": given.workers, "batch": given.batch, "channels_last": given.channels_last,
            "threads": given.threads}


def command_of(given, setting):
    command = [given.python, SCRIPT, "--images", given.images.resolve(), "--size", given.size]
    for name, value in setting.items():
        command += [f"--{name.replace('_', '-')}", value]
    return [*shlex.split(given.prefix), *map(str, command)]


def tune(given):
    folder = given.work / "tune"
    shutil.rmtree(folder, ignore_errors=True)
    knobs = knobs_of(given)
    flags = [f"--knob={name}={','.join(map(str, values))}" for name, values in knobs.items()]
    begin = time.monotonic()
    done = subprocess.run(
        list(map(str, [given.stoker, "tune", *flags, "--rate", RATE, "--warm-up", given.warm_up, "--measure",
                       given.seconds, "--budget", given.budget, "-o", folder, "--json", "-q", "--",
                       *command_of(given, {name: f"{{{name}}}" for name in knobs})])),
        capture_output=True, text=True, cwd=given.work, check=False)
    if done.returncode:
        sys.exit(f"tuning failed: {done.stderr[-1000:]}")
    return {"seconds": time.monotonic() - begin, "report": json.loads(done.stdout)}


def read_rates(program, given):
    """(time, rate) of each line until the time is over or the program ends."""
    rates, text, first = [], "", None
    with selectors.DefaultSelector() as ready:
        ready.register(program.stdout, selectors.EVENT_READ)
        limit = time.monotonic() + 120  # without any number
        while time.monotonic() < (first + given.warm_up + given.seconds if first else limit):
            if not ready.select(0.1):
                continue
            more = os.read(program.stdout.fileno(), 1 << 16).decode()
            if not more:
                break
            *lines, text = (text + more).split("\n")
            now = time.monotonic()
            rates += [(now, float(found.group(1))) for found in (re.search(RATE, line) for line in lines) if found]
            first = first or (rates[0][0] if rates else None)
    return rates, first


def measure(given, setting):
    """The median of the rates after warming up, None where there is none; and the wall time."""
    begin = time.monotonic()
    with subprocess.Popen(command_of(given, setting), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          start_new_session=True) as program:
        try:
            rates, first = read_rates(program, given)
        finally:
            try:
                os.killpg(program.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    late = [rate for when, rate in rates if when >= first + given.warm_up] if rates else []
    return (statistics.median(late) if late else None), time.monotonic() - begin


def sum_up(results, points, finalists):
    best, rates = bad_starts.judge(results, finalists)
    start, tuned, most = rates["start"], rates["tuned"], rates[best]
    grid_s = sum(seconds for text in points for _, seconds in results["grid"][text])
    return {"start": start, "tuned": tuned, "best": most, "best_point": best, "points": len(points),
            "tuned_setting": results["tune"]["report"]["best"], "ratio": tuned / most if most else 0,
            "tune_seconds": results["tune"]["seconds"], "grid_seconds": grid_s,
            "time": results["tune"]["seconds"] / grid_s}


def main():
    given = parse()
    given.work.mkdir(parents=True, exist_ok=True)
    results = json.loads(given.json.read_text()) if given.json.exists() else {"grid": {}, "final": {}}
    results["given"] = {key: str(value) for key, value in vars(given).items()}
    results["machine"] = bad_starts.machine_of(given)

    def save():
        part = given.json.with_suffix(".part")
        part.write_text(json.dumps(results, indent=1))
        part.replace(given.json)

    if "tune" not in results:
        results["tune"] = tune(given)
        save()
    knobs = knobs_of(given)
    first = {name: values[0] for name, values in knobs.items()}
    ends = {"start": first, "tuned": {**first, **results["tune"]["report"]["best"]}}
    settings = [dict(zip(knobs, values)) for values in itertools.product(*knobs.values())]
    points = {bad_starts.text_of({key: str(value) for key, value in one.items()}): one for one in settings}
    bad_starts.measure_all(given, {**points, **ends}, results["grid"], given.repeats, "grid", save, measure)
    best = sorted(points, key=lambda text: -bad_starts.median_of(results["grid"][text]))[:given.finalists]
    finalists = {text: points[text] for text in best}
    bad_starts.measure_all(given, {**finalists, **ends}, results["final"], given.final, "final", save, measure)
    results["summary"] = sum_up(results, points, finalists)
    save()
    return 0 if bad_starts.print_table({"starts": {"PyTorch on the CPU": results}}) else 1


if __name__ == "__main__":
    sys.exit(main())
