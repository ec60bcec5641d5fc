"""Rules of the CPU backend that the key `cpu` may name: what answers a function of rocBLAS there.

A rule is a block of mapping/cpu/rocblas/*.pxi, written once for all types, or a routine of OpenBLAS's C interface.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from .. import paths
from .expr import Name, calls
from .marks import Node, TableError, close
from .model import Entry, TypeRecord, backend_of, expand

# Routines of OpenBLAS's C interface and the types (letters of the symbol) that they exist for.
_ALL, _REAL, _COMPLEX = ("s", "d", "c", "z"), ("s", "d"), ("c", "z")
OPENBLAS = {
    "asum": ("s", "d", "sc", "dz"),
    "axpy": _ALL, "copy": _ALL, "swap": _ALL,
    "dot": _REAL,
    "gemv": _ALL, "gbmv": _ALL,
    "sbmv": _REAL, "spmv": _REAL, "symv": _REAL,
    "hemv": _COMPLEX, "hbmv": _COMPLEX, "hpmv": _COMPLEX,
    "trmv": _ALL, "trsv": _ALL, "tbmv": _ALL, "tbsv": _ALL, "tpmv": _ALL, "tpsv": _ALL,
    "gemm": _ALL, "symm": _ALL, "hemm": _COMPLEX,
    "syrk": _ALL, "syr2k": _ALL, "herk": _COMPLEX, "her2k": _COMPLEX,
    "trsm": _ALL,
}  # fmt: skip
_BLOCK = re.compile(r"^cdef (?:inline )?(?:void|element|real|double|int64_t) (\w+)\(", re.MULTILINE)
_CALLED = re.compile(r"\bcblas_(\w+)\(")


def hand_written() -> Path:
    """The folder of what is written by hand."""
    return paths.package_dir() / "cpu" / "rocblas"


@lru_cache(maxsize=1)
def blocks() -> dict[str, str]:
    """Hand-written blocks: name → the .pxi that holds it."""
    found = {}
    for path in sorted(hand_written().glob("*.pxi")):
        for name in _BLOCK.findall(path.read_text(encoding="utf-8")):
            found[name] = path.name
    return found


def rule_of(rule: str, is_half: bool) -> str:
    """The block's or routine's name: a batched entry may name its member's rule or its own name; 16 bits have blocks of
    their own."""
    return re.sub(r"(Strided)?Batched$", "", rule) + ("_half" if is_half else "")


def has_rule(rule: str, letters: str) -> bool:
    """Whether something answers for a type, by its letters in the symbol."""
    return rule in blocks() or letters.lower() in OPENBLAS.get(rule, ())


def check_rule(entry: Entry, node: Node) -> None:
    """Refuses, at `node`, a rule that no function of the entry's can be made by."""
    targets = [t for t in entry.targets if backend_of(t.to) == "rocblas"]
    if not targets:
        node.fail("`cpu` without a target in rocBLAS; expected one under `rocm`")
    for target in targets:
        if target.args is not None and not all(isinstance(a, Name) and a.id != "NULL" for a in target.args):
            node.fail(f"the CPU backend cannot derive {target.to} from this entry's `args`; expected parameters alone")
    for param in entry.params:
        for size in param.kind.core.args:
            if calls(size) & {"max", "min"}:
                node.fail(f"the CPU backend computes no {size}; expected sizes without max and min")
    for record in entry.types:
        rule = rule_of(entry.cpu, is_half(entry, record))
        if not has_rule(rule, record.name):
            known = [*blocks(), *(name for name, letters in OPENBLAS.items() if record.name.lower() in letters)]
            node.fail(
                f"the CPU backend has no rule {rule!r} for {expand(targets[0].to, record)}; "
                + close(rule, known, "a block in mapping/cpu/rocblas/*.pxi or a routine of OpenBLAS")
            )


@lru_cache(maxsize=1)
def needed() -> frozenset[str]:
    """Routines of OpenBLAS that blocks call."""
    texts = (path.read_text(encoding="utf-8") for path in hand_written().glob("*.pxi"))
    return frozenset(name for text in texts for name in _CALLED.findall(text) if name in OPENBLAS)


def check_needed(entries: Iterable[Entry]) -> None:
    """Refuses tables without an entry for a routine that blocks call: its prototype follows from the entry."""
    ruled = [entry for entry in entries if entry.cpu]
    missing = needed() - {rule_of(entry.cpu, False) for entry in ruled}
    if ruled and missing:
        name = min(missing)
        raise TableError(
            ruled[0].where, f"blocks of the CPU backend call {name!r}; expected an entry with `cpu: {name}`"
        )


def is_half(entry: Entry, record: TypeRecord) -> bool:
    """Data of 16 bits: the first vector's or matrix's, or of a function that has none, the first scalar's."""
    pointers = [p.kind.core for p in entry.params if p.kind.is_pointer and p.kind.core.role != "index"]
    data = [k for k in pointers if k.name not in ("scalar", "array", "result")]
    first = next(iter([*data, *pointers]), None)
    return first is not None and record.element(first.role).size == 2
