#!/usr/bin/env python3
"""validate.py STOKER DATA: is what `stoker profile` says true?

Each stage of a real run is slowed down on purpose (--inject), three times as much each time, and two
stages at once. Every such run stands between two clean ones of the same length, so that the gain of
really taking the fault away is measured right beside what was predicted. Of a fault of which step time
is L without it and S with it, the loss is 1 - L/S; what was predicted is the same with the rate that the
diagnosis gives for a run without the stage. The error is their difference in percentage points.

Targets: the right stage first for every loss of 15 % and more, a median error of 5 points at most, no
stage but S4 named on a clean run, and of two faults both among the first two."""
import argparse
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

LOSSES = (0.2, 0.4, 0.7)
LEAST_LOSS = 0.15  # below, a wrong stage is no mistake
MODES = {"together": [], "ahead": ["--threads", "1", "--input-threads", "1"]}

# fault: its stage, how a value is written, and a first value to learn from what it costs;
# None: the value is the seconds themselves
FAULTS = {
    "read": ("S1", lambda v: f"read={max(v, 1e5) / 1e6:.4f}MB/s", None),
    "preprocess": ("S2", lambda v: f"preprocess={v * 1e6:.3f}us", None),
    "copy": ("S3", lambda v: f"copy={v:.0f}x", 2000),
    "op": ("S4", lambda v: f"op={v:.4f}x", 1),
    "batch": ("S4", None, None),
    "allreduce": ("S5", lambda v: f"allreduce={v * 1e3:.4f}ms", None),
    "fetch": ("S6", lambda v: f"fetch={v / 1e6:.4f}MB", 20e6),
    "callback": ("S7", lambda v: f"callback={v * 1e3:.4f}ms", None),
    "write": ("S8", lambda v: f"write={v / 1e6:.4f}MB/4", 8e6),
}
PAIRS = (("preprocess", "callback"), ("allreduce", "write"), ("copy", "fetch"), ("read", "callback"))


class Bench:
    def __init__(self, given, mode):
        self.given = given
        self.mode = mode
        self.clean_runs = []
        self.fresh = None  # a clean run right before what comes next

    def profile(self, *flags):
        """What one run says: its diagnosis, and the profile that it is made from."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.given.scratch))
        command = [self.given.stoker, "profile", self.given.data, "--model", self.given.model,
                   "--batch", str(self.given.batch), "--validation", "none", "--no-report", "--json",
                   "--quiet", "--seconds", str(self.given.seconds), "-o", str(folder / "profile"),
                   "--set", "data.shuffle=512",  # a large buffer takes minutes to fill from a slow disk
                   *MODES[self.mode], *flags]
        self.fresh = None
        try:
            done = subprocess.run([*self.given.prefix.split(), *command], capture_output=True,
                                  text=True, cwd=self.given.scratch, timeout=120, check=False)
            if done.returncode:
                sys.exit(f"{' '.join(command)}\n{done.stderr}")
            said = json.loads(done.stdout)
            said["profile"] = json.loads((folder / "profile/profile.json").read_text())
        finally:
            shutil.rmtree(folder)
        return said

    def clean(self, *flags):
        said = self.profile(*flags)
        if not flags:
            self.clean_runs.append(said)
            self.fresh = said
        return said

    def clean_before(self):
        return self.fresh or self.clean()

    def step(self, said):
        return self.given.batch / rate(said)


def rate(said):
    return said["samples_per_s"]["value"]


def stage(limit):
    return limit["stage"][:2]


def stages_of(said):
    return {f"S{number}": row for number, row in enumerate(said["profile"]["stages"])}


def injected(values):
    return [flag for name, value in values.items() for flag in ("--inject", FAULTS[name][1](value))]


def cost_of(bench, name, unit_runs):
    """Seconds a step for a value of 1, from one run with the first value."""
    if name not in unit_runs:
        first = FAULTS[name][2]
        slow = bench.profile(*injected({name: first}))
        seconds = bench.step(slow) - bench.step(bench.clean())
        unit_runs[name] = max(seconds, 1e-6) / first
    return unit_runs[name]


def value_for(bench, name, loss, clean, unit_runs):
    """A value that should cost this much of the clean run's rate."""
    step, samples = bench.step(clean), bench.given.batch
    more = step * loss / (1 - loss)
    if name == "read":
        read = stages_of(clean)["S1"]
        return rate(clean) * (1 - loss) * read["bytes"] / max(read["items"], 1)
    if name == "preprocess":
        if bench.mode == "together":
            return more / samples
        prepare = stages_of(clean)["S2"]
        return max((step + more) / samples - prepare["busy_ns"] * 1e-9 / max(prepare["items"], 1),
                   1e-6)
    if FAULTS[name][2] is None:
        return more
    return more / cost_of(bench, name, unit_runs)


def names_operation(said):
    texts = [said["verdict"], *said["evidence"], *(limit["sentence"] for limit in said["limits"])]
    texts += [fix["title"] + fix["why"] for fix in said["fixes"]]
    return any("injected.conv" in text for text in texts)


def is_right(name, said):
    """The stage, and of S4, where a clean run is too, the cause."""
    if stage(said["limit"]) != FAULTS[name][0]:
        return False
    if name == "op":
        return names_operation(said)
    return said["limit"]["cause"] == "launch" if name == "batch" else True


def predicted(name, said):
    """Samples a second without the fault; None where nothing was said of it."""
    for fix in said["fixes"]:
        about = fix["title"] + fix["why"]
        if name == "op" and "injected.conv" in about or name == "batch" and "--batch" in fix["command"]:
            return fix["samples_per_s"]["value"]
    for limit in said["limits"]:
        if stage(limit) == FAULTS[name][0] and name not in ("op", "batch"):
            return limit["if_removed"]["value"]
    return None


