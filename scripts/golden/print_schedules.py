#!/usr/bin/env python3
"""Prints the numbers in tests/train/test_schedule.c: learning rates by torch.optim.lr_scheduler."""
import warnings

import numpy as np
import torch
from torch.optim import lr_scheduler as s

warnings.filterwarnings("ignore")
RATE, STEPS_PER_EPOCH, EPOCHS = 0.5, 4, 6
TOTAL = STEPS_PER_EPOCH * EPOCHS


def rates(make, by_epoch=False, momentum=False):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=RATE, momentum=0.9)
    schedule, out = make(optimizer), []
    for step in range(TOTAL):
        out.append(optimizer.param_groups[0]["momentum" if momentum else "lr"])
        optimizer.step()
        if not by_epoch or (step + 1) % STEPS_PER_EPOCH == 0:
            schedule.step()
    return out


def show(name, values):
    print(name)
    print("     {" + ", ".join(f"{v:.12g}" for v in values) + "},")


def warm(o, after, steps=8):
    return s.SequentialLR(o, [s.LinearLR(o, 0.1, 1.0, steps), after(o, TOTAL - steps)], [steps])


def one_cycle(o):
    return s.OneCycleLR(o, RATE, total_steps=TOTAL)


show("step", rates(lambda o: s.StepLR(o, 2, 0.5), by_epoch=True))
show("multistep", rates(lambda o: s.MultiStepLR(o, [1, 3, 4], 0.1), by_epoch=True))
show("step, warm", rates(lambda o: s.ChainedScheduler([s.LinearLR(o, 0.1, 1.0, 6), s.StepLR(o, 8, 0.5)])))
show("cosine", rates(lambda o: s.CosineAnnealingLR(o, TOTAL, 0.01)))
show("cosine, warm", rates(lambda o: warm(o, lambda p, n: s.CosineAnnealingLR(p, n, 0.01))))
show("poly", rates(lambda o: s.PolynomialLR(o, TOTAL, 2.0)))
show("poly, warm", rates(lambda o: warm(o, lambda p, n: s.PolynomialLR(p, n, 2.0))))
show("one-cycle", rates(one_cycle))
show("triangle", np.interp(range(TOTAL), [0, int(0.23 * TOTAL), TOTAL], [0.2, 1, 0.07]) * RATE)
show("one-cycle momentum", rates(one_cycle, momentum=True))
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=RATE)
plateau = s.ReduceLROnPlateau(optimizer, factor=0.5, patience=1, cooldown=1, min_lr=0.1, threshold=0.01)
metrics = [1.0, 0.9, 0.895, 0.895, 0.9, 0.95, 0.95, 0.8, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, float("nan"), 0.5]
out = []
for m in metrics:
    plateau.step(m)
    out.append(optimizer.param_groups[0]["lr"])
show("plateau", out)
