"""Level 1: vectors with vectors. Sizes that are not positive do nothing and answer 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import storage as st
from .arithmetic import INF, scaled
from .claims import (
    BF16,
    LONG,
    Array,
    Claim,
    Expected,
    Index,
    from_bfloat16,
    gamma,
    growth,
    is_complex,
    is_float,
    roundoff,
    size1,
    smallest,
    wide,
)
from .registry import oracle

_FIRST: Index = np.zeros(1, np.int64)


def answer(result: Array, value: object, bound: object = 0) -> Claim:
    """A claim about the one element of a result."""
    if not is_float(result.dtype):
        return Expected("result", _FIRST, np.array([value], result.dtype), np.zeros(1))
    values = np.array([value], np.clongdouble if is_complex(result.dtype) else LONG)
    return Expected("result", _FIRST, values, np.array([bound], LONG))


def _sizes(x: Array) -> Array:
    """|Re| + |Im| in the element's own precision: what amax and amin compare, rounded once."""
    if x.dtype == BF16:
        return np.asarray(np.abs(from_bfloat16(x)))
    return np.asarray(np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x))


def _extreme(n: int, x: Array, incx: int, result: Array, largest: bool) -> list[Claim]:
    if n <= 0 or incx <= 0:
        return [answer(result, 0)]
    sizes = _sizes(x[st.vector(n, incx)])
    known = ~np.isnan(sizes)
    if not known.any():  # nothing but NaN: no library says what it answers
        return [Expected("result", _FIRST, np.zeros(1, result.dtype), np.array([np.inf]))]
    if (
        not largest and np.isinf(sizes[known]).all() and not known.all()
    ):  # nothing is smaller than where libraries start
        return [Expected("result", _FIRST, np.zeros(1, result.dtype), np.array([np.inf]))]
    best = sizes[known].max() if largest else sizes[known].min()
    return [answer(result, int(np.flatnonzero(known & (sizes == best))[0]) + 1)]


@oracle(ties=True, repeats=("x",))
def amax(*, n: int, x: Array, incx: int, result: Array) -> list[Claim]:
    """First index, from 1, of the largest |Re| + |Im|; NaN is passed over. Exact."""
    return _extreme(n, x, incx, result, True)


@oracle(ties=True, repeats=("x",))
def amin(*, n: int, x: Array, incx: int, result: Array) -> list[Claim]:
    """First index, from 1, of the smallest |Re| + |Im|; NaN is passed over. Exact."""
    return _extreme(n, x, incx, result, False)


@oracle(repeats=("x",))
def asum(*, n: int, x: Array, incx: int, result: Array) -> list[Claim]:
    """Σ |Re x_i| + |Im x_i|. A sum of n (complex: 2n) terms in any order: γ_{2n} · Σ|x|₁ (Higham, section 4.2)."""
    if n <= 0 or incx <= 0:
        return [answer(result, 0)]
    total = size1(x[st.vector(n, incx)]).sum()
    return [answer(result, total, growth(n, x.dtype) * total)]


@oracle(scales=True, repeats=("x",))
def nrm2(*, n: int, x: Array, incx: int, result: Array) -> list[Claim]:
    """√Σ|x_i|² without overflow. A sum of squares is within γ_{n}, its root within half of it plus one rounding;
    scaling with a running maximum adds a few roundings a term (Higham, section 27.8): γ_{n+6} in all, complex
    γ_{2n+8}."""
    if n <= 0 or incx <= 0:
        return [answer(result, 0)]
    values = wide(x[st.vector(n, incx)])
    # Scaled, since long double may be no wider than double.
    largest = size1(values).max()
    scale = largest if np.isfinite(largest) and largest > 0 else LONG(1)
    values = values / scale
    norm = scale * np.sqrt((values.real * values.real + values.imag * values.imag).sum())
    return [answer(result, norm, growth(n + 5, x.dtype) * norm + n * LONG(smallest(result.dtype)))]


def _dot(n: int, x: Array, incx: int, y: Array, incy: int, result: Array, conjugate: bool) -> list[Claim]:
    if n <= 0:
        return [answer(result, 0)]
    left, right = wide(x[st.vector(n, incx)]), wide(y[st.vector(n, incy)])
    value = ((np.conj(left) if conjugate else left) * right).sum()
    size = (size1(left) * size1(right)).sum()
    return [answer(result, value, growth(n, result.dtype) * size + n * LONG(smallest(result.dtype)))]


@oracle("dot", "dotu", repeats=("x", "y"))
def dotu(*, n: int, x: Array, incx: int, y: Array, incy: int, result: Array) -> list[Claim]:
    """Σ x_i·y_i within γ_n · Σ|x||y| (Higham, section 3.1)."""
    return _dot(n, x, incx, y, incy, result, False)


