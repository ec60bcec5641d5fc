"""Level 2: matrices with vectors. Where a size is 0 nothing is read or written."""

# ruff: noqa: N803  (parameters have cuBLAS's names)
from __future__ import annotations

import numpy as np

from . import storage as st
from .arithmetic import INF, Sum, product, product_for, scaled, solve, solve_bound
from .claims import LONG, Array, Claim, Dtype, Expected, Residual, growth, size1, smallest, wide
from .registry import oracle


def update(
    array: str,
    at: Array,
    old: Array,
    alpha: Array,
    beta: Array,
    sum_of: Sum | None,
    dtype: Dtype,
) -> Claim:
    """The claim for `alpha · sum + beta · old`: γ_{k+2} · (|α| Σ|a||b| + |β||c|) (Higham, sections 3.1 and 3.5).

    α = 0 means that the sum is not made, β = 0 that the old values are not read.
    """
    rest = scaled(beta, old)
    size_kept = np.zeros(old.shape, LONG) if beta == 0 else size1(np.asarray(beta)) * size1(old)
    if sum_of is None:
        bound = growth(1, dtype) * size_kept + LONG(smallest(dtype))
        exact = beta == 0 or beta == 1
        return Expected(array, at, rest, np.zeros_like(bound) if exact else bound)
    value = wide(np.asarray(alpha)) * sum_of.value + rest
    rate = growth(sum_of.terms + 2, dtype)
    # Underflow of a product is scaled by α afterwards.
    size_alpha = size1(np.asarray(alpha))
    made = Sum(value, size_alpha * sum_of.size, sum_of.free, sum_of.terms)
    bound = made.bound(dtype, rate, size_kept) * np.maximum(1, size_alpha)
    return Expected(array, at, value, bound)


def times_vector(
    matrix: Array, stored: Array | None, alpha: Array, x: Array, incx: int, beta: Array, y: Array, incy: int
) -> list[Claim]:
    """y ← α·M·x + β·y for a dense M in long double."""
    rows, cols = matrix.shape
    at = st.vector(rows, incy)
    made = None
    full = product_for(alpha, matrix, wide(x[st.vector(cols, incx)])[:, None], stored)
    if full is not None:
        made = Sum(full.value[:, 0], full.size[:, 0], full.free[:, 0], cols)
    return [update("y", at, wide(y[at]), alpha, beta, made, y.dtype)]


@oracle()
def gemv(
    *,
    trans: int,
    m: int,
    n: int,
    alpha: Array,
    A: Array,
    lda: int,
    x: Array,
    incx: int,
    beta: Array,
    y: Array,
    incy: int,
) -> list[Claim]:
    """y ← α·op(A)·x + β·y."""
    if m == 0 or n == 0:
        return []
    dense = st.op(st.read(A, st.general(m, n, lda)), trans)
    return times_vector(dense, None, alpha, x, incx, beta, y, incy)


@oracle()
def gbmv(
    *, trans: int, m: int, n: int, kl: int, ku: int, alpha: Array, A: Array, lda: int,
    x: Array, incx: int, beta: Array, y: Array, incy: int,
) -> list[Claim]:  # fmt: skip
    """y ← α·op(A)·x + β·y, A a band with kl diagonals below and ku above."""
    if m == 0 or n == 0:
        return []
    stored = st.band(m, n, kl, ku, lda)
    mask = stored[1] if trans == st.N else stored[1].T
    return times_vector(st.op(st.gather(A, stored), trans), mask, alpha, x, incx, beta, y, incy)


def _symmetric_product(
    stored: st.Stored, A: Array, hermitian: bool, alpha: Array, x: Array, incx: int, beta: Array, y: Array, incy: int
) -> list[Claim]:
    dense, mask = st.gather(A, stored), stored[1]
    full = both(dense, hermitian)
    return times_vector(full, mask | mask.T, alpha, x, incx, beta, y, incy)


