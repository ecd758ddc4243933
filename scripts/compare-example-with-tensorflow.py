#!/usr/bin/env python3
"""Compares Stoker's Example and SequenceExample parsers with TensorFlow's on random specs and records.

Needs TensorFlow and a built libstoker.so:
    scripts/compare-example-with-tensorflow.py --count 2000 --seed 1 --library build/release/libstoker.so

Each case is a random set of wanted features and a few random records: well formed in many ways
(packed or not, any order of keys, missing, unset, doubled, unknown fields), sometimes with a wrong
type or count, sometimes with damaged bytes. Both sides must agree:
  - both give the same values, or both refuse (with the same kind of reason if nothing was damaged);
  - TensorFlow gives values but Stoker refuses: only if protobuf itself refuses the bytes
    (TensorFlow does not check every length);
  - TensorFlow refuses or differs but Stoker gives values: only if they are protobuf's
    (TensorFlow reads the first packed chunk of a list only, and knows no unknown fields inside);
  - all differ, which only damaged bytes bring about: Stoker must follow its written rules, of which
    there is a second implementation here. (Protobuf also checks features that nobody wants and
    whether keys are UTF-8; Stoker and TensorFlow do not.)
Exits 0 when no difference is left."""
import argparse
import ast
import collections
import ctypes as c
import functools
import os
import pathlib
import random
import struct
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
I64, F32, BYTES = 4, 7, 10
DENSE, PADDED, VARLEN = 0, 1, 2
TF_TYPE = {I64: tf.int64, F32: tf.float32, BYTES: tf.string}
STATUS = {1: "invalid", 12: "type", 13: "shape"}


# --- the library ---------------------------------------------------------------------------------

class Bytes(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t)]


class Shape(c.Structure):
    _fields_ = [("rank", c.c_int), ("dim", c.c_int64 * 8)]


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("stage", c.c_char_p), ("where", c.c_char * 256),
                ("message", c.c_char * 512)]


class Spec(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_int), ("dtype", c.c_int), ("shape", Shape),
                ("has_default", c.c_bool), ("default_value", c.c_void_p),
                ("default_count", c.c_size_t)]


class Values(c.Structure):
    _fields_ = [("dtype", c.c_int), ("shape", Shape), ("data", c.c_void_p), ("count", c.c_size_t),
                ("splits", c.POINTER(c.c_int64))]


class ListSpec(c.Structure):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_int), ("varlen", c.c_bool), ("shape", Shape),
                ("allow_missing", c.c_bool)]


class ListValues(c.Structure):
    _fields_ = [("dtype", c.c_int), ("data", c.c_void_p), ("count", c.c_size_t),
                ("row_splits", c.POINTER(c.c_int64)), ("step_splits", c.POINTER(c.c_int64)),
                ("step_values", c.c_size_t)]


Wanted = collections.namedtuple("Wanted", "name kind dtype shape default ragged")
WantedList = collections.namedtuple("WantedList", "name dtype varlen shape allow_missing")


def product(shape):
    result = 1
    for dim in shape:
        result *= dim
    return result


def shape_of(dims):
    return Shape(len(dims), (c.c_int64 * 8)(*dims))


def array_of(dtype, values):
    if dtype == I64:
        return (c.c_int64 * len(values))(*values), None
    if dtype == F32:
        return (c.c_float * len(values))(*values), None
    kept = [c.create_string_buffer(v, len(v) + 1) for v in values]
    return (Bytes * len(values))(*[Bytes(c.addressof(k), len(v)) for k, v in zip(kept, values)]), kept


def read_array(dtype, data, count):
    if not count:
        return []
    if dtype == BYTES:
        views = c.cast(data, c.POINTER(Bytes))[:count]
        return [c.string_at(v.data, v.size) if v.size else b"" for v in views]
    kind = c.c_int64 if dtype == I64 else c.c_float
    return list(c.cast(data, c.POINTER(kind))[:count])


