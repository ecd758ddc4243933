#!/usr/bin/env python3
"""Stoker's resampling beside Pillow's, OpenCV's and torchvision's, one thread each.

    bench/image/compare_resize.py BUILD [--rounds 60]

Needs Pillow, OpenCV and torchvision (those that are missing are left out). Measures one square RGB
image of bytes resized to 224x224, the best of many rounds in microseconds, then runs
bench_resize. torchvision's tensors are channels-last, which is its fast case; its antialiased
bilinear and Pillow's bilinear compute the same thing, OpenCV's linear reads four pixels only."""
import argparse
import subprocess
import time

import numpy as np


def best(call, rounds):
    seconds = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds) * 1e6


def pillow(array):
    from PIL import Image

    image = Image.fromarray(array)
    for name, value in [("bilinear", Image.BILINEAR), ("bicubic", Image.BICUBIC)]:
        yield f"pillow/{name}", lambda: image.resize((224, 224), value)


def opencv(array):
    import cv2

    cv2.setNumThreads(1)
    for name, value in [("linear", cv2.INTER_LINEAR), ("area", cv2.INTER_AREA)]:
        yield f"opencv/{name}", lambda: cv2.resize(array, (224, 224), interpolation=value)


def torchvision(array):
    import torch
    from torchvision.transforms.v2 import functional

    torch.set_num_threads(1)
    tensor = torch.from_numpy(array).permute(2, 0, 1)
    yield "torchvision/antialias", lambda: functional.resize(tensor, [224, 224], antialias=True)


parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--rounds", type=int, default=60)
options = parser.parse_args()
for side in (150, 300, 500, 1000):
    array = np.random.default_rng(1).integers(0, 256, (side, side, 3), dtype=np.uint8)
    for library in (pillow, opencv, torchvision):
        try:
            for name, call in library(array):
                print(f"{name}/{side}-224".ljust(44), f"{best(call, options.rounds):12.4g} us")
        except ImportError as missing:
            print(f"{library.__name__}: left out: {missing}")
subprocess.run([f"{options.build}/bench/bench_resize"], check=True)
