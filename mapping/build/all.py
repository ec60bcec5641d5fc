"""One build from tables to libraries: what `dragoman build`, the wheel and the tests call.

A stamp beside the output remembers what went in, so that a build with nothing changed answers without reading a table.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from .. import __version__, paths
from . import openblas_windows
from .builder import build
from .cython import Translator
from .plan import BuildError, Library, Progress
from .toolchain import LINUX, WINDOWS, find_toolchain, host_target

if TYPE_CHECKING:
    from ..generate.plan import Plan

TARGETS = {"linux": LINUX, "windows": WINDOWS}
MAJORS = (11, 12, 13)
STAMP = ".stamp.json"
_STAGING = ".staging-"
_SUFFIXES = {".py", ".pyx", ".pxi", ".pxd", ".h", ".c", ".yaml"}


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did. `libraries` are paths; `changed` is empty where nothing had to be done."""

    out: Path
    libraries: tuple[Path, ...]
    changed: tuple[str, ...]
    compiled: int
    seconds: float


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
    links: bool = True,
) -> Built:
    """Generate and build into `out` (default: the user's cache folder).

    libraries  names such as `cublas`; all if empty. Their companions (core, CPU backend) are always built.
    function   a symbol: only the libraries that export it are generated and built.

    Raises `BuildError` (one line) where something cannot be built, `TableError` where a table is wrong.
    """
    started = time.monotonic()
    out = (out or paths.default_out()).absolute()  # workers run in folders of their own
    majors = tuple(sorted(majors))
    options = [list(targets), list(majors), sorted(libraries), function, toolchain, links, str(out)]
    digest = _digest(options)
    stamp = out / STAMP
    known = _read_stamp(stamp, digest, targets)
    if known:
        return Built(out, known, (), 0, time.monotonic() - started)

    with contextlib.ExitStack() as stack:
        translator = stack.enter_context(Translator(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        translator.warm(min(2, jobs or os.cpu_count() or 1))
        found, changed, compiled = _build(
            out, targets, majors, libraries, function, toolchain, jobs, progress, links, translator
        )
    content = {"digest": digest, "files": [str(p) for p in found], "outputs": _outputs(out, targets)}
    new = stamp.with_suffix(".new")
    new.write_text(json.dumps(content), encoding="utf-8")
    new.replace(stamp)
    return Built(out, tuple(found), tuple(changed), compiled, time.monotonic() - started)


def _build(
    out: Path,
    targets: Sequence[str],
    majors: Sequence[int],
    libraries: Sequence[str],
    function: str,
    toolchain: str,
    jobs: int | None,
    progress: Progress | None,
    links: bool,
    translator: Translator,
) -> tuple[list[Path], list[str], int]:
    from ..generate.plan import Plan  # heavy: only where there is something to do

    gc.disable()  # tables are trees that stay: looking for cycles finds none, again and again
    plan = Plan()
    names = _names(plan, libraries, function)
    companions = not function
    # What is generated lies apart until everything is compiled: a build that fails or is killed leaves `out` as it was.
    try:
        for left in out.glob(f"{_STAGING}*"):
            shutil.rmtree(left, ignore_errors=True)
        out.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=out))
    except OSError as error:
        gc.enable()
        raise BuildError(f"cannot write to {error.filename or out}: {error.strerror}") from error
    src = staging / "src"
    try:
        try:
            plan.write(src, names if function else (), companions)
            plan.write_headers(staging / "include", majors)
        finally:
            gc.enable()
        return _compile_and_publish(
            plan, out, staging, targets, majors, names, companions, toolchain, jobs, progress, links, translator
        )
    except OSError as error:
        raise BuildError(f"cannot write to {error.filename or out}: {error.strerror}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _compile_and_publish(
    plan: Plan,
    out: Path,
    staging: Path,
    targets: Sequence[str],
    majors: Sequence[int],
    names: frozenset[str],
    companions: bool,
    toolchain: str,
    jobs: int | None,
    progress: Progress | None,
    links: bool,
    translator: Translator,
) -> tuple[list[Path], list[str], int]:
    src = staging / "src"
    found: list[Path] = []
    changed: list[str] = []
    compiled = 0
    chosen = {}
    for name in targets:
        chosen[name] = plan.libraries(src, name, majors, names)
        if companions:
            chosen[name] += _cpu(plan, src, name)
    # Every target is compiled before any is put in place.
    for publish in (False, True) if len(targets) > 1 else (True,):
        if publish:
            (out / STAMP).unlink(missing_ok=True)  # a build killed from here on is repaired by the next one
        for name in targets:
            report = build(
                chosen[name],
                TARGETS[name],
                find_toolchain(toolchain),
                out,
                jobs=jobs,
                progress=progress,
                links=links,
                translator=translator,
                publish=publish,
            )
            compiled += report.compiled
            if publish:
                found += report.libraries
                changed += report.changed
    _replace(out / "src", src, whole=companions)
    _replace(out / "include", staging / "include", whole=False)
    return found, changed, compiled


def _replace(place: Path, made: Path, *, whole: bool) -> None:
    """Puts each folder of `made` in the place of the one there; `whole`: others there go."""
    place.mkdir(parents=True, exist_ok=True)
    names = {p.name for p in made.iterdir()}
    old = made.with_name(made.name + ".old")
    old.mkdir()
    for there in list(place.iterdir()):
        if there.name in names or whole:
            there.rename(old / there.name)
    for folder in made.iterdir():
        folder.rename(place / folder.name)


def _outputs(out: Path, targets: Sequence[str]) -> dict[str, list[int]]:
    """Size and time of everything that a build put into `out`, by its path below it."""
    found = {}
    for name in ("src", "include", *targets):
        for folder, _, files in os.walk(out / name):
            for file in files:
                path = os.path.join(folder, file)
                info = os.lstat(path)
                found[os.path.relpath(path, out)] = [info.st_size, info.st_mtime_ns]
    return found


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


def _digest(options: object) -> str:
    """Over everything that a build reads, and how it was asked."""
    state = hashlib.sha256(json.dumps([options, openblas_windows.state()]).encode())
    for tool in ("cython", "ziglang", "scipy-openblas64"):
        state.update(f"{tool} {version(tool)} {__version__}\n".encode())
    roots = [paths.package_dir(), paths.tables_dir()]
    for root in roots:
        for path in sorted(root.rglob("*")):
            if (
                path.suffix in _SUFFIXES
                and "parity" not in path.parts
                and "coverage" not in path.parts
                and path.is_file()
            ):
                info = path.stat()
                state.update(f"{path} {info.st_mtime_ns} {info.st_size}\n".encode())
    return state.hexdigest()


def _read_stamp(stamp: Path, digest: str, targets: Sequence[str]) -> tuple[Path, ...]:
    """The libraries of the last build, if it was this one and everything is as it left it."""
    try:
        content = json.loads(stamp.read_text(encoding="utf-8"))
        files = tuple(Path(p) for p in content["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    if content.get("digest") != digest or not all(p.is_file() for p in files):
        return ()
    if content.get("outputs") != _outputs(stamp.parent, targets):
        return ()
    return files
