#!/usr/bin/env python3
"""Writes tests/data/image/colour: small images, and what Pillow and torchvision make of them. Run
with both installed: scripts/golden/make_image_colour.py"""
import pathlib

import numpy as np
import PIL
import torchvision
from PIL import Image, ImageEnhance, ImageOps
from torchvision.transforms import functional as F
from torchvision.transforms.autoaugment import RandAugment, TrivialAugmentWide, _apply_op

OUT = pathlib.Path(__file__).resolve().parent.parent.parent / "tests/data/image/colour"
WIDTH, HEIGHT = 41, 29


def make_image():
    """Slopes, a noisy part, pure colours, black and white."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    out = np.stack([x * 6, y * 8, (x + y) * 3], -1)
    out[10:20, 5:25] = rng.integers(0, 256, (10, 20, 3))
    for i, colour in enumerate(((255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0), (255, 255, 255))):
        out[22:28, 3 + 6 * i:8 + 6 * i] = colour
    return Image.fromarray(out.clip(0, 255).astype(np.uint8))


SOURCES = {"rgb": make_image()}
SOURCES["grey"] = SOURCES["rgb"].convert("L")
SOURCES["dull"] = SOURCES["rgb"].point(lambda v: 60 + v // 3)
SOURCES["flat"] = Image.new("RGB", (5, 3), (10, 200, 90))
SOURCES["dot"] = Image.new("RGB", (1, 1), (200, 100, 50))

CASES = []


def case(source, op, result, bound=0):
    CASES.append((f"{source} {bound} {op}", result(SOURCES[source])))


def augment_case(space, name, index, bin, sign, magnitude):
    op = f"augment={space},{index},{bin},{sign}"
    case("rgb", op, lambda im: _apply_op(im, name, magnitude * sign, F.InterpolationMode.NEAREST, None))


for source in ("rgb", "grey"):
    for f in (0, 0.4, 1, 1.37, 40):
        case(source, f"brightness factor={f}", lambda im: ImageEnhance.Brightness(im).enhance(f))
    for f in (0, 0.55, 1.9):
        case(source, f"contrast factor={f}", lambda im: ImageEnhance.Contrast(im).enhance(f))
        case(source, f"saturation factor={f}", lambda im: ImageEnhance.Color(im).enhance(f))
        case(source, f"sharpness factor={f}", lambda im: ImageEnhance.Sharpness(im).enhance(f))
    for gamma, gain in ((0.45, 1), (2.2, 1), (1.5, 1.7), (0, 1)):
        case(source, f"gamma gamma={gamma} gain={gain}", lambda im: F.adjust_gamma(im, gamma, gain))
    case(source, "solarize threshold=100", lambda im: ImageOps.solarize(im, 100))
    case(source, "posterize bits=3", lambda im: ImageOps.posterize(im, 3))
    case(source, "invert", ImageOps.invert)
    case(source, "equalize", ImageOps.equalize)
    case(source, "autocontrast cutoff=7,20", lambda im: ImageOps.autocontrast(im, (7, 20)))
    case(source, "hue shift=0.2", lambda im: F.adjust_hue(im, 0.2))
    for sigma, kernel in ((0.7, 5), (3.1, 23)):
        case(source, f"blur sigma={sigma} kernel={kernel}",
             lambda im: F.gaussian_blur(im, [kernel, kernel], [sigma, sigma]), 1)
for shift in (-0.5, -0.013, 0, 0.5):
    case("rgb", f"hue shift={shift}", lambda im: F.adjust_hue(im, shift))
case("rgb", "grey", lambda im: F.to_grayscale(im, 3))
case("rgb", "grey channels=1", lambda im: F.to_grayscale(im, 1))
case("dull", "autocontrast", ImageOps.autocontrast)
case("dull", "autocontrast cutoff=50", lambda im: ImageOps.autocontrast(im, 50))
case("dull", "equalize", ImageOps.equalize)
for source in ("flat", "dot"):
    case(source, "contrast factor=3", lambda im: ImageEnhance.Contrast(im).enhance(3))
    case(source, "saturation factor=3", lambda im: ImageEnhance.Color(im).enhance(3))
    case(source, "sharpness factor=3", lambda im: ImageEnhance.Sharpness(im).enhance(3))
    case(source, "hue shift=0.31", lambda im: F.adjust_hue(im, 0.31))
    case(source, "equalize", ImageOps.equalize)
    case(source, "autocontrast", ImageOps.autocontrast)
for space, table in (("rand", RandAugment()._augmentation_space(31, (HEIGHT, WIDTH))),
                     ("wide", TrivialAugmentWide()._augmentation_space(31))):
    for index, (name, (magnitudes, signed)) in enumerate(table.items()):
        if space == "wide" and name not in ("ShearX", "ShearY", "Rotate", "Posterize", "TranslateX"):
            continue
        bin = 9 if space == "rand" else 20
        magnitude = float(magnitudes[bin]) if magnitudes.ndim else 0.0
        augment_case(space, name, index, bin, -1 if signed else 1, magnitude)

OUT.mkdir(parents=True, exist_ok=True)
(OUT / "sources.txt").write_text("".join(
    f"{name} {im.width} {im.height} {len(im.getbands())}\n" for name, im in SOURCES.items()))
(OUT / "sources.bin").write_bytes(b"".join(im.tobytes() for im in SOURCES.values()))
(OUT / "cases.txt").write_text("".join(f"{len(im.getbands())} {line}\n" for line, im in CASES))
(OUT / "cases.bin").write_bytes(b"".join(im.tobytes() for _, im in CASES))
(OUT / "README.md").write_text(f"""# Colour operations

Written by `scripts/golden/make_image_colour.py` with Pillow {PIL.__version__} and torchvision
{torchvision.__version__.split("+")[0]}.

- `sources.txt`: name, width, height and channels of each image in `sources.bin`, in order.
- `cases.txt`: channels of the result, source, the most levels ours may differ, operation with its
  parameters (or `augment=TABLE,CHANGE,BIN,SIGN` of the augmentation tables). The results are in
  `cases.bin`, in order.
""")
