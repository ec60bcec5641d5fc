"""The CPU backend's rocSOLVER: exactly the functions that cuBLAS's tables target or call, over LAPACK in OpenBLAS.

A function is one line here: it hands on to the block of its own name without the type (`rocsolver_sgetrf_batched` →
`getrf_batched`), written once for all types in mapping/cpu/rocsolver/*.pxi, checks included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from ..build.openblas import OpenBlas
from ..build.plan import Library
from ..tables.amd import load_calls
from ..tables.model import Tables
from . import cpu_library, imports, spelling
from .cpu_record import Kept, recorder
from .cpu_record import Library as Recorded
from .imports import Import
from .writer import Writer, banner, wrap

SOURCE = "rocsolver.pyx"
_HEAD = """\
# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
include "rocsolver.pxi"
"""
_BLOCK = re.compile(r"^cdef rocblas_status (\w+)\(", re.MULTILINE)
_FAMILY = re.compile(r"rocsolver_[sdcz](\w+)$")


def hand_written() -> Path:
    """Folder of the blocks, headers and units that are written by hand."""
    return cpu_library.folder("rocsolver")


@lru_cache(maxsize=1)
def blocks() -> dict[str, str]:
    """Hand-written blocks: name → the .pxi that holds it."""
    return {
        name: path.name
        for path in sorted(hand_written().glob("*.pxi"))
        for name in _BLOCK.findall(path.read_text(encoding="utf-8"))
    }


def functions(tables: Tables) -> tuple[Import, ...]:
    """rocSOLVER's functions that cuBLAS's entries target or call, by name."""
    return tuple(imports.collect(tables, load_calls(), "cublas").of("rocsolver"))


def _block(item: Import) -> str:
    match = _FAMILY.match(item.name)
    if not match or match[1] not in blocks():
        raise ValueError(f"the CPU backend has no block for {item.name}; expected one in mapping/cpu/rocsolver/*.pxi")
    return match[1]


def _function(item: Import) -> Iterator[str]:
    yield f"# {item.prototype}"
    declared = [spelling.declare(ctype, name) for ctype, name, _ in item.params]
    *first, last = wrap(declared, 112, f"cdef public rocblas_status {item.name}(", "    ", ") noexcept nogil:")
    yield from first
    yield last
    # The tables say what is only read; AMD's prototypes, which the blocks have, do not.
    texts = [_argument(ctype, spelling.name(name)) for ctype, name, _ in item.params]
    yield from wrap(texts, 112, f"    cdef rocblas_status status = {_block(item)}(", "        ", ")")
    yield "    if status != RB_LATER:"
    yield "        return status"
    yield from wrap(
        [spelling.name(n) for _, n, _ in item.params], 112, f"    return {item.name}_record(", "        ", ")"
    )
    yield ""
    yield ""
    yield from recorder(item.name, item.name, (Kept(ctype, n) for ctype, n, _ in item.params), RECORDED).splitlines()


RECORDED = Recorded(
    status="rocblas_status",
    success="rocblas_status_success",
    admit="rs_admit(handle)",
    before="rs_replay(True)",
    after="rs_replay(False)",
    keep="rs_keep(handle, {run}, &call, sizeof(call))",
)


def _argument(ctype: str, name: str) -> str:
    spelled = spelling.cython_type(ctype)
    return f"<{spelled.removeprefix('const ')}>{name}" if spelled.startswith("const ") else name


def generate(tables: Tables) -> dict[str, str]:
    """File name → text."""
    items = functions(tables)
    if not items:
        return {}
    writer = Writer()
    writer.lines(_HEAD)
    for part in sorted({blocks()[_block(item)] for item in items}):
        writer.line(f'include "{part}"')
    for item in items:
        writer.line()
        writer.line()
        writer.lines("\n".join(_function(item)))
    inputs = "tables/cublas/, tables/amd_calls.yaml and mapping/cpu/rocsolver/"
    return {SOURCE: banner(writer.text(), inputs, "rocSOLVER of the CPU backend.")}


def exports(tables: Tables) -> list[str]:
    """All that librocsolver exports: what the tables call and the hand-written functions, sorted."""
    return sorted({item.name for item in functions(tables)} | cpu_library.public(hand_written()))


def library(tables: Tables, sources: Path, openblas: OpenBlas, target: str) -> Library:
    """librocsolver.so.0 or rocsolver.dll. `sources` holds what `generate` answered; OpenBLAS comes with rocBLAS."""
    folders = (hand_written(), cpu_library.folder("rocblas"), cpu_library.CREW)
    found = [*sorted(hand_written().glob("*.pyx")), sources / SOURCE, *cpu_library.SHARED]
    beside = cpu_library.defined("RS_ROCBLAS", cpu_library.ROCBLAS, target)
    made = cpu_library.units("rocsolver", target, found, folders, ("CYTHON_CCOMPLEX=0", beside))
    return cpu_library.library(("librocsolver.so.0", "rocsolver.dll"), target, made, exports(tables), openblas)
