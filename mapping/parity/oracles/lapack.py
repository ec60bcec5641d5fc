"""LAPACK-like functions on batches: LU, QR, solves, inverses, least squares; and packed triangles.

Factors are not unique, so nothing is compared with a reference: what came out is put together again in long double and
judged by the residual, whose bound holds for every algorithm in use. γ is Higham's (*Accuracy and Stability of Numerical
Algorithms*, 2nd ed.); a factor of |T||T⁻¹| more than the textbook's bound allows for libraries that invert diagonal blocks
of a triangle T (section 14.2 there).

Every member is judged alone. One with NaN or Inf promises nothing, but must not spoil its neighbours."""

# ruff: noqa: N803, N806  (parameters and matrices have cuBLAS's and Higham's names)
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from . import storage as st
from .arithmetic import INF, solve
from .claims import LONG, Array, Arrays, Claim, Dtype, Expected, Fault, Index, growth, size1, smallest, wide
from .registry import oracle

# What is measured: a name, sizes, and the bounds that they must not exceed.
Measures = Iterator[tuple[str, Array, Array]]


@dataclass(frozen=True, slots=True)
class Measured(Claim):
    """Several measures of what a call left in some arrays; infinite bounds promise nothing."""

    elements: Mapping[str, Index]
    measure: Callable[[Arrays], Measures]

    def touches(self) -> Mapping[str, Index]:
        return self.elements

    def faults(self, after: Arrays) -> list[Fault]:
        found = []
        with np.errstate(all="ignore"):
            for what, size, bound in self.measure(after):
                size, bound = np.broadcast_arrays(size, bound)
                wrong = np.argwhere(~(size <= bound) & ~np.isinf(bound))
                if len(wrong):
                    at = tuple(int(i) for i in wrong[0])
                    place = f" at {list(at)}: {float(size[at]):.3g}, bound {float(bound[at]):.2g}" if at else ""
                    found.append(Fault(next(iter(self.elements)), -1, what + place))
        return found

    def error(self, after: Arrays) -> float:
        worst = 0.0
        with np.errstate(all="ignore"):
            for _, size, bound in self.measure(after):
                ratio = np.asarray(size / bound)
                worst = max(worst, float(ratio[np.isfinite(ratio)].max(initial=0.0)))
        return worst


def must(holds: bool, what: str) -> tuple[str, Array, Array]:
    """A measure that is right or wrong."""
    return what, np.asarray(LONG(not holds)), np.asarray(LONG(0))


def times(*factors: Array) -> Array:
    """A product of matrices, from the left."""
    found = factors[0]
    for factor in factors[1:]:
        found = np.einsum("ik,kj->ij", found, factor)
    return found


def part(values: Array) -> Array:
    """The larger of |Re| and |Im|: complex bounds hold for each part."""
    return np.asarray(
        np.maximum(np.abs(values.real), np.abs(values.imag)) if values.dtype.kind == "c" else np.abs(values)
    )


def eye(n: int, like: Array) -> Array:
    return np.asarray(np.eye(n, dtype=like.dtype))


def lower_of(factors: Array) -> Array:
    """L: below the diagonal as stored, 1 on it."""
    return np.asarray(np.tril(factors, -1) + eye(len(factors), factors))


def inverse(triangle: Array, lower: bool) -> Array:
    """T⁻¹ by substitution; what is 0 divides to infinity."""
    return solve(triangle, triangle != 0, eye(len(triangle), triangle), lower)


def swapped(matrix: Array, pivots: Array, back: bool = False) -> Array:
    """Row k changes with row pivots[k], in turn: P·M; `back`: Pᵀ·M."""
    found: Array = matrix.copy()
    for k in range(len(pivots) - 1, -1, -1) if back else range(len(pivots)):
        other = int(pivots[k]) - 1
        found[[k, other]] = found[[other, k]]
    return found


def first_zero(factors: Array) -> int:
    """The first exact zero on the diagonal, from 1; 0 where there is none."""
    zeros = np.flatnonzero(np.diagonal(factors) == 0)
    return int(zeros[0]) + 1 if len(zeros) else 0


def first_zero_column(matrix: Array) -> int:
    zeros = np.flatnonzero((matrix == 0).all(axis=0))
    return int(zeros[0]) + 1 if len(zeros) else 0


def _members(values: int) -> range:
    return range(max(values, 0))


def _told(info: Index, value: int) -> Claim:
    """The host's info."""
    return Expected("info", np.arange(1), np.full(1, value), np.zeros(1))


# ---- LU


