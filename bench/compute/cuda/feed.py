#!/usr/bin/env python3
"""feed.py BUILD PHOTOS: training that is fed from JPEGs beside training on data that the GPU has.

PHOTOS is a folder (or a .tar) of JPEGs, which are repeated until there are enough for epochs of some length.
Stoker: `stoker pack`, then `stoker train` with a run folder and no validation; `stoker bench compute` for the
rate without input. PyTorch: the same files through a DataLoader (RandomResizedCrop and a flip of torchvision,
pinned batches of bytes that are normalised on the GPU), channels_last, autocast, torch.compile; its rate without
input from the same process. Rates are medians of windows of steps after warm-up, by the clock on the wall.

    feed.py build/release photos.tar --json feed.json
    feed.py build/release photos --backend cpu --device cpu --tiny --no-compile    # does it work?"""
import argparse
import contextlib
import csv
import itertools
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

ENDINGS = (".jpg", ".jpeg")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, nargs="?", help="where stoker is")
    parser.add_argument("photos", type=pathlib.Path, nargs="?")
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--precision", default="fp16", choices=("fp32", "bf16", "fp16"))
    parser.add_argument("--repeat", type=int, default=40, help="times that each photo is there")
    parser.add_argument("--window", type=int, default=20, help="steps of a window")
    parser.add_argument("--windows", type=int, default=7)
    parser.add_argument("--warmup", type=int, default=60, help="steps before them")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="of PyTorch's DataLoader")
    parser.add_argument("--decoder", default="pil", choices=("pil", "io"),
                        help="of PyTorch: Pillow, as ImageFolder does, or torchvision.io")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE",
                        help="for stoker train")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--device", default="cuda", help="PyTorch's")
    parser.add_argument("--backend", default="cuda", help="Stoker's")
    parser.add_argument("--only", choices=("ours", "theirs"))
    parser.add_argument("--limit", type=float, default=280, help="seconds for one command")
    parser.add_argument("--tiny", action="store_true", help="few small images and steps")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--peer", help=argparse.SUPPRESS)  # what the process for PyTorch is to do
    given = parser.parse_args()
    if given.tiny:
        given.batch, given.size, given.repeat, given.workers = 4, 32, 1, 2
        given.window, given.windows, given.warmup = 2, 5, 4
    if not given.peer and not given.photos:
        parser.error("BUILD and PHOTOS are needed: where stoker is, and JPEGs")
    return given


# The data.


def make_files(given, work):
    """A folder a photo, in it as many names for it as it is to be repeated."""
    source = given.photos
    if source.suffix == ".tar":
        with tarfile.open(source) as archive:
            archive.extractall(work / "photos")
        source = work / "photos"
    found = sorted(path for path in source.rglob("*") if path.suffix.lower() in ENDINGS)
    if not found:
        sys.exit(f"feed.py: {given.photos} has no JPEGs")
    if given.tiny:
        found = found[:16]
    for path in found:
        folder = work / "files" / path.stem
        folder.mkdir(parents=True)
        for number in range(given.repeat):
            (folder / f"{number:03d}.jpg").symlink_to(path.resolve())
    return len(found)


# PyTorch, in its own process.


def make_loader(what):
    import torch
    import torchvision
    from torchvision.transforms import v2
    crop = [v2.RandomResizedCrop(what["size"], antialias=True), v2.RandomHorizontalFlip()]
    if what["decoder"] == "io":
        from torchvision.io import ImageReadMode, decode_jpeg, read_file
        read = lambda path: decode_jpeg(read_file(path), mode=ImageReadMode.RGB)
        data = torchvision.datasets.ImageFolder(what["files"], v2.Compose(crop), loader=read)
    else:
        data = torchvision.datasets.ImageFolder(what["files"], v2.Compose([*crop, v2.PILToTensor()]))
    loader = torch.utils.data.DataLoader(data, what["batch"], shuffle=True, drop_last=True,
                                         num_workers=what["workers"], pin_memory=what["device"] == "cuda",
                                         persistent_workers=True, prefetch_factor=4)
    return loader, len(data.classes)


