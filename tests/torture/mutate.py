"""Damage to files, by chance but repeatable: what disks, editors, sync programs and attackers do."""
import os
import random
import re
import shutil

NUMBERS = [b"99999999999999999999", b"-1", b"0", b"4294967296", b"9223372036854775807", b"1e308", b"NaN", b"1e-400",
           b"18446744073709551615", b"2147483648"]
BYTES = [b"\0", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\"", b"{", b"]", b"\x1b[2J", b"%s%n", b"../../../../etc/passwd"]


def flip(rng, data):
    for _ in range(rng.choice([1, 1, 3, 20])):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def truncate(rng, data):
    del data[rng.randrange(len(data) + 1):]


def append(rng, data):
    data += rng.randbytes(rng.choice([1, 16, 4096]))


def garbage(rng, data):
    data[:] = rng.randbytes(rng.choice([0, 1, 8, 100, 5000]))


def zero_range(rng, data):
    if data:
        at = rng.randrange(len(data))
        size = rng.choice([8, 64, 4096])
        data[at:at + size] = bytes(min(size, len(data) - at))


def copy_range(rng, data):
    if data:
        at, to, size = rng.randrange(len(data)), rng.randrange(len(data)), rng.choice([4, 64, 1000])
        data[to:to] = data[at:at + size]


def drop_range(rng, data):
    if data:
        at = rng.randrange(len(data))
        del data[at:at + rng.choice([1, 8, 300])]


def number(rng, data):
    found = list(re.finditer(rb"-?\d+(\.\d+)?(e[-+]?\d+)?", bytes(data[:200000])))
    if found:
        one = rng.choice(found)
        data[one.start():one.end()] = rng.choice(NUMBERS)


def word(rng, data):
    found = list(re.finditer(rb"[A-Za-z_]{2,}", bytes(data[:200000])))
    if found:
        one, other = rng.choice(found), rng.choice(found)
        data[one.start():one.end()] = other.group()


def nest(rng, data):
    depth, pair = rng.choice([100, 3000, 50000]), rng.choice([b"[", b"{\"a\":", b"- ", b"{a: "])
    at = rng.randrange(len(data) + 1)
    data[at:at] = pair * depth


def bytes_in(rng, data):
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice(BYTES)


def length(rng, data):
    """A length as binary formats have them, too large."""
    if len(data) >= 8:
        at = rng.choice([0, 0, rng.randrange(len(data) - 7)])
        data[at:at + 8] = rng.choice([1 << 63, 1 << 40, 1 << 31, (1 << 64) - 1, 0, len(data)]).to_bytes(8, "little")


def lines(rng, data):
    all_lines = bytes(data).split(b"\n")
    i, j = rng.randrange(len(all_lines)), rng.randrange(len(all_lines))
    all_lines[i], all_lines[j] = all_lines[j], all_lines[rng.choice([i, j])]
    data[:] = b"\n".join(all_lines)


CONTENT = [flip, flip, flip, truncate, append, garbage, zero_range, copy_range, drop_range, number, number, word, nest,
           bytes_in, length, lines]


def change(rng, path):
    data = bytearray(path.read_bytes())
    how = rng.choice(CONTENT)
    how(rng, data)
    path.write_bytes(data)
    return how.__name__


def delete(rng, path):
    path.unlink()


def become_folder(rng, path):
    path.unlink()
    path.mkdir()


def become_link(rng, path):
    path.unlink()
    path.symlink_to(rng.choice([path.name, "nowhere", "/dev/zero", "/dev/null", "/etc/passwd", "/", "..", "/proc/self/mem"]))


def become_pipe(rng, path):
    path.unlink()
    os.mkfifo(path)


def become_empty(rng, path):
    path.write_bytes(b"")


WHOLE = [delete, become_folder, become_link, become_pipe, become_empty]


def swap(rng, files):
    one, other = rng.choice(files), rng.choice(files)
    if one != other:
        data = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(data)
    return one, other


def plain_files(root):
    return [p for p in sorted(root.rglob("*")) if p.is_file() and not p.is_symlink()]


def mutate(rng, root, wanted):
    """Damages one to three of the files below root that wanted(path) takes. Returns (how, path) of each."""
    done = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        files = [p for p in plain_files(root) if wanted(p)]
        if not files:
            break
        draw = rng.random()
        path = rng.choice(files)
        if draw < 0.8:
            done.append((change(rng, path), path))
        elif draw < 0.93:
            how = rng.choice(WHOLE)
            how(rng, path)
            done.append((how.__name__, path))
        else:
            done += [("swap", p) for p in swap(rng, files)]
    return done


def copy(source, target):
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
