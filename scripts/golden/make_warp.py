#!/usr/bin/env python3
"""Writes what Pillow and torchvision make of two small images: tests/data/image/warp.

usage: make_warp.py FOLDER [RANDOM_CASES]

cases.txt has a line per result, NN.ppm or NN.pgm: the source, then an operation with its parameters
as Stoker reads them, or `warp FILTER WIDTH HEIGHT M0 .. M5`. With RANDOM_CASES that many cases are
drawn instead of the chosen ones, for a comparison by hand."""
import pathlib
import random
import sys

import numpy
from PIL import Image
from torchvision.transforms import InterpolationMode
from torchvision.transforms import functional as F

FILTERS = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC}


def make_sources(seed, width, height):
    """Noise over a slope: neighbours differ, so a look one pixel off shows."""
    rng = numpy.random.default_rng(seed)
    slope = numpy.linspace(0, 160, width)[None, :, None] + numpy.linspace(0, 40, height)[:, None, None]
    colour = (slope + rng.integers(0, 56, (height, width, 3))).astype(numpy.uint8)
    return {"ppm": Image.fromarray(colour), "pgm": Image.fromarray(colour[:, :, 1].copy())}


def filled(image, fill):
    return fill if image.mode == "RGB" else fill[0]


def rotate(image, degrees, filter, expand, fill):
    result = F.rotate(image, degrees, InterpolationMode(filter), expand, fill=filled(image, fill))
    return result, f"rotate degrees={degrees!r} filter={filter} expand={str(expand).lower()}"


def affine(image, degrees, scale, shear, shear_y, filter, fill):
    result = F.affine(image, degrees, [0, 0], scale, [shear, shear_y], InterpolationMode(filter),
                      fill=filled(image, fill))
    return result, (f"affine degrees={degrees!r} scale={scale!r} shear={shear!r} "
                    f"shear_y={shear_y!r} filter={filter}")


def warp(image, width, height, matrix, filter, fill):
    result = image.transform((width, height), Image.AFFINE, matrix, FILTERS[filter],
                             fillcolor=filled(image, fill))
    return result, f"warp {filter} {width} {height} " + " ".join(repr(m) for m in matrix)


def chosen_cases():
    for filter in FILTERS:
        yield "ppm", rotate, (30.0, filter, False)
        yield "ppm", rotate, (-101.5, filter, True)
        yield "ppm", affine, (-20.0, 1.25, 12.0, -7.0, filter)
        yield "pgm", affine, (75.0, 0.6, -30.0, 20.0, filter)
        yield "ppm", warp, (20, 31, (0.7, 0.2, -2.5, -0.3, 1.1, 4.25), filter)
    yield "pgm", rotate, (90.0, "bilinear", False)
    yield "ppm", rotate, (90.0, "bicubic", True)
    yield "ppm", rotate, (180.0, "nearest", False)
    yield "ppm", warp, (37, 29, (1.0, 0.0, -5.0, 0.0, 1.0, 3.0), "nearest")
    yield "ppm", warp, (30, 20, (-1.3, 0.0, 37.0, 0.0, 0.9, 0.1), "nearest")
    yield "ppm", warp, (25, 25, (40000.0, 0.5, -480000.0, 0.25, 1.0, 0.0), "nearest")


def random_cases(count):
    draw = random.Random(count)
    for _ in range(count):
        source, filter = draw.choice(["ppm", "pgm"]), draw.choice(list(FILTERS))
        kind = draw.choice([rotate, affine, warp])
        if kind is rotate:
            yield source, kind, (round(draw.uniform(-360, 360), draw.randint(0, 9)), filter,
                                 draw.random() < 0.5)
        elif kind is affine:
            yield source, kind, (draw.uniform(-180, 180), draw.uniform(0.3, 3), draw.uniform(-60, 60),
                                 draw.uniform(-60, 60), filter)
        else:
            matrix = tuple(draw.uniform(-2, 2) if i % 3 < 2 else draw.uniform(-10, 40)
                           for i in range(6))
            yield source, kind, (draw.randint(1, 50), draw.randint(1, 50), matrix, filter)


def main():
    folder = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    sources = make_sources(7, 37, 29)
    for suffix, image in sources.items():
        image.save(folder / f"source.{suffix}")
    lines = []
    for i, (suffix, make, arguments) in enumerate(random_cases(count) if count else chosen_cases()):
        result, line = make(sources[suffix], *arguments, (10, 200, 30))
        if make is not warp:
            line += " fill=10,200,30"
        result.save(folder / f"{i:02d}.{suffix}")
        lines.append(f"source.{suffix} {i:02d}.{suffix} {line}\n")
    (folder / "cases.txt").write_text("".join(lines))


main()