def make_step(what, classes):
    """A function that trains on a batch of bytes and waits for nothing."""
    import torch
    import torchvision
    device = what["device"]
    half = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(what["precision"])
    torch.backends.cudnn.benchmark = True
    model = getattr(torchvision.models, what["model"])(num_classes=classes)
    model = model.to(device, memory_format=torch.channels_last).train()
    mean = torch.tensor([123.675, 116.28, 103.53], device=device).view(1, 3, 1, 1)
    deviation = torch.tensor([58.395, 57.12, 57.375], device=device).view(1, 3, 1, 1)
    optimizer = torch.optim.SGD(model.parameters(), 1e-3, momentum=0.9, weight_decay=5e-4,
                                nesterov=True, fused=True)
    scaler = torch.amp.GradScaler(device, enabled=what["precision"] == "fp16")

    def loss_of(images, labels):
        x = images.float().sub(mean).div(deviation).contiguous(memory_format=torch.channels_last)
        return torch.nn.functional.cross_entropy(model(x), labels)

    if what["compile"]:
        loss_of = torch.compile(loss_of)

    def step(images, labels):
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, half) if half else contextlib.nullcontext():
            loss = loss_of(images, labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


def rates_of(what, step, batches, wait):
    """Images a second in each window."""
    rates = []
    for images, labels in itertools.islice(batches, what["warmup"]):
        step(images, labels)
    for _ in range(what["windows"]):
        wait()
        begin = time.perf_counter()
        for images, labels in itertools.islice(batches, what["window"]):
            step(images, labels)
        wait()
        rates.append(what["window"] * what["batch"] / (time.perf_counter() - begin))
    return rates


def be_peer(what):
    import torch
    wait = torch.cuda.synchronize if what["device"] == "cuda" else lambda: None
    loader, classes = make_loader(what)
    step = make_step(what, classes)
    images = torch.randint(0, 256, (what["batch"], 3, what["size"], what["size"]), dtype=torch.uint8,
                           device=what["device"])
    labels = torch.arange(what["batch"], device=what["device"]) % classes
    alone = rates_of(what, step, itertools.repeat((images, labels)), wait)
    endless = itertools.chain.from_iterable(itertools.repeat(loader))
    fed = rates_of(what, step, endless, wait)
    print(json.dumps({"fed": fed, "alone": alone, "torch": torch.__version__}))
    sys.stdout.flush()
    os._exit(0)  # its workers need not be waited for


def theirs(given, work):
    keys = ("model", "batch", "size", "precision", "window", "windows", "warmup", "workers", "decoder",
            "device")
    asked = {key: getattr(given, key) for key in keys}
    asked.update(files=str(work / "files"), compile=not given.no_compile)
    text = run([sys.executable, __file__, "--peer", json.dumps(asked)], given.limit)
    found = json.loads(text.strip().splitlines()[-1])
    return {**found, "fed": summary(found["fed"]), "alone": summary(found["alone"])}


# Ours.


def run(command, limit, environment=None):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            timeout=limit, env=environment)
    if result.returncode:
        said = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        raise RuntimeError(f"{pathlib.Path(str(command[0])).name}: " + " / ".join(said[-3:])[:400])
    return result.stdout


def rates_of_run(folder, given):
    """Images a second between rows of metrics.csv after warm-up: all that a run does counts."""
    with open(folder / "metrics.csv") as table:
        rows = [(int(row["step"]), float(row["seconds"])) for row in csv.DictReader(table)]
    rows = [row for row in rows if row[0] >= given.warmup]
    return [given.batch * (b[0] - a[0]) / (b[1] - a[1]) for a, b in zip(rows, rows[1:])]


def ours(given, work, classes):
    stoker = given.build / "stoker"
    environment = dict(os.environ)
    plugin = given.build / "libstoker_cuda.so"
    if plugin.exists():
        environment.setdefault("STOKER_PLUGIN_CUDA", str(plugin.resolve()))
    begin = time.perf_counter()
    run([stoker, "pack", work / "files", work / "pack", "-q", "--follow-outside"], given.limit, environment)
    packed = time.perf_counter() - begin
    step = ["--backend", given.backend, "--batch", given.batch, "--size", given.size, "--precision",
            given.precision]
    alone = json.loads(run([stoker, "bench", "compute", given.model, *step, "--classes", classes,
                            "--window", given.window, "--steps", given.window * given.windows, "--quiet",
                            "--json"], given.limit, environment))
    steps = given.warmup + given.window * given.windows
    settings = [word for setting in given.set for word in ("--set", setting)]
    report = json.loads(run([stoker, "train", work / "pack", "--model", given.model, *step, "--preset",
                             "imagenet", "--validation", "none", "--steps", steps, "--log-every",
                             given.window, "--checkpoint-every", 10 ** 6, "-o", work / "run", *settings,
                             "--quiet", "--json"], given.limit, environment))
    rate = lambda ms: 1e3 * given.batch / ms
    return {"fed": summary(rates_of_run(work / "run", given)),
            "alone": {"median": rate(alone["step_ms"]), "low": rate(alone["step_ms_p90"]),
                      "high": rate(alone["step_ms_p10"])},
            "input_wait": report["input_wait"], "input_threads": report["input_threads"], "pack_s": packed}


# Both.


def summary(rates):
    rates = sorted(rates)
    at = lambda part: rates[min(len(rates) - 1, int(part * len(rates)))]
    return {"median": statistics.median(rates), "low": at(0.1), "high": at(0.9)}


def measure(given, work):
    classes = make_files(given, work)
    found = {"model": given.model, "batch": given.batch, "size": given.size, "precision": given.precision,
             "photos": classes * given.repeat, "cores": os.cpu_count()}
    for name, side in (("ours", lambda: ours(given, work, classes)), ("theirs", lambda: theirs(given, work))):
        if given.only not in (None, name):
            continue
        try:
            found[name] = side()
            found[name]["ratio"] = found[name]["fed"]["median"] / found[name]["alone"]["median"]
        except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as error:
            found[name] = {"failed": str(error)[:500]}
    return found


def show(found):
    print(f"{found['model']}, batch {found['batch']}, {found['size']} x {found['size']}, {found['precision']}; "
          f"{found['photos']} JPEGs, {found['cores']} cores")
    print(f"{'':8}  {'fed from JPEGs, img/s':>30}  {'data on the device, img/s':>30}  fed / not")
    for name, title in (("ours", "Stoker"), ("theirs", "PyTorch")):
        side = found.get(name, {"failed": "not asked for"})
        if "failed" in side:
            print(f"{title:8}  {side['failed']}")
            continue
        cell = lambda r: f"{r['median']:,.0f} ({r['low']:,.0f} .. {r['high']:,.0f})"
        print(f"{title:8}  {cell(side['fed']):>30}  {cell(side['alone']):>30}  {side['ratio']:9.3f}")


def main():
    given = parse()
    if given.peer:
        be_peer(json.loads(given.peer))
        return 0
    work = pathlib.Path(tempfile.mkdtemp(prefix="feed-"))
    try:
        found = measure(given, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    show(found)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 1 if any("failed" in found.get(name, {}) for name in ("ours", "theirs")) else 0


sys.exit(main())