class Stoker:
    def __init__(self, path):
        self.lib = c.CDLL(str(path))

    def specs(self, wanted, keep):
        specs = (Spec * max(1, len(wanted)))()
        for spec, w in zip(specs, wanted):
            spec.name, spec.kind, spec.dtype = w.name.encode(), w.kind, w.dtype
            spec.shape = shape_of(w.shape)
            if w.default is not None:
                array, kept = array_of(w.dtype, w.default)
                keep += [array, kept]
                spec.has_default = True
                spec.default_value, spec.default_count = c.addressof(array), len(w.default)
        return specs

    def run(self, kind, make_parser, records, read):
        """Values by read(batch), or ("error", status, text)."""
        lib, err, parser, batch = self.lib, Error(), c.c_void_p(), c.c_void_p()
        keep = [c.create_string_buffer(r, len(r) + 1) for r in records]
        views = (Bytes * max(1, len(records)))(
            *[Bytes(c.addressof(k), len(r)) for k, r in zip(keep, records)])
        status = make_parser(c.byref(parser), c.byref(err))
        if not status:
            status = getattr(lib, f"stk_{kind}_batch_new")(c.byref(batch), parser, None, c.byref(err))
        for _ in range(2):  # the second time with everything predicted
            if not status:
                status = getattr(lib, f"stk_{kind}_parse")(batch, views, c.c_size_t(len(records)), None,
                                                           c.byref(err))
        result = ("error", STATUS.get(status, status),
                  (err.where + b": " + err.message).decode(errors="replace")) if status else read(batch)
        getattr(lib, f"stk_{kind}_batch_free")(batch)
        getattr(lib, f"stk_{kind}_parser_free")(parser)
        return result

    def features(self, function, batch, wanted, records):
        result = {}
        for i, w in enumerate(wanted):
            v = Values()
            getattr(self.lib, function)(batch, c.c_size_t(i), c.byref(v))
            flat = read_array(w.dtype, v.data, v.count)
            if w.kind == VARLEN:
                splits = v.splits[:records + 1]
                result[w.name] = [flat[a:b] for a, b in zip(splits, splits[1:])]
            else:
                result[w.name] = (list(v.shape.dim[:v.shape.rank]), flat)
        return result

    def parse_example(self, wanted, records):
        keep = []
        specs = self.specs(wanted, keep)
        return self.run("example",
                        lambda p, e: self.lib.stk_example_parser_new(p, specs, c.c_size_t(len(wanted)), e),
                        records,
                        lambda b: self.features("stk_example_batch_values", b, wanted, len(records)))

    def parse_sequence(self, wanted, lists, records):
        keep = []
        specs = self.specs(wanted, keep)
        list_specs = (ListSpec * max(1, len(lists)))()
        for spec, w in zip(list_specs, lists):
            spec.name, spec.dtype, spec.varlen = w.name.encode(), w.dtype, w.varlen
            spec.shape, spec.allow_missing = shape_of(w.shape), w.allow_missing

        def read(batch):
            result = self.features("stk_sequence_batch_context", batch, wanted, len(records))
            for i, w in enumerate(lists):
                v = ListValues()
                self.lib.stk_sequence_batch_sequence(batch, c.c_size_t(i), c.byref(v))
                flat = read_array(w.dtype, v.data, v.count)
                rows = v.row_splits[:len(records) + 1]
                ends = v.step_splits[:rows[-1] + 1] if w.varlen else \
                    [k * v.step_values for k in range(rows[-1] + 1)]
                steps = [flat[a:b] for a, b in zip(ends, ends[1:])]
                result["list " + w.name] = [steps[a:b] for a, b in zip(rows, rows[1:])]
            return result
        return self.run("sequence", lambda p, e: self.lib.stk_sequence_parser_new(
            p, specs, c.c_size_t(len(wanted)), list_specs, c.c_size_t(len(lists)), e), records, read)


# --- TensorFlow ----------------------------------------------------------------------------------

def tf_spec(w):
    kind = TF_TYPE[w.dtype]
    if w.kind == DENSE:
        default = None if w.default is None else tf.reshape(tf.constant(w.default, kind), w.shape)
        return tf.io.FixedLenFeature(w.shape, kind, default)
    if w.kind == PADDED:
        default = None if w.default is None else w.default[0]
        return tf.io.FixedLenSequenceFeature(w.shape, kind, allow_missing=True, default_value=default)
    return tf.io.RaggedFeature(kind) if w.ragged else tf.io.VarLenFeature(kind)


def flat(tensor):
    return tf.reshape(tensor, [-1]).numpy().tolist()


