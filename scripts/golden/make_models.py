#!/usr/bin/env python3
"""Writes tests/data/models/: what PyTorch and torchvision make of the models, for tests/compute/models. Run
from the repository's root with a Python that has torch and torchvision.

    NAME.txt      every variable of torchvision's model in its order: `name dim,dim,..`
    logits.txt    `model size batch classes training: logits`, row after row
    training.txt  `model: losses of 20 steps` of SGD with momentum

Parameters and images are filled by a formula of name and index that tests/compute/models/model_support.h
has as well, so no weights are kept. They are float32; PyTorch computes with them in float64, so that the
rounding that is seen is ours."""
import math
import pathlib

import numpy as np
import torch
import torchvision
from torch import nn
from torch.nn import functional as F

OUT = pathlib.Path("tests/data/models")
STEPS, BATCHES, RATE, MOMENTUM, DECAY = 20, 4, 0.02, 0.9, 5e-4


def noise(name, count):
    """count numbers from -0.5 to 0.5: FNV-1a of the name, plus the index, mixed as in MurmurHash3."""
    start = 2166136261
    for byte in name.encode():
        start = (start ^ byte) * 16777619 & 0xFFFFFFFF
    x = (start + np.arange(count, dtype=np.uint64) * 2654435761) & 0xFFFFFFFF
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ (x >> shift)) * factor & 0xFFFFFFFF
    return (x ^ (x >> 16)) / 2.0**32 - 0.5


def value(name, shape):
    u = noise(name, math.prod(shape)).reshape(shape)
    if name.endswith("running_var"):
        u = 1 + u
    elif len(shape) == 1 and name.endswith("weight"):
        u = 1 + 0.4 * u
    elif len(shape) in (1, 3):
        u = 0.2 * u
    else:
        u = u * math.sqrt(24 / math.prod(shape[1:]))
    return torch.tensor(u.astype(np.float32))


def fill(model):
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if not name.endswith("num_batches_tracked"):
                tensor.copy_(value(name, tuple(tensor.shape)))
    return model


def images(name, batch, size, channels=3):
    u = noise(name, batch * size * size * channels).reshape(batch, size, size, channels)
    return torch.tensor((2 * u).astype(np.float32)).double().permute(0, 3, 1, 2)


class Block(nn.Module):
    def __init__(self, into, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(into, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = None
        if stride != 1 or into != out:
            self.downsample = nn.Sequential(nn.Conv2d(into, out, 1, stride, bias=False),
                                            nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (self.downsample(x) if self.downsample else x))


class ResNet(nn.Module):
    """For CIFAR: 16, 32 and 64 channels."""

    def __init__(self, blocks, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        into = 16
        for stage in range(3):
            parts = []
            for block in range(blocks):
                parts.append(Block(into, 16 << stage, 2 if stage and not block else 1))
                into = 16 << stage
            setattr(self, f"layer{stage + 1}", nn.Sequential(*parts))
        self.fc = nn.Linear(64, classes)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(F.relu(self.bn1(self.conv1(x))))))
        return self.fc(x.mean((2, 3)))


class LeNet(nn.Module):
    """The dense layer reads height, width, channels in this order."""

    def __init__(self, size, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 5, padding=2)
        self.conv2 = nn.Conv2d(32, 64, 5, padding=2)
        self.fc1 = nn.Linear(64 * (size // 4) ** 2, 512)
        self.fc2 = nn.Linear(512, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.permute(0, 2, 3, 1).flatten(1))))


class Cnn(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        widths = (1, 32, 64, 128)
        self.features = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b))
            for a, b in zip(widths, widths[1:]))
        self.fc = nn.Linear(128, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.features[0](x)), 2)
        x = F.max_pool2d(F.relu(self.features[1](x)), 2)
        return self.fc(F.relu(self.features[2](x)).amax((2, 3)))


