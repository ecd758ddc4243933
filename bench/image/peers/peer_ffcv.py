"""FFCV, to uint8 batches, from its own file format, which is written first from the folder: photos
as JPEG as they are, or (--raw) decoded; random resized crop, flip."""
import importlib.metadata
import os
import sys

import numpy
from ffcv.fields import IntField, RGBImageField
from ffcv.fields.decoders import IntDecoder, RandomResizedCropRGBImageDecoder, SimpleRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import RandomHorizontalFlip, RandomTranslate
from ffcv.writer import DatasetWriter
from torchvision.datasets import ImageFolder

import peer

PAGE_BYTES = 1 << 25


def write(given, mode):
    path = os.path.join(given.work, f"{given.task}-{mode}-{abs(hash(given.data)) % 10**8}.beton")
    fields = {"image": RGBImageField(write_mode=mode, jpeg_quality=95), "label": IntField()}
    writer = DatasetWriter(path, fields, page_size=PAGE_BYTES, num_workers=2)
    writer.from_indexed_dataset(ImageFolder(given.data))
    return path


def batches(given, path):
    if given.task == "small":
        image = [SimpleRGBImageDecoder(), RandomHorizontalFlip(), RandomTranslate(peer.PADDING)]
    else:
        image = [RandomResizedCropRGBImageDecoder((peer.PHOTO, peer.PHOTO), peer.AREA, peer.ASPECT),
                 RandomHorizontalFlip()]
    loader = Loader(path, batch_size=peer.BATCH, num_workers=given.threads, os_cache=True,
                    order=OrderOption.RANDOM, drop_last=True,
                    pipelines={"image": image, "label": [IntDecoder()]})
    while True:
        for images, labels in loader:
            assert images.dtype == numpy.uint8
            yield len(labels)


def main():
    raw = "--raw" in sys.argv
    if raw:
        sys.argv.remove("--raw")
    given = peer.arguments(__doc__)
    path = write(given, "raw" if raw else "jpg")
    try:
        peer.serve({"ffcv": importlib.metadata.version("ffcv")},
                   {"raw" if raw else "JPEG": lambda: batches(given, path)}, given.seconds)
    finally:
        os.remove(path)


if __name__ == "__main__":
    main()