@oracle("getrfBatched", optional=("P",), poison=("nan", "column"))
def getrf_batched(
    *, n: int, A: list[Array], lda: int, P: Array | None, info: Array, batchSize: int
) -> list[Claim]:  # fmt: skip
    """P·A = L·U: |PA − LU| ≤ γ_n (|L||U| + |L||L⁻¹||L||U|) (Theorem 9.3; any order, with or without pivots).

    A choice of pivots is valid if no multiplier exceeds 1; √2 for complex data, where |Re| + |Im| may stand for the
    modulus. info is the place of the first zero on U's diagonal, whatever the status. A column of zeros stays one. After
    a zero pivot without pivoting only what came before it is determined."""
    claims: list[Claim] = []
    for i in _members(batchSize) if n > 0 else ():
        touched = {f"A[{i}]": st.general(n, n, lda), "info": np.array([i])}
        if P is not None:
            touched["P"] = np.arange(i * n, (i + 1) * n)
        claims.append(Measured(touched, _lu(i, n, A[i], lda, P is not None)))
    return claims


def _lu(i: int, n: int, A: Array, lda: int, pivoted: bool) -> Callable[[Arrays], Measures]:
    at = st.general(n, n, lda)
    old, dtype = wide(A[at]), A.dtype

    def measure(after: Arrays) -> Measures:
        if not np.isfinite(old).all():
            return
        new = wide(after[f"A[{i}]"][at])
        zero, told = first_zero(new), int(after["info"][i])
        yield must(told == zero, f"info is {told}, the first zero on the diagonal of U is {zero}")
        L, U, kept = lower_of(new), np.triu(new), n
        if pivoted:
            pivots = after["P"][i * n : (i + 1) * n]
            legal = bool(((pivots > np.arange(n)) & (pivots <= n)).all())
            yield must(legal, f"pivots {pivots.tolist()}; expected row k or a later one, from 1")
            if not legal:
                return
            largest = np.abs(np.tril(new, -1)).max(initial=LONG(0))
            limit = (np.sqrt(LONG(2)) if dtype.kind == "c" else LONG(1)) * (1 + LONG(growth(8, dtype)))
            yield must(
                bool(largest <= limit), f"a multiplier has {float(largest):.6g}; another pivot would keep it to 1"
            )
            zeros = (old == 0).all(axis=0)
            yield "a column of zeros does not stay one", np.abs(new[:, zeros]), np.zeros((n, int(zeros.sum())), LONG)
            whole = swapped(old, pivots)
        else:
            whole = old
            if zero:
                kept = zero - 1
                L[:, kept:] = np.eye(n, dtype=L.dtype)[:, kept:]
                U[kept:] = 0
        row, column = np.indices((n, n))
        sizes = times(size1(L), size1(U))
        sizes = sizes + times(size1(L), size1(inverse(L, True)), sizes)
        bound = LONG(growth(n + 8, dtype)) * sizes + n * LONG(smallest(dtype))
        yield "P·A − L·U", part(whole - times(L, U)), np.where(np.minimum(row, column) < kept, bound, INF)

    return measure


def _inverse_residual(X: Array, L: Array, U: Array, rows: Array, dtype: Dtype) -> tuple[str, Array, Array]:
    """X = (PᵀLU)⁻¹, by the residual on the side on which the algorithm has a small one.

    Solving A·X = I and Gauss–Jordan elimination: |AX − I| ≤ γ_8n |L||U||U⁻¹||U||X| (Theorem 14.5). Inverting U and
    solving X·L = U⁻¹, as LAPACK does: |XA − I| ≤ γ_8n |X||L||L⁻¹||L||U| (section 14.3, method B). `rows` are the pivots;
    P leaves sizes as they are."""
    n = len(X)
    rate = LONG(growth(8 * n + 8, dtype))
    sizes = times(size1(L), size1(U))
    right = part(times(L, U, X) - swapped(eye(n, X), rows))
    right_bound = rate * times(sizes, size1(inverse(U, False)), size1(U), size1(X))
    turned = swapped(np.asarray(X.T), rows).T  # X·Pᵀ
    left = part(times(turned, L, U) - eye(n, X))
    left_bound = rate * times(size1(turned), size1(L), size1(inverse(L, True)), sizes)
    pairs = [(right, right_bound), (left, left_bound)]
    size, bound = min(pairs, key=lambda pair: np.nan_to_num((pair[0] / pair[1]).max(), nan=np.inf))
    return "A·X − I and X·A − I are both too large", size, bound


