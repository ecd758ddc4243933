#!/usr/bin/env python3
"""make_photos FOLDER OTHER FILE: two folders of small PNGs, a folder for each of two classes, and one image by itself."""
import pathlib
import random
import struct
import sys
import zlib


def png(path, colour, side=32):
    rows = b"".join(b"\0" + bytes(min(255, max(0, value + random.randint(-30, 30))) for _ in range(side) for value in colour)
                    for _ in range(side))
    chunks = (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))


random.seed(1)
*folders, single = map(pathlib.Path, sys.argv[1:])
for folder in folders:
    for name, colour in (("cat", (200, 120, 40)), ("dog", (60, 90, 200))):
        for index in range(24):
            png(folder / name / f"{index:03d}.png", colour)
png(single, (200, 120, 40))
