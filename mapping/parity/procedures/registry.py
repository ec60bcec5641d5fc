"""The procedures by table entry: all types and forms of an entry share one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...tables.model import Function

if TYPE_CHECKING:
    from .trial import Trial

Body = Callable[["Trial"], None]


@dataclass(frozen=True, slots=True)
class Procedure:
    """How the functions of one entry are tried. `share`: the part of a run's examples that it gets."""

    entry: str
    body: Body
    share: float = 1.0


LIBRARIES = ("cublas", "cublasLt")
PROCEDURES: dict[str, Procedure] = {}


def procedure(*entries: str, share: float = 1.0) -> Callable[[Body], Body]:
    """Register a procedure for one or more entries of cuBLAS's and cuBLASLt's tables."""

    def register(body: Body) -> Body:
        for entry in entries:
            if entry in PROCEDURES:
                raise ValueError(f"{entry} has two procedures")
            PROCEDURES[entry] = Procedure(entry, body, share)
        return body

    return register


def procedure_of(function: Function) -> Procedure | None:
    """What tries a function, if it is not an oracle."""
    if function.entry.library not in LIBRARIES or function.kind == "unsupported":
        return None
    return PROCEDURES.get(function.entry.key)
