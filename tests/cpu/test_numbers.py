"""A smoke test of the numbers: each function against sums written out in NumPy, with odd strides and poisoned padding."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from client import DTYPES, LEFT, LOWER, NON_UNIT, RIGHT, SUCCESS, UNIT, UPPER, C, N, Rocblas, T, real_letter, scalar
from storage import Array, Store, filled, in_triangle, matrix_at, multiply, op, packed_at, vector_at, wide

ALPHA, BETA = 0.75 - 0.5j, -0.5 + 0.25j
SIZES = [(7, 5, 3), (67, 35, 19)]  # the second is more than one tile
ALL, REAL, COMPLEX = "sdcz", "sd", "cz"


class Case:
    """Makes arrays, calls, and judges all arrays that it made."""

    def __init__(self, rocblas: Rocblas, letter: str) -> None:
        self.rocblas, self.letter = rocblas, letter
        self.dtype = np.dtype(DTYPES[letter])
        self.rng = np.random.default_rng(5)
        self.stores: list[tuple[str, Store]] = []
        self.alpha, self.beta = scalar(ALPHA, letter), scalar(BETA, letter)
        self.a, self.b = wide(self.alpha)[0], wide(self.beta)[0]

    def new(self, name: str, size: int, at: Array, scale: float = 1) -> Store:
        store = Store(self.rng, self.dtype, size, at, scale)
        self.stores.append((name, store))
        return store

    def vector(self, name: str, n: int, inc: int) -> Store:
        return self.new(name, 2 + (n - 1) * abs(inc) if inc else 1, vector_at(n, inc))

    def matrix(self, name: str, rows: int, cols: int, ld: int) -> Store:
        return self.new(name, ld * cols + 1, matrix_at(rows, cols, ld))

    def triangle(self, name: str, n: int, ld: int, uplo: int, diag: int = NON_UNIT) -> tuple[Store, Array]:
        """A stored triangle, the rest NaN; a unit diagonal is NaN too, any other dominates."""
        place = matrix_at(n, n, ld)
        stored = in_triangle(n, uplo)
        store = self.new(name, ld * n, place[stored], 1 / n)
        return store, self._dense(store, place, stored, diag, n)

    def packed(self, name: str, n: int, uplo: int, diag: int = NON_UNIT) -> tuple[Store, Array]:
        place, stored = packed_at(n, uplo), in_triangle(n, uplo)
        store = self.new(name, n * (n + 1) // 2, place[stored], 1 / n)
        return store, self._dense(store, place, stored, diag, n)

    def band(self, name: str, n: int, k: int, ld: int, uplo: int, diag: int = NON_UNIT) -> tuple[Store, Array]:
        i, j = np.indices((n, n))
        stored = in_triangle(n, uplo) & (abs(i - j) <= k)
        place = (k + i - j if uplo == UPPER else i - j) + ld * j
        store = self.new(name, ld * n, place[stored], 1 / n)
        return store, self._dense(store, np.where(stored, place, 0), stored, diag, n)

    def _dense(self, store: Store, place: Array, stored: Array, diag: int, n: int) -> Array:
        on = np.diag(place)
        store.buffer[on] = np.nan if diag == UNIT else store.buffer[on] + 2
        store._before[:] = store.buffer
        dense = np.where(stored, wide(store.buffer[place]), 0)
        if diag == UNIT:
            np.fill_diagonal(dense, 1)
        return dense

    def run(self, name: str, *arguments: Any) -> None:
        """Calls both forms; the 64-bit one starts from the same arrays."""
        symbol = f"{self.letter}{name}"
        passed = [a.buffer if isinstance(a, Store) else a for a in arguments]
        for suffix in ("", "_64"):
            for _, store in self.stores:
                store.buffer[:] = store._before
            assert self.rocblas.call(symbol + suffix, *passed) == SUCCESS, symbol + suffix
            for role, store in self.stores:
                store.check(f"{symbol}{suffix} {role}")


def each(**choices: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Parametrise over the product of the choices."""
    keys = list(choices)
    return pytest.mark.parametrize(keys, list(itertools.product(*choices.values())))


