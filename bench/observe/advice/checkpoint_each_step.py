"""All weights are saved after each step."""
import os
import tempfile

import torch

from loop import Images, convolutions, main

FOLDER = tempfile.TemporaryDirectory()


def model(knobs):
    return torch.nn.Sequential(*list(convolutions(16))[:-2], torch.nn.Flatten(), torch.nn.Linear(32, 200000),
                               torch.nn.Linear(200000, 10))


def each_step(loop, loss):
    if loop.step % loop.knobs["save_every"] == 0:
        torch.save({"model": loop.model.state_dict(), "optimizer": loop.optimizer.state_dict()},
                   os.path.join(FOLDER.name, "last.pt"))


if __name__ == "__main__":
    main(lambda knobs: Images(100000, 32), model, each_step, save_every=1)
