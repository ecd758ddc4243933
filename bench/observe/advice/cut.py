#!/usr/bin/env python3
"""cut.py IN OUT [STEPS]: a trace of torch.profiler made small: the first steps, without short functions of
Python, operations inside the DataLoader and arguments that nobody reads. Times, names and order are the profiler's own."""
import bisect
import gzip
import json
import sys

KEPT = ("Input type", "Input Dims", "Input Strides")
SHORTEST = 200  # microseconds, of functions of Python


def loader_spans(events):
    return sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e.get("name", "").startswith("enumerate("))


def cut(trace, steps):
    events = trace["traceEvents"]
    loading = loader_spans(events)
    marks = sorted(e["ts"] + e["dur"] for e in events if e.get("name", "").startswith("ProfilerStep#"))
    end = marks[min(steps, len(marks)) - 1]
    first = min(e["ts"] for e in events if e.get("ph") == "X")
    kept = []
    for e in events:
        if e["ph"] == "M":
            kept.append({k: e[k] for k in ("ph", "name", "pid", "tid", "args") if k in e})
        if e["ph"] != "X" or e["ts"] >= end or e.get("cat") == "python_function" and e["dur"] < SHORTEST:
            continue
        before = bisect.bisect(loading, (e["ts"], float("inf")))
        if e.get("cat") == "cpu_op" and before and e["ts"] < loading[before - 1][1]:
            continue
        made = {k: e[k] for k in ("ph", "cat", "name", "pid", "tid")}
        made["ts"], made["dur"] = round(e["ts"] - first, 1), round(min(e["dur"], end - e["ts"]), 1)
        told = {k: v for k, v in e.get("args", {}).items() if k in KEPT}
        if told and ("conv" in e["name"] or "double" in told.get("Input type", ())):
            made["args"] = {k: v[:1] if k != "Input type" else v for k, v in told.items()}
        kept.append(made)
    return dict({k: trace[k] for k in ("schemaVersion", "deviceProperties")}, traceEvents=kept)


if __name__ == "__main__":
    with gzip.open(sys.argv[1], "rt") as file:
        small = cut(json.load(file), int(sys.argv[3]) if len(sys.argv) > 3 else 11)
    with gzip.GzipFile(sys.argv[2], "wb", mtime=0) as file:
        file.write(json.dumps(small, separators=(",", ":")).encode())
