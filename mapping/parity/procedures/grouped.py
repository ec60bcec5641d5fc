"""Products in groups: each member is judged like a product of its own, by the oracle of GemmEx in long double."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..elements import DTYPES, draw, fill_sentinel
from ..oracles import Array, Claim
from ..oracles import storage as st
from ..oracles.claims import to_elements
from ..oracles.typed import product_claims
from ..rows import numbers, rows
from .registry import procedure
from .trial import INVALID_VALUE, NOT_SUPPORTED, Area, Trial

_SIDES = (3, 5, 1, 2, 7, 11, 0, 19)
_GROUPS = (2, 1, 3, 4, 0)
_MEMBERS = (2, 1, 3, 0)
_SLACK = (0, 0, 1, 4)
_FACTORS = (2.0, 1.0, 0.0, -1.0, 0.5, -0.75)
_PLAIN = {"S": ("f32", 68), "D": ("f64", 70)}  # element and compute type of the functions named by a letter
_DOUBLE_PEDANTIC = 71
_BOTH_HALVES = 1 - (1 << 32)  # negative, and 1 in 32 bits


@procedure("gemmGroupedBatched", "GemmGroupedBatchedEx", share=2)
def grouped(t: Trial) -> None:
    """Groups of any shape, options, factors and number of members, none included."""
    cell, types = _types(t)
    element, compute = DTYPES[cell], types[-1] if types else _PLAIN[t.function.type.name][1]
    groups = [_group(t) for _ in range(t.one_of(_GROUPS))]
    arrays: dict[str, Array] = {}
    lists: dict[str, list[str]] = {"As": [], "Bs": [], "Cs": []}
    members: list[tuple[dict[str, int], int]] = []
    scales = _scales(t, len(groups), np.float64 if cell == "f64" else np.float32)
    for g, group in enumerate(groups):
        for _ in range(group["size"]):
            i = len(members)
            members.append((group, g))
            for name, rows_, cols in (
                ("A", *_stored(group["transa"], group["m"], group["k"])),
                ("B", *_stored(group["transb"], group["k"], group["n"])),
                ("C", group["m"], group["n"]),
            ):
                blank = name == "C" and scales[1][g] == 0 and t.chance()
                arrays[f"{name}[{i}]"] = _matrix(t, element, rows_, cols, group[f"ld{name.lower()}"], blank)
                lists[f"{name}s"].append(f"{name}[{i}]")
    area = t.area(pointers=lists, **arrays)
    with t.handle() as handle:
        if groups and t.chance(
            0.3
        ):  # factors are in host memory: the other pointer mode is refused, and nothing is computed
            t.done("cublasSetPointerMode_v2", handle, 1)
            t.gives(NOT_SUPPORTED, t.function.name, *_arguments(t, handle, groups, scales, area, types))
            t.equal("the pointer mode afterwards", t.get("cublasGetPointerMode_v2", handle), 1)
            area.must_be({})
            t.done("cublasSetPointerMode_v2", handle, 0)
        t.done(t.function.name, *_arguments(t, handle, groups, scales, area, types))
        if t.wide and t.number == 0:
            _wide(t, handle, area, types)
    claims: list[Claim] = []
    for i, (group, g) in enumerate(members):
        a, b, c = (area.before(f"{name}[{i}]") for name in "ABC")
        claims += product_claims(
            f"C[{i}]", group["transa"], group["transb"], group["m"], group["n"], group["k"], scales[0][g], a,
            group["lda"], b, group["ldb"], scales[1][g], c, group["ldc"], compute,
        )  # fmt: skip
    t.error = area.judged(claims)


def _types(t: Trial) -> tuple[str, tuple[int, ...]]:
    """The element type, and the call's type arguments: none for the functions that are named by a letter."""
    choices = rows(t.function)
    if t.bench.nvidia:  # documented, and refused by cuBLAS 13.1
        choices = tuple(r for r in choices if numbers(t.function, r)["computeType"] != _DOUBLE_PEDANTIC)
    if not choices:
        return _PLAIN[t.function.type.name][0], ()
    row = choices[t.number % len(choices)]
    combos = t.function.entry.combos
    assert combos is not None
    given = numbers(t.function, row)
    return combos.cell(row, "Atype"), tuple(given[c] for c in ("Atype", "Btype", "Ctype", "computeType"))


