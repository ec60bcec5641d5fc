"""What a claim lets pass and what it does not: bounds, NaN, untouched elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dragoman.parity.oracles import ORACLES, Array, Claim, Expected, judge
from dragoman.parity.oracles.claims import gamma, growth, roundoff

AT = np.array([1])


def verdict(want: Any, got: Any, bound: Any = 0.0, dtype: Any = np.float64) -> list[str]:
    """Faults of one element, [1] of three."""
    wide = np.clongdouble if np.dtype(dtype).kind == "c" else np.longdouble
    claim = Expected(
        "x",
        AT,
        np.array([want], wide),
        np.array([bound], np.clongdouble if isinstance(bound, complex) else np.longdouble),
    )
    before = np.zeros(3, dtype)
    after = before.copy()
    after[1] = got
    found = judge([claim], {"x": before}, {"x": after})
    return [str(f) for f in (*found.faults, *found.untouched)]


@pytest.mark.parametrize(
    ("want", "got", "bound"),
    [
        (1.0, 1.0, 0.0),
        (1.0, 1.0 + 1e-9, 1e-8),
        (np.nan, np.nan, 0.0),
        (np.inf, np.inf, 1.0),
        (1.0, np.nan, np.inf),  # nothing is promised
        (0.0, -0.0, 0.0),
    ],
)
def test_passes(want: float, got: float, bound: float) -> None:
    assert verdict(want, got, bound) == []


@pytest.mark.parametrize(
    ("want", "got", "bound", "text"),
    [
        (1.0, 1.1, 0.01, "x[1]: expected 1, got 1.1 (error bound 0.01)"),
        (1.0, np.nan, 0.01, "x[1]: expected 1, got nan (error bound 0.01)"),
        (np.nan, 1.0, 0.0, "x[1]: expected NaN or Inf to stay, got 1"),
        (np.inf, -np.inf, 0.0, "x[1]: expected inf, got -inf"),
        (np.inf, 1e300, 1.0, "x[1]: expected inf, got 1e+300 (error bound 1)"),
        (0.0, 5e-324, 0.0, "x[1]: expected 0, got 4.94065646e-324"),
    ],
)
def test_refuses(want: float, got: float, bound: float, text: str) -> None:
    assert verdict(want, got, bound) == [text]


def test_complex_parts_are_judged_apart() -> None:
    assert verdict(1 + 2j, 1 + 2j, dtype=complex) == []
    assert verdict(1 + 2j, 1 + 3j, 0.5, dtype=complex) == ["x[1]: expected 2, got 3 (error bound 0.5)"]
    assert verdict(1 + 2j, 1 + 3j, complex(0.5, np.inf), dtype=complex) == []
    assert verdict(complex(np.nan, 1), complex(0, np.inf), dtype=complex) == []  # not finite is enough
    assert verdict(complex(np.nan, 1), 1j, dtype=complex) == ["x[1]: expected NaN or Inf to stay, got 0"]


def test_integers_are_exact() -> None:
    claim = Expected("r", np.array([0]), np.array([3], np.int32), np.zeros(1))
    for got, count in ((3, 0), (4, 1)):
        after = {"r": np.array([got], np.int32)}
        assert len(judge([claim], {"r": np.zeros(1, np.int32)}, after).faults) == count


def test_what_no_claim_speaks_about_keeps_its_bits() -> None:
    before = np.array([np.nan, 1.0])
    assert judge([], {"x": before}, {"x": before.copy()}).ok
    other = before.copy()
    other.view(np.uint64)[0] ^= 1  # another NaN
    (fault,) = judge([], {"x": before}, {"x": other}).untouched
    assert str(fault) == "x[0]: must stay untouched, was nan, is nan"


def test_gamma_is_highams() -> None:
    assert gamma(10, 1e-3) == pytest.approx(0.01 / 0.99)
    assert gamma(2000, 1e-3) == np.inf
    assert roundoff(np.float32) == 2.0**-24
    assert roundoff(np.complex128) == 2.0**-53
    assert growth(3, np.complex64) > growth(3, np.float32)


def dot_claim(x: Array, y: Array, dtype: Any) -> Claim:
    (claim,) = ORACLES["dotu"].function(n=len(x), x=x, incx=1, y=y, incy=1, result=np.zeros(1, dtype))
    return claim


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_the_bound_holds_for_any_order_and_not_for_much_more(dtype: Any) -> None:
    """A hundred sums in working precision, each in another order, stay below the bound; one digit less does not."""
    rng = np.random.default_rng(5)
    x, y = (rng.standard_normal(60).astype(dtype) for _ in range(2))
    claim = dot_claim(x, y, dtype)
    coarse = np.float16 if np.dtype(dtype).kind == "f" else None
    for _ in range(100):
        order = rng.permutation(60)
        total = dtype(0)
        for i in order:
            total = dtype(total + x[i] * y[i])
        assert claim.faults({"result": np.array([total], dtype)}) == []
    if coarse:
        rough = (x.astype(coarse) * y.astype(coarse)).sum(dtype=coarse)
        assert claim.faults({"result": np.array([rough], dtype)})
