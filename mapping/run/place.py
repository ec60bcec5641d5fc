"""Where the built libraries are: the wheel's own, else those of `dragoman build` in the user's cache."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from .. import paths
from ..errors import UserError

Build = Callable[[str], None]
"""Builds the libraries of a target into the cache, showing progress."""

DEFAULT_MAJOR = 12


def host() -> str:
    """The target that this machine's programs load."""
    return "windows" if sys.platform == "win32" else "linux"


def root(target: str = "", build: Build | None = None) -> Path:
    """The build tree that holds a target's libraries; built first where it is a checkout's and `build` is given.

    A checkout's tree is always handed to `build`, which knows whether anything is out of date.
    """
    target = target or host()
    shipped = paths.shipped_libraries()
    if shipped and (shipped / target).is_dir():
        return shipped
    if build:
        build(target)
    return paths.default_out()


def folder(target: str, major: int, build: Build | None = None) -> Path:
    """The folder of one CUDA major's libraries, as built."""
    found = root(target, build) / target / f"cuda{major}"
    if not found.is_dir():
        raise UserError(f"{found} does not exist; make it with: dragoman build --target {target} --cuda {major}")
    return found


def headers(target: str, major: int, build: Build | None = None) -> Path:
    """The folder of the headers to compile against."""
    found = root(target, build) / "include" / f"cuda{major}"
    if not found.is_dir():
        raise UserError(f"{found} does not exist; make it with: dragoman build --cuda {major}")
    return found
