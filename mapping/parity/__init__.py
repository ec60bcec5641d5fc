"""Is the answer right? The suite that compares a set of libraries with NumPy, function by function.

`run_parity(Options(...))` runs it and answers a `Report`; `call(...)` repeats one call. Both are imported on first use:
Hypothesis is heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .options import Options, ParityError
    from .reproduce import call
    from .runner import run_parity

__all__ = ["Options", "ParityError", "call", "run_parity"]


def __getattr__(name: str) -> Any:
    if name in ("Options", "ParityError"):
        from . import options

        return getattr(options, name)
    if name == "run_parity":
        from . import runner

        return getattr(runner, name)
    if name == "call":
        from .reproduce import call

        return call
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
