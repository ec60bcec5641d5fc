"""The files of paths: folders are walked, wheels and archives opened in place. Nothing is unpacked under a name that an archive chose."""

from __future__ import annotations

import lzma
import os
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
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
_ZIPS = (".whl", ".zip", ".nupkg", ".jar", ".egg", ".npz")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst", ".crate")
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
)


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
        try:
            yield from _members(label, members, depth)
        except _BROKEN as error:
            yield Content(label, name, path, trouble=f"a broken archive: {_why(error)}")
        return
    with path.open("rb") as stream:
        if form_of(stream.read(4)):
            yield Content(label, name, path)
        elif is_source(name) and path.stat().st_size <= SOURCE_BYTES:
            yield Content(label, name, path, source=True)


def _why(error: Exception) -> str:
    """One line: tarfile tells of each compression that it tried."""
    return next(iter(str(error).splitlines()), "").rstrip(":") or type(error).__name__


def _members(label: str, members: Iterator[tuple[str, IO[bytes]]], depth: int) -> Iterator[Content]:
    left = ALL_BYTES
    with tempfile.TemporaryDirectory(prefix="dragoman-scan-") as folder:
        for number, (name, stream) in enumerate(members):
            if number >= MEMBERS:
                yield Content(label, label, Path(), trouble=f"more than {MEMBERS} members: the rest was not looked at")
                return
            short = name.rsplit("/", 1)[-1]
            head = stream.read(4)
            if not (form_of(head) or short.lower().endswith((*_ZIPS, *_TARS, *SUFFIXES))):
                continue
            copy = Path(folder, "member")
            size = _copy(head, stream, copy, min(MEMBER_BYTES, left))
            if size < 0:
                yield Content(f"{label}: {name}", short, copy, trouble="too large to look at")
                continue
            left -= size
            yield from _one(f"{label}: {name}", short, copy, depth + 1)
            copy.unlink()


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


def _zip(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                with archive.open(member) as stream:
                    yield member.filename, stream


def _tar(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isreg() else None
            if stream:
                with stream:
                    yield member.name, stream
