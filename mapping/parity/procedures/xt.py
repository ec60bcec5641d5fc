"""cuBLASXt's handles: which devices compute, how matrices are cut, what is kept for later, and that products stay right."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .registry import procedure
from .trial import (
    ALLOC_FAILED,
    INTERNAL_ERROR,
    INVALID_VALUE,
    NOT_INITIALIZED,
    NOT_SUPPORTED,
    SUCCESS,
    Trial,
    WrongError,
)

_TILE = 1024  # a new handle's
_MOST_BOARDS = 1024
_HERMITIAN = (2, 4, 7, 10)  # herk, hemm, her2k, herkx
_GEMM, _ROUTINES, _TYPES = 0, 12, 4  # cublasXtBlasOp_t and cublasXtOpType_t


@contextmanager
def _handle(t: Trial, selected: bool = True) -> Iterator[int]:
    made = t.get("cublasXtCreate", kind=ctypes.c_void_p)
    try:
        if selected:
            t.done("cublasXtDeviceSelect", made, 1, _ints(t, 0))
        yield made
    finally:
        t.call("cublasXtDestroy", made)


def _ints(t: Trial, *values: int) -> int:
    made = (ctypes.c_int * len(values))(*values)
    t.kept.append(made)
    return ctypes.addressof(made)


def _multiplies(t: Trial, handle: int, status: int = 0) -> None:
    """C ← A·B on the host over small whole numbers, exact in any order; a refused call leaves C alone."""
    m, n, k = (int(t.rng.integers(1, 40)) for _ in range(3))
    a, b = (t.rng.integers(-9, 10, shape).astype(np.float64, order="F") for shape in ((m, k), (k, n)))
    c = np.full((m, n), 77.0, order="F")
    wanted = c.copy() if status else (a[:, :, None] * b).sum(axis=1)
    scalars = (ctypes.c_double * 2)(1, 0)
    one, zero = ctypes.addressof(scalars), ctypes.addressof(scalars) + 8
    t.gives(
        status, "cublasXtDgemm",
        handle, 0, 0, m, n, k, one, a.ctypes.data, m, b.ctypes.data, k, zero, c.ctypes.data, m,
    )  # fmt: skip
    t.same("C after cublasXtDgemm", c.ravel(order="F"), wanted.ravel(order="F"))


def _select_missing(t: Trial, handle: int) -> None:
    bad = t.one_of(((12345,), (-1,), (0, 12345)))
    t.gives(INTERNAL_ERROR, "cublasXtDeviceSelect", handle, len(bad), _ints(t, *bad))


@procedure("cublasXtCreate", "cublasXtDestroy", "cublasXtDeviceSelect")
def handles(t: Trial) -> None:
    """Several at once, gone in any order; without a device nobody computes, and devices are chosen once."""
    t.gives(INVALID_VALUE, "cublasXtCreate", 0)
    t.gives(INVALID_VALUE, "cublasXtDestroy", 0)
    t.gives(INVALID_VALUE, "cublasXtDeviceSelect", 0, 1, _ints(t, 0))
    with _handle(t, selected=False) as spoilt:
        _select_missing(t, spoilt)
    alive: list[int] = []
    try:
        for _ in range(6):
            if alive and t.chance(0.4):
                gone = alive.pop(int(t.rng.integers(len(alive))))
                t.done("cublasXtDestroy", gone)
                if not t.bench.nvidia:  # NVIDIA's reads what it has freed
                    t.gives(NOT_INITIALIZED, "cublasXtDestroy", gone)
                    t.gives(NOT_INITIALIZED, "cublasXtSetBlockDim", gone, 100)
                continue
            made = t.get("cublasXtCreate", kind=ctypes.c_void_p)
            if not made or made in alive:
                raise WrongError("cublasXtCreate gives the handle of another, or none")
            alive.append(made)
            _multiplies(t, made, NOT_INITIALIZED)
            t.gives(INVALID_VALUE, "cublasXtDeviceSelect", made, 0, _ints(t, 0))
            t.gives(INVALID_VALUE, "cublasXtDeviceSelect", made, 1, 0)
            if not t.bench.nvidia:  # whose handle is of no more use after a device that is not there
                _select_missing(t, made)
            t.done("cublasXtDeviceSelect", made, 1, _ints(t, 0))
            for again in (0, 12345):
                t.gives(INVALID_VALUE, "cublasXtDeviceSelect", made, 1, _ints(t, again))
            t.equal("the tiles of a new handle", t.get("cublasXtGetBlockDim", made), _TILE)
            t.done("cublasXtSetBlockDim", made, 64)  # must not be there in the next
            for handle in alive:
                _multiplies(t, handle)
    finally:
        for handle in alive:
            t.call("cublasXtDestroy", handle)


@procedure("cublasXtSetBlockDim", "cublasXtGetBlockDim", share=0.5)
def tiles(t: Trial) -> None:
    """Tiles are as told, of each handle by itself; however small they are, the product is the same."""
    with _handle(t) as handle, _handle(t) as other:
        t.equal("the tiles of a new handle", t.get("cublasXtGetBlockDim", handle), _TILE)
        for _ in range(3):
            order = t.one_of((1, 3, 16, 1000))
            t.done("cublasXtSetBlockDim", handle, order)
            for bad in (0, -1):
                t.gives(INVALID_VALUE, "cublasXtSetBlockDim", handle, bad)
            t.equal("the tiles", t.get("cublasXtGetBlockDim", handle), order)
            _multiplies(t, handle)
        t.gives(INVALID_VALUE, "cublasXtGetBlockDim", handle, 0)
        t.equal("the tiles of another handle", t.get("cublasXtGetBlockDim", other), _TILE)
    t.gives(INVALID_VALUE, "cublasXtSetBlockDim", 0, 64)


@procedure("cublasXtSetPinningMemMode", "cublasXtGetPinningMemMode", share=0.5)
def pinning(t: Trial) -> None:
    with _handle(t) as handle, _handle(t) as other:
        t.equal("the pinning of a new handle", t.get("cublasXtGetPinningMemMode", handle), 0)
        for _ in range(3):
            mode = t.one_of((0, 1))
            t.done("cublasXtSetPinningMemMode", handle, mode)
            for bad in (2, -1):
                t.gives(INVALID_VALUE, "cublasXtSetPinningMemMode", handle, bad)
            t.equal("the pinning", t.get("cublasXtGetPinningMemMode", handle), mode)
            _multiplies(t, handle)
        t.gives(INVALID_VALUE, "cublasXtGetPinningMemMode", handle, 0)
        t.equal("the pinning of another handle", t.get("cublasXtGetPinningMemMode", other), 0)
    t.gives(INVALID_VALUE, "cublasXtSetPinningMemMode", 0, 0)


@procedure("cublasXtSetCpuRoutine", "cublasXtSetCpuRatio", share=0.5)
def host_share(t: Trial) -> None:
    """gemm and the Hermitian routines may be shared with the host, in any proportion; the product stays the same."""
    with _handle(t) as handle:
        routine, share = _ints(t, 0), t.one_of((0.0, 0.25, 1.0, 1.5, -0.5, float("nan")))
        for kind in range(_TYPES):
            for operation in range(_ROUTINES):
                taken = operation == _GEMM or (operation in _HERMITIAN and kind >= _TYPES // 2)
                status = SUCCESS if taken else NOT_SUPPORTED
                t.gives(status, "cublasXtSetCpuRatio", handle, operation, kind, share)
                if not (t.bench.nvidia and taken):  # which would call the routine
                    t.gives(status, "cublasXtSetCpuRoutine", handle, operation, kind, routine)
        for operation, kind in ((_ROUTINES, 0), (-1, 0), (_GEMM, _TYPES), (_GEMM, -1)):
            t.gives(INVALID_VALUE, "cublasXtSetCpuRoutine", handle, operation, kind, routine)
            t.gives(INVALID_VALUE, "cublasXtSetCpuRatio", handle, operation, kind, share)
        _multiplies(t, handle)
    t.gives(INVALID_VALUE, "cublasXtSetCpuRatio", 0, _GEMM, 0, 0.5)


@procedure("cublasXtGetNumBoards", "cublasXtMaxBoards", share=0.2)
def boards(t: Trial) -> None:
    """A device named twice is one. NVIDIA's library adds to what the variable held, so it starts at 0 here."""
    t.equal("the most boards", t.get("cublasXtMaxBoards"), _MOST_BOARDS)
    found = ctypes.c_int(0)
    t.done("cublasXtGetNumBoards", 1, _ints(t, 0), ctypes.addressof(found))
    t.equal("the boards of one device", found.value, 1)
    for missing in (12345, -1):
        t.gives(INVALID_VALUE, "cublasXtGetNumBoards", 1, _ints(t, missing), ctypes.addressof(found))
    t.gives(ALLOC_FAILED, "cublasXtGetNumBoards", -1, _ints(t, 0), ctypes.addressof(found))
    t.equal("what a refused call leaves", found.value, 1)
    if t.bench.nvidia:
        return
    times = t.one_of((1, 2, 5))
    t.equal("the boards of one device", t.get("cublasXtGetNumBoards", times, _ints(t, *[0] * times)), 1)
    devices = t.get("cudaGetDeviceCount")
    t.equal("the boards", t.get("cublasXtGetNumBoards", devices, _ints(t, *range(devices))), devices)
    t.equal("the boards of no device", t.get("cublasXtGetNumBoards", 0, _ints(t, 0)), 0)
    t.gives(INVALID_VALUE, "cublasXtMaxBoards", 0)
    t.gives(INVALID_VALUE, "cublasXtGetNumBoards", 1, _ints(t, 0), 0)
    t.gives(INVALID_VALUE, "cublasXtGetNumBoards", 1, 0, ctypes.addressof(found))
