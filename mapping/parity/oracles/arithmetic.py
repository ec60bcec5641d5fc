"""Products and solves in long double, without BLAS: element-wise products and sums only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .claims import Array, Dtype, size1, smallest, wide

INF = np.longdouble("inf")


@dataclass(frozen=True, slots=True)
class Sum:
    """Sums of products: the value, the sum of |·|₁ that its error bound needs, and where nothing is promised.

    Nothing is promised where a NaN or Inf meets only structural zeros (the other triangle, outside the band): BLAS
    does not say whether these are skipped or multiplied."""

    value: Array
    size: Array
    free: Array
    terms: int

    def bound(self, dtype: Dtype, rate: float, also: Array | float = 0) -> Array:
        """rate · (size + also), underflow allowed for; infinite where nothing is promised."""
        limit = rate * (self.size + also) + (self.terms + 3) * np.longdouble(smallest(dtype))
        return np.asarray(np.where(self.free, INF, limit))

    def unused(self) -> Sum:
        """Nothing of it counts (α = 0); where it is not finite a library that multiplies by 0 spoils its result."""
        return Sum(
            np.zeros_like(self.value), np.zeros_like(self.size), ~np.isfinite(self.value) | self.free, self.terms
        )


def product(left: Array, right: Array, left_stored: Array | None = None) -> Sum:
    """left · right; `left_stored` masks what of `left` exists."""
    terms = left.shape[1]
    value = np.einsum("ik,kj->ij", left, right)
    size = np.einsum("ik,kj->ij", size1(left), size1(right))
    free = np.zeros(value.shape, bool)
    if left_stored is not None and not np.isfinite(value).all():
        each = left[:, :, None] * right[None, :, :]
        exists = left_stored[:, :, None]
        strict = np.where(exists, each, 0).sum(axis=1)
        size = np.where(exists, size1(left)[:, :, None] * size1(right)[None, :, :], 0).sum(axis=1)
        free = ~np.isfinite(value) & np.isfinite(strict)
        value = strict
    return Sum(value, size, free, terms)


def product_for(alpha: Array, left: Array, right: Array, left_stored: Array | None = None) -> Sum | None:
    """`product`, or None where α = 0 means that the operands are not needed.

    Whether they are read even so differs: NVIDIA's syrk, symm and all calls with α in device memory multiply by 0 and
    keep a NaN, its gemm with α in host memory does not. So a NaN or Inf makes what it reaches a matter of choice."""
    if alpha != 0:
        return product(left, right, left_stored)
    if np.isfinite(left).all() and np.isfinite(right).all():
        return None
    return product(left, right, left_stored).unused()


def solve(matrix: Array, stored: Array, right: Array, lower: bool) -> Array:
    """X with matrix · X = right by substitution; `matrix` is triangular, `lower` tells which way."""
    n = len(matrix)
    x: Array = right.copy()
    for i in range(n) if lower else range(n - 1, -1, -1):
        use = np.flatnonzero(stored[i])
        use = use[use != i]
        if len(use):
            x[i] = x[i] - np.einsum("k,kj->j", matrix[i, use], x[use])
        x[i] = x[i] / matrix[i, i]
    return x


def solve_bound(matrix: Array, stored: Array, lower: bool) -> Callable[[Array], Array]:
    """For a computed X the size |T||X| + |T||T⁻¹||T||X| that its residual may not exceed times γ_n.

    Substitution in any order gives (T + ΔT)x̂ = b with |ΔT| ≤ γ_n|T| (Higham, Theorem 8.5): the first term. Libraries
    that invert diagonal blocks and multiply, as GPU ones do, have the second (Du Croz and Higham, 1992; Higham,
    section 14.2). |T⁻¹| is bounded by the inverse of the comparison matrix M(T): |t_ii| on the diagonal, −|t_ij|
    elsewhere (Higham, section 8.3)."""
    sizes = size1(matrix)
    compare = -sizes
    diagonal = np.arange(len(matrix))
    # |t_ii| from below: |·|₁ exceeds the modulus, and a smaller pivot makes a larger bound.
    compare[diagonal, diagonal] = np.abs(matrix[diagonal, diagonal])

    def size(x: Array) -> Array:
        first = np.einsum("ik,kj->ij", sizes, size1(x))
        inverse = solve(compare, stored, first, lower)
        return np.asarray(first + np.einsum("ik,kj->ij", sizes, np.abs(inverse)))

    return size


def scaled(scalar: object, values: Array) -> Array:
    """scalar · values; a scalar of 0 means that the values are not read."""
    factor = wide(np.asarray(scalar))
    if factor == 0:
        return np.zeros_like(values)
    return np.asarray(factor * values)
