"""The folder that a build fills, and how it gets from one state to the next.

    src/  include/            what was generated
    linux/  windows/          libraries
    .dragoman-build.json      which file of the cache each library is a copy of: what has not changed is left alone
    .stamp.json               what the last build was made from, and each file that it left, with size and time

Everything new is gathered in a folder of its own beside these, so that a build that fails changes nothing. Then the stamp goes, each
file gets to its place by one rename, and a new stamp is written. Whoever is killed leaves the old state, or one without a
stamp, which the next build finishes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ..paths import cache_dir, cannot_write
from .plan import BuildError, ExtraFile

MANIFEST = ".dragoman-build.json"
STAMP = ".stamp.json"
STAGING = ".staging-"


@contextlib.contextmanager
def locked(out: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Waits until nobody else builds in `out` (`waiting` is then called). The lock ends with its process.

    It lies in the cache folder: `out` need not be there yet, and a build that fails must not leave it."""
    locks = cache_dir() / "locks"
    with writing(locks):
        locks.mkdir(parents=True, exist_ok=True)
        file = (locks / hashlib.sha256(os.fsencode(out)).hexdigest()[:12]).open("w")
    with file:
        if not _lock(file.fileno()):
            if waiting:
                waiting()
            while not _lock(file.fileno()):
                time.sleep(0.1)
        for left in out.glob(f"{STAGING}*"):  # of a build that was killed
            shutil.rmtree(left, ignore_errors=True)
        yield


def _lock(file: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


@contextlib.contextmanager
def writing(place: Path) -> Iterator[None]:
    """Says in one line what cannot be written."""
    try:
        yield
    except OSError as error:
        raise BuildError(cannot_write(place, error)) from error


class Change:
    """New content of a build's folder: gathered in `staging`, put in place by `commit`."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self._new = not out.exists()
        with writing(out):
            out.mkdir(parents=True, exist_ok=True)
            self.staging = Path(tempfile.mkdtemp(prefix=STAGING, dir=out))
        self.src, self.include = self.staging / "src", self.staging / "include"
        self._manifest = _read(out / MANIFEST)
        self._files: list[tuple[Path, str]] = []
        self._links: list[tuple[str, str]] = []
        self._gone: list[str] = []

    def __enter__(self) -> Change:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        shutil.rmtree(self.staging, ignore_errors=True)
        if self._new:
            with contextlib.suppress(OSError):  # not empty: it is finished
                self.out.rmdir()

    def add(self, files: Mapping[str, Path | ExtraFile], links: Mapping[str, str], whole: Collection[str] = ()) -> None:
        """Libraries and the links to them, by their paths below `out`. What is there already, by the manifest and the file's
        size and time, is left alone. `whole`: folders in which nothing else of ours stays."""
        with writing(self.out):
            for path, source in sorted(files.items()):
                origin, key = _origin(source)
                if self._manifest.get(path) == [key, *_state(self.out / path)]:
                    continue
                copy = self.staging / str(len(self._files))
                shutil.copyfile(origin, copy)
                self._files.append((copy, path))
                self._manifest[path] = [key, *_state(copy)]
            for path, leads_to in links.items():
                place = self.out / path
                if not (place.is_symlink() and os.readlink(place) == leads_to):
                    self._links.append((path, leads_to))
            there = [p for p in self._manifest if p not in files]
            there += [f"{f}/{p.name}" for f in whole for p in (self.out / f).glob("*") if p.is_symlink()]
            self._gone += [p for p in there if p.rpartition("/")[0] in whole and p not in links]

    def commit(self, *, whole: bool = False) -> list[str]:
        """Puts everything in place; the files that changed. `whole`: no other generated source stays."""
        with writing(self.out):
            (self.out / STAMP).unlink(missing_ok=True)
            for copy, path in self._files:
                place = self.out / path
                place.parent.mkdir(parents=True, exist_ok=True)
                copy.replace(place)
            for path, leads_to in self._links:
                place = self.out / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.unlink(missing_ok=True)
                place.symlink_to(leads_to)
            for path in self._gone:
                (self.out / path).unlink(missing_ok=True)
                self._manifest.pop(path, None)
            changed = [path for _, path in (*self._files, *((None, path) for path, _ in self._links))] + self._gone
            if changed:
                self._write(MANIFEST, json.dumps(dict(sorted(self._manifest.items())), indent=0))
            self._replace(self.src, self.out / "src", whole=whole)
            self._replace(self.include, self.out / "include", whole=False)
        return changed

    def _replace(self, made: Path, place: Path, *, whole: bool) -> None:
        """Each folder of `made` in the place of the one there; `whole`: what else is there goes."""
        if not made.is_dir():
            return
        place.mkdir(exist_ok=True)
        old = self.staging / f"{made.name}.old"
        old.mkdir()
        for there in list(place.iterdir()):
            if whole or (made / there.name).exists():
                there.rename(old / there.name)
        for folder in list(made.iterdir()):
            folder.rename(place / folder.name)

    def _write(self, name: str, text: str) -> None:
        new = self.staging / name
        new.write_text(text, encoding="utf-8")
        new.replace(self.out / name)

    def stamp(self, digest: str, libraries: Sequence[Path], targets: Sequence[str]) -> None:
        """Says that `out` is finished, and what it is made from."""
        content = {"digest": digest, "files": [str(p) for p in libraries], "outputs": _outputs(self.out, targets)}
        with writing(self.out):
            self._write(STAMP, json.dumps(content))


def finished(out: Path, digest: str, targets: Sequence[str]) -> tuple[Path, ...]:
    """The libraries of the last build, if it was this one and everything is as it left it."""
    content = _read(out / STAMP)
    if content.get("digest") != digest or content.get("outputs") != _outputs(out, targets):
        return ()
    return tuple(map(Path, content["files"]))


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


def _read(file: Path) -> dict[str, Any]:
    """What a build noted, or nothing where it is not there or no longer whole."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _origin(source: Path | ExtraFile) -> tuple[Path, str]:
    """Where a file comes from, and what tells it from an older one of the same name."""
    if isinstance(source, Path):
        return source, source.name  # a hash
    try:
        stat = source.source.stat()
    except OSError as error:
        raise BuildError(f"cannot read {source.source}: {error.strerror}") from error
    return source.source, f"{stat.st_size} {stat.st_mtime_ns}"


def _state(path: Path) -> list[int]:
    try:
        stat = path.stat()
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]
