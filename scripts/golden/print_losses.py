#!/usr/bin/env python3
"""Prints the numbers in tests/compute/ops/test_weighted_loss.c: torch's cross_entropy with weights of
classes, and the focal loss, which torch has for single classes only, by its formula on torch's
log_softmax. Each line: the loss, then its gradient by the logits times sin(1.7), as EXPECT_KNOWN
wants it. Run with torch 2.15."""
import math

import torch
import torch.nn.functional as F

ROWS, CLASSES = 3, 4
WEIGHTS = torch.tensor([0.5, 2.0, 1.0, 3.0])
SOFT = torch.tensor([[.1, .2, .3, .4], [.25, .25, .5, 0], [0, 0, 1, 0]])
NUMBERS = torch.tensor([2, -1, 0])


def logits():
    x = [math.sin(0.9 * (i + 1)) for i in range(ROWS * CLASSES)]
    return torch.tensor(x, dtype=torch.float32).reshape(ROWS, CLASSES).requires_grad_()


def show(name, f):
    x = logits()
    loss = f(x)
    loss.backward()
    values = [loss.item()] + [v * math.sin(1.7) for v in x.grad.flatten().tolist()]
    print(f"static const float {name}[] = {{" + ", ".join((f"{v:.8g}f" if v else "0") for v in values) + "};")


def weighted_numbers(smoothing):
    return lambda x: F.cross_entropy(x, NUMBERS, weight=WEIGHTS, label_smoothing=smoothing,
                                     ignore_index=-1)


def weighted_soft(smoothing):
    """torch divides the sum of probabilities by rows; by the weights of rows it is as of numbers."""
    return lambda x: F.cross_entropy(x, SOFT, weight=WEIGHTS, label_smoothing=smoothing,
                                     reduction="sum") / (SOFT @ WEIGHTS).sum()


def focal(gamma, target, weights, smoothing=0.0):
    def loss(x):
        log_p = F.log_softmax(x, 1)
        t = target * (1 - smoothing) + smoothing / CLASSES * (target.sum(1, keepdim=True) > 0)
        each = weights * t * (1 - log_p.exp()) ** gamma * -log_p
        return each.sum() / (target @ weights).sum()
    return loss


one_hot = torch.zeros(ROWS, CLASSES)
one_hot[0, 2] = one_hot[2, 0] = 1
ones = torch.ones(CLASSES)
show("weighted_0", weighted_numbers(0.0))
show("weighted_1", weighted_numbers(0.1))
show("weighted_soft_0", weighted_soft(0.0))
show("weighted_soft_1", weighted_soft(0.1))
show("focal_2", focal(2.0, one_hot, ones))
show("focal_half_weighted", focal(0.5, one_hot, WEIGHTS, 0.1))
show("focal_soft", focal(1.5, SOFT, WEIGHTS))
