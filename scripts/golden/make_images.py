#!/usr/bin/env python3
"""Writes tests/data/image/codec: pictures of every kind that the codecs know, and expected.txt with
what Pillow makes of them: name, shown width and height, and the CRC-32 of the pixels of
convert('RGB') and of convert('L'), both after ImageOps.exif_transpose. Run from the repository's
root, with Pillow; cwebp for two of the WebPs."""
import io
import pathlib
import random
import struct
import subprocess
import zlib

from PIL import Image, ImageOps

OUT = pathlib.Path("tests/data/image/codec")
DRAW = random.Random(7)
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
KINDS = {"grey": (0, (1, 2, 4, 8, 16)), "rgb": (2, (8, 16)), "palette": (3, (1, 2, 4, 8)),
         "grey-alpha": (4, (8, 16)), "rgb-alpha": (6, (8, 16))}
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2))


def chunk(name, content):
    return (struct.pack(">I", len(content)) + name + content +
            struct.pack(">I", zlib.crc32(name + content)))


def filtered(row, above, step, kind):
    """One row through one of PNG's five filters."""
    out = bytearray([kind])
    for i, value in enumerate(row):
        left = row[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda v: abs(guess - v))
        out.append((value - (0, left, up, (left + up) // 2, nearest)[kind]) & 255)
    return bytes(out)


def scanlines(samples, width, height, channels, depth):
    """Rows of packed samples, each through a filter drawn by lot."""
    step = max(1, channels * depth // 8)
    above = bytes((width * channels * depth + 7) // 8)
    for y in range(height):
        bits = "".join(f"{v:0{depth}b}" for v in samples[y])
        bits += "0" * (-len(bits) % 8)
        row = int(bits, 2).to_bytes(len(bits) // 8, "big")
        yield filtered(row, above, step, DRAW.randrange(5))
        above = row


def draw_samples(width, height, channels, depth):
    """Smooth in places and noisy in others, so that filters and clipping matter."""
    top = (1 << depth) - 1
    rows = []
    for y in range(height):
        row = []
        for x in range(width):
            for c in range(channels):
                smooth = (x * (3 + c) + y * 5) * top // (8 * (width + height))
                value = smooth if (x // 4 + y // 4) % 2 else DRAW.randint(0, top)
                if depth == 16 and DRAW.random() < 0.3:
                    value &= 0x1FF
                row.append(min(value, top))
        rows.append(row)
    return rows


def make_png(width, height, kind, depth, interlaced=False, extra=b"", tail=b"", idat=200):
    channels = CHANNELS[kind]
    samples = draw_samples(width, height, channels, depth)
    raw = b""
    passes = ADAM7 if interlaced else ((0, 0, 1, 1),)
    for x0, y0, dx, dy in passes:
        part = [[v for x in range(x0, width, dx) for v in row[x * channels:(x + 1) * channels]]
                for row in samples[y0::dy]]
        if part and part[0]:
            raw += b"".join(scanlines(part, len(part[0]) // channels, len(part), channels, depth))
    data = zlib.compress(raw, 9)
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    pieces = [chunk(b"IDAT", data[i:i + idat]) for i in range(0, len(data), idat)]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + b"".join(pieces) + tail +
            chunk(b"IEND", b""))


def palette(count):
    return chunk(b"PLTE", bytes(DRAW.randint(0, 255) for _ in range(3 * count)))


def exif(orientation, big_endian=False, prefix=b""):
    order = ">" if big_endian else "<"
    entries = [(0x010F, 2, 4, b"abc\0"),
               (0x0112, 3, 1, struct.pack(order + "HH", orientation, 0))]
    body = struct.pack(order + "H", len(entries))
    for tag, kind, count, value in entries:
        body += struct.pack(order + "HHI", tag, kind, count) + value
    start = b"MM\0*" if big_endian else b"II*\0"
    return prefix + start + struct.pack(order + "I", 8) + body + bytes(4)


def picture(width, height, channels=3):
    rows = draw_samples(width, height, channels, 8)
    mode = {1: "L", 3: "RGB", 4: "RGBA"}[channels]
    return Image.frombytes(mode, (width, height), b"".join(bytes(r) for r in rows))


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def cwebp(image, *options):
    png = pathlib.Path("/tmp/golden-cwebp.png")
    png.write_bytes(saved(image, "PNG"))
    return subprocess.run(["cwebp", "-quiet", *options, str(png), "-o", "-"], check=True,
                          capture_output=True).stdout


def pngs():
    for name, (kind, depths) in KINDS.items():
        for depth in depths:
            plte = palette(1 << depth) if kind == 3 else b""
            for interlaced in (False, True):
                tag = "-interlaced" if interlaced else ""
                yield f"{name}{depth}{tag}.png", make_png(19, 13, kind, depth, interlaced, plte)
    yield "palette-short.png", make_png(16, 9, 3, 8, extra=palette(40))
    yield "palette-transparent.png", make_png(16, 9, 3, 4, extra=palette(16) +
                                              chunk(b"tRNS", bytes(range(0, 240, 20))))
    yield "grey-transparent.png", make_png(16, 9, 0, 2, extra=chunk(b"tRNS", b"\0\1"))
    yield "rgb-transparent.png", make_png(16, 9, 2, 8, extra=chunk(b"tRNS", b"\0\1\0\2\0\3"))
    yield "gamma.png", make_png(16, 9, 2, 8, extra=chunk(b"gAMA", struct.pack(">I", 100000)) +
                                chunk(b"tEXt", b"Comment\0none"))
    for width, height in ((1, 1), (1, 9), (9, 1), (3, 2)):
        yield f"tiny-{width}x{height}.png", make_png(width, height, 2, 8)
        yield f"tiny-{width}x{height}-interlaced.png", make_png(width, height, 2, 8, True)
    for o in range(1, 9):
        content = exif(o, o % 2 == 0, b"Exif\0\0" if o == 3 else b"")
        block = chunk(b"eXIf", content)
        behind = o == 5
        yield f"turned{o}.png", make_png(11, 7, 2, 8, extra=b"" if behind else block,
                                         tail=block if behind else b"")


def webps():
    yield "lossy.webp", saved(picture(45, 39), "WEBP", quality=60)
    yield "lossy-alpha.webp", saved(picture(37, 30, 4), "WEBP", quality=70)
    yield "lossless.webp", saved(picture(23, 17), "WEBP", lossless=True)
    yield "lossless-alpha.webp", saved(picture(23, 17, 4), "WEBP", lossless=True, exact=True)
    yield "lossy-simple-filter.webp", cwebp(picture(50, 41), "-q", "30", "-nostrong", "-f", "80",
                                            "-partition_limit", "50", "-segments", "4")
    yield "lossy-strong-filter.webp", cwebp(picture(50, 41), "-q", "10", "-strong", "-f", "100",
                                            "-sharpness", "3")
    yield "tiny-1x1.webp", saved(picture(1, 1), "WEBP")
    yield "tiny-3x2-lossless.webp", saved(picture(3, 2), "WEBP", lossless=True)
    for o in range(1, 9):
        content = exif(o, o % 2 == 0, b"Exif\0\0" if o != 3 else b"")
        yield f"turned{o}.webp", saved(picture(11, 7), "WEBP", lossless=o % 2 == 0, exif=content)
    frames = [picture(20, 15, 4), picture(20, 15, 4)]
    yield "animated.webp", saved(frames[0], "WEBP", save_all=True, append_images=frames[1:],
                                 duration=40, lossless=True)
    yield "animated-part.webp", on_canvas(cwebp(picture(10, 7), "-q", "80"), 24, 18, 6, 4, 10, 7)


def on_canvas(still, width, height, x, y, frame_width, frame_height):
    """An animation whose one frame covers a part of its canvas."""
    def u24(v):
        return struct.pack("<I", v)[:3]

    def riff(name, content):
        return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)
    frame = (u24(x // 2) + u24(y // 2) + u24(frame_width - 1) + u24(frame_height - 1) + u24(40) +
             b"\0" + still[12:])
    body = (riff(b"VP8X", b"\x02\0\0\0" + u24(width - 1) + u24(height - 1)) +
            riff(b"ANIM", b"\xff\xff\xff\xff\0\0") + riff(b"ANMF", frame))
    return riff(b"RIFF", b"WEBP" + body)


def others():
    for o in range(1, 9):
        content = exif(o, o % 2 == 0, b"Exif\0\0")
        yield f"turned{o}.jpg", saved(picture(27, 20), "JPEG", quality=90, subsampling=0,
                                      exif=content)
    yield "grey.pgm", saved(picture(9, 5, 1), "PPM")
    yield "rgb.ppm", saved(picture(9, 5), "PPM")
    yield "comments.ppm", b"P6 # a picture\n# of\n2\t3 #pixels\n255\n" + bytes(range(0, 180, 10))


OUT.mkdir(parents=True, exist_ok=True)
lines = []
for name, content in (*pngs(), *webps(), *others()):
    (OUT / name).write_bytes(content)
    shown = ImageOps.exif_transpose(Image.open(io.BytesIO(content)))
    rgb, grey = shown.convert("RGB").tobytes(), shown.convert("L").tobytes()
    lines.append(f"{name} {shown.width} {shown.height} {zlib.crc32(rgb):08x} {zlib.crc32(grey):08x}")
(OUT / "expected.txt").write_text("\n".join(lines) + "\n")
