"""What the CPU backend's libraries have in common: units of a folder, and the file that they are linked to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from .. import paths
from ..build.openblas import OpenBlas
from ..build.plan import ExtraFile, Library, Unit

_PUBLIC = re.compile(r"^cdef public [\w *]*?(\w+)\(", re.MULTILINE)


def folder(name: str) -> Path:
    """Where the units, blocks and headers of one library are that are written by hand."""
    return paths.package_dir() / "cpu" / name


CREW = folder("crew")  # threads, a unit of each library that has work for them
RECORD = folder("record")  # how a library's calls are recorded while a stream is captured; the same
SHARED = (CREW / "crew.pyx", RECORD / "record.pyx")


def public(hand_written: Path, prefix: str = "") -> set[str]:
    """Functions that the units of a folder declare public."""
    texts = (path.read_text(encoding="utf-8") for path in hand_written.glob("*.pyx"))
    return {name for text in texts for name in _PUBLIC.findall(text) if name.startswith(prefix)}


def units(
    name: str, sources: Iterable[Path], folders: Sequence[Path], defines: tuple[str, ...] = ()
) -> tuple[Unit, ...]:
    """Computing loops: one unit a source."""
    inside = (*folders, RECORD, paths.package_dir() / "runtime")
    return tuple(
        Unit(f"{name}/{path.name}", path, include_dirs=inside, defines=defines, flags=("-O3",)) for path in sources
    )


def library(
    names: tuple[str, str],
    target: str,
    made: tuple[Unit, ...],
    exports: Iterable[str],
    openblas: OpenBlas,
    extra_files: tuple[ExtraFile, ...] = (),
) -> Library:
    """A library over OpenBLAS. `names`: its file's on Linux and on Windows."""
    windows = target == "windows"
    return Library(
        names[windows],
        units=made,
        exports=tuple(exports),
        folder=f"{target}/cpu",
        libs=(openblas.library,),
        rpath="" if windows else "$ORIGIN",
        glibc="2.28",
        extra_files=extra_files,
    )
