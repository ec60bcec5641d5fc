"""The CPU backend's MIOpen: written by hand in `mapping/cpu/miopen/`, a unit a chapter of MIOpen's manual."""

from __future__ import annotations

from pathlib import Path

from ..build.openblas import OpenBlas
from ..build.plan import Library
from . import cpu_library


def hand_written() -> Path:
    return cpu_library.folder("miopen")


def exports() -> tuple[str, ...]:
    """Every function of MIOpen's that a source declares public; their helpers (`mi_…`) stay inside."""
    return tuple(sorted(cpu_library.public(hand_written(), "miopen")))


def library(openblas: OpenBlas, target: str) -> Library:
    """libMIOpen.so.1 or MIOpen.dll, with OpenBLAS beside it."""
    folders = (hand_written(), cpu_library.folder("rocblas"), cpu_library.CREW)  # half.h, openblas.h
    found = [*sorted(hand_written().glob("*.pyx")), *cpu_library.SHARED]
    made = cpu_library.units("miopen", found, folders)
    names = ("libMIOpen.so.1", "MIOpen.dll")
    return cpu_library.library(names, target, made, exports(), openblas, openblas.extra_files)
