"""The CPU backend's libraries: AMD's file names and ABI over host memory.

rocBLAS and rocSOLVER are generated from the same tables as the translators (`cpu_rocblas.py`, `cpu_rocsolver.py`) and filled
with the blocks of `mapping/cpu/rocblas/` and `mapping/cpu/rocsolver/`; the HIP runtime, hipBLASLt and MIOpen are written by
hand in `mapping/cpu/hip/`, `mapping/cpu/hipblaslt/` and `mapping/cpu/miopen/`.
"""

from __future__ import annotations

from pathlib import Path

from .. import paths
from ..build.openblas import find_openblas
from ..build.plan import Library, Unit
from ..build.toolchain import LINUX, WINDOWS
from ..tables.model import Tables
from . import cpu_hipblaslt, cpu_library, cpu_miopen, cpu_rocblas, cpu_rocsolver

FOLDER = "cpu_rocblas"  # below src/
SOLVER_FOLDER = "cpu_rocsolver"
DNN_FOLDER = "cpu_miopen"


def hip_exports() -> tuple[str, ...]:
    """Every function that a source of the CPU's HIP runtime declares public."""
    return tuple(sorted(cpu_library.public(cpu_library.folder("hip"), "hip")))


def hip_library(target: str) -> Library:
    """The CPU backend's HIP runtime."""
    folder = cpu_library.folder("hip")
    folders = (folder, cpu_library.RECORD, paths.package_dir() / "runtime")
    units = tuple(Unit(f"hip/{path.name}", path, folders) for path in sorted(folder.glob("*.pyx")))
    return Library(
        cpu_library.file_name(cpu_library.HIP, target),
        units=units,
        exports=hip_exports(),
        folder=f"{target}/cpu",
        soname=cpu_library.HIP[0],
    )


def sources(tables: Tables) -> dict[str, str]:
    """Generated files of the CPU backend, by their path below `src/`."""
    found = {f"{FOLDER}/{name}": text for name, text in cpu_rocblas.generate(tables).items()}
    found |= {f"{DNN_FOLDER}/{name}": text for name, text in cpu_miopen.generate().items()}
    return found | {f"{SOLVER_FOLDER}/{name}": text for name, text in cpu_rocsolver.generate(tables).items()}


def libraries(tables: Tables, src: Path, target: str) -> list[Library]:
    """The CPU backend of one target."""
    openblas = find_openblas(WINDOWS if target == "windows" else LINUX)
    return [
        hip_library(target),
        cpu_rocblas.library(tables, src / FOLDER, openblas, target),
        cpu_rocsolver.library(tables, src / SOLVER_FOLDER, openblas, target),
        cpu_hipblaslt.library(openblas, target),
        cpu_miopen.library(src / DNN_FOLDER, openblas, target),
    ]
