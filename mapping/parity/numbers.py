"""The numbers test of one function: Hypothesis draws calls, the smallest one that fails is kept."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import HypothesisException

from ..tables.model import Function
from .cases import Case
from .check import Workbench
from .memory import StickyError
from .rows import Row, rows
from .strategies import cases

SHRINK_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class NumbersResult:
    """How many calls were made; the smallest failing one with what is wrong about it; the largest error / bound."""

    examples: int
    error: float
    failing: Case | None = None
    lines: tuple[str, ...] = ()
    python: str = ""  # repeats a failing example of a procedure


class _WrongError(AssertionError):
    pass


def derived_seed(name: str, base: int) -> int:
    """The seed of one function: the same on every machine, another for each function."""
    return zlib.crc32(name.encode()) ^ base


def shares(function: Function, examples: int) -> list[tuple[Row, ...]]:
    """The rows of a typed function one by one, where there are examples for each; else together, and so are no rows.

    Left to Hypothesis alone, some rows are drawn often and some never.
    """
    each = rows(function)
    return [(row,) for row in each] if each and examples >= 2 * len(each) else [()]


def check_numbers(
    function: Function,
    bench: Workbench,
    examples: int,
    base_seed: int = 0,
    before: Callable[[Case], None] | None = None,
) -> NumbersResult:
    """Draw `examples` calls and judge each; `before` is told each call before it is made (it may be the last)."""
    made = 0
    worst = 0.0
    failing: Case | None = None
    lines: tuple[str, ...] = ()
    deadline = float("inf")

    def body(case: Case) -> None:
        nonlocal made, worst, failing, lines, deadline
        if time.monotonic() > deadline and case != failing:
            return  # the time for shrinking is over; only the smallest found so far still fails
        made += 1
        if before:
            before(case)
        outcome = bench.run(function, case)
        if outcome.ok:
            worst = max(worst, outcome.verdict.error)
            return
        if failing is None:
            deadline = time.monotonic() + SHRINK_SECONDS
        failing, lines = case, tuple(outcome.lines())
        raise _WrongError

    for i, only in enumerate(shares(function, examples)):
        run = settings(
            max_examples=max(1, examples // len(shares(function, examples))),
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )(seed(derived_seed(function.name, base_seed) + i)(given(cases(function, only))(body)))
        try:
            run()
        except (_WrongError, HypothesisException):
            # Hypothesis adds its own error where a failure does not repeat; the failing call is what counts.
            if failing is None:
                raise
        except StickyError:
            raise
        if failing is not None:
            break
    return NumbersResult(made, worst, failing, lines)
