"""The numbers test of one function: calls are drawn, the smallest one that fails is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..tables.model import Function
from .cases import Case
from .check import Workbench
from .drawing import derived_seed, smallest_failing
from .rows import Row, elements, rows
from .strategies import cases


@dataclass(frozen=True, slots=True)
class NumbersResult:
    """How many calls were made; the smallest failing one with what is wrong about it; the largest error / bound."""

    examples: int
    error: float
    failing: Case | None = None
    lines: tuple[str, ...] = ()
    python: str = ""  # repeats a failing example of a procedure


def shares(function: Function, examples: int) -> list[tuple[Row, ...]]:
    """Who shares the examples of a typed function: its rows one by one, where there are two for each; else those rows together
    that differ in nothing but an option (a compute type), so that all elements are met; else all, and so are no rows.

    Left to Hypothesis alone, some rows are drawn often and some never.
    """
    each = rows(function)
    if not each or examples >= 2 * len(each):
        return [(row,) for row in each] or [()]
    alike: dict[tuple[str, ...], list[Row]] = {}
    for row in each:
        alike.setdefault(elements(function, row), []).append(row)
    return [tuple(some) for some in alike.values()] if examples >= len(alike) else [()]


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

    def wrong(case: Case) -> Sequence[str] | None:
        nonlocal made, worst
        made += 1
        if before:
            before(case)
        outcome = bench.run(function, case)
        if not outcome.ok:
            return outcome.lines()
        worst = max(worst, outcome.verdict.error)
        return None

    parts = shares(function, examples)
    number = derived_seed(function.name, base_seed)
    for i, only in enumerate(parts):
        failing = smallest_failing(cases(function, only), wrong, max(1, examples // len(parts)), number + i)
        if failing:
            return NumbersResult(made, worst, *failing)
    return NumbersResult(made, worst)


__all__ = ["NumbersResult", "check_numbers", "derived_seed", "shares"]
