#!/usr/bin/env python3
"""Writes tests/data/image/codec: images of every kind that the codecs know, and expected.txt with
what Pillow makes of them: name, shown width and height, and the CRC-32 of the pixels of
convert('RGB') and of convert('L'), both after ImageOps.exif_transpose. Run from the repository's
root, with Pillow; cwebp for two of the WebPs, tiffcp for some of the TIFFs. BMPs and GIFs of kinds that
Pillow reads and does not write are put together here."""
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


def make_image(width, height, channels=3):
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
    yield "lossy.webp", saved(make_image(45, 39), "WEBP", quality=60)
    yield "lossy-alpha.webp", saved(make_image(37, 30, 4), "WEBP", quality=70)
    yield "lossless.webp", saved(make_image(23, 17), "WEBP", lossless=True)
    yield "lossless-alpha.webp", saved(make_image(23, 17, 4), "WEBP", lossless=True, exact=True)
    yield "lossy-simple-filter.webp", cwebp(make_image(50, 41), "-q", "30", "-nostrong", "-f", "80",
                                            "-partition_limit", "50", "-segments", "4")
    yield "lossy-strong-filter.webp", cwebp(make_image(50, 41), "-q", "10", "-strong", "-f", "100",
                                            "-sharpness", "3")
    yield "tiny-1x1.webp", saved(make_image(1, 1), "WEBP")
    yield "tiny-3x2-lossless.webp", saved(make_image(3, 2), "WEBP", lossless=True)
    for o in range(1, 9):
        content = exif(o, o % 2 == 0, b"Exif\0\0" if o != 3 else b"")
        yield f"turned{o}.webp", saved(make_image(11, 7), "WEBP", lossless=o % 2 == 0, exif=content)
    frames = [make_image(20, 15, 4), make_image(20, 15, 4)]
    yield "animated.webp", saved(frames[0], "WEBP", save_all=True, append_images=frames[1:],
                                 duration=40, lossless=True)
    yield "animated-part.webp", on_canvas(cwebp(make_image(10, 7), "-q", "80"), 24, 18, 6, 4, 10, 7)


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
        yield f"turned{o}.jpg", saved(make_image(27, 20), "JPEG", quality=90, subsampling=0,
                                      exif=content)
    yield "grey.pgm", saved(make_image(9, 5, 1), "PPM")
    yield "rgb.ppm", saved(make_image(9, 5), "PPM")
    yield "comments.ppm", b"P6 # a picture\n# of\n2\t3 #pixels\n255\n" + bytes(range(0, 180, 10))


def plain_pnm(kind, width, height, maximum, channels):
    """Numbers as text, some of them behind comments; the last one has one digit."""
    rows = draw_samples(width, height, channels, maximum.bit_length())
    rows[-1][-1] = 1
    text = "\n".join(" ".join(str(v) for v in row) for row in rows)
    size = f"{width} {height}" + ("" if kind == 1 else f" {maximum}")
    return f"P{kind} # plain\n{size}\n{text}\n".encode()


def binary_pnm(kind, width, height, maximum, channels):
    rows = draw_samples(width, height, channels, maximum.bit_length())
    code = ">H" if maximum > 255 else ">B"
    data = b"".join(struct.pack(code, v) for row in rows for v in row)
    return f"P{kind}\n{width} {height}\n{maximum}\n".encode() + data


def pnms():
    yield "bitmap.pbm", saved(make_image(13, 7, 1).convert("1"), "PPM")
    yield "bitmap-plain.pbm", plain_pnm(1, 13, 7, 1, 1)
    yield "bitmap-dense.pbm", b"P1\n5 2\n10110\n01001\n"
    yield "grey-plain.pgm", plain_pnm(2, 9, 5, 255, 1)
    yield "grey-plain16.pgm", plain_pnm(2, 9, 5, 65535, 1)
    yield "grey15.pgm", binary_pnm(5, 9, 5, 15, 1)
    yield "grey16.pgm", binary_pnm(5, 9, 5, 65535, 1)
    yield "grey1023.pgm", binary_pnm(5, 9, 5, 1023, 1)
    yield "rgb-plain.ppm", plain_pnm(3, 9, 5, 255, 3)
    yield "rgb31.ppm", binary_pnm(6, 9, 5, 31, 3)
    yield "rgb16.ppm", binary_pnm(6, 9, 5, 65535, 3)