def larger_batch(said):
    for fix in said["fixes"]:
        found = re.search(r"--batch (\d+)", fix["command"])
        if found:
            return ["--batch", found.group(1)]
    return []


def one_fault(bench, name, loss, unit_runs):
    before = bench.clean_before()
    if name == "batch":
        small = {0.2: 8, 0.4: 4, 0.7: 1}[loss]
        how, slow = f"--batch {small}", bench.profile("--batch", str(small))
        after = before = bench.clean(*larger_batch(slow))
    else:
        how = injected({name: value_for(bench, name, loss, before, unit_runs)})[1]
        before = bench.clean_before()
        slow = bench.profile("--inject", how)
        after = bench.clean()
    clean = 2 / (1 / rate(before) + 1 / rate(after))
    then = predicted(name, slow)
    real = 1 - rate(slow) / clean
    row = {"mode": bench.mode, "fault": name, "how": how, "loss": real, "verdict": slow["verdict"],
           "stage": stage(slow["limit"]), "cause": slow["limit"]["cause"],
           "right": is_right(name, slow), "clean": clean, "slow": rate(slow), "predicted": then,
           "error": None if not then or then < 0 else 100 * abs((1 - rate(slow) / then) - real),
           "noise": 100 * abs(rate(before) - rate(after)) / clean}
    return row


def two_faults(bench, names, unit_runs):
    clean = bench.clean_before()
    values = {name: value_for(bench, name, 0.35, clean, unit_runs) for name in names}
    said = bench.profile(*injected(values))
    first = [stage(limit) for limit in said["limits"]][:2]
    return {"mode": bench.mode, "faults": names, "first": first, "limits": said["limits"],
            "right": sorted(first) == sorted(FAULTS[name][0] for name in names),
            "loss": 1 - rate(said) / rate(clean)}


def print_row(row):
    then = f"{row['predicted']:8.0f}" if row["predicted"] else "       -"
    error = f"{row['error']:5.1f}" if row["error"] is not None else "    -"
    print(f"{row['mode']:9}{row['fault']:11}{row['how']:24}{100 * row['loss']:5.0f} %  {row['stage']} "
          f"{row['cause']:16}{'yes' if row['right'] else 'NO ':4}{row['slow']:8.0f}{then}"
          f"{row['clean']:8.0f} {error}  {row['noise']:4.1f}", flush=True)


def print_totals(rows, pairs, alarms, clean_count):
    judged = [row for row in rows if row["loss"] >= LEAST_LOSS]
    errors = [row["error"] for row in judged if row["error"] is not None]
    right = sum(row["stage"] == FAULTS[row["fault"]][0] for row in judged)
    print(f"\nright stage first: {right} of {len(judged)} with a loss of 15 % and more (target: all)")
    print(f"right cause as well: {sum(row['right'] for row in judged)} of {len(judged)}")
    if errors:
        print(f"error of what was predicted: median {statistics.median(errors):.1f} points, largest "
              f"{max(errors):.1f} (target: median 5 at most); {len(judged) - len(errors)} without")
    print(f"false alarms: {len(alarms)} of {clean_count} clean runs (target: none)")
    for said in alarms:
        print(f"  {said['verdict']}")
    print(f"two faults both first: {sum(pair['right'] for pair in pairs)} of {len(pairs)}")
    return right == len(judged) and not alarms and all(pair["right"] for pair in pairs)


def run_mode(given, mode):
    bench, unit_runs, rows, pairs = Bench(given, mode), {}, [], []
    for name in given.fault or FAULTS:
        for loss in LOSSES:
            rows.append(one_fault(bench, name, loss, unit_runs))
            print_row(rows[-1])
    for names in PAIRS if not given.fault else ():
        pairs.append(two_faults(bench, names, unit_runs))
        pair = pairs[-1]
        print(f"{mode:9}{' + '.join(names):35}{100 * pair['loss']:5.0f} %  {', '.join(pair['first'])}  "
              f"{'yes' if pair['right'] else 'NO'}", flush=True)
    while len(bench.clean_runs) < given.clean:
        bench.clean()
    return rows, pairs, bench.clean_runs


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stoker", help="the command")
    parser.add_argument("data", help="images; the demo's Fashion-MNIST pack is enough")
    parser.add_argument("--model", default="lenet")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=3, help="that a run is measured")
    parser.add_argument("--mode", action="append", choices=MODES, help="only these")
    parser.add_argument("--fault", action="append", choices=FAULTS, help="only these, and no pairs")
    parser.add_argument("--clean", type=int, default=10, help="clean runs at least, of a mode")
    parser.add_argument("--prefix", default="", help="a command that runs each run")
    parser.add_argument("--json", help="a file for all that was measured")
    return parser.parse_args()


def main():
    given = parse()
    given.stoker = str(pathlib.Path(given.stoker).resolve())
    given.data = str(pathlib.Path(given.data).resolve())
    rows, pairs, clean = [], [], []
    print("mode     fault      how                      loss   verdict            right  slow  "
          "predicted  clean  error noise")
    with tempfile.TemporaryDirectory() as given.scratch:
        for mode in given.mode or MODES:
            found = run_mode(given, mode)
            for total, more in zip((rows, pairs, clean), found):
                total.extend(more)
    alarms = [said for said in clean if stage(said["limit"]) != "S4"]
    good = print_totals(rows, pairs, alarms, len(clean))
    if given.json:
        clean_rows = [{key: said[key] for key in ("verdict", "limits", "compute_share")} for said in clean]
        pathlib.Path(given.json).write_text(
            json.dumps({"faults": rows, "pairs": pairs, "clean": clean_rows}, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
