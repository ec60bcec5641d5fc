"""Is NVIDIA's CUDA runtime linked into a program? nvcc does that unless told otherwise; then our libcudart is never asked.

Such a program loads the driver, libcuda.so.1, and asks it for tables of functions by UUID: those UUIDs are in its file.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from pathlib import Path

from ..tables.dark import load_tables
from .driver import other_driver

# Tables that every runtime since CUDA 11 needs, and that nothing but a runtime asks for together.
_ASKED = ("runtime", "callbacks", "context_storage")


def inside(path: Path) -> bool:
    """Whether the file holds what a runtime asks a driver for."""
    wanted = [table.uuid for table in load_tables() if table.name in _ASKED]
    try:
        with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return all(content.find(uuid) >= 0 for uuid in wanted)
    except (OSError, ValueError):  # not readable; empty
        return False


def proof_given() -> bool:
    """Whether our driver answers what a runtime asks to know NVIDIA's by (docs/static-runtime.md, *The proof*)."""
    return any(e.answer for t in load_tables() if t.name == "handshake" for e in t.entries.values())


def advice() -> str:
    """What a program needs that has a runtime inside, wherever it will run."""
    proof = "" if proof_given() else ", which wants a proof that its driver is NVIDIA's and that dragoman does not give"
    return f"D030 CUDA's runtime is linked into it{proof}: start it with ZLUDA, or link it with nvcc --cudart shared"


def remark(name: str, environment: Mapping[str, str], *, driver: bool, windows: bool) -> str:
    """What keeps a program with a runtime inside from using ours, and what to do; '' where nothing does.

    driver   our libcuda is among the built libraries
    """
    head = f"D030 {name} has CUDA's runtime linked into it"
    other = "" if windows else other_driver(environment)
    if windows:
        return f"{head}, which takes its driver from the system's folder: start it under ZLUDA, or link it with nvcc --cudart shared"
    if other and "zluda" not in other.lower():
        return (
            f"{head}: it will work with the CUDA driver {other}, not with dragoman's, and so will its memory. "
            "Take that driver out of the way, or link the program with nvcc --cudart shared"
        )
    if not other and not proof_given():
        return (
            f"{head}: that runtime wants a proof that its driver is NVIDIA's, which dragoman does not give. "
            "Link the program with nvcc --cudart shared, or start it with ZLUDA"
        )
    if not other and not driver:
        return f"{head} and needs a libcuda.so.1, which was not built: dragoman build --library cuda --library cublas"
    return ""