def _group(t: Trial) -> dict[str, int]:
    group = {name: t.one_of(_SIDES) for name in ("m", "n", "k")}
    group |= {name: t.one_of((st.N, st.T, st.C)) for name in ("transa", "transb")}
    group["lda"] = max(1, _stored(group["transa"], group["m"], group["k"])[0]) + t.one_of(_SLACK)
    group["ldb"] = max(1, _stored(group["transb"], group["k"], group["n"])[0]) + t.one_of(_SLACK)
    group["ldc"] = max(1, group["m"]) + t.one_of(_SLACK)
    group["size"] = t.one_of(_MEMBERS)
    return group


def _stored(trans: int, rows_: int, cols: int) -> tuple[int, int]:
    return (rows_, cols) if trans == st.N else (cols, rows_)


def _scales(t: Trial, count: int, kind: Any) -> tuple[Array, Array]:
    alpha, beta = (np.array([t.one_of(_FACTORS) for _ in range(count)], kind) for _ in range(2))
    return alpha, beta


def _matrix(t: Trial, element: np.dtype[Any], rows_: int, cols: int, ld: int, blank: bool) -> Array:
    """A drawn matrix whose padding nobody may read; `blank`: nothing in it may be read."""
    array = np.empty(max(1, (cols - 1) * ld + rows_ if rows_ and cols else 0), element)
    fill_sentinel(array)
    if rows_ and cols and not blank:
        at = st.general(rows_, cols, ld)
        array[at] = draw(t.rng, at.size, element, "real").reshape(at.shape)
    elif blank:
        array[...] = to_elements(np.nan, element)
    return array


def _arguments(
    t: Trial, handle: int, groups: list[dict[str, int]], scales: tuple[Array, Array], area: Area, types: tuple[int, ...]
) -> list[Any]:
    """As C takes them. `t.kept` holds the host arrays until the trial is over."""
    whole = ctypes.c_int64 if t.wide else ctypes.c_int

    def array(name: str, kind: Any = whole) -> int:
        made = (kind * max(1, len(groups)))(*(g[name] for g in groups))
        t.kept.append(made)
        return ctypes.addressof(made)

    t.kept += scales
    alpha, beta = (int(s.ctypes.data) for s in scales)
    typed = iter([(n,) for n in types[:3]])
    return [
        handle, array("transa", ctypes.c_int), array("transb", ctypes.c_int), array("m"), array("n"), array("k"),
        alpha, area.at("As"), *next(typed, ()), array("lda"), area.at("Bs"), *next(typed, ()), array("ldb"),
        beta, area.at("Cs"), *next(typed, ()), array("ldc"), len(groups), array("size"), *types[3:],
    ]  # fmt: skip


def _wide(t: Trial, handle: int, area: Area, types: tuple[int, ...]) -> None:
    """Sizes are read as 64 bits: this one is negative, and 1 if it is cut."""
    one = {"transa": 0, "transb": 0, "m": 1, "n": 1, "k": 1, "lda": 1, "ldb": 1, "ldc": 1, "size": 0}
    scales = _scales(t, 1, np.float64)
    for name in ("m", "n", "k", "lda", "ldb", "ldc", "size"):
        wrong = [{**one, name: _BOTH_HALVES}]
        t.gives(INVALID_VALUE, t.function.name, *_arguments(t, handle, wrong, scales, area, types))
    t.done(t.function.name, *_arguments(t, handle, [{**one, "lda": 1 << 33}], scales, area, types))
