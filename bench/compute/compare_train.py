#!/usr/bin/env python3
"""compare_train.py BUILD: the time of a training step on the CPU, Stoker beside PyTorch.

Five models, one thread a core, the same batch for both; rounds alternate and each is the median of
some steps. PyTorch runs in its faster layout, as it comes and with a C library that keeps freed
memory. Prints a line of JSON for each of them, then a table with the ratio of the medians and of the
worst and best round. Without `stoker bench compute` PyTorch's times stand alone."""
import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "image"))
import contest
from contest import Peer, Program

OURS, AS_IT_COMES, KEEPING = "Stoker", "PyTorch", "PyTorch, memory kept"
MODELS = {  # batch, steps of a round: one to ten seconds
    "resnet18": (32, 3),
    "resnet50": (16, 3),
    "mobilenet_v2": (16, 7),
    "lenet": (128, 40),
    "resnet20": (128, 15),
}
ROUNDS_AT_LEAST = 5


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="where stoker is")
    parser.add_argument("--model", action="append", choices=MODELS, help="only these")
    parser.add_argument("--rounds", type=int, default=ROUNDS_AT_LEAST)
    parser.add_argument("--cores", type=int, default=contest.real_cores())
    parser.add_argument("--no-stoker", action="store_true", help="PyTorch only")
    parser.add_argument("--torch-python", default=sys.executable, help="with torch, torchvision")
    given = parser.parse_args()
    if given.rounds < ROUNDS_AT_LEAST:
        parser.error(f"{given.rounds} rounds show no spread: {ROUNDS_AT_LEAST} or more are needed")
    return given


def contestants(given, model):
    batch, steps = MODELS[model]

    def torch(name, *flags):
        return Peer(name, given.torch_python, HERE / "peers/peer_torch.py",
                    [model, "--batch", batch, "--steps", steps, "--threads", given.cores, *flags])

    found = [torch(AS_IT_COMES), torch(KEEPING, "--keep-memory")]
    if not given.no_stoker:
        command = [given.build / "stoker", "bench", "compute", model, "--batch", batch, "--steps",
                   steps, "--json"]
        found.insert(0, Program(OURS, command, lambda result: 1e3 * batch / result["step_ms"]))
    return found


def record(model, contestant, rates):
    """The layout is the last word of a peer's note; ours is not told."""
    batch = MODELS[model][0]
    found = contest.summary(rates)
    return {"name": contestant.name, "model": model, "batch": batch,
            "layout": contestant.note.split("; ")[-1] or None,
            "median_ms": round(1e3 * batch / found["median"], 2),
            "spread": [round(1e3 * batch / found[edge], 2) for edge in ("best", "worst")]}


def compare(given, model):
    """The records by name, and how many times faster we are than each of the others."""
    several = contestants(given, model)
    rates, refused = contest.run(several, contest.choose_cpus(given.cores), given.rounds)
    if OURS in refused:
        print(f"{model}: PyTorch's times stand alone: `stoker bench compute {model}` did not run "
              f"({refused[OURS]})", file=sys.stderr)
    records = {one.name: record(model, one, rates[one.name]) for one in several if one.name in rates}
    for found in records.values():
        print(json.dumps(found), flush=True)
    ratios = {name: contest.ratio(rates[OURS], rates[name]) for name in rates
              if OURS in rates and name != OURS}
    return records, ratios


def time_cell(found):
    if not found:
        return "not run"
    return f"{found['median_ms']:,.1f} ({found['spread'][0]:,.1f} .. {found['spread'][1]:,.1f})"


def ratio_cell(found):
    return f"{found['median']:.2f} ({found['worst']:.2f} .. {found['best']:.2f})" if found else "-"


def row(model, records, ratios):
    return [f"{model}, {MODELS[model][0]}",
            *(time_cell(records.get(name)) for name in (OURS, AS_IT_COMES, KEEPING)),
            *(ratio_cell(ratios.get(name)) for name in (AS_IT_COMES, KEEPING))]


def main():
    given = parse()
    machine = contest.machine()
    print(f"{machine['processor']}, {given.cores} of {machine['cores']} cores, load "
          f"{machine['load']:.1f} before; {given.rounds} alternating rounds", file=sys.stderr)
    table = [row(model, *compare(given, model)) for model in given.model or MODELS]
    print("\nms a step, median (best .. worst round); Stoker's speed over the peer's")
    contest.print_table(["model, batch", OURS, AS_IT_COMES, KEEPING, f"over {AS_IT_COMES}",
                         f"over {KEEPING}"], table)


main()
