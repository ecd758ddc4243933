#!/usr/bin/env python3
"""Runs random pipelines through TensorFlow's tf.data and through the library, and says where they
differ: elements, errors, their order, cardinality; on 1, 2 and 8 threads, by number, and from a
checkpoint in the middle on. Lines and what is left out of them are those of
scripts/golden/make_pipelines.py. Needs tensorflow-cpu; from the repository's root:

    ninja -C build/release pipeline_test_golden_pipelines
    scripts/compare-pipelines-with-tensorflow.py build/release --seconds 600 --seed 5
    scripts/compare-pipelines-with-tensorflow.py build/release --lines FILE

The second form runs the lines of a file instead. Exits with 1 when there is a difference.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "golden"))
import make_pipelines as pipelines  # noqa: E402

AT_ONCE = 250  # lines for one run of the program


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--seconds", type=float, default=60, help="how long; 60")
    parser.add_argument("--seed", type=int, default=1, help="of the lines; 1")
    parser.add_argument("--stages", type=int, default=6, help="most stages after a source; 6")
    parser.add_argument("--lines", type=pathlib.Path, help="a file of lines in place of random ones")
    return parser.parse_args()


def random_lines(options):
    r = random.Random(options.seed)
    while True:
        line, _ = pipelines.random_line(r, options.stages)
        if not any(differs(line) for differs in pipelines.LEFT_OUT):
            yield line


def left_out(line, answer):
    """As in make_pipelines.py: errors in parallel take other places, of batches that are not there
    we know that they have no rows, and a remainder that is dropped fails where it is fused with
    the map below."""
    return (
        ("parallel" in line and "!" in answer)
        or (answer.startswith(". #") and "unbatch" in line)
        or ("!" in answer and re.search(r"map fill \| batch \d+ drop", line) is not None)
    )


def answered(lines, server, end):
    """Up to AT_ONCE lines with what TensorFlow gave; what it refused is left out."""
    found = []
    for line in lines:
        answer = server.ask(line)
        if answer and not left_out(line, answer):
            found.append(f"{line} => {answer}")
        if len(found) == AT_ONCE or time.time() > end:
            break
    return found


def run(program, lines):
    """What the program says of lines, and the line at which it ended before the last, or None."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        done = subprocess.run(
            [program],
            env={**os.environ, "STK_PIPELINE_LINES": file.name},
            capture_output=True,
            text=True,
            errors="replace",
        )
    marks = ("[ RUN", "[       OK", "[=====", "[  PASSED", "[  FAILED", "[  ERROR", " 1 FAILED")
    said = [s for s in done.stderr.splitlines() if s.strip() and not s.startswith(marks)]
    broken = [s for s in said if s.startswith("the pipeline was: ")]
    return done.returncode, said, broken[0].split(": ", 1)[1] if broken else None


def compare(program, lines):
    """The number of lines that were compared and of runs that differed."""
    differences = 0
    while lines:
        status, said, broken = run(program, lines)
        if status == 0:
            break
        differences += 1
        print("\n".join(said), flush=True)
        if broken is None:
            break
        lines = [line for line in lines if not line.startswith(broken + " => ")]
    return len(lines), differences


def main():
    options = arguments()
    program = options.build / "tests/pipeline_test_golden_pipelines"
    lines = iter(options.lines.read_text().splitlines()) if options.lines else random_lines(options)
    end = time.time() + (options.seconds if not options.lines else 1e9)
    server, compared, differences = pipelines.Server(), 0, 0
    while time.time() < end:
        found = answered(lines, server, end)
        if not found:
            break
        count, wrong = compare(program, found)
        compared += count
        differences += wrong
        print(f"{compared} pipelines compared, {differences} runs with differences", flush=True)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
