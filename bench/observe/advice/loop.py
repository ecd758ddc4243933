"""The training loop that the scripts of this folder share. Each script plants one fault; everything that
advice may change is a knob, given as NAME=VALUE on the command line. Several ways to train are separated by
a slash; the first is the script as it is:

    python slow_dataset.py --seconds 1 --rounds 3 / num_workers=2 persistent_workers=True / cache=True
    python slow_dataset.py --trace trace.json.gz

Ways take turns in one process. Prints the samples a second of each way's fastest round as a JSON list, or writes
a trace of torch.profiler: of several recordings the fastest."""
import argparse
import json
import os
import time

import torch
from torch.utils.data import DataLoader, Dataset

KNOBS = {"batch_size": 32, "num_workers": 0, "persistent_workers": False, "prefetch_factor": None,
         "pin_memory": False, "every": 1, "save_every": 0, "dtype": "float32", "memory_format": "contiguous",
         "autocast": "none", "cache": False,
         "threads": 1}  # one: where cores are shared, threads that wait for each other measure the others
WARM_STEPS = 5


class Images(Dataset):
    """Random images; prepare is what a script makes of each."""

    def __init__(self, count, size, prepare=None):
        generator = torch.Generator().manual_seed(1)
        self.pixels = torch.randint(0, 256, (256, 3, size, size), generator=generator, dtype=torch.uint8)
        self.count, self.prepare = count, prepare

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        image = self.pixels[index % 256]
        if self.prepare:
            image = self.prepare(image)
        return image.float() / 255, index % 10


class Cached(Dataset):
    """The prepared samples of another data set, kept."""

    def __init__(self, data):
        self.samples = [data[i] for i in range(256)]
        self.count = len(data)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.samples[index % 256]


def convolutions(width=32, size=32):
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, width, 3, padding=1), torch.nn.BatchNorm2d(width), torch.nn.ReLU(),
        torch.nn.Conv2d(width, width, 3, padding=1), torch.nn.BatchNorm2d(width), torch.nn.ReLU(),
        torch.nn.MaxPool2d(2), torch.nn.Conv2d(width, 2 * width, 3, padding=1), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(2 * width, 10))


class Loop:
    def __init__(self, knobs, data, model, each_step):
        self.knobs, self.each_step, self.step = knobs, each_step, 0
        self.model = model
        if knobs["memory_format"] == "channels_last":
            self.model = self.model.to(memory_format=torch.channels_last)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        workers = {}
        if knobs["num_workers"]:
            workers = {"persistent_workers": knobs["persistent_workers"],
                       "prefetch_factor": knobs["prefetch_factor"]}
        self.loader = DataLoader(Cached(data) if knobs["cache"] else data, batch_size=knobs["batch_size"],
                                 num_workers=knobs["num_workers"], drop_last=True, **workers)

    def train(self, images, labels):
        if self.knobs["memory_format"] == "channels_last":
            images = images.to(memory_format=torch.channels_last)
        self.optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.knobs["autocast"] == "bfloat16"):
            loss = torch.nn.functional.cross_entropy(self.model(images), labels)
        loss.backward()
        self.optimizer.step()
        return loss

    def steps(self):
        while True:
            for images, labels in self.loader:
                loss = self.train(images, labels)
                if self.each_step:
                    self.each_step(self, loss)
                self.step += 1
                yield len(labels)


def record(steps, given, path):
    from torch.profiler import ProfilerActivity, profile, schedule
    with profile(activities=[ProfilerActivity.CPU], record_shapes=not given.plain, with_stack=not given.plain,
                 schedule=schedule(wait=0, warmup=2, active=given.steps, repeat=1)) as profiler:
        for number in range(2 + given.steps):
            if number == 2:
                begin = time.perf_counter()
            next(steps)
            profiler.step()
        seconds = time.perf_counter() - begin
    profiler.export_chrome_trace(path)
    return seconds


def trace(loop, given):
    steps, best = loop.steps(), None
    for _ in range(WARM_STEPS):
        next(steps)
    for _ in range(given.rounds):
        seconds = record(steps, given, given.trace + ".new.json.gz")
        if best is None or seconds < best:
            best = seconds
            os.replace(given.trace + ".new.json.gz", given.trace)
    if os.path.exists(given.trace + ".new.json.gz"):
        os.remove(given.trace + ".new.json.gz")


def measure_block(steps, seconds):
    """Samples a second, without the batches that wait in queues since the last block."""
    for _ in range(WARM_STEPS):
        next(steps)
    begin, samples, now = time.perf_counter(), 0, 0
    while now < seconds:
        samples += next(steps)
        now = time.perf_counter() - begin
    return samples / now


def measure(loops, given):
    running = [loop.steps() for loop in loops]
    best = [0] * len(loops)
    for _ in range(given.rounds):
        for number, steps in enumerate(running):
            best[number] = max(best[number], measure_block(steps, given.seconds))
    print(json.dumps(best))


def value_of(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"True": True, "False": False, "None": None}.get(text, text)


def split_ways(texts):
    ways = [[]]
    for text in texts:
        if text == "/":
            ways.append([])
        else:
            ways[-1].append(text)
    return ways


def main(data, model, each_step=None, **defaults):
    """data and model are functions of the knobs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trace", help="write a trace here instead of measuring")
    parser.add_argument("--plain", action="store_true", help="a trace without stacks and shapes")
    parser.add_argument("--steps", type=int, default=20, help="of the trace")
    parser.add_argument("--seconds", type=float, default=1, help="of a round of one way")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("ways", nargs="*", metavar="NAME=VALUE", help="knobs; / begins another way")
    given = parser.parse_intermixed_args()

    def loop_of(texts):
        knobs = dict(KNOBS, **defaults)
        for text in texts:
            name, value = text.split("=", 1)
            if name not in knobs:
                parser.error(f"there is no knob {name}")
            knobs[name] = value_of(value)
        torch.manual_seed(1)
        torch.set_num_threads(knobs["threads"])
        return Loop(knobs, data(knobs), model(knobs), each_step)

    loops = [loop_of(way) for way in split_ways(given.ways)]
    if given.trace:
        trace(loops[0], given)
    else:
        measure(loops, given)
