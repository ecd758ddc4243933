"""What a command left, beside what it leaves when nobody disturbs it."""
import csv
import io
import json
import re
import struct

import whole

TIMED = {"images_per_s", "input_wait", "seconds"}
GROWING = re.compile(r"metrics\.csv$|^w\.csv$|tfevents|\.stoker-pack|/cache/|^cache/|tune\.jsonl$|^tuned/tune-runs/")


def is_temporary(path):
    return path.name.startswith(".") and path.name.endswith(".tmp")


def names(root):
    """Files below root that carry their final names; event files without time and host."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and not is_temporary(path):
            name = re.sub(r"tfevents\..*", "tfevents", str(path.relative_to(root)))
            found.setdefault(name, []).append(path)
    return found


def flaws(root, killed):
    """What is not whole below root. What a kill interrupts may be torn where it grows in sight."""
    problems = []
    for path in sorted(root.rglob("*")) if root.exists() else []:
        if not path.is_file() or is_temporary(path) or path.is_symlink():
            continue
        name = str(path.relative_to(root))
        if ".partial/" in name or (killed and GROWING.search(name)):
            continue
        flaw = whole.flaw(path)
        if flaw:
            problems.append(f"half-written: {name}: {flaw}")
    return problems


def leftovers(root):
    return [f"left over: {p.relative_to(root)}" for p in sorted(root.rglob("*")) if is_temporary(p)]


def header(path):
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length))


def state(path):
    """Checksums of a checkpoint's tensors, but those that hold times, or a place in the data: that can be
    told in several ways."""
    sums = json.loads(header(path)["__metadata__"]["stoker.crc32c"])
    return {k: v for k, v in sums.items() if k not in ("stoker.metrics", "stoker.input")}


def learnt(path):
    """metrics.csv without the columns that measure time."""
    rows = list(csv.reader(io.StringIO(path.read_text())))
    kept = [i for i, name in enumerate(rows[0]) if name not in TIMED] if rows else []
    return [tuple(row[i] for i in kept if i < len(row)) for row in rows]


def fields(data):
    """(number, value) of the fields of a protobuf message."""
    at = 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        size = {0: 0, 1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = varint() if size is None else size
        yield key >> 3, data[at:at + size]
        at += size


def scalars(paths):
    """Step and tag of every point that TensorBoard would show of train/ and validation/."""
    points = set()
    for path in paths:
        data, at = path.read_bytes(), 0
        while at + 16 <= len(data):
            length, = struct.unpack_from("<Q", data, at)
            event = list(fields(data[at + 12:at + 12 + length]))
            step = next((v for k, v in event if k == 2), 0)
            for summary in (v for k, v in event if k == 5):
                for value in (v for k, v in fields(summary) if k == 1):
                    tag = next((v for k, v in fields(value) if k == 1), b"").decode()
                    if tag.startswith(("train/", "validation/")):
                        points.add((step, tag))
            at += 16 + length
    return points


def same_bytes(path, reference):
    return [] if path.read_bytes() == reference.read_bytes() else [f"differs: {path.name}"]


def same_metrics(path, reference):
    ours, theirs = learnt(path), learnt(reference)
    if ours == theirs:
        return []
    missing = [row[0] for row in theirs if row not in ours]
    return [f"differs: metrics.csv: {len(ours)} rows instead of {len(theirs)}, "
            f"steps {','.join(missing[:6])} are lost or changed"]


def same_run(root, reference, all_files):
    """Problems of a run folder that is over. all_files: also those that tell how fast it was."""
    ours, theirs = names(root), names(reference)
    needed = [n for n in theirs if all_files or re.search(r"safetensors$|metrics|recipe|classes|tfevents", n)]
    old = sorted(n for n in theirs if n.startswith("checkpoints/"))[:-1]
    needed = [n for n in needed if n not in old]
    problems = [f"missing: {n}" for n in needed if n not in ours]
    for name in ("best.safetensors", "final.safetensors", "classes.txt"):
        if name in ours and name in theirs:
            problems += same_bytes(ours[name][0], theirs[name][0])
    for name in theirs:
        if name.startswith("checkpoints/") and name in ours:
            one, other = state(ours[name][0]), state(theirs[name][0])
            changed = sorted(k for k in one.keys() | other.keys() if one.get(k) != other.get(k))
            if changed:
                problems.append(f"differs: {name}: {' '.join(changed[:3])}")
    if "metrics.csv" in ours:
        problems += same_metrics(ours["metrics.csv"][0], theirs["metrics.csv"][0])
    lost = scalars(theirs.get("events.out.tfevents", [])) - scalars(ours.get("events.out.tfevents", []))
    if lost:
        problems.append(f"differs: {len(lost)} points of TensorBoard are lost, such as {sorted(lost)[0]}")
    return problems


def same_tree(root, reference):
    """Problems of a folder whose every byte is known."""
    ours, theirs = names(root), names(reference)
    problems = [f"missing: {n}" for n in theirs if n not in ours]
    problems += [f"left over: {n}" for n in ours if n not in theirs]
    for name in theirs:
        if name in ours:
            problems += same_bytes(ours[name][0], theirs[name][0])
    return problems
