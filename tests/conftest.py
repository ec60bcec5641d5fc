"""What the workers of a run share: tests that measure time get the machine for themselves, and libraries are built once."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

try:
    import fcntl
except ImportError:  # Windows: a run there has to be of one worker
    fcntl = None  # type: ignore[assignment]

# Two files that are there anyway are the locks. Whoever wants to be alone keeps the door while the room empties.
DOOR, ROOM = Path(__file__).resolve(), Path(__file__).resolve().parents[1] / "pyproject.toml"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m tables`: files that have no test of that mark are not imported. Only where all of the expression is one mark."""
    mark = config.getoption("markexpr", "")
    if not mark.isidentifier() or not collection_path.name.startswith("test_"):
        return None
    return None if f"mark.{mark}" in collection_path.read_text(encoding="utf-8") else True


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


@pytest.fixture(scope="session")
def build_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Builds libraries into a folder of this run, once for all of its workers: the first one builds, the others wait. Keywords
    are those of `build_all`."""
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent

    def build(name: str, **what: object) -> Path:
        out = shared / name
        done = out.with_suffix(".done")
        try:
            os.close(os.open(out.with_suffix(".lock"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            for _ in range(600):
                if done.exists():
                    return out
                time.sleep(0.5)
            pytest.fail("another worker has not built the libraries within five minutes")
        from dragoman.build.all import build_all

        build_all(out, **what)  # type: ignore[arg-type]
        done.touch()
        return out

    return build