def both(dense: Array, hermitian: bool) -> Array:
    """Both triangles of a gathered one; the other is zero, whichever of the two it was."""
    i = np.arange(len(dense))
    other = np.conj(dense.T) if hermitian else dense.T
    full: Array = dense + other
    full[i, i] = dense[i, i].real if hermitian else dense[i, i]
    return full


@oracle()
def symv(
    *, uplo: int, n: int, alpha: Array, A: Array, lda: int, x: Array, incx: int, beta: Array, y: Array, incy: int
) -> list[Claim]:
    """y ← α·A·x + β·y, A symmetric; one triangle is read."""
    if n == 0:
        return []
    return _symmetric_product(st.triangular(n, lda, uplo), A, False, alpha, x, incx, beta, y, incy)


@oracle()
def hemv(
    *, uplo: int, n: int, alpha: Array, A: Array, lda: int, x: Array, incx: int, beta: Array, y: Array, incy: int
) -> list[Claim]:
    """y ← α·A·x + β·y, A Hermitian; the diagonal's imaginary part is not read."""
    if n == 0:
        return []
    return _symmetric_product(st.triangular(n, lda, uplo), A, True, alpha, x, incx, beta, y, incy)


@oracle()
def sbmv(
    *,
    uplo: int,
    n: int,
    k: int,
    alpha: Array,
    A: Array,
    lda: int,
    x: Array,
    incx: int,
    beta: Array,
    y: Array,
    incy: int,
) -> list[Claim]:
    """y ← α·A·x + β·y, A a symmetric band with k diagonals on one side."""
    if n == 0:
        return []
    return _symmetric_product(st.one_sided_band(n, k, lda, uplo), A, False, alpha, x, incx, beta, y, incy)


@oracle()
def hbmv(
    *,
    uplo: int,
    n: int,
    k: int,
    alpha: Array,
    A: Array,
    lda: int,
    x: Array,
    incx: int,
    beta: Array,
    y: Array,
    incy: int,
) -> list[Claim]:
    """y ← α·A·x + β·y, A a Hermitian band with k diagonals on one side."""
    if n == 0:
        return []
    return _symmetric_product(st.one_sided_band(n, k, lda, uplo), A, True, alpha, x, incx, beta, y, incy)


@oracle()
def spmv(
    *, uplo: int, n: int, alpha: Array, AP: Array, x: Array, incx: int, beta: Array, y: Array, incy: int
) -> list[Claim]:
    """y ← α·A·x + β·y, A symmetric and packed."""
    if n == 0:
        return []
    return _symmetric_product(st.packed(n, uplo), AP, False, alpha, x, incx, beta, y, incy)


@oracle()
def hpmv(
    *, uplo: int, n: int, alpha: Array, AP: Array, x: Array, incx: int, beta: Array, y: Array, incy: int
) -> list[Claim]:
    """y ← α·A·x + β·y, A Hermitian and packed."""
    if n == 0:
        return []
    return _symmetric_product(st.packed(n, uplo), AP, True, alpha, x, incx, beta, y, incy)


