"""Differences between AMD's real libraries and what is expected of us that are known, each with its reason.

As in `parity/known.py`, with the releases that a difference belongs to."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass

from ..parity.known import KNOWN as PARITY
from ..tables.model import Function
from .releases import Release
from .results import Outcome


@dataclass(frozen=True, slots=True)
class Known:
    """`function` and `case` are globs; `releases` are names, none for all. A `case` names an argument check, or is found in the
    line of a refused call."""

    function: str
    case: str
    reason: str
    releases: tuple[str, ...] = ()


_NARROW = "the release has no _64 form: what does not fit 32 bits answers NOT_SUPPORTED"
_PACKED = "the release multiplies int8 on this card in packed fours alone: answers NOT_SUPPORTED"
_NO_BF16 = "the release has no bfloat16 here: answers NOT_SUPPORTED"
_NO_MIXED = "the release has no gemv of halves into floats: answers NOT_SUPPORTED"
KNOWN: tuple[Known, ...] = (
    Known("*_64", "* = 1 - 2^32", _NARROW, ("5.5",)),
    Known("*_64", "* = 2^31 + 5*", _NARROW, ("5.5",)),
    Known("*_64", "leading dimensions = 2^33", _NARROW, ("5.5",)),
    *(Known("cublasGemm*Ex*", case, _PACKED, ("5.5",)) for case in ("COMPUTE_32I* i8 i8 i32", "status 15: *Atype=3,*")),
    *(
        Known(f"cublas{name}*", case, _NO_BF16, ("5.5",))
        for name in ("Nrm2Ex", "ScalEx", "AxpyEx")
        for case in ("*bf16*", "status 15: *xType=14,*")
    ),
    *(
        Known(f"cublas{name}*", case, _NO_MIXED, ("5.5",))
        for name in ("IamaxEx", "IaminEx", "AsumEx")
        for case in ("f16*", "bf16*", "status 15: *xType=2,*", "status 15: *xType=14,*")
    ),
)


# What AMD's own library does of itself: release → behaviour → lines.
BEHAVIOURS = {
    # its set_stream asks whether the stream is idle, which a capture forbids; later releases do not
    "5.5": {"stream_under_capture": ("rocblas_set_stream: hipStreamQuery while a stream is captured",)},
}


def behaved(release: Release, found: dict[str, list[str]]) -> dict[str, list[str]]:
    """What is wrong beside what is known."""
    known = BEHAVIOURS.get(release.name, {})
    return {name: [line for line in lines if line not in known.get(name, ())] for name, lines in found.items()}


def reasons(function: Function, release: Release, outcome: Outcome) -> dict[str, str]:
    """The argument checks and calls of an outcome that are known to be answered otherwise."""
    lines = [(k.function, k.case, k.reason) for k in PARITY if k.backend == "*"]
    lines += [(k.function, k.case, k.reason) for k in KNOWN if not k.releases or release.name in k.releases]
    found: dict[str, str] = {}
    for said in (*(check.case for check in outcome.wrong), *outcome.refused):
        for name, case, reason in lines:
            if fnmatch.fnmatchcase(function.name, name) and fnmatch.fnmatchcase(said, case):
                found.setdefault(said, reason)
    return found
