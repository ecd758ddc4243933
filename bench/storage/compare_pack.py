#!/usr/bin/env python3
"""compare_pack.py BUILD SOURCE: packs a folder of SPLIT/CLASS/*.jpg with `stoker pack` and with the
usual TensorFlow loop, alternating, warm, and prints files per second and the ratio."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROUNDS = 5


def stoker_seconds(build, source, out):
    shutil.rmtree(out, ignore_errors=True)
    begin = time.perf_counter()
    subprocess.run([build / "stoker", "pack", source, out, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def tensorflow_seconds(tf, source, out):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    feature = tf.train.Feature
    begin = time.perf_counter()
    for split in sorted(path for path in source.iterdir() if path.is_dir()):
        with tf.io.TFRecordWriter(str(out / f"{split.name}.tfrecord")) as writer:
            for label, folder in enumerate(sorted(split.iterdir())):
                for path in sorted(folder.iterdir()):
                    features = {
                        "image": feature(bytes_list=tf.train.BytesList(value=[path.read_bytes()])),
                        "label": feature(int64_list=tf.train.Int64List(value=[label])),
                        "image/filename": feature(
                            bytes_list=tf.train.BytesList(value=[path.name.encode()])),
                    }
                    example = tf.train.Example(features=tf.train.Features(feature=features))
                    writer.write(example.SerializeToString())
    return time.perf_counter() - begin


def main():
    build, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = sum(1 for path in source.rglob("*.jpg"))
    work = pathlib.Path(tempfile.mkdtemp())
    try:
        import tensorflow as tf
    except ImportError:
        tf = None
    ours, theirs = [], []
    stoker_seconds(build, source, work / "ours")  # warms the page cache
    for i in range(ROUNDS):
        ours.append(stoker_seconds(build, source, work / "ours"))
        if tf and i < 2:  # it takes long
            theirs.append(tensorflow_seconds(tf, source, work / "theirs"))
    shutil.rmtree(work)
    middle = statistics.median(ours)
    print(f"stoker pack: {files} files, {files / middle:,.0f} files/s, median of {ROUNDS} "
          f"({files / max(ours):,.0f} .. {files / min(ours):,.0f})")
    if theirs:
        print(f"TensorFlow's loop: {files / statistics.median(theirs):,.0f} files/s; "
              f"ratio {statistics.median(theirs) / middle:.0f}x")


main()
