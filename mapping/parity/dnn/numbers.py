"""The numbers test of one function: Hypothesis draws cases, the smallest one that fails is kept."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import HypothesisException

from ..memory import StickyError
from ..numbers import SHRINK_SECONDS, derived_seed
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


class _WrongError(AssertionError):
    pass


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
    failing: Case | None = None
    lines: tuple[str, ...] = ()
    refused: Counter[str] = Counter()
    deadline = float("inf")

    def body(case: Case) -> None:
        nonlocal made, worst, failing, lines, deadline
        if time.monotonic() > deadline and case != failing:
            return  # the time for shrinking is over; only the smallest found so far still fails
        if before:
            before(case)
        outcome = bench.run(procedure, case)
        if outcome.ok:
            if outcome.refused:
                refused[f"{procedure.signed(case.values)}: {outcome.function} answers {outcome.status}"] += 1
            else:
                made += 1
                worst = max(worst, outcome.verdict.error)
            return
        made += 1
        if failing is None:
            deadline = time.monotonic() + SHRINK_SECONDS
        failing, lines = case, tuple(outcome.lines())
        raise _WrongError

    cases = strategy(procedure.function, procedure.drawing, dict(procedure.poison), bench.subject.version)
    run = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )(seed(derived_seed(procedure.function, base_seed))(given(cases)(body)))
    try:
        run()
    except StickyError:
        raise
    except (_WrongError, HypothesisException):
        # Hypothesis adds its own error where a failure does not repeat; the failing case is what counts.
        if failing is None:
            raise
    return NumbersResult(made, worst, failing, lines, dict(refused))
