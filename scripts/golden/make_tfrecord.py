#!/usr/bin/env python3
"""Writes small TFRecord files with TensorFlow, as the reference for the reader and the writer.

    python make_tfrecord.py tests/data/tfrecord
"""
import pathlib
import sys

import tensorflow as tf

SIZES = [0, 1, 11, 12, 13, 100, 0, 0, 255, 256, 1023, 4095, 4096, 4097]


def record(index, size):
    """The bytes that tests/storage/test_tfrecord_golden.c expects."""
    return bytes((index * 31 + i * 7 + i // 256) & 0xFF for i in range(size))


def write(path, records, compression):
    options = tf.io.TFRecordOptions(compression_type=compression)
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for data in records:
            writer.write(data)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    records = [record(i, size) for i, size in enumerate(SIZES)]
    write(folder / "sizes.tfrecord", records, "")
    write(folder / "sizes.gzip.tfrecord", records, "GZIP")
    write(folder / "sizes.zlib.tfrecord", records, "ZLIB")
    write(folder / "empty.tfrecord", [], "")
    write(folder / "empty.gzip.tfrecord", [], "GZIP")
    write(folder / "empty.zlib.tfrecord", [], "ZLIB")
    write(folder / "zero_lengths.tfrecord", [b""] * 3, "")
    print("TensorFlow", tf.__version__)


if __name__ == "__main__":
    main()
