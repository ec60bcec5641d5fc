"""Trying the answers to open corners: each on one small case, in a child process of its own kind."""

from __future__ import annotations

from dataclasses import dataclass, field

from .corners import CORNERS, OPEN, Corner
from .runner import DnnOptions, DnnSession


@dataclass(slots=True)
class Trial:
    """What came of one corner: answers that fit, and what the others miss."""

    fitting: list[str] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.fitting and self.fitting[0] != OPEN:
            return " or ".join(self.fitting)
        missed = "; ".join(f"{answer}: {line}" for answer, line in self.others.items())
        return f"none fits ({missed})" if missed else "open"


def all_corners(options: DnnOptions) -> dict[str, Trial]:
    """Every corner that this version's functions have."""
    found: dict[str, Trial] = {}
    session = DnnSession(options)
    try:
        for name, corner in CORNERS.items():
            found[name] = _one(session, corner)
    finally:
        session.close()
    return found


def _one(session: DnnSession, corner: Corner) -> Trial:
    trial = Trial()
    for answer in corner.answers:
        result = session.trial(corner, answer)
        if result.state == "pass" and answer != OPEN:
            trial.fitting.append(answer)
        elif result.state != "pass":
            trial.others[answer] = result.lines[0] if result.lines else result.state
    if not trial.fitting and trial.others.get(OPEN) is None:
        trial.fitting.append(OPEN)
    return trial
