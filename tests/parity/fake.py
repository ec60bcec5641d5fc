"""A subject in pure Python: it answers calls with what the oracles say, and can be made wrong in one way.

It decodes raw arguments (addresses and integers) as a C library would, so that the suite runs without any library.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from dragoman.parity.cases import LETTERS, all_params, element_dtype, number, stored
from dragoman.parity.memory import HostMemory
from dragoman.parity.oracles import ORACLES, Array, Expected, Residual
from dragoman.parity.oracles.claims import to_elements
from dragoman.parity.strategies import lowest
from dragoman.tables import expr
from dragoman.tables.kinds import OPTIONS, SIZES
from dragoman.tables.model import CParam, Function

OK, UNKNOWN_HANDLE, INVALID, MAPPING_ERROR = 0, 1, 7, 11
HANDLE, FREED = 0x7F0000001000, 0x7F0000002000

Change = Callable[[dict[str, Any]], None]


def nothing(arguments: dict[str, Any]) -> None:
    pass


@dataclass
class FakeSubject:
    """Right unless `wrong` changes the oracle's arguments, or `after` the arrays that the call leaves."""

    wrong: Change = nothing
    after: Change = nothing
    checks: bool = True
    label: str = "fake"
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memory = HostMemory()
        self._error = 0

    def handle(self, name: str = "") -> int:
        return FREED if name == "freed" else HANDLE

    def pointer_mode(self, device: bool) -> None:
        pass

    def last_error(self) -> int:
        error, self._error = self._error, 0
        return error

    def broken(self) -> str:
        return ""

    def invoke(self, function: Function, arguments: Sequence[Any]) -> Any:
        self.calls.append(function.name)
        values = dict(zip((p.name for p in function.params), arguments, strict=True))
        if "handle" in values and values["handle"] != HANDLE:
            return UNKNOWN_HANDLE
        answer = refused(function, values) if self.checks else None
        if answer is not None:
            self._error = 0 if function.returns_status else answer
            return answer if function.returns_status else 0
        if any(_integer_or_one(values.get(p.name)) > 1 << 20 for p in function.params if p.kind.name == "dim"):
            return 0  # asked only where nothing is to be done
        arrays, named = self._decode(function, values)
        self.wrong(named)
        with np.errstate(all="ignore"):
            claims = ORACLES[function.entry.oracle].function(**named)
        for claim in claims:
            assert isinstance(claim, (Expected, Residual))
            with np.errstate(all="ignore"):
                arrays[claim.array][claim.index] = to_elements(claim.values, arrays[claim.array].dtype)
        self.after(arrays)
        if function.form.base == "v1":
            return arrays["result"][0].item() if "result" in arrays else None
        return 0

    def _decode(self, function: Function, values: Mapping[str, Any]) -> tuple[dict[str, Array], dict[str, Any]]:
        integers = {
            p.name: _integer(p, values[p.name])
            for p in function.params
            if p.kind.name in (*SIZES, *OPTIONS, "stride", "datatype", "enum")
        }
        same = function.entry.v1.same if function.form.base == "v1" else ""
        if same:
            integers["ldc"] = integers["ldb"]
        arrays: dict[str, Array] = {}
        named: dict[str, Any] = dict(integers)
        for param in all_params(function):
            name, kind = param.name, param.kind
            if name not in values:
                named[name] = arrays[name] = arrays[same] if same else np.zeros(1, element_dtype(param))
            elif kind.name == "scalar" and function.form.base == "v1" and not isinstance(values[name], int):
                value = values[name]
                number_ = complex(value.x, value.y) if isinstance(value, ctypes.Structure) else value
                named[name] = np.asarray(number_).astype(element_dtype(param))
            elif kind.name == "batched":
                count = max(number(expr.evaluate(kind.args[0], integers)), 0)
                members = [
                    at(int(p), stored(kind.core, integers)[2], element_dtype(param))
                    for p in at(values[name], count, np.dtype(np.uint64))
                ]
                arrays.update({f"{name}[{i}]": m for i, m in enumerate(members)})
                named[name] = members
            else:
                extent = stored(kind.core, integers)[2]
                if kind.name == "strided":
                    stride, count = (number(expr.evaluate(a, integers)) for a in kind.args)
                    extent += stride * max(count - 1, 0)
                array = at(values[name], extent, element_dtype(param))
                arrays[name] = array
                named[name] = array[0] if kind.name == "scalar" and kind.io == "in" else array
        # The oracle sees the state before the call, whatever is written meanwhile.
        for name, value in named.items():
            if isinstance(value, np.ndarray) and value.ndim:
                named[name] = value.copy()
            elif isinstance(value, list):
                named[name] = [v.copy() for v in value]
        return arrays, named


def _integer_or_one(value: Any) -> int:
    return 1 if value is None else int(value)


def _integer(param: CParam, value: Any) -> int:
    if isinstance(value, bytes):
        return {v: k for k, v in LETTERS[param.kind.name].items()}[value.decode()]
    return int(value)


def at(address: Any, extent: int, dtype: np.dtype[Any]) -> Array:
    """The array that a library would see behind a pointer."""
    size = max(extent, 0) * dtype.itemsize
    raw = (ctypes.c_uint8 * size).from_address(int(address)) if size else bytearray()
    return np.frombuffer(raw, dtype)


def refused(function: Function, values: Mapping[str, Any]) -> int | None:
    """Argument checks in NVIDIA's manner, written apart from `dragoman.parity.status`; None: the call is to be made."""
    entry = function.entry.key
    for p in function.params:
        if isinstance(values[p.name], bytes) and values[p.name].decode() not in LETTERS[p.kind.name].values():
            return INVALID
    integers = {p.name: _integer(p, values[p.name]) for p in function.params if p.kind.name in (*SIZES, *OPTIONS)}
    if any(p.kind.name in OPTIONS and integers[p.name] not in LETTERS[p.kind.name] for p in function.params):
        return INVALID
    gemv = entry.startswith(("gemv", "HSHgemv", "HSSgemv"))
    matrices = [p for p in all_params(function) if p.kind.core.name not in ("vector", "scalar", "array", "result")]
    sizes = [integers[p.name] for p in function.params if p.kind.name == "dim"]
    if integers.get("batchCount", 1) < 0:
        return INVALID
    if (gemv and min(sizes) <= 0) or (entry in ("symv", "hemv") and sizes == [0]):
        return OK
    if matrices and min(sizes) < 0:
        return INVALID
    for p in matrices:
        leads = "packed" not in p.kind.core.name and p.name in values
        if leads and integers[str(p.kind.argument("ld"))] < lowest(p.kind.core, integers):
            return INVALID
    level2 = matrices and not gemv and entry != "dgmm"
    if level2 and any(p.kind.name == "inc" and integers[p.name] == 0 for p in function.params):
        return INVALID
    if any(p.kind.name in ("dim", "batch") and integers[p.name] <= 0 for p in function.params):
        return None if not matrices else OK if 0 in (integers.get(n) for n in ("m", "n", "batchCount")) else None
    absent = [
        p for p in function.params if p.kind.is_pointer and isinstance(values[p.name], int) and not values[p.name]
    ]
    if any(p.name == "result" for p in absent) and entry.startswith("dot"):
        return MAPPING_ERROR
    alpha = values.get("alpha")
    if absent and isinstance(alpha, int) and alpha and all(p.kind.core.io == "in" for p in absent):
        scalar = next(p for p in function.params if p.name == "alpha")
        unread = at(alpha, 1, element_dtype(scalar))[0] == 0
        return OK if unread and not entry.startswith(("trsm", "geam", "trmm")) else INVALID
    return INVALID if absent else None
