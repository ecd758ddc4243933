#!/usr/bin/env bash
# Names of folders, classes and files that would drive a terminal or a shell: what is printed is harmless, and commands that are
# printed can be typed as they stand.
set -eu
source "$(dirname "$0")/support.bash" "$1"
make_colours "$work/plain" 3 12 24

python3 - "$stoker" "$work" <<'PYTHON' || fail "see above"
import atexit, json, os, pathlib, re, shutil, signal, subprocess, sys, time
stoker, work = sys.argv[1], pathlib.Path(sys.argv[2])
# Spaces, quotes, a command, an escape sequence, a line break, right-to-left, C1, DEL.
EVIL = "-e v'il\"$(touch PWNED)`touch PWNED`;touch PWNED\n!%s\x1b[31m\u202egpj\u009b\x7f\\".encode()
BYTES = b"b\xff\xc3 (\x9b31m"  # no UTF-8
SOFT = "-my photos; it's $(touch PWNED)"  # quotes alone do for it
problems = []
atexit.register(lambda: print(*problems, sep="\n", file=sys.stderr))

def check(what, holds, text=""):
    if not holds: problems.append(f"{what}: {text!r}")

# What a terminal gets: text, line breaks, nothing that it obeys.
def check_harmless(what, text):
    try:
        shown = text.decode()
    except UnicodeDecodeError as error:
        return check(what, False, str(error))
    bad = [c for c in shown if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u061c\u200e\u200f\u2028\u2029"
                                              or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069")]
    check(f"{what} has {bad}", not bad, shown[:300])

folder = work / "here"
folder.mkdir()
# A stoker that says what it was called with.
(work / "bin").mkdir()
fake = work / "bin/stoker"
fake.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\" >\"$STOKER_SAID\"\n")
fake.chmod(0o755)

def run(*arguments, code=0, harmless=True, environment={}):
    done = subprocess.run([stoker, *arguments], cwd=folder, capture_output=True, env=os.environ | environment)
    what = " ".join(str(a) for a in arguments[:2])
    check(f"{what}: exit code {done.returncode}", done.returncode == code, done.stderr[-300:])
    check_harmless(f"{what}: stderr", done.stderr)
    if harmless: check_harmless(f"{what}: stdout", done.stdout)
    return done

# Types a command, in every shell there is, and gives what it was called with.
def type_command(command):
    said = []
    for shell in ("sh", "bash"):
        path = work / "said"
        path.unlink(missing_ok=True)
        done = subprocess.run([shell, "-c", command], cwd=folder, capture_output=True,
                              env=os.environ | {"PATH": f"{work}/bin:{os.environ['PATH']}", "STOKER_SAID": str(path)})
        check(f"{shell}: {command}", done.returncode == 0 and path.exists(), done.stderr)
        said.append(path.read_bytes().split(b"\0")[:-1] if path.exists() else [])
    check("shells differ", said[0] == said[1], command)
    check("something ran", not list(work.glob("**/PWNED")), command)
    return said[0]

def find(pattern, text):
    found = re.search(pattern, text.decode(errors="replace"))
    check(f"nothing like {pattern}", found, text[-400:])
    return found.group(1) if found else "true"

# A path that begins with a dash is typed as ./-...
as_typed = lambda name: b"./" + name if name[:1] == b"-" else name

