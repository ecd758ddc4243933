"""Two samples a step: operations are too small for what starting them costs."""
from loop import Images, convolutions, main

if __name__ == "__main__":
    main(lambda knobs: Images(1000000, 32), lambda knobs: convolutions(32), batch_size=2)
