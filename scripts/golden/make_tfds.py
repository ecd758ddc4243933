#!/usr/bin/env python3
"""Writes tests/data/tfds/tiny/1.0.0 with TensorFlow Datasets: a data set with one feature of each
kind we read. Run from the repository's root where tensorflow and tensorflow-datasets are
installed."""
import os
import pathlib
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow_datasets as tfds

OUT = pathlib.Path("tests/data/tfds")
F = tfds.features


class Tiny(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        return tfds.core.DatasetInfo(
            builder=self,
            features=F.FeaturesDict({
                "image": F.Image(shape=(None, None, 3), encoding_format="jpeg"),
                "image/filename": F.Text(),
                "label": F.ClassLabel(names=["cat", "dog"]),
                "numbered": F.ClassLabel(num_classes=3),
                "raw": F.Tensor(shape=(2, 2, 1), dtype=np.uint8, encoding="bytes"),
                "vector": F.Tensor(shape=(3,), dtype=np.float32),
                "words": F.Sequence(F.Text()),
                "box": F.BBoxFeature(),
                "meta": {"id": np.int64, "kind": F.ClassLabel(names=["a", "b"])},
            }))

    def _split_generators(self, manager):
        return {"train": self._generate_examples(5), "test": self._generate_examples(2)}

    def _generate_examples(self, count):
        for i in range(count):
            yield i, {
                "image": np.full((4, 6, 3), 40 * i, np.uint8),
                "image/filename": f"{i}.jpg",
                "label": i % 2,
                "numbered": i % 3,
                "raw": np.full((2, 2, 1), i, np.uint8),
                "vector": np.arange(3, dtype=np.float32) + i,
                "words": ["word"] * i,
                "box": F.BBox(0.0, 0.25, 0.5, 1.0),
                "meta": {"id": 100 + i, "kind": "b"},
            }


shutil.rmtree(OUT / "tiny", ignore_errors=True)
Tiny(data_dir=str(OUT)).download_and_prepare()
print("\n".join(str(p) for p in sorted(OUT.rglob("*")) if p.is_file()))
