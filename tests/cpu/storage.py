"""Arrays as BLAS stores them, with what must not be read poisoned, and what was expected of them afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from client import LOWER, UPPER, C, N

Array = np.ndarray[Any, Any]
POISON = np.nan


class Store:
    """A buffer whose elements `at` (an index array of the logical shape) are in use; all others hold NaN."""

    def __init__(self, rng: np.random.Generator, dtype: Any, size: int, at: Array, scale: float = 1) -> None:
        self.at = at
        self.buffer = np.full(size, POISON, dtype)
        values = rng.uniform(-1, 1, at.shape)
        if np.dtype(dtype).kind == "c":
            values = values + 1j * rng.uniform(-1, 1, at.shape)
        self.buffer[at] = values * scale
        self._before = self.buffer.copy()
        self._expected: Array | None = None
        self._where = at

    def get(self) -> Array:
        """Logical values in the widest type."""
        return wide(self._before[self.at])

    def expect(self, values: Array, where: Array | None = None) -> None:
        """What the elements (`where`: only these) must be after the call; the rest must keep its bits."""
        self._expected = values if where is None else values[where]
        self._where = self.at if where is None else self.at[where]

    def check(self, name: str) -> None:
        changed = np.zeros(len(self.buffer), bool)
        if self._expected is not None:
            changed[self._where.ravel()] = True
            tolerance = 40 * float(np.finfo(self.buffer.dtype).eps) * (8 + self.at.size**0.5)
            got = self.buffer[self._where]
            np.testing.assert_allclose(got, self._expected, rtol=tolerance, atol=tolerance, err_msg=name)
        kept = self.buffer[~changed].view(np.uint8), self._before[~changed].view(np.uint8)
        np.testing.assert_array_equal(*kept, err_msg=f"{name}: changed where nothing was to be written")


def wide(values: Array) -> Array:
    return values.astype(np.clongdouble if values.dtype.kind == "c" else np.longdouble)


def vector_at(n: int, inc: int) -> Array:
    start = 0 if inc >= 0 else -(n - 1) * inc
    return start + inc * np.arange(n)


def matrix_at(rows: int, cols: int, ld: int) -> Array:
    return np.arange(rows)[:, None] + ld * np.arange(cols)[None, :]


def in_triangle(n: int, uplo: int) -> Array:
    i, j = np.indices((n, n))
    return i <= j if uplo == UPPER else i >= j


def packed_at(n: int, uplo: int) -> Array:
    """Place of (i, j), where it is stored; elsewhere 0."""
    i, j = np.indices((n, n))
    place = j * (j + 1) // 2 + i if uplo == UPPER else j * (2 * n - j - 1) // 2 + i
    return np.where(in_triangle(n, uplo), place, 0)


def multiply(a: Array, b: Array) -> Array:
    """A product that never reaches BLAS."""
    return np.asarray((a[:, :, None] * b[None, :, :]).sum(axis=1))


def op(a: Array, trans: int) -> Array:
    return a if trans == N else np.conj(a.T) if trans == C else a.T


def filled(values: Array, stored: Array, hermitian: bool) -> Array:
    """A full matrix of one stored triangle."""
    low = np.where(stored, values, 0)
    full = low + (np.conj(low.T) if hermitian else low.T)
    diagonal = np.diag(values)
    np.fill_diagonal(full, diagonal.real if hermitian else diagonal)
    return full


__all__ = [
    "LOWER", "UPPER", "Array", "Store", "filled", "in_triangle", "matrix_at", "multiply", "op", "packed_at", "vector_at",
    "wide",
]  # fmt: skip