for name in (EVIL, BYTES, SOFT.encode()):
    data, pack, out = b"d" + name, b"p" + name, b"r" + name
    shutil.copytree(os.fsencode(work / "plain"), os.path.join(os.fsencode(folder), data))
    inside = os.path.join(os.fsencode(folder), data)
    class_name = (BYTES if name == BYTES else EVIL).replace(b"\n", b"\t")  # a line break is refused: lists of classes have a line each
    for old, new in ((b"class0", class_name), (b"class1", b"<script>alert(1)&\"'" + class_name)):
        os.rename(os.path.join(inside, old), os.path.join(inside, new))
    first = sorted(os.listdir(os.path.join(inside, class_name)))[0]
    os.rename(os.path.join(inside, class_name, first), os.path.join(inside, class_name, EVIL + b".png"))
    image = os.path.join(data, class_name, EVIL + b".png")

    # pack, also into a folder that looks like a flag; inspect in both forms.
    said = run("pack", data, "--", name)
    check("pack", type_command(find(r"next: (stoker inspect .*)\n", said.stderr)) == [b"inspect", as_typed(name)], said.stderr)
    run("pack", data, pack)
    run("inspect", pack)
    run("inspect", "--all", data)
    report = json.loads(run("inspect", "--json", pack).stdout)
    names = {one["name"] for one in report["classes"]}
    check("classes as JSON", class_name.decode(errors="replace") in names or name == BYTES, names)

    # A class that is not there, a file that is none: errors name them.
    open(os.path.join(inside, class_name, b"x" + EVIL + b".png"), "wb").write(b"no image")
    run("pack", data, b"q" + name, "--resize", "8", code=1)
    run("inspect", "--all", data)
    run("inspect", b"missing" + name, code=1)
    run("show", data, "-o", b"sheet.png", "--preset", "missing" + SOFT, code=2)
    os.unlink(os.path.join(inside, class_name, b"x" + EVIL + b".png"))
    run(name, code=2)
    run("train", b"--" + name, code=2)
    run("bench", "input", data, "--explain")

    # Training: what goes on, what comes next; the same in lr-find, lint and diagnose.
    common = ["--model", "cnn", "--size", "8", "--batch", "6", "--backend", "ref", "-q"]
    said = run("train", data, *common[:-1], "--epochs", "1", "-o", out)
    check("eval", type_command(find(r"next: (stoker eval .*)\n", said.stderr)) == [b"eval", out], said.stderr)
    check("predict", type_command(find(r"\n +(stoker predict .*) IMAGE", said.stderr)) == [b"predict", out], said.stderr)
    said = run("lr-find", data, *common, "--steps", "20", "--set", "output.folder=" + SOFT)
    if b"no suggestion" not in said.stdout:
        typed = type_command(find(r": (stoker train .*)\n", said.stdout))
        check("lr-find", typed[:2] == [b"train", data] and ("output.folder=" + SOFT).encode() in typed, typed)
        told = json.loads(run("lr-find", data, *common, "--steps", "20", "--set", "output.folder=" + SOFT, "--json").stdout)
        check("lr-find as JSON", type_command(told["command"])[:2] == [b"train", data], told)
    said = run("lint", data, *common)
    typed = type_command(find(r"run +(stoker pack .*)\n", said.stdout))
    whole = os.path.join(os.fsencode(folder), data)
    if name == EVIL: whole = b"DATA"  # with its quotes it does not fit into the line
    check("lint", typed == [b"pack", whole, whole + b"-9", b"--resize", b"9"], typed)
    told = {i["rule"]: i for i in json.loads(run("lint", data, *common, "--json").stdout)}
    check("lint as JSON", type_command(told["large_images"]["command"]) == typed, told)
    run("train", data, *common, "--explain", "--eager")
    going = subprocess.Popen([stoker, "train", data, *common, "--epochs", "100000", "-o", b"i" + name], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.time() + 60
    while not os.path.exists(os.path.join(os.fsencode(folder), b"i" + name, b"metrics.csv")) and time.time() < deadline: time.sleep(0.05)
    time.sleep(0.2)
    going.send_signal(signal.SIGINT)
    said = going.communicate(timeout=60)[1]
    check_harmless("an interrupted run", said)
    check("resume", type_command(find(r"go on with: (stoker .*)\n", said)) == [b"train", b"--resume", b"i" + name], said)
    if name != SOFT.encode(): continue
    run("eval", out, "--details", code=2)
    run("eval", out, data, "--confusion", "matrix.png", "--mistakes", "worst.png")
    run("show", data, "-o", "sheet.png")
    run("predict", out, image, "--sheet", "predictions.png")
    page = open(os.path.join(os.fsencode(folder), out, b"report.html"), "rb").read()
    check("the page of the run", b"script>alert(1)" in page and b"<script>alert(1)" not in page)
    run("predict", out, b"missing" + name, code=1)

    # A profile may be anybody's.
    profile = json.loads((pathlib.Path(os.fsdecode(os.path.join(os.fsencode(folder), out))) / "profile.json").read_text())
    check("the command of the run", type_command(profile["run"]["command"].replace(stoker, "stoker"))[:2] == [b"train", data],
          profile["run"]["command"])
    profile["run"]["data"] = SOFT
    profile["run"]["model"] = "$(touch PWNED)\u001b[31m"
    hostile = folder / "hostile.json"
    hostile.write_text(json.dumps(profile))
    run("diagnose", "hostile.json")
    for fix in json.loads(run("diagnose", "hostile.json", "--json").stdout)["fixes"]:
        if not fix["command"].startswith("stoker"): continue
        typed = type_command(fix["command"])
        check("diagnose", b"./" + SOFT.encode() in typed or typed[0] == b"bench", typed)

    # What programs read is exact.
    told = json.loads(run("predict", out, image, "--json").stdout)
    rows = run("predict", out, image, "--csv", "-", harmless=False).stdout
    check("the name in CSV", EVIL.replace(b'"', b'""') in rows, rows)
    check("the class in JSON", class_name.decode() in (one["class"] for one in told[0]["top"]), told)

check("something ran", not list(work.glob("**/PWNED")))
sys.exit(bool(problems))
PYTHON
finish