def _rank1(alpha: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """α·x·yᵀ and its size."""
    value = wide(np.asarray(alpha)) * (x[:, None] * y[None, :])
    return value, size1(np.asarray(alpha)) * size1(x)[:, None] * size1(y)[None, :]


def spoilt(added: Array) -> Array:
    """The bound of elements that an update with α = 0 leaves alone: 0, or infinite where NaN · 0 may reach them."""
    return np.asarray(np.where(np.isfinite(added), LONG(0), INF))


def kept(array: str, at: Array, old: Array, added: Array) -> Claim:
    """α = 0: nothing is added."""
    return Expected(array, at, old, spoilt(added))


def _ger(
    m: int, n: int, alpha: Array, x: Array, incx: int, y: Array, incy: int, A: Array, lda: int, conjugate: bool
) -> list[Claim]:
    if m == 0 or n == 0:
        return []
    at = st.general(m, n, lda)
    right = wide(y[st.vector(n, incy)])
    add, size = _rank1(alpha, wide(x[st.vector(m, incx)]), np.conj(right) if conjugate else right)
    old = wide(A[at])
    if alpha == 0:
        return [kept("A", at, old, add)]
    return [Expected("A", at, add + old, growth(3, A.dtype) * (size + size1(old)) + 3 * LONG(smallest(A.dtype)))]


@oracle("ger", "geru")
def geru(*, m: int, n: int, alpha: Array, x: Array, incx: int, y: Array, incy: int, A: Array, lda: int) -> list[Claim]:
    """A ← α·x·yᵀ + A: γ_3 · (|α||x||y| + |A|)."""
    return _ger(m, n, alpha, x, incx, y, incy, A, lda, False)


@oracle()
def gerc(*, m: int, n: int, alpha: Array, x: Array, incx: int, y: Array, incy: int, A: Array, lda: int) -> list[Claim]:
    """A ← α·x·yᴴ + A."""
    return _ger(m, n, alpha, x, incx, y, incy, A, lda, True)


def triangle_update(
    array: str,
    buffer: Array,
    stored: st.Stored,
    value: Array,
    bound: Array,
    hermitian: bool,
    diagonal_free: bool = False,
) -> list[Claim]:
    """A claim about one triangle. A Hermitian diagonal comes out with an imaginary part of exactly 0.

    `diagonal_free`: nothing was added, and whether the imaginary part is set to 0 even so is left open.
    """
    index, mask = stored
    rows, cols = np.nonzero(mask)
    values, bounds = value[mask], bound[mask]
    if hermitian and buffer.dtype.kind == "c":
        on = rows == cols
        values = np.where(on & np.isfinite(values), values.real, values)
        imaginary = np.where(on, INF if diagonal_free else LONG(0), bounds)
        both = np.empty(bounds.shape, np.clongdouble)
        both.real, both.imag = bounds, imaginary
        return [Expected(array, index[mask], values, both)]
    return [Expected(array, index[mask], values, bounds)]


def old_triangle(buffer: Array, stored: st.Stored, hermitian: bool) -> Array:
    dense = st.gather(buffer, stored)
    if hermitian:
        i = np.arange(len(dense))
        dense[i, i] = dense[i, i].real
    return dense


def _rank1_triangle(
    array: str, buffer: Array, stored: st.Stored, n: int, alpha: Array, x: Array, incx: int, hermitian: bool
) -> list[Claim]:
    if n == 0:
        return []
    column = wide(x[st.vector(n, incx)])
    add, size = _rank1(alpha, column, np.conj(column) if hermitian else column)
    old = old_triangle(buffer, stored, hermitian)
    if alpha == 0:
        return triangle_update(array, buffer, stored, st.gather(buffer, stored), spoilt(add), hermitian, True)
    bound = growth(3, buffer.dtype) * (size + size1(old)) + 3 * LONG(smallest(buffer.dtype))
    return triangle_update(array, buffer, stored, old + add, bound, hermitian)


@oracle()
def syr(*, uplo: int, n: int, alpha: Array, x: Array, incx: int, A: Array, lda: int) -> list[Claim]:
    """A ← α·x·xᵀ + A in one triangle."""
    return _rank1_triangle("A", A, st.triangular(n, lda, uplo), n, alpha, x, incx, False)


@oracle()
def her(*, uplo: int, n: int, alpha: Array, x: Array, incx: int, A: Array, lda: int) -> list[Claim]:
    """A ← α·x·xᴴ + A in one triangle, α real."""
    return _rank1_triangle("A", A, st.triangular(n, lda, uplo), n, alpha, x, incx, True)


@oracle()
def spr(*, uplo: int, n: int, alpha: Array, x: Array, incx: int, AP: Array) -> list[Claim]:
    """A ← α·x·xᵀ + A, packed."""
    return _rank1_triangle("AP", AP, st.packed(n, uplo), n, alpha, x, incx, False)


@oracle()
def hpr(*, uplo: int, n: int, alpha: Array, x: Array, incx: int, AP: Array) -> list[Claim]:
    """A ← α·x·xᴴ + A, packed, α real."""
    return _rank1_triangle("AP", AP, st.packed(n, uplo), n, alpha, x, incx, True)


def _rank2_triangle(
    array: str,
    buffer: Array,
    stored: st.Stored,
    n: int,
    alpha: Array,
    x: Array,
    incx: int,
    y: Array,
    incy: int,
    hermitian: bool,
) -> list[Claim]:
    if n == 0:
        return []
    left, right = wide(x[st.vector(n, incx)]), wide(y[st.vector(n, incy)])
    factor = np.asarray(alpha)
    if hermitian:
        first, size = _rank1(factor, left, np.conj(right))
        second, size2 = _rank1(np.conj(factor), right, np.conj(left))
    else:
        first, size = _rank1(factor, left, right)
        second, size2 = _rank1(factor, right, left)
    old = old_triangle(buffer, stored, hermitian)
    if alpha == 0:
        return triangle_update(
            array, buffer, stored, st.gather(buffer, stored), spoilt(first + second), hermitian, True
        )
    bound = growth(5, buffer.dtype) * (size + size2 + size1(old)) + 5 * LONG(smallest(buffer.dtype))
    return triangle_update(array, buffer, stored, old + (first + second), bound, hermitian)


@oracle()
def syr2(
    *, uplo: int, n: int, alpha: Array, x: Array, incx: int, y: Array, incy: int, A: Array, lda: int
) -> list[Claim]:
    """A ← α·(x·yᵀ + y·xᵀ) + A in one triangle."""
    return _rank2_triangle("A", A, st.triangular(n, lda, uplo), n, alpha, x, incx, y, incy, False)


@oracle()
def her2(
    *, uplo: int, n: int, alpha: Array, x: Array, incx: int, y: Array, incy: int, A: Array, lda: int
) -> list[Claim]:
    """A ← α·x·yᴴ + conj(α)·y·xᴴ + A in one triangle."""
    return _rank2_triangle("A", A, st.triangular(n, lda, uplo), n, alpha, x, incx, y, incy, True)


@oracle()
def spr2(*, uplo: int, n: int, alpha: Array, x: Array, incx: int, y: Array, incy: int, AP: Array) -> list[Claim]:
    """A ← α·(x·yᵀ + y·xᵀ) + A, packed."""
    return _rank2_triangle("AP", AP, st.packed(n, uplo), n, alpha, x, incx, y, incy, False)


@oracle()
def hpr2(*, uplo: int, n: int, alpha: Array, x: Array, incx: int, y: Array, incy: int, AP: Array) -> list[Claim]:
    """A ← α·x·yᴴ + conj(α)·y·xᴴ + A, packed."""
    return _rank2_triangle("AP", AP, st.packed(n, uplo), n, alpha, x, incx, y, incy, True)


def operand_triangle(buffer: Array, stored: st.Stored, trans: int, diag: int) -> tuple[Array, Array]:
    """op(T) dense and its mask; a unit diagonal is not read."""
    index, mask = stored
    if diag == st.UNIT:
        i = np.arange(len(mask))
        mask = mask.copy()
        mask[i, i] = False
    dense = st.unit(st.gather(buffer, (index, mask)), diag)
    return st.op(dense, trans), stored[1] if trans == st.N else stored[1].T


def _times_self(buffer: Array, stored: st.Stored, trans: int, diag: int, n: int, x: Array, incx: int) -> list[Claim]:
    """x ← op(T)·x: γ_n · |T||x|."""
    if n == 0:
        return []
    at = st.vector(n, incx)
    dense, mask = operand_triangle(buffer, stored, trans, diag)
    made = product(dense, wide(x[at])[:, None], mask)
    return [Expected("x", at, made.value[:, 0], made.bound(x.dtype, growth(n, x.dtype))[:, 0])]


@oracle()
def trmv(*, uplo: int, trans: int, diag: int, n: int, A: Array, lda: int, x: Array, incx: int) -> list[Claim]:
    """x ← op(A)·x, A triangular."""
    return _times_self(A, st.triangular(n, lda, uplo), trans, diag, n, x, incx)


@oracle()
def tbmv(*, uplo: int, trans: int, diag: int, n: int, k: int, A: Array, lda: int, x: Array, incx: int) -> list[Claim]:
    """x ← op(A)·x, A a triangular band."""
    return _times_self(A, st.one_sided_band(n, k, lda, uplo), trans, diag, n, x, incx)


@oracle()
def tpmv(*, uplo: int, trans: int, diag: int, n: int, AP: Array, x: Array, incx: int) -> list[Claim]:
    """x ← op(A)·x, A triangular and packed."""
    return _times_self(AP, st.packed(n, uplo), trans, diag, n, x, incx)


def solved(
    array: str,
    at: Array,
    dense: Array,
    mask: Array,
    lower: bool,
    right: Array,
    alpha: Array,
    dtype: Dtype,
) -> Claim:
    """The claim for T·X = α·B: |α·B − T·X| ≤ γ_{n+1} · (|T||X| + |T||T⁻¹||T||X| + |α||B|), see
    `arithmetic.solve_bound`."""
    n = len(dense)
    goal = wide(np.asarray(alpha)) * right
    exact = solve(dense, mask, goal, lower)
    # A column with NaN or Inf: where substitution makes it NaN it must be; how far it spreads inside a block is free.
    # α = 0 over a NaN in T or B: NVIDIA's library answers 0 or NaN, by shape.
    column = ~np.asarray(np.isfinite(right).all(axis=0) & np.isfinite(dense).all())
    if alpha == 0:
        exact = np.zeros_like(exact)
    lost = ~np.isfinite(exact)
    size = solve_bound(np.where(np.isfinite(dense), dense, 1), mask, lower)
    rate = growth(n + 2, dtype)
    clean = np.where(np.isfinite(dense), dense, 1)
    goal_size = np.where(np.isfinite(right), size1(np.asarray(alpha)) * size1(right), 0)

    def measure(x: Array) -> tuple[Array, Array]:
        return np.einsum("ik,kj->ij", clean, x) - goal, rate * (size(x) + goal_size) + (n + 3) * LONG(smallest(dtype))

    return Residual(array, at, measure, exact, np.broadcast_to(column[None, :], exact.shape) & ~lost)


def _solve_self(
    buffer: Array, stored: st.Stored, uplo: int, trans: int, diag: int, n: int, x: Array, incx: int
) -> list[Claim]:
    if n == 0:
        return []
    at = st.vector(n, incx)
    dense, mask = operand_triangle(buffer, stored, trans, diag)
    lower = (uplo == st.LOWER) == (trans == st.N)
    return [solved("x", at[:, None], dense, mask, lower, wide(x[at])[:, None], np.ones((), x.dtype), x.dtype)]


@oracle(solve=("A",))
def trsv(*, uplo: int, trans: int, diag: int, n: int, A: Array, lda: int, x: Array, incx: int) -> list[Claim]:
    """x ← op(A)⁻¹·x, A triangular."""
    return _solve_self(A, st.triangular(n, lda, uplo), uplo, trans, diag, n, x, incx)


@oracle(solve=("A",))
def tbsv(*, uplo: int, trans: int, diag: int, n: int, k: int, A: Array, lda: int, x: Array, incx: int) -> list[Claim]:
    """x ← op(A)⁻¹·x, A a triangular band."""
    return _solve_self(A, st.one_sided_band(n, k, lda, uplo), uplo, trans, diag, n, x, incx)


@oracle(solve=("AP",))
def tpsv(*, uplo: int, trans: int, diag: int, n: int, AP: Array, x: Array, incx: int) -> list[Claim]:
    """x ← op(A)⁻¹·x, A triangular and packed."""
    return _solve_self(AP, st.packed(n, uplo), uplo, trans, diag, n, x, incx)
