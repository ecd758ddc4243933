#!/usr/bin/env python3
"""advice.py pytorch STOKER PYTHON, advice.py faults STOKER DATA, advice.py gpu STOKER DATA, advice.py input
STOKER FOLDER: does advice do what it says?

pytorch: each script of advice/ is a PyTorch program with one planted fault. It is recorded with
torch.profiler, `stoker diagnose TRACE --json` advises, and every fix is applied as the advice says (its
`set`) and measured beside the program as it was, in turn. PYTHON has torch. Traces and rounds are several;
the fastest count, since other programs only slow down.

faults: each stage of a run of ours is slowed down (--inject, sized to the machine's own speed as by
validate.py), `stoker profile --json` advises, and every fix is applied (`set`, `data`, or by hand: a
tenth of the calls) and measured beside the slow run, in turn.

gpu: the same for settings that leave a GPU idle.

input: late reads of files, slow reads of a pack and (--photos) images far larger than they are used;
fixes are carried out on the data and measured in the last of three epochs, beside the slow run, in turn.

A predicted gain is inside when the measured one lies in its interval; a bound (at most) when it is not
exceeded; advice without a number only must not lose. Exit 1 below 80 % inside, on any loss of more than
--noise, and when a PyTorch program is told anything in our words."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import advice_input
import validate

HERE = pathlib.Path(__file__).parent / "advice"
SCRIPTS = ("slow_dataset", "heavy_transform", "tiny_batch", "slow_callback", "odd_layer",
           "checkpoint_each_step")
DEFAULTS = {"save_every": 1, "batch_size": 2, "num_workers": 1}  # what `*=` multiplies
LEAST_INSIDE = 0.8
GPU_SETTINGS = {
    "eager": ["--set", "knobs.eager=true"],
    "fp32": ["--precision", "fp32"],
    "not_ahead": ["--set", "knobs.steps_in_flight=1", "--resident", "off"],
    "decoded_by_one": ["--resident", "off", "--input-threads", "1", "--set", "knobs.decode=cpu"],
}


def run(given, command, **more):
    done = subprocess.run([*given.prefix.split(), *map(str, command)], capture_output=True, text=True,
                          timeout=600, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def judge(fix, gain, noise):
    """Whether the measured gain is what was said: True or False; None where nothing was."""
    if fix["samples_per_s"]["value"] < 0:
        return None
    if fix["at_most"]:
        return gain <= fix["gain"] + max(0.1 * fix["gain"], noise)
    return fix["gain_low"] <= gain <= fix["gain_high"]


def told(fix):
    if fix["samples_per_s"]["value"] < 0:
        return "not predicted"
    if fix["at_most"]:
        return f"at most {100 * fix['gain']:+.0f} %"
    return f"{100 * fix['gain_low']:+.0f} to {100 * fix['gain_high']:+.0f} %"


def measure(rounds, ways, rate_of):
    """Gains over the first way. Ways take turns; of each its fastest round counts, since whatever else a
    machine does only slows down."""
    best = [0] * len(ways)
    for _ in range(rounds):
        for number, way in enumerate(ways):
            best[number] = max(best[number], rate_of(way))
    return [rate / best[0] - 1 for rate in best]


def report(case, fixes, gains, given):
    rows = []
    for fix, gain in zip(fixes, gains):
        inside = judge(fix, gain, given.noise)
        row = {"case": case, "fix": fix["name"], "set": fix["set"], "told": told(fix), "gain": gain,
               "low": fix["gain_low"], "high": fix["gain_high"], "predicted": fix["gain"],
               "at_most": fix["at_most"], "inside": inside, "loss": gain < -given.noise}
        rows.append(row)
        word = {True: "inside", False: "OUTSIDE", None: "-"}[inside]
        print(f"{case:22}{fix['name']:15}{' '.join(fix['set'])[:38]:39}{told(fix):>18}{100 * gain:+8.0f} %  "
              f"{word}{'  LOSS' if row['loss'] else ''}", flush=True)
    return rows


def summarize(rows, wrong_words, given):
    judged = [row for row in rows if row["inside"] is not None]
    inside, losses = sum(row["inside"] for row in judged), sum(row["loss"] for row in rows)
    print(f"\n{inside} of {len(judged)} gains are as they were told (wanted: {100 * LEAST_INSIDE:.0f} %); "
          f"{losses} of {len(rows)} fixes lose (wanted: none)")
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(rows, indent=1))
    for text in wrong_words:
        print(f"not in the program's own words: {text}")
    return 0 if judged and inside >= LEAST_INSIDE * len(judged) and not losses and not wrong_words else 1


# PyTorch

def knobs_of(fix):
    knobs = []
    for text in fix["set"]:
        name, times, value = re.match(r"([a-z_]+)(\*?)=(.+)", text).groups()
        knobs.append(f"{name}={DEFAULTS[name] * int(value) if times else value}")
    return knobs


def foreign_words(script, said):
    texts = [fix[key] for fix in said["fixes"] for key in ("title", "why", "command", "recipe", "code")]
    return [f"{script}: {text}" for text in texts if re.search(r"stoker|knobs|recipe:|samples/s", text)]


def pytorch(given):
    rows, wrong = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for script in given.only or SCRIPTS:
            trace = pathlib.Path(scratch) / f"{script}.json.gz"
            program = [given.python, HERE / f"{script}.py"]
            run(given, [*program, "--trace", trace, "--rounds", min(3, given.rounds), *(["--plain"] if given.plain else [])])
            said = json.loads(run(given, [given.stoker, "diagnose", trace, "--json"]))
            wrong += foreign_words(script, said)
            print(f"{script}: {said['verdict']}", flush=True)
            ways = [text for fix in said["fixes"] for text in ("/", *knobs_of(fix))]
            rates = json.loads(run(given, [*program, "--rounds", given.rounds, "--seconds", given.seconds, *ways]))
            gains = [rate / rates[0] - 1 for rate in rates[1:]]
            rows += report(script, said["fixes"], gains, given)
            if not any(row["inside"] is not None for row in rows if row["case"] == script):
                wrong.append(f"{script}: nothing is predicted")
    return summarize(rows, wrong, given)


# Our own faults

def by_hand(fix, name, value):
    """The fault as it is when a person has done what the fix says; None: nobody can here."""
    if fix["name"] in ("call_less", "fetch_less"):
        return {name: value / 10}
    if fix["name"] == "operation" and "injected" in fix["title"]:
        return {}
    return None


def way_of(bench, fix, name, value):
    """Flags of a run with the fix; None where it cannot be carried out here (a cache: see `input`)."""
    fault = [] if name == "batch" else validate.injected({name: value})
    if fix["name"] == "cache":
        return None
    if fix["set"]:
        return [*fault, *(flag for text in fix["set"] for flag in ("--set", text))]
    if fix["name"] == "write_less":
        return ["--inject", re.sub(r"/4$", "/16", fault[1])]
    left = by_hand(fix, name, value)
    return None if left is None else validate.injected(left)


def one_fault(bench, name, given):
    clean = bench.clean_before()
    value = 2 if name == "batch" else validate.value_for(bench, name, given.loss, clean, {})
    slow = ["--batch", "2"] if name == "batch" else validate.injected({name: value})
    said = bench.profile(*slow)
    print(f"{name}: {said['verdict']}")
    fixes, ways = [], [slow]
    for fix in said["fixes"]:
        way = way_of(bench, fix, name, value)
        if way is None:
            print(f"{name:22}{fix['name']:15}cannot be carried out here: {fix['title'][:60]}")
            continue
        fixes.append(fix)
        ways.append([*slow, *way] if name == "batch" else way)
    gains = measure(given.rounds, ways, lambda flags: validate.rate(bench.profile(*flags)))
    return report(name, fixes, gains[1:], given)


def one_setting(bench, name, given):
    slow = GPU_SETTINGS[name]
    said = bench.profile(*slow)
    print(f"{name}: {said['verdict']}")
    fixes = [fix for fix in said["fixes"] if fix["set"]]
    ways = [slow] + [[*slow, *(flag for text in fix["set"] for flag in ("--set", text))] for fix in fixes]
    gains = measure(given.rounds, ways, lambda flags: validate.rate(bench.profile(*flags)))
    return report(name, fixes, gains[1:], given)


def faults(given):
    rows = []
    given.stoker = str(pathlib.Path(given.stoker).resolve())
    given.data = str(pathlib.Path(given.data).resolve())
    with tempfile.TemporaryDirectory() as given.scratch:
        bench = validate.Bench(given, given.mode)
        one, names = (one_setting, GPU_SETTINGS) if given.gpu else (one_fault, validate.FAULTS)
        for name in given.only or names:
            rows += one(bench, name, given)
    return summarize(rows, [], given)


# Input

def one_input(bench, case, data, flags, given):
    slow = [*flags, "--set", "data.cache=none"]
    said = bench.advise(data, slow)
    print(f"{case}: {said['verdict']}")
    fixes, ways = [], [(data, slow)]
    for fix in said["fixes"]:
        way = advice_input.carried_out(bench, fix, data, flags)
        if way:
            fixes.append(fix)
            ways.append(way)
    gains = measure(given.rounds, ways, lambda way: bench.rate(*way))
    return report(case, fixes, gains[1:], given)


def inputs(given):
    rows = []
    given.stoker = str(pathlib.Path(given.stoker).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        bench = advice_input.Input(given, scratch)
        for case, data, flags in advice_input.cases(bench, given):
            rows += one_input(bench, case, data, flags, given)
    return summarize(rows, [], given)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parts = parser.add_subparsers(required=True)
    choices = {"pytorch": SCRIPTS, "faults": validate.FAULTS, "gpu": GPU_SETTINGS}
    for name, call in (("pytorch", pytorch), ("faults", faults), ("gpu", faults), ("input", inputs)):
        part = parts.add_parser(name)
        part.set_defaults(call=call, gpu=name == "gpu")
        part.add_argument("stoker", help="the command")
        part.add_argument("--rounds", type=int, default=5)
        part.add_argument("--seconds", type=float, default=1.5, help="of one measurement")
        part.add_argument("--noise", type=float, default=0.05, help="a loss below it is none")
        part.add_argument("--prefix", default="", help="a command that runs each run")
        part.add_argument("--json", help="a file for all that was measured")
        if call is inputs:
            part.add_argument("folder", help="of small JPEGs")
            part.add_argument("--photos", help="a folder of large JPEGs")
            part.add_argument("--images", type=int, default=1000, help="of the folder")
            continue
        part.add_argument("--only", action="append", choices=choices[name])
        if call is pytorch:
            part.add_argument("python", help="with torch")
            part.add_argument("--plain", action="store_true", help="traces without stacks and shapes")
            continue
        part.add_argument("data", help="images; the demo's Fashion-MNIST pack is enough")
        part.add_argument("--model", default="lenet")
        part.add_argument("--batch", type=int, default=32)
        part.add_argument("--mode", default="together", choices=validate.MODES)
        part.add_argument("--loss", type=float, default=0.5, help="of the rate that a fault costs")
    return parser.parse_args()


if __name__ == "__main__":
    given = parse()
    sys.exit(given.call(given))
