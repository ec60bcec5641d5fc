"""Level 3: matrices with matrices, the BLAS-like extensions geam and dgmm, and the batched forms."""

# ruff: noqa: N803  (parameters have cuBLAS's names)
from __future__ import annotations

import numpy as np

from . import storage as st
from .arithmetic import Sum, product_for, scaled
from .claims import LONG, Array, Claim, Expected, growth, size1, smallest, wide
from .level2 import both, old_triangle, operand_triangle, solved, times_vector, triangle_update, update
from .registry import oracle


def _gemm(
    name: str, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, A: Array, lda: int,
    B: Array, ldb: int, beta: Array, C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    if m == 0 or n == 0:
        return []
    at = st.general(m, n, ldc)
    made = None
    if k != 0:
        left = st.op(st.read(A, st.general(*((m, k) if transa == st.N else (k, m)), lda)), transa)
        right = st.op(st.read(B, st.general(*((k, n) if transb == st.N else (n, k)), ldb)), transb)
        made = product_for(alpha, left, right)
    return [update(name, at, wide(C[at]), alpha, beta, made, C.dtype)]


@oracle("gemm", "gemm3m")
def gemm(
    *, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int,
    beta: Array, C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·op(A)·op(B) + β·C: γ_{k+2} · (|α||A||B| + |β||C|) (Higham, section 3.5).

    Complex products by three real ones keep it too, since |·|₁ sums both components (Higham, section 23.2.4).
    """
    return _gemm("C", transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


@oracle("gemmBatched", "gemm3mBatched")
def gemm_batched(
    *, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, Aarray: list[Array], lda: int,
    Barray: list[Array], ldb: int, beta: Array, Carray: list[Array], ldc: int, batchCount: int,
) -> list[Claim]:  # fmt: skip
    """gemm on each member of an array of pointers."""
    return [
        claim
        for i in range(max(batchCount, 0))
        for claim in _gemm(
            f"Carray[{i}]", transa, transb, m, n, k, alpha, Aarray[i], lda, Barray[i], ldb, beta, Carray[i], ldc
        )
    ]


@oracle("gemmStridedBatched", "gemm3mStridedBatched")
def gemm_strided_batched(
    *, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, A: Array, lda: int, strideA: int,
    B: Array, ldb: int, strideB: int, beta: Array, C: Array, ldc: int, strideC: int, batchCount: int,
) -> list[Claim]:  # fmt: skip
    """gemm on members that lie a stride apart."""
    claims = []
    for i in range(max(batchCount, 0)):
        for claim in _gemm(
            "C",
            transa,
            transb,
            m,
            n,
            k,
            alpha,
            A[i * strideA :],
            lda,
            B[i * strideB :],
            ldb,
            beta,
            C[i * strideC :],
            ldc,
        ):
            assert isinstance(claim, Expected)
            claims.append(Expected("C", claim.index + i * strideC, claim.values, claim.bound))
    return list(claims)


def _gemv(
    name: str, trans: int, m: int, n: int, alpha: Array, A: Array, lda: int, x: Array, incx: int, beta: Array,
    y: Array, incy: int, offset: int = 0,
) -> list[Claim]:  # fmt: skip
    if m == 0 or n == 0:
        return []
    dense = st.op(st.read(A, st.general(m, n, lda)), trans)
    claims = times_vector(dense, None, alpha, x, incx, beta, y, incy)
    return [Expected(name, c.index + offset, c.values, c.bound) for c in claims if isinstance(c, Expected)]


@oracle("gemvBatched")
def gemv_batched(
    *, trans: int, m: int, n: int, alpha: Array, Aarray: list[Array], lda: int, xarray: list[Array], incx: int,
    beta: Array, yarray: list[Array], incy: int, batchCount: int,
) -> list[Claim]:  # fmt: skip
    """gemv on each member of an array of pointers."""
    return [
        claim
        for i in range(max(batchCount, 0))
        for claim in _gemv(f"yarray[{i}]", trans, m, n, alpha, Aarray[i], lda, xarray[i], incx, beta, yarray[i], incy)
    ]


@oracle("gemvStridedBatched")
def gemv_strided_batched(
    *, trans: int, m: int, n: int, alpha: Array, A: Array, lda: int, strideA: int, x: Array, incx: int, stridex: int,
    beta: Array, y: Array, incy: int, stridey: int, batchCount: int,
) -> list[Claim]:  # fmt: skip
    """gemv on members that lie a stride apart."""
    return [
        claim
        for i in range(max(batchCount, 0))
        for claim in _gemv(
            "y",
            trans,
            m,
            n,
            alpha,
            A[i * strideA :],
            lda,
            x[i * stridex :],
            incx,
            beta,
            y[i * stridey :],
            incy,
            i * stridey,
        )
    ]


def _sided(
    hermitian: bool, side: int, uplo: int, m: int, n: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int,
    beta: Array, C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    if m == 0 or n == 0:
        return []
    at = st.general(m, n, ldc)
    order = m if side == st.LEFT else n
    full = both(st.gather(A, st.triangular(order, lda, uplo)), hermitian)
    other = st.read(B, st.general(m, n, ldb))
    made = product_for(alpha, full, other) if side == st.LEFT else product_for(alpha, other, full)
    return [update("C", at, wide(C[at]), alpha, beta, made, C.dtype)]


@oracle()
def symm(
    *, side: int, uplo: int, m: int, n: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int, beta: Array,
    C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·A·B + β·C or α·B·A + β·C, A symmetric."""
    return _sided(False, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc)


@oracle()
def hemm(
    *, side: int, uplo: int, m: int, n: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int, beta: Array,
    C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·A·B + β·C or α·B·A + β·C, A Hermitian; the diagonal's imaginary part is not read."""
    return _sided(True, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc)


@oracle()
def spmm(
    *, side: int, uplo: int, m: int, n: int, alpha: Array, AP: Array, B: Array, ldb: int, beta: Array, C: Array,
    ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·A·B + β·C or α·B·A + β·C, A symmetric, its triangle packed by columns."""
    if m == 0 or n == 0:
        return []
    order = m if side == st.LEFT else n
    full = both(st.gather(AP, st.packed(order, uplo)), hermitian=False)
    other, at = st.read(B, st.general(m, n, ldb)), st.general(m, n, ldc)
    made = product_for(alpha, full, other) if side == st.LEFT else product_for(alpha, other, full)
    return [update("C", at, wide(C[at]), alpha, beta, made, C.dtype)]


def _operand(buffer: Array, trans: int, n: int, k: int, ld: int) -> Array:
    """op(A), n × k."""
    return st.op(st.read(buffer, st.general(*((n, k) if trans == st.N else (k, n)), ld)), trans)


def _rank_k(
    uplo: int, n: int, alpha: Array, beta: Array, made: Sum | None, C: Array, ldc: int, hermitian: bool
) -> list[Claim]:
    """C ← α·S + β·C in one triangle, with `made` = α·S already scaled, or None where nothing is added."""
    stored = st.triangular(n, ldc, uplo)
    if made is None and beta == 1:
        # Nothing to do; whether a Hermitian diagonal is cleaned of its imaginary part even so is left open, and so is
        # whether 1 · C is computed, which spreads a NaN to both parts of a complex number.
        dense = st.gather(C, stored)
        if not hermitian:
            return (
                [] if np.isfinite(dense).all() else triangle_update("C", C, stored, dense, np.zeros(dense.shape), False)
            )
        return triangle_update("C", C, stored, dense, np.zeros(dense.shape, LONG), True, diagonal_free=True)
    old = np.zeros((n, n), wide(C[:0]).dtype) if beta == 0 else old_triangle(C, stored, hermitian)
    kept, kept_size = scaled(beta, old), size1(np.asarray(beta)) * size1(old)
    if made is None:
        bound = np.zeros((n, n), LONG) if beta == 0 else growth(1, C.dtype) * kept_size + LONG(smallest(C.dtype))
        return triangle_update("C", C, stored, kept, bound, hermitian)
    bound = made.bound(C.dtype, growth(made.terms + 2, C.dtype), kept_size)
    return triangle_update("C", C, stored, made.value + kept, bound, hermitian, bool(alpha == 0 and beta == 1))


def _times(alpha: Array, made: Sum) -> Sum:
    return Sum(
        wide(np.asarray(alpha)) * made.value, np.maximum(1, size1(np.asarray(alpha))) * made.size, made.free, made.terms
    )


def _rank_k_single(
    conjugate: bool, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int,
    beta: Array, C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    if n == 0:
        return []
    made = None
    if k != 0:
        left, right = _operand(A, trans, n, k, lda), _operand(B, trans, n, k, ldb)
        plain = product_for(alpha, left, np.conj(right.T) if conjugate else right.T)
        made = _times(alpha, plain) if plain else None
    return _rank_k(uplo, n, alpha, beta, made, C, ldc, conjugate)


def _rank_k_double(
    conjugate: bool, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int,
    beta: Array, C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    if n == 0:
        return []
    made = None
    if k != 0:
        left, right = _operand(A, trans, n, k, lda), _operand(B, trans, n, k, ldb)
        factor = np.asarray(alpha)
        first = product_for(alpha, left, np.conj(right.T) if conjugate else right.T)
        second = product_for(alpha, right, np.conj(left.T) if conjugate else left.T)
        if first is None or second is None:
            return _rank_k(uplo, n, alpha, beta, None, C, ldc, conjugate)
        one, two = _times(factor, first), _times(np.conj(factor) if conjugate else factor, second)
        made = Sum(one.value + two.value, one.size + two.size, one.free | two.free, one.terms + two.terms)
    return _rank_k(uplo, n, alpha, beta, made, C, ldc, conjugate)


_SYMMETRIC = {"trans": (st.N, st.T)}
_HERMITIAN = {"trans": (st.N, st.C)}


@oracle(complex_ops=_SYMMETRIC)
def syrk(
    *, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, lda: int, beta: Array, C: Array, ldc: int
) -> list[Claim]:
    """C ← α·op(A)·op(A)ᵀ + β·C in one triangle."""
    return _rank_k_single(False, uplo, trans, n, k, alpha, A, lda, A, lda, beta, C, ldc)


@oracle(complex_ops=_HERMITIAN)
def herk(
    *, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, lda: int, beta: Array, C: Array, ldc: int
) -> list[Claim]:
    """C ← α·op(A)·op(A)ᴴ + β·C in one triangle, α and β real."""
    return _rank_k_single(True, uplo, trans, n, k, alpha, A, lda, A, lda, beta, C, ldc)


@oracle(complex_ops=_SYMMETRIC)
def syrkx(
    *, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int, beta: Array,
    C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·op(A)·op(B)ᵀ + β·C in one triangle; the caller knows that the product is symmetric."""
    return _rank_k_single(False, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


@oracle(complex_ops=_HERMITIAN)
def herkx(
    *, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int, beta: Array,
    C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·op(A)·op(B)ᴴ + β·C in one triangle, β real; the caller knows that the product is Hermitian."""
    return _rank_k_single(True, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


@oracle(complex_ops=_SYMMETRIC)
def syr2k(
    *, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int, beta: Array,
    C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·(op(A)·op(B)ᵀ + op(B)·op(A)ᵀ) + β·C in one triangle."""
    return _rank_k_double(False, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


@oracle(complex_ops=_HERMITIAN)
def her2k(
    *, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int, beta: Array,
    C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·op(A)·op(B)ᴴ + conj(α)·op(B)·op(A)ᴴ + β·C in one triangle, β real."""
    return _rank_k_double(True, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc)


@oracle(alias={("B", "C"): ""})
def trmm(
    *, side: int, uplo: int, trans: int, diag: int, m: int, n: int, alpha: Array, A: Array, lda: int, B: Array,
    ldb: int, C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·op(A)·B or α·B·op(A), A triangular; C may be B. γ_{k+1} · |α||A||B|. α = 0 reads nothing."""
    if m == 0 or n == 0:
        return []
    at = st.general(m, n, ldc)
    dense, mask = operand_triangle(A, st.triangular(m if side == st.LEFT else n, lda, uplo), trans, diag)
    other = st.read(B, st.general(m, n, ldb))
    if side == st.LEFT:
        made = product_for(alpha, dense, other, mask)
    else:
        turned = product_for(alpha, dense.T, other.T, mask.T)
        made = Sum(turned.value.T, turned.size.T, turned.free.T, turned.terms) if turned else None
    if made is None:
        return [Expected("C", at, np.zeros((m, n), wide(C[:0]).dtype), np.zeros((m, n), LONG))]
    made = _times(alpha, made)
    return [Expected("C", at, made.value, made.bound(C.dtype, growth(made.terms + 1, C.dtype)))]


def _trsm(
    name: str,
    side: int,
    uplo: int,
    trans: int,
    diag: int,
    m: int,
    n: int,
    alpha: Array,
    A: Array,
    lda: int,
    B: Array,
    ldb: int,
) -> list[Claim]:
    if m == 0 or n == 0:
        return []
    at = st.general(m, n, ldb)
    dense, mask = operand_triangle(A, st.triangular(m if side == st.LEFT else n, lda, uplo), trans, diag)
    lower = (uplo == st.LOWER) == (trans == st.N)
    old = wide(B[at])
    if side == st.LEFT:
        return [solved(name, at, dense, mask, lower, old, alpha, B.dtype)]
    # X·op(A) = α·B is op(A)ᵀ·Xᵀ = α·Bᵀ.
    claim = solved(name, at.T, dense.T, mask.T, not lower, old.T, alpha, B.dtype)
    return [claim]


@oracle(solve=("A",))
def trsm(
    *, side: int, uplo: int, trans: int, diag: int, m: int, n: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int
) -> list[Claim]:
    """B ← α·op(A)⁻¹·B or α·B·op(A)⁻¹, judged by its residual. With α = 0 a NaN may stay."""
    return _trsm("B", side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb)


@oracle("trsmBatched", solve=("A",))
def trsm_batched(
    *, side: int, uplo: int, trans: int, diag: int, m: int, n: int, alpha: Array, A: list[Array], lda: int,
    B: list[Array], ldb: int, batchCount: int,
) -> list[Claim]:  # fmt: skip
    """trsm on each member of an array of pointers."""
    return [
        claim
        for i in range(max(batchCount, 0))
        for claim in _trsm(f"B[{i}]", side, uplo, trans, diag, m, n, alpha, A[i], lda, B[i], ldb)
    ]


@oracle(alias={("A", "C"): "transa", ("B", "C"): "transb"})
def geam(
    *, transa: int, transb: int, m: int, n: int, alpha: Array, A: Array, lda: int, beta: Array, B: Array, ldb: int,
    C: Array, ldc: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·op(A) + β·op(B): γ_3 · (|α||A| + |β||B|). A scalar of 0 means that its matrix is not read."""
    if m == 0 or n == 0:
        return []
    at = st.general(m, n, ldc)
    total: Array = np.zeros((m, n), wide(C[:0]).dtype)
    size: Array = np.zeros((m, n), LONG)
    for scalar, buffer, ld, trans in ((alpha, A, lda, transa), (beta, B, ldb, transb)):
        if scalar != 0:
            part = _operand(buffer, trans, m, n, ld)
            total = total + wide(np.asarray(scalar)) * part
            size = size + size1(np.asarray(scalar)) * size1(part)
    return [Expected("C", at, total, growth(2, C.dtype) * size + 2 * LONG(smallest(C.dtype)))]


@oracle(alias={("A", "C"): ""})
def dgmm(*, mode: int, m: int, n: int, A: Array, lda: int, x: Array, incx: int, C: Array, ldc: int) -> list[Claim]:
    """C ← diag(x)·A (left) or A·diag(x) (right): one product, γ_1 · |A||x|; x walks as in Level 1."""
    if m == 0 or n == 0:
        return []
    at = st.general(m, n, ldc)
    dense = st.read(A, st.general(m, n, lda))
    factor = wide(x[st.vector(m if mode == st.LEFT else n, incx)])
    spread = factor[:, None] if mode == st.LEFT else factor[None, :]
    bound = growth(1, C.dtype) * (size1(dense) * size1(spread)) + LONG(smallest(C.dtype))
    return [Expected("C", at, dense * spread, bound)]
