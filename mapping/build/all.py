"""One build from tables to libraries: what `dragoman build`, the wheel and the tests call.

A stamp beside the output remembers what went in and came out, so that a build with nothing changed answers without reading a
table. tree.py says how the output gets from one state to the next.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from .. import __version__, paths
from . import openblas_windows, tree
from .builder import make
from .cython import Translator
from .plan import BuildError, Library, Progress
from .toolchain import LINUX, WINDOWS, find_toolchain, host_target

if TYPE_CHECKING:
    from ..generate.plan import Plan

TARGETS = {"linux": LINUX, "windows": WINDOWS}
MAJORS = (11, 12, 13)
_SUFFIXES = {".py", ".pyx", ".pxi", ".pxd", ".h", ".c", ".yaml"}


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did. `libraries` are paths; `changed` is empty where nothing had to be done."""

    out: Path
    libraries: tuple[Path, ...]
    changed: tuple[str, ...]
    compiled: int
    seconds: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a build is to make: part of its digest."""

    targets: tuple[str, ...]
    majors: tuple[int, ...]
    libraries: tuple[str, ...]
    function: str
    toolchain: str
    links: bool

    @property
    def whole(self) -> bool:
        """Everything of its targets and majors: what else of ours lies there is out of date."""
        return not self.libraries and not self.function


def build_all(
    out: Path | None = None,
    *,
    targets: Sequence[str] = ("linux",),
    majors: Iterable[int] = MAJORS,
    libraries: Sequence[str] = (),
    function: str = "",
    toolchain: str = "zig",
    jobs: int | None = None,
    progress: Progress | None = None,
    waiting: Callable[[], None] | None = None,
    links: bool = True,
) -> Built:
    """Generate and build into `out` (default: a folder of this installation's in the user's cache).

    libraries  names such as `cublas`; all if empty. Their companions (core, CPU backend) are always built.
    function   a symbol: only the libraries that export it are generated and built.
    waiting    called where somebody else builds there at the moment, which is waited for.

    Raises `BuildError` (one line) where something cannot be built, `TableError` where a table is wrong.
    """
    started = time.monotonic()
    out = (out or paths.default_out()).absolute()  # workers run in folders of their own
    asked = _Asked(tuple(targets), tuple(sorted(majors)), tuple(sorted(libraries)), function, toolchain, links)
    known = tree.finished(out, _digest(asked), asked.targets)
    if known:  # nothing is written then: `out` need not be one's own
        return Built(out, known, (), 0, time.monotonic() - started)
    with tree.locked(out, waiting):
        digest = _digest(asked)  # before anything is read: what changes from here on is for the next build
        known = tree.finished(out, digest, asked.targets)  # whoever was waited for may have built this
        if known:
            return Built(out, known, (), 0, time.monotonic() - started)
        with tree.Change(out) as change:
            found, compiled = _make(change, asked, jobs, progress)
            changed = change.commit(whole=asked.whole)
            change.stamp(digest, found, asked.targets)
    return Built(out, tuple(found), tuple(changed), compiled, time.monotonic() - started)


def _make(change: tree.Change, asked: _Asked, jobs: int | None, progress: Progress | None) -> tuple[list[Path], int]:
    """Everything that is to be in `out`, gathered in `change`: the libraries' future paths, and how many units were compiled."""
    with contextlib.ExitStack() as stack:
        translator = stack.enter_context(Translator(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        translator.warm(min(2, jobs or os.cpu_count() or 1))
        from ..generate.plan import Plan  # heavy: only where there is something to do

        with _no_collector():
            plan = Plan()
            names = _names(plan, asked.libraries, asked.function)
            with tree.writing(change.out):
                plan.write(change.src, names if asked.function else (), not asked.function)
                plan.write_headers(change.include, asked.majors)
        found: list[Path] = []
        compiled = 0
        for name in asked.targets:
            chosen = plan.libraries(change.src, name, asked.majors, names)
            if not asked.function:
                chosen += _cpu(plan, change.src, name)
            made = make(
                chosen,
                TARGETS[name],
                find_toolchain(asked.toolchain),
                jobs=jobs,
                progress=progress,
                links=asked.links,
                translator=translator,
            )
            change.add(made.files, made.links, {library.folder for library in chosen} if asked.whole else ())
            found += [change.out / path for path in made.libraries]
            compiled += made.compiled
        return found, compiled


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    """Tables are trees that stay: looking for cycles finds none, again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _cpu(plan: Plan, src: Path, name: str) -> list[Library]:
    """The CPU backend. For a foreign system the OpenBLAS package at hand is the wrong one: then it is left out."""
    from ..generate import cpu

    try:
        return cpu.libraries(plan.tables, src, name)
    except BuildError:
        if name == host_target().name:
            raise
        return []


def _names(plan: Plan, libraries: Sequence[str], function: str) -> frozenset[str]:
    """Libraries to generate and build."""
    names = set(libraries)
    if function:
        owners = {f.entry.library for f in plan.tables.functions() if function in (f.name, f.alias)}
        if not owners:
            raise BuildError(f"no function {function!r} in the tables; `dragoman coverage` lists all")
        names |= owners
    unknown = names - set(plan.tables.libraries)
    if unknown:
        raise BuildError(f"no library {sorted(unknown)[0]!r}; expected one of {', '.join(plan.tables.libraries)}")
    return frozenset(names or plan.parts)


def _digest(asked: _Asked) -> str:
    """Over everything that a build reads, and how it was asked."""
    compiler = find_toolchain(asked.toolchain).identity
    state = hashlib.sha256(json.dumps([asdict(asked), __version__, compiler, openblas_windows.state()]).encode())
    for tool in ("cython", "scipy-openblas64"):
        state.update(f"{tool} {_version(tool)}\n".encode())
    for root in (paths.package_dir(), paths.tables_dir()):
        for path in sorted(root.rglob("*")):
            if (
                path.suffix in _SUFFIXES
                and "parity" not in path.parts
                and "coverage" not in path.parts
                and path.is_file()
            ):
                info = path.stat()
                state.update(f"{path} {info.st_mtime_ns} {info.st_size}\n".encode(errors="surrogateescape"))
    return state.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""  # the step that needs it says so
