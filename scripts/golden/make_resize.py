#!/usr/bin/env python3
"""Writes tests/data/image/resize/LIBRARY.bin: what a library's resize gives for small images. Run
from the repository's root, once for each library, with a Python that has it:

    scripts/golden/make_resize.py pillow|opencv|tensorflow

A file is a run of records: eight int32 (filter, antialias, channels, 0, source width and height,
result width and height), four doubles (the box: x, y, width, height), then the result: bytes, or
float32 from TensorFlow. The images are noise that tests/image/resize_support.h makes as well."""
import pathlib
import struct
import sys

import numpy as np

OUT = pathlib.Path("tests/data/image/resize")
NEAREST, BILINEAR, BICUBIC, AREA, LANCZOS = range(5)
SIZES = [  # source, result, channels
    (37, 23, 16, 31, 3),
    (24, 18, 37, 29, 3),
    (50, 50, 7, 7, 3),
    (1, 40, 5, 9, 1),
    (40, 1, 9, 5, 1),
    (60, 40, 20, 20, 3),
    (64, 48, 32, 24, 1),
    (19, 33, 19, 20, 1),
    (90, 20, 3, 11, 3),
]
BOXES = [  # touching every pixel of the image, as Pillow's filters would reach past others
    (37, 23, 16, 31, 3, (0.25, 0.5, 36.125, 22.25)),
    (24, 18, 37, 29, 1, (0.875, 0.125, 22.75, 17.5)),
]


def make_image(width, height, channels):
    """Noise from a linear congruential generator, every third row black or white."""
    state, out = width * 1000 + height, bytearray()
    for y in range(height):
        for _ in range(width * channels):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            value = state >> 24
            out.append(value if y % 3 else 255 * (value >> 7))
    shape = (height, width) if channels == 1 else (height, width, channels)
    return np.frombuffer(bytes(out), np.uint8).reshape(shape)


def record(out, filter, antialias, case, box, result):
    width, height, to_width, to_height, channels = case
    out += struct.pack("<8i4d", filter, antialias, channels, 0, width, height, to_width, to_height, *box)
    out += np.ascontiguousarray(result).tobytes()


def pillow():
    from PIL import Image

    filters = [Image.NEAREST, Image.BILINEAR, Image.BICUBIC, Image.BOX, Image.LANCZOS]
    out = bytearray()
    for filter, value in enumerate(filters):
        for case in SIZES:
            image = Image.fromarray(make_image(case[0], case[1], case[4]))
            record(out, filter, 1, case, (0, 0, case[0], case[1]), image.resize(case[2:4], value))
        for *case, box in BOXES:
            x, y, width, height = box
            image = Image.fromarray(make_image(case[0], case[1], case[4]))
            result = image.resize(case[2:4], value, box=(x, y, x + width, y + height))
            record(out, filter, 1, case, box, result)
    return out


def opencv():
    import cv2

    filters = [cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA, cv2.INTER_LANCZOS4]
    out = bytearray()
    for filter, value in enumerate(filters):
        for case in SIZES:
            result = cv2.resize(make_image(case[0], case[1], case[4]), case[2:4], interpolation=value)
            record(out, filter, 0, case, (0, 0, case[0], case[1]), result)
    return out


def tensorflow():
    import tensorflow as tf

    out = bytearray()
    for filter, method in enumerate(["nearest", "bilinear", "bicubic", "area", "lanczos3"]):
        for antialias in (0, 1) if method not in ("nearest", "area") else (0,):
            for case in [SIZES[i] for i in (0, 2, 3, 4, 5, 8)]:
                image = make_image(case[0], case[1], case[4]).reshape(case[1], case[0], case[4])
                result = tf.image.resize(image, (case[3], case[2]), method, antialias=bool(antialias))
                record(out, filter, antialias, case, (0, 0, case[0], case[1]),
                       result.numpy().astype(np.float32))
    return out


OUT.mkdir(parents=True, exist_ok=True)
name = sys.argv[1]
(OUT / f"{name}.bin").write_bytes({"pillow": pillow, "opencv": opencv, "tensorflow": tensorflow}[name]())