class Group(nn.Module):
    def __init__(self, into, out):
        super().__init__()
        self.conv1 = nn.Conv2d(into, out, 3, 1, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(out, eps=1e-12, momentum=0.4)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(out, eps=1e-12, momentum=0.4)

    def forward(self, x):
        x = F.gelu(self.norm1(F.max_pool2d(self.conv1(x), 2)))
        return F.gelu(self.norm2(self.conv2(x)))


class Airbench(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.whiten = nn.Conv2d(3, 24, 2)
        self.group1, self.group2, self.group3 = Group(24, 64), Group(64, 256), Group(256, 256)
        self.head = nn.Linear(256, classes, bias=False)

    def forward(self, x):
        x = self.group3(self.group2(self.group1(F.gelu(self.whiten(x)))))
        return self.head(F.max_pool2d(x, 3).flatten(1)) / 9


class TwoLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(48, 32), nn.Linear(32, 10)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x.permute(0, 2, 3, 1).flatten(1))))


def vit(size, classes):
    return torchvision.models.VisionTransformer(size, 4 if size <= 64 else 16, 12, 3, 192, 768,
                                                num_classes=classes)


def write_variables():
    made = {name: getattr(torchvision.models, name)()
            for name in ("resnet18", "resnet50", "mobilenet_v2", "efficientnet_b0")}
    made["vit_tiny"] = vit(224, 1000)
    for name, model in made.items():
        lines = [f"{key} {','.join(map(str, tensor.shape))}" for key, tensor in model.state_dict().items()
                 if not key.endswith("num_batches_tracked")]
        (OUT / f"{name}.txt").write_text("\n".join(lines) + "\n")


def logits_of(name, model, size, batch, classes, training, channels=3):
    model = fill(model)
    if isinstance(model, Airbench):  # its norms have no scale
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                nn.init.ones_(module.weight)
    for module in model.modules():
        if isinstance(module, (nn.Dropout, torchvision.ops.StochasticDepth)):
            module.p = 0.0
    with torch.no_grad():
        result = model.double().train(training)(images("x", batch, size, channels)).flatten().tolist()
    return f"{name} {size} {batch} {classes} {int(training)}: " + " ".join(f"{v:.8g}" for v in result)


def write_logits():
    models = torchvision.models
    lines = [
        logits_of("lenet", LeNet(12), 12, 2, 10, False, 1),
        logits_of("cnn", Cnn(), 16, 2, 10, True, 1),
        logits_of("resnet8", ResNet(1), 32, 2, 10, False),
        logits_of("resnet8", ResNet(1), 32, 2, 10, True),
        logits_of("resnet20", ResNet(3), 32, 2, 10, False),
        logits_of("resnet20", ResNet(3), 16, 2, 10, True),
        logits_of("resnet18", models.resnet18(num_classes=7), 32, 1, 7, False),
        logits_of("resnet50", models.resnet50(num_classes=7), 32, 1, 7, False),
        logits_of("mobilenet_v2", models.mobilenet_v2(num_classes=13), 32, 2, 13, False),
        logits_of("mobilenet_v2", models.mobilenet_v2(num_classes=13), 96, 2, 13, True),
        logits_of("efficientnet_b0", models.efficientnet_b0(num_classes=13), 32, 2, 13, False),
        logits_of("efficientnet_b0", models.efficientnet_b0(num_classes=13), 64, 2, 13, True),
        logits_of("vit_tiny", vit(16, 5), 16, 2, 5, False),
        logits_of("airbench", Airbench(), 32, 2, 10, False),
    ]
    (OUT / "logits.txt").write_text("\n".join(lines) + "\n")


def losses_of(name, model, size, batch):
    fill(model).double().train()
    matrices = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.SGD([{"params": matrices, "weight_decay": DECAY}, {"params": others}], RATE,
                                MOMENTUM)
    losses = []
    for step in range(STEPS):
        x = images(f"x{step % BATCHES}", batch, size)
        labels = torch.tensor([(i * 7 + step % BATCHES * 3) % 10 for i in range(batch)])
        loss = F.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return f"{name} {size} {batch}: " + " ".join(f"{v:.8g}" for v in losses)


def write_training():
    lines = [losses_of("two_layers", TwoLayers(), 4, 8), losses_of("resnet8", ResNet(1), 16, 8)]
    (OUT / "training.txt").write_text("\n".join(lines) + "\n")


OUT.mkdir(parents=True, exist_ok=True)
torch.set_num_threads(1)
write_variables()
write_logits()
write_training()
