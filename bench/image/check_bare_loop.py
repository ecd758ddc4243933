#!/usr/bin/env python3
"""check_bare_loop.py BARE_LOOP PHOTOS [COUNT]: the bare loop's samples beside Pillow's of the same
windows. Where a window is decoded at full size they differ by rounding alone."""
import json
import subprocess
import sys
import tempfile

import numpy
from PIL import Image, ImageOps

SIDE = 224


def pillow(window):
    box = (window["x"], window["y"], window["x"] + window["width"], window["y"] + window["height"])
    image = Image.open(window["path"]).convert("RGB").crop(box).resize((SIDE, SIDE), Image.BILINEAR)
    return ImageOps.mirror(image) if window["flip"] else image


def main():
    program, photos = sys.argv[1:3]
    means, shrunk = [], 0
    with tempfile.NamedTemporaryFile(suffix=".ppm") as out:
        for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 50):
            run = subprocess.run([program, photos, "--dump", out.name], check=True,
                                 capture_output=True, text=True)
            window = json.loads(run.stdout)
            if min(window["width"], window["height"]) >= 2 * SIDE:
                shrunk += 1
                continue
            ours = numpy.asarray(Image.open(out.name), int)
            means.append(numpy.abs(ours - numpy.asarray(pillow(window), int)).mean())
    print(f"{len(means)} samples: mean difference {numpy.mean(means):.4f}, of the worst sample "
          f"{max(means):.4f}; {shrunk} decoded at a smaller scale, not compared")
    sys.exit(1 if max(means) > 0.5 else 0)


main()