@oracle(repeats=("x", "y"))
def dotc(*, n: int, x: Array, incx: int, y: Array, incy: int, result: Array) -> list[Claim]:
    """Σ conj(x_i)·y_i within γ_n · Σ|x||y|."""
    return _dot(n, x, incx, y, incy, result, True)


@oracle(repeats=("x",))
def axpy(*, n: int, alpha: Array, x: Array, incx: int, y: Array, incy: int) -> list[Claim]:
    """y ← α·x + y: one product and one addition, γ_2 · (|α||x| + |y|). α = 0 leaves y as it is."""
    if n <= 0 or alpha == 0:
        return []
    at = st.vector(n, incy)
    add, old = scaled(alpha, wide(x[st.vector(n, incx)])), wide(y[at])
    size = size1(np.asarray(alpha)) * size1(x[st.vector(n, incx)]) + size1(old)
    return [Expected("y", at, add + old, growth(1, y.dtype) * size + LONG(smallest(y.dtype)))]


@oracle(repeats=("x",))
def copy(*, n: int, x: Array, incx: int, y: Array, incy: int) -> list[Claim]:
    """y ← x. Exact."""
    if n <= 0:
        return []
    at = st.vector(n, incy)
    return [Expected("y", at, wide(x[st.vector(n, incx)]), np.zeros(n, LONG))]


@oracle()
def swap(*, n: int, x: Array, incx: int, y: Array, incy: int) -> list[Claim]:
    """x ↔ y. Exact."""
    if n <= 0:
        return []
    here, there = st.vector(n, incx), st.vector(n, incy)
    exact = np.zeros(n, LONG)
    return [Expected("x", here, wide(y[there]), exact), Expected("y", there, wide(x[here]), exact)]


@oracle(repeats=("x",))
def scal(*, n: int, alpha: Array, x: Array, incx: int) -> list[Claim]:
    """x ← α·x: one product, γ_1 · |α||x| (complex: γ_4). Nothing is done for an increment that is not positive."""
    if n <= 0 or incx <= 0:
        return []
    at = st.vector(n, incx)
    old = wide(x[at])
    bound = growth(1, x.dtype) * size1(np.asarray(alpha)) * size1(old) + LONG(smallest(x.dtype))
    if alpha == 0:  # 0 · NaN: libraries differ, and so do NVIDIA's versions
        bound = np.where(np.isfinite(old), bound, INF)
    return [Expected("x", at, wide(np.asarray(alpha)) * old, bound)]


@oracle()
def rot(*, n: int, x: Array, incx: int, y: Array, incy: int, c: Array, s: Array) -> list[Claim]:
    """x ← c·x + s·y, y ← c·y − conj(s)·x: two products and one addition, γ_3 · (|c||x| + |s||y|)."""
    if n <= 0:
        return []
    here, there = st.vector(n, incx), st.vector(n, incy)
    old_x, old_y, cos, sin = wide(x[here]), wide(y[there]), wide(np.asarray(c)), wide(np.asarray(s))
    rate, tiny = growth(2, x.dtype), 2 * LONG(smallest(x.dtype))
    size_c, size_s = size1(cos), size1(sin)
    return [
        Expected("x", here, cos * old_x + sin * old_y, rate * (size_c * size1(old_x) + size_s * size1(old_y)) + tiny),
        Expected(
            "y",
            there,
            cos * old_y - np.conj(sin) * old_x,
            rate * (size_c * size1(old_y) + size_s * size1(old_x)) + tiny,
        ),
    ]


@oracle()
def rotg(*, a: Array, b: Array, c: Array, s: Array) -> list[Claim]:
    """A Givens rotation that turns (a, b) into (r, 0); a ← r, and for real types b ← z.

    Sign and z as in the reference (Lawson, Hanson, Kincaid, Krogh, 1979): r has the sign of the larger of a and b; z
    is s where |a| > |b|, else 1/c, else 1. Each result is a root, a quotient and a few products away: γ_10 of its own
    size."""
    exact_a, exact_b = wide(a).reshape(-1)[0], wide(b).reshape(-1)[0]
    dtype = a.dtype
    rate = gamma(20 if dtype.kind == "c" else 10, roundoff(dtype))

    def near(name: str, value: object, size: object | None = None) -> Claim:
        values = np.asarray([value])
        scale = size1(values) if size is None else np.asarray([size], LONG)
        return Expected(name, _FIRST, values, rate * scale + LONG(smallest(dtype)))

    norm = np.sqrt(np.abs(exact_a) ** 2 + np.abs(exact_b) ** 2)
    one, zero = LONG(1), LONG(0)
    if dtype.kind == "c":
        if exact_a == 0:
            return [near("c", zero), near("s", exact_a * 0 + 1), near("a", exact_b)]
        phase = exact_a / np.abs(exact_a)
        sine = phase * np.conj(exact_b) / norm
        return [near("c", np.abs(exact_a) / norm), near("s", sine, np.abs(sine)), near("a", phase * norm, norm)]
    if norm == 0:
        return [near("c", one), near("s", zero), near("a", zero), near("b", zero)]
    larger = exact_a if abs(exact_a) > abs(exact_b) else exact_b
    r = np.copysign(norm, larger)
    cosine, sine = exact_a / r, exact_b / r
    z = sine if abs(exact_a) > abs(exact_b) else one / cosine if cosine != 0 else one
    return [near("c", cosine), near("s", sine), near("a", r), near("b", z)]


