#!/usr/bin/env python3
"""Loads a folder written by stoker through TensorFlow Datasets and prints what it finds: the
features, the number of examples in each split (counted by reading them), and the first example.
Fails when a count differs from what dataset_info.json says.

usage: check-tfds-reads-pack.py FOLDER"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow_datasets as tfds


def shown(value):
    if isinstance(value, dict):
        return {key: shown(inner) for key, inner in value.items()}
    if getattr(value, "size", 1) > 8:
        return f"{value.dtype} {value.shape} mean {value.mean():.3f}"
    return value


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    builder = tfds.builder_from_directory(sys.argv[1])
    print(f"{builder.info.full_name}: {builder.info.features}")
    wrong = 0
    for name, split in builder.info.splits.items():
        examples = list(tfds.as_numpy(builder.as_dataset(split=name)))
        print(f"{name}: {len(examples)} examples read, {split.num_examples} stated")
        wrong += len(examples) != split.num_examples
        if examples:
            print(f"  first: {shown(examples[0])}")
    return 1 if wrong else 0


sys.exit(main())
