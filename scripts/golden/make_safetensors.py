#!/usr/bin/env python3
"""Writes small safetensors files with the safetensors package, as the reference for the reader.

    python make_safetensors.py tests/data/safetensors
"""
import ctypes
import pathlib
import sys

import safetensors
from safetensors import TensorSpec, serialize

TYPES = [("bool", 1), ("uint8", 1), ("int8", 1), ("int32", 4), ("int64", 8), ("float16", 2),
         ("bfloat16", 2), ("float32", 4), ("float64", 8)]


def data(index, size):
    """The bytes that tests/storage/test_safetensors_golden.c expects."""
    return bytes((index * 31 + i * 7) & 1 if index == 0 else (index * 31 + i * 7) & 0xFF
                 for i in range(size))


def written(tensors, texts):
    """tensors: name to (type, shape, bytes)."""
    kept = {name: ctypes.create_string_buffer(content, max(len(content), 1))
            for name, (_, _, content) in tensors.items()}
    return serialize({name: TensorSpec(dtype=dtype, shape=shape, data_len=len(content),
                                       data_ptr=ctypes.addressof(kept[name]))
                      for name, (dtype, shape, content) in tensors.items()}, texts)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"of/{name}": (name, [3, i + 1], data(i, 3 * (i + 1) * size))
               for i, (name, size) in enumerate(TYPES)}
    (folder / "types.safetensors").write_bytes(written(tensors, None))
    shapes = {
        "scalar": ("float32", [], data(1, 4)),
        "no \"elements\"": ("float32", [2, 0, 3], b""),
        "gr\u00f6\u00dfe": ("int64", [1, 1, 2, 1], data(2, 16)),
    }
    texts = {"format": "pt", "a \"quoted\" key": "line\nbreak, \u4e2d\u6587"}
    (folder / "shapes.safetensors").write_bytes(written(shapes, texts))
    (folder / "nothing.safetensors").write_bytes(written({}, None))
    print("safetensors", safetensors.__version__)


if __name__ == "__main__":
    main()
