#!/usr/bin/env python3
"""Writes tests/data/pipeline/golden.txt: the pipelines of chosen_pipelines.txt and random ones, in
the language of tests/pipeline/pipeline_language.h, and what TensorFlow's tf.data gives for each, one
per line: `pipeline => results # cardinality`. Run from the repository's root; the same seed gives
the same file.

    make_pipelines.py            writes the file
    make_pipelines.py LINE...    prints what TensorFlow gives for each line

Left out:
- shuffles of more than one element: the order is not TensorFlow's;
- runs that are longer than 60 results or have errors without end;
- lines that crash TensorFlow (2.21 does in unbatch of rows without numbers);
- where we differ from TensorFlow on purpose, or it differs from itself: shard after errors, errors
  in an interleave that runs in parallel, and what the list LEFT_OUT below names.
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # noqa: E402

OUT = pathlib.Path("tests/data/pipeline")
CHOSEN = pathlib.Path(__file__).parent / "chosen_pipelines.txt"
CASES = 2061
LIMIT = 60
ERRORS = {
    tf.errors.InvalidArgumentError: "!invalid_argument",
    tf.errors.DataLossError: "!damaged_data",
    tf.errors.FailedPreconditionError: "!invalid_argument",
}
NAMED = ("cycle", "block", "parallel", "shift", "stride", "to", "with")
FLAGS = ("drop", "stop", "pad", "plain")
SILENT = ("by", "sizes", "each", "weights")


# The language -----------------------------------------------------------------------------------
class Stage:
    def __init__(self, name):
        self.name, self.function, self.numbers, self.named = name, "", [], {}
        self.flags, self.children = set(), []


def parse(tokens):
    """The stages up to the end or the closing bracket, which is taken as well."""
    stages = []
    while tokens:
        stage = Stage(tokens.pop(0))
        stages.append(stage)
        while tokens and tokens[0] not in ("|", ")"):
            word = tokens.pop(0)
            if word == "(":
                stage.children.append(parse(tokens))
            elif word in NAMED:
                stage.named[word] = int(tokens.pop(0))
            elif word in FLAGS:
                stage.flags.add(word)
            elif word.lstrip("-").isdigit():
                stage.numbers.append(int(word))
            elif word not in SILENT:
                stage.function = word
        if not tokens or tokens.pop(0) == ")":
            break
    return stages


# TensorFlow's datasets --------------------------------------------------------------------------
def lift(function):
    """Functions here take the element; tf.data passes the parts of a tuple one by one."""
    return lambda *args: function(args if len(args) > 1 else args[0])


def total(element):
    return tf.add_n([tf.reduce_sum(x) for x in tf.nest.flatten(element)])


def fail_on(number):
    def function(element):
        first = tf.nest.flatten(element)[0]
        check = tf.debugging.Assert(tf.reduce_all(first != number), [first])
        with tf.control_dependencies([check]):
            return tf.nest.map_structure(tf.identity, element)

    return function


def refuse(number):
    def function(element):
        check = tf.debugging.Assert(total(element) != number, [number])
        with tf.control_dependencies([check]):
            return tf.constant(True)

    return function


def each(function):
    return lambda element: tf.nest.map_structure(function, element)


def mapping(name, numbers):
    n = numbers[0] if numbers else 0
    return {
        "add": each(lambda x: x + n),
        "multiply": each(lambda x: x * n),
        "negate": each(lambda x: -x),
        "modulo": each(lambda x: tf.math.floormod(x, n)),
        "fail_on": fail_on(n),
        "fill": lambda x: tf.fill([tf.math.floormod(x, 5)], x),
        "total": total,
        "first": lambda element: tf.nest.flatten(element)[0],
        "name": each(tf.strings.as_string),
    }[name]


def each_of(s, otherwise=lambda data: data):
    """The stages on top of each inner dataset."""
    return (lambda data: build(s.children[0][1:], data)) if s.children else otherwise


def expansion(s):
    inner = {
        "range_to": lambda x: tf.data.Dataset.range(tf.math.floormod(x, 4)),
        "copies": lambda x: tf.data.Dataset.from_tensors(x).repeat(tf.math.floormod(x, 4)),
        "failing": lambda x: tf.data.Dataset.range(tf.math.floormod(x, 4)).map(fail_on(1)),
        "rows": tf.data.Dataset.from_tensor_slices,
    }[s.function]
    return lift(lambda x: each_of(s)(inner(x)))


def padded(data, size, drop, to, padding):
    shapes = None
    if to is not None:
        shapes = tf.nest.map_structure(lambda spec: [to] * spec.shape.rank, data.element_spec)
    if padding is not None:
        padding = tf.constant(padding, tf.int64)
    return data.padded_batch(
        size, padded_shapes=shapes, padding_values=padding, drop_remainder=drop
    )


def one_window(*parts):
    """tf.data has a dataset of its own for every part of a tuple."""
    parts = tf.nest.flatten(parts)
    return parts[0] if len(parts) == 1 else tf.data.Dataset.zip(*parts)


def vectors(lengths):
    rows = [
        tf.data.Dataset.from_tensors(tf.constant([10 * i + k for k in range(n)], tf.int64))
        for i, n in enumerate(lengths)
    ]
    data = rows[0]
    for row in rows[1:]:
        data = data.concatenate(row)
    return data


def scanned(data, name):
    def add(state, *element):
        state = state + total(element)
        return state, state

    def append(state, *element):
        state = tf.concat([state, [total(element)]], 0)
        return state, state

    if name == "list":
        return data.scan(tf.constant([], tf.int64), append)
    return data.scan(tf.constant(0, tf.int64), add)


def apply(data, s):
    """One stage on top of data."""
    numbers, drop = s.numbers, "drop" in s.flags
    n = numbers[0] if numbers else 0
    if s.name == "range":
        return tf.data.Dataset.range(*numbers)
    if s.name == "numbers":
        return tf.data.Dataset.from_tensor_slices(tf.constant(numbers, tf.int64))
    if s.name == "vectors":
        return vectors(numbers)
    if s.name == "map":
        return data.map(lift(mapping(s.function, numbers)))
    if s.name in ("filter", "take_while") and s.function == "refuse":
        return getattr(data, s.name)(lift(refuse(n)))
    if s.name == "filter":
        return data.filter(lift(lambda e: tf.math.floormod(total(e), n) == numbers[1]))
    if s.name == "flat_map":
        return data.flat_map(expansion(s))
    if s.name == "interleave":
        return data.interleave(
            expansion(s),
            cycle_length=s.named["cycle"],
            block_length=s.named["block"],
            num_parallel_calls=s.named.get("parallel"),
        )
    if s.name == "batch":
        return data.batch(n, drop_remainder=drop)
    if s.name == "padded_batch":
        return padded(data, n, drop, s.named.get("to"), s.named.get("with"))
    if s.name == "ragged_batch":
        return data.ragged_batch(n, drop_remainder=drop)
    if s.name == "sparse_batch":
        row = [s.named.get("to")] * data.element_spec.shape.rank
        return data.sparse_batch(n, tf.TensorShape(row))
    if s.name == "unbatch":
        return data.unbatch()
    if s.name == "rebatch":
        return data.rebatch(n if len(numbers) == 1 else numbers, drop_remainder=drop)
    if s.name == "window":
        windows = data.window(
            n, shift=s.named["shift"], stride=s.named["stride"], drop_remainder=drop
        )
        opened = each_of(s, lambda window: window.batch(n))
        return windows.flat_map(lambda *w: opened(one_window(*w)))
    if s.name == "group":
        return data.group_by_window(
            lift(lambda e: tf.math.floormod(total(e), n)),
            lambda key, group: each_of(s, lambda g: g.batch(numbers[1]))(group),
            window_size=numbers[1],
        )
    if s.name == "bucket":
        edges = len(numbers) // 2
        return data.bucket_by_sequence_length(
            lambda *e: tf.size(tf.nest.flatten(e)[0]),
            numbers[:edges],
            numbers[edges:],
            drop_remainder=drop,
            pad_to_bucket_boundary="pad" in s.flags,
            no_padding="plain" in s.flags,
        )
    if s.name == "zip":
        return tf.data.Dataset.zip(data, *(build(child) for child in s.children))
    if s.name == "concatenate":
        return data.concatenate(build(s.children[0]))
    if s.name == "choose":
        return tf.data.Dataset.choose_from_datasets(
            [data, build(s.children[0])],
            build(s.children[1]),
            stop_on_empty_dataset="stop" in s.flags,
        )
    if s.name == "sample":
        return tf.data.Dataset.sample_from_datasets(
            [data, build(s.children[0])],
            weights=[float(x) for x in numbers],
            seed=1,
            stop_on_empty_dataset="stop" in s.flags,
        )
    if s.name == "scan":
        return scanned(data, s.function)
    if s.name == "take_while":
        return data.take_while(lift(lambda e: total(e) < n))
    if s.name == "repeat":
        return data.repeat(n)
    if s.name == "forever":
        return data.repeat().take(n)
    if s.name == "shuffle":
        return data.shuffle(n, seed=1)
    if s.name in ("take", "skip", "prefetch", "enumerate"):
        return getattr(data, s.name)(n)
    if s.name == "shard":
        return data.shard(*numbers)
    if s.name in ("unique", "cache", "ignore_errors"):
        return getattr(data, s.name)()
    raise ValueError(f"no stage {s.name}")


def build(stages, data=None):
    for stage in stages:
        data = apply(data, stage)
    return data


def text(value):
    if isinstance(value, tf.RaggedTensor):
        return "{" + "".join(text(row) for row in value) + "}"
    if isinstance(value, tf.SparseTensor):
        shape = ",".join(str(d) for d in value.dense_shape.numpy())
        places = [",".join(str(d) for d in place) for place in value.indices.numpy()]
        found = zip(places, value.values.numpy())
        return f"sparse[{shape}]{{" + " ".join(f"({at}){x}" for at, x in found) + "}"
    if isinstance(value, tf.Tensor):
        return text(value.numpy())
    if isinstance(value, bytes):
        return f"'{value.decode()}'"
    if getattr(value, "ndim", 0) == 0:
        return str(int(value))
    return "[" + (" " if value.ndim == 1 else "").join(text(x) for x in value) + "]"


def results(line):
    """What comes out, as tests/pipeline/pipeline_support.h writes it, and the cardinality; None
    when there is no end."""
    data = build(parse(line.split()))
    given = iter(data)
    out = []
    while len(out) <= LIMIT:
        try:
            values = [text(x) for x in tf.nest.flatten(next(given))]
            out.append(values[0] if len(values) == 1 else "(" + " ".join(values) + ")")
        except StopIteration:
            return " ".join(out + [". #", str(int(data.cardinality()))])
        except tuple(ERRORS) as error:
            out.append(ERRORS[type(error)])
    return None


# Random pipelines -------------------------------------------------------------------------------
class Kind:
    """What the elements are: ranks of their values; whether shapes differ between elements; whether
    all values have the same leading dimension; whether some elements may be errors; whether they
    are byte strings."""

    def __init__(
        self, ranks=(0,), uneven=False, uneven_inside=False, aligned=True, errors=False, text=False
    ):
        self.ranks, self.uneven, self.uneven_inside = tuple(ranks), uneven, uneven_inside
        self.aligned, self.errors, self.text = aligned, errors, text

    def but(self, **changes):
        return Kind(**{**self.__dict__, **changes})

    def scalar(self):
        return self.ranks == (0,)

    def varied(self):
        """Of many inner datasets that are like this."""
        uneven = len(self.ranks) > 1 or self.ranks[0] > 0
        return self.but(uneven=uneven, uneven_inside=self.uneven_inside or self.ranks[0] > 1)


def batched(kind):
    """Rank 4 is enough for everybody."""
    if max(kind.ranks) > 2:
        return None
    ranks = [r + 1 for r in kind.ranks]
    uneven = kind.uneven or kind.uneven_inside
    return kind.but(ranks=ranks, uneven=True, uneven_inside=uneven, aligned=True)


def random_source(r):
    what = r.random()
    if what < 0.6:
        step = r.choice([1, 1, 1, 2, -1, 3])
        start = r.randint(-3, 6)
        stop = start + step * r.randint(0, 14)
        return f"range {start} {stop} {step}", Kind()
    if what < 0.85:
        count = r.randint(1, 12)
        return "numbers " + " ".join(str(r.randint(-4, 9)) for _ in range(count)), Kind()
    lengths = " ".join(str(r.randint(0, 4)) for _ in range(r.randint(1, 6)))
    return f"vectors {lengths}", Kind((1,), uneven=True)


def random_map(r, kind):
    name = r.choice(
        ["add", "multiply", "negate", "modulo", "fill", "total", "first", "fail_on", "fail_on"]
        + ["name"] * (r.random() < 0.3)
    )
    if kind.text and name != "first":
        return None
    if name == "name":
        return "map name", kind.but(text=True)
    if name == "fill":
        return ("map fill", kind.but(ranks=(1,), uneven=True)) if kind.scalar() else None
    if name == "total":
        plain = Kind(errors=kind.errors)
        return "map total", plain
    if name == "first":
        if len(kind.ranks) == 1:
            return None
        return "map first", kind.but(ranks=kind.ranks[:1], aligned=True)
    if name == "negate":
        return "map negate", kind
    n = {"add": r.randint(-3, 5), "multiply": r.randint(-2, 3), "modulo": r.randint(2, 6)}
    if name == "fail_on":
        return f"map fail_on {r.randint(0, 9)}", kind.but(errors=True)
    return f"map {name} {n[name]}", kind


def random_each(r, kind):
    """Stages on top of every inner dataset, which gives elements of kind."""
    line, after = random_line(r, 2, child=True, given=kind)
    return f" each ( {line} )", after.varied()


def random_expansion(r, kind, fixed=""):
    if kind.scalar() and not kind.text:
        name = r.choice(["range_to", "copies", "copies", "failing"])
        after = kind.but(errors=kind.errors or name == "failing")
    elif min(kind.ranks) > 0 and kind.aligned:
        name = "rows"
        after = kind.but(ranks=[x - 1 for x in kind.ranks], uneven=kind.uneven_inside)
        after.aligned = len(kind.ranks) == 1
    else:
        return None
    each = ""
    if r.random() < 0.6:
        each, after = random_each(r, after)
    if fixed == "flat_map":
        return f"flat_map {name}{each}", after
    cycle = r.randint(1, 4)
    line = f"interleave {name} cycle {cycle} block {r.randint(1, 3)}"
    # In TensorFlow errors take other places when the cycle runs in parallel.
    if not after.errors and r.random() < 0.5:
        line += f" parallel {r.randint(1, cycle)}"
    return line + each, after


def random_batch(r, kind):
    drop = r.choice(["", "", " drop"])
    after = batched(kind)
    if not after:
        return None
    if r.random() < 0.6:
        uneven = kind.uneven or kind.uneven_inside
        return f"batch {r.randint(1, 5)}{drop}", after.but(errors=kind.errors or uneven)
    line = f"padded_batch {r.randint(1, 4)}{drop}"
    if r.random() < 0.4:
        line += f" to {r.randint(2, 5)}"
        after = after.but(uneven_inside=False, errors=True)
    if not kind.text and r.random() < 0.3:
        line += f" with {r.randint(0, 9)}"
    return line, after


def random_rebatch(r, kind):
    if min(kind.ranks) < 1 or not kind.aligned:
        return None
    if r.random() < 0.5:
        after = kind.but(ranks=[x - 1 for x in kind.ranks], uneven=kind.uneven_inside)
        return "unbatch", after.but(aligned=len(kind.ranks) == 1)
    sizes = [r.randint(1, 4)] + [r.randint(0, 4) for _ in range(r.randint(0, 2))]
    return f"rebatch {' '.join(map(str, sizes))}{r.choice(['', '', ' drop'])}", kind.but(
        errors=kind.errors or kind.uneven_inside
    )


def random_window(r, kind):
    size, shift, stride = r.randint(1, 4), r.randint(1, 4), r.choice([1, 1, 2, 3])
    line = f"window {size} shift {shift} stride {stride}{r.choice(['', ' drop'])}"
    if r.random() < 0.6:
        each, after = random_each(r, kind)
        return line + each, after
    if not batched(kind):
        return None
    return line, batched(kind).but(errors=kind.errors or kind.uneven or kind.uneven_inside)


def random_group(r, kind):
    if not batched(kind):
        return None
    if r.random() < (0.6 if kind.ranks == (1,) else 0.2):
        edges = sorted(r.sample(range(1, 5), r.randint(1, 2)))
        # An element that no bucket of a padded set can hold makes TensorFlow fail without end; none
        # is longer than 5 here.
        if kind.ranks == (1,) and r.random() < 0.3:
            return bucket(r, kind, edges[:1] + [6], " pad")
        return bucket(r, kind, edges, r.choice(["", "", " plain"]))
    if kind.text:
        return None
    line = f"group {r.randint(1, 3)} {r.randint(1, 4)}"
    if r.random() < 0.6:
        each, after = random_each(r, kind)
        return line + each, after
    return line, batched(kind).but(errors=kind.errors or kind.uneven or kind.uneven_inside)


def bucket(r, kind, edges, pad):
    sizes = " ".join(str(r.randint(1, 3)) for _ in range(len(edges) + 1))
    line = f"bucket {' '.join(map(str, edges))} sizes {sizes}{pad}{r.choice(['', '', ' drop'])}"
    return line, batched(kind).but(errors=kind.errors or pad == " plain")


def random_join(r, kind):
    child, other = random_line(r, 2, child=True)
    if kind.text != other.text:
        return None
    errors = kind.errors or other.errors
    uneven = kind.uneven or other.uneven
    inside = kind.uneven_inside or other.uneven_inside
    both = Kind(kind.ranks, uneven, inside, kind.aligned and other.aligned, errors, kind.text)
    what = r.choice(["zip", "concatenate", "choose", "sample"])
    if what == "zip":
        if len(kind.ranks) + len(other.ranks) > 4:
            return None
        return f"zip ( {child} )", both.but(ranks=kind.ranks + other.ranks, aligned=False)
    if kind.ranks != other.ranks:
        return None
    if what == "concatenate":
        return f"concatenate ( {child} )", both
    # Only where nothing is left to chance.
    if what == "sample":
        weights = r.choice(["0 1", "1 0", "1 0", "0 0"])
        return f"sample ( {child} ) weights {weights}{r.choice(['', ' stop'])}", both
    choices = " ".join(str(r.choice([0, 0, 1, 1, 1, 2])) for _ in range(r.randint(1, 14)))
    if r.random() < 0.6:
        choices = choices.replace("2", "0")
    else:
        both.errors = True
    return f"choose ( {child} ) by ( numbers {choices} ){r.choice(['', ' stop'])}", both


def random_small(r, kind):
    """Stages that leave the elements as they are, or nearly."""
    name = r.choice(
        "take skip shard take_while filter repeat forever cache prefetch ignore_errors shuffle "
        "enumerate scan unique refuse".split()
    )
    if kind.text and name in ("enumerate", "scan", "take_while", "filter", "refuse"):
        return None
    if name == "enumerate":
        if len(kind.ranks) > 3:
            return None
        return f"enumerate {r.randint(0, 9)}", kind.but(ranks=(0,) + kind.ranks, aligned=False)
    if name == "scan":
        if r.random() < 0.3:
            return "scan list", Kind((1,), uneven=True, errors=kind.errors)
        return "scan sum", Kind(errors=kind.errors)
    if name == "unique":
        return ("unique", kind) if kind.scalar() else None
    if name == "ignore_errors":
        return "ignore_errors", kind.but(errors=False)
    # TensorFlow forgets what shard passed over before an error, so that two shards can get the same
    # element; here an error has a number of its own.
    if name == "shard" and kind.errors:
        return None
    shards = r.randint(1, 4)
    modulo = r.randint(2, 4)
    lines = {
        "take": f"take {r.choice([-1, 0, 1, 2, 3, 5, 8, 20])}",
        "skip": f"skip {r.choice([-1, 0, 1, 2, 3, 3, 5])}",
        "shard": f"shard {shards} {r.randrange(shards)}",
        "take_while": f"take_while below {r.randint(3, 30)}",
        "filter": f"filter modulo {modulo} {r.randrange(modulo)}",
        "refuse": f"{r.choice(['filter', 'take_while'])} refuse {r.randint(0, 9)}",
        "repeat": f"repeat {r.randint(0, 3)}",
        "forever": f"forever {r.randint(1, 25)}",
        "cache": "cache",
        "prefetch": f"prefetch {r.choice([-1, 0, 1, 2, 7])}",
        "shuffle": "shuffle 1",
    }
    return lines[name], kind.but(errors=kind.errors or name == "refuse")


def random_line(r, most, child=False, given=None):
    line, kind = ("given", given) if given else random_source(r)
    makers = [random_map] * 5 + [random_small] * 6 + [random_batch] * 2 + [random_expansion]
    makers += [lambda r, kind: random_expansion(r, kind, "flat_map")]
    makers += [random_rebatch] * 2 + [random_window, random_group]
    makers += [] if child else [random_join] * 2
    stages = r.randint(0 if child else 1, most)
    while stages > 0:
        made = r.choice(makers)(r, kind)
        if made:
            line, kind = f"{line} | {made[0]}", made[1]
            stages -= 1
    if not child and len(kind.ranks) == 1 and kind.ranks[0] < 3 and r.random() < 0.15:
        line += random_ending(r, kind)
    return line, kind


def random_ending(r, kind):
    """Ragged and sparse values, and what may follow them."""
    if r.random() < 0.3 and not kind.text:
        to = f" to {r.randint(2, 5)}" if r.random() < 0.6 else ""
        rank, line = None, f" | sparse_batch {r.randint(1, 3)}{to}"
    elif kind.ranks[0]:
        rank = kind.ranks[0] + 1
        line = f" | ragged_batch {r.randint(1, 3)}{r.choice(['', ' drop'])}"
    else:
        return ""
    most = 3
    for _ in range(r.randint(0, 4)):
        made = r.random() < 0.6 and rank is not None and random_rows(r, rank, most)
        if made:
            line, rank = f"{line} | {made[0]}", made[1]
            most = most if rank else 1
        else:
            line += " | " + r.choice(
                [f"take {r.randint(0, 5)}", f"skip {r.randint(0, 3)}", f"repeat {r.randint(0, 2)}"]
                + ["cache", "prefetch 2", "ignore_errors"]
            )
    return line


def random_rows(r, rank, most):
    """A stage that moves the rows of ragged values. TensorFlow does not cut batches whose rows are
    ragged themselves, and does not make numbers ragged again that it took apart."""
    name = r.choice(["batch", "ragged_batch", "unbatch", "unbatch", "rebatch"])
    if name == "unbatch":
        return (name, rank - 1) if rank else None
    if name == "rebatch":
        return (f"rebatch {r.randint(1, 3)}{r.choice(['', ' drop'])}", rank) if rank == 2 else None
    if rank >= most or (name == "ragged_batch" and not rank):
        return None
    return f"{name} {r.randint(1, 3)}{r.choice(['', ' drop'])}", rank + 1


# Where we differ from TensorFlow on purpose: a line for which one of these holds is not written.
NOTHING = r"(take -1|skip 0|repeat 1|shard 1 0|prefetch 0)"
UNEVEN = r"(vectors|fill|batch|window|group|bucket)"
LEFT_OUT = (
    # TensorFlow drops stages that do nothing before it fuses map and batch, so that what an error
    # costs depends on that optimisation; here it depends on what was written.
    lambda line: re.search(rf"map [^|]*(\| {NOTHING} )+\| batch", line) and "fail" in line,
    # Fused with map, batch notices different shapes even in a remainder that is dropped.
    lambda line: re.search(rf"{UNEVEN}.*map [^|]*\| batch \d+ drop", line),
    # What is padded to a bucket's boundary is what TensorFlow's tracing could not find out.
    lambda line: re.search(r"(vectors| drop | to |each).* pad", line),
    # An error beside the end, or one that window passes over, can end TensorFlow's data.
    lambda line: re.search(r"(batch|bucket|group|map [rcf]|leave).*window \d+ shift [2-9]", line)
    and re.search("vectors|fill|fail|refuse|list|to|each", line),
    # The same in an interleave or rebatch, which such an error from a window ends at once.
    lambda line: re.search(r"(fail|refuse|vectors|fill|each).*window.*\| (interleave|rebatch)", line),
    # Where nothing can be drawn we know that there is nothing; TensorFlow may not.
    lambda line: "weights 0 0" in line,
    # What has no weight still has its say in the shapes, and so in how many rows there are.
    lambda line: re.search(r"sample.*\| unbatch", line),
)


def serve():
    """Answers each line of the input."""
    for line in sys.stdin:
        try:
            answer = results(line.strip())
        except (TypeError, ValueError):  # refused when it is built
            answer = None
        print(answer, flush=True)


class Server:
    """TensorFlow in a process of its own: some lines make it crash, and those are left out."""

    def __init__(self):
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, line):
        print(line, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if not answer:
            print("TensorFlow crashed:", line, file=sys.stderr)
            self.process.wait()
            self.start()
        return None if answer in ("", "None") else answer


def teaches_little(line, found):
    """Also where we know more than TensorFlow: batches that are not there have no rows."""
    if found.startswith(". #"):
        return zlib.crc32(line.encode()) % 10 > 0 or "unbatch" in line
    return "parallel" in line and "!" in found


def make():
    r = random.Random(2024)
    server, seen = Server(), set()
    lines = [f"{line} => {server.ask(line)}\n" for line in CHOSEN.read_text().splitlines()]
    most = len(lines) + CASES
    while len(lines) < most:
        line, _ = random_line(r, 6)
        if line in seen or any(differs(line) for differs in LEFT_OUT):
            continue
        seen.add(line)
        found = server.ask(line)
        if found is None or len(found) > 300 or teaches_little(line, found):
            continue
        lines.append(f"{line} => {found}\n")
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "golden.txt").write_text("".join(lines))


if __name__ == "__main__":
    if sys.argv[1:] == ["-"]:
        serve()
    elif len(sys.argv) > 1:
        for line in sys.argv[1:]:
            print(line, "=>", results(line))
    else:
        make()
