#!/usr/bin/env python3
"""bad_starts.py STOKER --fashion PACK --cifar FOLDER --photos FOLDER --json FILE: does `stoker tune` find
what an exhaustive search finds, and how much sooner?

Each start of STARTS is a recipe with something bad in it. It is tuned; then every point of a grid over the
same knobs is measured, and in the same way the recipe as it was and the one that tuning wrote: runs of
`stoker profile` of --seconds S, --repeats times, all contenders in a new random order each time. The best
of many noisy numbers is too high by itself, so the --finalists best points, the start and the tuned recipe
are measured once more, --final times: the first half of these, with those of the grid, tells which point is
the best, and rates are medians of the second half alone. Short runs tell nothing of
what only later epochs gain (a cache that is still being filled), neither of the grid nor of tuning.

Wanted: tuned / best of the grid of 0.95 and more, in a fifth of the grid's time and less. Where learning
may change, the grid knows no accuracy: the ratio leaves out points with a value that the guard refused.

CIFAR-10 and photos are folders of JPEGs; photos that lie in one folder are copied to ten classes. Packs are
made once, in --work. FILE gets every number as soon as it is measured; started again, what it has already
is not measured again. Let nothing else run. On a GPU, add --flags '--size 128' or what else it needs."""
import argparse
import itertools
import json
import os
import pathlib
import platform
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import time

WANTED_RATIO, WANTED_TIME = 0.95, 0.2
PHOTO_SIZE = 64
IMAGES = {".jpg", ".jpeg"}
THREADS, INPUT = "knobs.threads", "knobs.input_threads"

