"""memory_ceiling.py STOKER FOLDER: makes data of every kind with items of megabytes and runs pipelines on it; no process
may have more resident memory than its ceiling and what any process of stoker takes."""
import gzip
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile

MB = 10**6
BASE_MB = 25  # code, libraries, stacks and what malloc keeps of small blocks; docs/pipeline.md tells it
TRAIN_BASE_MB = 60  # oneDNN and a small model besides
WIDTH, HEIGHT, FILES = 1000, 1000, 24  # 3 MB each

stoker, work = sys.argv[1], pathlib.Path(sys.argv[2]) / "memory"
failures = 0


def make_image(number):
    return b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + os.urandom(WIDTH) * (3 * HEIGHT)


def make_folder():
    for i in range(FILES):
        folder = work / "folder" / f"class{i % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i:03d}.ppm").write_bytes(make_image(i))
    return work / "folder"


def make_csv(folder):
    lines = ["image,label"] + [f"{p.relative_to(folder)},{p.parent.name}" for p in sorted(folder.rglob("*.ppm"))]
    (folder / "list.csv").write_text("\n".join(lines) + "\n")
    return folder / "list.csv"


def make_tar(folder):
    with tarfile.open(work / "archive.tar", "w") as tar:
        for p in sorted(folder.rglob("*.ppm")):
            tar.add(p, p.relative_to(folder))
    return work / "archive.tar"


def make_idx():
    folder = work / "idx"
    folder.mkdir()
    with open(folder / "train-images-idx3-ubyte", "wb") as out:
        out.write(struct.pack(">HBBIII", 0, 8, 3, FILES, 1500, 2000))
        for i in range(FILES):
            out.write(bytes([i]) * (1500 * 2000))
    (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">HBBI", 0, 8, 1, FILES) + bytes(i % 10 for i in range(FILES)))
    return folder


def make_text():
    with open(work / "lines.txt", "wb") as out:
        for i in range(FILES):
            out.write(b"%d" % i * MB + b"\n")
    return work / "lines.txt"


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def make_bomb():
    """Less than a megabyte that unpacks to one record of 200; its data's checksum nobody comes to see."""
    length = struct.pack("<Q", 200 * MB)
    with gzip.open(work / "bomb.tfrecord", "wb", compresslevel=1) as out:
        out.write(length + struct.pack("<I", masked_crc32c(length)))
        for _ in range(200):
            out.write(bytes(MB))
        out.write(bytes(4))
    return work / "bomb.tfrecord"


def described(records):
    """A folder that says that these are images with labels."""
    folder = work / "described"
    folder.mkdir()
    shutil.copy(records, folder / "described-train.tfrecord-00000-of-00001")
    for name in ("features.json", "label.labels.txt"):
        shutil.copy(work / "pack" / name, folder / name)
    (folder / "dataset_info.json").write_text('{"splits": [{"name": "train", "shardLengths": ["30"]}]}')
    return folder


def expect_too_long(what, *arguments, base=BASE_MB):
    global failures
    code, text = run(what, 40, *arguments, base=base)
    if code != 1 or "no memory to read record 0" not in text:
        print(f"FAILED: {what}: code {code}: {text[-400:]}")
        failures += 1


def run(what, ceiling, *arguments, base=BASE_MB):
    """The exit code and the text; the peak of its resident memory is the kernel's word."""
    global failures
    out = open(work / "out", "w+")
    child = subprocess.Popen([stoker, *map(str, arguments), "--memory-mb", str(ceiling)], stdout=out, stderr=out)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss * 1024 / MB
    out.seek(0)
    text = out.read()
    bad = peak > ceiling + base
    if bad or "-v" in sys.argv:
        print(f"{'FAILED: ' if bad else ''}{what}: {peak:.0f} MB under a ceiling of {ceiling}, code {child.returncode}")
    failures += bad
    return child.returncode, text


def expect_runs(what, ceiling, *arguments, base=BASE_MB):
    global failures
    code, text = run(what, ceiling, *arguments, base=base)
    if code:
        print(f"FAILED: {what}: code {code}: {text[-400:]}")
        failures += 1