# ---- level 1 ----

INCREMENTS = [(1, 1), (2, 3), (-2, 1), (1, -3), (0, 2)]


@each(letter=ALL, n=[1, 6, 1000], incs=INCREMENTS)
def test_two_vectors(rocblas: Rocblas, letter: str, n: int, incs: tuple[int, int]) -> None:
    for name in ("axpy", "copy", "swap", "rot", "dot"):
        if name == "swap" and 0 in incs:
            continue
        case = Case(rocblas, letter)
        x, y = case.vector("x", n, incs[0]), case.vector("y", n, incs[1])
        xs, ys = x.get(), y.get()
        if name == "axpy":
            y.expect(case.a * xs + ys)
            case.run("axpy", n, case.alpha, x, incs[0], y, incs[1])
        elif name == "copy":
            y.expect(xs)
            case.run("copy", n, x, incs[0], y, incs[1])
        elif name == "swap":
            x.expect(ys)
            y.expect(xs)
            case.run("swap", n, x, incs[0], y, incs[1])
        elif name == "rot" and 0 not in incs:
            c, s = scalar(0.6, real_letter(letter)), scalar(0.8j if letter in COMPLEX else 0.8, letter)
            sine = wide(s)[0]
            x.expect(wide(c)[0] * xs + sine * ys)
            y.expect(wide(c)[0] * ys - np.conj(sine) * xs)
            case.run("rot", n, x, incs[0], y, incs[1], c, s)
        elif name == "dot":
            for kind in ("dot",) if letter in REAL else ("dotu", "dotc"):
                want = ((np.conj(xs) if kind == "dotc" else xs) * ys).sum()
                result = np.full(1, np.nan, case.dtype)
                case.run(kind, n, x, incs[0], y, incs[1], result)
                np.testing.assert_allclose(result[0], want, rtol=1e-4 if letter in "sc" else 1e-12, atol=1e-3)


@each(letter=ALL, n=[1, 6, 1000], inc=[1, 3])
def test_one_vector(rocblas: Rocblas, letter: str, n: int, inc: int) -> None:
    case = Case(rocblas, letter)
    x = case.vector("x", n, inc)
    xs = x.get()
    prefix = {"c": "sc", "z": "dz"}.get(letter, letter)
    result = np.full(1, np.nan, DTYPES[real_letter(letter)])
    rtol = 1e-5 if letter in "sc" else 1e-13
    sizes = abs(xs.real) + abs(xs.imag)
    for name, want in (("asum", sizes.sum()), ("nrm2", np.sqrt((abs(xs) ** 2).sum()))):
        for suffix in ("", "_64"):
            assert rocblas.call(f"{prefix}{name}{suffix}", n, x.buffer, inc, result) == SUCCESS
            np.testing.assert_allclose(result[0], want, rtol=rtol)
    short = np.abs(x.buffer[x.at].real) + np.abs(x.buffer[x.at].imag)
    for name, index in (("amax", int(short.argmax()) + 1), ("amin", int(short.argmin()) + 1)):
        for suffix, width in (("", np.int32), ("_64", np.int64)):
            place = np.full(2, -7, width)
            assert rocblas.call(f"i{letter}{name}{suffix}", n, x.buffer, inc, place) == SUCCESS
            assert list(place) == [index, -7]
    x.expect(case.a * xs)
    case.run("scal", n, case.alpha, x, inc)
    if letter in COMPLEX:
        factor = scalar(0.3, real_letter(letter))
        x.expect(wide(factor)[0] * xs)
        case.letter = {"c": "cs", "z": "zd"}[letter]
        case.run("scal", n, factor, x, inc)


