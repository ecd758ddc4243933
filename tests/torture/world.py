"""The small world that commands are tortured in: images, a pack, runs, traces; made once, then only read."""
import os
import pathlib
import random
import struct
import subprocess
import tarfile
import zlib

SEED = 3
TRAIN = ["--model", "mlp", "--width", "0.25", "--epochs", "2", "--batch", "8", "--threads", "1",
         "--checkpoint-every", "2", "--log-every", "1", "-q"]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def make_png(rng, side, colour):
    rows = b"".join(b"\0" + bytes(rng.randrange(60) + (180 if k == colour else 0)
                                  for _ in range(side) for k in range(3)) for _ in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def make_photos(root, classes=3, count=10, side=8):
    rng = random.Random(SEED)
    for c in range(classes):
        folder = root / f"class{c}"
        folder.mkdir(parents=True)
        for i in range(count):
            (folder / f"{c}_{i:03d}.png").write_bytes(make_png(rng, side, c))


def make_tar(photos, path):
    with tarfile.open(path, "w") as out:
        for file in sorted(photos.rglob("*.png")):
            info = tarfile.TarInfo(str(file.relative_to(photos)))
            info.size = file.stat().st_size
            with open(file, "rb") as data:
                out.addfile(info, data)


class World:
    """Paths of what was made. stoker is the command under test, faults the library to preload."""

    def __init__(self, build, folder, log=print):
        self.root = pathlib.Path(folder)
        self.build = pathlib.Path(build).resolve()
        self.stoker = str(self.build / "stoker")
        self.faults = str(self.build / "tests" / "libstoker_faults.so")
        self.emulator = self.build / "tests" / "libstoker_cuda_emulated.so"
        self.root.mkdir(parents=True, exist_ok=True)
        self.photos, self.packed = self.root / "photos", self.root / "packed"
        self.tar, self.run, self.killed = self.root / "photos.tar", self.root / "run", self.root / "killed"
        self.stopped = self.root / "stopped"
        self.traced, self.cache = self.root / "traced", self.root / "cache"
        # Nothing of the machine's own: choices that were kept, or plug-ins.
        self.env = {"STOKER_CACHE": str(self.root / "tuning"), "STOKER_PLUGIN_CUDA": "none",
                    "HOME": str(self.root)}
        self.log = log

    def make(self, killed):
        """killed: also a run that was killed, which needs the library to preload."""
        make_photos(self.photos)
        make_tar(self.photos, self.tar)
        self.command("pack", self.photos, self.packed, "--shard-mb", "0.003", "-q")
        self.command("train", self.packed, *TRAIN, "-o", self.run)
        self.command("train", self.packed, *TRAIN, "-o", self.traced, "--trace", "on")
        self.command("train", self.packed, *TRAIN, "-o", self.root / "cached", "--cache", "disk",
                     "--set", f"data.cache_folder={self.cache}")
        if killed:
            self.make_killed()

    def command(self, *argv):
        done = subprocess.run([self.stoker, *map(str, argv)], cwd=self.root, env=self.env_all(),
                              capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise SystemExit(f"torture: an undisturbed command fails: {' '.join(map(str, argv))}\n{done.stderr}")

    def env_all(self):
        return {**os.environ, **self.env}

    def make_killed(self):
        """A run that was killed while it wrote its second checkpoint's successor."""
        env = {**self.env_all(), "LD_PRELOAD": self.faults, "STK_FAULT": "rename:7:before",
               "STK_FAULT_BELOW": str(self.killed)}
        subprocess.run([self.stoker, "train", str(self.packed), *TRAIN, "-o", str(self.killed)], env=env,
                       cwd=self.root, capture_output=True, timeout=120)
        if not list(self.killed.glob("checkpoints/*.safetensors")) or (self.killed / "final.safetensors").exists():
            raise SystemExit("torture: a run could not be killed between its checkpoints")
