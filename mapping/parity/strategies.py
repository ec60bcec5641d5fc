"""Hypothesis strategies for whole calls, derived from the kinds of a function's parameters.

Drawn are shapes, options, leading dimensions above the minimum, increments of either sign, strides, scalars, pointer
mode, aliasing, a seed and a few poison elements; arrays follow from the seed. Sizes of one call are different primes,
so that a swapped argument shows. What a function's meaning forbids beyond the kinds stands in its oracle's
registration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from hypothesis import strategies as hs

from ..tables import expr
from ..tables.kinds import OPTIONS, Kind
from ..tables.model import CParam, Function
from .cases import BY_MODE, Case, Scalar, all_params, element_dtype, number, stored
from .elements import known
from .oracles import ORACLES, Oracle
from .oracles import storage as st
from .oracles.claims import is_complex, is_float
from .rows import Row, numbers, rows, with_row

# Sizes by position: the first dim of a call draws from the first row, and so on; rows share only 0, 1 and 2. A failing
# example shrinks to the first of a row, which is large enough to show a swap.
_MATRIX = (
    (3, 1, 2, 11, 11, 19, 29, 0, 41, 65),
    (5, 1, 2, 13, 13, 17, 31, 0, 37, 66),
    (7, 1, 2, 7, 23, 0, 43),
)
_VECTOR = (5, 1, 2, 3, 7, 11, 13, 29, 0, -3, 67, 131, 257, 1031)
_BAND = (1, 0, 2, 4, 7)
_BATCH = (2, 1, 3, 0)
_LD = (1, 0, 0, 2, 5)
_INC = (1, 1, 2, -1, -2, 3, -3)
_REAL = (2.0, 1.0, 0.0, -1.0, 0.5, -0.75)
_WHOLE = (2, 1, 0, -1, 3, -2)
_COMPLEX = (2.0 + 1j, 1.0 + 0j, 0j, -1.0 + 0j, 1j, -0.75 + 0.5j)
ANY_OF = {"cublasGemmAlgo_t": (-1, 99, 0, 103)}  # enumerations whose values make no difference to the numbers
_POISON = ("nan", "inf", "-inf", "denormal", "nan")
_SEEDS = hs.integers(0, 9999)
_TRUTH = hs.booleans()
_TILES = (0, 7, 16)  # so that most calls need several tiles, and edges are of any length
_WORK = 40_000  # products of one call; above it the oracle costs more than it shows

_samplers: dict[tuple[Any, ...], hs.SearchStrategy[Any]] = {}


def one_of(values: tuple[Any, ...]) -> hs.SearchStrategy[Any]:
    """`sampled_from`, made once for each tuple: building strategies costs more than drawing from them."""
    found = _samplers.get(values)
    if found is None:
        found = _samplers[values] = hs.sampled_from(values)
    return found


def why_untested(function: Function) -> str:
    """Why a function's numbers cannot be tested here, or '' where they can."""
    if function.kind == "unsupported":
        return "unsupported"
    if not function.entry.oracle:
        return "no oracle"
    if function.entry.oracle not in ORACLES:
        return f"unknown oracle {function.entry.oracle!r}"
    choices = rows(function)
    params = all_params(with_row(function, choices[0]) if choices else function)
    strange = [p.name for p in params if p.element is not None and not known(p.element)]
    return f"no NumPy type for {', '.join(strange)}" if strange else ""


def is_vector_only(function: Function) -> bool:
    """Level 1: no matrix among the operands."""
    return not any(p.kind.core.name not in (*BY_MODE, "vector") for p in all_params(function))


def cases(function: Function, only: Sequence[Row] = ()) -> hs.SearchStrategy[Case]:
    """Calls of one function that NVIDIA's library defines the outcome of; of a typed one, with any of its rows or `only` some."""
    oracle = ORACLES[function.entry.oracle]
    plans = tuple(_Plan(with_row(function, row), oracle, numbers(function, row)) for row in only or rows(function))
    plans = plans or (_Plan(function, oracle, {}),)

    @hs.composite
    def build(draw: Callable[[hs.SearchStrategy[Any]], Any]) -> Case:
        plan: _Plan = draw(hs.sampled_from(plans)) if len(plans) > 1 else plans[0]
        return plan.draw(draw)

    return build()


