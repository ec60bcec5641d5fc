"""Which exceptions are messages to the user, and which are mistakes of ours."""

from __future__ import annotations

from ..errors import UserError


def told(error: BaseException) -> str | None:
    """The line for a user, or None where the error is a mistake of ours that deserves its traceback."""
    # Imported here: only a failing command pays for it.
    from ..build.plan import BuildError
    from ..parity.runner import ParityError
    from ..parity.subject import LoadError
    from ..tables.marks import TableError

    if isinstance(error, (UserError, BuildError, TableError, ParityError, LoadError)):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return None
