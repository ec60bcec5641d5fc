"""Where BLAS keeps the elements of vectors and matrices, as index grids into flat buffers.

Each function returns flat positions counted from the pointer that is passed to BLAS. Matrix storages also return a
mask: which (i, j) are stored. `gather` reads through both into a dense matrix in long double."""

from __future__ import annotations

import numpy as np

from .claims import CLONG, LONG, Array, Index, is_complex, wide

# NVIDIA's numbers of the BLAS options.
N, T, C = 0, 1, 2
LOWER, UPPER = 0, 1
NON_UNIT, UNIT = 0, 1
LEFT, RIGHT = 0, 1

Stored = tuple[Index, Array]


def vector(n: int, inc: int) -> Index:
    """x_i at i·inc; a negative increment starts at the far end: (1 − n)·inc."""
    n = max(n, 0)
    start = (1 - n) * inc if inc < 0 and n > 0 else 0
    return start + np.arange(n, dtype=np.int64) * inc


def span(n: int, inc: int) -> int:
    """Elements that a vector covers in memory."""
    return 1 + (n - 1) * abs(inc) if n > 0 else 0


def general(rows: int, cols: int, ld: int) -> Index:
    """Column-major: a_ij at i + j·ld."""
    return np.arange(rows, dtype=np.int64)[:, None] + ld * np.arange(cols, dtype=np.int64)[None, :]


def _ij(rows: int, cols: int) -> tuple[Index, Index]:
    i, j = np.indices((rows, cols), dtype=np.int64)
    return i, j


def triangle(n: int, uplo: int) -> Array:
    """Mask of the triangle that `uplo` names, the diagonal included."""
    i, j = _ij(n, n)
    return np.asarray(i >= j if uplo == LOWER else i <= j)


def triangular(n: int, ld: int, uplo: int) -> Stored:
    return general(n, n, ld), triangle(n, uplo)


def band(rows: int, cols: int, kl: int, ku: int, ld: int) -> Stored:
    """General band: a_ij at (ku + i − j) + j·ld where −kl ≤ j − i ≤ ku."""
    i, j = _ij(rows, cols)
    return ku + i - j + j * ld, np.asarray((i - j <= kl) & (j - i <= ku))


def one_sided_band(n: int, k: int, ld: int, uplo: int) -> Stored:
    """Band of a symmetric or triangular matrix: lower a_ij at (i − j) + j·ld, upper at (k + i − j) + j·ld."""
    i, j = _ij(n, n)
    if uplo == LOWER:
        return i - j + j * ld, np.asarray((i >= j) & (i - j <= k))
    return k + i - j + j * ld, np.asarray((i <= j) & (j - i <= k))


def packed(n: int, uplo: int) -> Stored:
    """Packed by columns: lower a_ij at i + (2n − j − 1)·j/2, upper at i + j·(j + 1)/2."""
    i, j = _ij(n, n)
    if uplo == LOWER:
        return i + (2 * n - j - 1) * j // 2, np.asarray(i >= j)
    return i + j * (j + 1) // 2, np.asarray(i <= j)


def gather(buffer: Array, stored: Stored) -> Array:
    """Dense matrix in long double; what is not stored is 0 and was not read."""
    index, mask = stored
    dense = np.zeros(index.shape, CLONG if is_complex(buffer.dtype) else LONG)
    dense[mask] = wide(buffer[index[mask]])
    return dense


def read(buffer: Array, index: Index) -> Array:
    return wide(buffer[index])


def symmetric(stored: Array, mask: Array) -> Array:
    """Both triangles from the one that is stored."""
    return np.where(mask, stored, stored.T)


def hermitian(stored: Array, mask: Array) -> Array:
    """Both triangles from one; the diagonal's imaginary part is taken as 0."""
    full = np.where(mask, stored, np.conj(stored.T))
    i = np.arange(len(full))
    full[i, i] = full[i, i].real
    return full


def unit(dense: Array, diag: int) -> Array:
    """With `diag` = UNIT the diagonal is 1 and was not read."""
    if diag == UNIT:
        i = np.arange(len(dense))
        dense[i, i] = 1
    return dense


def op(dense: Array, trans: int) -> Array:
    """op(A): A, Aᵀ or Aᴴ."""
    if trans == N:
        return dense
    return dense.T if trans == T else np.asarray(np.conj(dense.T))
