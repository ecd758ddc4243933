#!/usr/bin/env python3
"""check-tensorflow-reads-us.py BUILD: what Stoker writes, TensorFlow reads: a pack of a folder in
every compression TensorFlow has, and Examples and SequenceExamples written through the C API.
Needs tensorflow (pip install tensorflow-cpu). Exit 1 when anything differs."""
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf


def make_photos(folder):
    """Files of many sizes, none of them a real image: packing does not look inside."""
    expected = {}
    for label, name in enumerate(["cat", "dog", "newt"]):
        (folder / name).mkdir(parents=True)
        for i in range(200):
            content = bytes([(i * 7 + k) % 256 for k in range(1 + i * 13 % 3000)])
            (folder / name / f"{i:03}.jpg").write_bytes(content)
            expected[f"{name}/{i:03}.jpg"] = (label, content)
    return expected


def check_pack(build, work, photos, expected, codec):
    out = work / f"pack_{codec}"
    subprocess.run([build / "stoker", "pack", photos, out, "--shard-mb", "0.05", "--compression",
                    codec, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    shards = sorted(str(path) for path in out.glob("*.tfrecord-*"))
    assert len(shards) > 3, shards
    data = tf.data.TFRecordDataset(shards, compression_type="" if codec == "none" else codec.upper())
    wanted = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "image/filename": tf.io.FixedLenFeature([], tf.string),
    }
    seen = {}
    for example in data.map(lambda record: tf.io.parse_single_example(record, wanted)):
        seen[example["image/filename"].numpy().decode()] = (int(example["label"]),
                                                            example["image"].numpy())
    assert seen == expected, f"{codec}: {len(seen)} of {len(expected)} records agree in part only"
    print(f"pack, {codec}: {len(seen)} records in {len(shards)} shards agree")


def check_records(build, work):
    path = work / "records.tfrecord"
    subprocess.run([build / "examples/write_records", path], check=True, stdout=subprocess.DEVNULL)
    records = [record.numpy() for record in tf.data.TFRecordDataset(str(path))]
    assert len(records) == 5
    for i, record in enumerate(records[:3]):
        feature = tf.train.Example.FromString(record).features.feature
        assert list(feature["label"].int64_list.value) == [i]
        assert list(feature["weights"].float_list.value) == [0.5, -1.25, i]
        assert list(feature["words"].bytes_list.value) == [b"coal", b"fire"]
    for i, record in enumerate(records[3:]):
        context, lists, _ = tf.io.parse_sequence_example(
            [record], {"id": tf.io.FixedLenFeature([], tf.int64)},
            {"frames": tf.io.RaggedFeature(tf.int64)})
        assert int(context["id"][0]) == 100 + i
        assert lists["frames"].to_list() == [[[1, 2], [], [3, 4, 5, 6]]], lists["frames"]
    print("Examples and SequenceExamples written through the C API agree")


def main():
    build = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        expected = make_photos(work / "photos")
        for codec in ("none", "gzip", "zlib"):
            check_pack(build, work, work / "photos", expected, codec)
        check_records(build, work)
    print(f"TensorFlow {tf.__version__} reads all of it")


main()
