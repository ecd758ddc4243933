"""Runs one command under a watchdog, with limits, faults and signals, and says how it ended."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field


@dataclass
class Ending:
    """How a command ended."""
    code: int            # the exit code; below 0: the signal that ended it
    out: bytes
    err: str
    seconds: float
    peak_kb: int         # most resident memory
    hung: bool = False   # the watchdog ended it


@dataclass
class Disturbance:
    """What is done to a process."""
    env: dict = field(default_factory=dict)
    limits: list = field(default_factory=list)   # pairs of a resource and its limit
    signal: tuple = None                         # a signal and the seconds after which it is sent
    stdout: str = "file"                         # file, full (a full disk), closed, pipe (nobody reads)


def limit(pairs):
    for which, most in pairs:
        resource.setrlimit(which, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def stdout_of(kind, path):
    if kind == "full":
        return open("/dev/full", "wb")
    if kind == "pipe":
        reader, writer = os.pipe()
        os.close(reader)
        return os.fdopen(writer, "wb")
    return open(path, "wb")


def where_it_hangs(pid):
    """What each thread of a process waits for: for whoever looks into a hang."""
    lines = []
    for task in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*")):
        def word(name):
            try:
                return (task / name).read_text().strip()
            except OSError:
                return "?"
        lines.append(f"{task.name} {word('comm')}: {word('stat')[-200:]}\n  wchan {word('wchan')}, "
                     f"syscall {word('syscall')}\n  {word('stack')}")
    if shutil.which("gdb"):
        lines.append(subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"], timeout=60,
                                    capture_output=True, text=True, check=False).stdout)
    return "\n".join(lines)


def wait(child, seconds, disturbance, hang_path):
    """Waits for the child; sends the signal of a disturbance, and SIGKILL when it takes too long."""
    begin, pause, hung = time.monotonic(), 0.001, False
    pending = disturbance.signal
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode, usage.ru_maxrss, hung
        now = time.monotonic() - begin
        if pending and now >= pending[1]:
            os.kill(child.pid, pending[0])  # not send_signal, which reaps a child that has ended
            pending = None
        if now > seconds and not hung:
            hung = True
            pathlib.Path(hang_path).write_text(where_it_hangs(child.pid))
            os.killpg(child.pid, signal.SIGKILL)
        time.sleep(min(pause, max(pending[1] - now, 0.0005)) if pending else pause)
        pause = min(pause * 1.3, 0.02)


def run(argv, folder, seconds, disturbance=None, env=None, step=""):
    """Runs argv in folder, for so many seconds at most. What it writes goes to files beside folder, with
    step in their names."""
    disturbance = disturbance or Disturbance()
    out_path, err_path = f"{folder}{step}.out", f"{folder}{step}.err"
    full_env = {**os.environ, **(env or {}), **disturbance.env}
    begin = time.monotonic()
    with stdout_of(disturbance.stdout, out_path) as out, open(err_path, "wb") as err:
        def prepare():
            limit(disturbance.limits)
            if disturbance.stdout == "closed":
                os.close(1)
        # As from a shell: the C library's SIGPIPE, a group of its own so that children end with it.
        child = subprocess.Popen(argv, cwd=folder, env=full_env, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, preexec_fn=prepare, start_new_session=True)
        code, peak, hung = wait(child, seconds, disturbance, f"{folder}{step}.hang")
    with open(err_path, "rb") as err:
        text = err.read(200000).decode("utf-8", "replace")
    data = b""
    if disturbance.stdout == "file":
        with open(out_path, "rb") as out:
            data = out.read()
    return Ending(code, data, text, time.monotonic() - begin, peak, hung)
