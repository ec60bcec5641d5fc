"""Corners where BLAS libraries differ: what is not read, NaN, overflow, increments, aliases, sizes over 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from client import (
    DTYPES,
    INVALID_SIZE,
    LEFT,
    LOWER,
    NON_UNIT,
    RIGHT,
    SUCCESS,
    UPPER,
    C,
    N,
    Rocblas,
    T,
    real_letter,
    scalar,
)

LETTERS = pytest.mark.parametrize("letter", "sdcz")
COMPLEX = pytest.mark.parametrize("letter", "cz")
NAN = float("nan")


def full(shape: Any, value: complex, letter: str) -> Any:
    return np.full(shape, value, DTYPES[letter])


def random(shape: Any, letter: str, seed: int = 3) -> Any:
    rng = np.random.default_rng(seed)
    values = rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape)
    return (values if letter in "cz" else values.real).astype(DTYPES[letter])


def ok(status: int) -> None:
    assert status == SUCCESS


# ---- factors of 0 ----


@LETTERS
@pytest.mark.parametrize("n", [4, 100])
def test_beta_zero_does_not_read(rocblas: Rocblas, letter: str, n: int) -> None:
    one, zero = scalar(1, letter), scalar(0, letter)
    a, x = random((n, n), letter), random(n, letter)
    for name, head in (("gemv", (N, n, n)), ("gemv", (T, n, n)), ("symv", (UPPER, n)), ("gbmv", (N, n, n, 1, 1))):
        y = full(n, NAN, letter)
        ok(rocblas.call(f"{letter}{name}", *head, one, a, n, x, 1, zero, y, 1))
        assert np.isfinite(y).all(), name
    for name, head in (
        ("gemm", (N, T, n, n, n)), ("symm", (LEFT, UPPER, n, n)), ("syr2k", (UPPER, N, n, n)), ("syrkx", (LOWER, T, n, n)),
    ):  # fmt: skip
        c = full((n, n), NAN, letter)
        ok(rocblas.call(f"{letter}{name}", *head, one, a, n, a, n, zero, c, n))
        written = np.isfinite(c).sum()
        assert written == (n * n if name in ("gemm", "symm") else n * (n + 1) // 2), name


@LETTERS
def test_alpha_zero_does_not_read(rocblas: Rocblas, letter: str) -> None:
    n = 5
    zero, half = scalar(0, letter), scalar(0.5, letter)
    bad = full((n, n), NAN, letter)
    for name, head in (
        ("gemm", (N, N, n, n, n)), ("symm", (RIGHT, LOWER, n, n)), ("syr2k", (UPPER, N, n, n)), ("syrkx", (LOWER, N, n, n)),
    ):  # fmt: skip
        c = full((n, n), 4, letter)
        ok(rocblas.call(f"{letter}{name}", *head, zero, bad, n, bad, n, half, c, n))
        assert np.count_nonzero(c == 2) == (n * n if name in ("gemm", "symm") else n * (n + 1) // 2)
        assert np.isfinite(c).all()
    for name in ("trmm", "trsm"):
        b, c = full((n, n), NAN, letter), full((n, n), NAN, letter)
        out = (b, n) if name == "trsm" else (b, n, c, n)
        ok(rocblas.call(f"{letter}{name}", LEFT, UPPER, N, NON_UNIT, n, n, zero, bad, n, *out))
        assert (out[-2] == 0).all()
    y = full(n, 4, letter)
    ok(rocblas.call(f"{letter}gemv", N, n, n, zero, bad, n, full(n, NAN, letter), 1, half, y, 1))
    assert (y == 2).all()
    c = full((n, n), NAN, letter)
    ok(rocblas.call(f"{letter}geam", N, T, n, n, zero, bad, n, half, full((n, n), 4, letter), n, c, n))
    assert (c == 2).all()


@LETTERS
def test_an_empty_sum_scales(rocblas: Rocblas, letter: str) -> None:
    half, zero = scalar(0.5, letter), scalar(0, letter)
    c = full((3, 3), 4, letter)
    ok(rocblas.call(f"{letter}gemm", N, N, 3, 3, 0, None, None, 3, None, 1, half, c, 3))
    assert (c == 2).all()
    ok(rocblas.call(f"{letter}syrk", UPPER, N, 3, 0, None, None, 3, zero, c, 3))
    assert np.count_nonzero(c) == 3


# ---- NaN ----


@LETTERS
def test_zeros_do_not_hide_nan(rocblas: Rocblas, letter: str) -> None:
    """0·NaN is NaN, though reference BLAS passes over zeros."""
    n, one = 6, scalar(1, letter)
    x, y = full(n, 0, letter), full(n, NAN, letter)
    a = full((n, n), 0, letter)
    ok(rocblas.call(f"{letter}{'ger' if letter in 'sd' else 'geru'}", n, n, one, x, 1, y, 1, a, n))
    assert np.isnan(a).all()
    a = full((n, n), 0, letter)
    x[2] = NAN
    ok(rocblas.call(f"{letter}syr", UPPER, n, one, x, 1, a, n))
    assert np.isnan(a[2, 2])
    assert np.isnan(a[2, 0])  # column 2, row 0: NaN times 0
    x = full(n, NAN, letter)
    ok(rocblas.call(f"{letter}scal", n, scalar(0, letter), x, 1))
    assert np.isnan(x).all()


@LETTERS
def test_extremes_pass_over_nan(rocblas: Rocblas, letter: str) -> None:
    place = np.zeros(1, np.int32)
    for values, largest, smallest in (
        ([NAN, 1, 3, 2], 3, 2),
        ([2, NAN, -3, 3], 3, 1),
        ([1, 1, 1], 1, 1),
        ([NAN, NAN, 0], 3, 3),
        ([np.inf, -np.inf, 1], 1, 3),
        ([NAN], 1, 1),
    ):
        x = np.array(values, DTYPES[letter])
        ok(rocblas.call(f"i{letter}amax", len(x), x, 1, place))
        assert place[0] == largest
        ok(rocblas.call(f"i{letter}amin", len(x), x, 1, place))
        assert place[0] == smallest


# ---- norms ----


@LETTERS
def test_norms_neither_overflow_nor_underflow(rocblas: Rocblas, letter: str) -> None:
    name = {"c": "sc", "z": "dz"}.get(letter, letter) + "nrm2"
    result = scalar(0, real_letter(letter))
    big, small = (1e30, 1e-30) if letter in "sc" else (1e300, 1e-300)
    for values, norm in (
        ([3 * big, 4 * big], 5 * big), ([3 * small, 4 * small], 5 * small), ([0, 0], 0), ([np.inf, 1], np.inf),
        ([np.inf, NAN], NAN), ([NAN, 1], NAN), ([-3, 4], 5),
    ):  # fmt: skip
        ok(rocblas.call(name, len(values), np.array(values, DTYPES[letter]), 1, result))
        np.testing.assert_allclose(result[0], norm, rtol=1e-6)
    if letter in "cz":
        ok(rocblas.call(name, 1, np.array([3 * big + 4j * big], DTYPES[letter]), 1, result))
        np.testing.assert_allclose(result[0], 5 * big, rtol=1e-6)


@LETTERS
@pytest.mark.parametrize("inc", [0, -1, -3])
def test_increments_that_are_not_positive(rocblas: Rocblas, letter: str, inc: int) -> None:
    x = full(8, 3, letter)
    result = scalar(7, real_letter(letter))
    prefix = {"c": "sc", "z": "dz"}.get(letter, letter)
    for name in ("nrm2", "asum"):
        result[0] = 7
        ok(rocblas.call(prefix + name, 3, x, inc, result))
        assert result[0] == 0
    for suffix, width in (("", np.int32), ("_64", np.int64)):
        place = np.full(1, 7, width)
        ok(rocblas.call(f"i{letter}amax{suffix}", 3, x, inc, place))
        assert place[0] == 0
    ok(rocblas.call(f"{letter}scal", 3, scalar(2, letter), x, inc))
    assert (x == 3).all()


@LETTERS
def test_increment_zero_repeats(rocblas: Rocblas, letter: str) -> None:
    two = scalar(2, letter)
    x, y = full(1, 3, letter), full(1, 1, letter)
    ok(rocblas.call(f"{letter}axpy", 4, two, x, 0, y, 0))
    assert y[0] == 25
    result = scalar(0, letter)
    ok(rocblas.call(f"{letter}{'dot' if letter in 'sd' else 'dotu'}", 4, x, 0, full(4, 2, letter), 1, result))
    assert result[0] == 24


# ---- Hermitian diagonals ----


@COMPLEX
def test_hermitian_diagonals_are_real(rocblas: Rocblas, letter: str) -> None:
    n = 5
    one, real_one = scalar(1, letter), scalar(1, real_letter(letter))
    x, b = random(n, letter), random((n, n), letter)
    for beta in (0, 1, 0.5):
        factor = scalar(beta, real_letter(letter))
        for name in ("herk", "her2k", "herkx"):
            c = np.eye(n, dtype=DTYPES[letter])
            c.imag[np.eye(n, dtype=bool)] = NAN
            operands = (b, n) if name == "herk" else (b, n, b, n)
            ok(
                rocblas.call(
                    f"{letter}{name}", LOWER, N, n, n, real_one if name == "herk" else one, *operands, factor, c, n
                )
            )
            assert np.isfinite(c).all()
            assert (np.diag(c).imag == 0).all()
    for name, args in (("her", (real_one, x, 1)), ("her2", (one, x, 1, x, 1))):
        a = np.full((n, n), 1 + 0j, DTYPES[letter]) + np.diag(np.full(n, 5j)).astype(DTYPES[letter])
        ok(rocblas.call(f"{letter}{name}", UPPER, n, *args, a, n))
        assert (np.diag(a).imag == 0).all()
    a = random((n, n), letter)
    clean = a.copy()
    np.fill_diagonal(clean, np.diag(a).real)
    a.imag[np.eye(n, dtype=bool)] = NAN
    for uplo in (UPPER, LOWER):
        out = []
        for matrix in (a, clean):
            y, c = full(n, 0, letter), full((n, n), 0, letter)
            ok(rocblas.call(f"{letter}hemv", uplo, n, one, matrix, n, x, 1, one, y, 1))
            ok(rocblas.call(f"{letter}hemm", LEFT, uplo, n, n, one, matrix, n, b, n, one, c, n))
            out.append((y, c))
        np.testing.assert_allclose(out[0][0], out[1][0], rtol=1e-5)
        np.testing.assert_allclose(out[0][1], out[1][1], rtol=1e-4)


# ---- aliases, singular systems, batches ----


@LETTERS
def test_geam_onto_an_operand(rocblas: Rocblas, letter: str) -> None:
    two, three = scalar(2, letter), scalar(3, letter)
    a, b = random((4, 4), letter), random((4, 4), letter, 4)
    want = 2 * a + 3 * b.T
    ok(rocblas.call(f"{letter}geam", N, T, 4, 4, two, a, 4, three, b, 4, a, 4))
    np.testing.assert_allclose(a, want, rtol=1e-5)


@LETTERS
def test_a_zero_pivot_is_no_error(rocblas: Rocblas, letter: str) -> None:
    a, b = full((3, 3), 0, letter), full((3, 3), 1, letter)
    ok(rocblas.call(f"{letter}trsm", LEFT, UPPER, N, NON_UNIT, 3, 3, scalar(1, letter), a, 3, b, 3))
    assert not np.isfinite(b).all()


@LETTERS
def test_a_stride_of_zero_shares_an_operand(rocblas: Rocblas, letter: str) -> None:
    one, zero = scalar(1, letter), scalar(0, letter)
    a, b, c = random((2, 2), letter), random((3, 2, 2), letter), full((3, 2, 2), NAN, letter)
    ok(rocblas.call(f"{letter}gemm_strided_batched", N, N, 2, 2, 2, one, a, 2, 0, b, 2, 4, zero, c, 2, 4, 3))
    for i in range(3):
        np.testing.assert_allclose(c[i].T, a.T @ b[i].T, rtol=1e-5, atol=1e-6)


@LETTERS
def test_device_pointer_mode(rocblas: Rocblas, letter: str) -> None:
    """Device memory is host memory: scalars and results are found in either mode."""
    ok(rocblas.call("set_pointer_mode", 1))
    result = np.zeros(2, DTYPES[letter])
    x = full(3, 2, letter)
    ok(rocblas.call(f"{letter}{'dot' if letter in 'sd' else 'dotc'}", 3, x, 1, x, 1, result))
    assert result.tolist() == [12, 0]


# ---- sizes over 32 bits, proved without memory ----

HUGE = 2**33


@LETTERS
def test_64_bit_sizes(rocblas: Rocblas, letter: str) -> None:
    zero, one = scalar(0, letter), scalar(1, letter)
    a = full(4, 1, letter)
    for name, *arguments in (
        ("gemm", N, N, HUGE, HUGE, HUGE, zero, a, HUGE, a, HUGE, one, a, HUGE),
        ("symm", LEFT, UPPER, HUGE, HUGE, zero, a, HUGE, a, HUGE, one, a, HUGE),
        ("syrk", UPPER, N, HUGE, HUGE, zero, a, HUGE, one, a, HUGE),
        ("syr2k", UPPER, N, HUGE, HUGE, zero, a, HUGE, a, HUGE, one, a, HUGE),
        ("gemv", N, HUGE, HUGE, zero, a, HUGE, a, HUGE, one, a, -HUGE),
        ("gbmv", N, HUGE, HUGE, HUGE, HUGE, zero, a, 2 * HUGE + 1, a, 1, one, a, 1),
        ("symv", UPPER, HUGE, zero, a, HUGE, a, 1, one, a, 1),
        ("syr", UPPER, HUGE, zero, a, 1, a, HUGE),
        ("axpy", HUGE, zero, a, 1, a, 1),
        ("gemm_strided_batched", N, N, HUGE, HUGE, 1, zero, a, HUGE, HUGE, a, HUGE, HUGE, one, a, HUGE, HUGE, HUGE),
        ("trsm", LEFT, UPPER, N, NON_UNIT, HUGE, 0, zero, a, HUGE, a, HUGE),
        ("dgmm", LEFT, HUGE, 0, a, HUGE, a, 1, a, HUGE),
    ):
        assert rocblas.call(f"{letter}{name}_64", *arguments) == SUCCESS, name
    for name, *arguments in (
        ("gemm", N, N, -HUGE, 1, 1, zero, a, 1, a, 1, one, a, 1),
        ("gemm", N, N, HUGE, 1, 1, zero, a, HUGE - 1, a, 1, one, a, HUGE),
        ("gbmv", N, 1, 1, 2**62, 2**62, zero, a, 2**62, a, 1, one, a, 1),
        ("gbmv", N, 1, 1, 2**63 - 1, 2**63 - 1, zero, a, 2**63 - 1, a, 1, one, a, 1),
        ("tbmv", UPPER, N, NON_UNIT, 1, 2**63 - 1, a, 2**63 - 1, a, 1),
        ("gemv", N, HUGE, 1, zero, a, 1, a, 1, one, a, 1),
    ):
        assert rocblas.call(f"{letter}{name}_64", *arguments) == INVALID_SIZE, name
    ok(rocblas.call(f"{letter}gemv_64", N, 1, 1, one, a, HUGE, a, HUGE, one, a, -HUGE))
    assert a[0] == 2


# ---- 16-bit numbers ----


def bfloat16(values: Any) -> Any:
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bfloat16(bits: Any) -> Any:
    return (bits.astype(np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize("transa", [N, T])
@pytest.mark.parametrize("transb", [N, C])
@pytest.mark.parametrize("sizes", [(3, 4, 5), (100, 97, 130)])
def test_half_precision_gemm(rocblas: Rocblas, transa: int, transb: int, sizes: tuple[int, ...]) -> None:
    m, n, k = sizes
    rng = np.random.default_rng(1)
    a = rng.uniform(-1, 1, (k, m) if transa == N else (m, k)).astype(np.float16)  # rows are columns here
    b = rng.uniform(-1, 1, (n, k) if transb == N else (k, n)).astype(np.float16)
    c = rng.uniform(-1, 1, (n, m)).astype(np.float16)
    alpha, beta = np.array([0.5], np.float16), np.array([-2], np.float16)
    left = (a.T if transa == N else a).astype(np.float64)
    right = (b.T if transb == N else b).astype(np.float64)
    want = 0.5 * (left[:, :, None] * right[None, :, :]).sum(axis=1) - 2 * c.T.astype(np.float64)
    for suffix in ("", "_64"):
        out = c.copy()
        ok(rocblas.call(f"hgemm{suffix}", transa, transb, m, n, k, alpha, a, a.shape[1], b, b.shape[1], beta, out, m))
        np.testing.assert_allclose(out.T, want, rtol=1e-3, atol=2e-3)
    out = np.full((n, m), NAN, np.float16)
    zero = np.zeros(1, np.float16)
    ok(rocblas.call("hgemm", transa, transb, m, n, k, zero, a, a.shape[1], b, b.shape[1], zero, out, m))
    assert (out == 0).all()


@pytest.mark.parametrize("letters", ["hsh", "hss", "tst", "tss"])
@pytest.mark.parametrize("trans", [N, T])
def test_half_precision_gemv(rocblas: Rocblas, letters: str, trans: int) -> None:
    m, n = 7, 5
    rng = np.random.default_rng(2)
    rows, cols = (m, n) if trans == N else (n, m)

    def store(values: Any, letter: str) -> Any:
        return {"h": lambda v: v.astype(np.float16), "t": bfloat16, "s": lambda v: v.astype(np.float32)}[letter](values)

    def read(bits: Any, letter: str) -> Any:
        return from_bfloat16(bits) if letter == "t" else bits.astype(np.float64)

    a, x = store(rng.uniform(-1, 1, (n, m)), letters[0]), store(rng.uniform(-1, 1, 2 * cols), letters[0])
    y = store(rng.uniform(-1, 1, rows), letters[2])
    alpha, beta = np.array([2], np.float32), np.array([0.5], np.float32)
    dense = read(a, letters[0]).T if trans == N else read(a, letters[0])
    used = read(x, letters[0])[::2]
    want = 2 * (dense * used[None, :]).sum(axis=1) + 0.5 * read(y, letters[2])
    pointers = [np.array([array.ctypes.data], np.uintp) for array in (a, x, y)]
    start = y.copy()
    ok(
        rocblas.call(
            f"{letters}gemv_batched", trans, m, n, alpha, pointers[0], m, pointers[1], 2, beta, pointers[2], 1, 1
        )
    )
    rtol = {"h": 2e-3, "t": 1.6e-2, "s": 1e-5}[letters[2]]
    np.testing.assert_allclose(read(y, letters[2]), want, rtol=rtol, atol=rtol)
    strided = start.copy()
    ok(rocblas.call(f"{letters}gemv_strided_batched_64", trans, m, n, alpha, a, m, 0, x, 2, 0, beta, strided, 1, 0, 1))
    np.testing.assert_array_equal(strided, y)


def test_every_half_goes_there_and_back(rocblas: Rocblas) -> None:
    """α·1 through hgemm for all 65,536 bit patterns: conversion loses nothing, NaN stays NaN."""
    bits = np.arange(65536, dtype=np.uint16)
    a, out = bits.view(np.float16), np.zeros(65536, np.float16)
    one, zero = np.ones(1, np.float16), np.zeros(1, np.float16)
    ok(rocblas.call("hgemm", N, N, 65536, 1, 1, one, a, 65536, one, 1, zero, out, 65536))
    np.testing.assert_array_equal(out, a)
    # And rounding: sums that fall between two halves, against NumPy's own conversion.
    rng = np.random.default_rng(7)
    x = np.exp2(rng.uniform(-26, 16, 20000)).astype(np.float16)
    want = (x.astype(np.float32) * 0.3330078125).astype(np.float16)
    third, got = np.array([0.3330078125], np.float16), np.zeros(20000, np.float16)
    ok(rocblas.call("hgemm", N, N, 20000, 1, 1, one, x, 20000, third, 1, zero, got, 20000))
    np.testing.assert_array_equal(got, want)
