"""Advice on input whose effect comes with the second epoch or with other data: `cache`, `pack`, `resize`.

Rates are those of a run's last epoch, so that a cache is full and nothing of the start counts."""
import csv
import json
import pathlib
import shutil
import subprocess
import sys

EPOCHS = 3
MODEL = ["--model", "lenet", "--validation", "none", "--set", "data.shuffle=512"]


class Input:
    def __init__(self, given, scratch):
        self.given = given
        self.scratch = pathlib.Path(scratch)
        self.number = 0

    def call(self, *words):
        command = [*self.given.prefix.split(), self.given.stoker, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False,
                              cwd=self.scratch)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr[-2000:]}")
        return done.stdout

    def folder(self):
        self.number += 1
        return self.scratch / f"run{self.number}"

    def advise(self, data, flags):
        folder = self.folder()
        said = json.loads(self.call("profile", data, *MODEL, *flags, "--seconds", self.given.seconds, "--no-report",
                                    "--json", "-q", "-o", folder))
        shutil.rmtree(folder)
        return said

    def rate(self, data, flags):
        """Samples a second of the last epoch; its first step ends what came before."""
        folder = self.folder()
        self.call("train", data, *MODEL, *flags, "--epochs", EPOCHS, "-q", "-o", folder)
        with open(folder / "metrics.csv", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["loss"] and float(row["epoch"]) > EPOCHS - 1]
        shutil.rmtree(folder)
        steps = int(rows[-1]["step"]) - int(rows[0]["step"])
        return steps / (float(rows[-1]["seconds"]) - float(rows[0]["seconds"]))


def in_classes(photos, folder, most):
    """A copy of some images in two folders: training needs two classes."""
    names = sorted(p for p in pathlib.Path(photos).rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
    for number, name in enumerate(names[:: max(1, len(names) // most)][:most]):
        to = folder / "ab"[number % 2]
        to.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, to / f"{number}.jpg")
    return folder


def mean_bytes(folder):
    sizes = [path.stat().st_size for path in folder.rglob("*.jpg")]
    return sum(sizes) / len(sizes)


def carried_out(bench, fix, data, flags):
    """Data and flags with the fix done as its command says; None where it is none of the input's."""
    if fix["name"] == "cache":
        return data, [*flags, *(word for text in fix["set"] for word in ("--set", text))]
    if fix["name"] not in ("pack", "resize"):
        return None
    folder = bench.scratch / f"{data.name}-{fix['name']}"
    said = fix["command"].split("&&")[0].split()
    bench.call("pack", data, folder, *said[4:])
    return folder, flags


def cases(bench, given):
    """(name, data, flags): each fault costs twice a clean step, whatever that takes here."""
    small = in_classes(given.folder, bench.scratch / "small", given.images)
    step = 1 / bench.rate(small, ["--batch", "32"])
    yield "late_files", small, ["--batch", "32", "--inject", f"read-latency={2e3 * step / 32:.3f}ms"]
    packed = bench.scratch / "packed"
    bench.call("pack", small, packed)
    slow = 32 * mean_bytes(small) / (2 * step)
    yield "slow_pack", packed, ["--batch", "32", "--inject", f"read={slow / 1e3:.1f}KB/s"]
    if given.photos:
        yield "large_images", in_classes(given.photos, bench.scratch / "photos", 200), ["--batch", "16", "--size", "64"]
