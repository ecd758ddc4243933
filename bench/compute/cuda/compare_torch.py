#!/usr/bin/env python3
"""compare_torch.py BUILD: the time of a training step on a GPU, Stoker beside PyTorch.

For each row PyTorch trains in a process of its own, then `stoker bench compute` with the same batch,
precision and optimiser: windows of steps on data that the GPU has already, waiting only at their ends.
PyTorch gets normalised float images, while Stoker normalises bytes and counts right answers in every
step. Prints a table with medians, how far windows are apart, and PyTorch's time over ours (above 1 we
are faster; the range is of the windows at 10 and 90 %).

    compare_torch.py build/release --row resnet50-fp16 --row resnet50-bf16 --json result.json
    compare_torch.py build/release --device cpu --backend cpu --tiny --no-compile   # does it work?"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

WINDOWS_AT_LEAST = 5
CIFAR = "resnet18_cifar"


def row(model, precision, batch, size=224, compiled=False, graph=False):
    return {"model": model, "precision": precision, "batch": batch, "size": size,
            "compile": compiled, "graph": graph}


ROWS = {
    "resnet50-fp32": row("resnet50", "fp32", 256),
    "resnet50-tf32": row("resnet50", "tf32", 256),
    "resnet50-fp16": row("resnet50", "fp16", 256, compiled=True),
    "resnet50-bf16": row("resnet50", "bf16", 256, compiled=True),
    "resnet50-fp16-eager": row("resnet50", "fp16", 256),
    "mobilenet_v2-fp16": row("mobilenet_v2", "fp16", 256, compiled=True),
    "mobilenet_v2-bf16": row("mobilenet_v2", "bf16", 256, compiled=True),
    "cifar-fp16": row(CIFAR, "fp16", 512, 32, compiled=True),
    "cifar-bf16": row(CIFAR, "bf16", 512, 32, compiled=True),
    "resnet50-2-graph": row("resnet50", "bf16", 2, graph=True),
    "resnet50-2-graph-compile": row("resnet50", "bf16", 2, compiled=True, graph=True),
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, nargs="?", help="where stoker is")
    parser.add_argument("--row", action="append", choices=ROWS, help="only these")
    parser.add_argument("--windows", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.7, help="of a window, about")
    parser.add_argument("--mode", default="default", help="of torch.compile, such as "
                        "max-autotune-no-cudagraphs, which takes minutes to compile")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--limit", type=float, default=150, help="seconds for one side of a row")
    parser.add_argument("--device", default="cuda", help="PyTorch's")
    parser.add_argument("--backend", default="cuda", help="Stoker's")
    parser.add_argument("--only", choices=("ours", "theirs"))
    parser.add_argument("--tiny", action="store_true", help="batch 2 and small images")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--peer", help=argparse.SUPPRESS)  # what the process for PyTorch is to do
    given = parser.parse_args()
    if given.windows < WINDOWS_AT_LEAST:
        parser.error(f"{given.windows} windows show no spread: {WINDOWS_AT_LEAST} or more do")
    if not given.peer and not given.build:
        parser.error("BUILD is missing: the folder that stoker was built in")
    return given


# PyTorch, in its own process.


def build_model(name):
    import torch
    import torchvision
    if name != CIFAR:
        return getattr(torchvision.models, name)()
    model = torchvision.models.resnet18(num_classes=10)
    model.conv1 = torch.nn.Conv2d(3, 64, 3, 1, 1, bias=False)
    model.maxpool = torch.nn.Identity()
    return model


def make_step(what, layout):
    """A function that does one step and returns its loss, which stays on the device."""
    import torch
    device = what["device"]
    half = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(what["precision"])
    tf32 = what["precision"] == "tf32"
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    model = build_model(what["model"]).to(device, memory_format=layout).train()
    classes = 10 if what["model"] == CIFAR else 1000
    images = torch.randn(what["batch"], 3, what["size"], what["size"], device=device)
    images = images.to(memory_format=layout)
    labels = torch.arange(what["batch"], device=device) % classes
    optimizer = torch.optim.SGD(model.parameters(), 1e-3, momentum=0.9, weight_decay=5e-4,
                                nesterov=True, fused=True)
    scaler = torch.amp.GradScaler(device, enabled=what["precision"] == "fp16")
    forward = torch.compile(model, mode=what["mode"]) if what["compile"] else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        # A graph replays casts of weights: the cache would keep what it saw while recording.
        mixed = torch.autocast(device, half, cache_enabled=not what["graph"]) if half else \
            contextlib.nullcontext()
        with mixed:
            loss = torch.nn.functional.cross_entropy(forward(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    return step


def record(step):
    """The whole step as one CUDA graph."""
    import torch
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def seconds_of(step, count, wait):
    wait()
    begin = time.perf_counter()
    for _ in range(count):
        step()
    wait()
    return (time.perf_counter() - begin) / count


def choose(what, wait):
    """The faster layout where nothing is compiled; half precision is for channels_last only."""
    import torch
    layouts = {"channels_last": torch.channels_last}
    if what["precision"] in ("fp32", "tf32") and not what["graph"]:
        layouts["nchw"] = torch.contiguous_format
    tried = {}
    for name, layout in layouts.items():
        step = make_step(what, layout)
        begin = time.perf_counter()
        seconds_of(step, 3, wait)
        if what["graph"]:
            step = record(step)
        ready = time.perf_counter() - begin
        tried[name] = (seconds_of(step, 3, wait), ready, step)
    best = min(tried, key=lambda name: tried[name][0])
    return best, *tried[best]


def be_peer(what):
    import torch
    wait = torch.cuda.synchronize if what["device"] == "cuda" else lambda: None
    torch.manual_seed(1)
    layout, once, ready, step = choose(what, wait)
    count = max(2, math.ceil(what["seconds"] / once))
    seconds_of(step, count, wait)
    times = [1e3 * seconds_of(step, count, wait) for _ in range(what["windows"])]
    peak = torch.cuda.max_memory_reserved() / 1e9 if what["device"] == "cuda" else None
    name = torch.cuda.get_device_name() if what["device"] == "cuda" else "CPU"
    print(json.dumps({"times": times, "window": count, "layout": layout, "ready_s": ready,
                      "reserved_gb": peak, "torch": torch.__version__, "on": name}))


# Both sides.


def run(command, limit, environment=None):
    """The last line of the output as JSON, or {"failed": why}."""
    try:
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                                timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return {"failed": f"took over {limit:g} s"}
    except OSError as error:
        return {"failed": str(error)}
    text = result.stdout.strip()
    if result.returncode or not text:
        said = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        return {"failed": said[-1][:300]}
    with contextlib.suppress(ValueError):
        return json.loads(text)
    return json.loads(text.splitlines()[-1])


def summary(times, **more):
    times = sorted(times)
    at = lambda part: times[min(len(times) - 1, int(part * len(times)))]
    return {"ms": statistics.median(times), "low": at(0.1), "high": at(0.9), **more}


def theirs(given, what):
    asked = {**what, "device": given.device, "seconds": given.seconds, "windows": given.windows,
             "mode": given.mode}
    found = run([sys.executable, __file__, "--peer", json.dumps(asked)], given.limit)
    return found if "failed" in found else summary(found.pop("times"), **found)


def ours(given, what, window):
    command = [given.build / "stoker", "bench", "compute", what["model"], "--backend", given.backend,
               "--batch", what["batch"], "--size", what["size"], "--precision", what["precision"],
               "--optimizer", "nesterov", "--window", window, "--steps", window * given.windows,
               "--quiet", "--json"]
    environment = dict(os.environ)
    plugin = given.build / "libstoker_cuda.so"
    if plugin.exists():
        environment.setdefault("STOKER_PLUGIN_CUDA", str(plugin.resolve()))
    found = run(command, given.limit, environment)
    if "failed" in found:
        return found
    memory = found["memory"]
    return {"ms": found["step_ms"], "low": found["step_ms_p10"], "high": found["step_ms_p90"],
            "window": found["window"], "ready_s": found["compile_s"],
            "planned_gb": (memory["variables_bytes"] + memory["arena_bytes"]) / 1e9}


def ratio(us, them):
    if "ms" not in us or "ms" not in them:
        return None
    return {"median": them["ms"] / us["ms"], "low": them["low"] / us["high"],
            "high": them["high"] / us["low"]}


def compare(given, name):
    what = dict(ROWS[name])
    what["compile"] = what["compile"] and not given.no_compile
    if given.tiny:
        what.update(batch=2, size=32)
    skipped = {"failed": "not asked for"}
    them = theirs(given, what) if given.only != "ours" else skipped
    window = them.get("window", 10)
    us = ours(given, what, window) if given.only != "theirs" else skipped
    found = {"row": name, **what, "mode": given.mode if what["compile"] else None, "ours": us, "theirs": them,
             "ratio": ratio(us, them)}
    for side, result in (("Stoker", us), ("PyTorch", them)):
        if "failed" in result and result is not skipped:
            print(f"{name}: {side} did not run: {result['failed']}", file=sys.stderr)
    print(json.dumps(found), flush=True)
    return found


def cells(found):
    def side(one):
        if "ms" not in one:
            return "-"
        rate = 1e3 * found["batch"] / one["ms"]
        return f"{one['ms']:.2f} ({one['low']:.2f} .. {one['high']:.2f}) {rate:,.0f}/s"

    r = found["ratio"]
    return [f"{found['row']}, {found['batch']}", side(found["ours"]), side(found["theirs"]),
            f"{r['median']:.3f} ({r['low']:.3f} .. {r['high']:.3f})" if r else "-"]


def print_table(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    given = parse()
    if given.peer:
        be_peer(json.loads(given.peer))
        return
    names = given.row or [name for name in ROWS if given.device == "cuda" or not ROWS[name]["graph"]]
    results = []
    for name in names:
        results.append(compare(given, name))
        if given.json:  # what is there is kept if the next row takes too long
            given.json.write_text(json.dumps(results, indent=1) + "\n")
    print("\nms a step, median of windows (10 % .. 90 %), images a second; PyTorch's time over ours")
    print_table([["row, batch", "Stoker", "PyTorch", "ratio"], *map(cells, results)])


main()