@each(letter=COMPLEX, n=[1, 9])
def test_real_rotation_of_complex(rocblas: Rocblas, letter: str, n: int) -> None:
    case = Case(rocblas, letter)
    x, y = case.vector("x", n, 2), case.vector("y", n, -1)
    c, s = scalar(0.6, real_letter(letter)), scalar(-0.8, real_letter(letter))
    x.expect(wide(c)[0] * x.get() + wide(s)[0] * y.get())
    y.expect(wide(c)[0] * y.get() - wide(s)[0] * x.get())
    case.letter = {"c": "cs", "z": "zd"}[letter]
    case.run("rot", n, x, 2, y, -1, c, s)


@each(letter=ALL, pair=[(3, 4), (-3, 4), (4, -3), (0, 2), (2, 0), (1e30, 1e30), (1 - 2j, 0.5 + 3j), (0, 0)])
def test_rotg(rocblas: Rocblas, letter: str, pair: tuple[complex, complex]) -> None:
    a, b = scalar(pair[0], letter), scalar(pair[1], letter)
    before = wide(np.array([a[0], b[0]]))
    c, s = scalar(9, real_letter(letter)), scalar(9, letter)
    assert rocblas.call(f"{letter}rotg", a, b, c, s) == SUCCESS
    cosine, sine = wide(c)[0], wide(s)[0]
    eps = 16 * np.finfo(a.dtype).eps
    size = np.hypot(abs(before[0]), abs(before[1]))
    assert abs(cosine**2 + abs(sine) ** 2 - 1) <= eps
    assert abs(cosine * before[0] + sine * before[1] - wide(a)[0]) <= eps * max(size, 1)
    assert abs(-np.conj(sine) * before[0] + cosine * before[1]) <= eps * max(size, 1)


@each(letter=REAL, flag=[-2.0, -1.0, 0.0, 1.0], incs=[(1, 1), (2, -3)])
def test_rotm(rocblas: Rocblas, letter: str, flag: float, incs: tuple[int, int]) -> None:
    case = Case(rocblas, letter)
    n = 5
    x, y = case.vector("x", n, incs[0]), case.vector("y", n, incs[1])
    param = np.array([flag, 0.5, -0.25, 2, 1.5], case.dtype)
    h = {-2.0: [1, 0, 0, 1], -1.0: param[1:], 0.0: [1, param[2], param[3], 1], 1.0: [param[1], -1, 1, param[4]]}[flag]
    h11, h21, h12, h22 = (np.longdouble(v) for v in h)
    x.expect(h11 * x.get() + h12 * y.get())
    y.expect(h21 * x.get() + h22 * y.get())
    case.run("rotm", n, x, incs[0], y, incs[1], param)


@each(
    letter=REAL,
    start=[
        (2, 3, 1, 4),
        (3, 2, 4, 1),
        (1, 1, 1, 0),
        (-1, 1, 1, 1),
        (1e-9, 1e9, 1, 1),
        (1, -0.5, 1, 2),
        (1e12, 1e12, 2, 1),
    ],
)
def test_rotmg(rocblas: Rocblas, letter: str, start: tuple[float, ...]) -> None:
    """H zeroes the second component, and diag(d) is kept: d1·x1² is the old d1·x1² + d2·y1²."""
    d1, d2, x1, y1 = (scalar(v, letter) for v in start)
    param = np.full(5, np.nan, d1.dtype)
    assert rocblas.call(f"{letter}rotmg", d1, d2, x1, y1, param) == SUCCESS
    flag = param[0]
    assert flag in (-2, -1, 0, 1)
    old = np.longdouble(start[0]) * start[2] ** 2 + np.longdouble(start[1]) * start[3] ** 2
    if start[0] < 0:
        assert (d1[0], d2[0], x1[0]) == (0, 0, 0)
        return
    h = {-2: [1, 0, 0, 1], -1: param[1:], 0: [1, param[2], param[3], 1], 1: [param[1], -1, 1, param[4]]}[int(flag)]
    if old > 0:
        second = h[1] * np.longdouble(start[2]) + h[3] * np.longdouble(start[3])
        assert abs(second) <= 1e-5 * (abs(h[1] * start[2]) + abs(h[3] * start[3]) + 1e-30)
        np.testing.assert_allclose(float(d1[0]) * float(x1[0]) ** 2, float(old), rtol=1e-5)


