"""What is done to a command. An attack is a text, KIND:ARGUMENTS, so that one line repeats it."""
import os
import resource
import signal
import subprocess

from process import Disturbance

# For each counted call: the errors it can have, and where a kill can fall.
FAULTS = {
    "open": (["EMFILE", "ENFILE", "EACCES", "EIO", "ENOSPC"], ["before", "after"]),
    "read": (["EIO", "EINTR", "short", "ESTALE"], ["before"]),
    "write": (["ENOSPC", "EIO", "EDQUOT", "EINTR", "short"], ["before", "middle", "after", "power"]),
    "sync": (["EIO", "ENOSPC", "EINTR"], ["before", "after", "power"]),
    "rename": (["ENOSPC", "EIO", "EROFS"], ["before", "after", "power"]),
    "mkdir": (["ENOSPC", "EACCES"], ["before", "after"]),
    "remove": (["EIO", "EACCES"], ["before", "after"]),
    "truncate": (["EIO"], ["before", "after"]),
    "stat": (["EIO", "ESTALE"], ["before"]),
    "list": (["EMFILE", "EIO"], ["before"]),
    "mmap": (["ENOMEM"], []),
    "malloc": (["ENOMEM"], []),
    "thread": (["EAGAIN"], ["before", "after"]),
    "ring": (["EIO", "EAGAIN", "short"], []),
}
LASTING = {"ENOSPC", "EIO", "EMFILE", "EDQUOT", "ENOMEM", "EAGAIN"}
# How often each kind is chosen.
WEIGHTS = {"fault": 8, "kill": 5, "signal": 2, "space": 1.5, "tmpfs": 1, "fsize": 0.5, "as": 1, "memory": 1,
           "nofile": 1, "stdout": 0.4, "twice": 0.6}
TAKES_MEMORY = ("pack", "train", "eval", "predict", "inspect", "show")


def can_mount(folder):
    """True where this process may mount: a small disk that is really full."""
    os.makedirs(folder, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], capture_output=True)
    if done.returncode == 0:
        subprocess.run(["umount", str(folder)], capture_output=True)
    return done.returncode == 0


def choose_call(rng, counts, column):
    calls = [c for c in FAULTS if counts.get(c) and FAULTS[c][column]]
    return rng.choice(calls) if calls else None


def choose_fault(rng, facts):
    call = choose_call(rng, facts.counts, 0)
    how = rng.choice(FAULTS[call][0])
    # A look that fails once is often made again by another call: only a failure that lasts tells.
    lasts = how in LASTING and call != "ring" and rng.random() < 0.25
    on = ":on" if call == "stat" or lasts else ""
    return f"fault:{call}:{rng.randint(1, facts.counts[call])}:{how}{on}"


def choose_kill(rng, facts):
    call = choose_call(rng, facts.counts, 1)
    return f"kill:{call}:{rng.randint(1, facts.counts[call])}:{rng.choice(FAULTS[call][1])}" if call else None


def choose_signal(rng, facts):
    return f"signal:{rng.choice(['INT', 'TERM', 'HUP', 'KILL'])}:{rng.random() * facts.seconds:.4f}"


def choose_space(rng, facts):
    return f"space:{rng.randint(0, facts.bytes)}" if facts.bytes else None


CHOICES = {
    "fault": choose_fault, "kill": choose_kill, "signal": choose_signal, "space": choose_space,
    "tmpfs": lambda rng, facts: f"tmpfs:{rng.randint(1, max(facts.bytes // 1024, 8))}" if facts.bytes else None,
    "fsize": lambda rng, facts: f"fsize:{rng.randint(0, facts.bytes)}" if facts.bytes else None,
    "as": lambda rng, facts: f"as:{rng.randint(55, 200)}",
    "memory": lambda rng, facts: f"memory:{rng.choice([1, 2, 4, 8, 16])}" if facts.takes_memory else None,
    "nofile": lambda rng, facts: f"nofile:{rng.randint(4, 40)}",
    "twice": lambda rng, facts: f"twice:{rng.random() ** 3 * facts.seconds:.4f}",
    "stdout": lambda rng, facts: f"stdout:{rng.choice(['full', 'closed', 'pipe'])}",
}


def choose(rng, facts, kinds):
    """An attack on a form of which facts (counts, seconds, bytes, takes_memory) are known."""
    while True:
        kind = rng.choices(kinds, [WEIGHTS[k] for k in kinds])[0]
        attack = CHOICES[kind](rng, facts)
        if attack:
            return attack


def kind_of(attack):
    return attack.split(":")[0]


def kills(attack):
    return kind_of(attack) == "kill" or attack.startswith("signal:KILL")


def disturb(attack, world, case):
    """The disturbance that an attack is, and flags for the command."""
    kind, rest = attack.split(":", 1)
    d = Disturbance()
    preload = {"LD_PRELOAD": world.faults, "STK_FAULT_BELOW": f"{case}:{world.root}", "STK_FAULT_LOG": f"{case}.log"}
    if kind in ("fault", "kill"):
        d.env = {**preload, "STK_FAULT": rest}
    elif kind == "space":
        d.env = {**preload, "STK_FAULT_SPACE": rest}
    elif kind == "signal":
        name, after = rest.split(":")
        d.signal = (getattr(signal, "SIG" + name), float(after))
    elif kind == "fsize":
        d.limits = [(resource.RLIMIT_FSIZE, int(rest))]
    elif kind == "as":
        d.limits = [(resource.RLIMIT_AS, int(rest) << 20)]
    elif kind == "nofile":
        d.limits = [(resource.RLIMIT_NOFILE, int(rest))]
    elif kind == "stdout":
        d.stdout = rest
    return d, ["--memory-mb", rest] if kind == "memory" else []
