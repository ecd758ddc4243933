#!/usr/bin/env python3
"""Writes tests/data/example: serialized Examples and SequenceExamples, and what TensorFlow makes of
them. Run with TensorFlow installed: scripts/golden/make_example.py"""
import os
import pathlib
import struct

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402

OUT = pathlib.Path(__file__).resolve().parent.parent.parent / "tests/data/example"
TYPE = {"int64": tf.int64, "float32": tf.float32, "bytes": tf.string}


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def chunk(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def ints(*v):
    return chunk(1, b"".join(varint(x) for x in v))


def loose_ints(*v):
    return b"".join(b"\x08" + varint(x) for x in v)


def floats(*v):
    return chunk(1, b"".join(struct.pack("<f", x) for x in v))


def loose_floats(*v):
    return b"".join(b"\x0d" + struct.pack("<f", x) for x in v)


def strings(*v):
    return b"".join(chunk(1, x) for x in v)


def feature_i(data):
    return chunk(3, data)


def feature_f(data):
    return chunk(2, data)


def feature_s(data):
    return chunk(1, data)


def entry(key, feature):
    return chunk(1, chunk(1, key) + chunk(2, feature))


def example(*entries):
    return chunk(1, b"".join(entries))


def k(feature):
    return example(entry(b"k", feature))


def message(**features):
    """As TensorFlow's own classes write it."""
    kinds = {int: ("int64_list", tf.train.Int64List), float: ("float_list", tf.train.FloatList),
             bytes: ("bytes_list", tf.train.BytesList)}
    result = {}
    for key, values in features.items():
        name, kind = kinds[type(values[0])]
        result[key] = tf.train.Feature(**{name: kind(value=values)})
    return tf.train.Example(features=tf.train.Features(feature=result)).SerializeToString(deterministic=True)


FIVE = k(feature_i(ints(5)))
INSIDE = FIVE[2:]  # the Features message of FIVE

# name: (bytes, dtype, shape, default, judge). The judge says whose result is expected of Stoker:
# "tensorflow", "protobuf" (TensorFlow loses values or refuses legal bytes) or "refused" (TensorFlow
# lets damage pass).
CASES = {}


def case(name, data, dtype="int64", shape=(1,), default=None, judge="tensorflow"):
    CASES[name] = (data, dtype, list(shape), default, judge)


case("empty_record", b"", default=[9])
case("empty_record_required", b"")
case("empty_features", example(), default=[9])
case("one_int", message(k=[5]))
case("three_ints", message(k=[1, 2, 300]), shape=(3,))
case("ints_of_all_sizes", message(k=[0, 127, 128, 2**14 - 1, 2**14, 2**21, 2**28, 2**35, 2**42, 2**49, 2**56,
                                     2**63 - 1, -1, -2**63]), shape=(14,))
case("forty_small_ints", message(k=list(range(40))), shape=(5, 8))
case("one_float", message(k=[1.5]), "float32")
case("floats", message(k=[0.0, -1.5, 3.4e38, float("inf"), 1e-45]), "float32", (5,))
case("one_string", message(k=[b"x"]), "bytes")
case("strings", message(k=[b"", b"ab", bytes(range(256)), b""]), "bytes", (2, 2))
case("scalar", message(k=[7]), shape=())
case("no_values", k(feature_i(b"")), shape=(0,))
case("no_values_but_one_wanted", k(feature_i(b"")), default=[9])
case("loose_ints", k(feature_i(loose_ints(5, -6, 700))), shape=(3,))
case("loose_floats", k(feature_f(loose_floats(5, 6, 7))), "float32", (3,))
case("two_chunks", k(feature_i(ints(5, 6) + ints(7))), shape=(3,), judge="protobuf")
case("two_chunks_of_floats", k(feature_f(floats(5, 6) + floats(7))), "float32", (3,), judge="protobuf")
case("packed_then_loose", k(feature_i(ints(5, 6) + loose_ints(7))), shape=(3,), judge="protobuf")
case("loose_then_packed", k(feature_f(loose_floats(5, 6) + floats(7))), "float32", (3,), judge="protobuf")
case("kind_unset", k(b""))
case("kind_unset_default", k(b""), default=[9])
case("missing", example(entry(b"other", feature_i(ints(1)))))
case("missing_default", example(entry(b"other", feature_i(ints(1)))), shape=(2,), default=[8, 9])
case("wrong_type", k(feature_f(floats(1))))
case("wrong_type_strings", k(feature_s(strings(b"a"))), "float32")
case("too_many", k(feature_i(ints(5, 6, 7))))
case("too_few", k(feature_f(floats(1, 2))), "float32", (3,))
case("key_twice", example(entry(b"k", feature_i(ints(5))), entry(b"k", feature_i(ints(6)))))
case("key_twice_first_of_wrong_type", example(entry(b"k", feature_f(floats(1))), entry(b"k", feature_i(ints(5)))))
case("key_twice_first_too_long", example(entry(b"k", feature_i(ints(1, 2))), entry(b"k", feature_i(ints(5)))))
case("key_twice_last_of_wrong_type", example(entry(b"k", feature_i(ints(5))), entry(b"k", feature_f(floats(1)))))
case("key_in_two_features", FIVE + k(feature_i(ints(6))))
case("value_before_key", example(chunk(1, chunk(2, feature_i(ints(5))) + chunk(1, b"k"))))
case("two_values_in_an_entry", example(chunk(1, chunk(1, b"k") + 2 * chunk(2, feature_i(ints(5))))))
case("unknown_around", b"\x10\x01" + FIVE + b"\x1d1234" + b"\x2112345678" + chunk(9, b"abc"))
case("unknown_behind_list", k(feature_i(ints(5)) + b"\x20\x01"))
case("unknown_before_list", k(b"\x20\x01" + feature_i(ints(5))), judge="protobuf")
case("unknown_in_list", k(feature_i(b"\x10\x01" + ints(5))), judge="protobuf")
case("unknown_in_features", example(b"\x10\x01" + entry(b"k", feature_i(ints(5)))), judge="protobuf")
case("unknown_in_unwanted_entry", example(chunk(1, chunk(1, b"z") + b"\x18\x01"), entry(b"k", feature_i(ints(5)))),
     judge="protobuf")
case("two_lists_in_a_feature", k(feature_f(floats(1)) + feature_i(ints(5))), "float32")
case("kind_0", k(b"\x00\x03" + ints(5)))
case("group", b"\x13\x14" + FIVE)
case("group_end", FIVE + b"\x0c")
case("wire_type_7", FIVE + b"\x17")
case("field_number_0", b"\x02\x00" + FIVE, judge="refused")
case("long_varint_of_ten_bytes", k(feature_i(chunk(1, b"\x85" + b"\x80" * 8 + b"\x00"))))
case("varint_of_eleven_bytes", k(feature_i(chunk(1, b"\x80" * 10 + b"\x01"))))
case("varint_cut_off", k(feature_i(chunk(1, b"\x05\x80"))), shape=(2,))
case("unfinished_tag", FIVE + b"\x80")
case("length_past_the_end", b"\x0a\x7f" + INSIDE, judge="refused")
case("list_past_its_feature", k(b"\x1a\x05" + ints(5)), judge="refused")
case("chunk_past_its_list", k(feature_i(b"\x0a\x05\x05")), judge="refused")
case("string_past_its_list", k(feature_s(b"\x0a\x05a")), "bytes")
case("float_of_five_bytes", k(feature_f(chunk(1, b"\0\0\x80?\1"))), "float32", judge="refused")
case("damage_in_an_unwanted_feature", example(entry(b"z", feature_i(b"\xff")), entry(b"k", feature_i(ints(5)))))
case("key_not_utf8", example(entry(b"\xff\xfe", feature_i(ints(1))), entry(b"k", feature_i(ints(5)))))
for cut in range(1, len(FIVE)):
    case(f"cut_at_{cut:02}", FIVE[:cut], judge="refused" if cut == 2 else "tensorflow")

# Batches of the records above: padding and row splits.
BATCHES = [
    (["one_int", "three_ints", "empty_record"], "padded", "int64", [], None),
    (["one_int", "three_ints", "empty_record"], "padded", "int64", [], [-1]),
    (["forty_small_ints", "kind_unset"], "padded", "int64", [4], [7]),
    (["forty_small_ints", "three_ints"], "padded", "int64", [4], [7]),
    (["strings", "one_string"], "padded", "bytes", [], [b"pad"]),
    (["floats", "one_float"], "padded", "float32", [], None),
    (["three_ints", "loose_ints"], "padded", "int64", [3], None),
    (["one_int", "empty_record", "three_ints", "kind_unset", "loose_ints"], "varlen", "int64", [], None),
    (["strings", "one_string", "missing"], "varlen", "bytes", [], None),
    (["three_ints", "loose_ints", "missing"], "dense", "int64", [3], [1, 2, 3]),
    (["three_ints", "loose_ints", "missing"], "dense", "int64", [3], None),
    (["empty_record", "empty_features"], "padded", "int64", [2], None),
]


def feature_list(*features):
    return b"".join(chunk(1, f) for f in features)


def sequence(*entries):
    return chunk(2, b"".join(entries))


I = feature_i
# name: (bytes, dtype, shape, judge)
SEQUENCES = {
    "sequence_of_scalars": (sequence(entry(b"k", feature_list(I(ints(1)), I(ints(2)), I(ints(300))))), "int64", []),
    "sequence_of_pairs": (sequence(entry(b"k", feature_list(I(ints(1, 2)), I(loose_ints(3, 4))))), "int64", [2]),
    "sequence_of_strings": (sequence(entry(b"k", feature_list(feature_s(strings(b"a")), feature_s(strings(b""))))),
                            "bytes", []),
    "sequence_uneven": (sequence(entry(b"k", feature_list(I(ints(1, 2)), I(ints(3)), I(b"")))), "int64", []),
    "sequence_unset_step": (sequence(entry(b"k", feature_list(I(ints(1)), b"", I(ints(2))))), "int64", []),
    "sequence_no_steps": (sequence(entry(b"k", b"")), "int64", []),
    "sequence_missing": (sequence(), "int64", []),
    "sequence_empty": (b"", "int64", []),
    "sequence_wrong_type": (sequence(entry(b"k", feature_list(I(ints(1)), feature_f(floats(1))))), "int64", []),
    "sequence_twice": (sequence(entry(b"k", feature_list(I(ints(1)))), entry(b"k", feature_list(I(ints(2)), I(ints(3))))),
                       "int64", []),
    "sequence_in_two": (sequence(entry(b"k", feature_list(I(ints(1))))) + sequence(entry(b"k", feature_list(I(ints(2))))),
                        "int64", []),
    "sequence_with_context": (FIVE + sequence(entry(b"k", feature_list(feature_f(floats(1, 2))))), "float32", [2]),
    "sequence_cut_off": (sequence(entry(b"k", feature_list(I(ints(1)))))[:-1], "int64", []),
    "sequence_group": (b"\x1b\x1c" + sequence(entry(b"k", feature_list(I(ints(1))))), "int64", []),
}


def reason(error):
    text = str(error)
    for part, kind in (("types don't match", "type"), ("values !=", "shape"), ("slice was not", "shape"),
                       ("not a multiple", "shape"), ("evenly divisible", "shape")):
        if part in text:
            return kind
    return "invalid"


def text_of(dtype, values):
    if dtype == "bytes":
        return " ".join("x" + v.hex() for v in values)
    if dtype == "float32":
        return " ".join(struct.pack(">f", v).hex() for v in values)
    return " ".join(str(v) for v in values)


def numbers(values):
    return ",".join(str(v) for v in values) or "-"


def line(*columns):
    return "\t".join(columns).rstrip() + "\n"


def spec_of(kind, dtype, shape, default):
    if kind == "dense":
        return tf.io.FixedLenFeature(shape, TYPE[dtype],
                                     None if default is None else tf.reshape(tf.constant(default, TYPE[dtype]), shape))
    if kind == "padded":
        return tf.io.FixedLenSequenceFeature(shape, TYPE[dtype], allow_missing=True,
                                             default_value=None if default is None else default[0])
    return tf.io.RaggedFeature(TYPE[dtype])


def tensorflow_result(records, kind, dtype, shape, default):
    try:
        result = tf.io.parse_example(records, {"k": spec_of(kind, dtype, shape, default)})["k"]
    except Exception as e:  # a text that is not UTF-8 surfaces as another exception
        return (reason(e),)
    if kind == "varlen":
        return ("ok", numbers(result.row_splits.numpy().tolist()), text_of(dtype, result.values.numpy().tolist()))
    return ("ok", numbers(result.shape), text_of(dtype, tf.reshape(result, [-1]).numpy().tolist()))


def protobuf_result(record, kind, dtype, shape):
    feature = tf.train.Example.FromString(record).features.feature["k"]
    values = list(getattr(feature, feature.WhichOneof("kind")).value)
    if kind == "varlen":
        return ("ok", numbers([0, len(values)]), text_of(dtype, values))
    dims = [1] + shape if kind == "dense" else [1, len(values)]
    return ("ok", numbers(dims), text_of(dtype, values))


def sequence_result(record, kind, dtype, shape, allow_missing):
    spec = tf.io.RaggedFeature(TYPE[dtype]) if kind == "varlen" else \
        tf.io.FixedLenSequenceFeature(shape, TYPE[dtype], allow_missing)
    try:
        _, lists, lengths = tf.io.parse_sequence_example([record], sequence_features={"k": spec})
    except Exception as e:
        return (reason(e),)
    if kind == "varlen":
        steps = lists["k"].to_list()[0]
        ends = [0]
        for s in steps:
            ends.append(ends[-1] + len(s))
        return ("ok", numbers([0, len(steps)]) + ";" + numbers(ends), text_of(dtype, [v for s in steps for v in s]))
    count = int(lengths["k"][0])
    return ("ok", numbers([0, count]), text_of(dtype, tf.reshape(lists["k"][0, :count], [-1]).numpy().tolist()))


README = """Serialized Examples and SequenceExamples, and what TensorFlow {version} makes of them.

Made by `scripts/golden/make_example.py`; tests read them, nobody edits them.

- `NAME.pb`: one serialized record, the wanted feature or list is always `k`.
- `expected.txt`: one line a parse, columns separated by tabs: records (comma-separated names), kind, type,
  shape (`-` is a scalar), default (`-` is none; bytes in hex after `x`, floats as big-endian bits in hex), then
  the outcome: `ok`, the shape of the result (for `varlen` its row splits) and the values; or `type`,
  `shape` or `invalid`, which are all InvalidArgument in TensorFlow.
- `expected_sequence.txt`: the same for lists: record, kind, type, shape, `missing` or `required`,
  outcome, row splits (for `varlen` a `;` and the step splits), values.

Where TensorFlow loses values or refuses legal bytes the outcome is protobuf's, and where it lets
damage pass the outcome is `invalid`; the script marks these cases.
"""


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.pb"):
        old.unlink()
    with open(OUT / "expected.txt", "w") as expected:
        for name, (data, dtype, shape, default, judge) in CASES.items():
            (OUT / f"{name}.pb").write_bytes(data)
            for kind in ("dense", "padded", "varlen"):
                rows = shape if kind == "dense" else []
                given = default if kind == "dense" else None
                result = tensorflow_result([data], kind, dtype, rows, given)
                if judge == "refused":
                    result = ("invalid",)
                if judge == "protobuf":
                    result = protobuf_result(data, kind, dtype, rows)
                expected.write(line(name, kind, dtype, numbers(rows), text_of(dtype, given) if given else "-", *result))
        for names, kind, dtype, shape, default in BATCHES:
            result = tensorflow_result([CASES[n][0] for n in names], kind, dtype, shape, default)
            expected.write(line(",".join(names), kind, dtype, numbers(shape),
                                text_of(dtype, default) if default else "-", *result))
    with open(OUT / "expected_sequence.txt", "w") as expected:
        for name, (data, dtype, shape) in SEQUENCES.items():
            (OUT / f"{name}.pb").write_bytes(data)
            for kind, missing in (("dense", True), ("dense", False), ("varlen", True)):
                result = sequence_result(data, kind, dtype, shape, missing)
                expected.write(line(name, kind, dtype, numbers(shape), "missing" if missing else "required", *result))
    # What the writer must write: deterministic serialization sorts the keys.
    (OUT / "written.pb").write_bytes(message(bytes=[b"x", b""], float=[1.0, -2.5], int=[1, 2, 300, -1],
                                             pixels=[bytes(range(200))]))
    steps = tf.train.FeatureLists(feature_list={
        "words": tf.train.FeatureList(feature=[
            tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"to", b"be"])),
            tf.train.Feature(bytes_list=tf.train.BytesList(value=[]))])})
    context = tf.train.Features(feature={"id": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))})
    (OUT / "written_sequence.pb").write_bytes(
        tf.train.SequenceExample(context=context, feature_lists=steps).SerializeToString(deterministic=True))
    (OUT / "README.md").write_text(README.format(version=tf.__version__))


main()