# ---- level 2 ----


@each(letter=ALL, trans=[N, T, C], sizes=SIZES, incs=[(1, 1), (-2, 3)])
def test_gemv_and_gbmv(
    rocblas: Rocblas, letter: str, trans: int, sizes: tuple[int, ...], incs: tuple[int, int]
) -> None:
    m, n, kl = sizes
    ku = kl // 2
    for name in ("gemv", "gbmv"):
        case = Case(rocblas, letter)
        if name == "gemv":
            a = case.matrix("A", m, n, m + 2)
            dense = a.get()
        else:
            i, j = np.indices((m, n))
            stored = (i - j <= kl) & (j - i <= ku)
            place = np.where(stored, ku + i - j + (kl + ku + 2) * j, 0)
            a = case.new("A", (kl + ku + 2) * n, place[stored])
            dense = np.where(stored, wide(a.buffer[place]), 0)
        rows, cols = (m, n) if trans == N else (n, m)
        x, y = case.vector("x", cols, incs[0]), case.vector("y", rows, incs[1])
        y.expect(case.a * multiply(op(dense, trans), x.get()[:, None])[:, 0] + case.b * y.get())
        if name == "gemv":
            case.run("gemv", trans, m, n, case.alpha, a, m + 2, x, incs[0], case.beta, y, incs[1])
        else:
            case.run("gbmv", trans, m, n, kl, ku, case.alpha, a, kl + ku + 2, x, incs[0], case.beta, y, incs[1])


@each(letter=ALL, uplo=[UPPER, LOWER], n=[1, 6, 67], incs=[(1, 1), (3, -2)])
def test_symmetric_times_vector(rocblas: Rocblas, letter: str, uplo: int, n: int, incs: tuple[int, int]) -> None:
    k = n // 2
    for hermitian in (False, True) if letter in COMPLEX else (False,):
        for storage in ("dense", "band", "packed"):
            if letter in COMPLEX and not hermitian and storage != "dense":
                continue
            case = Case(rocblas, letter)
            if storage == "dense":
                a, half = case.triangle("A", n, n + 1, uplo)
            elif storage == "band":
                a, half = case.band("A", n, k, k + 2, uplo)
            else:
                a, half = case.packed("A", n, uplo)
            full = filled(half, in_triangle(n, uplo), hermitian)
            x, y = case.vector("x", n, incs[0]), case.vector("y", n, incs[1])
            y.expect(case.a * multiply(full, x.get()[:, None])[:, 0] + case.b * y.get())
            tail = (x, incs[0], case.beta, y, incs[1])
            if storage == "dense":
                case.run("hemv" if hermitian else "symv", uplo, n, case.alpha, a, n + 1, *tail)
            elif storage == "band":
                case.run("hbmv" if hermitian else "sbmv", uplo, n, k, case.alpha, a, k + 2, *tail)
            else:
                case.run("hpmv" if hermitian else "spmv", uplo, n, case.alpha, a, *tail)


@each(letter=ALL, uplo=[UPPER, LOWER], trans=[N, T, C], diag=[NON_UNIT, UNIT], n=[1, 6, 80], inc=[1, -2])
def test_triangular_vectors(rocblas: Rocblas, letter: str, uplo: int, trans: int, diag: int, n: int, inc: int) -> None:
    k = n // 2
    for storage, solve in itertools.product("rbp", (False, True)):
        case = Case(rocblas, letter)
        if storage == "r":
            a, dense = case.triangle("A", n, n + 3, uplo, diag)
            head: tuple[Any, ...] = (n, a, n + 3)
        elif storage == "b":
            a, dense = case.band("A", n, k, k + 1, uplo, diag)
            head = (n, k, a, k + 1)
        else:
            a, dense = case.packed("A", n, uplo, diag)
            head = (n, a)
        x = case.vector("x", n, inc)
        if solve:  # start from the product, so that the solution is known
            answer = x.get()
            x._before[x.at] = multiply(op(dense, trans), answer[:, None])[:, 0]
            x.expect(answer)
        else:
            x.expect(multiply(op(dense, trans), x.get()[:, None])[:, 0])
        case.run(f"t{storage}{'s' if solve else 'm'}v", uplo, trans, diag, *head, x, inc)