# What `data` may be: how `stoker pack` makes it from the files.
FORMS = {
    "seekable": [],
    "raw": ["--format", "raw"],
    "small": ["--format", "jpeg", "--resize", str(PHOTO_SIZE * 8 // 7)],
}

FASHION = {"data": "fashion", "flags": ["--model", "lenet", "--batch", "64"]}
CIFAR = {"data": "cifar", "flags": ["--model", "resnet20", "--batch", "64"]}
PHOTOS = {"data": "photos", "flags": ["--model", "resnet18", "--batch", "32", "--size", str(PHOTO_SIZE)]}
PASSES = "simplify,fuse,layout,schedule,reuse"

# bad: what the start sets; grid: the values of each knob, besides threads that compute and prepare input.
# "data" is the form of the data, "files" what is given.
STARTS = {
    "small files": {**CIFAR, "bad": {}, "grid": {"data": ["files", "seekable", "raw"]}},
    "one input thread": {**PHOTOS, "bad": {INPUT: "1"}, "grid": {"data": ["files", "seekable"]}},
    "batch of 2": {**FASHION, "bad": {"data.batch": "2"}, "learning": True,
                   "grid": {"data.batch": ["2", "8", "32", "64", "128"]}},
    "many checkpoints": {**FASHION, "bad": {"output.checkpoint_every": "2"},
                         "grid": {"output.checkpoint_every": ["2", "auto"]}},
    "metrics every step": {**FASHION, "bad": {"output.log_every": "1"},
                           "grid": {"output.log_every": ["1", "auto"]}},
    "eager": {**FASHION, "bad": {"knobs.eager": "true"}, "grid": {"knobs.eager": ["true", "false"]}},
    "no cache": {**CIFAR, "bad": {"data.cache": "none"},
                 "grid": {"data.cache": ["none", "memory"], "data": ["files", "seekable", "raw"]}},
    "full-size photos": {**PHOTOS, "bad": {}, "learning": True,
                         "grid": {"data": ["files", "seekable", "small"]}},
    "no passes": {**CIFAR, "bad": {"knobs.passes_off": PASSES}, "grid": {"knobs.passes_off": ["", PASSES]}},
    "one compute thread": {**FASHION, "bad": {"train.deterministic": "true", THREADS: "1"},
                           "grid": {"train.deterministic": ["true", "false"]}},
    # Of the knobs that are only right or wrong the grid has the right values: all 2^5 are beyond any time.
    "all at once": {**CIFAR, "learning": True,
                    "bad": {"data.batch": "2", "data.cache": "none", "output.checkpoint_every": "2",
                            "output.log_every": "1", "knobs.eager": "true", "train.deterministic": "true",
                            THREADS: "1", INPUT: "1"},
                    "grid": {"data.batch": ["32"], "data": ["files", "raw"], "output.checkpoint_every": ["auto"],
                             "output.log_every": ["auto"], "knobs.eager": ["false"],
                             "train.deterministic": ["false"], "data.cache": ["none", "memory"]}},
}


def powers(most):
    """1, 2, 4, ... and most."""
    return sorted({2 ** i for i in range(most.bit_length())} | {most})


def divisions(cores):
    """Threads that compute: also those that leave some cores to the input, as a start has by itself."""
    return sorted({*powers(cores), max(1, cores * 3 // 4), max(1, cores - 1)})


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stoker", type=pathlib.Path)
    parser.add_argument("--fashion", type=pathlib.Path, help="a pack of Fashion-MNIST")
    parser.add_argument("--cifar", type=pathlib.Path, help="CIFAR-10 as JPEGs in folders of classes")
    parser.add_argument("--photos", type=pathlib.Path, help="a folder of photos, or of folders of classes")
    parser.add_argument("--json", type=pathlib.Path, required=True, help="every number, read and written")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("bad-starts"), help="packs and runs")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of starts, from 1")
    parser.add_argument("--list", action="store_true", help="show the starts with their grids, run nothing")
    parser.add_argument("--budget", type=float, default=20, help="minutes that tuning may take")
    parser.add_argument("--seconds", type=float, default=4, help="of a measurement")
    parser.add_argument("--repeats", type=int, default=3, help="measurements of a point")
    parser.add_argument("--finalists", type=int, default=5, help="points that are measured again")
    parser.add_argument("--final", type=int, default=6, help="measurements of those")
    parser.add_argument("--timeout", type=float, default=300, help="seconds of a measurement, then it failed")
    parser.add_argument("--threads", type=int, nargs="+", help="values of the grid (default: powers of two, 3/4, all but one)")
    parser.add_argument("--input-threads", type=int, nargs="+", help="the same for input")
    parser.add_argument("--flags", default="", help="more flags, for all recipes")
    parser.add_argument("--prefix", default="", help="before each command, such as 'taskset -c 0-7'")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    given = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    given.threads = given.threads or divisions(cores)
    given.input_threads = given.input_threads or powers(cores)
    given.stoker = given.stoker.resolve()
    given.work = given.work.resolve()
    return given


def run(given, command, timeout=None):
    """Output and seconds; None instead of output where it failed, with a word on stderr."""
    line = [*shlex.split(given.prefix), *map(str, command)]
    begin = time.monotonic()
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=timeout, check=False, cwd=given.work)
        output, trouble = (done.stdout, "") if done.returncode == 0 else (None, done.stderr[-500:])
    except subprocess.TimeoutExpired:
        output, trouble = None, f"longer than {timeout} s"
    if output is None:
        print(f"  failed: {shlex.join(line)}\n  {trouble}", file=sys.stderr)
    return output, time.monotonic() - begin


# Data

def spread(photos, folder):
    """Photos of one folder as ten classes; labels mean nothing for speed."""
    files = sorted(path for path in photos.iterdir() if path.suffix.lower() in IMAGES)
    for number, path in enumerate(files):
        (folder / f"class_{number % 10}").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / f"class_{number % 10}" / f"{number}.jpg")


def files_of(given, name):
    folder = getattr(given, name).resolve()
    if name != "photos" or any(path.is_dir() for path in folder.iterdir()):
        return folder
    copy = given.work / "photos-files"
    if not copy.exists():
        part = given.work / "photos-part"
        shutil.rmtree(part, ignore_errors=True)
        spread(folder, part)
        part.rename(copy)
    return copy


def data_path(given, name, form):
    if form == "files":
        return files_of(given, name)
    folder = given.work / f"{name}-{form}"
    if not folder.exists():
        print(f"packs {name} as {form}", flush=True)
        if run(given, [given.stoker, "pack", files_of(given, name), folder, *FORMS[form], "-q"])[0] is None:
            sys.exit(1)
    return folder


# Recipes

def recipe_flags(given, start, setting):
    flags = [data_path(given, start["data"], setting.get("data", "files")), *start["flags"],
             *shlex.split(given.flags)]
    for key, value in setting.items():
        if key != "data":
            flags += ["--set", f"{key}={value}"]
    return flags


def grid_of(given, start):
    knobs = {THREADS: [str(n) for n in given.threads], INPUT: [str(n) for n in given.input_threads],
             **start["grid"]}
    return [dict(zip(knobs, values)) for values in itertools.product(*knobs.values())]


def text_of(setting):
    return ", ".join(f"{key.split('.')[-1]}={value or '(none)'}" for key, value in setting.items())


def tune(given, number, start):
    folder = given.work / f"tune-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    output, seconds = run(given, [
        given.stoker, "tune", *recipe_flags(given, start, start["bad"]), "--budget", given.budget,
        *(["--allow", "learning"] if start.get("learning") else []), "-o", folder, "--json", "-q"])
    if output is None:
        return None
    return {"seconds": seconds, "report": json.loads(output), "recipe": str(folder / "tuned.yaml")}


