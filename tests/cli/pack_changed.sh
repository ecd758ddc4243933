#!/usr/bin/env bash
# A pack that is not what was packed any more is refused by whoever reads it, with the reason; nobody trains on half of it.
set -eu
source "$(dirname "$0")/support.bash" "$1"
make_colours "$work/photos" 3 12 24
"$stoker" pack "$work/photos" "$work/pack" --splits train=0.7,test=0.3 --shard-mb 0.003 -q

python3 - "$stoker" "$work" <<'PYTHON' || fail "see above"
import json, pathlib, shutil, struct, subprocess, sys
stoker, work = sys.argv[1], pathlib.Path(sys.argv[2])
train = ["--model", "mlp", "--width", "0.25", "--epochs", "1", "--batch", "8", "--threads", "1", "-q", "-o"]
subprocess.run([stoker, "train", work / "pack", *train, work / "run"], check=True, capture_output=True)
problems = []

def cut(pack):
    """The last record of a file is gone, and what is left of it is sound."""
    file = sorted(pack.glob("*train*"))[0]
    data, at, ends = file.read_bytes(), 0, [0]
    while at < len(data):
        at += struct.unpack("<Q", data[at:at + 8])[0] + 16
        ends.append(at)
    file.write_bytes(data[:ends[-2]])

def told(change):
    def edit(pack):
        info = json.loads((pack / "dataset_info.json").read_text())
        change(info["splits"])
        (pack / "dataset_info.json").write_text(json.dumps(info))
    return edit

def swap(splits):
    splits[0]["name"], splits[1]["name"] = splits[1]["name"], splits[0]["name"]

CHANGES = {
    "a cut file": (cut, "one was cut or changed"),
    "a split told twice": (told(lambda s: s.append(dict(s[0]))), "twice"),
    "splits swapped": (told(swap), "files of split"),
    "no splits": (told(lambda s: s.clear()), "does not tell"),
    "a million files": (told(lambda s: s[0].update(shardLengths=["9"] * 1000000)), "1000000 files of split"),
    "more records than bytes": (told(lambda s: s[0]["shardLengths"].__setitem__(0, "4294967296")), "4294967296 records"),
    "no description": (lambda pack: (pack / "dataset_info.json").unlink(), "it is missing or was changed"),
}
for name, (change, words) in CHANGES.items():
    pack = work / "changed"
    shutil.rmtree(pack, ignore_errors=True)
    shutil.copytree(work / "pack", pack)
    change(pack)
    for command in (["train", pack, *train, work / "new"], ["eval", work / "run", pack], ["show", pack, "-o", work / "s.png"],
                    ["bench", "input", pack, "--preset", "cifar", "--seconds", "0.1"], ["pack", pack, work / "again"]):
        done = subprocess.run([stoker, *command], capture_output=True, text=True, timeout=60)
        if done.returncode != 1 or words not in done.stderr:
            problems.append(f"{name}: {command[0]} exits {done.returncode}: {done.stderr[-300:]}")
        shutil.rmtree(work / "new", ignore_errors=True)
        shutil.rmtree(work / "again", ignore_errors=True)
print(*problems, sep="\n", file=sys.stderr)
sys.exit(bool(problems))
PYTHON