def bmp(width, height, bits, pixels, packing=0, colours=b"", masks=b"", header=40, used=0):
    """A BMP with the header that has as many bytes; a negative height is from the top down."""
    if header == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, packing, len(pixels),
                           2835, 2835, used, 0)
        info += masks.ljust(header - 40, b"\0") if header > 40 else b""
    outside = masks if header == 40 else b""
    begin = 14 + len(info) + len(outside) + len(colours)
    return (b"BM" + struct.pack("<IHHI", begin + len(pixels), 0, 0, begin) + info + outside +
            colours + pixels)


def packed_rows(width, height, bits):
    rows = draw_samples(width, height, 1, bits)
    out = b""
    for row in rows:
        text = "".join(f"{v:0{bits}b}" for v in row)
        text += "0" * (-len(text) % 32)
        out += int(text, 2).to_bytes(len(text) // 8, "big")
    return out


def quads(count):
    return bytes(v for _ in range(count) for v in (*(DRAW.randint(0, 255) for _ in range(3)), 0))


def words(width, height, bits):
    """Rows of 16- or 32-bit pixels, padded to 4 bytes."""
    code = "<H" if bits == 16 else "<I"
    row = lambda: b"".join(struct.pack(code, DRAW.getrandbits(bits)) for _ in range(width))
    return b"".join(r + bytes(-len(r) % 4) for r in (row() for _ in range(height)))


RLE8 = (b"\x05\x07\x00\x04\x01\x02\x03\x04\x00\x00"  # a run, pixels one by one, the end of the row
        b"\x02\x09\x00\x02\x03\x01\x04\x05\x00\x00"  # a run, a jump of 3 right and 1 down, a run
        b"\x00\x03\x0a\x0b\x0c\x00\x06\x01\x00\x00\x00\x01")
RLE4 = (b"\x05\x37\x00\x04\x12\x34\x00\x00\x09\x5a\x00\x00"
        b"\x00\x05\x12\x34\x50\x00\x04\x77\x00\x00\x00\x01")


def bmps():
    yield "rgb24.bmp", saved(make_image(11, 7), "BMP")
    yield "rgb32.bmp", saved(make_image(11, 7, 4), "BMP")
    yield "grey8.bmp", saved(make_image(11, 7, 1), "BMP")
    yield "grey1.bmp", saved(make_image(37, 7, 1).convert("1"), "BMP")
    yield "palette8.bmp", saved(make_image(11, 7).quantize(20), "BMP")
    yield "palette4.bmp", bmp(11, 7, 4, packed_rows(11, 7, 4), colours=quads(16))
    yield "palette1.bmp", bmp(37, 7, 1, packed_rows(37, 7, 1), colours=quads(2))
    yield "top-down.bmp", bmp(11, -7, 8, packed_rows(11, 7, 8), colours=quads(256))
    yield "old-header.bmp", bmp(11, 7, 8, packed_rows(11, 7, 8), header=12,
                                colours=bytes(DRAW.randint(0, 255) for _ in range(768)))
    yield "rgb555.bmp", bmp(11, 7, 16, words(11, 7, 16))
    yield "rgb565.bmp", bmp(11, 7, 16, words(11, 7, 16), 3,
                            masks=struct.pack("<III", 0xF800, 0x7E0, 0x1F))
    yield "fields32.bmp", bmp(5, 4, 32, words(5, 4, 32), 3, header=108,
                              masks=struct.pack("<IIII", 0xFF000000, 0xFF0000, 0xFF00, 0xFF))
    yield "runs8.bmp", bmp(9, 4, 8, RLE8, 1, colours=quads(16), used=16)
    yield "runs4.bmp", bmp(9, 3, 4, RLE4, 2, colours=quads(16))


def gif_pieces(data):
    return b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255]
                    for i in range(0, len(data), 255)) + b"\0"