class _Plan:
    """What can be known of a function before drawing. `types` are the arguments that name its types."""

    def __init__(self, function: Function, oracle: Oracle, types: Mapping[str, int]) -> None:
        self.function = function
        self.types = types
        self.oracle = oracle
        self.present = {p.name for p in function.params}
        self.pointers = all_params(function)
        self.level1 = is_vector_only(function)
        self.complex = any(is_complex(element_dtype(p)) for p in self.pointers)
        self.bands = {
            str(p.kind.argument(word))
            for p in self.pointers
            for word in ("kl", "ku", "k")
            if p.kind.core.name.endswith("band") and _has(p.kind, word)
        }
        self.users: dict[str, list[CParam]] = {}  # ld or inc -> arrays that use it
        self.strides: dict[str, CParam] = {}
        for p in self.pointers:
            for word in ("ld", "inc"):
                if _has(p.kind, word) and isinstance(p.kind.argument(word), expr.Name):
                    self.users.setdefault(str(p.kind.argument(word)), []).append(p)
            if p.kind.name == "strided":
                self.strides[str(p.kind.args[0])] = p
        self.options = [p.name for p in function.params if p.kind.name in OPTIONS]
        self.choices = tuple(
            product(
                *(
                    self._allowed(p.name) if p.kind.name == "op" else (0, 1)
                    for p in function.params
                    if p.kind.name in OPTIONS
                )
            )
        )
        self.by_mode = function.form.base != "v1" and any(p.kind.core.name in BY_MODE for p in self.pointers)
        self.scalars = [p for p in self.pointers if p.kind.name == "scalar" and p.kind.io == "in"]
        self.poisonable = [
            p.name
            for p in self.pointers
            if p.kind.core.io != "out" and p.kind.core.name not in BY_MODE and is_float(element_dtype(p))
        ]
        self.zeroable = [p.name for p in self.pointers if p.kind.name == "scalar" and p.kind.io == "inout"]
        self.alias = [
            (pair, option)
            for pair, option in oracle.alias.items()
            if pair[1] in self.present and function.form.base != "v1"
        ]
        data = ["real", "real", "whole"] if not oracle.ties else ["whole", "real"]
        self.data = (*data, "huge", "tiny") if oracle.scales else tuple(data)

    def _allowed(self, name: str) -> tuple[int, ...]:
        every = self.oracle.ops.get(name, (st.N, st.T, st.C))
        return self.oracle.complex_ops.get(name, every) if self.complex else every

    def draw(self, draw: Callable[[hs.SearchStrategy[Any]], Any]) -> Case:
        values = self._integers(draw)
        alias = self._alias(draw, values)
        for name, params in self.users.items():
            if name in values:
                continue
            if any(_has(p.kind, "inc") for p in params):
                values[name] = draw(one_of(self._increments(name, params)))
            else:
                values[name] = max(lowest(p.kind.core, values) for p in params) + draw(one_of(_LD))
        if alias:
            self._align(alias, values)
        for name, param in self.strides.items():
            extent = stored(param.kind.core, values)[2]
            more = (0, 3, extent + extent // 2)
            values[name] = extent + draw(one_of(more))
            if param.kind.core.io == "in" and extent and draw(one_of((False, False, False, True))):
                values[name] = 0  # all members are one
        scalars = {p.name: draw(one_of(_values(p, self.oracle))) for p in self.scalars}
        blank = scalars.get("beta") == 0 and draw(_TRUTH)
        return Case(
            function=self.function.name,
            values={p.name: values[p.name] for p in self.function.params if p.name in values},
            scalars=scalars,
            seed=draw(_SEEDS),
            data=draw(one_of(self.data)),
            poison=self._poison(draw),
            alias=alias,
            device=self.by_mode and draw(_TRUTH),
            blank=blank,
            absent=tuple(name for name in self.oracle.optional if draw(_TRUTH)),
            tiles=draw(one_of(_TILES)) if self.function.form.base == "host" else 0,
        )

    def _integers(self, draw: Callable[[hs.SearchStrategy[Any]], Any]) -> dict[str, int]:
        values: dict[str, int] = dict(zip(self.options, draw(one_of(self.choices)), strict=True)) | dict(self.types)
        position, work = 0, 1
        for p in self.function.params:
            word = p.kind.name
            if word == "batch":
                values[p.name] = draw(one_of(_BATCH))
            elif word == "enum" and p.name not in values:
                values[p.name] = draw(one_of(ANY_OF[p.kind.type]))
            elif word == "dim" and p.name in self.bands:
                values[p.name] = draw(one_of(_BAND))
            elif word == "dim" and self.level1:
                values[p.name] = draw(one_of(_VECTOR))
            elif word == "dim":
                row = _MATRIX[position % len(_MATRIX)]
                value = draw(one_of(row))
                if work * max(value, 1) > _WORK:
                    value = row[0]
                values[p.name] = value
                work *= max(value, 1)
                position += 1
        return self.oracle.within(values)

    def _increments(self, name: str, params: list[CParam]) -> tuple[int, ...]:
        if any(p.name in self.oracle.positive for p in params):
            return (1, 2, 3)
        return (*_INC, 0) if all(p.name in self.oracle.repeats for p in params) else _INC

    def _alias(
        self, draw: Callable[[hs.SearchStrategy[Any]], Any], values: Mapping[str, int]
    ) -> tuple[str, str] | None:
        allowed = [pair for pair, option in self.alias if not option or values[option] == st.N]
        if not allowed or draw(one_of((0, 0, 1))) == 0:
            return None
        return draw(one_of(tuple(allowed)))  # type: ignore[no-any-return]

    def _align(self, alias: tuple[str, str], values: dict[str, int]) -> None:
        lds = [str(p.kind.argument("ld")) for p in self.pointers if p.name in alias]
        values[lds[0]] = values[lds[1]] = max(values[lds[0]], values[lds[1]])

    def _poison(self, draw: Callable[[hs.SearchStrategy[Any]], Any]) -> tuple[tuple[str, int, str], ...]:
        choice = draw(one_of((0, 0, 0, 1, 2)))
        found = []
        for _ in range(choice):
            if self.poisonable:
                name = draw(one_of(tuple(self.poisonable)))
                # A denormal pivot divides to infinity.
                kinds = self.oracle.poison or (_POISON[:3] if name in self.oracle.solve else _POISON)
                found.append((name, draw(hs.integers(0, 199)), draw(one_of(kinds))))
            elif self.zeroable:
                found.append((draw(one_of(tuple(self.zeroable))), 0, "zero"))
        return tuple(found)


def _has(kind: Kind, word: str) -> bool:
    from ..tables.kinds import ARGUMENTS

    return word in ARGUMENTS.get(kind.core.name, ())


def lowest(kind: Kind, values: Mapping[str, int]) -> int:
    """Smallest leading dimension that an array may have."""

    def get(word: str) -> Any:
        return expr.evaluate(kind.argument(word), values)

    if kind.name == "band":
        return int(get("kl")) + int(get("ku")) + 1
    if kind.name.endswith("band"):
        return int(get("k")) + 1
    if kind.name == "matrix":
        return max(1, int(get("shape")[0]))
    return max(1, number(get("n")))


def _values(param: CParam, oracle: Oracle) -> tuple[Scalar, ...]:
    dtype = element_dtype(param)
    return _COMPLEX if is_complex(dtype) else _REAL if is_float(dtype) else _WHOLE