@oracle("getriBatched", solve=("A",), pivots={"P": "n"}, optional=("P",), poison=("nan", "pivot"))
def getri_batched(
    *, n: int, A: list[Array], lda: int, P: Array | None, C: list[Array], ldc: int, info: Array, batchSize: int
) -> list[Claim]:
    """C ← (Pᵀ·L·U)⁻¹ by the residual; info is the place of the first zero on U's diagonal, and C is open then."""
    claims: list[Claim] = []
    for i in _members(batchSize) if n > 0 else ():
        factors = wide(A[i][st.general(n, n, lda)])
        rows = P[i * n : (i + 1) * n] if P is not None else np.arange(1, n + 1)
        touched = {f"C[{i}]": st.general(n, n, ldc), "info": np.array([i])}
        claims.append(Measured(touched, _from_factors(i, factors, rows, ldc, A[i].dtype)))
    return claims


def _from_factors(i: int, factors: Array, rows: Array, ldc: int, dtype: Dtype) -> Callable[[Arrays], Measures]:
    n = len(factors)

    def measure(after: Arrays) -> Measures:
        if not np.isfinite(factors).all():
            return
        zero, told = first_zero(factors), int(after["info"][i])
        yield must(told == zero, f"info is {told}, the first zero on the diagonal of U is {zero}")
        if not zero:
            X = wide(after[f"C[{i}]"][st.general(n, n, ldc)])
            yield _inverse_residual(X, lower_of(factors), np.triu(factors), rows, dtype)

    return measure


def eliminated(matrix: Array) -> tuple[Array, Array]:
    """(L and U in one, pivots) by Gaussian elimination with partial pivoting in long double."""
    found, n = matrix.copy(), len(matrix)
    rows = np.arange(1, n + 1)
    for k in range(n):
        best = k + int(np.argmax(np.abs(found[k:, k])))
        rows[k] = best + 1
        found[[k, best]] = found[[best, k]]
        if found[k, k] != 0:
            found[k + 1 :, k] /= found[k, k]
            found[k + 1 :, k + 1 :] -= found[k + 1 :, k, None] * found[None, k, k + 1 :]
    return found, rows


def _up_to_32(values: Mapping[str, int]) -> dict[str, int]:
    return {"n": min(values["n"], 32)}


@oracle("matinvBatched", poison=("nan", "column"), domain=_up_to_32, beyond={"n = 33": ({"n": 33}, 7)})
def matinv_batched(
    *, n: int, A: list[Array], lda: int, Ainv: list[Array], lda_inv: int, info: Array, batchSize: int
) -> list[Claim]:
    """Ainv ← A⁻¹ by the residual, with L and U of an elimination of ours; info as getrf's. A member that is singular
    within rounding is open unless a column is zero."""
    claims: list[Claim] = []
    for i in _members(batchSize) if n > 0 else ():
        matrix = wide(A[i][st.general(n, n, lda)])
        touched = {f"Ainv[{i}]": st.general(n, n, lda_inv), "info": np.array([i])}
        claims.append(Measured(touched, _inverse_of(i, matrix, lda_inv, A[i].dtype)))
    return claims


def _inverse_of(i: int, matrix: Array, ld: int, dtype: Dtype) -> Callable[[Arrays], Measures]:
    n = len(matrix)

    def measure(after: Arrays) -> Measures:
        if not np.isfinite(matrix).all():
            return
        told, empty = int(after["info"][i]), first_zero_column(matrix)
        if empty:
            yield must(1 <= told <= empty, f"info is {told}, and column {empty} is zero")
            return
        factors, rows = eliminated(matrix)
        L, U = lower_of(factors), np.triu(factors)
        lost = LONG(growth(8 * n + 8, dtype)) * np.diagonal(times(size1(L), size1(U)))
        if (part(np.diagonal(U)) <= lost).any():
            return
        yield must(told == 0, f"info is {told}, and the matrix is not singular")
        X = wide(after[f"Ainv[{i}]"][st.general(n, n, ld)])
        yield _inverse_residual(X, L, U, rows, dtype)

    return measure


@oracle(
    "getrsBatched", solve=("Aarray",), pivots={"devIpiv": "n"}, optional=("devIpiv",), poison=("nan", "inf", "pivot")
)
def getrs_batched(
    *, trans: int, n: int, nrhs: int, Aarray: list[Array], lda: int, devIpiv: Array | None, Barray: list[Array], ldb: int,
    info: Array, batchSize: int,
) -> list[Claim]:  # fmt: skip
    """op(PᵀLU)·X = B: |B − op(PᵀLU)X| ≤ γ_3n (|L||L⁻¹||L||U| + |L||U||U⁻¹||U|)|X| (Theorem 9.4), for a transpose with
    the factors turned. info on the host is 0."""
    claims: list[Claim] = [_told(info, 0)]
    for i in _members(batchSize) if n > 0 and nrhs > 0 else ():
        factors = wide(Aarray[i][st.general(n, n, lda)])
        rows = devIpiv[i * n : (i + 1) * n] if devIpiv is not None else np.arange(1, n + 1)
        at = st.general(n, nrhs, ldb)
        measure = _solution(i, trans, factors, rows, wide(Barray[i][at]), at, Barray[i].dtype)
        claims.append(Measured({f"Barray[{i}]": at}, measure))
    return claims


