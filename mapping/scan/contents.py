"""The files of paths: folders are walked, wheels and archives opened in place. Nothing is unpacked under a name that an archive chose."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from ..errors import UserError
from .binary import form_of
from .source import SUFFIXES, is_source

DEPTH = 3  # of archives in archives
MEMBER_BYTES = 8 << 30
ALL_BYTES = 64 << 30  # out of one archive
MEMBERS = 500_000
SOURCE_BYTES = 8 << 20
SPARE_BYTES = 1 << 30  # of the disk that copies of members lie on: left to others
_ZIPS = (".whl", ".zip", ".nupkg", ".jar", ".egg", ".npz")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst", ".crate")
# What an archive's member is opened by; None is no file.
_Open = Callable[[], IO[bytes] | None]


@dataclass(frozen=True, slots=True)
class Content:
    """One file. `path` lasts until the next one is asked for.

    label    for people: `torch.whl: torch/lib/libtorch_cuda.so`
    trouble  why it could not be read; then `path` is of no use
    """

    label: str
    name: str
    path: Path
    source: bool = False
    trouble: str = ""


def of(paths: list[Path]) -> Iterator[Content]:
    """Programs, libraries and sources under the paths, each once; what is neither is passed over.

    UserError: a path is not there, or is a pipe or device.
    """
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if not path.exists():
            raise UserError(f"{path}: no such file or folder")
        if not (path.is_dir() or path.is_file()):  # to open a pipe is to wait for its writer
            raise UserError(f"{path}: neither a file nor a folder")
        closed: list[OSError] = []
        for file in _files(path, closed):
            try:
                status = file.stat()
            except OSError as error:
                yield Content(str(file), file.name, file, trouble=error.strerror or str(error))
                continue
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            try:
                yield from _one(str(file), file.name, file, 0)
            except PermissionError:
                yield Content(str(file), file.name, file, trouble="may not be read")
            except OSError as error:
                yield Content(str(file), file.name, file, trouble=error.strerror or str(error))
        for refused in closed:
            folder = Path(refused.filename)
            yield Content(f"{folder}{os.sep}", folder.name, folder, trouble="may not be read")


def _files(path: Path, closed: list[OSError]) -> Iterator[Path]:
    """Folders that cannot be listed go to `closed`."""
    if not path.is_dir():
        yield path
        return
    for folder, inner, files in os.walk(path, onerror=closed.append):  # links to folders are not followed
        inner.sort()
        for name in sorted(files):
            file = Path(folder, name)
            if file.is_file():
                yield file


def _one(label: str, name: str, path: Path, depth: int) -> Iterator[Content]:
    lower = name.lower()
    if lower.endswith(_ZIPS) or lower.endswith(_TARS):
        if depth >= DEPTH:
            yield Content(label, name, path, trouble=f"archives more than {DEPTH} deep in each other are not opened")
            return
        if lower.endswith(".zst") and sys.version_info < (3, 14):
            yield Content(label, name, path, trouble="Zstandard archives are opened with Python 3.14 or later")
            return
        members = _zip(path) if lower.endswith(_ZIPS) else _tar(path)
        seen = 0
        try:
            for content in _members(label, members, depth):
                seen += 1
                yield content
        except (
            Exception
        ) as error:  # whatever a reader of archives thinks up: names that are no text, headers cut in half
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the disk's fault, not the archive's
            rest = "; what follows there was not looked at" if seen else ""
            yield Content(label, name, path, trouble=f"a broken archive: {_why(error)}{rest}")
        return
    with path.open("rb") as stream:
        if form_of(stream.read(4)):
            yield Content(label, name, path)
        elif is_source(name) and path.stat().st_size <= SOURCE_BYTES:
            yield Content(label, name, path, source=True)
        elif is_source(name):
            yield Content(label, name, path, trouble=_LONG)


_LONG = f"a source of more than {SOURCE_BYTES >> 20} MB: too large to look at"


def _why(error: Exception) -> str:
    """One line: tarfile tells of each compression that it tried, zipfile prints the whole record of an encrypted member."""
    if "is encrypted" in str(error):
        return "encrypted"
    if isinstance(error, UnicodeError):
        return "a name in it is no text"
    return next(iter(str(error).splitlines()), "").rstrip(":") or type(error).__name__


def _members(label: str, members: Iterator[tuple[str, _Open]], depth: int) -> Iterator[Content]:
    left = ALL_BYTES
    closed: list[
        tuple[str, str]
    ] = []  # members that cannot be read, with the reason; the others are looked at all the same
    with tempfile.TemporaryDirectory(prefix="dragoman-scan-") as folder:
        for number, (name, opened) in enumerate(members):
            if number >= MEMBERS:
                yield Content(label, label, Path(), trouble=f"more than {MEMBERS} members: the rest was not looked at")
                break
            short = name.rsplit("/", 1)[-1]
            copy = Path(folder, "member")
            most = min(MEMBER_BYTES, left, max(0, shutil.disk_usage(folder).free - SPARE_BYTES))
            try:
                size = _copied(opened, short.lower(), copy, most)
            except Exception as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                closed.append((name, _why(error)))
                continue
            if size is None:
                continue
            if size < 0:
                trouble = _LONG if is_source(short) else "too large to look at"
                yield Content(f"{label}: {name}", short, copy, trouble=trouble)
                continue
            left -= size
            yield from _one(f"{label}: {name}", short, copy, depth + 1)
            copy.unlink()
    if closed:
        (first, why), others = closed[0], f" and {len(closed) - 1} more" if len(closed) > 1 else ""
        yield Content(label, label, Path(), trouble=f"members that cannot be read: {first} ({why}){others}")


def _copied(opened: _Open, short: str, to: Path, most: int) -> int | None:
    """As `_copy`; None where the member is nothing to look at."""
    stream = opened()
    if stream is None:
        return None
    with stream:
        head = stream.read(4)
        if not (form_of(head) or short.endswith((*_ZIPS, *_TARS, *SUFFIXES))):
            return None
        source = not form_of(head) and is_source(short)
        return _copy(head, stream, to, min(most, SOURCE_BYTES) if source else most)


def _copy(head: bytes, stream: IO[bytes], to: Path, most: int) -> int:
    """The size, or -1 where it is more than `most`: what the archive says of sizes is not believed."""
    size = len(head)
    with to.open("wb") as out:
        out.write(head)
        while block := stream.read(1 << 20):
            size += len(block)
            if size > most:
                return -1
            out.write(block)
    return size


def _zip(path: Path) -> Iterator[tuple[str, _Open]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.filename.endswith("/"):  # a folder; `is_dir` stumbles over an empty name
                yield member.filename, partial(archive.open, member)


def _tar(path: Path) -> Iterator[tuple[str, _Open]]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isreg():
                yield member.name, partial(archive.extractfile, member)
