#!/usr/bin/env python3
"""Writes tests/data/tar: archives of each format Python's tarfile knows, with names of every length
that matters, and a WebDataset. Run from the repository's root."""
import io
import pathlib
import tarfile

OUT = pathlib.Path("tests/data/tar")
FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}


def add(tar, name, content, kind=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    info.type = kind
    info.mtime = 1700000000
    tar.addfile(info, io.BytesIO(content))


def names(limit):
    yield "photos/train/cat/1.jpg"
    yield "photos/train/dog/" + "n" * 79 + ".jpg"  # 100 characters: fills the field
    yield "photos/train/dog/" + "n" * 80 + ".jpg"
    yield "photos/test/cat/" + "/".join(["deep"] * 25) + "/1.jpg"
    if limit > 255:
        yield "photos/test/dog/" + "long" * 60 + ".jpg"
        yield "photos/test/dog/größe.jpg"


OUT.mkdir(parents=True, exist_ok=True)
for name, form in FORMATS.items():
    with tarfile.open(OUT / f"{name}.tar", "w", format=form) as tar:
        add(tar, "photos", b"", tarfile.DIRTYPE)
        for number, path in enumerate(names(255 if name == "ustar" else 4096)):
            add(tar, path, b"content %d" % number)
        add(tar, "photos/README.md", b"no image")
        add(tar, "photos/train/cat/notes", b"", tarfile.SYMTYPE)
for name, mode in (("web-train-000.tar", "w"), ("web-test-000.tar.gz", "w:gz")):
    with tarfile.open(OUT / name, mode, format=tarfile.USTAR_FORMAT) as tar:
        for number in range(3):
            add(tar, f"a/{number:04}.jpg", b"jpeg %d" % number)
            add(tar, f"a/{number:04}.cls", b"%d\n" % (number * 2))
            add(tar, f"a/{number:04}.seg.png", b"mask")
            add(tar, f"a/{number:04}.json", b"{}")