def _flagged(param: Array) -> tuple[np.longdouble, ...]:
    """h11, h21, h12, h22 of a modified rotation; −2 is the identity, 0 and 1 imply the elements that they leave out."""
    flag, h11, h21, h12, h22 = wide(param[:5])
    one, zero = LONG(1), LONG(0)
    if flag == -2:
        return one, zero, zero, one
    if flag == 0:
        return one, h21, h12, one
    if flag == 1:
        return h11, -one, one, h22
    return h11, h21, h12, h22


@oracle(flags=("param", (-1, 0, 1, -2)))
def rotm(*, n: int, x: Array, incx: int, y: Array, incy: int, param: Array) -> list[Claim]:
    """x ← h11·x + h12·y, y ← h21·x + h22·y: γ_3 · (|h||x| + |h||y|). Flag −2 leaves both as they are."""
    if n <= 0 or wide(param[:1])[0] == -2:
        return []
    here, there = st.vector(n, incx), st.vector(n, incy)
    old_x, old_y = wide(x[here]), wide(y[there])
    h11, h21, h12, h22 = _flagged(param)
    rate, tiny = growth(2, x.dtype), 2 * LONG(smallest(x.dtype))
    return [
        Expected("x", here, h11 * old_x + h12 * old_y, rate * (abs(h11 * old_x) + abs(h12 * old_y)) + tiny),
        Expected("y", there, h21 * old_x + h22 * old_y, rate * (abs(h21 * old_x) + abs(h22 * old_y)) + tiny),
    ]


@oracle()
def rotmg(*, d1: Array, d2: Array, x1: Array, y1: Array, param: Array) -> list[Claim]:
    """A modified Givens rotation H with H·(√d1·x1, √d2·y1)ᵀ = (·, 0)ᵀ; d1, d2, x1 and H are written.

    As in the reference (Lawson et al., 1979); values are drawn so that its rescaling by 4096 does not set in. Each
    result is a handful of roundings away: γ_12 of its own size, for those divided by u = 1 ± |h||h'| magnified by the
    cancellation in u. Elements of `param` that the flag leaves out may be written or not.
    """
    e1, e2, ex, ey = (wide(v).reshape(-1)[0] for v in (d1, d2, x1, y1))
    rate = gamma(12, roundoff(d1.dtype))
    anything = [INF] * 4

    def outcome(
        flag: int, h: list[object], free: list[object], new1: object, new2: object, newx: object, lost: Any = 1
    ) -> list[Claim]:
        param_values = np.array([flag, *h], LONG)
        param_bound = np.concatenate([[LONG(0)], rate * abs(param_values[1:]) + np.array(free, LONG)])
        claims: list[Claim] = [Expected("param", np.arange(5), param_values, param_bound)]
        for name, value in (("d1", new1), ("d2", new2), ("x1", newx)):
            new = np.array([value], LONG)
            claims.append(Expected(name, _FIRST, new, rate * abs(new) * lost))
        return claims

    if e1 < 0:
        return outcome(-1, [0] * 4, [0] * 4, 0, 0, 0)
    p2 = e2 * ey
    if p2 == 0:
        return [Expected("param", np.arange(5), np.array([-2, 0, 0, 0, 0], LONG), np.array([0, *anything], LONG))]
    p1 = e1 * ex
    q1, q2 = p1 * ex, p2 * ey
    if abs(q1) > abs(q2):
        h21, h12 = -ey / ex, p2 / p1
        u = 1 - h12 * h21
        return outcome(0, [1, h21, h12, 1], [INF, 0, 0, INF], e1 / u, e2 / u, ex * u, (1 + abs(h12 * h21)) / abs(u))
    if q2 < 0:
        return outcome(-1, [0] * 4, [0] * 4, 0, 0, 0)
    h11, h22 = p1 / p2, ex / ey
    u = 1 + h11 * h22
    return outcome(1, [h11, -1, 1, h22], [0, INF, INF, 0], e2 / u, e1 / u, ey * u)