@each(letter=ALL, sizes=SIZES, incs=[(1, 1), (2, -3)])
def test_rank_one_of_any_matrix(rocblas: Rocblas, letter: str, sizes: tuple[int, ...], incs: tuple[int, int]) -> None:
    m, n, _ = sizes
    for name in ("ger",) if letter in REAL else ("geru", "gerc"):
        case = Case(rocblas, letter)
        a, x, y = case.matrix("A", m, n, m + 1), case.vector("x", m, incs[0]), case.vector("y", n, incs[1])
        ys = np.conj(y.get()) if name == "gerc" else y.get()
        a.expect(case.a * x.get()[:, None] * ys[None, :] + a.get())
        case.run(name, m, n, case.alpha, x, incs[0], y, incs[1], a, m + 1)


@each(letter=ALL, uplo=[UPPER, LOWER], n=[1, 6, 40], incs=[(1, 1), (3, -2)])
def test_symmetric_updates(rocblas: Rocblas, letter: str, uplo: int, n: int, incs: tuple[int, int]) -> None:
    for hermitian, packed, two in itertools.product((False, True), (False, True), (False, True)):
        if (hermitian and letter in REAL) or (packed and not hermitian and letter in COMPLEX):
            continue
        case = Case(rocblas, letter)
        stored = in_triangle(n, uplo)
        place = packed_at(n, uplo) if packed else matrix_at(n, n, n + 2)
        a = case.new("A", n * (n + 1) // 2 if packed else n * (n + 2), place[stored])
        x, y = case.vector("x", n, incs[0]), case.vector("y", n, incs[1])
        xs, ys = x.get(), y.get()
        alpha, f = case.alpha, case.a
        if hermitian and not two:
            alpha = scalar(0.75, real_letter(letter))
            f = wide(alpha)[0]
        turn = np.conj if hermitian else np.asarray
        if two:
            update = f * xs[:, None] * turn(ys)[None, :] + turn(f) * ys[:, None] * turn(xs)[None, :]
        else:
            update = f * xs[:, None] * turn(xs)[None, :]
        full = np.zeros((n, n), update.dtype)
        full[stored] = a.get()
        full = full + update
        if hermitian:
            np.fill_diagonal(full, np.diag(full).real)
        a.expect(full[stored])
        name = ("hp" if hermitian else "sp") if packed else ("he" if hermitian else "sy")
        name += "r2" if two else "r"
        vectors = (x, incs[0], y, incs[1]) if two else (x, incs[0])
        case.run(name, uplo, n, alpha, *vectors, a, *(() if packed else (n + 2,)))


# ---- level 3 ----


@each(letter=ALL, transa=[N, T, C], transb=[N, T, C], sizes=SIZES)
def test_gemm(rocblas: Rocblas, letter: str, transa: int, transb: int, sizes: tuple[int, ...]) -> None:
    m, n, k = sizes
    case = Case(rocblas, letter)
    a = case.matrix("A", *((m, k) if transa == N else (k, m)), lda := max(m, k) + 1)
    b = case.matrix("B", *((k, n) if transb == N else (n, k)), ldb := max(n, k) + 2)
    c = case.matrix("C", m, n, m + 3)
    c.expect(case.a * multiply(op(a.get(), transa), op(b.get(), transb)) + case.b * c.get())
    case.run("gemm", transa, transb, m, n, k, case.alpha, a, lda, b, ldb, case.beta, c, m + 3)


@each(letter=ALL, side=[LEFT, RIGHT], uplo=[UPPER, LOWER], sizes=SIZES)
def test_symm_and_hemm(rocblas: Rocblas, letter: str, side: int, uplo: int, sizes: tuple[int, ...]) -> None:
    m, n, _ = sizes
    size = m if side == LEFT else n
    for hermitian in (False, True) if letter in COMPLEX else (False,):
        case = Case(rocblas, letter)
        a, half = case.triangle("A", size, size + 1, uplo)
        full = filled(half, in_triangle(size, uplo), hermitian)
        b, c = case.matrix("B", m, n, m + 2), case.matrix("C", m, n, m + 1)
        product = multiply(full, b.get()) if side == LEFT else multiply(b.get(), full)
        c.expect(case.a * product + case.b * c.get())
        name = "hemm" if hermitian else "symm"
        case.run(name, side, uplo, m, n, case.alpha, a, size + 1, b, m + 2, case.beta, c, m + 1)


@each(letter=ALL, uplo=[UPPER, LOWER], trans=[N, T, C], sizes=SIZES)
def test_rank_k(rocblas: Rocblas, letter: str, uplo: int, trans: int, sizes: tuple[int, ...]) -> None:
    n, k = sizes[0], sizes[1]
    stored = in_triangle(n, uplo)
    kinds = [("syrk", False), ("syr2k", False), ("syrkx", False), ("herk", True), ("her2k", True), ("herkx", True)]
    for name, hermitian in kinds:
        if (hermitian and letter in REAL) or (letter in COMPLEX and trans == (T if hermitian else C)):
            continue
        case = Case(rocblas, letter)
        ld = max(n, k) + 1
        shape = (n, k) if trans == N else (k, n)
        a, b = case.matrix("A", *shape, ld), case.matrix("B", *shape, ld)
        c = case.new("C", (n + 2) * n, matrix_at(n, n, n + 2)[stored])
        alpha, f, beta, g = case.alpha, case.a, case.beta, case.b
        if hermitian:
            beta = scalar(-0.5, real_letter(letter))
            g = wide(beta)[0]
            if name == "herk":
                alpha = scalar(0.75, real_letter(letter))
                f = wide(alpha)[0]
        left = a.get() if trans == N else op(a.get(), C if hermitian else T)
        right = b.get() if trans == N else op(b.get(), C if hermitian else T)
        turn = C if hermitian else T
        if name in ("syrk", "herk"):
            update = f * multiply(left, op(left, turn))
        elif name in ("syr2k", "her2k"):
            update = f * multiply(left, op(right, turn)) + (np.conj(f) if hermitian else f) * multiply(
                right, op(left, turn)
            )
        else:
            update = f * multiply(left, op(right, turn))
        full = np.zeros((n, n), update.dtype)
        full[stored] = c.get()
        if hermitian:
            np.fill_diagonal(full, np.diag(full).real)
        full = g * full + update
        if hermitian:
            np.fill_diagonal(full, np.diag(full).real)
        c.expect(full[stored])
        operands = (a, ld) if name in ("syrk", "herk") else (a, ld, b, ld)
        case.run(name, uplo, trans, n, k, alpha, *operands, beta, c, n + 2)


@each(letter=ALL, side=[LEFT, RIGHT], uplo=[UPPER, LOWER], trans=[N, T, C], diag=[NON_UNIT, UNIT], sizes=SIZES)
def test_trmm_and_trsm(
    rocblas: Rocblas, letter: str, side: int, uplo: int, trans: int, diag: int, sizes: tuple[int, ...]
) -> None:
    m, n, _ = sizes
    size = m if side == LEFT else n
    for name in ("trmm", "in place", "trsm"):
        case = Case(rocblas, letter)
        a, dense = case.triangle("A", size, size + 1, uplo, diag)
        b = case.matrix("B", m, n, m + 2)
        turned = op(dense, trans)

        def times(values: Array, turned: Array = turned) -> Array:
            return multiply(turned, values) if side == LEFT else multiply(values, turned)

        head = (side, uplo, trans, diag, m, n, case.alpha, a, size + 1)
        if name == "trmm":
            c = case.matrix("C", m, n, m + 1)
            c.expect(case.a * times(b.get()))
            case.run("trmm", *head, b, m + 2, c, m + 1)
        elif name == "in place":
            b.expect(case.a * times(b.get()))
            case.run("trmm", *head, b, m + 2, b, m + 2)
        else:
            answer = b.get()
            b._before[b.at] = times(answer) / case.a
            b.expect(answer)
            case.run("trsm", *head, b, m + 2)


# ---- extensions and batches ----


@each(letter=ALL, transa=[N, T, C], transb=[N, T, C], sizes=SIZES)
def test_geam(rocblas: Rocblas, letter: str, transa: int, transb: int, sizes: tuple[int, ...]) -> None:
    m, n, _ = sizes
    case = Case(rocblas, letter)
    ld = max(m, n) + 1
    a = case.matrix("A", *((m, n) if transa == N else (n, m)), ld)
    b = case.matrix("B", *((m, n) if transb == N else (n, m)), ld)
    c = case.matrix("C", m, n, m + 1)
    c.expect(case.a * op(a.get(), transa) + case.b * op(b.get(), transb))
    case.run("geam", transa, transb, m, n, case.alpha, a, ld, case.beta, b, ld, c, m + 1)


@each(letter=ALL, side=[LEFT, RIGHT], inc=[1, 2, -3, 0])
def test_dgmm(rocblas: Rocblas, letter: str, side: int, inc: int) -> None:
    m, n = 7, 5
    case = Case(rocblas, letter)
    a, c = case.matrix("A", m, n, m + 1), case.matrix("C", m, n, m + 2)
    x = case.vector("x", m if side == LEFT else n, inc)
    c.expect(a.get() * (x.get()[:, None] if side == LEFT else x.get()[None, :]))
    case.run("dgmm", side, m, n, a, m + 1, x, inc, c, m + 2)


@each(letter=ALL, transa=[N, C], transb=[N, T])
def test_batches_of_gemm(rocblas: Rocblas, letter: str, transa: int, transb: int) -> None:
    m, n, k, count = 5, 4, 3, 3
    case = Case(rocblas, letter)
    lda, ldb = 6, 7
    members = []
    for i in range(count):
        a = case.matrix(f"A{i}", *((m, k) if transa == N else (k, m)), lda)
        b = case.matrix(f"B{i}", *((k, n) if transb == N else (n, k)), ldb)
        c = case.matrix(f"C{i}", m, n, m)
        c.expect(case.a * multiply(op(a.get(), transa), op(b.get(), transb)) + case.b * c.get())
        members.append((a, b, c))
    pointers = [np.array([t[j].buffer.ctypes.data for t in members], np.uintp) for j in range(3)]
    case.run(
        "gemm_batched", transa, transb, m, n, k, case.alpha, pointers[0], lda, pointers[1], ldb, case.beta, pointers[2], m, count
    )  # fmt: skip
    joined = [np.concatenate([t[j]._before for t in members]) for j in range(3)]
    strides = [len(t.buffer) for t in members[0]]
    for suffix in ("", "_64"):
        out = joined[2].copy()
        status = rocblas.call(
            f"{letter}gemm_strided_batched{suffix}", transa, transb, m, n, k, case.alpha, joined[0], lda, strides[0],
            joined[1], ldb, strides[1], case.beta, out, m, strides[2], count,
        )  # fmt: skip
        assert status == SUCCESS
        for i, (_, _, c) in enumerate(members):
            c.buffer[:] = out[i * strides[2] : (i + 1) * strides[2]]
            c.check(f"strided {i}")
