# Shared by the scripts that test the command. Source it with the build folder as $1.
stoker=$1/stoker
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# Runs stoker with the rest of the arguments; keeps code, $work/out and $work/err.
run()
{
    code=0
    "$stoker" "$@" >"$work/out" 2>"$work/err" || code=$?
}

expect_code()
{
    [ "$code" = "$1" ] || fail "$2: exit code $code, expected $1: $(head -3 "$work/err")"
}

# expect_in FILE TEXT WHAT
expect_in()
{
    grep -qF -e "$2" "$1" || fail "$3: '$2' is not in: $(head -5 "$1")"
}

expect_not_in()
{
    ! grep -qF -e "$2" "$1" || fail "$3: '$2' is in: $(head -5 "$1")"
}

expect_empty()
{
    [ ! -s "$1" ] || fail "$2: expected nothing, got: $(head -5 "$1")"
}

# make_image_files FOLDER CLASSES COUNT: small files that are named like images, one folder a class.
make_image_files()
{
    python3 - "$@" <<'PYTHON'
import pathlib, sys
root, classes, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for c in range(classes):
    folder = root / f"class{c}"
    folder.mkdir(parents=True)
    for i in range(count):
        (folder / f"{i:05d}.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes([c, i % 251]) * (50 + i % 7))
PYTHON
}

# make_images FOLDER CLASSES COUNT WIDTH HEIGHT: PNGs that can be decoded, one folder a class.
make_images()
{
    python3 - "$@" <<'PYTHON'
import pathlib, struct, sys, zlib
root, classes, count, width, height = pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:])
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for c in range(classes):
    folder = root / f"class{c}"
    folder.mkdir(parents=True)
    for i in range(count):
        rows = b"".join(b"\0" + bytes((x * 5 + i * 31 + k * 90 + y * (c + 2)) % 256
                                      for x in range(width) for k in range(3)) for y in range(height))
        png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        png += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
        (folder / f"{c}_{i:03d}.png").write_bytes(png)
PYTHON
}

# make_colours FOLDER CLASSES COUNT SIDE: PNGs that can be learnt, each class with a colour of its own.
make_colours()
{
    python3 - "$@" <<'PYTHON'
import pathlib, random, struct, sys, zlib
root, classes, count, side = pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:])
random.seed(3)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for c in range(classes):
    folder = root / f"class{c}"
    folder.mkdir(parents=True)
    for i in range(count):
        rows = b"".join(b"\0" + bytes(random.randrange(60) + (180 if k == c % 3 else 0)
                                      for x in range(side) for k in range(3)) for y in range(side))
        png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
        png += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
        (folder / f"{c}_{i:03d}.png").write_bytes(png)
PYTHON
}

finish()
{
    if [ "$failures" != 0 ]; then
        echo "$failures failed" >&2
        exit 1
    fi
    echo "all as expected"
}
