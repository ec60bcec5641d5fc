"""A child of test_batches.py: batches of which threads share the members, and the same members one call each.

    OPENBLAS_NUM_THREADS=4 python batches.py LIBROCBLAS LIBROCSOLVER

Prints JSON: what differs, how many threads the calls started, and how many the two libraries may start."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

COUNT, N = 300, 24
NONE, UPPER, NON_UNIT, LEFT = 111, 121, 131, 141
F32, BF16 = 151, 168
Array = np.ndarray[Any, Any]
random = np.random.default_rng(7)
rocblas, rocsolver = (ctypes.CDLL(path) for path in sys.argv[1:])
openblas = ctypes.CDLL(os.path.join(os.path.dirname(sys.argv[1]), "libscipy_openblas64_.so"))
handle = ctypes.c_void_p()
assert rocblas.rocblas_create_handle(ctypes.byref(handle)) == 0
wrong: list[str] = []


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def drawn(dtype: Any, *shape: int) -> Array:
    array = random.standard_normal((COUNT, *shape))
    if np.dtype(dtype).kind == "c":
        array = array + 1j * random.standard_normal((COUNT, *shape))
    return (array + (COUNT * np.eye(*shape) if len(shape) > 1 else 0)).astype(dtype)


def pointers(array: Array, first: int, count: int) -> Array:
    return array.ctypes.data + array.strides[0] * np.arange(first, first + count, dtype=np.uint64)


def plain(value: Any) -> Any:
    """Arrays of addresses and factors by pointer, numbers of 64 bits where rocBLAS has a stride."""
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return value


def compare(name: str, written: Sequence[Array], call: Any) -> None:
    """`call(arrays, first, count)` computes some members of copies of `written`; all at once must be as one by one."""
    together, apart = ([a.copy() for a in written] for _ in range(2))
    given = openblas.scipy_openblas_get_num_threads64_()
    assert call(together, 0, COUNT) == 0, name
    if openblas.scipy_openblas_get_num_threads64_() != given:
        wrong.append(f"{name}: OpenBLAS is left with another number of threads")
    openblas.scipy_openblas_set_num_threads64_(1)
    for i in range(COUNT):
        assert call(apart, i, 1) == 0, name
    openblas.scipy_openblas_set_num_threads64_(given)
    wrong.extend(name for a, b in zip(together, apart, strict=True) if a.tobytes() != b.tobytes())
    wrong.extend(
        f"{name}: nothing is written" for a, b in zip(together, written, strict=True) if a.tobytes() == b.tobytes()
    )


def strided(letter: str, dtype: Any) -> None:
    a, b, c = (drawn(dtype, N, N) for _ in range(3))
    one = np.ones(1, dtype)
    step = ctypes.c_int64(N * N)
    f = getattr(rocblas, f"rocblas_{letter}gemm_strided_batched")
    compare(
        f"{letter}gemm_strided_batched", [c],
        lambda w, i, n: f(handle, NONE, NONE, N, N, N, plain(one), plain(a[i:]), N, step, plain(b[i:]), N, step, plain(one),
                          plain(w[0][i:]), N, step, n),
    )  # fmt: skip


def by_pointers(letter: str, dtype: Any) -> None:
    a, b, c = (drawn(dtype, N, N) for _ in range(3))
    x, y = drawn(dtype, N), drawn(dtype, N)
    factor = np.ones(1, dtype)
    one = plain(factor)

    def p(array: Array, i: int, n: int) -> Any:
        kept.append(pointers(array, i, n))
        return plain(kept[-1])

    kept: list[Array] = []
    gemm, gemv, trsm = (getattr(rocblas, f"rocblas_{letter}{n}_batched") for n in ("gemm", "gemv", "trsm"))
    compare(f"{letter}gemm_batched", [c], lambda w, i, n: gemm(
        handle, NONE, NONE, N, N, N, one, p(a, i, n), N, p(b, i, n), N, one, p(w[0], i, n), N, n))  # fmt: skip
    compare(f"{letter}gemv_batched", [y], lambda w, i, n: gemv(
        handle, NONE, N, N, one, p(a, i, n), N, p(x, i, n), 1, one, p(w[0], i, n), 1, n))  # fmt: skip
    compare(f"{letter}trsm_batched", [b], lambda w, i, n: trsm(
        handle, LEFT, UPPER, NONE, NON_UNIT, N, N, one, p(a, i, n), N, p(w[0], i, n), N, n))  # fmt: skip
    pivots, info = np.full((COUNT, N), -1, np.int32), np.full(COUNT, -1, np.int32)
    step = ctypes.c_int64(N)
    getrf, getri, getrs, geqrf, gels, plainly = (
        getattr(rocsolver, f"rocsolver_{letter}{n}_batched")
        for n in ("getrf", "getri_outofplace", "getrs", "geqrf_ptr", "gels", "getrf_npvt")
    )
    compare(f"{letter}getrf_batched", [a, pivots, info], lambda w, i, n: getrf(
        handle, N, N, p(w[0], i, n), N, plain(w[1][i:]), step, plain(w[2][i:]), n))  # fmt: skip
    compare(f"{letter}getrf_npvt_batched", [a, info], lambda w, i, n: plainly(
        handle, N, N, p(w[0], i, n), N, plain(w[1][i:]), n))  # fmt: skip
    lu = a.copy()
    assert getrf(handle, N, N, p(lu, 0, COUNT), N, plain(pivots), step, plain(info), COUNT) == 0
    compare(f"{letter}getri_outofplace_batched", [c, np.full(COUNT, -1, np.int32)], lambda w, i, n: getri(
        handle, N, p(lu, i, n), N, plain(pivots[i:]), step, p(w[0], i, n), N, plain(w[1][i:]), n))  # fmt: skip
    compare(f"{letter}getrs_batched", [b], lambda w, i, n: getrs(
        handle, NONE, N, N, p(lu, i, n), N, plain(pivots[i:]), step, p(w[0], i, n), N, n))  # fmt: skip
    compare(f"{letter}geqrf_ptr_batched", [a, y], lambda w, i, n: geqrf(
        handle, N, N, p(w[0], i, n), N, p(w[1], i, n), n))  # fmt: skip
    compare(f"{letter}gels_batched", [a, b, np.full(COUNT, -1, np.int32)], lambda w, i, n: gels(
        handle, NONE, N, N, N, p(w[0], i, n), N, p(w[1], i, n), N, plain(w[2][i:]), n))  # fmt: skip


def by_types() -> None:
    """gemm_batched_ex and its strided form, of bfloat16 into float."""
    a, b = (drawn(np.float32, N, N).view(np.uint16)[:, :, 1::2].copy() for _ in range(2))
    c, factor = drawn(np.float32, N, N), np.ones(1, np.float32)
    one = plain(factor)
    kept: list[Array] = []

    def p(array: Array, i: int, n: int) -> Any:
        kept.append(pointers(array, i, n))
        return plain(kept[-1])

    step = ctypes.c_int64(N * N)
    compare("gemm_batched_ex", [c], lambda w, i, n: rocblas.rocblas_gemm_batched_ex(
        handle, NONE, NONE, N, N, N, one, p(a, i, n), BF16, N, p(b, i, n), BF16, N, one, p(w[0], i, n), F32, N, p(w[0], i, n),
        F32, N, n, F32, 0, 0, 0))  # fmt: skip
    compare("gemm_strided_batched_ex", [c], lambda w, i, n: rocblas.rocblas_gemm_strided_batched_ex(
        handle, NONE, NONE, N, N, N, one, plain(a[i:]), BF16, N, step, plain(b[i:]), BF16, N, step, one, plain(w[0][i:]), F32,
        N, step, plain(w[0][i:]), F32, N, step, n, F32, 0, 0, 0))  # fmt: skip


before = threads()
for name, kind in (("s", np.float32), ("d", np.float64), ("c", np.complex64), ("z", np.complex128)):
    strided(name, kind)
    by_pointers(name, kind)
strided("h", np.float16)
by_types()
own = openblas.scipy_openblas_get_num_threads64_()  # no more than the machine has processors
print(json.dumps({"wrong": wrong, "workers": threads() - before, "expected": 2 * (own - 1)}))