# Measurements

def measure(given, flags):
    """Samples a second, None where it failed; and the wall time."""
    folder = given.work / "measure"
    shutil.rmtree(folder, ignore_errors=True)
    output, seconds = run(given, [given.stoker, "profile", *flags, "--seconds", given.seconds, "--no-report",
                                  "--json", "-q", "-o", folder], given.timeout)
    shutil.rmtree(folder, ignore_errors=True)
    rate = json.loads(output)["samples_per_s"]["value"] if output else -1
    return (rate if rate > 0 else None), seconds


def measure_all(given, contenders, rates, times, label, save, one=measure):
    """Adds measurements by `one` until each contender has `times` of them: every round in another order. rates has a
    list of [rate, seconds] for each name."""
    for turn in range(times):
        order = sorted(contenders)
        random.Random(f"{given.seed} {label} {turn}").shuffle(order)
        for name in order:
            so_far = rates.setdefault(name, [])
            if len(so_far) > turn:
                continue
            so_far.append(one(given, contenders[name]))
            save()
        print(f"  {label}: round {turn + 1} of {times}", flush=True)


def median_of(measured):
    rates = [rate for rate, _ in measured if rate]
    return statistics.median(rates) if 2 * len(rates) > len(measured) else 0


def refused_by(report):
    """(key, value) of what the guard of learning refused."""
    return {(key, value) for trial in report["trials"] if trial["decision"] == "refused"
            for key, value in trial["change"].items()}


def is_allowed(setting, refused):
    small = setting.get("data") == "small" and any(key == "pack.resize" for key, _ in refused)
    return not small and not any((key, value) in refused for key, value in setting.items())


def run_start(given, number, name, results, save):
    """Whether it could be tuned."""
    start = STARTS[name]
    mine = results["starts"].setdefault(name, {"number": number, "grid": {}, "final": {}})
    print(f"{number} {name}", flush=True)
    if "tune" not in mine:
        tuned = tune(given, number, start)
        if tuned is None:
            return False
        mine["tune"] = tuned
        save()
    ends = {"start": recipe_flags(given, start, start["bad"]), "tuned": ["-r", mine["tune"]["recipe"]]}
    points = {text_of(point): point for point in grid_of(given, start)}
    contenders = {text: recipe_flags(given, start, point) for text, point in points.items()}
    measure_all(given, {**contenders, **ends}, mine["grid"], given.repeats, f"{name}: grid", save)
    refused = refused_by(mine["tune"]["report"])
    allowed = sorted((text for text in points if is_allowed(points[text], refused)),
                     key=lambda text: -median_of(mine["grid"][text]))
    finalists = {text: contenders[text] for text in allowed[:given.finalists]}
    measure_all(given, {**finalists, **ends}, mine["final"], given.final, f"{name}: final", save)
    mine["summary"] = sum_up(mine, points, finalists, refused)
    save()
    return True


