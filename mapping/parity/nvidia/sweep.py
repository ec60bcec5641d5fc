"""Every tuple of types that a typed function may be called with: what the library answers to each.

One call a tuple, of a small product or of short vectors, aligned to 16 bytes and with everything but the types right. What
is answered is kept as a tree over the columns: a leaf is a status, `*` is what all values give that are not named."""

from __future__ import annotations

import ctypes
import mmap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ...tables.kinds import DATA_TYPES, OPTIONS
from ...tables.model import CParam, Function
from ...tables.types import load_types
from ..cases import BY_MODE
from ..check import Workbench
from ..memory import StickyError
from ..rows import NEWEST, Row, with_row
from ..status import baseline
from ..strategies import why_untested
from ..subject import LibrarySubject

Tree = int | str | dict[str, "Tree"]
CRASH, HANG, STICKY, UNASKED = -1, -2, -3, -4
WORDS = {CRASH: "crash", HANG: "hang", STICKY: "sticky", UNASKED: "unasked"}

# cudaDataType: all of CUDA 13, the first number after them, and one that is nothing.
EVERY = (*range(35), -1)
# Those that a function of four columns is asked for, of six, and what stands for all in a quick look.
MANY = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 15, 28, 29, -1)
FEW = (0, 1, 2, 3, 4, 5, 14)
# cublasComputeType_t: the range that CUDA 13 counts in, a number to either side, and the data types of old.
COMPUTE = (*range(63, 81), 0, 2, -1)
QUICK_COMPUTE = (64, 68, 69, 70, 72, 74, 75, 77, 78, 79, 65, 71, 73, 66, 0)

_SIZE = 16  # rows, columns and elements: what aligned kernels take
_SLOT = 1 << 14  # bytes of each operand: two members of 16 × 16 elements of 16 bytes
_CHUNK = 20_000
_COMPLEX = (4, 5, 6, 7)


def swept(functions: Sequence[Function]) -> list[Function]:
    """The typed functions."""
    return [f for f in functions if f.entry.combos and f.kind != "unsupported"]


def columns(function: Function) -> tuple[str, ...]:
    assert function.entry.combos is not None
    return function.entry.combos.keys


def choices(function: Function, quick: bool) -> list[tuple[int, ...]]:
    """What is tried in each column. `_64` forms share their checks with the others: a quick look."""
    names = columns(function)
    enums = [c for c in names if function.entry.param(c).kind.name != "datatype"]
    quick = quick or function.form.wide
    types = len(names) - len(enums)
    some = FEW if types > 4 else MANY if types > 3 else EVERY
    if quick:
        some = FEW[:5] if types > 4 else FEW if types > 3 else MANY
    return [(QUICK_COMPUTE if quick else COMPUTE) if c in enums else some for c in names]


def tuples(function: Function, quick: bool = False) -> Iterator[tuple[int, ...]]:
    return product(*choices(function, quick))


# ---- the child's side


def scale_type(function: Function, values: dict[str, int]) -> str:
    """What a product's scalars are, which its types imply."""
    wanted = values.get("computeType", 68)
    complex_ = values.get("Ctype") in _COMPLEX or function.type.name == "C"
    if wanted in (64, 65):
        return "f16"
    if wanted in (72, 73):
        return "i32"
    double = wanted in (70, 71, 79)
    return ("c64" if double else "c32") if complex_ else ("f64" if double else "f32")


_ONES: dict[str, bytes] = {
    "f16": np.array([1, 0], np.float16).tobytes(),
    "bf16": np.array([0x3F80, 0], np.uint16).tobytes(),
    "f32": np.array([1, 0], np.float32).tobytes(),
    "f64": np.array([1, 0], np.float64).tobytes(),
    "i32": np.array([1, 0], np.int32).tobytes(),
    "i8": np.array([1, 0], np.int8).tobytes(),
    "c32": np.array([1, 0], np.float32).tobytes(),
    "c64": np.array([1, 0], np.float64).tobytes(),
}


