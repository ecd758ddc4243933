"""Stoker as a contestant: packs of several kinds, and `stoker bench input` over a recipe."""
import functools
import subprocess

from contest import CannotRun, Program

BATCH = 64
RECIPE = """data:
  - images: {{path: "{path}", shuffle: auto, repeat: forever}}
  - preset: {{name: {preset}}}
  - batch: {{size: {batch}, drop_remainder: true}}
  - prefetch
"""
PACKS = {
    "packed": ["--format", "keep"],
    "seekable": ["--format", "seekable"],
    "resize-256 seekable": ["--format", "seekable", "--resize", "256"],
    "raw-256": ["--format", "raw", "--resize", "256"],
    "CIFAR pack": ["--format", "keep"],
    "CIFAR pack, raw": ["--format", "raw"],
}


def file_name(row):
    return row.replace(",", "").replace(" ", "-")


def pack(stoker, row, source, work):
    """The folder of a pack, made when it is not there yet."""
    out = work / file_name(row)
    if not out.exists():
        run = subprocess.run([stoker, "pack", source, out, "--quiet", *PACKS[row]],
                             capture_output=True, text=True)
        if run.returncode:
            raise CannotRun(f"{row}: {run.stderr.strip()}")
    return out


def steady_rate(threads, result):
    """From the first batch on, as for the peers. What the threads had in work by then does not
    count."""
    batches = result["elements"] - threads
    return batches * BATCH / (result["seconds"] - result["first_element_ms"] / 1e3)


def program(stoker, row, path, preset, work, threads, seconds):
    recipe = work / f"{file_name(row)}.yaml"
    recipe.write_text(RECIPE.format(path=path.resolve(), preset=preset, batch=BATCH))
    return Program(row, [stoker, "bench", "input", recipe, "--json", "--quiet", "--threads", threads,
                         "--seconds", seconds], functools.partial(steady_rate, threads))