def gif(frame, canvas=None, at=(0, 0), interlaced=False, colours=True, extra=b""):
    """The frame's pixels, each as a code of its own, on a canvas."""
    width, height = frame.size
    canvas = canvas or frame.size
    order = list(range(height))
    if interlaced:
        order = [*order[0::8], *order[4::8], *order[2::4], *order[1::2]]
    bits, count = 0, 0
    indices = frame.tobytes()
    for n, value in enumerate(indices[y * width + x] for y in order for x in range(width)):
        if n % 100 == 0:
            bits, count = bits | 256 << count, count + 9
        bits, count = bits | value << count, count + 9
    bits, count = bits | 257 << count, count + 9
    codes = bits.to_bytes((count + 7) // 8, "little")
    flags = 0xF7 if colours else 0x70
    table = bytes(DRAW.randint(0, 255) for _ in range(768)) if colours else b""
    return (b"GIF89a" + struct.pack("<HHBBB", *canvas, flags, 0, 0) + table + extra + b"," +
            struct.pack("<HHHHB", *at, width, height, 0x40 if interlaced else 0) + b"\x08" +
            gif_pieces(codes) + b";")


def gifs():
    yield "palette.gif", saved(make_image(40, 30).quantize(64), "GIF", interlace=0)
    yield "interlaced.gif", saved(make_image(40, 30).quantize(64), "GIF", interlace=1)
    yield "grey.gif", saved(make_image(23, 17, 1), "GIF", interlace=0)
    yield "animated.gif", saved(make_image(20, 15).quantize(32), "GIF", save_all=True, duration=40,
                                append_images=[make_image(20, 15).quantize(32)])
    yield "large.gif", saved(make_image(120, 90).quantize(8), "GIF")
    yield "codes.gif", gif(make_image(19, 13, 1))
    yield "codes-interlaced.gif", gif(make_image(19, 13, 1), interlaced=True)
    yield "no-palette.gif", gif(make_image(9, 5, 1), colours=False)
    yield "part.gif", gif(make_image(9, 5, 1), (16, 12), (4, 3))
    yield "part-transparent.gif", gif(make_image(9, 5, 1), (16, 12), (4, 3),
                                      extra=b"!\xf9\x04\x01\0\0\x07\0")
    yield "over-the-edge.gif", gif(make_image(9, 5, 1), (6, 4), (2, 1))
    yield "tiny-1x1.gif", gif(make_image(1, 1, 1))


def tiffcp(image, *options):
    paths = [pathlib.Path(f"/tmp/golden-{i}.tiff") for i in (0, 1)]
    paths[0].write_bytes(image)
    subprocess.run(["tiffcp", *options, *map(str, paths)], check=True)
    return paths[1].read_bytes()


def tiff(width, height, tags, data, big_endian=False):
    """One strip behind its directory."""
    order = ">" if big_endian else "<"
    sizes = {3: "H", 4: "I"}
    tags = {**tags, 256: (3, [width]), 257: (3, [height])}
    after = 8 + 2 + 12 * (len(tags) + 2) + 4
    extra, entries = b"", []
    long_data = sum(len(v) * struct.calcsize(sizes[k]) for k, v in tags.values()
                    if len(v) * struct.calcsize(sizes[k]) > 4)
    tags = {**tags, 273: (4, [after + long_data]), 279: (4, [len(data)])}
    for tag, (kind, values) in sorted(tags.items()):
        packed = b"".join(struct.pack(order + sizes[kind], v) for v in values)
        if len(packed) > 4:
            extra, packed = extra + packed, struct.pack(order + "I", after + len(extra))
        entries.append(struct.pack(order + "HHI", tag, kind, len(values)) + packed.ljust(4, b"\0"))
    start = b"MM\0*" if big_endian else b"II*\0"
    return (start + struct.pack(order + "IH", 8, len(entries)) + b"".join(entries) + bytes(4) +
            extra + data)


def deep_tiff(width, height, channels, big_endian=False):
    rows = draw_samples(width, height, channels, 16)
    order = ">" if big_endian else "<"
    data = b"".join(struct.pack(order + "H", v) for row in rows for v in row)
    return tiff(width, height, {258: (3, [16] * channels), 259: (3, [1]),
                                262: (3, [2 if channels == 3 else 1]), 277: (3, [channels]),
                                278: (3, [height])}, data, big_endian)


def tiffs():
    rgb, grey = make_image(21, 17), make_image(21, 17, 1)
    yield "rgb.tif", saved(rgb, "TIFF")
    yield "rgb-alpha.tif", saved(make_image(21, 17, 4), "TIFF")
    yield "grey.tif", saved(grey, "TIFF")
    yield "grey1.tif", saved(grey.convert("1"), "TIFF")
    yield "palette.tif", saved(rgb.quantize(20), "TIFF")
    yield "cmyk.tif", saved(rgb.convert("CMYK"), "TIFF")
    yield "lzw.tif", saved(rgb, "TIFF", compression="tiff_lzw")
    yield "deflate.tif", saved(rgb, "TIFF", compression="tiff_adobe_deflate")
    yield "packbits.tif", saved(grey, "TIFF", compression="packbits")
    yield "fax.tif", saved(grey.convert("1"), "TIFF", compression="group4")
    yield "strips.tif", tiffcp(saved(rgb, "TIFF"), "-r", "4", "-c", "lzw:2")
    yield "tiles.tif", tiffcp(saved(rgb, "TIFF"), "-t", "-w", "16", "-l", "16", "-c", "zip")
    yield "planes.tif", tiffcp(saved(rgb, "TIFF"), "-p", "separate", "-c", "none")
    yield "big-endian.tif", tiffcp(saved(rgb, "TIFF"), "-B", "-c", "none")
    yield "bigtiff.tif", tiffcp(saved(rgb, "TIFF"), "-8", "-c", "none")
    yield "grey16.tif", deep_tiff(9, 7, 1)
    yield "grey16-big-endian.tif", deep_tiff(9, 7, 1, True)
    yield "rgb16.tif", deep_tiff(9, 7, 3)
    yield "grey4.tif", tiff(9, 7, {258: (3, [4]), 259: (3, [1]), 262: (3, [1]), 277: (3, [1]),
                                   278: (3, [7])}, bytes(DRAW.randint(0, 255) for _ in range(35)))
    yield "white-is-0.tif", tiff(9, 7, {258: (3, [8]), 259: (3, [1]), 262: (3, [0]), 277: (3, [1]),
                                        278: (3, [7])}, bytes(DRAW.randint(0, 255) for _ in range(63)))
    yield "premultiplied.tif", tiff(
        9, 7, {258: (3, [8] * 4), 259: (3, [1]), 262: (3, [2]), 277: (3, [4]), 278: (3, [7]),
               338: (3, [1])}, bytes(DRAW.randint(0, 255) for _ in range(252)))
    yield "pages.tif", saved(rgb, "TIFF", save_all=True, append_images=[grey])
    for o in (3, 6, 8):
        yield f"turned{o}.tif", tiff(
            11, 7, {258: (3, [8] * 3), 259: (3, [1]), 262: (3, [2]), 274: (3, [o]),
                    277: (3, [3]), 278: (3, [7])}, make_image(11, 7).tobytes())


OUT.mkdir(parents=True, exist_ok=True)
lines = []
for name, content in (*pngs(), *webps(), *others(), *pnms(), *bmps(), *gifs(), *tiffs()):
    (OUT / name).write_bytes(content)
    shown = ImageOps.exif_transpose(Image.open(io.BytesIO(content)))
    rgb, grey = shown.convert("RGB").tobytes(), shown.convert("L").tobytes()
    lines.append(f"{name} {shown.width} {shown.height} {zlib.crc32(rgb):08x} {zlib.crc32(grey):08x}")
(OUT / "expected.txt").write_text("\n".join(lines) + "\n")
