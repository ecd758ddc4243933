"""What every peer does: try its configurations, keep the fastest, then measure when told.

A peer program ends in serve(). It is talked to by lines: it prints one JSON object when it is ready,
waits for a line, measures a round, prints another object, and so on until its input ends. So rounds
of several peers can be interleaved without importing anything again."""
import argparse
import json
import sys
import time

BATCH = 64
PHOTO, SMALL, PADDING = 224, 32, 4
AREA, ASPECT, TRIES = (0.08, 1.0), (3 / 4, 4 / 3), 10
WARM_SECONDS = 0.5


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("task", choices=("crop", "small"))
    parser.add_argument("data", help="a folder with one folder of JPEGs a class; or a pattern of TFRecords")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--work", default="/tmp", help="where a peer may write a format of its own")
    return parser.parse_args()


def measure(batches, seconds):
    """Samples a second, from the arrival of one batch to that of another. What was fetched ahead
    before the round is drawn first."""
    end = time.perf_counter() + WARM_SECONDS
    next(batches)
    while time.perf_counter() < end:
        next(batches)
    begin, count = time.perf_counter(), 0
    while True:
        count += next(batches)
        spent = time.perf_counter() - begin
        if spent >= seconds:
            return count / spent


def choose(candidates, seconds):
    """The fastest of the named functions, each of which gives an endless iterator of batch sizes."""
    rates = {name: measure(make(), seconds) for name, make in candidates.items()}
    best = max(rates, key=rates.get)
    return best, rates


def say(**what):
    print(json.dumps(what), flush=True)


def serve(versions, candidates, seconds):
    best, rates = next(iter(candidates)), None
    if len(candidates) > 1:
        best, rates = choose(candidates, seconds)
    batches = candidates[best]()
    say(ready=True, versions=versions, chosen=best, tried=rates)
    for _ in sys.stdin:
        say(samples_per_s=measure(batches, seconds))
