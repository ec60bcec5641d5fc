"""Calls whose types are arguments: the operations of the other modules, with the precision that the types give.

Operands of one type are multiplied and added in a second, the compute type, and the outcome is rounded to a third. With
roundoffs u_c and u_o the bound of a sum of k products is

    (γ_{k+2}(u_c) + 2·u_d + γ_2(u_o)) · (|α| Σ|a||b| + |β||c|)

for any order of summation (Higham, sections 3.1 and 3.5): products and sums are rounded to u_c; each factor may be cut to
a faster type first, with roundoff u_d, where the compute type says so (FAST_16F, FAST_16BF, FAST_TF32; u_d = 0 else); a
library may reduce partial sums in the type of the outcome, which is one rounding of what is summed, and rounds at the end.
Sums of integers are exact."""

# ruff: noqa: N803  (parameters have cuBLAS's names)
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import level1, level3
from . import storage as st
from .arithmetic import Sum, product_for, scaled
from .claims import LONG, Array, Claim, Expected, gamma, is_complex, is_float, roundoff, size1, smallest, wide
from .level1 import answer
from .registry import oracle

# NVIDIA's numbers: cublasComputeType_t, and cudaDataType as an execution type; before CUDA 11 it was the compute type too.
_COMPUTE: dict[int, Any] = {
    0: np.float32, 2: np.float16,
    64: np.float16, 65: np.float16, 68: np.float32, 69: np.float32, 74: np.float32, 75: np.float32, 77: np.float32,
    78: np.float32, 70: np.float64, 71: np.float64, 79: np.float64,
}  # fmt: skip
_CUT = {74: 2.0**-11, 75: 2.0**-8, 77: 2.0**-11}  # f16, bf16, tf32
_EXECUTION: dict[int, Any] = {0: np.float32, 1: np.float64, 2: np.float16, 4: np.float32, 5: np.float64}


@dataclass(frozen=True, slots=True)
class Precision:
    """What the types of a call promise: roundoffs, and what an underflow may cost."""

    compute: Any
    result: Any
    cut: float = 0.0
    doubled: bool = False  # complex: a component is a sum of twice as many products

    def rate(self, terms: int) -> float:
        """γ of a sum of `terms` products, scaled, added to and rounded to the outcome's type."""
        count = 2 * (terms + 2) + 2 if self.doubled else terms + 3
        return gamma(count, roundoff(self.compute)) + 2 * self.cut + self.cut**2 + gamma(2, roundoff(self.result))

    @property
    def tiny(self) -> float:
        return max(smallest(self.compute), smallest(self.result))


def _update(name: str, at: Array, C: Array, alpha: Array, beta: Array, made: Sum | None, precision: Precision) -> Claim:
    """α·sum + β·old, rounded to C's type."""
    old = wide(C[at])
    rest = scaled(beta, old)
    kept = np.zeros(old.shape, LONG) if beta == 0 else size1(beta) * size1(old)
    tiny = LONG(precision.tiny)
    if made is None:
        exact = beta == 0 or beta == 1
        return Expected(name, at, rest, np.zeros_like(kept) if exact else precision.rate(1) * kept + tiny)
    size = size1(alpha)
    value = wide(alpha) * made.value + rest
    limit = precision.rate(made.terms) * (size * made.size + kept) + (made.terms + 3) * tiny * np.maximum(1, size)
    return Expected(name, at, value, np.where(made.free, LONG("inf"), limit))


def _counted(name: str, at: Array, C: Array, alpha: int, beta: int, left: Array, right: Array) -> Claim:
    """The same of integers: exact."""
    value = alpha * np.einsum("ik,kj->ij", left.astype(np.int64), right.astype(np.int64))
    if beta:
        value = value + beta * C[at].astype(np.int64)
    return Expected(name, at, value, np.zeros(value.shape))


