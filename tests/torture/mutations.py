"""Commands that are given damaged files: run folders, packs, caches, recipes, traces. Exit 0, 1 or 2, no
report of a sanitizer, no hang, little memory; and where checksums exist, the same result or an error."""
import gzip
import os
import random
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

import judge
import mutate
import process
from case import Case
from world import TRAIN

SECONDS = 60          # of a command under ASan
MOST_KB = 3 << 20     # resident, with ASan's own
CHECKED = re.compile(r"\.tfrecord-|\.stkidx$|\.safetensors$|(^|/)blocks$|(^|/)list$")
DIFFERENT = {"delete", "swap", "become_folder", "become_link", "become_pipe"}


@dataclass
class Subject:
    """What is damaged, and what is asked of it then."""
    source: str           # an attribute of World
    commands: list        # each: a list of words
    wanted: object = lambda path: True
    result: str = ""      # a file below the case that is the same, or not there


TRAINED = ["train", "IT", *TRAIN, "-o", "run", "--memory-mb", "64"]
FORMS = {
    "mutate-pack": Subject("packed", [["inspect", "--verify", "IT"], TRAINED], result="run/final.safetensors"),
    "mutate-shards": Subject("packed", [["inspect", "IT", "--json"], TRAINED, ["show", "IT", "-o", "s.png"]],
                             lambda p: ".tfrecord-" in p.name, "run/final.safetensors"),
    "mutate-info": Subject("packed", [["inspect", "IT"], TRAINED, ["lint", "IT"]],
                           lambda p: ".tfrecord-" not in p.name),
    "mutate-photos": Subject("photos", [["pack", "IT", "out", "-q"], ["inspect", "--all", "IT"],
                                        ["pack", "IT", "kept", "--on-bad", "skip", "-q"]]),
    "mutate-tar": Subject("tar", [["pack", "IT", "out", "-q"], ["inspect", "IT"]]),
    "mutate-run": Subject("run", [["eval", "IT", "--json"], ["predict", "IT", "PHOTOS/class0"], ["diagnose", "IT"],
                                  ["train", "--resume", "IT"]]),
    "mutate-weights": Subject("run", [["predict", "IT", "PHOTOS/class0", "--csv", "p.csv"]],
                              lambda p: p.suffix == ".safetensors", "p.csv"),
    "mutate-killed": Subject("stopped", [["train", "--resume", "IT"]], result="stopped/final.safetensors"),
    "mutate-cache": Subject("cache", [["train", "PACKED", *TRAIN, "-o", "run", "--cache", "disk", "--set",
                                       "data.cache_folder=IT"]], result="run/final.safetensors"),
    "mutate-recipe": Subject("recipe", [["train", "PACKED", "-r", "IT", "--explain"],
                                        ["lint", "-r", "IT", "PACKED"]]),
    "mutate-trace": Subject("trace", [["trace", "check", "IT"], ["trace", "gaps", "IT"], ["trace", "ops", "IT"],
                                      ["trace", "merge", "all.json", "IT", "TRACE"], ["trace", "diff", "IT", "TRACE"],
                                      ["diagnose", "IT", "-o", "page.html"]]),
    "mutate-profile": Subject("profile", [["diagnose", "IT"], ["diagnose", "IT", "--what-if", "S2=0.5"]]),
}


def sanitized_env(case):
    return {"ASAN_OPTIONS": "allocator_may_return_null=1:abort_on_error=0:exitcode=77",
            "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=77", "TMPDIR": str(case)}


def make_stopped(options, world):
    """A run of the build that is given damaged files, killed when it had two checkpoints. All of a run
    must come from one build: another rounds otherwise."""
    argv = [stoker_of(options, world), "train", str(world.packed), *TRAIN, "--epochs", "20", "-o", str(world.stopped)]
    for _ in range(10):
        shutil.rmtree(world.stopped, ignore_errors=True)
        child = subprocess.Popen(argv, env=world.env_all(), cwd=world.root, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        while child.poll() is None and len(list(world.stopped.glob("checkpoints/step-*"))) < 2:
            time.sleep(0.001)
        child.kill()
        child.wait()
        if not (world.stopped / "final.safetensors").exists() and (world.stopped / "recipe.yaml").exists():
            return
    raise SystemExit("torture: ten runs were over before they could be killed")


def stoker_of(options, world):
    return os.path.join(os.path.abspath(options.asan or world.build), "stoker")


def learn(options, world, names):
    """What the commands give when nothing is damaged, by the build that is given damaged files."""
    world.recipe, world.profile = world.run / "recipe.yaml", world.run / "profile.json"
    world.trace = world.root / "trace.json"
    world.trace.write_bytes(gzip.decompress((world.traced / "trace.json.gz").read_bytes()))
    if "mutate-killed" in names:
        make_stopped(options, world)
    for name in names:
        folder = world.root / "undamaged" / name
        folder.mkdir(parents=True)
        done = commands(options, world, FORMS[name], folder, Case(name, "mutate:0"), [])
        if done.code or done.problems:
            raise SystemExit(f"torture: {name}, undamaged: exit {done.code} {done.problems}")


def words(command, world, it):
    swaps = {"IT": it, "PHOTOS": str(world.photos), "PACKED": str(world.packed), "TRACE": str(world.trace)}
    out = []
    for word in command:
        head, sep, tail = word.partition("/")
        if word.startswith("data.cache_folder="):
            word = f"data.cache_folder={it}"
        elif head in swaps:
            word = swaps[head] + sep + tail
        out.append(word)
    return out


def may_differ(done, root):
    """True where no checksum can tell: other kinds of files, or files that went or changed places."""
    return any(how in DIFFERENT or not CHECKED.search(str(path.relative_to(root))) for how, path in done)


def different(world, name, folder, done, root):
    """A result that is not what the undamaged files give, without anybody having said so."""
    result = FORMS[name].result
    if not result or not (folder / result).is_file() or may_differ(done, root):
        return []
    same = (folder / result).read_bytes() == (world.root / "undamaged" / name / result).read_bytes()
    return [] if same else ["silently different: " + result]


def commands(options, world, subject, folder, result, rng):
    """Copies what is to be damaged, damages it, and runs all commands of the subject."""
    source = getattr(world, subject.source)
    root = folder / source.name
    mutate.copy(source, root)
    done = mutate.mutate(rng, root if root.is_dir() else folder, subject.wanted) if rng else []
    result.fired = bool(done)
    (folder.parent / (folder.name + ".damage")).write_text("".join(f"{how} {p}\n" for how, p in done))
    for i, command in enumerate(subject.commands):
        ending = process.run([stoker_of(options, world), *words(command, world, root.name)], folder, SECONDS, None,
                             {**world.env, **sanitized_env(folder)}, f".{i}")
        result.code = max(result.code, ending.code) if ending.code >= 0 else ending.code
        problems = judge.of_code("mutate", ending) + judge.of_message("mutate", ending, "")
        if ending.peak_kb > MOST_KB:
            problems.append(f"takes {ending.peak_kb >> 10} MB")
        if ending.code == 0 and rng and subject.result and command is maker(subject):
            problems += different(world, result.form, folder, done, root)
        result.problems += [f"'{' '.join(command[:3])}' {p}" for p in problems]
        if ending.code < 0:
            break
    return result


def maker(subject):
    """The command that makes the result of a subject."""
    return next(c for c in subject.commands if c[0] in ("train", "predict"))


def case(options, world, name, attack, folder):
    """One of FORMS with damage of one's own: attack is mutate:SEED."""
    rng = random.Random(int(attack.split(":")[1]))
    return commands(options, world, FORMS[name], folder, Case(name, attack), rng)
