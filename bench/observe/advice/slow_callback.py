"""Statistics of all weights are gathered and printed in each step."""
import sys

import numpy

from loop import Images, convolutions, main


def log_weights(loop):
    rows = []
    for name, value in loop.model.state_dict().items():
        values = numpy.tile(value.detach().numpy().ravel(), 30)
        rows.append(f"{name} {numpy.percentile(values, [5, 50, 95])} {numpy.histogram(values, 50)[0].max()}")
    print("\n".join(rows), file=sys.stderr)


def each_step(loop, loss):
    if loop.step % loop.knobs["every"] == 0:
        log_weights(loop)


if __name__ == "__main__":
    main(lambda knobs: Images(100000, 32), lambda knobs: convolutions(16), each_step)
