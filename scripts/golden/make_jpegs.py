#!/usr/bin/env python3
"""Writes tests/data/image/jpeg: JPEGs of the kinds that Pillow writes, and expected.txt with what it
reads from them: name, width and height, and the CRC-32 of the pixels of convert('RGB') and of
convert('L'). Run from the repository's root, with Pillow."""
import pathlib
import random
import zlib

from PIL import Image

OUT = pathlib.Path("tests/data/image/jpeg")
DRAW = random.Random(11)
KINDS = {
    "cmyk": ("CMYK", {"quality": 85}),
    "cmyk-progressive": ("CMYK", {"quality": 60, "progressive": True}),
    "grey": ("L", {"quality": 75}),
    "rgb444": ("RGB", {"quality": 90, "subsampling": 0}),
    "rgb422": ("RGB", {"quality": 50, "subsampling": 1, "optimize": True}),
    "rgb420": ("RGB", {"quality": 75, "subsampling": 2, "restart_marker_blocks": 3}),
    "progressive": ("RGB", {"quality": 75, "progressive": True}),
    "kept-rgb": ("RGB", {"quality": 75, "keep_rgb": True}),
}


def make_image(mode, width, height):
    """Slopes with some noise, of every channel another."""
    channels = len(Image.new(mode, (1, 1)).getbands())
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            for c in range(channels):
                pixels.append((x * (3 + c) + y * (7 - c) + DRAW.randrange(30)) % 256)
    return Image.frombytes(mode, (width, height), bytes(pixels))


OUT.mkdir(parents=True, exist_ok=True)
lines = []
for name, (mode, options) in KINDS.items():
    path = OUT / f"{name}.jpg"
    make_image(mode, 45, 31).save(path, "JPEG", **options)
    with Image.open(path) as image:
        rgb, grey = image.convert("RGB"), image.convert("L")
        lines.append(f"{path.name} {image.width} {image.height} "
                     f"{zlib.crc32(rgb.tobytes()):08x} {zlib.crc32(grey.tobytes()):08x}\n")
(OUT / "expected.txt").write_text("".join(lines))
