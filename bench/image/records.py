"""Reads the images out of TFRecords of tf.train.Example, with nothing but Python: so that peers get
the very bytes that Stoker packed."""
import pathlib
import struct

VARINT, BYTES = 0, 2


def frames(path):
    with open(path, "rb") as file:
        while head := file.read(12):
            size, = struct.unpack("<Q", head[:8])
            yield file.read(size)
            file.read(4)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Numbers and contents of the length-delimited fields of a message; others are passed over."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == VARINT:
            _, at = varint(data, at)
        elif key & 7 == BYTES:
            size, at = varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        else:
            at += 8 if key & 7 == 1 else 4


def feature(example, name):
    """The first byte string of a feature. Example.features.feature is a map: entries of key, value."""
    for _, features in fields(example):
        for _, entry in fields(features):
            parts = dict(fields(entry))
            if parts[1] == name.encode():
                for _, values in fields(parts[2]):
                    for _, value in fields(values):
                        return value
    return None


def unpack(pack, folder):
    """Writes the images of all shards into one class below folder. Gives how many there were."""
    out = pathlib.Path(folder) / "all"
    out.mkdir(parents=True, exist_ok=True)
    count = 0
    for shard in sorted(pathlib.Path(pack).glob("*.tfrecord-*")):
        for record in frames(shard):
            (out / f"{count:07}.jpg").write_bytes(feature(record, "image"))
            count += 1
    return count
