#!/usr/bin/env python3
"""Compares Stoker's TFRecord reader with TensorFlow's on random files, sound and damaged.

Needs TensorFlow and a built libstoker.so:
    scripts/compare-tfrecord-with-tensorflow.py --count 2000 --seed 1 --library build/release/libstoker.so

Each case is a random list of records, written plain, as GZIP or as ZLIB by Python's zlib, sometimes
as several files or streams one behind the other, then cut, flipped, overwritten, or with bytes put
in or taken out. One small file of each kind is also cut at every byte and flipped at every byte.
Both sides must give the same records and the same end (the file's end, or damage), but
  - TensorFlow takes fewer bytes than a header at the end of the file as its end; Stoker says that
    the file is truncated;
  - TensorFlow dies of a forged length that it has no memory for, so it is not asked then;
  - TensorFlow takes compressed data that stops early, or that is followed by something else, as the
    end of the file where records end there; Stoker says that it is damaged;
  - TensorFlow drops what was decompressed in the same step as the damage; Stoker gives every record
    before it. So Stoker may give more records, never fewer, and never one that was not written;
  - TensorFlow reads only the first of several ZLIB streams and stops at a GZIP stream of no bytes;
    Stoker reads all streams. There Python's zlib is the judge.
Exits 0 when no difference is left."""
import argparse
import collections
import ctypes as c
import os
import pathlib
import random
import struct
import sys
import tempfile
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
AUTO, NONE, GZIP, ZLIB = 0, 1, 2, 3
TF_NAME = {NONE: "", GZIP: "GZIP", ZLIB: "ZLIB"}
DATALOSS, LIMIT = "damaged data", "over a limit"


# --- the library ---------------------------------------------------------------------------------

class Bytes(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t)]


class Record(c.Structure):
    _fields_ = [("bytes", Bytes), ("offset", c.c_uint64), ("index", c.c_uint64)]


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("stage", c.c_char_p), ("where", c.c_char * 256),
                ("message", c.c_char * 512)]


class Options(c.Structure):
    _fields_ = [("compression", c.c_int), ("buffer_bytes", c.c_size_t), ("max_record_bytes", c.c_uint64),
                ("level", c.c_int), ("ledger", c.c_void_p)]


class Stoker:
    def __init__(self, path):
        self.lib = c.CDLL(str(path))
        self.lib.stk_status_name.restype = c.c_char_p
        self.lib.stk_tfrecord_reader_free.argtypes = [c.c_void_p]

    def read(self, path, compression, buffer_bytes):
        """The records, the end ("end" or a status), and a text."""
        lib, err, reader, records = self.lib, Error(), c.c_void_p(), []
        options = Options(compression, buffer_bytes, 0, 0, None)
        status = lib.stk_tfrecord_reader_open(c.byref(reader), None, path.encode(), c.byref(options),
                                              c.byref(err))
        while not status:
            record = Record()
            status = lib.stk_tfrecord_reader_next(reader, c.byref(record), c.byref(err))
            if status or not record.bytes.data:
                break
            records.append(c.string_at(record.bytes.data, record.bytes.size))
        lib.stk_tfrecord_reader_free(reader)
        if not status:
            return records, "end", ""
        name = lib.stk_status_name(status).decode()
        return records, name, err.message.decode(errors="replace")


def tf_read(path, compression, buffer_bytes):
    records = []
    try:
        for record in tf.data.TFRecordDataset(path, TF_NAME[compression], buffer_size=buffer_bytes):
            records.append(record.numpy())
    except tf.errors.DataLossError as e:
        return records, DATALOSS, str(e)[:200]
    except tf.errors.OpError as e:
        return records, type(e).__name__, str(e)[:200]
    return records, "end", ""


# --- random files --------------------------------------------------------------------------------

def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


TABLE = crc_table()


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def frame(record):
    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", masked_crc(length)) + record + struct.pack("<I", masked_crc(record))


def forged(length):
    """A sound header that claims length bytes."""
    length = struct.pack("<Q", length)
    return length + struct.pack("<I", masked_crc(length))


def pack(data, compression, level):
    if compression == NONE:
        return data
    packer = zlib.compressobj(level, zlib.DEFLATED, 31 if compression == GZIP else 15)
    return packer.compress(data) + packer.flush()


