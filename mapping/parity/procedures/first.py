"""The first API's own helpers: its one handle, its last error, its memory, its stream."""

from __future__ import annotations

import ctypes

import numpy as np

from .registry import procedure
from .trial import INVALID_VALUE, SUCCESS, Area, Trial, WrongError

ALLOC_FAILED = 3


def _works(t: Trial, area: Area) -> None:
    """A sum of products of whole numbers, returned by value."""
    x, y = area.before("x"), area.before("y")
    got = float(t.call("cublasSdot", len(x), area.at("x"), 1, area.at("y"), 1))
    t.equal("cublasGetError after cublasSdot", t.call("cublasGetError"), SUCCESS)
    t.equal("cublasSdot", got, float((x.astype(np.float64) * y).sum()))


def _operands(t: Trial) -> Area:
    return t.area(x=t.rng.integers(-9, 10, 11).astype(np.float32), y=t.rng.integers(-9, 10, 11).astype(np.float32))


@procedure("cublasInit", "cublasShutdown", share=0.3)
def once(t: Trial) -> None:
    """Made once, often or not at all, it works; also after the shutdown, as NVIDIA's does."""
    area = _operands(t)
    try:
        for _ in range(t.one_of((0, 1, 2, 3))):
            t.done("cublasInit")
        _works(t, area)
        for _ in range(t.one_of((1, 2))):
            t.done("cublasShutdown")
        if t.chance():
            t.done("cublasInit")
        _works(t, area)
    finally:
        t.call("cublasInit")
        t.call("cublasGetError")


@procedure("cublasGetError", share=0.3)
def last_error(t: Trial) -> None:
    """The error of the last call that failed, told once; calls that succeed in between do not hide it."""
    area = _operands(t)
    t.call("cublasInit")
    t.call("cublasGetError")
    for _ in range(3):
        if t.chance():
            x, y = area.at("x"), area.at("y")
            t.call("cublasSgemm", b"n", b"n", -1, 2, 2, 1.0, x, 2, x, 2, 0.0, y, 2)
            t.equal("cublasGetError after a wrong size", t.call("cublasGetError"), INVALID_VALUE)
        t.equal("cublasGetError, asked again,", t.call("cublasGetError"), SUCCESS)
        _works(t, area)
    area.must_be({})


@procedure("cublasAlloc", "cublasFree", share=0.5)
def memory(t: Trial) -> None:
    """Areas that are alive at once hold what was written into each; what is freed is memory no more."""
    t.done("cublasInit")
    blocks: list[tuple[int, np.ndarray[tuple[int], np.dtype[np.uint8]]]] = []
    try:
        for _ in range(t.one_of((1, 2, 5))):
            n, size = t.one_of((1, 3, 64, 1000)), t.one_of((1, 4, 12, 16))
            blocks.append((t.get("cublasAlloc", n, size, kind=ctypes.c_void_p), t.bytes(n * size)))
            if not blocks[-1][0]:
                raise WrongError(f"cublasAlloc({n}, {size}) succeeds and gives no memory")
        for address, content in blocks:
            t.done("cublasSetVector", content.size, 1, int(content.ctypes.data), 1, address, 1)
        t.rng.shuffle(blocks)
        while blocks:
            address, content = blocks.pop()
            back = np.zeros_like(content)
            t.done("cublasGetVector", content.size, 1, address, 1, int(back.ctypes.data), 1)
            t.same("memory of cublasAlloc", back, content)
            t.equal("what a pointer of cublasAlloc points at", _kind(t, address), 2)
            t.done("cublasFree", address)
            t.equal("what a pointer that was freed points at", _kind(t, address), 0)
    finally:
        for address, _ in blocks:
            t.call("cublasFree", address)
    place = ctypes.c_void_p()
    for n, size in ((0, 4), (4, 0), (-1, 4), (4, -1)):
        t.gives(INVALID_VALUE, "cublasAlloc", n, size, ctypes.addressof(place))
    t.gives(ALLOC_FAILED, "cublasAlloc", (1 << 31) - 1, (1 << 31) - 1, ctypes.addressof(place))
    t.call("cudaGetLastError")
    t.done("cublasFree", 0)
    if not t.bench.nvidia:
        t.gives(INVALID_VALUE, "cublasAlloc", 4, 4, 0)
        if t.call("cublasFree", int(np.zeros(64, np.uint8).ctypes.data)) == SUCCESS:
            raise WrongError("cublasFree takes memory that is not the device's")


class _Attributes(ctypes.Structure):
    """cudaPointerAttributes begins so in each version; longer in some."""

    _fields_ = [("type", ctypes.c_int), ("device", ctypes.c_int), ("rest", ctypes.c_void_p * 10)]


def _kind(t: Trial, address: int) -> int:
    """What the runtime knows an address as: 0 nothing, 2 device memory."""
    found = _Attributes()
    t.done("cudaPointerGetAttributes", ctypes.addressof(found), address)
    return int(found.type)


@procedure("cublasSetKernelStream", share=0.3)
def stream(t: Trial) -> None:
    """Calls compute on each stream, and on the default one again."""
    t.done("cublasInit")
    area = _operands(t)
    try:
        for chosen in (t.stream(), t.one_of((0, 1, 2)), t.stream()):
            t.done("cublasSetKernelStream", chosen)
            _works(t, area)
            t.done("cudaStreamSynchronize", chosen)
        _captured(t, area)
        t.done("cublasShutdown")
        t.done("cublasSetKernelStream", t.stream())
        _works(t, area)
    finally:
        t.call("cublasInit")
        t.call("cublasSetKernelStream", 0)


def _captured(t: Trial, area: Area) -> None:
    """Work under capture is not done: nothing changes if, and only if, it went to the stream that is captured."""
    stream = t.stream()
    t.done("cudaStreamBeginCapture", stream, 2)  # relaxed
    t.call("cublasSscal", len(area.before("x")), 2.0, area.at("x"), 1)
    graph = ctypes.c_void_p()
    t.done("cudaStreamEndCapture", stream, ctypes.addressof(graph))
    t.call("cudaGraphDestroy", graph.value)
    area.must_be({})
