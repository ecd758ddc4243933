"""One block of the network computes in float64."""
import torch

from loop import Images, convolutions, main


class Block(torch.nn.Module):
    def __init__(self, width, dtype):
        super().__init__()
        self.dtype = dtype
        self.body = torch.nn.Sequential(torch.nn.Conv2d(width, width, 3, padding=1), torch.nn.ReLU(),
                                        torch.nn.Conv2d(width, width, 3, padding=1)).to(dtype)

    def forward(self, x):
        return x + self.body(x.to(self.dtype)).to(x.dtype)


def model(knobs):
    layers = list(convolutions(32))
    dtype = getattr(torch, knobs["dtype"])
    return torch.nn.Sequential(*layers[:6], Block(32, dtype), *layers[6:])


if __name__ == "__main__":
    main(lambda knobs: Images(100000, 32), model, dtype="float64")