def rows_of(tensor, records):
    if isinstance(tensor, tf.RaggedTensor):
        return tensor.to_list()
    rows = [[] for _ in range(records)]
    for index, value in zip(tensor.indices.numpy().tolist(), tensor.values.numpy().tolist()):
        rows[index[0]].append(value)
    return rows


def reason(error):
    text = str(error)
    for part, kind in (("types don't match", "type"), ("values !=", "shape"), ("slice was not", "shape"),
                       ("not a multiple", "shape"), ("divisible by", "shape")):
        if part in text:
            return kind
    return "invalid"


def tf_example(wanted, records):
    try:
        parsed = tf.io.parse_example(records, {w.name: tf_spec(w) for w in wanted})
    except Exception as e:  # TensorFlow's texts need not be UTF-8: then it is not its own error
        return ("error", reason(e), str(e).split("} ")[-1][:200])
    return {w.name: rows_of(parsed[w.name], len(records)) if w.kind == VARLEN else
            (list(parsed[w.name].shape), flat(parsed[w.name])) for w in wanted}


def tf_single(wanted, record):
    """One record through parse_single_example, in the form of a batch of one."""
    try:
        parsed = tf.io.parse_single_example(record, {w.name: tf_spec(w) for w in wanted})
    except Exception as e:
        return ("error", reason(e), str(e).split("} ")[-1][:200])
    result = {}
    for w in wanted:
        p = parsed[w.name]
        if w.kind != VARLEN:
            result[w.name] = ([1] + list(p.shape), flat(p))
        else:
            result[w.name] = [(p.values if isinstance(p, tf.sparse.SparseTensor) else p).numpy().tolist()]
    return result


def tf_sequence(wanted, lists, records):
    features = {w.name: tf.io.FixedLenSequenceFeature(w.shape, TF_TYPE[w.dtype], w.allow_missing)
                if not w.varlen else tf.io.RaggedFeature(TF_TYPE[w.dtype]) for w in lists}
    try:
        context, sequence, lengths = tf.io.parse_sequence_example(
            tf.constant(records, tf.string), {w.name: tf_spec(w) for w in wanted} or None, features)
    except Exception as e:
        return ("error", reason(e), str(e).split("} ")[-1][:200])
    result = {w.name: rows_of(context[w.name], len(records)) if w.kind == VARLEN else
              (list(context[w.name].shape), flat(context[w.name])) for w in wanted}
    for w in lists:
        if w.varlen:
            result["list " + w.name] = sequence[w.name].to_list()
            continue
        counts = lengths[w.name].numpy().tolist()
        result["list " + w.name] = [[flat(sequence[w.name][r, s]) for s in range(n)]
                                    for r, n in enumerate(counts)]
    return result


# --- protobuf, the judge -------------------------------------------------------------------------

FIELD = {I64: "int64_list", F32: "float_list", BYTES: "bytes_list"}


class Refused(Exception):
    pass


def proto_values(feature, dtype):
    kind = feature.WhichOneof("kind") if feature is not None else None
    if kind is None:
        return None
    if kind != FIELD[dtype]:
        raise Refused("type")
    return list(getattr(feature, kind).value)