def _solution(
    i: int, trans: int, factors: Array, rows: Array, B: Array, at: Index, dtype: Dtype
) -> Callable[[Arrays], Measures]:
    def measure(after: Arrays) -> Measures:
        if not np.isfinite(factors).all() or first_zero(factors):
            return
        sound = np.isfinite(B).all(axis=0)  # a NaN spoils its own column only
        X = wide(after[f"Barray[{i}]"][at])[:, sound]
        L, U = lower_of(factors), np.triu(factors)
        if trans == st.N:
            first, second, right, unknown = L, U, swapped(B[:, sound], rows), X
        else:
            first, second = st.op(U, trans), st.op(L, trans)
            right, unknown = B[:, sound], swapped(X, rows)
        lower = trans == st.N
        one, two = size1(first), size1(second)
        sizes = times(one, size1(inverse(first, lower)), one, two)
        sizes = sizes + times(one, two, size1(inverse(second, not lower)), two)
        bound = LONG(growth(3 * len(factors) + 8, dtype)) * times(sizes, size1(unknown))
        yield "B − A·X", part(right - times(first, second, unknown)), bound + len(factors) * LONG(smallest(dtype))

    return measure


# ---- QR


def reflected(vectors: Array, tau: Array, matrix: Array) -> Array:
    """H₁·…·H_k·M with H_j = I − τ_j·v_j·v_jᴴ, v_j as geqrf stores it: 1 at row j, below it what lies under R."""
    found: Array = matrix.copy()
    for j in range(len(tau) - 1, -1, -1):
        v = vectors[:, j].copy()
        v[:j], v[j] = 0, 1
        row = np.einsum("i,ij->j", np.conj(v), found)
        found = found - tau[j] * v[:, None] * row[None, :]
    return found


def length(columns: Array) -> Array:
    """2-norms of columns."""
    return np.asarray(np.sqrt((columns.real**2 + columns.imag**2).sum(axis=0)))


def reflections(count: int, rows: int, dtype: Dtype) -> Array:
    """What `count` reflectors of `rows` elements may cost, relative to the norm of a column: each is made within
    γ_6m+13 (Lemma 19.1) and applied within twice that and γ_2m more (Lemma 19.2)."""
    return np.asarray(count * LONG(growth(16 * (rows + 2), dtype)))


@oracle("geqrfBatched", poison=("nan", "column"))
def geqrf_batched(
    *, m: int, n: int, Aarray: list[Array], lda: int, TauArray: list[Array], info: Array, batchSize: int
) -> list[Claim]:
    """A = Q·R with Q made of the reflectors: ‖a_j − (QR)_j‖ ≤ γ̃_mk ‖a_j‖ for each column (Theorem 19.4), and each
    element of QᴴQ − I within twice that rate. info on the host is 0."""
    claims: list[Claim] = [_told(info, 0)]
    for i in _members(batchSize) if m > 0 and n > 0 else ():
        at = st.general(m, n, lda)
        touched = {f"Aarray[{i}]": at, f"TauArray[{i}]": np.arange(min(m, n))}
        claims.append(Measured(touched, _qr(i, wide(Aarray[i][at]), at, Aarray[i].dtype)))
    return claims


def _qr(i: int, old: Array, at: Index, dtype: Dtype) -> Callable[[Arrays], Measures]:
    m, n = old.shape
    k = min(m, n)

    def measure(after: Arrays) -> Measures:
        if not np.isfinite(old).all():
            return
        new, tau = wide(after[f"Aarray[{i}]"][at]), wide(after[f"TauArray[{i}]"][:k])
        rate = reflections(k, m, dtype)
        difference = old - reflected(new, tau, np.triu(new))
        yield "A − Q·R, by columns", length(difference), rate * length(old) + m * LONG(smallest(dtype))
        Q = reflected(new, tau, eye(m, new))
        yield "QᴴQ − I", part(times(np.conj(Q.T), Q) - eye(m, new)), 2 * rate

    return measure


def _tall(values: Mapping[str, int]) -> dict[str, int]:
    return {"n": min(values["m"], values["n"])}


