"""Every sample is waited for, as from a far storage, and nobody waits beside training."""
import time

from loop import Pictures, convolutions, main


def fetch(picture):
    time.sleep(0.002)
    return picture


if __name__ == "__main__":
    main(lambda knobs: Pictures(100000, 32, fetch), lambda knobs: convolutions(16))
