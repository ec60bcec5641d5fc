"""Differences that are known and must still be there: each with its reason.

A result that a line here names counts as `known` where it fails; where it passes, the line is out of date and the
result is `unexpected`, so that no line outlives its reason."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..tables.loader import load
from ..tables.model import Function
from .golden import DEPARTURES
from .report import FunctionResult


@dataclass(frozen=True, slots=True)
class Known:
    """`function` and `case` are globs; a `case` of `numbers` means the numbers test."""

    function: str
    case: str
    reason: str
    backend: str = "*"


_INCREMENT_0 = "rocBLAS refuses an increment of 0 in gemv, cuBLAS repeats the element: the call answers INVALID_VALUE"
_DOUBLES = "NVIDIA's library refuses doubles in this call although it takes them in others; this one transforms them"
KNOWN: tuple[Known, ...] = (
    Known("cublas*gemv*", "incx = 0", _INCREMENT_0),
    Known("cublas*gemv*", "incy = 0", _INCREMENT_0),
    Known("cudnnTransformTensorEx", "srcData: another element type", _DOUBLES),
)


def differences(function: Function) -> tuple[str, ...]:
    """Where an answered function is known to answer otherwise than NVIDIA's, on purpose or for want of it: `case: reason`."""
    if function.entry.unsupported:
        return ()
    found = [f"{k.case}: {k.reason}" for k in KNOWN if fnmatch.fnmatchcase(function.name, k.function)]
    if function.entry.library == "cublas":  # recorded answers that are followed in all but these
        found += [f"{d.case}: {d.reason}" for d in DEPARTURES if fnmatch.fnmatchcase(function.entry.key, d.entry)]
    probed = _probed().get((function.entry.library, function.entry.key), ())
    return tuple(dict.fromkeys([*found, *(line for line in probed if line.partition(": ")[2] not in _reasons(found))]))


def _reasons(lines: Sequence[str]) -> set[str]:
    return {line.partition(": ")[2] for line in lines}


@lru_cache(maxsize=1)
def _probed() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """By library and entry: where ours answer otherwise than NVIDIA's did when it was asked with small calls."""
    from .nvidia import departures  # it needs NumPy

    found: dict[tuple[str, str], dict[str, None]] = {}
    entries = {f.name: f.entry for f in load().functions()}
    for name, line in departures.told():
        if name in entries:
            found.setdefault((entries[name].library, entries[name].key), {})[line] = None
    return {place: tuple(said) for place, said in found.items()}


def unknown(function: Function) -> tuple[str, ...]:
    """Corners of an answered function of which it is not known what one of the two sides does."""
    corners = () if function.entry.unsupported else function.entry.corners
    return tuple(
        f"{c.case}: NVIDIA's: {c.nvidia}; AMD's: {c.rocm}" for c in corners if "unknown" in f"{c.nvidia} {c.rocm}"
    )


def applied(result: FunctionResult, backend: str, lines: Sequence[Known] | None = None) -> FunctionResult:
    """The result with known failures marked."""
    relevant = [
        k
        for k in (KNOWN if lines is None else lines)
        if fnmatch.fnmatchcase(result.name, k.function) and fnmatch.fnmatchcase(backend, k.backend)
    ]
    if not relevant:
        return result
    numbers, statuses = result.numbers, list(result.statuses)
    for line in relevant:
        if line.case == "numbers" and numbers:
            numbers = replace(numbers, state=_state(numbers.state), lines=(*numbers.lines, line.reason))
        for i, status in enumerate(statuses):
            if fnmatch.fnmatchcase(status.case, line.case):
                statuses[i] = replace(status, state=_state(status.state), notes=(*status.notes, line.reason))
    return replace(result, numbers=numbers, statuses=tuple(statuses))


def _state(state: str) -> str:
    return "unexpected" if state == "pass" else "known" if state == "fail" else state
