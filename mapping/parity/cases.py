"""A case: all that determines one call, in a few small values; and the memory that it makes.

A `Case` is JSON-able and can be written down as a line of Python; arrays follow from its seed. `lay_out` turns it
into operands in two arenas (device and host memory), each element either drawn or a sentinel: what the table does not
describe as read holds a NaN, so a wrong leading dimension spoils the result, and what is not written must keep its
bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..tables import expr
from ..tables.kinds import OPTIONS, SIZES, Kind
from ..tables.model import CParam, Entry, Function, cuda_type
from .elements import DTYPES, draw, fill_sentinel, poison_value
from .oracles import ORACLES, Array, Oracle
from .oracles import storage as st
from .oracles.claims import Dtype, Index, is_float, to_elements

LETTERS = {  # options as letters: what people write, and what cuBLAS's first API takes
    "op": {0: "N", 1: "T", 2: "C"},
    "fill": {0: "L", 1: "U"},
    "side": {0: "L", 1: "R"},
    "diag": {0: "N", 1: "U"},
}
GUARD = 64  # bytes of sentinel behind each operand
ALIGN = 256  # as cudaMalloc aligns, so that no example depends on luck
# Scalars that obey the pointer mode.
BY_MODE = ("scalar", "array", "result")

Scalar = complex | float | int


@dataclass(frozen=True, slots=True)
class Case:
    """One call of one function."""

    function: str
    values: Mapping[str, int]  # sizes, leading dimensions, increments, strides, options
    scalars: Mapping[str, Scalar] = field(default_factory=dict)
    seed: int = 0
    data: str = "real"
    poison: tuple[tuple[str, int, str], ...] = ()  # operand, position among its elements, kind of value
    alias: tuple[str, str] | None = None  # (input, output) that are one array
    device: bool = False  # scalars and results in device memory; of the form `host`: matrices
    blank: bool = False  # NaN in what β = 0 says is not read
    absent: tuple[str, ...] = ()  # optional pointers that are NULL
    tiles: int = 0  # of the form `host`: the order of the handle's tiles; 0: its own choice

    def to_json(self) -> dict[str, Any]:
        return {
            "function": self.function,
            "values": dict(self.values),
            "scalars": {k: [v.real, v.imag] if isinstance(v, complex) else v for k, v in self.scalars.items()},
            "seed": self.seed,
            "data": self.data,
            "poison": [list(p) for p in self.poison],
            "alias": list(self.alias) if self.alias else None,
            "device": self.device,
            "blank": self.blank,
            "absent": list(self.absent),
            "tiles": self.tiles,
        }

    @staticmethod
    def from_json(raw: Mapping[str, Any]) -> Case:
        return Case(
            raw["function"],
            dict(raw["values"]),
            {k: complex(*v) if isinstance(v, list) else v for k, v in raw["scalars"].items()},
            raw["seed"],
            raw["data"],
            tuple((str(a), int(b), str(c)) for a, b, c in raw["poison"]),
            (raw["alias"][0], raw["alias"][1]) if raw["alias"] else None,
            raw["device"],
            raw["blank"],
            tuple(raw.get("absent", ())),
            raw.get("tiles", 0),
        )


def as_python(case: Case, entry: Entry) -> str:
    """Lines of Python that repeat the call."""
    words: list[str] = []
    kinds = {p.name: p.kind.name for p in entry.params}
    for name, value in case.values.items():
        letter = LETTERS.get(kinds.get(name, ""), {}).get(value)
        words.append(f'{name}="{letter}"' if letter else f"{name}={value}")
    words += [f"{name}={value!r}" for name, value in case.scalars.items()]
    words.append(f"seed={case.seed}")
    if case.data != "real":
        words.append(f'data="{case.data}"')
    if case.poison:
        words.append(f"poison={list(case.poison)!r}")
    if case.alias:
        words.append(f"alias={case.alias!r}")
    if case.absent:
        words.append(f"absent={list(case.absent)!r}")
    if case.tiles:
        words.append(f"tiles={case.tiles}")
    words += [f"{flag}=True" for flag in ("device", "blank") if getattr(case, flag)]
    return f'from dragoman.parity import call\ncall("{case.function}", {", ".join(words)})'


@dataclass(slots=True)
class Operand:
    """One array of a call. `used` are the flat positions that the table describes, in storage order."""

    name: str
    dtype: Dtype
    io: str
    used: Index
    length: int
    host: bool = False
    offset: int = 0
    diagonal: Array | None = None  # for solves: which of `used` lie on the diagonal
    order: int = 1  # rows of a matrix
    drawn: bool = True

    @property
    def size(self) -> int:
        return self.length * self.dtype.itemsize


@dataclass(slots=True)
class Layout:
    """All operands of a call. `lists` are the members of arrays of pointers, `same` the operands that share another's
    memory."""

    operands: dict[str, Operand]
    lists: dict[str, list[str]]
    same: dict[str, str]
    scalars: dict[str, Array]
    device_size: int = 0
    host_size: int = 0

    def place(self, name: str) -> Operand:
        return self.operands[self.same.get(name, name)]


def number(value: Any) -> int:
    """A length given as `op(trans, a, b)` is the first of the two."""
    return int(value[0] if isinstance(value, tuple) else value)


def reach(rows: int, cols: int, ld: int) -> int:
    """Elements from the first to the last of a matrix; the padding behind its last column need not exist."""
    return ld * (cols - 1) + rows if rows > 0 and cols > 0 else 0


def stored(kind: Kind, values: Mapping[str, int]) -> tuple[Index, Array | None, int, int]:
    """(positions, which of them are the diagonal, extent in elements, order) of one array of a kind."""

    def get(name: str) -> Any:
        return expr.evaluate(kind.argument(name), values)

    word = kind.name
    if word in ("scalar", "result"):
        return np.zeros(1, np.int64), None, 1, 1
    if word == "array":
        count = number(get("count"))
        return np.arange(count, dtype=np.int64), None, count, 1
    if word == "vector":
        n, inc = max(number(get("n")), 0), number(get("inc"))
        return st.vector(n, inc), None, st.span(n, inc), 1
    if word == "matrix":
        rows, cols = get("shape")
        ld = number(get("ld"))
        diagonal = np.eye(rows, dtype=bool).ravel() if rows == cols else None
        return st.general(rows, cols, ld).T.ravel(), diagonal, reach(rows, cols, ld), rows
    if word == "band":
        rows, cols = get("shape")
        ld = number(get("ld"))
        index, mask = st.band(rows, cols, get("kl"), get("ku"), ld)
        return index[mask], None, reach(number(get("kl")) + number(get("ku")) + 1, cols, ld), 1
    n, uplo = number(get("n")), number(get("uplo"))
    if word in ("symmetric", "hermitian", "triangular"):
        ld = number(get("ld"))
        (index, mask), extent = st.triangular(n, ld, uplo), reach(n, n, ld)
    elif word in ("symband", "hermband", "triband"):
        ld = number(get("ld"))
        k = number(get("k"))
        (index, mask), extent = st.one_sided_band(n, k, ld, uplo), reach(k + 1, n, ld)
    else:
        (index, mask), extent = st.packed(n, uplo), n * (n + 1) // 2
    on = np.eye(n, dtype=bool)
    if word.startswith("tri") and number(get("diag")) == st.UNIT:
        mask = mask & ~on
    return index[mask], on[mask], extent, n


def element_dtype(param: CParam) -> Dtype:
    """NumPy's type for what a pointer parameter points at; an index is as wide as its C type."""
    if param.element is not None:
        return DTYPES[param.element.name]
    return np.dtype(np.int64 if "64" in param.ctype else np.int32)


