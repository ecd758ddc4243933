#!/usr/bin/env python3
"""torture.py BUILD: commands with failing calls, kills, signals, full disks and little memory.

After each: an exit code as promised, a message with file and reason, no half-written file under its
final name; and the same command again (or --resume) gives the bits of a run that nobody disturbed.
With --asan, folders of data, runs, traces and recipes are damaged at random, too, and given to
commands built with ASan and UBSan.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

import attacks
import forms
import judge
import known
import mutations
import process
import results
from case import Case
from world import World


@dataclass
class Facts:
    """What is known of an undisturbed run of a form."""
    counts: dict
    seconds: float
    bytes: int      # that it wrote, beside
    there: int      # what was there before
    takes_memory: bool
    reference: pathlib.Path


def folder_bytes(root):
    return sum(p.stat().st_size for p in root.rglob("*") if p.is_file())


class Torture:
    def __init__(self, options, world):
        self.options, self.world = options, world
        self.forms = forms.all_forms(world)
        self.facts, self.cases, self.lock = {}, [], threading.Lock()
        self.learning = {name: threading.Lock() for name in self.forms}
        self.twins = concurrent.futures.ThreadPoolExecutor(options.jobs)
        self.kinds = [k for k in attacks.WEIGHTS if not options.kinds or k in options.kinds]
        if "tmpfs" in self.kinds and not attacks.can_mount(world.root / "mount"):
            self.kinds.remove("tmpfs")
            self.say("torture: may not mount here: no small disks (space: stands in for them)")

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    # An undisturbed run of a form, with its calls counted.

    def facts_of(self, name):
        """Facts of a form, found out when they are asked for first."""
        with self.learning[name]:
            if name not in self.facts:
                self.facts[name] = self.learn(name)
        return self.facts[name]

    def learn(self, name):
        form, case = self.forms[name], self.world.root / "reference" / name
        case.mkdir(parents=True)
        form.setup(case)
        before = folder_bytes(case)
        counts = pathlib.Path(f"{case}.counts")
        d = process.Disturbance(env={"LD_PRELOAD": self.world.faults, "STK_FAULT_COUNTS": str(counts),
                                     "STK_FAULT_BELOW": f"{case}:{self.world.root}"})
        ending = self.command(form, form.argv, case, d)
        if ending.code or ending.hung:
            raise ValueError(f"{name} fails undisturbed: {ending.code}: {ending.err[-400:]}")
        pairs = [line.split() for line in counts.read_text().splitlines()]
        facts = Facts({k: int(v) for k, v in pairs}, ending.seconds, max(folder_bytes(case) - before, 0), before,
                      form.argv[0] in attacks.TAKES_MEMORY, case)
        problems = form.done(case, case, ending) + form.failed(case, case, False) + results.leftovers(case)
        if problems or not facts.counts["malloc"]:
            raise ValueError(f"{name}, undisturbed: {problems or 'no call is counted'}")
        return facts

    def command(self, form, argv, case, disturbance=None, step=""):
        return process.run([self.world.stoker, *argv], case, form.seconds, disturbance,
                           {**self.world.env, **form.env}, step)

    # One case.

    def attack(self, name, attack, case):
        """Runs a form under an attack in the folder case."""
        form, facts = self.forms[name], self.facts_of(name)
        done = Case(name, attack)
        d, flags = attacks.disturb(attack, self.world, case)
        form.setup(case)
        there = results.leftovers(case)
        twin = self.start_twin(form, attack, case)
        ending = self.command(form, form.argv + flags, case, d)
        if twin:
            done.problems += ["its twin " + p for p in judge.of_code(attack, twin.result())]
        log_path = pathlib.Path(f"{case}.log")
        log = log_path.read_text() if log_path.exists() else ""
        done.code, done.fired = ending.code, bool(log) or attacks.kind_of(attack) not in ("fault", "kill")
        done.file = known.met_on(log)
        if form.reports:
            ending.err += ending.out.decode("utf-8", "replace")
        done.problems += judge.of_code(attack, ending) + judge.of_message(attack, ending, log)
        killed = ending.code < 0 or attack.startswith("signal:")
        if ending.code == 0:
            done.problems += ["exit 0, but " + p for p in form.done(case, facts.reference, ending)]
        else:
            done.problems += form.failed(case, facts.reference, killed)
        if not killed and not attack.startswith("fault:remove"):
            done.problems += [p for p in results.leftovers(case) if p not in there]
        if ending.code != 2:
            self.recover(form, facts, case, done)
        return done

    def start_twin(self, form, attack, case):
        """The same command a second time, in the same folder, a moment later."""
        if attacks.kind_of(attack) != "twice":
            return None
        def second():
            time.sleep(float(attack.split(":")[1]))
            return self.command(form, form.argv, case, step=".twin")
        return self.twins.submit(second)

    def recover(self, form, facts, case, done):
        """What everybody would do next must give what an undisturbed run gives."""
        if attacks.kind_of(done.attack) == "tmpfs":
            subprocess.run(["mount", "-o", "remount,size=256m", str(case)], check=True)
        if done.code == 0:
            return
        argv = form.again(case)
        done.recovered = "resumed" if "--resume" in argv else "again"
        ending = self.command(form, argv, case, step=".again")
        if ending.code or ending.hung:
            said = next((line for line in ending.err.splitlines() if line.startswith("stoker")), "")
            how = "hangs" if ending.hung else f"ends with {ending.code}: {said[:200]}"
            done.problems.append(f"afterwards '{' '.join(argv[:3])}' {how}")
        else:
            done.problems += ["afterwards " + p for p in form.recovered(case, facts.reference, ending)]

    def one(self, name, attack, index):
        """A case in a folder of its own, which stays when it found something."""
        case = self.world.root / "cases" / f"{index:06d}"
        case.mkdir(parents=True)
        small = attacks.kind_of(attack) == "tmpfs"
        if small:
            size = int(attack.split(":")[1]) + self.facts_of(name).there * 5 // 4096
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", str(case)], check=True)
        try:
            if name in mutations.FORMS:
                done = mutations.case(self.options, self.world, name, attack, case)
            else:
                done = self.attack(name, attack, case)
            done.problems, done.known = known.sift(done)
            if done.problems:
                done.kept = self.keep(case, done)
        finally:
            if small:
                subprocess.run(["umount", "-l", str(case)], check=True)
        shutil.rmtree(case, ignore_errors=True)
        for path in case.parent.glob(case.name + ".*"):
            path.unlink(missing_ok=True)
        return done

    def again_line(self, done):
        asan = f" --asan {self.options.asan}" if done.form in mutations.FORMS and self.options.asan else ""
        return (f"python3 {pathlib.Path(__file__).resolve()} {self.options.build}{asan} "
                f"--form {done.form} --attack {done.attack}")

    def keep(self, case, done):
        kept = pathlib.Path(self.options.keep) / f"{done.form}-{done.attack.replace(':', '-').replace('/', '_')}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(case, kept / "folder", symlinks=True, ignore_dangling_symlinks=True,
                        ignore=lambda folder, names: [n for n in names if not_plain(folder, n)])
        for path in case.parent.glob(case.name + ".*"):
            shutil.copy(path, kept / path.name.replace(case.name, "command"))
        text = "\n".join([self.again_line(done), f"exit {done.code}", *done.problems]) + "\n"
        (kept / "report.txt").write_text(text)
        return str(kept)

    # All of them.

    def disturbed(self):
        """The forms whose calls fail; mutated: those whose files are damaged."""
        return [n for n in self.options.form or self.forms if n in self.forms and self.options.mutate < 1]

    def mutated(self):
        return [n for n in self.options.form or mutations.FORMS if n in mutations.FORMS and self.options.mutate > 0]

    def choose(self, rng):
        names, mutated = self.disturbed(), self.mutated()
        if mutated and (not names or rng.random() < self.options.mutate):
            return rng.choice(mutated), f"mutate:{rng.getrandbits(32)}"
        name = rng.choice(names)
        # The emulator is slow: one case in eight of its share.
        if name == "train-cuda" and len(names) > 1 and rng.random() > 0.125:
            return self.choose(rng)
        return name, attacks.choose(rng, self.facts_of(name), self.kinds)

    def read_list(self):
        """Cases that come before those that are chosen: --attack's, or those of --list with a form of ours."""
        if self.options.attack:
            return [(self.options.form[0], self.options.attack)]
        if not self.options.list:
            return []
        lines = [line.split() for line in pathlib.Path(self.options.list).read_text().splitlines()]
        return [tuple(w) for w in lines if w and w[0] in self.disturbed() and attacks.kind_of(w[1]) in self.kinds]

    def work(self, deadline):
        while time.monotonic() < deadline:
            with self.lock:
                index = self.next
                if index >= self.options.cases:
                    return
                self.next += 1
            rng = random.Random(self.options.seed * 1000003 + index)
            name, attack = "?", "?"
            try:
                name, attack = self.listed[index] if index < len(self.listed) else self.choose(rng)
                done = self.one(name, attack, index)
            except Exception as e:  # a mistake of ours is a finding, too
                done = Case(name, attack, problems=[f"torture itself: {type(e).__name__}: {e}"])
            self.account(done)

    def account(self, done):
        with self.lock:
            self.cases.append(done)
            if done.problems:
                self.say(f"FOUND {done.form} {done.attack}: exit {done.code}")
                for problem in done.problems:
                    self.say(f"    {problem}")
                self.say(f"    again: {self.again_line(done)}")
            elif self.options.verbose:
                self.say(f"{done.form} {done.attack}: exit {done.code} {done.recovered} {done.known or ''}")

    def run(self):
        unknown = [n for n in self.options.form or [] if n not in self.forms and n not in mutations.FORMS]
        if unknown:
            raise SystemExit(f"torture: there is no form {unknown[0]}; there are {' '.join(self.forms)} "
                             f"{' '.join(mutations.FORMS)}")
        mutations.learn(self.options, self.world, self.mutated())
        self.next, self.listed = 0, self.read_list()
        deadline = time.monotonic() + self.options.minutes * 60
        threads = [threading.Thread(target=self.work, args=(deadline,)) for _ in range(self.options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def not_plain(folder, name):
    path = pathlib.Path(folder) / name
    return not (path.is_file() or path.is_dir() or path.is_symlink())


COLUMNS = ["cases", "faults met", "exit 0", "exit 1", "exit 2", "ended by a signal", "same bits afterwards",
           "left out", "found"]


def row(cases):
    ended = [c.code < 0 or c.code > 2 for c in cases]
    return {"cases": len(cases), "faults met": sum(c.fired for c in cases),
            "exit 0": sum(c.code == 0 for c in cases), "exit 1": sum(c.code == 1 for c in cases),
            "exit 2": sum(c.code == 2 for c in cases), "ended by a signal": sum(ended),
            "same bits afterwards": sum(bool(c.recovered) and not c.problems and not c.known for c in cases),
            "left out": sum(bool(c.known) for c in cases), "found": sum(bool(c.problems) for c in cases)}


def table(cases, by):
    groups = {}
    for case in cases:
        groups.setdefault(by(case), []).append(case)
    return {name: row(group) for name, group in sorted(groups.items())} | {"all": row(cases)}


def print_table(title, rows):
    width = max(map(len, [title, *rows]))
    print("| " + " | ".join([title.ljust(width), *COLUMNS]) + " |")
    print("|" + "---|" * (len(COLUMNS) + 1))
    for name, values in rows.items():
        print("| " + " | ".join([name.ljust(width), *(str(values[c]).rjust(len(c)) for c in COLUMNS)]) + " |")
    print()


def report(torture, seconds):
    cases, options = torture.cases, torture.options
    tables = {"attack": table(cases, lambda c: attacks.kind_of(c.attack)), "form": table(cases, lambda c: c.form)}
    found = [c for c in cases if c.problems]
    reasons = known.reasons(cases)
    if options.json:
        print(json.dumps({"seed": options.seed, "seconds": round(seconds, 1), "tables": tables, "left_out": reasons,
                          "found": [{"form": c.form, "attack": c.attack, "exit": c.code, "problems": c.problems,
                                     "folder": c.kept, "again": torture.again_line(c)} for c in found]}, indent=2))
        return
    print(f"seed {options.seed}, {options.jobs} at a time, {seconds:.0f} s\n")
    for title, rows in tables.items():
        print_table(title, rows)
    for reason, count in reasons.items():
        print(f"left out {count}: {reason}")
    for case in found:
        print(f"FOUND {case.form} {case.attack}: {case.problems[0]}\n  folder {case.kept}\n  {torture.again_line(case)}")
    print(f"{len(found)} found" if found else "nothing found")


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build", help="the build folder whose stoker is tortured")
    p.add_argument("--asan", help="a build folder with ASan and UBSan: mutations go through its stoker")
    p.add_argument("--minutes", type=float, default=float(os.environ.get("TORTURE_MINUTES", 60)))
    p.add_argument("--cases", type=int, default=10**9, help="stop after so many")
    p.add_argument("--seed", type=int, default=int(os.environ.get("TORTURE_SEED", time.time_ns() % 10**6)))
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--form", action="append", help="only this form; may be given several times")
    p.add_argument("--kinds", action="append", help="only attacks of this kind; may be given several times")
    p.add_argument("--attack", help="this attack on --form, once")
    p.add_argument("--list", help="a file with FORM ATTACK on each line: these come first")
    p.add_argument("--mutate", type=float, default=0.3, help="share of mutations among all cases")
    p.add_argument("--keep", default="torture-found", help="where folders of failures go")
    p.add_argument("--all", action="store_true", help="count what known.py leaves out as found")
    p.add_argument("--json", action="store_true")
    p.add_argument("--verbose", action="store_true")
    options = p.parse_args()
    if options.attack:
        if not options.form or len(options.form) != 1:
            p.error("--attack needs one --form")
        options.cases = 1
    return options


def main():
    options = parse()
    known.enabled = not options.all
    begin = time.monotonic()
    # In memory where that can be: a disk that others keep busy makes a sync look like a hang.
    memory = "/dev/shm" if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="torture-", dir=memory, ignore_cleanup_errors=True) as folder:
        world = World(options.build, pathlib.Path(folder).resolve())
        world.make(killed=options.mutate < 1)
        torture = Torture(options, world)
        torture.say(f"torture: seed {options.seed}, {options.jobs} at a time, in {folder}")
        torture.run()
    report(torture, time.monotonic() - begin)
    aimed = [case for case in torture.cases if attacks.kind_of(case.attack) in ("fault", "kill")]
    if len(aimed) > 20 and sum(case.fired for case in aimed) < len(aimed) // 2:
        torture.say("torture: most faults were not met: nothing was tested")
        return 1
    return 1 if any(case.problems for case in torture.cases) else 0


if __name__ == "__main__":
    sys.exit(main())