def product_claims(
    name: str, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, A: Array, lda: int, B: Array, ldb: int,
    beta: Array, C: Array, ldc: int, compute: int,
) -> list[Claim]:  # fmt: skip
    if m == 0 or n == 0:
        return []
    at = st.general(m, n, ldc)
    a_at, b_at = (
        st.general(*(shape if trans == st.N else shape[::-1]), ld)
        for shape, trans, ld in (((m, k), transa, lda), ((k, n), transb, ldb))
    )
    if not is_float(C.dtype):
        left, right = st.op(A[a_at], transa), st.op(B[b_at], transb)
        return [_counted(name, at, C, int(alpha), int(beta), left, right)]
    scale, kept = wide(alpha), wide(beta)
    made = None
    if k != 0:
        made = product_for(scale, st.op(st.read(A, a_at), transa), st.op(st.read(B, b_at), transb))
    precision = Precision(_COMPUTE[compute], C.dtype, _CUT.get(compute, 0.0), is_complex(C.dtype))
    return [_update(name, at, C, scale, kept, made, precision)]


@oracle("GemmEx")
def gemm_ex(
    *, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, A: Array, Atype: int, lda: int, B: Array,
    Btype: int, ldb: int, beta: Array, C: Array, Ctype: int, ldc: int, computeType: int, algo: int,
) -> list[Claim]:  # fmt: skip
    """C ← α·op(A)·op(B) + β·C, within the bound above."""
    return product_claims("C", transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, computeType)


@oracle("gemmEx", "gemm3mEx")
def sgemm_ex(
    *, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, A: Array, Atype: int, lda: int, B: Array,
    Btype: int, ldb: int, beta: Array, C: Array, Ctype: int, ldc: int,
) -> list[Claim]:  # fmt: skip
    """The same, computed in single precision."""
    return product_claims("C", transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, 68)


@oracle("GemmBatchedEx")
def gemm_batched_ex(
    *, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, Aarray: list[Array], Atype: int, lda: int,
    Barray: list[Array], Btype: int, ldb: int, beta: Array, Carray: list[Array], Ctype: int, ldc: int, batchCount: int,
    computeType: int, algo: int,
) -> list[Claim]:  # fmt: skip
    """GemmEx on each member of an array of pointers."""
    return [
        claim
        for i in range(max(batchCount, 0))
        for claim in product_claims(
            f"Carray[{i}]", transa, transb, m, n, k, alpha, Aarray[i], lda, Barray[i], ldb, beta, Carray[i], ldc, computeType
        )
    ]  # fmt: skip


@oracle("GemmStridedBatchedEx")
def gemm_strided_batched_ex(
    *, transa: int, transb: int, m: int, n: int, k: int, alpha: Array, A: Array, Atype: int, lda: int, strideA: int,
    B: Array, Btype: int, ldb: int, strideB: int, beta: Array, C: Array, Ctype: int, ldc: int, strideC: int,
    batchCount: int, computeType: int, algo: int,
) -> list[Claim]:  # fmt: skip
    """GemmEx on members that lie a stride apart."""
    claims: list[Claim] = []
    for i in range(max(batchCount, 0)):
        a, b, c = A[i * strideA :], B[i * strideB :], C[i * strideC :]
        for claim in product_claims("C", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, computeType):
            assert isinstance(claim, Expected)
            claims.append(Expected("C", claim.index + i * strideC, claim.values, claim.bound))
    return claims


# ---- products of a matrix with itself, complex single precision

_SYMMETRIC = {"trans": (st.N, st.T)}
_HERMITIAN = {"trans": (st.N, st.C)}


@oracle("syrkEx", "syrk3mEx", complex_ops=_SYMMETRIC)
def syrk_ex(
    *, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, Atype: int, lda: int, beta: Array, C: Array,
    Ctype: int, ldc: int,
) -> list[Claim]:  # fmt: skip
    """syrk; A may be of bytes, which are exact in single precision."""
    return level3.syrk(uplo=uplo, trans=trans, n=n, k=k, alpha=alpha, A=A, lda=lda, beta=beta, C=C, ldc=ldc)


