"""What to build, as data. The generator makes these; the builder reads them.

A *unit* is one source that becomes one object. A *library* is a set of objects with a name and a list of
exports. Units are compared by value: two libraries that list an equal unit share its object, so the CUDA 11,
12 and 13 builds of a chapter are compiled once a target, and its Cython step runs once for all targets.

    level3 = Unit("cublas/level3.pyx", Path(".../src/cublas/level3.pyx"), include_dirs=(runtime,),
                  defines=("DRAGOMAN_LIBRARY",))
    version = Unit("cublas/version_12.c", "const int dg_version = 12;\\n")
    cublas = Library("libcublas.so.12", units=(level3, version), exports=("cublasSgemm_v2",), folder="cuda12",
                     links=("libcublas.so",))
    build([cublas], LINUX, find_toolchain("zig"), out)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from ..errors import UserError


class BuildError(UserError):
    """A build that cannot go on; the message is one line that says what to do or where to look."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One source that becomes one object.

    name          unique inside a library, with the suffix that tells the language: `cublas/level3.pyx`,
                  `cublas/tables.c`. The Cython module is named after all of it (`cublas__level3`).
    source        a file, or the text itself
    include_dirs  searched for C headers, `.pxi` and `.pxd`, in this order, after the source's own folder. Our own
                  Python.h is always found for `.pyx`. What a source includes by name counts as part of it: a
                  changed header rebuilds exactly what mentions it.
    defines       `NAME` or `NAME=VALUE`
    flags         further compiler flags, e.g. `-O3` for a computing loop
    """

    name: str
    source: Path | str
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if PurePosixPath(self.name).suffix not in (".pyx", ".c"):
            raise ValueError(f"unit {self.name!r}: the name must end in .pyx or .c")

    @property
    def is_cython(self) -> bool:
        return self.name.endswith(".pyx")

    @property
    def module(self) -> str:
        """Name of the Cython module: unique a unit, because each object defines one symbol made from it."""
        return re.sub(r"\W", "_", str(PurePosixPath(self.name).with_suffix("")).replace("/", "__"))


@dataclass(frozen=True, slots=True)
class ExtraFile:
    """A file that travels beside a library: OpenBLAS and its licence."""

    name: str
    source: Path


@dataclass(frozen=True, slots=True)
class Library:
    """One shared library.

    file_name    `libcublas.so.12`, `cublas64_12.dll`; `folder` is its place below the build's `out`
    units        what it is made of; the linker drops what no export reaches
    exports      exactly the names that it exports, no more, no less
    soname       and version node on Linux; the file's name if empty. Ignored on Windows.
    libs         what to link with beyond the system's C library and threads: the path of a shared library, which may
                 then be needed at run time by its own SONAME, or a short name. `compiler_rt` (zig only) brings what
                 128-bit division and _Float16 need, at the price of 11 s when the compiler's cache is cold.
    rpath        `$ORIGIN` where a needed library lies beside this one
    glibc        oldest C library that it runs on (zig only); OpenBLAS asks for 2.28
    extra_files  copied beside it
    links        further names in the same folder, symbolic links to it (Linux, and only where links are wanted)
    bare         a DLL that is there for its name only: it may export nothing
    """

    file_name: str
    units: tuple[Unit, ...]
    exports: tuple[str, ...]
    folder: str = ""
    soname: str = ""
    libs: tuple[str | Path, ...] = ()
    rpath: str = ""
    glibc: str = "2.17"
    extra_files: tuple[ExtraFile, ...] = ()
    links: tuple[str, ...] = ()
    bare: bool = False

    def __post_init__(self) -> None:
        names = [unit.name for unit in self.units]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{self.file_name}: two units are named {twice[0]!r}")

    @property
    def path(self) -> str:
        """Where it goes below `out`, with forward slashes."""
        return f"{self.folder}/{self.file_name}" if self.folder else self.file_name


@dataclass(frozen=True, slots=True)
class Event:
    """One step done. `total` counts the steps of this build that were not already in the cache."""

    kind: Literal["translate", "compile", "link"]
    name: str
    done: int
    total: int


Progress = Callable[[Event], None]
