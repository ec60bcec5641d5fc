"""Copies between host and device: the bytes that are named arrive, every other byte stays.

What must come out is made byte by byte from the manual's definition (element i at i·increment, a_ij at i + j·ld), over
random bytes and sizes of elements that no number has.
"""

from __future__ import annotations

import numpy as np

from ..oracles import Array
from .registry import procedure
from .trial import GUARD, INVALID_VALUE, MAPPING_ERROR, SENTINEL, SUCCESS, Trial, WrongError

_ELEMENTS = (1, 2, 3, 4, 8, 12, 16)
_LENGTHS = (5, 1, 2, 3, 0, 13, 67, 131)
_SIDES = (3, 5, 1, 2, 0, 11, 19)
_STEPS = (1, 1, 2, 3, 5)
_SLACK = (0, 0, 1, 4)
_OVER = 1 << 32  # 0 in 32 bits
_FAR = 1 << 33
_DEFAULT_STREAMS = (0, 1, 2)  # none, cudaStreamLegacy, cudaStreamPerThread


@procedure("cublasSetVector", "cublasGetVector", "cublasSetVectorAsync", "cublasGetVectorAsync")
def vectors(t: Trial) -> None:
    """n elements of any size, each increment any."""
    if t.wide and t.number == 0:
        _wide_vectors(t)
        return
    size, n = t.one_of(_ELEMENTS), t.one_of(_LENGTHS)
    inc_from, inc_to = t.one_of(_STEPS), t.one_of(_STEPS)
    source, target = (t.bytes((n - 1) * inc * size + size if n else 0) for inc in (inc_from, inc_to))
    wanted = target.copy()
    for i in range(n):
        wanted[i * inc_to * size :][:size] = source[i * inc_from * size :][:size]
    _copied(t, (n, size), inc_from, inc_to, source, target, wanted)


@procedure("cublasSetMatrix", "cublasGetMatrix", "cublasSetMatrixAsync", "cublasGetMatrixAsync")
def matrices(t: Trial) -> None:
    """A block of rows and columns out of one leading dimension into another."""
    if t.wide and t.number == 0:
        _wide_matrices(t)
        return
    size, rows, cols = t.one_of(_ELEMENTS), t.one_of(_SIDES), t.one_of(_SIDES)
    ld_from, ld_to = (max(1, rows) + t.one_of(_SLACK) for _ in range(2))
    # The last column ends with its rows: what lies behind need not exist.
    source, target = (t.bytes(((cols - 1) * ld + rows) * size if rows and cols else 0) for ld in (ld_from, ld_to))
    wanted = target.copy()
    for i in range(rows):
        for j in range(cols):
            wanted[(i + j * ld_to) * size :][:size] = source[(i + j * ld_from) * size :][:size]
    _copied(t, (rows, cols, size), ld_from, ld_to, source, target, wanted)


def _copied(
    t: Trial, shape: tuple[int, ...], step_from: int, step_to: int, source: Array, target: Array, wanted: Array
) -> None:
    """Make the copy in the direction that the function has; both sides are looked at whole."""
    name = t.function.name
    to_device, later = "Set" in name, "Async" in name
    near, far = (source, target) if to_device else (target, source)
    area = t.area(device=far)
    host = t.pinned(near.size + 2 * GUARD) if later else np.empty(near.size + 2 * GUARD, np.uint8)
    host[...] = SENTINEL
    inner = slice(GUARD, GUARD + near.size)
    host[inner] = near
    before = host.copy()
    address = int(host.ctypes.data) + GUARD
    places = (address, step_from, area.at("device"), step_to)
    if not to_device:
        places = (area.at("device"), step_from, address, step_to)
    if later:
        stream = t.one_of((*_DEFAULT_STREAMS, t.stream()))
        t.done(name, *shape, *places, stream)
        t.done("cudaStreamSynchronize", stream)
        _asks_its_stream(t, (*shape, *places), 0 in shape)
    else:
        t.done(name, *shape, *places)
    area.must_be({"device": wanted} if to_device else {})
    if not to_device:
        before[inner] = wanted
    wrong = np.flatnonzero(host != before)
    if len(wrong):
        raise WrongError(f"host memory, byte {wrong[0] - GUARD}: expected {before[wrong[0]]}, got {host[wrong[0]]}")


def _asks_its_stream(t: Trial, arguments: tuple[int, ...], nothing: bool) -> None:
    """Our backend is done when a call returns, so order cannot show whether the stream was looked at; a stream that is gone does."""
    if t.bench.cpu and not t.bench.nvidia and not nothing:
        gone = t.new_stream()
        t.done("cudaStreamDestroy", gone)
        if t.call(t.function.name, *arguments, gone) == SUCCESS:
            raise WrongError(f"{t.function.name} takes a stream that was destroyed: it does not look at its stream")


def _wide_vectors(t: Trial) -> None:
    """Each number beyond 32 bits answers otherwise if it is cut; one element lies anywhere."""
    name, stream = t.function.name, (0,) if "Async" in t.function.name else ()
    t.gives(MAPPING_ERROR, name, _OVER, 4, 0, 1, 0, 1, *stream)
    t.gives(SUCCESS, name, 0, _OVER, 0, 1, 0, 1, *stream)
    t.gives(SUCCESS, name, 0, 4, 0, _OVER, 0, 1, *stream)
    t.gives(SUCCESS, name, 0, 4, 0, 1, 0, _OVER, *stream)
    t.gives(INVALID_VALUE, name, 4, 1 - _OVER, 0, 1, 0, 1, *stream)
    t.gives(INVALID_VALUE, name, 4, 4, 0, 1 - _OVER, 0, 1, *stream)
    t.gives(INVALID_VALUE, name, 4, 4, 0, 1, 0, 1 - _OVER, *stream)


def _wide_matrices(t: Trial) -> None:
    name, stream = t.function.name, (0,) if "Async" in t.function.name else ()
    t.gives(MAPPING_ERROR, name, _OVER, 1, 4, 0, _FAR, 0, _FAR, *stream)
    t.gives(MAPPING_ERROR, name, 1, _OVER, 4, 0, 1, 0, 1, *stream)
    t.gives(SUCCESS, name, 0, 3, _OVER, 0, 4, 0, 4, *stream)
    t.gives(SUCCESS, name, 0, 3, 4, 0, _FAR, 0, 4, *stream)
    t.gives(SUCCESS, name, 0, 3, 4, 0, 4, 0, _FAR, *stream)
    t.gives(INVALID_VALUE, name, 1 - _OVER, 3, 4, 0, 4, 0, 4, *stream)
    t.gives(INVALID_VALUE, name, 4, 1 - _OVER, 4, 0, 4, 0, 4, *stream)
