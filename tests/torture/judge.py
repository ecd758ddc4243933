"""Was it right how a command ended? The rules that hold for every command and every attack."""
import errno
import os
import pathlib
import re

import attacks

CRASH = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|terminate called|Assertion .* failed|"
                   r"stack smashing|double free|corrupted (size|double)|malloc\(\): |free\(\): |std::")
STOPPED = {"INT": 2, "TERM": 15, "HUP": 1}
# Words for a lack of memory, files or threads that others than the C library choose.
MEMORY = re.compile(r"memory|MB", re.I)


def reason_of(attack):
    """The text that an error of this attack should give as its reason, or None."""
    parts = attack.split(":")
    if parts[0] == "fault" and parts[1] not in ("malloc", "mmap", "thread", "ring") and hasattr(errno, parts[3]):
        return os.strerror(getattr(errno, parts[3]))
    return {"space": os.strerror(errno.ENOSPC), "tmpfs": os.strerror(errno.ENOSPC),
            "fsize": os.strerror(errno.EFBIG)}.get(parts[0])


def of_code(attack, ending):
    """Exit codes are 0, 1 and 2, and 130 or the signal where one was sent."""
    if ending.hung:
        return ["hangs"]
    if CRASH.search(ending.err):
        return ["crashes: " + next(line for line in ending.err.splitlines() if CRASH.search(line))[:200]]
    if ending.code in (0, 1, 2):
        return []
    if attacks.kills(attack) and ending.code == -9:
        return []
    if attack.startswith("signal:"):
        sent = STOPPED.get(attack.split(":")[1])
        if ending.code in (130, 128 + sent, -sent):
            return []
    if attack.startswith("as:") and ending.code == 127 and "loading shared libraries" in ending.err:
        return []
    if attack.startswith("stdout:pipe") and ending.code == -13:
        return []
    return [f"ends with {ending.code}"]


def of_message(attack, ending, log):
    """A failure says who failed, why, and with which file."""
    cut_off = attack.startswith("fsize:") and len(ending.err) >= int(attack[6:])  # stderr is a file here
    if ending.code != 1 or cut_off:
        return []
    problems = []
    if not re.search(r"^(stoker|libgomp)\b.*: |\"bad\": ", ending.err, re.M):
        # Damage that was looked for is a result, and on stdout.
        return [] if attack == "mutate" and ending.out else ["fails without a word"]
    reason = reason_of(attack)
    kind = attacks.kind_of(attack)
    fired = kind != "fault" or log
    # A single look that failed may have been made again by another call.
    once = attack.startswith("fault:stat") and not attack.endswith(":on")
    read_again = "it could not be read at first" in ending.err
    # A cache looks how much a disk has left before it begins.
    looked = kind in ("space", "tmpfs") and "the disk has" in ending.err
    if reason and fired and not once and not read_again and not looked and reason not in ending.err:
        problems.append(f"gives another reason than '{reason}'")
    if attack.startswith("fault:malloc") and log and not MEMORY.search(ending.err):
        problems.append("does not say that memory is short")
    # Where all later calls fail, too, another file may be the one that matters.
    if reason and log and kind == "fault" and not once and not attack.endswith(":on"):
        problems += of_name(ending.err, log)
    return problems


def of_name(err, log):
    """The file of the first fault, or its folder, is named."""
    path = log.splitlines()[0].split(" ", 3)[-1].strip()
    name = re.sub(r"^\.(.*)\.\d+-\d+\.tmp$", r"\1", pathlib.Path(path).name)
    folder = pathlib.Path(path).parent.name
    if pathlib.Path(path).is_dir() or not name or name in err or (folder and folder in err):
        return []
    return [f"does not name {name}"]
