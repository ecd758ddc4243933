"""Is a file whole? Judged by its name, as whoever loads it later would find out."""
import gzip
import json
import re
import struct
import zlib


def crc_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = (i >> 1) ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


TABLE = crc_table()


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """Nothing, or what is wrong with the frames of a TFRecord or event file."""
    at = 0
    while at < len(data):
        if len(data) - at < 16:
            return f"a torn frame at {at}"
        length, crc = struct.unpack_from("<QI", data, at)
        if crc != masked_crc(data[at:at + 8]):
            return f"a wrong checksum of a length at {at}"
        if length > len(data) - at - 16:
            return f"a torn record at {at}"
        at += 16 + length
    return None


def safetensors(data):
    if len(data) < 8:
        return f"{len(data)} bytes"
    length, = struct.unpack_from("<Q", data)
    if length > len(data) - 8:
        return "its header is torn"
    header = json.loads(data[8:8 + length])
    end = max((t["data_offsets"][1] for name, t in header.items() if name != "__metadata__"), default=0)
    return None if 8 + length + end == len(data) else f"{len(data)} bytes, {8 + length + end} announced"


def png(data):
    at = 8
    while at + 12 <= len(data):
        length, = struct.unpack_from(">I", data, at)
        kind = data[at + 4:at + 8]
        crc, = struct.unpack_from(">I", data.ljust(at + 12 + length, b"\0"), at + 8 + length)
        if crc != zlib.crc32(data[at + 4:at + 8 + length]):
            return f"a wrong checksum at {at}"
        at += 12 + length
        if kind == b"IEND":
            return None if at == len(data) else "bytes after its end"
    return "torn"


def table(data):
    lines = data.decode("utf-8", "replace").split("\n")
    if lines[-1]:
        return "its last line is torn"
    widths = {len(re.sub(r'"[^"]*"', "", line).split(",")) for line in lines[:-1]}
    return None if len(widths) <= 1 else f"rows of {sorted(widths)} columns"


def document(data):
    json.loads(data)


def lines(data):
    for line in data.splitlines():
        json.loads(line)
    return None if not data or data.endswith(b"\n") else "its last line is torn"


def packed(data):
    return document(gzip.decompress(data))


def ends_with(text):
    return lambda data: None if data.rstrip().endswith(text) else f"does not end with {text.decode()}"


def text(data):
    return None if data.endswith(b"\n") else "its last line is torn"


KINDS = [
    (r"\.safetensors$", safetensors), (r"\.json$", document), (r"\.jsonl$", lines), (r"\.csv$", table),
    (r"\.json\.gz$", packed), (r"\.png$", png), (r"\.svg$", ends_with(b"</svg>")),
    (r"\.html$", ends_with(b"</html>")), (r"\.tfrecord-|tfevents", records), (r"\.(yaml|txt)$", text),
]


def flaw(path):
    """Nothing, or what is wrong with the file at path."""
    data = path.read_bytes()
    for pattern, check in KINDS:
        if not re.search(pattern, path.name):
            continue
        try:
            return check(data)
        except (ValueError, OSError, EOFError, zlib.error, KeyError, TypeError, struct.error) as e:
            return f"{len(data)} bytes: {e}"
    return None
