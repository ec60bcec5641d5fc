"""NumPy oracles: plain functions that say what a BLAS call must leave behind, and within which error bound.

They never reach BLAS or LAPACK: the libraries that they judge, and NumPy itself, may carry the same OpenBLAS. All
arithmetic is element-wise products and sums, or `einsum` without `optimize`, in long double; integers are exact.
`tests/parity/test_oracles_guard.py` keeps it so."""

from __future__ import annotations

from . import lapack, level1, level2, level3, lt, typed
from .claims import Array, Claim, Expected, Fault, Relation, Residual, Verdict, judge
from .registry import ORACLES, Oracle

__all__ = [
    "ORACLES", "Array", "Claim", "Expected", "Fault", "Oracle", "Relation", "Residual", "Verdict", "judge",
    "lapack", "level1", "level2", "level3", "lt", "typed",
]  # fmt: skip
