"""Who computes cuBLASLt's products where the backend has no hipBLASLt, AMD's own, or the CPU's: what cannot be computed is
refused, and nothing is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = """
import ctypes, json, sys
import numpy as np
folder, major = sys.argv[1:]
lt = ctypes.CDLL(f"{folder}/libcublasLt.so.{major}")
void, i32, i64, u64, size = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_size_t
handle = void()
assert lt.cublasLtCreate(ctypes.byref(handle)) == 0
N = 32
def layout(kind, order=0, ld=N):
    made = void()
    assert lt.cublasLtMatrixLayoutCreate(ctypes.byref(made), kind, u64(N), u64(N), i64(ld)) == 0
    variable = i32(order)
    lt.cublasLtMatrixLayoutSetAttribute(made, 1, ctypes.byref(variable), size(4))
    return made
def at(array): return void(array.ctypes.data)
def product(compute, kind, epilogue=1, mode=0, wide=None):
    dtype = {0: np.float32, 3: np.int8}[kind]
    a, d = np.ones((N, N), dtype), np.full((N, N), 77, dtype)
    room = np.zeros(1 << 16, np.float32)
    desc = void()
    assert lt.cublasLtMatmulDescCreate(ctypes.byref(desc), compute, 0) == 0
    for number, value in ((2, i32(mode)), (7, i32(epilogue)), (8, u64(room.ctypes.data)), (11, u64(room.ctypes.data)), (12, i64(128))):
        assert lt.cublasLtMatmulDescSetAttribute(desc, number, ctypes.byref(value), size(ctypes.sizeof(value))) == 0
    factors = np.array([2, 0], np.float32)
    l = layout(kind)
    status = lt.cublasLtMatmul(handle, desc, at(factors), at(a), l, at(a), l, void(factors.ctypes.data + 4), at(d), l, at(d), l,
                               None, None, size(0), None)
    return [status, bool((d == 77).all()), float(d[0, 0])]
def transform(order):
    a, c = np.arange(N * N, dtype=np.int8), np.full(N * N, 77, np.int8)
    desc, one = void(), np.array([1], np.float32)
    assert lt.cublasLtMatrixTransformDescCreate(ctypes.byref(desc), 0) == 0
    to = layout(3, order, 32 * N if order > 1 else N)
    status = lt.cublasLtMatrixTransform(handle, desc, at(one), at(a), layout(3), None, None, None, at(c), to, None)
    return [status, bool((c == 77).all()), int(c[1])]
print(json.dumps({
    "plain": product(68, 0), "plain, factors on the device": product(68, 0, mode=1), "bias": product(68, 0, 4),
    "bias, factors on the device": product(68, 0, 4, 1), "mask": product(68, 0, 130), "bytes": product(72, 3),
    "by rows": transform(1), "by tiles": transform(2)}))
assert lt.cublasLtDestroy(handle) == 0
"""
OURS = (b"hipblasLtDragomanProduct", b"hipblasLtDragomanTransform")
REFUSED, DONE = [15, True], [0, False]
COMPUTED = {
    "cpu": {
        "plain",
        "plain, factors on the device",
        "bias",
        "bias, factors on the device",
        "mask",
        "bytes",
        "by rows",
        "by tiles",
    },
    "amd": {"plain", "plain, factors on the device", "bias", "by rows"},
    "none": {"plain", "plain, factors on the device"},
}


@pytest.mark.parametrize("backend", list(COMPUTED))
def test_what_has_no_way_is_refused(folder: Path, tmp_path: Path, backend: str) -> None:
    """`amd`: the CPU's hipBLASLt without what is our own, so with AMD's functions and AMD's bounds alone."""
    for library in (folder.parent / "cpu").iterdir():
        if library.name != "libhipblaslt.so.1" or backend == "cpu":
            (tmp_path / library.name).symlink_to(library)
        elif backend == "amd":
            text = library.read_bytes()
            for name in OURS:
                assert name in text
                text = text.replace(name, name[:-1] + b"X")
            (tmp_path / library.name).write_bytes(text)
    major = folder.name.removeprefix("cuda")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), major],
        capture_output=True,
        text=True,
        env={**os.environ, "DRAGOMAN_BACKEND": str(tmp_path)},
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers = json.loads(done.stdout)
    assert {name: found[:2] for name, found in answers.items()} == {
        name: DONE if name in COMPUTED[backend] else REFUSED for name in answers
    }
    assert answers["plain"][2] == answers["plain, factors on the device"][2] == 64