def _cells() -> dict[int, str]:
    view = load_types().for_version(NEWEST)
    return {view.value(name): cell for cell, name in DATA_TYPES.items()}


class Calls:
    """One function, called with any types."""

    def __init__(self, function: Function, subject: LibrarySubject) -> None:
        self.function, self.subject = function, subject
        self.columns = columns(function)
        self.cells = _cells()
        self.kept: list[Any] = []  # host memory that the arguments point at
        self.scalars: dict[int, str] = {}  # address → the column that types it
        self.beta = 0
        typing = function.entry.typing_columns()
        pointers = [p for p in function.params if p.kind.is_pointer and p.kind.core.name not in BY_MODE]
        self.base = subject.memory.reserve(_SLOT * (2 * len(pointers) + 2))
        self.area = np.zeros(_SLOT * (2 * len(pointers) + 2), np.uint8)
        self.slot = 0
        self.arguments = [self._argument(p, typing) for p in function.params]
        names = [p.name for p in function.params]
        self.places = [names.index(c) for c in self.columns]
        self.ones = {name: ctypes.create_string_buffer(raw, 16) for name, raw in _ONES.items()}
        subject.memory.upload(self.area)
        subject.pointer_mode(False)
        self.entry = subject.entry(function)

    def _host(self, size: int = 256) -> int:
        self.kept.append(ctypes.create_string_buffer(size))
        return ctypes.addressof(self.kept[-1])

    def _argument(self, param: CParam, typing: dict[str, str]) -> Any:
        kind = param.kind
        if kind.name == "handle":
            return self.subject.handle()
        if kind.name in OPTIONS:
            return 0
        if kind.name in ("dim", "ld"):
            return _SIZE
        if kind.name == "inc":
            return 1
        if kind.name == "stride":
            return _SIZE * _SIZE
        if kind.name == "batch":
            return 1 if param.name == "group_count" else 2
        if kind.core.role == "index" or "cublasOperation_t *" in param.ctype:
            return self._numbers(param)
        if kind.is_pointer and kind.core.name in BY_MODE:
            address = self._host()
            self.scalars[address] = typing.get(param.name, "scale")
            if param.name.startswith("beta"):
                self.beta = address
            return address
        if kind.is_pointer:
            return self._device(param)
        return -1 if kind.name == "enum" else 0

    def _numbers(self, param: CParam) -> int:
        """An array of one number, in host memory."""
        value = 0 if "Operation" in param.ctype else 1 if param.name == "group_size" else _SIZE
        array = np.full(4, value, np.int64 if "64" in param.ctype else np.int32)
        self.kept.append(array)
        return int(array.ctypes.data)

    def _device(self, param: CParam) -> int:
        offset, self.slot = self.slot, self.slot + 1
        start = self.base + offset * _SLOT
        if param.kind.name != "batched":
            return start
        self.slot += 1
        there = (offset + 1) * _SLOT
        self.area[there : there + 16].view(np.uint64)[...] = (start, start + _SLOT // 2)
        return self.base + there

    def __call__(self, values: tuple[int, ...]) -> int:
        given = self.arguments
        for place, value in zip(self.places, values, strict=True):
            given[place] = value
        if self.scalars:
            self._fill(dict(zip(self.columns, values, strict=True)))
        return int(self.entry(*given))

    def _fill(self, values: dict[str, int]) -> None:
        scale = scale_type(self.function, values)
        for address, column in self.scalars.items():
            cell = scale if column == "scale" else self.cells.get(values[column], "f32")
            ctypes.memmove(address, self.ones.get(cell, self.ones["f32"]), 16)
        if self.beta:
            ctypes.memset(self.beta, 0, 16)


def sweep(
    function: Function,
    subject: LibrarySubject,
    scratch: Path,
    quick: bool,
    start: int,
    skip: Sequence[int],
    tell: Callable[[int, list[int]], None],
) -> None:
    """Ask for every tuple from `start` on; `tell` gets what was answered, some thousands at a time.

    The tuple under way stands in `scratch`, as a number of 8 bytes, so that a parent knows of which one a child died."""
    calls = Calls(function, subject)
    scratch.write_bytes(bytes(8))
    with scratch.open("r+b") as file, mmap.mmap(file.fileno(), 8) as note:
        left = set(skip)
        found: list[int] = []
        for i, values in enumerate(tuples(function, quick)):
            if i < start:
                continue
            if i in left:
                found.append(CRASH)  # the parent knows better
                continue
            note[:] = i.to_bytes(8, "little")
            status = calls(values)
            if status in (0, 13, 14):
                broken = subject.broken()
                if broken:
                    raise StickyError(broken)
            found.append(status)
            if len(found) == _CHUNK:
                tell(i + 1 - len(found), found)
                found = []
        tell(i + 1 - len(found), found)


@dataclass(frozen=True, slots=True)
class Judged:
    """What one tuple that is taken computes: `small` with odd sizes, `aligned` with sizes of 16."""

    types: tuple[int, ...]
    small: str
    aligned: str


def row_for(function: Function, values: Sequence[int]) -> Row | None:
    """The row that a tuple would be in a table; None where a type has no name there."""
    combos = function.entry.combos
    assert combos is not None
    named, cells = dict(zip(combos.keys, values, strict=True)), _cells()
    found: list[str] = []
    for column in combos.columns:
        if column in named and function.entry.param(column).kind.name == "datatype":
            cell = cells.get(named[column])
            if cell is None:
                return None
        elif column in named:
            kind = function.entry.param(column).kind
            constants = load_types().for_version(NEWEST).constants(kind.type)
            name = next((n for n, v in constants.items() if v == named[column]), "")
            if not name:
                return None
            cell = name.removeprefix("CUBLAS_")
        else:
            cell = {"scale": scale_type(function, named), "type": function.type.name}.get(column, "")
        found.append(cell)
    return tuple(found)


def judge(function: Function, bench: Workbench, values: tuple[int, ...]) -> Judged:
    """Judge a taken tuple's numbers by the oracle."""
    row = row_for(function, values)
    if row is None or why_untested(function):
        return Judged(values, "unjudged", "unjudged")
    typed = with_row(function, row)
    named = dict(zip(columns(function), values, strict=True))
    sizes = {p.name: _SIZE for p in function.params if p.kind.name == "dim"}
    said = []
    for more in ({}, sizes):
        outcome = bench.run(typed, baseline(typed, values={**named, **more}))
        said.append("right" if outcome.ok else outcome.lines()[0])
    return Judged(values, *said)


# ---- what is kept


def tree(statuses: Sequence[int], widths: Sequence[Sequence[int]]) -> Tree:
    """Answers in the order of `tuples` as a tree."""
    if not widths:
        return WORDS.get(statuses[0], statuses[0])
    first, rest = widths[0], widths[1:]
    share = len(statuses) // len(first)
    if len(set(statuses)) == 1:
        return WORDS.get(statuses[0], statuses[0])
    nodes = [tree(statuses[i * share : (i + 1) * share], rest) for i in range(len(first))]
    keys = [repr(n) for n in nodes]
    common = Counter(keys).most_common(1)[0][0]
    found: dict[str, Tree] = {"*": nodes[keys.index(common)]}
    found |= {str(v): n for v, n, k in zip(first, nodes, keys, strict=True) if k != common}
    return found if len(found) > 1 else found["*"]


def look_up(node: Tree, values: Sequence[int]) -> int | str:
    """The answer to one tuple."""
    for value in values:
        if not isinstance(node, dict):
            return node
        node = node.get(str(value), node["*"])
    assert not isinstance(node, dict)
    return node
