"""The CPU backend's libraries: AMD's file names and ABI over host memory.

rocBLAS and rocSOLVER are generated from the same tables as the translators (`cpu_rocblas.py`, `cpu_rocsolver.py`) and filled
with the blocks of `mapping/cpu/rocblas/` and `mapping/cpu/rocsolver/`; the HIP runtime and MIOpen are written by hand in
`mapping/cpu/hip/` and `mapping/cpu/miopen/`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from .. import paths
from ..build.openblas import find_openblas
from ..build.plan import Library, Unit
from ..build.toolchain import LINUX, WINDOWS
from ..tables.model import Tables
from . import cpu_miopen, cpu_rocblas, cpu_rocsolver

_PUBLIC = re.compile(r"^cdef public [\w ]+?[ *]+(hip\w+)\(", re.MULTILINE)
FOLDER = "cpu_rocblas"  # below src/
SOLVER_FOLDER = "cpu_rocsolver"


def hip_folder() -> Path:
    return paths.package_dir() / "cpu" / "hip"


def hip_exports() -> tuple[str, ...]:
    """Every function that a source of the CPU's HIP runtime declares public."""
    found: set[str] = set()
    for path in hip_folder().glob("*.pyx"):
        found |= set(_PUBLIC.findall(path.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def hip_library(target: str) -> Library:
    folders = (hip_folder(), paths.package_dir() / "runtime")
    units = tuple(Unit(f"hip/{path.name}", path, folders) for path in sorted(hip_folder().glob("*.pyx")))
    windows = target == "windows"
    return Library(
        "amdhip64_7.dll" if windows else "libamdhip64.so.7",
        units=units,
        exports=hip_exports(),
        folder=f"{target}/cpu",
        soname="libamdhip64.so.7",
    )


def sources(tables: Tables) -> dict[str, str]:
    """Generated files of the CPU backend, by their path below `src/`."""
    found = {f"{FOLDER}/{name}": text for name, text in cpu_rocblas.generate(tables).items()}
    return found | {f"{SOLVER_FOLDER}/{name}": text for name, text in cpu_rocsolver.generate(tables).items()}


def libraries(tables: Tables, src: Path, target: str) -> list[Library]:
    """The CPU backend of one target."""
    openblas = find_openblas(WINDOWS if target == "windows" else LINUX)
    rocblas = cpu_rocblas.library(tables, src / FOLDER, openblas, target)
    rocsolver = cpu_rocsolver.library(tables, src / SOLVER_FOLDER, openblas, target)
    placed = (replace(made, folder=f"{target}/cpu") for made in (rocblas, rocsolver))
    return [hip_library(target), *placed, cpu_miopen.library(openblas, target)]