@oracle("herkEx", "herk3mEx", complex_ops=_HERMITIAN)
def herk_ex(
    *, uplo: int, trans: int, n: int, k: int, alpha: Array, A: Array, Atype: int, lda: int, beta: Array, C: Array,
    Ctype: int, ldc: int,
) -> list[Claim]:  # fmt: skip
    """herk; A may be of bytes."""
    return level3.herk(uplo=uplo, trans=trans, n=n, k=k, alpha=alpha, A=A, lda=lda, beta=beta, C=C, ldc=ldc)


# ---- level 1


def _result(result: Array, value: object, size: object, terms: int, execution: int) -> list[Claim]:
    precision = Precision(_EXECUTION[execution], result.dtype, doubled=is_complex(result.dtype))
    limit = precision.rate(terms) * np.asarray(size, LONG) + (terms + 1) * LONG(precision.tiny)
    return [answer(result, value, limit)]


@oracle(repeats=("x",))
def nrm2Ex(  # noqa: N802
    *, n: int, x: Array, xType: int, incx: int, result: Array, resultType: int, executionType: int
) -> list[Claim]:
    """√Σ|x_i|², summed in the execution type: within γ_{n+6}(u_c) + γ_2(u_o) of its own size, complex twice the terms."""
    if n <= 0 or incx <= 0:
        return [answer(result, 0)]
    values = wide(x[st.vector(n, incx)])
    norm = np.sqrt((values.real * values.real + values.imag * values.imag).sum())
    return _result(result, norm, norm, (2 if is_complex(x.dtype) else 1) * n + 6, executionType)


def _dot(
    n: int, x: Array, incx: int, y: Array, incy: int, result: Array, execution: int, conjugate: bool
) -> list[Claim]:
    if n <= 0:
        return [answer(result, 0)]
    left, right = wide(x[st.vector(n, incx)]), wide(y[st.vector(n, incy)])
    value = ((np.conj(left) if conjugate else left) * right).sum()
    return _result(result, value, (size1(left) * size1(right)).sum(), n, execution)


@oracle(repeats=("x", "y"))
def dotEx(  # noqa: N802
    *, n: int, x: Array, xType: int, incx: int, y: Array, yType: int, incy: int, result: Array, resultType: int,
    executionType: int,
) -> list[Claim]:  # fmt: skip
    """Σ x_i·y_i, summed in the execution type."""
    return _dot(n, x, incx, y, incy, result, executionType, False)


@oracle(repeats=("x", "y"))
def dotcEx(  # noqa: N802
    *, n: int, x: Array, xType: int, incx: int, y: Array, yType: int, incy: int, result: Array, resultType: int,
    executionType: int,
) -> list[Claim]:  # fmt: skip
    """Σ conj(x_i)·y_i, summed in the execution type."""
    return _dot(n, x, incx, y, incy, result, executionType, True)


def _vector(name: str, at: Array, value: Array, size: Array, like: Array, execution: int) -> Expected:
    """A vector whose elements are a few products and sums in the execution type, rounded once."""
    precision = Precision(_EXECUTION[execution], like.dtype, doubled=is_complex(like.dtype))
    return Expected(name, at, value, precision.rate(2) * size + 3 * LONG(precision.tiny))


@oracle(repeats=("x",))
def axpyEx(  # noqa: N802
    *, n: int, alpha: Array, alphaType: int, x: Array, xType: int, incx: int, y: Array, yType: int, incy: int,
    executiontype: int,
) -> list[Claim]:  # fmt: skip
    """y ← α·x + y. α = 0 leaves y as it is."""
    scale = wide(alpha)
    if n <= 0 or scale == 0:
        return []
    at = st.vector(n, incy)
    add, old = scale * wide(x[st.vector(n, incx)]), wide(y[at])
    size = size1(scale) * size1(x[st.vector(n, incx)]) + size1(old)
    return [_vector("y", at, add + old, size, y, executiontype)]


