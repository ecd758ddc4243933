#!/usr/bin/env python3
"""pytorch_cpu.py --images FOLDER: trains a small ResNet on the CPU with PyTorch, as many scripts do.

A program for `stoker tune` to tune from outside; it knows nothing of Stoker. FOLDER has a folder of
JPEGs for each class. Needs torch and Pillow. Prints a line every few steps:

    step 20  143.2 img/s  loss 2.1843

stoker tune --knob workers=0,1,2,4 --knob batch=16..128x2 --knob channels_last=0,1 \\
    --knob threads=1,2,4 --rate '([0-9.]+) img/s' --guard 'loss ([0-9.]+)' --guard-margin -0.1 -- \\
    python3 bench/tune/pytorch_cpu.py --images FOLDER --workers {workers} --batch {batch} \\
    --channels-last {channels_last} --threads {threads}
"""
import argparse
import pathlib
import time

import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

ENDINGS = {".jpg", ".jpeg"}
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--images", type=pathlib.Path, required=True, help="a folder a class")
    parser.add_argument("--workers", type=int, default=0, help="processes of the DataLoader")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--channels-last", type=int, choices=(0, 1), default=0)
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0: its own choice")
    parser.add_argument("--size", type=int, default=96, help="of an image after resizing")
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--every", type=int, default=5, help="steps a line")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Images(Dataset):
    """JPEGs of FOLDER/CLASS/, decoded and resized by Pillow."""

    def __init__(self, folder, size):
        self.size = size
        self.classes = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
        self.files = [(path, label) for label, name in enumerate(self.classes)
                      for path in sorted((folder / name).iterdir()) if path.suffix.lower() in ENDINGS]
        if not self.files:
            raise SystemExit(f"{folder}: no JPEGs in folders of classes")
        self.mean = torch.tensor(MEAN).view(3, 1, 1)
        self.deviation = torch.tensor(DEVIATION).view(3, 1, 1)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path, label = self.files[index]
        with Image.open(path) as image:
            image = image.convert("RGB").resize((self.size, self.size), Image.BILINEAR)
        pixels = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
        pixels = pixels.view(self.size, self.size, 3).permute(2, 0, 1).float() / 255
        return (pixels - self.mean) / self.deviation, label


def convolution(channels_in, channels_out, stride):
    return nn.Sequential(nn.Conv2d(channels_in, channels_out, 3, stride, 1, bias=False),
                         nn.BatchNorm2d(channels_out))


class Block(nn.Module):
    """Two convolutions and a shortcut."""

    def __init__(self, channels_in, channels_out, stride):
        super().__init__()
        self.first = convolution(channels_in, channels_out, stride)
        self.second = convolution(channels_out, channels_out, 1)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels_out:
            self.shortcut = nn.Sequential(nn.Conv2d(channels_in, channels_out, 1, stride, bias=False),
                                          nn.BatchNorm2d(channels_out))

    def forward(self, x):
        y = self.second(torch.relu(self.first(x)))
        return torch.relu(y + self.shortcut(x))


def make_model(classes):
    widths = (32, 64, 128, 256)
    blocks = [Block(before, after, 2) for before, after in zip((32,) + widths, widths)]
    return nn.Sequential(convolution(3, 32, 2), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(widths[-1], classes))


def batches(loader):
    """Epoch after epoch."""
    while True:
        yield from loader


def main():
    given = parse()
    torch.manual_seed(given.seed)
    if given.threads:
        torch.set_num_threads(given.threads)
    layout = torch.channels_last if given.channels_last else torch.contiguous_format
    data = Images(given.images, given.size)
    loader = DataLoader(data, batch_size=min(given.batch, len(data)), shuffle=True, drop_last=True,
                        num_workers=given.workers, persistent_workers=given.workers > 0)
    model = make_model(len(data.classes)).to(memory_format=layout).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    begin, images = time.perf_counter(), 0
    for step, (pixels, labels) in enumerate(batches(loader), 1):
        loss = nn.functional.cross_entropy(model(pixels.to(memory_format=layout)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        images += len(labels)
        if step % given.every == 0:
            now = time.perf_counter()
            print(f"step {step}  {images / (now - begin):.1f} img/s  loss {loss.item():.4f}", flush=True)
            begin, images = now, 0
        if step == given.steps:
            break


if __name__ == "__main__":
    main()
