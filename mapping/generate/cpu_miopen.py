"""The CPU backend's MIOpen: written by hand in `mapping/cpu/miopen/`, a unit a chapter of MIOpen's manual."""

from __future__ import annotations

import re
from pathlib import Path

from .. import paths
from ..build.openblas import OpenBlas
from ..build.plan import Library, Unit

_PUBLIC = re.compile(r"^cdef public [\w *]*?(miopen\w+)\(", re.MULTILINE)


def hand_written() -> Path:
    return paths.package_dir() / "cpu" / "miopen"


def exports() -> tuple[str, ...]:
    """Every function of MIOpen's that a source declares public; their helpers (`mi_…`) stay inside."""
    found: set[str] = set()
    for path in hand_written().glob("*.pyx"):
        found |= set(_PUBLIC.findall(path.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def units() -> tuple[Unit, ...]:
    rocblas = paths.package_dir() / "cpu" / "rocblas"  # half.h, openblas.h
    folders = (hand_written(), rocblas, paths.package_dir() / "runtime")
    return tuple(
        Unit(f"miopen/{path.name}", path, include_dirs=folders, flags=("-O3",))
        for path in sorted(hand_written().glob("*.pyx"))
    )


def library(openblas: OpenBlas, target: str) -> Library:
    """libMIOpen.so.1 or MIOpen.dll, with OpenBLAS beside it."""
    return Library(
        "MIOpen.dll" if target == "windows" else "libMIOpen.so.1",
        units=units(),
        exports=exports(),
        folder=f"{target}/cpu",
        libs=(openblas.library,),
        rpath="" if target == "windows" else "$ORIGIN",
        glibc="2.28",
        extra_files=openblas.extra_files,
    )