class Case:
    """A file's bytes, what was written into it, and how it was treated."""

    def __init__(self, rng, compression=None, small=False):
        self.rng = rng
        self.compression = rng.choice([NONE, GZIP, ZLIB]) if compression is None else compression
        self.damaged, self.deadly, self.notes = False, False, []
        sizes = [0, 0, 1, 2, 11, 12, 13, 100] if small else [0, 0, 1, 2, 11, 12, 13, 100, 1000, 5000]
        parts = rng.choice([1, 1, 1, 1, 2, 3]) if not small else 1
        self.streams, self.records, self.data = parts, [], b""
        for _ in range(parts):
            records = [self.record(rng.choice(sizes)) for _ in range(rng.choice([0, 1, 2, 3, 8, 20]) if not small
                                                                     else 3)]
            plain = b"".join(map(frame, records))
            if not small and rng.random() < 0.05:
                plain = self.forge(plain)
            if not small and rng.random() < 0.2:
                plain = self.damage(plain, "inside ")
            self.records += records
            self.data += pack(plain, self.compression, rng.choice([0, 1, 6, 9]))
        if not small and rng.random() < 0.5:
            self.data = self.damage(self.data, "")
        self.buffer_bytes = rng.choice([1, 13, 64, 1000, 256 << 10])

    def record(self, size):
        if self.rng.random() < 0.3:
            return bytes(size)
        return self.rng.randbytes(size)

    def forge(self, plain):
        self.damaged = True
        length = self.rng.choice([2**64 - 1, 2**64 - 4, 2**64 - 16, 2**63, 2**40, 2**31, len(plain), 100000, 5])
        self.deadly |= length >= 1 << 31
        self.notes.append(f"forged a length of {length}")
        return plain + forged(length) + self.rng.randbytes(self.rng.choice([0, 3, 4, 30]))

    def damage(self, data, where):
        rng, data = self.rng, bytearray(data)
        self.damaged = True
        for _ in range(rng.choice([1, 1, 1, 2])):
            at, what = rng.randrange(len(data) + 1), rng.randrange(7)
            end = min(len(data), at + rng.choice([1, 2, 16, 300]))
            if what == 0:
                del data[at:]
            elif what == 1:
                del data[at:end]
            elif what == 2:
                data[at:at] = rng.randbytes(end - at)
            elif what == 3:
                data[at:end] = bytes(end - at)
            elif what == 4:
                data += rng.choice([b"\0", b"\0" * 12, b"\0" * 512, rng.randbytes(20), data[:end]])
            elif at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            self.notes.append(f"{where}{('cut', 'removed', 'inserted', 'zeroed', 'appended', 'flip', 'flip')[what]} "
                              f"at {at}")
        return bytes(data)


def sweep(compression):
    """A small file, whole, cut at every byte, and with each byte changed."""
    case = Case(random.Random(compression), compression, small=True)
    whole = case.data
    yield case
    for at in range(len(whole)):
        for what in ("cut", "flip", "extra"):
            case.data = {"cut": whole[:at],
                         "flip": whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:],
                         "extra": whole[:at] + b"\0" + whole[at:]}[what]
            case.damaged, case.notes = True, [f"{what} at {at}"]
            yield case


# --- Python, the judge -----------------------------------------------------------------------------

def judge(case):
    """The records in all streams of a compressed file; None when it is not whole streams of whole records."""
    data, plain, records = case.data, b"", []
    while data:
        stream = zlib.decompressobj(31 if case.compression == GZIP else 15)
        try:
            plain += stream.decompress(data)
        except zlib.error:
            return None
        if not stream.eof:
            return None
        data = stream.unused_data
    while plain:
        size = struct.unpack("<Q", plain[:8].ljust(8, b"\0"))[0]
        record = plain[12:12 + size]
        if plain[:16 + size] != frame(record):
            return None
        records.append(record)
        plain = plain[16 + size:]
    return records


# --- the comparison ------------------------------------------------------------------------------

def verdict(case, ours, theirs):
    """What kind of agreement this is; "DIFFERENT..." when it is none."""
    if not case.damaged and (ours[0] != case.records or ours[1] != "end"):
        return "DIFFERENT from what was written"
    if not set(ours[0]) <= set(case.records):
        return "DIFFERENT: a record that was never written"
    if ours[:2] == theirs[:2]:
        return f"same records, then {ours[1]}"
    if case.deadly and ours[1] in (DATALOSS, LIMIT):
        return "forged length: refused"
    if ours[1] not in ("end", DATALOSS):
        return f"DIFFERENT: our {ours[1]}"
    if ours[0] == theirs[0] and theirs[1] == "end" and "its header has" in ours[2]:
        return "same records, then part of a header, which TensorFlow ignores"
    packed = case.compression != NONE
    more = len(ours[0]) >= len(theirs[0]) and ours[0][:len(theirs[0])] == theirs[0]
    if packed and more and ours[1] == DATALOSS:
        return f"compressed: same or more records, then damage; TensorFlow: {theirs[1]}"
    if packed and more and ours[1] == "end" and ours[0] == judge(case):
        return "compressed: all streams are read, where TensorFlow stops early"
    return "DIFFERENT"


def cases(options):
    for compression in (NONE, GZIP, ZLIB):
        yield from sweep(compression)
    for number in range(options.count):
        yield Case(random.Random(f"{options.seed}.{number}"))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--library", default=str(ROOT / "build/release/libstoker.so"))
    options.add_argument("--show", type=int, default=10, help="differences to print")
    options = options.parse_args()
    stoker, counts, shown = Stoker(options.library), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file.tfrecord")
        for case in cases(options):
            pathlib.Path(path).write_bytes(case.data)
            ours = stoker.read(path, case.compression, case.buffer_bytes)
            theirs = ([], "not asked", "") if case.deadly else tf_read(path, case.compression, case.buffer_bytes)
            result = verdict(case, ours, theirs)
            counts[result] += 1
            # By content we must see the same, unless the first bytes are damaged.
            found = stoker.read(path, AUTO, 0)
            if found[:2] != ours[:2] and not case.damaged:
                result = "DIFFERENT by content"
                counts[result] += 1
            if "DIFFERENT" in result and shown < options.show:
                shown += 1
                print(f"{result}: {TF_NAME[case.compression] or 'plain'}, {case.notes}, {case.streams} streams, "
                      f"buffer {case.buffer_bytes}\n"
                      f"  ours   {len(ours[0])} records, {ours[1]} {ours[2]}\n"
                      f"  theirs {len(theirs[0])} records, {theirs[1]} {theirs[2]}\n  file   {case.data[:300].hex()}")
    for key, count in sorted(counts.items()):
        print(f"{count:7} {key}")
    return 1 if any("DIFFERENT" in key for key in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