@oracle(
    "gelsBatched", ops={"trans": (st.N,)}, optional=("devInfoArray",), poison=("nan", "column"), domain=_tall,
    beyond={"m < n": ({"m": 3, "n": 5}, 15)},
)  # fmt: skip
def gels_batched(
    *, trans: int, m: int, n: int, nrhs: int, Aarray: list[Array], lda: int, Carray: list[Array], ldc: int, info: Array,
    devInfoArray: Array | None, batchSize: int,
) -> list[Claim]:  # fmt: skip
    """min ‖C − A·X‖ by Aᴴ(C − AX), which is 0 at the minimum.

    The solution by QR is exact for A + ΔA and c + Δc with columns changed within ε = γ̃_mn of their norms (Theorem 20.3),
    so |Aᴴr|_j ≤ ‖a_j‖ (ε‖r‖ + (ε + ε²)(‖c‖ + ‖A‖_F‖x‖)); a solve with R by inverted blocks adds |Rᴴ|γ_n|R||R⁻¹||R||x|. R
    must fit: |RᴴR − AᴴA|_ij ≤ (2ε + ε²)‖a_i‖‖a_j‖. A zero on R's diagonal is told, and X is open then, as are the rows of C
    below it always. Without right sides each member's devInfo is 0, as an H200 has it."""
    claims: list[Claim] = [_told(info, 0)]
    if m > 0 and n > 0 and nrhs == 0 and devInfoArray is not None and batchSize > 0:
        told = np.zeros(batchSize)
        claims.append(Expected("devInfoArray", np.arange(batchSize), told, told))
    for i in _members(batchSize) if m > 0 and n > 0 and nrhs > 0 else ():
        at, to = st.general(m, n, lda), st.general(m, nrhs, ldc)
        touched = {f"Carray[{i}]": to, f"Aarray[{i}]": at}
        if devInfoArray is not None:
            touched["devInfoArray"] = np.array([i])
        A, C = wide(Aarray[i][at]), wide(Carray[i][to])
        claims.append(Measured(touched, _minimum(i, A, C, at, to, devInfoArray is not None, Aarray[i].dtype)))
    return claims


def _minimum(
    i: int, A: Array, C: Array, at: Index, to: Index, tells: bool, dtype: Dtype
) -> Callable[[Arrays], Measures]:
    m, n = A.shape

    def measure(after: Arrays) -> Measures:
        if not np.isfinite(A).all():
            return
        R = np.triu(wide(after[f"Aarray[{i}]"][at])[:n])
        norms, rate = length(A), reflections(n + 2, m, dtype)
        fit = part(times(np.conj(R.T), R) - times(np.conj(A.T), A))
        yield "RᴴR − AᴴA", fit, (2 * rate + rate**2) * norms[:, None] * norms[None, :] + m * LONG(smallest(dtype))
        zero, empty = first_zero(R), first_zero_column(A)
        if tells:
            told = int(after["devInfoArray"][i])
            yield must(told == zero, f"devInfoArray has {told}, the first zero on the diagonal of R is {zero}")
        yield must(not empty or 1 <= zero <= empty, f"column {empty} is zero, and R has no zero on its diagonal")
        if zero or empty:
            return
        sound = np.isfinite(C).all(axis=0)
        X, right = wide(after[f"Carray[{i}]"][to])[:n][:, sound], C[:, sound]
        rest = right - times(A, X)
        gradient = part(times(np.conj(A.T), rest))
        change = length(right) + np.sqrt((norms**2).sum()) * length(X)
        bound = norms[:, None] * (rate * length(rest) + (rate + rate**2) * change)[None, :]
        solving = times(size1(R), size1(inverse(R, False)), size1(R), size1(X))
        bound = bound + LONG(growth(n + 8, dtype)) * times(size1(R).T, solving)
        yield "Aᴴ(C − A·X)", gradient, bound + m * LONG(smallest(dtype))

    return measure


# ---- packed triangles


@oracle()
def tpttr(*, uplo: int, n: int, AP: Array, A: Array, lda: int) -> list[Claim]:
    """Each element of the triangle is the packed one; the other triangle stays."""
    index, mask = st.packed(n, uplo)
    at = st.general(n, n, lda)[mask]
    return [Expected("A", at, wide(AP[index[mask]]), np.zeros(at.shape, LONG))]


@oracle()
def trttp(*, uplo: int, n: int, A: Array, lda: int, AP: Array) -> list[Claim]:
    """Each packed element is the triangle's."""
    index, mask = st.packed(n, uplo)
    return [Expected("AP", index[mask], wide(A[st.general(n, n, lda)[mask]]), np.zeros(int(mask.sum()), LONG))]
