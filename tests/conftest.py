"""Tests that measure time get the machine for themselves: the other workers of a run wait for them."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

try:
    import fcntl
except ImportError:  # Windows: a run there has to be of one worker
    fcntl = None  # type: ignore[assignment]

# Two files that are there anyway are the locks. Whoever wants to be alone keeps the door while the room empties.
DOOR, ROOM = Path(__file__).resolve(), Path(__file__).resolve().parents[1] / "pyproject.toml"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with _inside(item.get_closest_marker("alone") is not None):
        return (yield)


@contextlib.contextmanager
def _inside(alone: bool) -> Iterator[None]:
    if fcntl is None:
        yield
        return
    with DOOR.open("rb") as door, ROOM.open("rb") as room:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        if not alone:
            fcntl.flock(door, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(room, fcntl.LOCK_UN)  # said so: a child of the test may still hold the file
            fcntl.flock(door, fcntl.LOCK_UN)