def all_params(function: Function) -> list[CParam]:
    """The function's pointer parameters, with those that the first API leaves out (a result, a separate output)."""
    present = {p.name: p for p in function.params}
    found = []
    for p in function.entry.params:
        if p.kind.is_pointer:
            core = p.kind.core
            element = function.type.element(core.role) if core.role != "index" else None
            ctype = cuda_type(p.kind, function.type, function.form)
            found.append(present.get(p.name) or CParam(p.name, ctype, p.kind, element))
    return found


def complete(function: Function, case: Case) -> dict[str, int]:
    """Values of all integers, with those that the first API leaves out (`ldc` is `ldb`)."""
    values = dict(case.values)
    if function.form.base == "v1" and function.entry.v1.same:
        same = function.entry.v1.same
        for name in function.entry.v1.omit:
            param = function.entry.param(name)
            if param.kind.is_pointer and param.kind.name == "matrix":
                source = function.entry.param(same)
                values[str(param.kind.argument("ld"))] = values[str(source.kind.argument("ld"))]
    return values


def lay_out(function: Function, case: Case) -> Layout:
    """Operands of a call, with their places in the two arenas."""
    oracle = ORACLES.get(function.entry.oracle)
    values = complete(function, case)
    layout = Layout({}, {}, {}, {})
    pairs = [case.alias] if case.alias else []
    if function.form.base == "v1" and function.entry.v1.same:
        pairs += [
            (function.entry.v1.same, n) for n in function.entry.v1.omit if function.entry.param(n).kind.is_pointer
        ]
    for source, target in pairs:
        layout.same[target] = source
    for param in all_params(function):
        kind = param.kind
        if param.name in layout.same:
            continue
        if kind.name == "scalar" and kind.io == "in":
            layout.scalars[param.name] = to_elements(case.scalars[param.name], element_dtype(param))
        if function.form.base == "host":
            host = kind.core.name in BY_MODE or not case.device
        else:
            host = kind.core.name in BY_MODE and not case.device
        _operands(layout, param, kind, values, oracle, host)
    for p in function.params:
        if p.kind.name == "info":
            one = Operand(p.name, np.dtype(np.int32), "out", np.arange(1), 1 + GUARD // 4, host=True)
            layout.operands[p.name] = one
    _place(layout)
    return layout


def _operands(
    layout: Layout, param: CParam, kind: Kind, values: Mapping[str, int], oracle: Oracle | None, host: bool
) -> None:
    dtype, core = element_dtype(param), kind.core
    positions, diagonal, extent, order = stored(core, values)
    guard = -(-GUARD // dtype.itemsize)
    solved = diagonal if oracle and param.name in oracle.solve else None
    if kind.name == "batched":
        count = max(number(expr.evaluate(kind.args[0], values)), 0)
        names = [f"{param.name}[{i}]" for i in range(count)]
        layout.lists[param.name] = names
        for name in names:
            layout.operands[name] = Operand(name, dtype, core.io, positions, extent + guard, False, 0, solved, order)
        layout.operands[param.name] = Operand(
            param.name, np.dtype(np.uint64), "in", np.arange(count), count + 8, drawn=False
        )
        return
    if kind.name == "strided":
        stride, count = (number(expr.evaluate(a, values)) for a in kind.args)
        starts = stride * np.arange(max(count, 0), dtype=np.int64)
        if stride == 0:
            starts = starts[:1]
        extent = int(starts[-1]) + extent if len(starts) else 0
        positions = (starts[:, None] + positions[None, :]).ravel()
        solved = np.tile(solved, len(starts)) if solved is not None else None
    drawn = not (core.name == "scalar" and core.io == "in")
    layout.operands[param.name] = Operand(
        param.name, dtype, core.io, positions, extent + guard, host, 0, solved, order, drawn
    )


def _place(layout: Layout) -> None:
    device = host = 0
    for operand in layout.operands.values():
        if operand.host:
            operand.offset, host = host, host + -(-operand.size // 16) * 16
        else:
            operand.offset, device = device, device + -(-operand.size // ALIGN) * ALIGN
    layout.device_size, layout.host_size = device, host


def view(arena: Array, operand: Operand) -> Array:
    """An operand's elements, guard included."""
    return arena[operand.offset : operand.offset + operand.size].view(operand.dtype)


def fill(layout: Layout, case: Case, function: Function, device: Array, host: Array) -> None:
    """Write the state before the call into both arenas; arrays of pointers are left to who knows the addresses."""
    rng = np.random.Generator(np.random.PCG64(case.seed))
    oracle = ORACLES.get(function.entry.oracle)
    for operand in layout.operands.values():
        array = view(host if operand.host else device, operand)
        if operand.dtype.kind == "u" and not operand.drawn:
            array[...] = 0
            continue
        fill_sentinel(array)
        if operand.name in layout.scalars:
            array[0] = layout.scalars[operand.name]
        elif oracle and operand.name in oracle.pivots:
            array[operand.used] = _row_swaps(rng, len(operand.used), case.values[oracle.pivots[operand.name]])
        elif operand.io != "out":
            array[operand.used] = _draw(rng, operand, case)
            if oracle and oracle.flags and operand.name == oracle.flags[0]:
                array[0] = to_elements(oracle.flags[1][case.seed % len(oracle.flags[1])], array.dtype)
    _poison(layout, case, device, host)


def _draw(rng: np.random.Generator, operand: Operand, case: Case) -> Array:
    if operand.diagonal is None:
        return draw(rng, len(operand.used), operand.dtype, case.data)
    # A triangle to solve with, or the factors of LU: rows of N in D·(I + N) sum to at most one half, so that |T⁻¹||T| stays small.
    values = draw(rng, len(operand.used), operand.dtype, "real") * (0.35 / max(operand.order, 1))
    pivots = draw(rng, len(operand.used), operand.dtype, "real")
    return np.asarray(np.where(operand.diagonal, pivots + np.copysign(1, pivots.real), values).astype(operand.dtype))


def _row_swaps(rng: np.random.Generator, count: int, size: int) -> Array:
    """LU's pivots, `size` a member: row k changes with itself or a later one, counted from 1."""
    own = np.arange(count) % max(size, 1)
    return own + 1 + np.asarray(rng.random(count) * (size - own)).astype(np.int64)


def _poisoned(operand: Operand, position: int, kind: str) -> Index:
    """The elements that a kind of poison takes: one, a whole column, or one on the diagonal."""
    if kind == "column":
        column = position % len(operand.used) // operand.order
        return operand.used[column * operand.order : (column + 1) * operand.order]
    among = operand.used[operand.diagonal] if kind == "pivot" and operand.diagonal is not None else operand.used
    return among[[position % len(among)]]


def _poison(layout: Layout, case: Case, device: Array, host: Array) -> None:
    for name, position, kind in case.poison:
        for member in layout.lists.get(name, [name])[:1]:
            operand = layout.place(member)
            if len(operand.used) and operand.io != "out":
                array = view(host if operand.host else device, operand)
                array[_poisoned(operand, position, kind)] = poison_value(kind, operand.dtype)
    if case.blank:
        for operand in layout.operands.values():
            if operand.io == "inout" and len(operand.used) and is_float(operand.dtype):
                view(host if operand.host else device, operand)[operand.used] = to_elements(np.nan, operand.dtype)


def oracle_arguments(function: Function, case: Case, layout: Layout, arrays: Mapping[str, Array]) -> dict[str, Any]:
    """The oracle's arguments by name: integers, scalars, buffers, lists of buffers."""
    values = complete(function, case)
    found: dict[str, Any] = {}
    for param in function.entry.params:
        name = param.name
        if param.kind.name in (*SIZES, *OPTIONS, "stride", "datatype", "enum"):
            found[name] = values[name]
        elif name in case.absent:
            found[name] = None
        elif name in layout.scalars:
            found[name] = layout.scalars[name]
        elif name in layout.lists:
            found[name] = [arrays[member] for member in layout.lists[name]]
        elif param.kind.is_pointer or param.kind.name == "info":
            found[name] = arrays[layout.same.get(name, name)]
    return found
