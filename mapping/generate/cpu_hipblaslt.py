"""The CPU backend's hipBLASLt: written by hand in `mapping/cpu/hipblaslt/`."""

from __future__ import annotations

from pathlib import Path

from ..build.openblas import OpenBlas
from ..build.plan import Library
from . import cpu_library


def hand_written() -> Path:
    return cpu_library.folder("hipblaslt")


def exports() -> tuple[str, ...]:
    """Every function that a source declares public under hipBLASLt's prefix; their helpers (`hl_…`) stay inside."""
    return tuple(sorted(cpu_library.public(hand_written(), "hipblasLt")))


def library(openblas: OpenBlas, target: str) -> Library:
    """libhipblaslt.so.1 or hipblaslt.dll; OpenBLAS comes with rocBLAS."""
    folders = (hand_written(), cpu_library.folder("rocblas"))  # half.h, openblas.h
    made = cpu_library.units(
        "hipblaslt",
        target,
        [*sorted(hand_written().glob("*.pyx")), cpu_library.RECORD / "record.pyx"],
        folders,
        ("CYTHON_CCOMPLEX=0",),
    )
    return cpu_library.library(("libhipblaslt.so.1", "hipblaslt.dll"), target, made, exports(), openblas)
