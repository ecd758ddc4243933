"""What is left out, by name and with its reason. A row hides a problem of a form under an attack; all
three are patterns. An attack is followed by the file that it met, after a blank; one of memory, by the library
that was refused some and in whose code the process then ended. The table is to be empty."""
import fnmatch
import re

LEFT_OUT = [
    # (form, attack, problem (a regular expression), reason)
    ("*", "fault:m* in oneDNN", r"ends with -(6|11)|crashes: terminate called", "oneDNN goes on where it gets no memory"),
    ("*", "fault:m* in OpenMP", r"ends with -(6|11)|crashes: terminate called", "OpenMP ends a process that gets no memory"),
]

enabled = True


def met_on(log):
    """What follows an attack, as the log of the faults has it."""
    lines = log.splitlines()
    if lines and lines[0].startswith(("malloc ", "mmap ")):
        return next((line.removeprefix("ends ") for line in lines if line.startswith("ends ")), "")
    return lines[0].split(" ", 3)[-1] if lines else ""


def reason_for(case, problem):
    met = f"{case.attack} {case.file}"
    for form, attack, pattern, reason in LEFT_OUT:
        if fnmatch.fnmatch(case.form, form) and fnmatch.fnmatch(met, attack) and re.search(pattern, problem):
            return reason
    return None


def sift(case):
    """The problems that count, and reasons of those that do not."""
    reasons = [reason_for(case, p) if enabled else None for p in case.problems]
    return ([p for p, reason in zip(case.problems, reasons) if not reason], [r for r in reasons if r])


def reasons(cases):
    counts = {}
    for case in cases:
        for reason in set(case.known):
            counts[reason] = counts.get(reason, 0) + 1
    return counts
