#!/usr/bin/env python3
"""Stoker's and TensorFlow's Example parsers on the same records, one thread each.

    bench/storage/compare_example.py BUILD [--rounds 7]

Needs TensorFlow. Writes each data set as a TFRecord file in a temporary folder, then measures
  TensorFlow  map(parse_single_example) and batch(256).map(parse_example) over records in memory,
              with one inter-op, one intra-op and one dataset thread;
  Stoker      bench_example FILE 1 and FILE 256.
TensorFlow's time without parsing (the same pipeline with an identity map) is subtracted from its
time, so that only parsing is compared; both figures are printed. TensorFlow copies byte strings,
Stoker lends them."""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

BATCH = 256


def feature(value):
    if isinstance(value, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    if isinstance(value, float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def serialize(values):
    example = tf.train.Example(features=tf.train.Features(feature={k: feature(v) for k, v in values.items()}))
    return example.SerializeToString(deterministic=True)


def images(rng, size, count):
    for _ in range(count):
        length = int(rng.integers(size * 19 // 20, size * 21 // 20))
        yield {"image/class/label": int(rng.integers(1000)), "image/encoded": rng.bytes(length)}


def table(rng, count):
    ranges = [2, 10, 100, 100, 1000, 10000, 1000000, 1 << 30]
    for _ in range(count):
        row = {f"number_{i}": float(rng.random() * 1000) for i in range(10)}
        row.update({f"count_{i}": int(rng.integers(limit)) for i, limit in enumerate(ranges)})
        row.update({f"category_{i}": b"value-%d" % rng.integers(5000) for i in range(2)})
        yield row


def spec_of(values):
    types = {bytes: tf.string, float: tf.float32, int: tf.int64}
    return {k: tf.io.FixedLenFeature([], types[type(v)]) for k, v in values.items()}


def time_dataset(dataset, rounds):
    """Seconds of one pass, each round; the first pass is not counted."""
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    options.threading.max_intra_op_parallelism = 1
    options.autotune.enabled = False
    dataset = dataset.with_options(options)
    # Counting inside the graph: fetching every element to Python would be measured instead.
    count = tf.function(lambda: dataset.reduce(np.int64(0), lambda n, _: n + 1))
    count()
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        count()
        seconds.append(time.perf_counter() - begin)
    return seconds


def run_stoker(bench, path, batch):
    text = subprocess.run([bench, path, str(batch)], check=True, capture_output=True, text=True).stdout
    match = re.search(r"([\d.e+]+) examples/s\s+\(best ([\d.e+]+), worst ([\d.e+]+)\)", text)
    return [float(g) for g in match.groups()]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("build", type=pathlib.Path, metavar="BUILD")
    options.add_argument("--rounds", type=int, default=7)
    options = options.parse_args()
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    rng = np.random.default_rng(1)
    sets = {"image of 1 KB + label": list(images(rng, 1000, 8192)),
            "image of 100 KB + label": list(images(rng, 100000, 512)),
            "table of 20": list(table(rng, 8192))}
    print(f"TensorFlow {tf.__version__}, one thread each; examples/s: median (worst .. best)")
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in sets.items():
            records, spec = [serialize(r) for r in rows], spec_of(rows[0])
            path = os.path.join(folder, "records")
            with tf.io.TFRecordWriter(path) as writer:
                for record in records:
                    writer.write(record)
            source = tf.data.Dataset.from_tensor_slices(records).cache()
            cases = {"map(parse_single_example)": (1, source.map(lambda r: tf.io.parse_single_example(r, spec)),
                                                   source.map(tf.identity)),
                     "map(parse_example)": (BATCH, source.batch(BATCH).map(lambda r: tf.io.parse_example(r, spec)),
                                            source.batch(BATCH).map(tf.identity))}
            for label, (batch, parsing, plain) in cases.items():
                seconds = time_dataset(parsing, options.rounds)
                empty = statistics.median(time_dataset(plain, options.rounds))
                rates = sorted(len(records) / s for s in seconds)
                alone = len(records) / max(statistics.median(seconds) - empty, 1e-9)
                ours, best, worst = run_stoker(options.build / "bench/bench_example", path, batch)
                theirs = statistics.median(rates)
                print(f"{name}, batch {batch}\n"
                      f"  TensorFlow {label}: {theirs:.3g} ({rates[0]:.3g} .. {rates[-1]:.3g}), parsing alone {alone:.3g}\n"
                      f"  Stoker: {ours:.3g} ({worst:.3g} .. {best:.3g})\n"
                      f"  ratio {ours / theirs:.1f}, to parsing alone {ours / alone:.1f}", flush=True)


main()
