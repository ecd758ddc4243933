"""Every sample is waited for, as from a far storage, and nobody waits beside training."""
import time

from loop import Images, convolutions, main


def fetch(image):
    time.sleep(0.002)
    return image


if __name__ == "__main__":
    main(lambda knobs: Images(100000, 32, fetch), lambda knobs: convolutions(16))
