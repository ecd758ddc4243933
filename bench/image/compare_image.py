#!/usr/bin/env python3
"""compare_image.py BUILD: image input pipelines beside their peers, on the same cores.

Photos (a folder with folders of JPEGs) through random resized crop to 224 and flip, CIFAR-10 as JPEG
files through pad, crop and flip, both to uint8 batches of 64: Stoker over files and over packs of
several kinds, the bare libjpeg-turbo loop (photos in memory), torchvision, tf.data, DALI and FFCV
where their python has them. Rounds are interleaved; each peer runs in its fastest configuration.
Prints medians with the worst and best round, and ratios."""
import argparse
import json
import pathlib
import sys
import tempfile

import contest
import ours
import records
from contest import CannotRun, Peer, Program

GROUPS = {
    "photos": ("plain files", "packed", "seekable", "resize-256 seekable", "raw-256"),
    "photos-256": ("resize-256 seekable", "raw-256"),
    "cifar": ("CIFAR files", "CIFAR pack", "CIFAR pack, raw"),
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="where stoker and bench/bare_loop are")
    parser.add_argument("--photos", type=pathlib.Path)
    parser.add_argument("--cifar", type=pathlib.Path, help="with train/ below it")
    parser.add_argument("--cores", default="1", help="such as 1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of a round")
    parser.add_argument("--group", action="append", choices=GROUPS, help="only these")
    parser.add_argument("--work", type=pathlib.Path, help="packs are kept here for the next run")
    parser.add_argument("--json", type=pathlib.Path, help="all numbers, as JSON")
    parser.add_argument("--no-peers", action="store_true", help="the bare loop and Stoker only")
    parser.add_argument("--torch-python", default=sys.executable, help="with torch, torchvision, DALI")
    parser.add_argument("--tensorflow-python", default=sys.executable)
    parser.add_argument("--ffcv-python", default=sys.executable)
    return parser.parse_args()


class Bench:
    def __init__(self, given, work):
        self.given, self.work, self.stoker = given, work, given.build / "stoker"

    def source(self, row):
        return self.given.cifar if row.startswith("CIFAR") else self.given.photos

    def pack(self, row):
        return ours.pack(self.stoker, row, self.source(row), self.work)

    def photos_256(self):
        folder = self.work / "photos-256"
        if not folder.exists():
            records.unpack(self.pack("resize-256 seekable"), folder)
        return folder

    def row(self, row, threads):
        path = self.pack(row) if row in ours.PACKS else self.source(row)
        preset = "cifar" if row.startswith("CIFAR") else "imagenet"
        return ours.program(self.stoker, row, path, preset, self.work, threads, self.given.seconds)

    def bare(self, folder, threads, *flags):
        return Program("bare loop", [self.given.build / "bench/bare_loop", folder, "--rounds", 1,
                                     "--seconds", self.given.seconds, "--threads", threads, *flags])

    def peers(self, task, folder, threads, pack):
        given = self.given

        def peer(name, python, script, data, *flags):
            return Peer(name, python, script, [task, data, "--threads", threads, "--seconds",
                                               given.seconds, "--work", self.work, *flags])

        found = [peer("torchvision", given.torch_python, "peer_torchvision.py", folder),
                 peer("tf.data", given.tensorflow_python, "peer_tensorflow.py", folder),
                 peer("DALI", given.torch_python, "peer_dali.py", folder),
                 peer("FFCV", given.ffcv_python, "peer_ffcv.py", folder)]
        if pack:
            found.append(peer("tf.data, records", given.tensorflow_python, "peer_tensorflow.py",
                              f"{pack}/*train*.tfrecord-*" if task == "small" else
                              f"{pack}/*.tfrecord-*"))
        if task == "small" or "256" in str(folder):
            found.append(peer("FFCV raw", given.ffcv_python, "peer_ffcv.py", folder, "--raw"))
        return found

    def others(self, group, threads):
        if group == "cifar":
            folder, task, flags, pack = self.given.cifar / "train", "small", ["--small"], "CIFAR pack"
        elif group == "photos":
            folder, task, flags, pack = self.given.photos, "crop", [], "packed"
        else:
            folder, task, flags, pack = self.photos_256(), "crop", [], "resize-256 seekable"
        found = [self.bare(folder, threads, *flags)]
        if not self.given.no_peers:
            found += self.peers(task, folder, threads, self.try_pack(pack))
        return found

    def try_pack(self, row):
        try:
            return self.pack(row)
        except CannotRun as error:
            print(f"left out: {error}", file=sys.stderr)
            return None

    def rows(self, group, threads):
        return [self.row(row, threads) for row in GROUPS[group]
                if row not in ours.PACKS or self.try_pack(row)]


def show(group, cores, rows, others, rates, refused):
    print(f"\n{group}, {cores} core{'s' if cores > 1 else ''}: samples/s, median (worst .. best)")
    for contestant in [*rows, *others]:
        name = contestant.name
        if name in rates:
            print(f"  {name:22} {contest.text(rates[name]):32} {contestant.note}")
        else:
            print(f"  {name:22} not run: {refused[name]}")
    peers = [other.name for other in others if other.name in rates]
    table = []
    for row in (row.name for row in rows if row.name in rates):
        cells = [contest.ratio(rates[row], rates[name]) for name in peers]
        table.append([row, f"{contest.summary(rates[row])['median'] / cores:,.0f}",
                      *(f"{cell['median']:.2f} ({cell['worst']:.2f}..{cell['best']:.2f})"
                        for cell in cells)])
    if table and peers:
        contest.print_table(["Stoker, times the peer's rate", "per core", *peers], table)
    sys.stdout.flush()


def record(group, cores, rows, others, rates, refused):
    names = [row.name for row in rows if row.name in rates]
    return {"group": group, "cores": cores, "refused": refused,
            "rates": {name: contest.summary(found) for name, found in rates.items()},
            "notes": {other.name: other.note for other in others},
            "tried": {other.name: getattr(other, "tried", None) for other in others},
            "ratios": {name: {other.name: contest.ratio(rates[name], rates[other.name])
                              for other in others if other.name in rates} for name in names}}


def compare(given, work):
    bench, found = Bench(given, work), []
    for group in given.group or GROUPS:
        if not (given.cifar if group == "cifar" else given.photos):
            continue
        for cores in map(int, given.cores.split(",")):
            try:
                rows, others = bench.rows(group, cores), bench.others(group, cores)
            except CannotRun as error:
                print(f"{group}: left out: {error}", file=sys.stderr)
                continue
            rates, refused = contest.run([*rows, *others], contest.choose_cpus(cores), given.rounds)
            show(group, cores, rows, others, rates, refused)
            found.append(record(group, cores, rows, others, rates, refused))
    return found


def main():
    given = parse()
    machine = contest.machine()
    print(f"{machine['processor']}, {machine['cpus']} CPUs of {machine['cores']} cores, load "
          f"{machine['load']:.1f} before; {given.rounds} interleaved rounds of {given.seconds:g} s")
    with tempfile.TemporaryDirectory() as scratch:
        work = given.work or pathlib.Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        found = compare(given, work)
    if given.json:
        given.json.write_text(json.dumps({"machine": machine, "results": found}, indent=2) + "\n")


main()
