#!/usr/bin/env python3
"""Writes the weights of a tiny network named as torchvision's ResNets are, for stk_weights_load.

    python make_weights.py tests/data/weights
"""
import pathlib
import sys

import safetensors
import torch
from safetensors.torch import save_file
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(4, 4, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(4)


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.layer1 = nn.Sequential(Block())
        self.fc = nn.Linear(4, 10)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    state = Tiny().state_dict()
    number = 0
    for tensor in state.values():
        if tensor.dtype != torch.float32:
            tensor.fill_(7)
            continue
        flat = torch.arange(tensor.numel(), dtype=torch.float32)
        tensor.copy_((number + flat / 128).reshape(tensor.shape))
        number += 1
    save_file(state, folder / "tiny.safetensors", metadata={"format": "pt"})
    print("torch", torch.__version__, "safetensors", safetensors.__version__)
    print(*(f"{name} {list(t.shape)}" for name, t in state.items()), sep="\n")


if __name__ == "__main__":
    main()
