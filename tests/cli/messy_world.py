#!/usr/bin/env python3
"""messy_world.py BUILD [--keep FOLDER] [--full]: images as people have them.

Makes the same synthetic images twice: clean (PNG of one size, train/ and test/) and messy (every format, size and
channel count, EXIF orientation, names in any script, nested folders, links, hidden files, broken ones, banners,
thumbnails, a class of one image and one of none, splits of other names, duplicates between train and test). Runs pack,
inspect, lint, show, train, eval and predict on both, and wants that what was decided and left out is said, and that the
model of the messy world is as good as that of the clean one. --full learns longer and with what `stoker train` chooses.

A world of one's own is tried with the same commands; the classes here are patterns that fill the image, so that a scrap of
one, or a side turned down, is another class or none."""
import argparse
import io
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw

CLASSES = ("across — поперёк", "down 🦓", "middle ring", "squares")
LONE, EMPTY = "zz only one", "zzz nobody here"
TYPICAL = (46, 36)


def draw(kind, seed, size):
    """One image: the pattern is in parts of its sides, so that it is the same at any size and shape."""
    rng = random.Random(seed)
    width, height = size
    dark, bright = ([rng.randrange(lo, lo + 70) for _ in range(3)] for lo in (0, 160))
    if rng.random() < 0.5:
        dark, bright = bright, dark
    image = Image.new("RGB", size, tuple(dark))
    brush, parts = ImageDraw.Draw(image), rng.choice((5, 6, 7))
    cells = [(i, k) for i in range(parts) for k in range(parts)]
    wanted = {0: lambda i, k: k % 2, 1: lambda i, k: i % 2, 3: lambda i, k: (i + k) % 2}.get(kind)
    if wanted:
        for i, k in cells:
            if wanted(i, k):
                brush.rectangle((width * i // parts, height * k // parts, width * (i + 1) // parts - 1,
                                 height * (k + 1) // parts - 1), tuple(bright))
    else:
        brush.ellipse((width * 0.15, height * 0.15, width * 0.85, height * 0.85), tuple(bright))
        brush.ellipse((width * 0.38, height * 0.38, width * 0.62, height * 0.62), tuple(dark))
    noise = Image.effect_noise(size, 24).convert("RGB")
    return Image.blend(image, noise, 0.15)


def encode(image, form, **more):
    out = io.BytesIO()
    image.save(out, form, **more)
    return out.getvalue()


def turned(image, orientation):
    """Stored turned, with the EXIF tag that turns it back."""
    back = {3: Image.ROTATE_180, 6: Image.ROTATE_90, 8: Image.ROTATE_270}[orientation]
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encode(image.transpose(back), "JPEG", quality=92, exif=exif)


def deep_grey(image):
    values = [v * 257 for v in image.convert("L").getdata()]
    deep = Image.new("I", image.size)
    deep.putdata(values)
    return encode(deep.convert("I;16") if hasattr(deep, "convert") else deep, "PNG")


FORMS = [  # name's ending, how it is stored; GIF, BMP and TIFF may be read or be left out by name
    (".jpg", lambda i: encode(i, "JPEG", quality=92)),
    (".JPG", lambda i: encode(i, "JPEG", quality=85, progressive=True)),
    (".jpeg", lambda i: turned(i, 6)),
    (".png", lambda i: encode(i, "PNG")),
    (" copy (2).png", lambda i: encode(i.convert("RGBA"), "PNG")),
    (".PNG", lambda i: encode(i.convert("P"), "PNG")),
    (".webp", lambda i: encode(i, "WEBP", quality=90)),
    ("_grau.jpg", lambda i: encode(i.convert("L"), "JPEG", quality=92)),
    ("_la.png", lambda i: encode(i.convert("LA"), "PNG")),
    ("-cmyk.jpg", lambda i: encode(i.convert("CMYK"), "JPEG", quality=92)),
    (".really.png", lambda i: encode(i, "JPEG", quality=92)),  # a JPEG by content
    (".Jpe", lambda i: turned(i, 8)),
    ("16.png", deep_grey),
    (".bmp", lambda i: encode(i, "BMP")),
    (".gif", lambda i: encode(i, "GIF")),
    (".tif", lambda i: encode(i, "TIFF")),
]
NAMES = ["IMG_{0:04d}", "photo {0}", "Ärger und Öl {0}", "снимок-{0}", "写真{0}", "🐈‍⬛ {0}", "it's {0} % \"quoted\"", "-dash{0}",
         "a" * 120 + "{0}", "DSC{0:05d} (1)", "& co; $HOME {0}", "..dots..{0}"]


def shape_of(rng, number):
    """Mostly about as large as TYPICAL; thumbnails, photos and banners among them."""
    if number % 40 == 7:
        return rng.choice(((500, 50), (40, 400)))
    if number % 25 == 3:
        return (14, 11)
    if number % 30 == 11:
        return (900, 700)
    width, height = TYPICAL
    times = rng.uniform(0.8, 1.6)
    return max(8, int(width * times)), max(8, int(height * times * rng.uniform(0.8, 1.25)))


def make_clean(root, train, test):
    for split, count, first in (("train", train, 0), ("test", test, 10 ** 6)):
        for kind, name in enumerate(CLASSES):
            folder = root / split / name
            folder.mkdir(parents=True)
            for i in range(count):
                draw(kind, first + i * 7 + kind, TYPICAL).save(folder / f"{i:05d}.png")


def nested(rng, folder, number):
    below = rng.choice(("", "", "", "2019/summer holidays", "from anna/ümlaut"))
    (folder / below).mkdir(parents=True, exist_ok=True)
    return folder / below


def put_images(folder, kind, count, first, rng):
    for i in range(count):
        ending, store = FORMS[(i + kind) % len(FORMS)]
        name = NAMES[i % len(NAMES)].format(i) + ending
        image = draw(kind, first + i * 7 + kind, shape_of(rng, i))
        (nested(rng, folder, i) / name.replace("/", "-")).write_bytes(store(image))


def put_rubbish(folder, rng):
    """What lies around in folders of images."""
    jpeg = encode(draw(0, 5, (200, 150)), "JPEG", quality=90)
    for name, content in ((".DS_Store", b"\0\0\0\1Bud1"), ("Thumbs.db", b"\xd0\xcf\x11\xe0"), ("._IMG_0001.jpg", b"\0\5\26\7"),
                          ("desktop.ini", b"[.ShellClassInfo]"), ("notes.txt", "see me — später".encode()), ("labels.csv", b"a,b\n"),
                          ("empty.jpg", b""), ("page.jpg", b"<!DOCTYPE html><html>403"), ("cut off.jpg", jpeg[:len(jpeg) // 2]),
                          ("cut early.png", encode(draw(1, 6, (90, 90)), "PNG")[:60]), ("model.h5", b"\x89HDF"), ("clip.mp4", b"\0\0\0\x18ftyp")):
        (folder / name).write_bytes(content)
    hidden = folder / ".ipynb_checkpoints"
    hidden.mkdir()
    (hidden / "IMG_0001-checkpoint.jpg").write_bytes(jpeg)


def put_links(root, folder, other):
    first = sorted(p for p in other.rglob("*.png") if p.is_file())[0]
    os.symlink(os.path.relpath(first, folder), folder / "linked.png")
    outside = root.parent / "elsewhere"
    outside.mkdir()
    draw(1, 777, TYPICAL).save(outside / "x.png")
    os.symlink(outside, folder / "linked folder")
    os.symlink("nowhere.jpg", folder / "gone.jpg")


def make_messy(root, train, test):
    rng = random.Random(4)
    for split, count, first in (("Training", train, 0), ("dev", max(train // 6, 4), 5 * 10 ** 5), ("TESTING", test, 10 ** 6)):
        for kind, name in enumerate(CLASSES):
            folder = root / split / name
            folder.mkdir(parents=True)
            put_images(folder, kind, count, first, rng)
    training = root / "Training"
    put_rubbish(training / CLASSES[0], rng)
    put_links(root, training / CLASSES[1], training / CLASSES[1])
    (training / LONE).mkdir()
    draw(2, 99, (60, 60)).save(training / LONE / "the only one.png")
    (training / EMPTY).mkdir()
    (root / "__MACOSX" / "Training").mkdir(parents=True)
    (root / "__MACOSX" / "Training" / "._IMG_0001.jpg").write_bytes(b"\0\5\26\7")
    (root / "README.md").write_text("photos from everybody\n")
    (root / "for the model").mkdir()
    draw(3, 98, (60, 60)).save(root / "for the model" / "what is it.png")
    for i, path in enumerate(sorted((training / CLASSES[3]).rglob("*.jpg"))[:5]):  # leaked into the test
        (root / "TESTING" / CLASSES[3] / f"again {i}.jpg").write_bytes(path.read_bytes())


class World:
    """A folder of one's own to run commands in; what they say is kept to be asked for."""

    def __init__(self, stoker, folder, quiet):
        self.stoker, self.folder, self.quiet, self.failures = stoker, folder, quiet, []

    def run(self, *arguments, want=0):
        done = subprocess.run([self.stoker, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              errors="replace")
        if not self.quiet:
            print("$ stoker", *arguments)
            print((done.stderr + done.stdout).rstrip()[:6000], end="\n\n")
        if want is not None and done.returncode != want:
            self.fail(f"{' '.join(map(str, arguments))}: exit {done.returncode}, not {want}: {done.stderr.strip()[-400:]}")
        return done

    def fail(self, text):
        self.failures.append(text)
        print("FAILED:", text, file=sys.stderr)

    def expect(self, truth, text):
        if not truth:
            self.fail(text)


def pack(world):
    """A link to nothing may be left out or be refused by name; then it is taken away, as a person would."""
    done = world.run("pack", "messy", "packed", "--on-bad", "skip", want=None)
    if done.returncode and "gone.jpg" in done.stderr:
        (world.folder / "messy" / "Training" / CLASSES[1] / "gone.jpg").unlink()
        done = world.run("pack", "messy", "packed", "--on-bad", "skip")
    world.expect(done.returncode == 0, f"pack: {done.stderr.strip()[-400:]}")
    for text in ("bad images skipped", EMPTY, "such as for the model/"):
        world.expect(text in done.stdout, f"pack does not say '{text}'")


def accuracy(world, run, data):
    done = world.run("eval", run, data, "--threads", 1, "--json")
    return json.loads(done.stdout)["accuracy"] if done.returncode == 0 else 0.0


def learn(world, data, out, how):
    return world.run("train", data, *how, "--on-bad", "skip", "-o", out)


def expect_said(world, said, what):
    """What a beginner must be told of the messy world before it is learnt from."""
    for text in ("(Training)", "to validate on (dev)", "(TESTING)", "looked at: most about", "are grey; they are used as colour images",
                 "cannot be read", "very different sizes", "times as long as broad", LONE,
                 EMPTY, "left out, such as for the model/", "images could not be read and were left out"):
        world.expect(text in said, f"{what} does not say '{text}'")


def compare(world, test, how, count):
    """Both models on the same clean images."""
    learn(world, "clean", "clean-run", [*how, "--validation", "none"])
    messy = learn(world, "messy", "messy-run", how)
    expect_said(world, messy.stderr + messy.stdout, "train")
    clean_right, messy_right = accuracy(world, "clean-run", test), accuracy(world, "messy-run", test)
    noise = 0.03 + 3 * math.sqrt(2 * max(clean_right * (1 - clean_right), 0.01) / count)  # of seeds, and of the draw
    print(f"of {count} clean test images: clean {clean_right:.3f}, messy {messy_right:.3f} (noise {noise:.3f})")
    world.expect(clean_right > 0.6, "the clean set was not learnt, so nothing is shown")
    world.expect(messy_right > clean_right - noise, "the messy world is learnt worse than the clean set")
    packed = learn(world, "packed", "packed-run", how)
    world.expect("looked at: most about" in packed.stderr, "train does not say what a pack is like")
    world.expect(accuracy(world, "packed-run", test) > clean_right - noise, "the pack of the messy world is learnt worse")


def use(world, test):
    world.run("predict", "messy-run", "messy/TESTING", "--threads", 1, "--sheet", "sheet.png", "--top", 1, want=None)
    some = world.run("predict", "messy-run", f"clean/{test}", "--threads", 1, "--json")
    if some.returncode == 0:
        told = json.loads(some.stdout)
        world.expect(sum(p["right"] for p in told) > 0.5 * len(told), "predict is wrong about what it learnt")
    world.run("inspect", "messy", want=None)
    world.run("inspect", "packed")
    world.run("lint", "messy", "--model", "resnet8", want=None)
    world.run("show", "messy", "--on-bad", "skip", "-o", "seen.png", want=None)
    world.run("show", "packed", "-o", "seen-packed.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--keep", help="make the world here and leave it")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--make-only", action="store_true", help="make the world and run nothing; with --keep")
    given = parser.parse_args()
    train, test = (160, 60) if given.full else (48, 24)
    how = ["--threads", 1] if given.full else ["--model", "cnn", "--epochs", 10, "--batch", 16, "--threads", 1]
    with tempfile.TemporaryDirectory() as spare:
        folder = pathlib.Path(given.keep or spare)
        folder.mkdir(parents=True, exist_ok=True)
        make_clean(folder / "clean", train, test)
        make_messy(folder / "messy", train, test)
        if given.make_only:
            return 0
        world = World(os.path.abspath(f"{given.build}/stoker"), folder, quiet=not given.full)
        pack(world)
        compare(world, "clean/test", how, 4 * test)
        use(world, "test")
        print(f"{len(world.failures)} failed" if world.failures else "all as expected")
        return 1 if world.failures else 0


sys.exit(main())
