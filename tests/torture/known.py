"""What is left out, by name and with its reason. A row hides a problem of a form under an attack; all
three are patterns. An attack is followed by the file that it met, after a blank. The table is to be empty."""
import fnmatch
import re

LEFT_OUT = [
    # (form, attack, problem (a regular expression), reason)
    ("*", "fault:mmap:*", r"ends with -11", "oneDNN does not look at what mmap gives"),
    ("*", "*", r"bad_alloc", "oneDNN throws where it gets no memory"),
    ("*", "fault:malloc:*", r"ends with -(6|11)", "oneDNN crashes where it gets no memory"),
    ("*", "as:*", r"ends with -11|ends with -6|std::", "oneDNN crashes where it gets no memory"),
    ("train-*", "*", r"left over: run/", "temporary files of a run stay when it is gone on with"),
    ("resume", "*", r"left over: run/", "temporary files of a run stay when it is gone on with"),
    ("train-*", "*", r"metrics.csv: |points of TensorBoard", "rows are lost when a checkpoint commits before them"),
    ("resume", "*", r"metrics.csv: |points of TensorBoard", "rows are lost when a checkpoint commits before them"),
    ("train-*", "*", r"afterwards (missing|differs): (best|final)", "a failed write loses best or final for good"),
    ("resume", "*", r"afterwards (missing|differs): (best|final)", "a failed write loses best or final for good"),
    ("*", "fault:*dataset_info.json*", r"", "a dataset_info.json that cannot be read is passed over"),
    ("*", "fault:*/packed", r"exit 0, but differs", "a folder that cannot be listed has no dataset_info.json"),
    ("train-*", "signal:*", r"differs: (best|final|checkpoints)", "an evaluation that a signal cuts off is not made up for"),
    ("resume", "signal:*", r"differs: (best|final|checkpoints)", "an evaluation that a signal cuts off is not made up for"),
    ("lr-find", "fault:*.tfrecord-*", r"exit 0, but differs", "a file that cannot be opened is passed over"),
    ("predict", "fault:stat*", r"gives another reason", "predict takes a run that it cannot look at for one without weights"),
    ("eval", "fault:stat*", r"gives another reason", "eval takes a run that it cannot look at for one without weights"),
    ("*", "fault:*features.json*", r"", "a features.json that cannot be read is passed over"),
    ("*", "fault:*.labels.txt*", r"", "a labels.txt that cannot be read is passed over"),
    ("resume", "fault:*.tfrecord-*", r"gives another reason", "a file that cannot be opened is passed over when a "
     "shuffle is filled again; what follows from that is said instead"),
    ("replay", "fault:*", r"exit 0, but differs", "errors are passed over when a number is looked for"),
    ("train-cache-kept", "kill:*", r"left over: cache/", "temporary files of a cache stay"),
    ("mutate-info", "*", r"hangs", "a number of records in dataset_info.json is believed, however large"),
    ("mutate-pack", "*", r"hangs", "a number of records in dataset_info.json is believed, however large"),
    ("mutate-pack", "*", r"silently different", "weights depend on where a pack lies"),
    ("mutate-shards", "*", r"silently different", "weights depend on where a pack lies"),
    ("mutate-*", "*", r"LeakSanitizer", "look.c loses memory where dataset_info.json cannot be read"),
]

enabled = True


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
