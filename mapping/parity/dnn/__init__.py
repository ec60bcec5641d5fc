"""The parity suite for cuDNN's legacy API: procedures, oracles with derived bounds, strategies, statuses.

`run_parity(Options(library="cudnn"))` runs it on our libcudnn; `python -m dragoman.parity.dnn --nvidia` on NVIDIA's. `call(…)`
repeats one case."""

from __future__ import annotations

from typing import Any

__all__ = ["call"]


def __getattr__(name: str) -> Any:
    if name == "call":
        from .reproduce import call

        return call
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
