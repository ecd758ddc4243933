"""PyTorch's training step on the CPU: forward, cross entropy, backward, SGD with momentum and weight
decay, on one batch of noise that is made beforehand. The fastest of the default and the
channels_last layout is kept; torch.compile was no faster than eager on two cores, and is not tried.

With --keep-memory the C library does not give freed tensors back to the kernel. As PyTorch comes it
does, and every step takes the page faults for them again."""
import argparse
import ctypes
import json
import statistics
import sys
import time

M_TRIM_THRESHOLD, M_MMAP_MAX, NEVER = -1, -4, -1


def keep_memory():
    """Before torch is there: what it has allocated by mmap goes back by munmap."""
    library = ctypes.CDLL(None)
    if not (library.mallopt(M_MMAP_MAX, 0) and library.mallopt(M_TRIM_THRESHOLD, NEVER)):
        sys.exit("the C library has no mallopt that keeps memory")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True, help="of a round")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--keep-memory", action="store_true")
    return parser.parse_args()


GIVEN = arguments()
if GIVEN.keep_memory:
    keep_memory()
import torch
import torchvision
from torch import nn
from torch.nn import functional

LAYOUTS = {"default": torch.contiguous_format, "channels_last": torch.channels_last}


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(64 * 7 * 7, 512), nn.ReLU(inplace=True), nn.Linear(512, 10))


class Block(nn.Module):
    """Two 3x3 convolutions; where the size changes the shortcut is a 1x1 convolution (option B)."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if inputs == outputs else nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, images):
        return functional.relu(self.path(images) + self.shortcut(images), inplace=True)


def resnet20():
    layers = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True)]
    inputs = 16
    for outputs in (16, 32, 64):
        for _ in range(3):
            layers.append(Block(inputs, outputs, 1 if inputs == outputs else 2))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


MODELS = {
    "resnet18": (torchvision.models.resnet18, (3, 224, 224), 1000),
    "resnet50": (torchvision.models.resnet50, (3, 224, 224), 1000),
    "mobilenet_v2": (torchvision.models.mobilenet_v2, (3, 224, 224), 1000),
    "lenet": (lenet, (1, 28, 28), 10),
    "resnet20": (resnet20, (3, 32, 32), 10),
}


def trainer(name, batch, layout):
    """A function that does one step."""
    make, shape, classes = MODELS[name]
    torch.manual_seed(1)
    model = make().train().to(memory_format=LAYOUTS[layout])
    images = torch.randn(batch, *shape).to(memory_format=LAYOUTS[layout])
    labels = torch.randint(0, classes, (batch,))
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)

    def step():
        optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return step


def step_ms(step, steps):
    """The median. One step goes before: others have used the caches since the last round."""
    step()
    found = []
    for _ in range(steps):
        begin = time.perf_counter()
        step()
        found.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(found)


def say(**what):
    print(json.dumps(what), flush=True)


def main():
    torch.set_num_threads(GIVEN.threads)
    tried = {layout: step_ms(trainer(GIVEN.model, GIVEN.batch, layout), GIVEN.steps)
             for layout in LAYOUTS}
    layout = min(tried, key=tried.get)
    step = trainer(GIVEN.model, GIVEN.batch, layout)
    step()
    say(versions={"torch": torch.__version__}, chosen=layout, tried=tried)
    for _ in sys.stdin:
        say(samples_per_s=1e3 * GIVEN.batch / step_ms(step, GIVEN.steps))


main()
