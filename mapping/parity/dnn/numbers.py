"""The numbers test of one function: cases are drawn, the smallest one that fails is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..drawing import derived_seed, smallest_failing
from .bench import Bench
from .cases import Case
from .draws import strategy
from .registry import Procedure


@dataclass(frozen=True, slots=True)
class NumbersResult:
    """How many cases were judged; the smallest failing one with what is wrong about it; the largest error / bound;
    configurations that the library does not support, with its status and how often."""

    examples: int
    error: float
    failing: Case | None = None
    lines: tuple[str, ...] = ()
    refused: dict[str, int] = field(default_factory=dict)


def check_numbers(
    procedure: Procedure,
    bench: Bench,
    examples: int,
    base_seed: int = 0,
    before: Callable[[Case], None] | None = None,
) -> NumbersResult:
    """Draw cases and judge each; `before` is told each one before it is tried (it may be the last)."""
    made = 0
    worst = 0.0
    refused: Counter[str] = Counter()

    def wrong(case: Case) -> Sequence[str] | None:
        nonlocal made, worst
        if before:
            before(case)
        outcome = bench.run(procedure, case)
        if outcome.ok and outcome.refused:
            refused[f"{procedure.signed(case.values)}: {outcome.function} answers {outcome.status}"] += 1
            return None
        made += 1
        if not outcome.ok:
            return outcome.lines()
        worst = max(worst, outcome.verdict.error)
        return None

    cases = strategy(procedure.function, procedure.drawing, dict(procedure.poison), bench.subject.version)
    failing = smallest_failing(cases, wrong, examples, derived_seed(procedure.function, base_seed))
    case, lines = failing or (None, ())
    return NumbersResult(made, worst, case, lines, dict(refused))
