#!/usr/bin/env python3
"""compare_pipeline.py BUILD PACK [FILES]: the same pipelines in Stoker, tf.data and, where this or
another python has it (TORCH_PYTHON), torch's DataLoader; alternating, all cores, data in the page
cache. PACK is a folder of TFRecords as `stoker pack` writes them; FILES the folder SPLIT/CLASS/*.jpg
it was made of, for the DataLoader and for the ratio of packed to loose files. Prints medians, spread
and ratios."""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

ROUNDS = 5
TORCH = """
import json, pathlib, sys, time
import torch
from torch.utils.data import DataLoader, Dataset

class Files(Dataset):
    def __init__(self, folder):
        self.paths = sorted(str(p) for p in pathlib.Path(folder).rglob("*.jpg"))
    def __len__(self):
        return len(self.paths)
    def __getitem__(self, index):
        with open(self.paths[index], "rb") as file:
            return file.read()

def keep(batch):
    return batch

data = Files(sys.argv[1])
for workers in (0, 1, 2):
    begin = time.perf_counter()
    first = None
    for batch in DataLoader(data, batch_size=256, shuffle=True, num_workers=workers, collate_fn=keep):
        first = first or time.perf_counter() - begin
    seconds = time.perf_counter() - begin
    print(json.dumps({"workers": workers, "rate": len(data) / seconds, "first_ms": first * 1e3}))
"""


def tensorflow_records(files, count):
    """One epoch, counted inside TensorFlow, so that no Python object is made for a batch."""
    features = {"image": tf.io.FixedLenFeature([], tf.string),
                "label": tf.io.FixedLenFeature([], tf.int64)}
    data = (tf.data.TFRecordDataset(files)
            .map(lambda record: tf.io.parse_single_example(record, features),
                 num_parallel_calls=tf.data.AUTOTUNE)
            .shuffle(10000).batch(256).prefetch(tf.data.AUTOTUNE))
    begin = time.perf_counter()
    total = data.reduce(tf.constant(0, tf.int64),
                        lambda n, batch: n + tf.size(batch["label"], tf.int64))
    seconds = time.perf_counter() - begin
    assert int(total) == count, (int(total), count)
    begin = time.perf_counter()
    next(iter(data))
    return count / seconds, (time.perf_counter() - begin) * 1e3


def tensorflow_maps(maps, count):
    data = tf.data.Dataset.range(count)
    for _ in range(maps):
        data = data.map(lambda x: x + 1)
    begin = time.perf_counter()
    data.reduce(tf.constant(0, tf.int64), lambda n, x: n + 1)
    return (time.perf_counter() - begin) / count * 1e9


def stoker(build, *arguments):
    run = subprocess.run([build / "bench/bench_pipeline", *map(str, arguments)], check=True,
                         capture_output=True, text=True)
    return run.stdout


def number(pattern, text):
    return float(re.search(pattern, text).group(1))


def spread(values):
    return f"{statistics.median(values):,.4g} ({min(values):,.4g} .. {max(values):,.4g})"


def compare_records(build, pack):
    files = sorted(str(path) for path in pack.glob("*.tfrecord-*"))
    count = sum(1 for _ in tf.data.TFRecordDataset(files))
    pattern = str(pack / "*.tfrecord-*")
    ours, first, theirs, their_first = [], [], [], []
    for _ in range(ROUNDS):
        text = stoker(build, "records", pattern)
        ours.append(number(r"records: ([0-9.e+]+) elements/s", text))
        first.append(number(r"first ([0-9.e+-]+) ms", text))
        rate, ms = tensorflow_records(files, count)
        theirs.append(rate)
        their_first.append(ms)
    print(f"records, parse, shuffle(10000), batch(256), prefetch: Stoker {spread(ours)} records/s, "
          f"tf.data AUTOTUNE {spread(theirs)}: "
          f"{statistics.median(ours) / statistics.median(theirs):.1f}x")
    print(f"first batch of it: Stoker {spread(first)} ms, tf.data {spread(their_first)} ms")
    print(text.strip())


def compare_maps(build, maps):
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(number(r"maps fused: ([0-9.e+]+) ns", stoker(build, "maps", maps)))
        theirs.append(tensorflow_maps(maps, 20000))
    print(f"{maps} trivial maps on scalars: Stoker {spread(ours)} ns an element "
          f"({statistics.median(ours) / maps:.1f} a map), tf.data {spread(theirs)}: "
          f"{statistics.median(theirs) / statistics.median(ours):.0f}x")


def compare_files(build, files, pack):
    """The same values both ways: bytes and label, in the order they are stored."""
    ours, packed = [], []
    for _ in range(ROUNDS):
        ours.append(number(r"source: ([0-9.e+]+) elements/s", stoker(build, "source", files)))
        packed.append(number(r"packed: ([0-9.e+]+) elements/s",
                             stoker(build, "packed", pack / "*.tfrecord-*")))
    packed_rate = statistics.median(packed)
    print(f"a warm epoch: over the files {spread(ours)} a second, over the pack {spread(packed)}: "
          f"{packed_rate / statistics.median(ours):.1f}x")
    python = os.environ.get("TORCH_PYTHON", "/usr/bin/python3")
    run = subprocess.run([python, "-c", TORCH, str(files)], capture_output=True, text=True)
    if run.returncode:
        print("no torch: set TORCH_PYTHON to a python that has it")
        return
    for line in run.stdout.splitlines():
        peer = json.loads(line)
        print(f"torch DataLoader over the files, {peer['workers']} workers: {peer['rate']:,.4g} "
              f"files/s, first batch {peer['first_ms']:.0f} ms; Stoker over the files is "
              f"{statistics.median(ours) / peer['rate']:.1f}x, over the pack "
              f"{packed_rate / peer['rate']:.1f}x")


def main():
    build, pack = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    print(f"TensorFlow {tf.__version__}, medians of {ROUNDS} (worst and best in brackets)")
    compare_records(build, pack)
    compare_maps(build, 10)
    if len(sys.argv) > 3:
        compare_files(build, pathlib.Path(sys.argv[3]), pack)
    print(stoker(build, "checkpoint").strip())
    print(stoker(build, "slow").strip())


main()
