"""Measuring several programs side by side: interleaved rounds on the same cores, one at a time.

A contestant has a name, start(), round() -> samples a second, stop() and a note. One that cannot run
says why once, in its note, and is left out."""
import json
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
READY_SECONDS, ROUND_SECONDS = 240, 120


class CannotRun(Exception):
    pass


def siblings(cpu):
    path = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    return path.read_text().strip() if path.exists() else str(cpu)


def choose_cpus(count):
    """Of different cores as long as there are any: two threads of one core are no two cores."""
    seen, first, rest = set(), [], []
    for cpu in sorted(os.sched_getaffinity(0)):
        group = siblings(cpu)
        (rest if group in seen else first).append(cpu)
        seen.add(group)
    return (first + rest)[:count]


def real_cores():
    return len({siblings(cpu) for cpu in os.sched_getaffinity(0)})


def pinned(cpus):
    return lambda: os.sched_setaffinity(0, cpus)


def plain_rate(result):
    return result["samples_per_s"]


class Program:
    """Runs once a round and prints a JSON object; rate gives the samples a second of it."""

    def __init__(self, name, command, rate=plain_rate):
        self.name, self.note, self.rate = name, "", rate
        self.command = [str(word) for word in command]

    def start(self, cpus):
        self.cpus = cpus

    def round(self):
        run = subprocess.run(self.command, capture_output=True, text=True, timeout=ROUND_SECONDS,
                             preexec_fn=pinned(self.cpus))
        if run.returncode:
            raise CannotRun(run.stderr.strip().splitlines()[0] if run.stderr else self.command[0])
        return self.rate(json.loads(run.stdout))

    def stop(self):
        pass


class Peer:
    """A Python program of peers/ that stays: importing it takes longer than a round. While others
    are measured it is stopped, so that it does not fetch ahead in their time."""

    def __init__(self, name, python, script, arguments):
        self.name, self.note, self.process = name, "", None
        self.command = [str(python), str(HERE / "peers" / script), *map(str, arguments)]

    def start(self, cpus):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, start_new_session=True,
                                        preexec_fn=pinned(cpus))
        answer = self.answer(READY_SECONDS)
        self.versions, self.tried = answer["versions"], answer["tried"]
        versions = " ".join(f"{key} {value}" for key, value in self.versions.items())
        self.note = f"{versions}; {answer['chosen']}"
        self.send(signal.SIGSTOP)

    def send(self, number):
        os.killpg(self.process.pid, number)

    def answer(self, seconds):
        def expire(_number, _frame):
            raise CannotRun(f"no answer within {seconds} s")

        signal.signal(signal.SIGALRM, expire)
        signal.alarm(seconds)
        try:
            for line in self.process.stdout:
                if line.startswith("{"):
                    return json.loads(line)
        finally:
            signal.alarm(0)
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        raise CannotRun(lines[-1] if lines else "ended without an answer")

    def round(self):
        self.send(signal.SIGCONT)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        try:
            return self.answer(ROUND_SECONDS)["samples_per_s"]
        finally:
            self.send(signal.SIGSTOP)

    def stop(self):
        if not self.process:
            return
        try:
            self.send(signal.SIGCONT)
            self.process.stdin.close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def attempt(contestant, call, refused):
    try:
        return call()
    except (CannotRun, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        refused[contestant.name] = str(error)[:160]
        print(f"{contestant.name}: left out: {refused[contestant.name]}", file=sys.stderr)
        return None


def run(contestants, cpus, rounds):
    """Rates by name, rounds interleaved, and why those that are missing could not run."""
    rates, refused = {c.name: [] for c in contestants}, {}
    try:
        for contestant in contestants:
            attempt(contestant, lambda: contestant.start(cpus), refused)
        for _ in range(rounds):
            for contestant in contestants:
                if contestant.name in refused:
                    continue
                rate = attempt(contestant, contestant.round, refused)
                if rate is not None:
                    rates[contestant.name].append(rate)
    finally:
        for contestant in contestants:
            contestant.stop()
    return {name: found for name, found in rates.items() if found and name not in refused}, refused


def summary(rates):
    return {"median": statistics.median(rates), "worst": min(rates), "best": max(rates),
            "rounds": len(rates)}


def text(rates):
    return f"{statistics.median(rates):,.0f} ({min(rates):,.0f} .. {max(rates):,.0f})"


def ratio(ours, theirs):
    """Medians, and the smallest and largest ratio of any one round, which saw the same machine."""
    each = [a / b for a, b in zip(ours, theirs)]
    return {"median": statistics.median(ours) / statistics.median(theirs), "worst": min(each),
            "best": max(each)}


def machine():
    model = platform.processor()
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"processor": model, "cpus": len(os.sched_getaffinity(0)), "cores": real_cores(),
            "kernel": platform.release(), "load": os.getloadavg()[0]}


def print_table(head, rows):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in (head, ["-" * width for width in widths], *rows):
        cells = [cell.ljust(width) if i == 0 else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells))
