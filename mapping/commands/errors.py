"""Which exceptions are messages to the user, and which are mistakes of ours."""

from __future__ import annotations

import os

from ..errors import UserError


def told(error: BaseException) -> str | None:
    """The line for a user, or None where the error is a mistake of ours that deserves its traceback."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        if isinstance(error, FileNotFoundError) and not _standing():
            return "the current folder does not exist any more; go to one that does"
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return None


def _standing() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True
