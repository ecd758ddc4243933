"""Numbers of the page, read back: what a text means, and what the data says it should."""
import math
import re

SCALE = {"ns": {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}}
PREFIX = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
UNIT = {"bytes": "B", "bytes_s": "B/s", "flop": "FLOP", "flop_s": "FLOP/s"}
EVERY_STAGE = 9


def untable(value):
    if isinstance(value, dict) and set(value) == {"keys", "rows"}:
        return [dict(zip(value["keys"], row)) for row in value["rows"]]
    return value


def settle(data):
    for part in ("profile", "diagnosis"):
        data[part] = {key: untable(value) for key, value in data[part].items()}
    data["learning"] = {key: untable(value) for key, value in data.get("learning", {}).items()}
    return data


def time_of(text):
    long = re.fullmatch(r"(?:(\d+)h )?(\d+)m(?: (\d+)s)?", text)
    if long:
        hours, minutes, seconds = (int(part or 0) for part in long.groups())
        return (hours * 3600 + minutes * 60 + seconds) * 1e9
    number, unit = text.split(" ")
    return float(number) * SCALE["ns"][unit]


def meaning(text, kind):
    """The number that the text shows, in the unit of the data."""
    text = text.replace(",", "").replace("−", "-")
    if text == "0":
        return 0.0
    if kind in ("ns", "s"):
        return time_of(text) / (1e9 if kind == "s" else 1)
    if kind in ("share", "gain"):
        return float(text.rstrip(" %")) / 100
    if kind in UNIT:
        number, unit = text.replace("bytes", "B").split(" ")
        return float(number) * PREFIX[unit[:-len(UNIT[kind])]]
    return float(text.split(" ")[0])


def rank(values, share):
    values = sorted(values)
    return values[max(0, math.ceil(share * len(values)) - 1)]


def op_number(profile, index, key):
    op, limits = profile["ops"][index], profile["limits"]
    mean = op["ns"] / op["runs"]
    least = max(op["flops"] / limits["flops"], op["bytes"] / limits["memory_bytes"]) * 1e9
    return {"mean": mean, "share": op["ns"] / sum(o["ns"] for o in profile["ops"]), "flop_s": op["flops"] / mean * 1e9,
            "bytes_s": op["bytes"] / mean * 1e9, "of_peak": least / mean}[key]


def derived(data, key):
    """What the page works out itself, worked out again."""
    profile = data["profile"]
    measured = int(profile["steps"])
    first = len(profile["step_list"]) - measured if 1 <= measured < len(profile["step_list"]) else 0
    times = [step["ns"] for step in profile["step_list"][first:]]
    name, *rest = key.split(".")
    if name in ("p50", "p95", "p99"):
        return rank(times, int(name[1:]) / 100)
    if name == "slowest":
        return max(times)
    if name == "share":
        return profile["stages"][int(rest[0])]["exposed_ns"] / profile["measured_ns"]
    if name == "mean":
        return profile["stages"][int(rest[0])]["exposed_ns"] / profile["steps"]
    if name == "memory_share":
        return profile["memory"][int(rest[0])]["bytes"] / sum(part["bytes"] for part in profile["memory"])
    return op_number(profile, int(rest[0]), rest[1])


def value_at(data, key):
    if key.startswith("derived."):
        return derived(data, key[len("derived."):])
    at = data
    for part in key.split("."):
        at = at[int(part)] if isinstance(at, list) else at[part]
    return at


def agrees(data, key, kind, text):
    """Three digits are shown, shares with one place."""
    value = value_at(data, key)
    if text == "–":
        return value is None or value == "" or value < 0
    if kind == "text":
        return text == str(value)
    shown = meaning(text, kind)
    if kind in ("share", "gain"):
        return abs(shown - value) <= (0.0051 if kind == "gain" and abs(value) >= 0.9995 else 0.00051)
    if kind == "count":
        return shown == round(value)
    return abs(shown - value) <= 0.0051 * abs(value) + 1e-9