def bench(what, path, ceiling, *more):
    for threads in (1, 4):
        expect_runs(f"{what}, {threads} threads", ceiling, "bench", "input", path, "-q", "-s", 30, "--threads", threads, *more)


def recipe(name, text):
    (work / f"{name}.yaml").write_text("data:\n" + "".join(f"  {line}\n" for line in text.splitlines()))
    return work / f"{name}.yaml"


def main():
    global failures
    work.mkdir()
    folder = make_folder()
    sources = {"folder": folder, "tar": make_tar(folder)}
    subprocess.run([stoker, "pack", folder, work / "pack", "-q", "--format", "keep", "--shard-mb", "10"], check=True, stdout=subprocess.DEVNULL)
    sources["pack"] = work / "pack"
    sources["csv"] = make_csv(folder)
    for name, path in sources.items():
        bench(f"{name}, plain", path, 40, "-n", 12, "-b", 2, "--shuffle", 0)
        # Records are shuffled in a buffer, which here holds them all.
        bench(f"{name}, shuffled images", path, 130 if name == "pack" else 60, "-n", 6, "-b", 4, "--preset", "imagenet")
    # What does not fit is thrown away before it is tried again: the heaps of two threads, one after the other.
    for form in ("range: 100000000\n- shuffle: 100000000", "slices: [[1, 2, 3]]\n- repeat\n- shuffle: {buffer: whole}"):
        code, text = run("small elements", 100, "bench", "input", recipe("small", "- " + form + "\n"), "-q", "-s", 30)
        if code != 1 or "the ceiling" not in text:
            print(f"FAILED: small elements: code {code}: {text[-400:]}")
            failures += 1
    # The files of this batch have 72 MB.
    bench("folder, a batch of all files", folder, 30, "-n", 1, "-b", FILES, "--preset", "imagenet")
    bench("idx, plain", make_idx(), 40, "-n", 12, "-b", 2, "--shuffle", 0)
    bench("text", recipe("text", f"- text: {make_text()}\n- batch: 2\n"), 40, "-n", 12)
    shards = f"{work}/pack/*.tfrecord*"
    bench("interleave", recipe("interleave", f"- files: '{shards}'\n- interleave: {{tfrecord, cycle: 4, parallel: 4}}\n- batch: 2\n"),
          40, "-n", 12)
    bench("shuffle and prefetch",
          recipe("shuffle", f"- files: '{shards}'\n- interleave: {{tfrecord, cycle: 2, parallel: auto}}\n"
                            "- shuffle: 4\n- prefetch: 20\n"), 40, "-n", 24)
    bench("read_file", recipe("read", f"- files: '{folder}/*/*.ppm'\n- map: {{read_file: {{}}, parallel: 8}}\n- batch: 2\n"), 40, "-n", 10)
    expect_runs("training", 60, "train", folder, "--trivial-model", "--epochs", 1, "--batch", 4, "--size", 64, "--input-threads", 4,
                "-o", work / "run", "-q", base=TRAIN_BASE_MB)
    # Finding out what a file is takes no more than reading it may.
    bomb = make_bomb()
    expect_too_long("one long record", "bench", "input", bomb, "-q", "-s", 30)
    expect_too_long("one long record of images", "bench", "input", bomb, "-q", "-s", 30, "--preset", "imagenet")
    expect_too_long("one long record to show", "show", bomb, "-o", work / "show.png", base=TRAIN_BASE_MB)
    expect_too_long("one long record to learn from", "train", described(bomb), "--model", "mlp", "-q", "-o", work / "none",
                    base=TRAIN_BASE_MB)
    # Too little: both numbers, and the file, at once.
    code, text = run("a file that does not fit", 2, "bench", "input", folder, "-q", "-s", 30, "--shuffle", 0)
    if code != 1 or "the ceiling is 2000000" not in text or "3000018 bytes asked" not in text or ".ppm" not in text:
        print(f"FAILED: a file that does not fit: code {code}: {text}")
        sys.exit(1)
    sys.exit(1 if failures else 0)


main()
