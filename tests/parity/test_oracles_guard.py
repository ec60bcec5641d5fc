"""The oracles never reach BLAS or LAPACK: not by name, and not at run time."""

from __future__ import annotations

import ast
from pathlib import Path

import dragoman.parity.oracles
import dragoman.parity.procedures
import numpy as np
import pytest
from dragoman.parity.oracles import arithmetic

SOURCES = [
    path
    for package in (dragoman.parity.oracles, dragoman.parity.procedures)
    for path in sorted(Path(str(package.__file__)).parent.glob("*.py"))
]
# Whatever NumPy may hand to BLAS or LAPACK.
FORBIDDEN = {
    "dot",
    "vdot",
    "inner",
    "matmul",
    "tensordot",
    "linalg",
    "multi_dot",
    "vecdot",
    "matvec",
    "vecmat",
    "cross",
    "kron",
}


def offences(source: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            found.append(f"line {node.lineno}: @")
        if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN:
            found.append(f"line {node.lineno}: {node.attr}")
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("scipy", "numpy"):
            found += [
                f"line {node.lineno}: {a.name}" for a in node.names if a.name in FORBIDDEN or node.module != "numpy"
            ]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "einsum":
            found += [f"line {node.lineno}: einsum({k.arg}=…)" for k in node.keywords]
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_no_source_names_blas(path: Path) -> None:
    assert offences(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    ["a @ b", "np.dot(a, b)", "a.dot(b)", "np.linalg.solve(a, b)", "np.einsum('ij,jk', a, b, optimize=True)",
     "from scipy import linalg", "np.tensordot(a, b)"],
)  # fmt: skip
def test_the_guard_sees(text: str) -> None:
    assert offences(text)


def test_products_and_solves_are_in_long_double() -> None:
    a, b = np.eye(2, dtype=np.longdouble), np.ones((2, 1), np.longdouble)
    assert arithmetic.product(a, b).value.dtype == np.longdouble
    assert arithmetic.solve(a, np.ones((2, 2), bool), b, True).dtype == np.longdouble