def judge(measured, finalists):
    """The best point, and the rates of the start, the tuned recipe and that point: of runs that did not choose
    it."""
    grid, final = measured["grid"], measured["final"]
    half = len(final["tuned"]) // 2
    best = max(finalists, key=lambda text: median_of(grid[text] + final[text][:half]))
    return best, {name: median_of(final[name][half:]) for name in ("start", "tuned", best)}


def sum_up(mine, points, finalists, refused):
    best, rates = judge(mine, finalists)
    grid_s = sum(seconds for text in points for _, seconds in mine["grid"][text])
    return {"start": rates["start"], "tuned": rates["tuned"], "best": rates[best], "best_point": best,
            "tuned_setting": mine["tune"]["report"]["best"], "points": len(points),
            "refused": sorted(map(list, refused)), "ratio": rates["tuned"] / rates[best] if rates[best] else 0,
            "tune_seconds": mine["tune"]["seconds"], "grid_seconds": grid_s,
            "time": mine["tune"]["seconds"] / grid_s}


# Output

def machine_of(given):
    version = run(given, [given.stoker, "--version"])[0]
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True,
                         check=False).stdout.strip() if shutil.which("nvidia-smi") else ""
    names = [line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
             if line.startswith("model name")]
    return {"processor": names[0] if names else platform.processor(), "gpu": gpu, "version": (version or "").strip(),
            "cores": len(os.sched_getaffinity(0)), "kernel": platform.release()}


def print_table(results):
    print("\n| Start | Start, img/s | Tuned, img/s | Best of grid, img/s | Tuned / best | Points | Tuning, min "
          "| Grid, min | Tuning / grid |\n|---|---|---|---|---|---|---|---|---|")
    holds = True
    for name, mine in results["starts"].items():
        s = mine.get("summary")
        if not s:
            continue
        good = s["ratio"] >= WANTED_RATIO, s["time"] <= WANTED_TIME
        holds &= all(good)
        print(f"| {name} | {s['start']:.0f} | {s['tuned']:.0f} | {s['best']:.0f} | {s['ratio']:.3f}"
              f"{'' if good[0] else ' (!)'} | {s['points']} | {s['tune_seconds'] / 60:.1f} "
              f"| {s['grid_seconds'] / 60:.1f} | {s['time']:.2f}{'' if good[1] else ' (!)'} |")
    for name, mine in results["starts"].items():
        if "summary" in mine:
            print(f"\n{name}: tuned to {text_of(mine['summary']['tuned_setting']) or 'what it was'}; "
                  f"the best point is {mine['summary']['best_point']}")
    return holds


def print_list(given):
    for number, (name, start) in enumerate(STARTS.items(), 1):
        count = len(grid_of(given, start))
        seconds = count * given.repeats * (given.seconds * 1.5 + 2)
        print(f"{number:2} {name:20}{start['data']:9}{text_of(start['bad']) or '-'}\n   {count} points, "
              f"about {seconds / 60:.0f} minutes")


def main():
    given = parse()
    if given.list:
        return print_list(given)
    given.work.mkdir(parents=True, exist_ok=True)
    results = json.loads(given.json.read_text()) if given.json.exists() else {"starts": {}}
    results["given"] = {key: str(value) for key, value in vars(given).items()}
    results["machine"] = machine_of(given)

    def save():
        part = given.json.with_suffix(".part")
        part.write_text(json.dumps(results, indent=1))
        part.replace(given.json)

    tuned = True
    for number, (name, start) in enumerate(STARTS.items(), 1):
        if given.only and number not in given.only:
            continue
        if not getattr(given, start["data"]):
            print(f"{number} {name}: left out without --{start['data']}")
            continue
        tuned &= run_start(given, number, name, results, save)
    return 0 if print_table(results) and tuned else 1


if __name__ == "__main__":
    sys.exit(main())
