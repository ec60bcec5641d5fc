"""Corners that the manual leaves open, and what NVIDIA's library does in them.

An oracle asks for a corner by name. Each has a few possible answers; `open` promises nothing. What was seen on NVIDIA's
hardware is recorded in `goldens/corners.json` by `python -m dragoman.parity.dnn --nvidia --corners`: each possible answer is
tried on one small case, and the ones that fit are kept. Until then the first answer here counts.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "goldens" / "corners.json"
OPEN = "open"


@dataclass(frozen=True, slots=True)
class Corner:
    """One open question, its possible answers, and a case that tells them apart."""

    name: str
    answers: tuple[str, ...]
    function: str
    values: Mapping[str, Any] = field(default_factory=dict)
    poison: tuple[tuple[str, int, str], ...] = ()


CORNERS: dict[str, Corner] = {}
_forced: dict[str, str] = {}


def corner(name: str, answers: str, function: str, poison: tuple[tuple[str, int, str], ...] = (), **values: Any) -> str:
    """Register a corner. `values` go over the function's baseline; `open` is always the last answer."""
    CORNERS[name] = Corner(name, (*answers.split(), OPEN), function, values, poison)
    return name


@lru_cache(maxsize=1)
def recorded() -> dict[str, str]:
    if not PATH.exists():
        return {}
    raw = json.loads(PATH.read_text(encoding="utf-8"))
    return {name: str(answer) for name, answer in raw["corners"].items()}


def choice(name: str) -> str:
    """The answer that counts: forced, recorded, or the first."""
    known = CORNERS[name]
    answer = _forced.get(name) or recorded().get(name, known.answers[0])
    return answer if answer in known.answers else OPEN


@contextlib.contextmanager
def forced(name: str, answer: str) -> Iterator[None]:
    """For a trial: as if this had been recorded."""
    _forced[name] = answer
    try:
        yield
    finally:
        del _forced[name]


def write(answers: Mapping[str, str], seen_on: str) -> None:
    PATH.parent.mkdir(exist_ok=True)
    text = json.dumps({"seen_on": seen_on, "corners": dict(sorted(answers.items()))}, indent=1)
    PATH.write_text(text + "\n", encoding="utf-8")
    recorded.cache_clear()
