"""MIOpen over ctypes, its prototypes taken from AMD's headers (tests/facts). Arrays are passed by their address."""

from __future__ import annotations

import csv
import ctypes
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

FACTS = Path(__file__).resolve().parents[1] / "facts" / "rocm"
Array = np.ndarray[Any, Any]

SUCCESS, INVALID_VALUE, BAD_PARM, INTERNAL, NOT_IMPLEMENTED, UNKNOWN = 0, 2, 3, 5, 6, 7
HALF, FLOAT, INT32, INT8, BFLOAT16, DOUBLE = 0, 1, 2, 3, 5, 6
_STORED: dict[int, Any] = {
    HALF: np.float16, FLOAT: np.float32, INT32: np.int32, INT8: np.int8, BFLOAT16: np.uint16, DOUBLE: np.float64,
}  # fmt: skip
# One unit in the last place, for tolerances.
ROUNDING = {HALF: 1e-3, FLOAT: 1.2e-7, INT32: 0, INT8: 0, BFLOAT16: 8e-3, DOUBLE: 2.3e-16}
TYPE_NAMES = {HALF: "half", FLOAT: "float", INT32: "int32", INT8: "int8", BFLOAT16: "bf16", DOUBLE: "double"}
_PLAIN = {
    "size_t": ctypes.c_size_t,
    "uint64_t": ctypes.c_uint64,
    "int64_t": ctypes.c_int64,
    "long": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "bool": ctypes.c_bool,
    "_Bool": ctypes.c_bool,
    "miopenAcceleratorQueue_t": ctypes.c_void_p,
    "miopenAllocatorFunction": ctypes.c_void_p,
    "miopenDeallocatorFunction": ctypes.c_void_p,
}


class Perf(ctypes.Structure):
    _fields_ = (("algo", ctypes.c_int), ("time", ctypes.c_float), ("memory", ctypes.c_size_t))


class Solution(ctypes.Structure):
    _fields_ = (
        ("time", ctypes.c_float), ("workspace_size", ctypes.c_size_t), ("solution_id", ctypes.c_uint64),
        ("algorithm", ctypes.c_int),
    )  # fmt: skip


def prototypes() -> dict[str, list[str]]:
    """Symbol → parameter declarations."""
    with (FACTS / "miopen-7.2.4.functions.tsv").open(encoding="utf-8") as file:
        return {
            row["symbol"]: [p for p in row["parameters"].split(", ") if p]
            for row in csv.DictReader(file, delimiter="\t")
        }


def _ctype(declaration: str) -> Any:
    words = declaration.replace("const ", "").split()
    if "*" in declaration or "[" in declaration or words[0].endswith(("Descriptor_t", "Handle_t", "Args_t")):
        return ctypes.c_void_p
    return _PLAIN.get(words[-2] if len(words) > 1 else words[0], ctypes.c_int)


def _passed(value: Any) -> Any:
    return value.ctypes.data if isinstance(value, np.ndarray) else value


def to_bf16(values: Array) -> Array:
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(values: Array) -> Array:
    return (values.astype(np.uint32) << 16).view(np.float32)


def default_strides(lens: Sequence[int]) -> tuple[int, ...]:
    strides = [1]
    for length in reversed(lens[1:]):
        strides.append(strides[-1] * length)
    return tuple(reversed(strides))


def channels_last(lens: Sequence[int]) -> tuple[int, ...]:
    """Strides of NHWC, NDHWC and NWC."""
    order = [0, *range(2, len(lens)), 1]
    packed = default_strides([lens[i] for i in order])
    strides = [0] * len(lens)
    for i, step in zip(order, packed, strict=True):
        strides[i] = step
    return tuple(strides)


def gapped(lens: Sequence[int]) -> tuple[int, ...]:
    """Strides with room between rows, planes and images."""
    strides = [1]
    for length in reversed(lens[1:]):
        strides.append(strides[-1] * length + 3)
    return tuple(reversed(strides))


