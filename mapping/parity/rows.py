"""Typed functions: a row of `combos` says which types a call passes, and so which elements its pointers have.

A case keeps the row as the call does: in the values of its type arguments (`Atype=2`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from ..generate.combos import constant
from ..tables.kinds import DATA_TYPES, ELEMENTS
from ..tables.loader import load
from ..tables.model import Combos, CParam, Function
from ..tables.types import load_types

NEWEST = 13  # whose enumerations name all types
OTHERS = ("CUDA_C_16F", "CUDA_R_4I", "CUDA_R_8F_E4M3", "CUDA_R_8F_E5M2")  # types that no typed call of cuBLAS takes
Row = tuple[str, ...]


def rows(function: Function) -> tuple[Row, ...]:
    """The rows that a function may be called with; none where its types are in its name."""
    combos = function.entry.combos
    return combos.of(function.type) if combos else ()


@lru_cache(maxsize=1024)
def _number(name: str) -> int:
    return load_types().for_version(NEWEST).value(name)


def numbers(function: Function, row: Row) -> dict[str, int]:
    """The row's type arguments, in NVIDIA's numbers."""
    entry = function.entry
    combos = _combos(function)
    library = load().libraries[entry.library]
    return {c: _number(constant(entry, c, combos.cell(row, c), library)) for c in combos.keys}


def row_of(function: Function, values: Mapping[str, int]) -> Row | None:
    """The row that a call's type arguments name."""
    for row in rows(function):
        if all(values.get(c) == n for c, n in numbers(function, row).items()):
            return row
    return None


def typed(function: Function, values: Mapping[str, int]) -> Function:
    """The function with its pointers typed as a call's arguments say; itself where there is nothing to say."""
    row = row_of(function, values)
    return function if row is None else with_row(function, row)


def with_row(function: Function, row: Row) -> Function:
    """The function with a row's types in place of its type arguments."""
    combos = _combos(function)
    columns = function.entry.typing_columns()

    def one(param: CParam) -> CParam:
        cell = combos.cell(row, columns[param.name]) if param.name in columns else ""
        return replace(param, element=ELEMENTS[cell]) if cell else param

    return replace(function, params=tuple(one(p) for p in function.params))


def elements(function: Function, row: Row) -> tuple[str, ...]:
    """A row's types without its options: what it says of the elements and of the scalars."""
    combos = _combos(function)
    options = {c for c in combos.keys if function.entry.param(c).kind.name != "datatype"}
    return tuple(cell for column, cell in zip(combos.columns, row, strict=True) if column not in options)


def all_types(function: Function, column: str) -> dict[str, int]:
    """What may stand in a type argument, by name, and numbers that are nothing."""
    kind = function.entry.param(column).kind
    if kind.name == "datatype":
        found = {name: _number(name) for name in (*DATA_TYPES.values(), *OTHERS)}
    else:
        found = load_types().for_version(NEWEST).constants(kind.type)
    return found | {"1000": 1000, "-1": -1}


def _combos(function: Function) -> Combos:
    assert function.entry.combos is not None
    return function.entry.combos


def named(function: Function, row: Row) -> str:
    """`COMPUTE_32F f16 f16 f32`: a row's types as a person reads them."""
    combos = _combos(function)
    return " ".join(combos.cell(row, c) for c in combos.keys)
