"""What the children that ask AMD's libraries share, whichever suite they play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from ..parity.process import Answer, serve
from .log import Event, Kind
from .results import Outcome

SHOWN = 6  # of each kind of difference


class Asks(Protocol):
    """A worker: `answers` are of the last function's argument checks, AMD's functions and their statuses."""

    answers: dict[str, list[tuple[str, int]]]

    def run(self, name: str) -> Outcome: ...


def entered(events: Sequence[Event]) -> list[str]:
    """AMD's functions that were called, each once."""
    return list(dict.fromkeys(e.name for e in events if e.kind == Kind.CALL))


def enter(outcome: Outcome, events: Sequence[Event]) -> None:
    outcome.amd += [name for name in entered(events) if name not in outcome.amd]


def add(lines: list[str], line: str) -> None:
    if line not in lines and len(lines) < SHOWN:
        lines.append(line)


def serve_with(made: Callable[[dict[str, Any]], Asks]) -> int:
    """The child's end: a function's name comes in, its outcome and answers go out."""

    def begin(config: dict[str, Any], answer: Answer) -> Callable[[str], None]:
        worker = made(config)

        def work(name: str) -> None:
            outcome = asdict(worker.run(name))
            answer({"done": {"outcome": outcome, "answers": worker.answers}})

        return work

    return serve(begin)
