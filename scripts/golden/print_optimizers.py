#!/usr/bin/env python3
"""Prints the numbers in tests/compute/ops/test_updates.c: what torch.optim makes of three gradients of one
parameter, and LARS and LAMB, which torch has not, by their formulas in numpy."""
import numpy as np
import torch

W = [0.5, -1.25, 2.0, 0.03125, -0.75]
G = [[0.25, -0.5, 1.0, 0.125, -2.0], [-0.75, 0.5, 0.0625, 3.0, 0.375], [0.1875, 1.5, -1.0, -0.25, 0.5]]
RATE, MOMENTUM, DECAY = 0.125, 0.875, 0.0625


def show(name, values):
    print(name, ", ".join(f"{v:.9g}f" for v in np.asarray(values, np.float32)))


def train(make, clip=0.0, average=False):
    w = torch.nn.Parameter(torch.tensor(W))
    optimizer = make([w])
    holder = torch.nn.Module()
    holder.w = w
    ema = torch.optim.swa_utils.AveragedModel(
        holder, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.75)) if average else None
    for g in G:
        w.grad = torch.tensor(g)
        if clip:
            print("norm", float(torch.nn.utils.clip_grad_norm_([w], clip)))
        optimizer.step()
        if average:
            ema.update_parameters(holder)
    return (ema.module.w if average else w).detach().numpy()


def sgd(**more):
    return lambda p: torch.optim.SGD(p, lr=RATE, foreach=False, **more)


def adamw(**more):
    return lambda p: torch.optim.AdamW(p, lr=RATE, foreach=False, **more)


def lars(eta=0.001, nesterov=False):
    w, m = np.array(W), np.zeros(len(W))
    for g in np.array(G):
        trust = eta * np.linalg.norm(w) / (np.linalg.norm(g) + DECAY * np.linalg.norm(w))
        g = trust * (g + DECAY * w)
        m = MOMENTUM * m + g
        w = w - RATE * (g + MOMENTUM * m if nesterov else m)
    return w


def lamb(b1=0.9, b2=0.999, epsilon=1e-6):
    w, m, v = np.array(W), np.zeros(len(W)), np.zeros(len(W))
    for t, g in enumerate(np.array(G), 1):
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        u = m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + epsilon) + DECAY * w
        w = w - RATE * np.linalg.norm(w) / np.linalg.norm(u) * u
    return w


show("sgd", train(sgd()))
show("momentum", train(sgd(momentum=MOMENTUM)))
show("momentum decay", train(sgd(momentum=MOMENTUM, weight_decay=DECAY)))
show("nesterov decay", train(sgd(momentum=MOMENTUM, weight_decay=DECAY, nesterov=True)))
show("momentum clip 1", train(sgd(momentum=MOMENTUM), clip=1.0))
show("momentum ema", train(sgd(momentum=MOMENTUM), average=True))
show("adamw", train(adamw(weight_decay=DECAY)))
show("adamw plain", train(adamw(weight_decay=0.0, betas=(0.5, 0.75), eps=0.001)))
show("adamw beta1 0", train(adamw(weight_decay=DECAY, betas=(0.0, 0.875))))
show("lars", lars())
show("lars nesterov", lars(0.02, True))
show("lamb", lamb())
