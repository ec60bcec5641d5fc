"""Differences that are known and must still be there: each with its reason.

A result that a line here names counts as `known` where it fails; where it passes, the line is out of date and the
result is `unexpected`, so that no line outlives its reason."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    return tuple(dict.fromkeys(found))


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
