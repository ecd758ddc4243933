"""The training loop that the scripts of this folder share. Each script plants one fault; everything that
advice may change is a knob, given as NAME=VALUE on the command line:

    python slow_dataset.py --seconds 3 num_workers=2 persistent_workers=True
    python slow_dataset.py --trace trace.json.gz

Prints one JSON line with samples and seconds, or writes a trace of torch.profiler."""
import argparse
import json
import time

import torch
from torch.utils.data import DataLoader, Dataset

KNOBS = {"batch_size": 32, "num_workers": 0, "persistent_workers": False, "prefetch_factor": None,
         "pin_memory": False, "every": 1, "save_every": 0, "dtype": "float32", "memory_format": "contiguous",
         "autocast": "none", "cache": False,
         "threads": 1}  # one: where cores are shared, threads that wait for each other measure the others
WARM_STEPS = 5


class Pictures(Dataset):
    """Random pictures; prepare is what a script makes of each."""

    def __init__(self, count, size, prepare=None):
        generator = torch.Generator().manual_seed(1)
        self.pixels = torch.randint(0, 256, (256, 3, size, size), generator=generator, dtype=torch.uint8)
        self.count, self.prepare = count, prepare

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        picture = self.pixels[index % 256]
        if self.prepare:
            picture = self.prepare(picture)
        return picture.float() / 255, index % 10


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

    def train(self, pictures, labels):
        if self.knobs["memory_format"] == "channels_last":
            pictures = pictures.to(memory_format=torch.channels_last)
        self.optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.knobs["autocast"] == "bfloat16"):
            loss = torch.nn.functional.cross_entropy(self.model(pictures), labels)
        loss.backward()
        self.optimizer.step()
        return loss

    def steps(self):
        while True:
            for pictures, labels in self.loader:
                loss = self.train(pictures, labels)
                if self.each_step:
                    self.each_step(self, loss)
                self.step += 1
                yield len(labels)


def trace(loop, given):
    from torch.profiler import ProfilerActivity, profile, schedule
    steps = loop.steps()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=not given.plain, with_stack=not given.plain,
                 schedule=schedule(wait=WARM_STEPS, warmup=2, active=given.steps)) as profiler:
        for _ in range(WARM_STEPS + 2 + given.steps):
            next(steps)
            profiler.step()
    profiler.export_chrome_trace(given.trace)


def measure(loop, seconds):
    steps = loop.steps()
    for _ in range(WARM_STEPS):
        next(steps)
    begin, samples, now = time.perf_counter(), 0, 0
    while now < seconds:
        samples += next(steps)
        now = time.perf_counter() - begin
    print(json.dumps({"samples": samples, "seconds": now}))


def value_of(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"True": True, "False": False, "None": None}.get(text, text)


def main(data, model, each_step=None, **defaults):
    """data and model are functions of the knobs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trace", help="write a trace here instead of measuring")
    parser.add_argument("--plain", action="store_true", help="a trace without stacks and shapes")
    parser.add_argument("--steps", type=int, default=20, help="of the trace")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("knobs", nargs="*", metavar="NAME=VALUE")
    given = parser.parse_intermixed_args()
    knobs = dict(KNOBS, **defaults)
    for text in given.knobs:
        name, value = text.split("=", 1)
        if name not in knobs:
            parser.error(f"there is no knob {name}")
        knobs[name] = value_of(value)
    torch.manual_seed(1)
    torch.set_num_threads(knobs["threads"])
    loop = Loop(knobs, data(knobs), model(knobs), each_step)
    trace(loop, given) if given.trace else measure(loop, given.seconds)
