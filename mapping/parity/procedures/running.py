"""The numbers test of a function that a procedure tries."""

from __future__ import annotations

from collections.abc import Callable

from ...tables.model import Function
from ..numbers import NumbersResult
from .registry import procedure_of
from .trial import Bench, Trial, WrongError

_APART = 100_000  # between the examples of two seeds


def repeat(function: Function, number: int) -> str:
    """Lines of Python that repeat one example."""
    return f'from dragoman.parity import call\ncall("{function.name}", seed={number})'


def one(function: Function, bench: Bench, number: int) -> Trial:
    """One example. Raises `WrongError`."""
    procedure = procedure_of(function)
    assert procedure is not None
    trial = Trial(bench, function, number)
    procedure.body(trial)
    return trial


def check_procedure(
    function: Function, bench: Bench, examples: int, base_seed: int = 0, before: Callable[[str], None] | None = None
) -> NumbersResult:
    """Examples one after the other up to the first that is wrong; `before` is told how each is repeated (it may be the last)."""
    procedure = procedure_of(function)
    assert procedure is not None
    worst = 0.0
    count = max(2, round(examples * procedure.share))
    for i in range(count):
        number = base_seed * _APART + i
        if before:
            before(repeat(function, number))
        try:
            worst = max(worst, one(function, bench, number).error)
        except WrongError as error:
            return NumbersResult(i + 1, 0.0, None, (str(error),), repeat(function, number))
    return NumbersResult(count, worst)
