#!/usr/bin/env python3
"""loss_sequence.py BUILD: the losses of the first steps of training, Stoker beside PyTorch.

Both begin with the weights that torchvision draws and see the same indices, noise by a formula, in
float32 without TF32, with plain SGD and momentum. Sums that come in another order differ in the last
bits, and every step amplifies that many times over, so no fixed tolerance tells a wrong gradient from
rounding. The yardstick is PyTorch in float64: up to each step we may be no more than --factor times as
far from it as PyTorch's own float32 was by then, with any of --seeds weights: one sequence alone can
be close by luck (after one step PyTorch's is 4e-5, 9e-4 and 1e-3 off with seeds 1 to 3).

    loss_sequence.py build/release                                      # on the GPU
    loss_sequence.py build/release --device cpu --backend cpu --tiny    # anywhere, a minute"""
import argparse
import copy
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy
import torch
import torchvision

BATCHES = 4  # as bench_loss_sequence.c
LAST_BITS = 1e-6  # relative, of float32
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="where bench/bench_loss_sequence is")
    parser.add_argument("--model", default="resnet50", help="of torchvision's that Stoker has")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rate", type=float, default=0.001)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--factor", type=float, default=5)
    parser.add_argument("--seeds", type=int, default=3, help="weights that are begun with")
    parser.add_argument("--device", default="cuda", help="PyTorch's")
    parser.add_argument("--backend", default="cuda", help="Stoker's")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE",
                        help="more of Stoker's recipe, such as train.precision=fp16")
    parser.add_argument("--tiny", action="store_true", help="batch 8, 64 pixels, 10 classes")
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    if given.tiny:
        given.batch, given.size, given.classes = 8, 64, 10
    return given


def noise(numbers):
    numbers = (numbers ^ numbers >> numpy.uint32(16)) * numpy.uint32(0x85EBCA6B)
    numbers = (numbers ^ numbers >> numpy.uint32(13)) * numpy.uint32(0xC2B2AE35)
    return ((numbers ^ numbers >> numpy.uint32(16)) >> numpy.uint32(24)).astype(numpy.uint8)


def batch_of(given, step):
    """Images, normalised, and labels."""
    first = step % BATCHES * given.batch
    indices = numpy.arange(first, first + given.batch, dtype=numpy.uint32)
    places = numpy.arange(given.size * given.size * 3, dtype=numpy.uint32)
    pixels = noise(indices[:, None] * numpy.uint32(0x9E3779B9) + places)
    pixels = pixels.reshape(given.batch, given.size, given.size, 3).astype(numpy.float64) / 255
    pixels = ((pixels - numpy.float32(MEAN)) / numpy.float32(DEVIATION)).astype(numpy.float32)
    images = torch.from_numpy(pixels).permute(0, 3, 1, 2).contiguous()
    labels = indices * numpy.uint32(7919) % numpy.uint32(given.classes)
    return images.to(given.device), torch.from_numpy(labels.astype(numpy.int64)).to(given.device)


def save(path, tensors):
    """safetensors: the length of a JSON header, the header, the data."""
    header, data, at = {}, [], 0
    for name, tensor in tensors.items():
        if name.endswith("num_batches_tracked"):
            continue
        raw = tensor.detach().cpu().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + len(raw)]}
        data.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def theirs(given, model, dtype):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    model = copy.deepcopy(model).to(given.device, dtype).train()
    optimizer = torch.optim.SGD(model.parameters(), given.rate, momentum=given.momentum)
    losses = []
    for step in range(given.steps):
        images, labels = batch_of(given, step)
        loss = torch.nn.functional.cross_entropy(model(images.to(dtype)), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def find(build, name):
    for place in (build / name, build / "bench" / name):
        if place.exists():
            return place
    sys.exit(f"{build} has no {name}: build it first, as `ninja -C {build} {name}`")


def ours(given, weights):
    keys = {"model.name": given.model, "model.classes": given.classes, "data.preset": "imagenet",
            "data.batch": given.batch, "data.size": given.size, "train.optimizer": "sgd",
            "train.momentum": given.momentum, "train.weight_decay": 0, "train.label_smoothing": 0,
            "train.precision": "fp32", "knobs.backend": given.backend}
    command = [find(given.build, "bench_loss_sequence"), weights, given.steps, given.rate,
               *(f"{key}={value}" for key, value in keys.items()), *given.set]
    environment = dict(os.environ)
    plugin = given.build / "libstoker_cuda.so"
    if plugin.exists():
        environment.setdefault("STOKER_PLUGIN_CUDA", str(plugin.resolve()))
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            env=environment)
    if result.returncode:
        sys.exit(f"Stoker failed: {result.stderr.strip()}")
    return [float(line.split()[0]) for line in result.stdout.splitlines()]


def apart(found, exact):
    return [abs(a - b) / max(abs(b), 1e-12) for a, b in zip(found, exact)]


def limits(given, runs):
    """How far we may be off at each step."""
    allowed, steps = LAST_BITS, []
    for step in range(given.steps):
        allowed = max([allowed, *(given.factor * run["torch_apart"][step] for run in runs)])
        steps.append(allowed)
    return steps


def show(run, allowed):
    print(f"seed {run['seed']}")
    print("step       Stoker      PyTorch      float64  Stoker apart  PyTorch apart  allowed")
    rows = zip(run["ours"], run["torch_float32"], run["torch_float64"], run["apart"], run["torch_apart"],
               allowed)
    for step, row in enumerate(rows):
        print("{:4d} {:12.7f} {:12.7f} {:12.7f}  {:12.1e}  {:13.1e}  {:.1e}".format(step, *row))


def report(given, runs):
    allowed = limits(given, runs)
    print(f"{given.model}, batch {given.batch}, {given.size} x {given.size}, SGD {given.rate:g}; "
          f"PyTorch {torch.__version__} on {given.device}, Stoker on {given.backend}")
    agrees, largest = True, 0
    for run in runs:
        show(run, allowed)
        agrees = agrees and len(run["ours"]) == given.steps and \
            all(off <= most for off, most in zip(run["apart"], allowed))
        largest = max([largest, *apart(run["ours"], run["torch_float32"])])
    print(f"largest relative difference of the two in float32 {largest:.1e}; "
          f"{'agrees' if agrees else 'DIFFERS'}")
    if given.json:
        given.json.write_text(json.dumps({"runs": runs, "allowed": allowed, "largest": largest,
                                          "factor": given.factor, "agrees": agrees}) + "\n")
    sys.exit(0 if agrees else 1)


def compare(given, seed):
    torch.manual_seed(seed)
    model = getattr(torchvision.models, given.model)(num_classes=given.classes)
    with tempfile.TemporaryDirectory() as folder:
        weights = pathlib.Path(folder) / "weights.safetensors"
        save(weights, model.state_dict())
        found = ours(given, weights)
    single, exact = (theirs(given, model, dtype) for dtype in (torch.float32, torch.float64))
    return {"seed": seed, "ours": found, "torch_float32": single, "torch_float64": exact,
            "apart": apart(found, exact), "torch_apart": apart(single, exact)}


def main():
    given = parse()
    report(given, [compare(given, seed) for seed in range(1, given.seeds + 1)])


main()
