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
# Files of libraries that others of them look for beside themselves, on Linux and on Windows.
HIP = ("libamdhip64.so.7", "amdhip64_7.dll")
ROCBLAS = ("librocblas.so.5", "rocblas.dll")


def file_name(names: tuple[str, str], target: str) -> str:
    return names[target == "windows"]


def defined(name: str, names: tuple[str, str], target: str) -> str:
    """A library's file name as a C macro."""
    return f'{name}="{file_name(names, target)}"'


def public(hand_written: Path, prefix: str = "") -> set[str]:
    """Functions that the units of a folder declare public."""
    texts = (path.read_text(encoding="utf-8") for path in hand_written.glob("*.pyx"))
    return {name for text in texts for name in _PUBLIC.findall(text) if name.startswith(prefix)}


def units(
    name: str, target: str, sources: Iterable[Path], folders: Sequence[Path], defines: tuple[str, ...] = ()
) -> tuple[Unit, ...]:
    """Computing loops: one unit a source. The one that finds the HIP runtime is told its name."""
    inside = (*folders, RECORD, paths.package_dir() / "runtime")
    found = {RECORD / "record.pyx": (defined("RECORD_HIP", HIP, target),)}
    return tuple(
        Unit(f"{name}/{path.name}", path, include_dirs=inside, defines=defines + found.get(path, ()), flags=("-O3",))
        for path in sources
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
    return Library(
        file_name(names, target),
        units=made,
        exports=tuple(exports),
        folder=f"{target}/cpu",
        libs=(openblas.library,),
        rpath="" if target == "windows" else "$ORIGIN",
        glibc="2.28",
        extra_files=extra_files,
    )
