"""scikit-cuda's bindings over the libraries on the loader's path: whole numbers, so that every result is exact."""

from __future__ import annotations

import atexit
import ctypes

import numpy as np
from skcuda import cublas, cudart


def to_device(array: np.ndarray) -> int:
    pointer = cudart.cudaMalloc(array.nbytes)
    address = pointer.value if isinstance(pointer, ctypes.c_void_p) else int(pointer)
    cudart.cudaMemcpy_htod(address, array.ctypes.data, array.nbytes)
    return address


def to_host(address: int, like: np.ndarray) -> np.ndarray:
    found = np.empty_like(like)
    cudart.cudaMemcpy_dtoh(found.ctypes.data, address, found.nbytes)
    return found


handle = cublas.cublasCreate()
atexit.register(cublas.cublasDestroy, handle)  # as its own users do: at the very end
random = np.random.default_rng(1)

for letter, dtype in (("S", np.float32), ("D", np.float64), ("C", np.complex64), ("Z", np.complex128)):
    gemm = getattr(cublas, f"cublas{letter}gemm")
    draw = lambda *shape, d=dtype: np.asfortranarray(random.integers(-5, 6, shape).astype(d))  # noqa: E731
    a, b, c = draw(4, 3), draw(5, 3), draw(4, 5)
    if letter in "CZ":
        a, b = a * (1 + 2j), b * (2 - 1j)
        a, b = np.asfortranarray(a.astype(dtype)), np.asfortranarray(b.astype(dtype))
    da, db, dc = to_device(a), to_device(b), to_device(c)
    gemm(handle, "n", "c", 4, 5, 3, dtype(2), da, 4, db, 5, dtype(-1), dc, 4)
    np.testing.assert_array_equal(to_host(dc, c), 2 * a @ b.conj().T - c)
    for pointer in (da, db, dc):
        cudart.cudaFree(ctypes.c_void_p(pointer))

x, y = np.arange(8, dtype=np.float32), np.full(8, 2, np.float32)
dx, dy = to_device(x), to_device(y)
assert cublas.cublasSdot(handle, 8, dx, 1, dy, 1) == 56
assert cublas.cublasSasum(handle, 8, dx, 1) == 28
assert cublas.cublasIsamax(handle, 8, dx, 1) == 7  # it counts from 0
cublas.cublasSaxpy(handle, 8, np.float32(3), dx, 1, dy, 1)
np.testing.assert_array_equal(to_host(dy, y), 2 + 3 * x)
cublas.cublasSscal(handle, 4, np.float32(-1), dx, 2)
assert list(to_host(dx, x)) == [0, 1, -2, 3, -4, 5, -6, 7]

for call in (lambda: cublas.cublasSscal(handle, 4, np.float32(1), dx, -1), lambda: cublas.cublasSetStream(handle, 0)):
    call()
try:
    cublas.cublasSgemm(handle, "n", "n", -1, 1, 1, np.float32(1), dx, 1, dx, 1, np.float32(0), dy, 1)
except cublas.cublasInvalidValue:
    print("done", cublas.cublasGetVersion(handle))