class Tensor:
    """A tensor in memory with its descriptor. Whatever lies between its elements must not change."""

    def __init__(
        self, api: Miopen, values: Array, type: int = FLOAT, strides: Sequence[int] | None = None, *, fill: float = 7.0
    ) -> None:
        lens = values.shape
        self.api, self.type, self.lens = api, type, lens
        self.strides = tuple(strides) if strides is not None else default_strides(lens)
        space = 1 + sum((n - 1) * s for n, s in zip(lens, self.strides, strict=True))
        self.memory = np.full(space, fill, np.float32 if type == BFLOAT16 else _STORED[type])
        if type == BFLOAT16:
            self.memory = to_bf16(self.memory)
        self._before = self.memory.copy()
        self.view = np.lib.stride_tricks.as_strided(self.memory, lens, [s * self.memory.itemsize for s in self.strides])
        self.view[...] = to_bf16(values) if type == BFLOAT16 else np.asarray(values).astype(_STORED[type])
        self.desc = api.tensor(type, lens, self.strides)

    @property
    def values(self) -> Array:
        """As float64."""
        return np.asarray(from_bf16(self.view) if self.type == BFLOAT16 else self.view).astype(np.float64)

    def check_gaps(self) -> None:
        inside = np.zeros(self.memory.shape, bool)
        np.lib.stride_tricks.as_strided(inside, self.lens, self.strides)[...] = True
        assert np.array_equal(self.memory[~inside], self._before[~inside]), "written between the elements"

    def close_to(self, wanted: Array, scale: float | Array = 1.0, *, steps: float = 4) -> None:
        """Within `steps` units in the last place of the value or of `scale`, whichever is larger."""
        got = self.values
        assert got.shape == wanted.shape
        assert np.array_equal(np.isnan(got), np.isnan(wanted)), (got, wanted)
        finite = np.isfinite(wanted)
        assert np.array_equal(got[~finite & ~np.isnan(wanted)], wanted[~finite & ~np.isnan(wanted)])
        allowed = steps * ROUNDING[self.type] * np.maximum(np.abs(wanted), scale)
        bad = finite & (np.abs(got - wanted) > allowed)
        if bad.any():
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            raise AssertionError(f"{bad.sum()} of {bad.size} wrong; at {where}: {got[where]} for {wanted[where]}")
        self.check_gaps()


class Miopen:
    """`call("PoolingForward", …)` calls miopenPoolingForward with the open handle before the arguments."""

    def __init__(self, path: Path) -> None:
        self.lib = ctypes.CDLL(str(path))
        self.handle: int | None = None
        self._prototypes = prototypes()
        self._functions: dict[str, Any] = {}
        self._made: list[tuple[str, int]] = []

    def function(self, name: str) -> Any:
        if name not in self._functions:
            found = getattr(self.lib, f"miopen{name}")
            found.argtypes = [_ctype(p) for p in self._prototypes[f"miopen{name}"]]
            found.restype = ctypes.c_char_p if name == "GetErrorString" else ctypes.c_int
            self._functions[name] = found
        return self._functions[name]

    def raw(self, name: str, *arguments: Any) -> int:
        return int(self.function(name)(*map(_passed, arguments)))

    def call(self, name: str, *arguments: Any) -> int:
        return self.raw(name, self.handle, *arguments)

    def ok(self, name: str, *arguments: Any) -> None:
        status = self.call(name, *arguments)
        assert status == SUCCESS, f"miopen{name}: {status}"

    def open(self) -> None:
        place = ctypes.c_void_p()
        assert self.raw("Create", ctypes.byref(place)) == SUCCESS
        self.handle = place.value

    def close(self) -> None:
        for sort, made in self._made:
            assert self.raw(f"Destroy{sort}Descriptor", made) == SUCCESS
        self._made.clear()
        assert self.raw("Destroy", self.handle) == SUCCESS

    def make(self, sort: str) -> int:
        """A descriptor that is destroyed at the end of the test."""
        place = ctypes.c_void_p()
        assert self.raw(f"Create{sort}Descriptor", ctypes.byref(place)) == SUCCESS
        assert place.value
        self._made.append((sort, place.value))
        return place.value

    def tensor(self, type: int, lens: Sequence[int], strides: Sequence[int] | None = None) -> int:
        made = self.make("Tensor")
        steps = None if strides is None else np.array(strides, np.int32)
        status = self.raw("SetTensorDescriptor", made, type, len(lens), np.array(lens, np.int32), steps)
        assert status == SUCCESS
        return made

    def set(self, sort: str, *values: Any) -> int:
        """A descriptor of `sort`, set by miopenSet<sort>Descriptor."""
        made = self.make(sort)
        assert self.raw(f"Set{sort}Descriptor", made, *values) == SUCCESS
        return made

    def size(self, name: str, *arguments: Any, handle: bool = True) -> int:
        """What a function writes to its last parameter, a size_t."""
        place = ctypes.c_size_t()
        first = (self.handle,) if handle else ()
        assert self.raw(name, *first, *arguments, ctypes.byref(place)) == SUCCESS
        return place.value


ONE, ZERO = np.array([1], np.float32), np.array([0], np.float32)


def number(value: float) -> Array:
    """A factor as MIOpen reads it."""
    return np.array([value], np.float32)


_seeds = itertools.count(1)


def random(*lens: int, low: float = -2.0, high: float = 2.0) -> Array:
    """Numbers that every type but the integers holds about as well; another sequence each time."""
    values = np.random.default_rng(next(_seeds)).uniform(low, high, lens)
    return np.asarray(values.astype(np.float32).astype(np.float64))


def whole(*lens: int, low: int = -3, high: int = 3) -> Array:
    """Small whole numbers: sums of products are exact in every type."""
    return np.random.default_rng(next(_seeds)).integers(low, high + 1, lens).astype(np.float64)
