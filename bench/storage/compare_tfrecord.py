#!/usr/bin/env python3
"""compare_tfrecord.py BUILD [FOLDER]: reads the same TFRecord files with Stoker and with
TensorFlow's TFRecordDataset (the best of three batch sizes), alternating, one thread each, from the
page cache, and prints the ratio of the medians with the spread."""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

ROUNDS = 7
SIZES = [("100 KB records", 100_000, 2_000), ("1 KB records", 1_000, 200_000)]


def write(path, size, count):
    record = os.urandom(size)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(count):
            writer.write(record)


def tensorflow_seconds(path, count, batch):
    """The loop stays inside TensorFlow: no Python object per record."""
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    options.autotune.enabled = False
    data = tf.data.TFRecordDataset(str(path)).batch(batch).with_options(options)
    begin = time.perf_counter()
    total = data.reduce(tf.constant(0, tf.int64), lambda n, records: n + tf.size(records, tf.int64))
    seconds = time.perf_counter() - begin
    assert int(total) == count
    return seconds


def stoker_seconds(program, folder, path, count):
    """The median of the program's own rounds."""
    text = subprocess.run([program, folder, "read", path], check=True, capture_output=True, text=True)
    return count / float(re.search(r"([0-9.e+]+) records/s", text.stdout).group(1))


def main():
    build = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    print(f"TensorFlow {tf.__version__}, medians of {ROUNDS} (worst .. best)")
    for name, size, count in SIZES:
        path = folder / f"compare-{size}.tfrecord"
        write(path, size, count)
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(stoker_seconds(build / "bench/bench_tfrecord", folder, path, count))
            theirs.append(min(tensorflow_seconds(path, count, batch) for batch in (1, 32, 1024)))
        path.unlink()
        for who, seconds in (("stoker", ours), ("tensorflow", theirs)):
            middle = statistics.median(seconds)
            print(f"{name:16} {who:12} {size * count / middle / 1e9:7.2f} GB/s "
                  f"{count / middle / 1e6:8.3f} M records/s "
                  f"({count / max(seconds) / 1e6:.3f} .. {count / min(seconds) / 1e6:.3f})")
        ratio = statistics.median(theirs) / statistics.median(ours)
        print(f"{name:16} ratio {ratio:.1f}x")


main()
