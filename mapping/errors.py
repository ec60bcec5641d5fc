"""The error that a user meets: one line that says what is wrong and what to do; exit status 2."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


class UserError(Exception):
    """A request that cannot be served. The message is the line that the user reads."""


def nearest(name: str, names: Sequence[str]) -> str:
    """`did you mean …?`, whatever the case of the letters."""
    lower = {n.lower(): n for n in names}
    close = [lower[n] for n in difflib.get_close_matches(name.lower(), list(lower), n=3)]
    if not close:
        return "`dragoman coverage --format md` lists all"
    return f"did you mean {', '.join(close[:-1])}{' or ' if close[:-1] else ''}{close[-1]}?"
