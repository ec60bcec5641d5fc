"""What a procedure works with: calls by name, device memory between guards, pinned host memory, streams and handles."""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...tables.model import Function, Tables
from ..oracles import Array, Claim, judge
from ..subject import Subject

GUARD = 64  # bytes before and behind each array
ALIGN = 256
SENTINEL = 0xA5
SUCCESS, NOT_INITIALIZED, ALLOC_FAILED, INVALID_VALUE, MAPPING_ERROR, INTERNAL_ERROR, NOT_SUPPORTED = (
    0,
    1,
    3,
    7,
    11,
    14,
    15,
)


class WrongError(AssertionError):
    """What is wrong, in one line."""


@dataclass(slots=True)
class Bench:
    """What the trials of a process share. `nvidia`: what NVIDIA leaves undefined is not asked. `cpu`: the backend is ours, which
    says what it is given; a card may die of it."""

    subject: Subject
    tables: Tables
    major: int
    nvidia: bool = False
    cpu: bool = True
    stream: int = 0
    pinned: int = 0
    pinned_size: int = 0


class Area:
    """Device memory of one example: arrays between guards, in the memory that the subject reuses."""

    def __init__(self, bench: Bench, arrays: Mapping[str, Array], pointers: Mapping[str, Sequence[str]]) -> None:
        """`pointers`: arrays of the addresses of others."""
        self._memory = bench.subject.memory
        self.places: dict[str, tuple[int, np.dtype[Any], int]] = {}
        size = 0
        listed = {name: np.zeros(len(members), np.uint64) for name, members in pointers.items()}
        for name, array in {**arrays, **listed}.items():
            size = -(-(size + GUARD) // ALIGN) * ALIGN
            self.places[name] = (size, array.dtype, array.size)
            size += array.nbytes + GUARD
        self.bytes = np.full(max(size, 1), SENTINEL, np.uint8)
        self.base = self._memory.reserve(self.bytes.size)
        for name, array in arrays.items():
            self._view(self.bytes, name)[...] = array.ravel()
        for name, members in pointers.items():
            self._view(self.bytes, name)[...] = [self.at(m) for m in members]
        self._memory.upload(self.bytes)

    def _view(self, raw: Array, name: str) -> Array:
        offset, dtype, count = self.places[name]
        return raw[offset : offset + count * dtype.itemsize].view(dtype)

    def at(self, name: str) -> int:
        return self.base + self.places[name][0]

    def before(self, name: str) -> Array:
        return self._view(self.bytes, name)

    def now(self, name: str) -> Array:
        """An array as it is on the device now."""
        return self._view(self._download(), name)

    def _download(self) -> Array:
        back = np.empty_like(self.bytes)
        self._memory.download(back)
        return back

    def must_be(self, wanted: Mapping[str, Array]) -> None:
        """Each array named holds these bits; every other byte, guards included, is as it was."""
        expected = self.bytes.copy()
        for name, array in wanted.items():
            self._view(expected, name)[...] = array
        found = self._download()
        wrong = np.flatnonzero(found != expected)
        if len(wrong):
            raise WrongError(self._tell(int(wrong[0]), expected, found))

    def _tell(self, at: int, expected: Array, found: Array) -> str:
        for name, (offset, dtype, count) in self.places.items():
            if offset <= at < offset + count * dtype.itemsize:
                changed = "" if self.bytes[at] != expected[at] else ", which must stay untouched"
                return f"{name}, byte {at - offset}: expected {expected[at]:#04x}, got {found[at]:#04x}{changed}"
        nearest = min(self.places, key=lambda n: min(abs(at - self.places[n][0]), abs(at - self._end(n))))
        return f"a guard beside {nearest} was overwritten"

    def _end(self, name: str) -> int:
        offset, dtype, count = self.places[name]
        return offset + count * dtype.itemsize

    def judged(self, claims: Sequence[Claim], free: Sequence[str] = (), skip: int = 0) -> float:
        """The claims hold, and no byte that they do not speak about has changed. The largest error as a part of its bound.

        `free`: arrays that may hold anything behind their first `skip` bytes."""
        back = self._download()
        for name in free:
            own = slice(self.places[name][0] + skip, self._end(name))
            back[own] = self.bytes[own]
        before = {name: self._view(self.bytes, name) for name in self.places}
        after = {name: self._view(back, name) for name in self.places}
        with np.errstate(all="ignore"):
            verdict = judge(claims, before, after)
        for fault in (*verdict.faults, *verdict.untouched):
            raise WrongError(str(fault))
        inside = np.zeros(self.bytes.size, bool)
        for name in self.places:
            inside[self.places[name][0] : self._end(name)] = True
        strays = np.flatnonzero((back != self.bytes) & ~inside)
        if len(strays):
            raise WrongError(self._tell(int(strays[0]), self.bytes, back))
        return verdict.error


class Trial:
    """One example of one function."""

    def __init__(self, bench: Bench, function: Function, number: int) -> None:
        self.bench, self.function, self.number = bench, function, number
        self.rng = np.random.Generator(np.random.PCG64([zlib.crc32(function.name.encode()), number]))
        self.wide = function.form.wide
        self.error = 0.0
        self.kept: list[Any] = []  # host memory that arguments point at

    # ---- random numbers

    def one_of(self, values: Sequence[Any]) -> Any:
        return values[int(self.rng.integers(len(values)))]

    def chance(self, share: float = 0.5) -> bool:
        return bool(self.rng.random() < share)

    def bytes(self, count: int) -> Array:
        return self.rng.integers(0, 256, count, np.uint8)

    # ---- calls

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function by its symbol; what it returns."""
        library = "cudart" if name.startswith("cuda") else "cublas"
        function = self.bench.tables.function(name, library)
        if function is None:
            raise ValueError(f"no function {name!r} in the tables")
        return self.bench.subject.invoke(function, arguments)

    def done(self, name: str, *arguments: Any) -> None:
        self.gives(SUCCESS, name, *arguments)

    def gives(self, status: int, name: str, *arguments: Any) -> None:
        """A call answers this status."""
        got = int(self.call(name, *arguments))
        if got != status:
            raise WrongError(f"{name}{_shown(arguments)} answers {got}, expected {status}")

    def get(self, name: str, *arguments: Any, kind: Any = ctypes.c_int) -> int:
        """What a call writes into its last argument, a variable that held something else."""
        variable = (kind * 2)()
        ctypes.memset(variable, 0x5A, ctypes.sizeof(variable))
        self.done(name, *arguments, ctypes.addressof(variable))
        behind = bytes(variable)[ctypes.sizeof(kind) :]
        if behind != b"\x5a" * len(behind):
            raise WrongError(f"{name} writes more than its {ctypes.sizeof(kind)} bytes")
        return int(variable[0] or 0)

    def equal(self, what: str, got: Any, wanted: Any) -> None:
        if got != wanted:
            raise WrongError(f"{what} is {got!r}, expected {wanted!r}")

    # ---- handles, streams, memory

    @contextmanager
    def handle(self) -> Iterator[int]:
        """A new handle, so that no setting stays behind."""
        made = self.create()
        try:
            yield made
        finally:
            self.call("cublasDestroy_v2", made)

    def create(self) -> int:
        return self.get("cublasCreate_v2", kind=ctypes.c_void_p)

    def stream(self) -> int:
        """A stream of the process's, other than the default ones."""
        if not self.bench.stream:
            self.bench.stream = self.get("cudaStreamCreate", kind=ctypes.c_void_p)
        return self.bench.stream

    def new_stream(self) -> int:
        return self.get("cudaStreamCreate", kind=ctypes.c_void_p)

    def area(self, pointers: Mapping[str, Sequence[str]] | None = None, **arrays: Array) -> Area:
        """Device memory with these arrays; the one before it is lost."""
        return Area(self.bench, arrays, pointers or {})

    def pinned(self, size: int) -> Array:
        """Page-locked host memory, which a copy may still be reading when it returns; reused by the next."""
        bench = self.bench
        if size > bench.pinned_size:
            if bench.pinned:
                self.done("cudaFreeHost", bench.pinned)
            bench.pinned, bench.pinned_size = 0, max(1 << 16, 2 * size)
            made = ctypes.c_void_p()
            self.done("cudaMallocHost", ctypes.addressof(made), bench.pinned_size)
            bench.pinned = made.value or 0
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(bench.pinned))

    # ---- a small call, to see what a setting does

    def scaled(self, handle: int, scale: float, area: Area, name: str, alpha: int) -> None:
        """x ← scale·x over a vector of whole numbers, with the factor at an address; exact in any precision."""
        wanted = area.now(name) * np.float32(scale)
        self.done("cublasSscal_v2", handle, len(wanted), alpha, area.at(name), 1)
        self.same(f"x after cublasSscal by {scale:g}", area.now(name), wanted)

    def same(self, what: str, got: Array, wanted: Array) -> None:
        wrong = np.flatnonzero(got != wanted)
        if len(wrong):
            raise WrongError(f"{what}: element {wrong[0]} is {got[wrong[0]]}, expected {wanted[wrong[0]]}")


def _shown(arguments: Sequence[Any]) -> str:
    """Small numbers as they are, addresses as dots."""
    return f"({', '.join('…' if isinstance(a, int) and abs(a) >= 1 << 40 else str(a) for a in arguments)})"
