"""Draws cases and keeps the smallest one that fails: Hypothesis, with a bound on the time that it makes smaller ones."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy

from .memory import StickyError

SHRINK_SECONDS = 4.0
T = TypeVar("T")


class _WrongError(AssertionError):
    pass


def derived_seed(name: str, base: int) -> int:
    """The seed of one function: the same on every machine, another for each function."""
    return zlib.crc32(name.encode()) ^ base


def smallest_failing(
    drawn: SearchStrategy[T], wrong: Callable[[T], Sequence[str] | None], examples: int, number: int
) -> tuple[T, tuple[str, ...]] | None:
    """The smallest case found that fails, with what is wrong about it; None where all `examples` are right.

    `wrong` tries a case and answers None where it is right. `number` is the seed. `StickyError` goes through: the device is lost.
    """
    failing: tuple[T, tuple[str, ...]] | None = None
    deadline = float("inf")

    def body(case: T) -> None:
        nonlocal failing, deadline
        if time.monotonic() > deadline and failing and case != failing[0]:
            return  # the time for shrinking is over; only the smallest found so far still fails
        lines = wrong(case)
        if lines is None:
            return
        if failing is None:
            deadline = time.monotonic() + SHRINK_SECONDS
        failing = case, tuple(lines)
        raise _WrongError

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
    )(seed(number)(given(drawn)(body)))
    try:
        run()
    except StickyError:
        raise
    except (_WrongError, HypothesisException):
        # Hypothesis adds its own error where a failure does not repeat; the failing case is what counts.
        if failing is None:
            raise
    return failing