@oracle(repeats=("x",))
def scalEx(  # noqa: N802
    *, n: int, alpha: Array, alphaType: int, x: Array, xType: int, incx: int, executionType: int
) -> list[Claim]:
    """x ← α·x. Nothing is done for an increment that is not positive."""
    if n <= 0 or incx <= 0:
        return []
    at = st.vector(n, incx)
    scale, old = wide(alpha), wide(x[at])
    claim = _vector("x", at, scale * old, size1(scale) * size1(old), x, executionType)
    if scale == 0:  # 0 · NaN: libraries differ
        return [Expected("x", at, claim.values, np.where(np.isfinite(old), claim.bound, LONG("inf")))]
    return [claim]


@oracle()
def rotEx(  # noqa: N802
    *, n: int, x: Array, xType: int, incx: int, y: Array, yType: int, incy: int, c: Array, s: Array, csType: int,
    executiontype: int,
) -> list[Claim]:  # fmt: skip
    """x ← c·x + s·y, y ← c·y − conj(s)·x. What a cosine with an imaginary part does is promised nowhere."""
    if n <= 0:
        return []
    here, there = st.vector(n, incx), st.vector(n, incy)
    old_x, old_y, cos, sin = wide(x[here]), wide(y[there]), wide(c), wide(s)
    size_c, size_s = size1(cos), size1(sin)
    claims = [
        _vector("x", here, cos * old_x + sin * old_y, size_c * size1(old_x) + size_s * size1(old_y), x, executiontype),
        _vector(
            "y", there, cos * old_y - np.conj(sin) * old_x, size_c * size1(old_y) + size_s * size1(old_x), y, executiontype
        ),
    ]  # fmt: skip
    if cos.imag != 0:
        return [Expected(e.array, e.index, e.values, np.full(n, LONG("inf"))) for e in claims]
    return list(claims)


@oracle(repeats=("x",))
def copyEx(*, n: int, x: Array, xType: int, incx: int, y: Array, yType: int, incy: int) -> list[Claim]:  # noqa: N802
    """y ← x. Exact."""
    return level1.copy(n=n, x=x, incx=incx, y=y, incy=incy)


@oracle()
def swapEx(*, n: int, x: Array, xType: int, incx: int, y: Array, yType: int, incy: int) -> list[Claim]:  # noqa: N802
    """x ↔ y. Exact."""
    return level1.swap(n=n, x=x, incx=incx, y=y, incy=incy)


@oracle(ties=True, repeats=("x",))
def amaxEx(*, n: int, x: Array, xType: int, incx: int, result: Array) -> list[Claim]:  # noqa: N802
    """amax."""
    return level1.amax(n=n, x=x, incx=incx, result=result)


@oracle(ties=True, repeats=("x",))
def aminEx(*, n: int, x: Array, xType: int, incx: int, result: Array) -> list[Claim]:  # noqa: N802
    """amin."""
    return level1.amin(n=n, x=x, incx=incx, result=result)


@oracle(repeats=("x",))
def asumEx(  # noqa: N802
    *, n: int, x: Array, xType: int, incx: int, result: Array, resultType: int, executiontype: int
) -> list[Claim]:
    """asum."""
    return level1.asum(n=n, x=x, incx=incx, result=result)


@oracle()
def rotgEx(*, a: Array, b: Array, abType: int, c: Array, s: Array, csType: int, executiontype: int) -> list[Claim]:  # noqa: N802
    """rotg."""
    return level1.rotg(a=a, b=b, c=c, s=s)


@oracle(flags=("param", (-1, 0, 1, -2)))
def rotmEx(  # noqa: N802
    *, n: int, x: Array, xType: int, incx: int, y: Array, yType: int, incy: int, param: Array, paramType: int,
    executiontype: int,
) -> list[Claim]:  # fmt: skip
    """rotm."""
    return level1.rotm(n=n, x=x, incx=incx, y=y, incy=incy, param=param)


@oracle()
def rotmgEx(  # noqa: N802
    *, d1: Array, d1Type: int, d2: Array, d2Type: int, x1: Array, x1Type: int, y1: Array, y1Type: int, param: Array,
    paramType: int, executiontype: int,
) -> list[Claim]:  # fmt: skip
    """rotmg."""
    return level1.rotmg(d1=d1, d2=d2, x1=x1, y1=y1, param=param)


__all__ = ["Precision"]