def shape_rows(w, rows):
    """Rows of values (None: missing) as the wanted feature's kind lays them out."""
    size, count = product(w.shape), len(rows)
    if w.kind == VARLEN:
        return [r or [] for r in rows]
    if w.kind == DENSE:
        values = []
        for r in rows:
            if r is None and w.default is None:
                raise Refused("invalid")
            if r is not None and len(r) != size:
                raise Refused("shape")
            values += w.default if r is None else r
        return [count] + list(w.shape), values
    rows = [r or [] for r in rows]
    if any(len(r) % size for r in rows):
        raise Refused("shape")
    longest = max([len(r) for r in rows] + [0])
    fill = w.default[0] if w.default else {I64: 0, F32: 0.0, BYTES: b""}[w.dtype]
    return [count, longest // size] + list(w.shape), [v for r in rows for v in r + [fill] * (longest - len(r))]


def proto_features(wanted, maps):
    return {w.name: shape_rows(w, [proto_values(m[w.name] if w.name in m else None, w.dtype) for m in maps])
            for w in wanted}


def proto_example(wanted, records):
    try:
        messages = [tf.train.Example.FromString(r) for r in records]
        return proto_features(wanted, [m.features.feature for m in messages])
    except Refused as e:
        return ("error", str(e), "protobuf's values")
    except Exception as e:
        return ("error", "malformed", str(e))


def proto_sequence(wanted, lists, records):
    try:
        messages = [tf.train.SequenceExample.FromString(r) for r in records]
        result = proto_features(wanted, [m.context.feature for m in messages])
        for w in lists:
            result["list " + w.name] = []
            for m in messages:
                if w.name not in m.feature_lists.feature_list:
                    if not w.allow_missing:
                        raise Refused("invalid")
                    result["list " + w.name].append([])
                    continue
                steps = [proto_values(f, w.dtype) or [] for f in
                         m.feature_lists.feature_list[w.name].feature]
                if not w.varlen and any(len(s) != product(w.shape) for s in steps):
                    raise Refused("shape")
                result["list " + w.name].append(steps)
        return result
    except Refused as e:
        return ("error", str(e), "protobuf's values")
    except Exception as e:
        return ("error", "malformed", str(e))


# --- the written rules, once more ----------------------------------------------------------------

def need(condition, why="invalid"):
    if not condition:
        raise Refused(why)


def read_varint(data, at):
    value = 0
    for i in range(10):
        need(at + i < len(data))
        value |= (data[at + i] & 127) << 7 * i
        if data[at + i] < 128:
            return value & (1 << 64) - 1, at + i + 1
    raise Refused("invalid")


def fields_of(data):
    """(field number, wire type, bytes of the value) of a message."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        need(8 <= tag < 1 << 32)
        kind, begin = tag & 7, at
        need(kind in (0, 1, 2, 5))
        if kind == 0:
            _, at = read_varint(data, at)
        elif kind == 2:
            size, begin = read_varint(data, at)
            at = begin + size
        else:
            at += 8 if kind == 1 else 4
        need(at <= len(data))
        yield tag >> 3, kind, data[begin:at]


def chunks_of(data, number):
    return [value for field, kind, value in list(fields_of(data)) if field == number and kind == 2]


def entries_of(data):
    for message in chunks_of(data, 1):
        parts = {1: [], 2: []}
        for field, kind, value in fields_of(message):
            if kind == 2 and field in parts:
                parts[field].append(value)
        need(len(parts[1]) < 2 and len(parts[2]) < 2)
        yield (parts[1] or [b""])[0], (parts[2] or [b""])[0]


def rule_list(message):
    """Type and list of a Feature: the first list counts."""
    found = [(field, value) for field, kind, value in list(fields_of(message)) if kind == 2 and field in (1, 2, 3)]
    return ({1: BYTES, 2: F32, 3: I64}[found[0][0]], found[0][1]) if found else (None, b"")


def rule_values(dtype, data):
    values = []
    for field, kind, value in fields_of(data):
        if field != 1:
            continue
        if dtype == BYTES and kind == 2:
            values.append(value)
        elif dtype == F32 and kind in (2, 5):
            need(len(value) % 4 == 0)
            values += [v[0] for v in struct.iter_unpack("<f", value)]
        elif dtype == I64 and kind in (0, 2):
            at = 0
            while at < len(value):
                number, at = read_varint(value, at)
                values.append(number - (1 << 64) if number >> 63 else number)
    return values


def rule_row(w, entries):
    """The values of a wanted feature in one record; None when it is missing."""
    winner = None
    for key, message in entries:
        if key != w.name.encode():
            continue
        try:
            unset = rule_list(message)[0] is None
        except Refused:
            unset = False  # damage counts when it wins
        if not unset or w.kind == VARLEN:
            winner = message
    if winner is None:
        return None
    dtype, data = rule_list(winner)
    if dtype is None:
        return []
    need(dtype == w.dtype, "type")
    return rule_values(dtype, data)


def rule_features(wanted, records):
    entries = [[e for features in chunks_of(r, 1) for e in entries_of(features)] for r in records]
    return {w.name: shape_rows(w, [rule_row(w, e) for e in entries]) for w in wanted}


def rule_example(wanted, records):
    try:
        return rule_features(wanted, records)
    except Refused as e:
        return ("error", str(e), "by the rules")


def rule_steps(w, record):
    found = None
    for lists in chunks_of(record, 2):
        for key, message in entries_of(lists):
            if key == w.name.encode():
                found = message
    need(found is not None or w.allow_missing)
    steps = []
    for message in chunks_of(found or b"", 1):
        dtype, data = rule_list(message)
        need(dtype in (None, w.dtype), "type")
        steps.append(rule_values(w.dtype, data) if dtype else [])
        need(w.varlen or len(steps[-1]) == product(w.shape), "shape")
    return steps


def rule_sequence(wanted, lists, records):
    try:
        result = rule_features(wanted, records)
        for r in records:  # lists nobody wants must still be lists
            for message in chunks_of(r, 2):
                list(entries_of(message))
        for w in lists:
            result["list " + w.name] = [rule_steps(w, r) for r in records]
        return result
    except Refused as e:
        return ("error", str(e), "by the rules")


# --- random cases --------------------------------------------------------------------------------

def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def chunk(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.unset = 0.03  # how often a feature has no kind

    def value(self, dtype):
        rng = self.rng
        if dtype == I64:
            return rng.choice([0, 1, 127, 128, 300, rng.getrandbits(rng.randrange(1, 63)), -1,
                               -rng.getrandbits(62), 2**63 - 1, -2**63])
        if dtype == F32:
            return struct.unpack("<f", struct.pack("<f", rng.choice([0, 1.5, -2, rng.random()])))[0]
        return bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 3, 20, 200])))

    def shape(self):
        return self.rng.choice([[], [], [1], [2], [3], [2, 2], [9], [0]])

    def wanted(self, names):
        rng = self.rng
        result = []
        for name in names:
            kind, dtype, shape, default = rng.choice([DENSE, DENSE, PADDED, VARLEN]), \
                rng.choice([I64, F32, BYTES]), self.shape(), None
            if kind == VARLEN:
                shape = []
            if kind == PADDED and product(shape) == 0:
                shape = [2]
            # TensorFlow cannot be told an empty default.
            if kind != VARLEN and product(shape) and rng.random() < 0.5:
                default = [self.value(dtype) for _ in range(product(shape) if kind == DENSE else 1)]
            result.append(Wanted(name, kind, dtype, shape, default, rng.random() < 0.5))
        return result

    def list_bytes(self, dtype, values, packed):
        if dtype == BYTES:
            return b"".join(chunk(1, v) for v in values)
        code = varint if dtype == I64 else (lambda v: struct.pack("<f", v))
        if packed:
            return chunk(1, b"".join(code(v) for v in values)) if values else b""
        return b"".join(varint(1 << 3 | (0 if dtype == I64 else 5)) + code(v) for v in values)

    def feature(self, dtype, count):
        values = [self.value(dtype) for _ in range(count)]
        return chunk({BYTES: 1, F32: 2, I64: 3}[dtype],
                     self.list_bytes(dtype, values, self.rng.random() < 0.7))

    def entry(self, w, count, dtype):
        value = self.feature(dtype, count)
        if self.rng.random() < self.unset:
            value = b""
        parts = [chunk(1, w.name.encode()), chunk(2, value)]
        if self.rng.random() < 0.05:
            parts.reverse()
        return chunk(1, b"".join(parts))

    def features(self, wanted, odd):
        rng, entries = self.rng, []
        for w in wanted:
            if rng.random() < 0.1 * odd + 0.05 * (w.kind != DENSE or w.default is not None):
                continue
            times = 2 if rng.random() < 0.05 * odd else 1
            for _ in range(times):
                count = product(w.shape)
                if w.kind == VARLEN:
                    count = rng.choice([0, 1, 2, 7, 8, 9, 40])
                elif w.kind == PADDED:
                    count *= rng.choice([0, 1, 2, 5])
                if rng.random() < 0.05 * odd:
                    count += 1
                dtype = rng.choice([I64, F32, BYTES]) if rng.random() < 0.05 * odd else w.dtype
                entries.append(self.entry(w, count, dtype))
        if rng.random() < 0.4:
            extra = Wanted(rng.choice(["other", "feature", "ab", "x" * 70]), VARLEN, I64, [], None, False)
            entries.append(self.entry(extra, rng.randrange(5), rng.choice([I64, F32, BYTES])))
        if rng.random() < 0.3:
            rng.shuffle(entries)
        return b"".join(entries)

    def unknown(self):
        return self.rng.choice([b"", b"", b"", b"\x18\x05", b"\x1a\x02ab", b"\x1d1234", b"\x1912345678"])

    def example(self, wanted, odd):
        data = chunk(1, self.features(wanted, odd))
        if self.rng.random() < 0.05:
            data += chunk(1, self.features(wanted[:1], odd))
        if self.rng.random() < 0.02:
            data = b""
        return self.unknown() + data + self.unknown()

    def sequence(self, wanted, lists, odd):
        rng, entries = self.rng, []
        # A list may stand twice: the last one counts.
        for w in lists + [w for w in lists if rng.random() < 0.1 * odd]:
            if rng.random() < 0.1 * odd + 0.1 * w.allow_missing:
                continue
            steps = []
            for _ in range(rng.choice([0, 1, 2, 5])):
                count = rng.randrange(4) if w.varlen else product(w.shape)
                count += rng.random() < 0.03 * odd
                dtype = rng.choice([I64, F32, BYTES]) if rng.random() < 0.03 * odd else w.dtype
                steps.append(chunk(1, b"" if rng.random() < 0.03 * odd else self.feature(dtype, count)))
            entries.append(chunk(1, chunk(1, w.name.encode()) + chunk(2, b"".join(steps))))
        if rng.random() < 0.2:
            rng.shuffle(entries)
        parts = [chunk(1, self.features(wanted, odd)), chunk(2, b"".join(entries)), self.unknown()]
        if rng.random() < 0.1:
            cut = rng.randrange(len(entries) + 1)
            parts[1:2] = [chunk(2, b"".join(entries[:cut])), chunk(2, b"".join(entries[cut:]))]
        if rng.random() < 0.1:
            parts.append(chunk(1, self.features(wanted[:1], odd)))
        if rng.random() < 0.1:
            rng.shuffle(parts)
        return b"".join(parts)

    def damage(self, data):
        rng, data = self.rng, bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 5])):
            if not data:
                break
            at = rng.randrange(len(data))
            what = rng.randrange(5)
            if what == 0:
                data[at] = rng.randrange(256)
            elif what == 1:
                data[at] ^= 1 << rng.randrange(8)
            elif what == 2:
                del data[at:at + rng.randrange(1, 4)]
            elif what == 3:
                data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 4)))
            else:
                del data[at:]
        return bytes(data)


# --- the comparison ------------------------------------------------------------------------------

def same(a, b):
    """Equal, with not-a-number equal to itself."""
    return repr(a) == repr(b)


def is_error(result):
    return isinstance(result, tuple) and result[0] == "error"


def verdict(ours, theirs, proto, rules, reasons):
    """What kind of agreement this is; "DIFFERENT..." when it is none. reasons() gives all there are
    to refuse undamaged records, of which either side may have met another one first."""
    if is_error(ours) != is_error(rules) or not is_error(ours) and not same(ours, rules):
        return "DIFFERENT from the written rules"
    if is_error(ours) and is_error(theirs):
        if ours[1] == theirs[1] or ours[1] in reasons():
            return "both refuse"
        return "DIFFERENT reason"
    if is_error(ours):
        return "TensorFlow lets damage pass" if is_error(proto) else "DIFFERENT: ours refuses"
    if not is_error(theirs) and same(ours, theirs):
        return "same values"
    if same(ours, proto):
        return "as protobuf, TensorFlow refuses" if is_error(theirs) else "as protobuf, TensorFlow differs"
    return "damage where ours does not look" if is_error(theirs) and is_error(proto) else "DIFFERENT values"


def make_case(seed, case):
    """wanted, lists (None for Examples), records, whether bytes were damaged."""
    rng = random.Random(f"{seed}.{case}")
    make = Maker(rng)
    odd, damaged = rng.random() < 0.4, rng.random() < 0.4
    names = rng.sample(["a", "label", "image/encoded", "feature_1", "feature_2", "key", "é",
                        "long_" * 13, ""], rng.randrange(1, 6))
    wanted, lists = make.wanted(names), None
    if rng.random() < 0.35:
        # A doubled key whose last kind is unset is fine in an Example and refused in a context.
        make.unset = 0
        # TensorFlow has no padded features in a context.
        wanted = [w for w in wanted if w.kind != PADDED][:2]
        lists = [WantedList(n, rng.choice([I64, F32, BYTES]), rng.random() < 0.5, make.shape(),
                            rng.random() < 0.5) for n in names[2:] + ["steps"]]
        lists = [w._replace(allow_missing=True) if w.varlen else w for w in lists]
        # TensorFlow 2.21 dies of a division by zero on steps of no values.
        lists = [w._replace(shape=[2]) if product(w.shape) == 0 else w for w in lists]
        records = [make.sequence(wanted, lists, odd) for _ in range(rng.choice([0, 1, 1, 2, 3, 8]))]
    else:
        records = [make.example(wanted, odd) for _ in range(rng.randrange(1, 5))]
    if damaged and records:
        victim = rng.randrange(len(records))
        records[victim] = make.damage(records[victim])
    return wanted, lists, records, damaged


def run_case(stoker, seed, case, ours_done):
    """Yields (kind, verdict, text for a person). Calls ours_done before TensorFlow's turn."""
    wanted, lists, records, damaged = make_case(seed, case)
    anything = {"invalid", "type", "shape"}
    if lists is not None:
        ours = stoker.parse_sequence(wanted, lists, records)
        ours_done()
        # The steps of one list may differ in what is wrong with them.
        trials = [("sequence", ours, tf_sequence(wanted, lists, records), proto_sequence(wanted, lists, records),
                   rule_sequence(wanted, lists, records), lambda: anything)]
    else:
        parts, trials = {"batch": records, "single": records[-1:]}, []
        ours = {kind: stoker.parse_example(wanted, part) for kind, part in parts.items()}
        ours_done()
        for kind, part in parts.items():
            def reasons(part=part):
                results = [proto_example([w], [r]) for w in wanted for r in part]
                return anything if damaged else {r[1] for r in results if is_error(r)}
            theirs = tf_example(wanted, part) if kind == "batch" else tf_single(wanted, part[0])
            trials.append((kind, ours[kind], theirs, proto_example(wanted, part), rule_example(wanted, part),
                           reasons))
    for kind, ours, theirs, proto, rules, reasons in trials:
        text = (f"  wanted {wanted}\n  lists {lists}\n  records {[r.hex() for r in records]}\n"
                f"  ours   {ours}\n  theirs {theirs}\n  proto  {proto}\n  rules  {rules}")
        yield kind, verdict(ours, theirs, proto, rules, reasons), text


def child(options):
    """Runs cases and reports each on a line, so that the parent knows where TensorFlow died."""
    stoker = Stoker(options.library)
    for case in range(options.first, options.count):
        print(f"case\t{case}", flush=True)
        done = functools.partial(print, f"theirs\t{case}", flush=True)
        for kind, result, text in run_case(stoker, options.seed, case, done):
            print(f"result\t{case}\t{kind}: {result}\t{text!r}", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--library", default=str(ROOT / "build/release/libstoker.so"))
    options.add_argument("--show", type=int, default=10, help="differences to print in full")
    options.add_argument("--first", type=int, help=argparse.SUPPRESS)
    options = options.parse_args()
    if options.first is not None:
        return child(options)
    counts, shown, first, turn = collections.Counter(), 0, 0, ""
    while first < options.count:  # damaged bytes can kill TensorFlow: then go on behind that case
        process = subprocess.Popen([sys.executable, __file__, "--count", str(options.count), "--seed",
                                    str(options.seed), "--library", options.library, "--first", str(first)],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in process.stdout:
            columns = line.rstrip("\n").split("\t")
            turn, first = columns[0], int(columns[1]) + 1
            if columns[0] != "result":
                continue
            counts[columns[2]] += 1
            if "DIFFERENT" in columns[2] and shown < options.show:
                shown += 1
                print(f"case {columns[1]}: {columns[2]}\n{ast.literal_eval(columns[3])}")
        if process.wait():
            if turn == "theirs":
                counts["TensorFlow died"] += 1
                continue
            counts["DIFFERENT: ours died"] += 1
            print(f"case {first - 1}: ours died")
            first += not first
    for key, count in sorted(counts.items()):
        print(f"{count:7} {key}")
    return 1 if any("DIFFERENT" in key for key in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
