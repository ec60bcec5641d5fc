"""The oracles against BLAS's definition, element by element over whole numbers, where both are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dragoman.parity.cases import Case, fill, lay_out, oracle_arguments, view
from dragoman.parity.oracles import ORACLES, Expected, Residual
from dragoman.parity.strategies import cases, why_untested
from dragoman.tables.model import Function, Tables
from hypothesis import HealthCheck, given, seed, settings
from textbook import TEXTBOOK

# The product of a member list is gemm's or gemv's own; solves are judged by their residual, rotations below.
APART = {
    "gemmBatched", "gemmStridedBatched", "gemm3m", "gemm3mBatched", "gemm3mStridedBatched", "gemvBatched",
    "gemvStridedBatched", "trsmBatched", "trsm", "trsv", "tbsv", "tpsv", "rotg", "rotm", "rotmg", "herkx",
    # factors and what is made with them: test_lapack.py
    "getrfBatched", "getriBatched", "getrsBatched", "matinvBatched", "geqrfBatched", "gelsBatched",
}  # fmt: skip
TYPED = {name for name, oracle in ORACLES.items() if oracle.function.__module__.endswith(".typed")}  # see test_typed.py


def one_of(tables: Tables, oracle: str, letter: str) -> Function:
    found = [
        f
        for f in tables.functions("cublas")
        if f.entry.oracle == oracle and not why_untested(f) and f.form.base != "v1" and not f.form.wide
    ]
    return next((f for f in found if f.type.name.startswith(letter)), found[0])


def test_every_oracle_is_judged() -> None:
    assert set(TEXTBOOK) | APART | TYPED == set(ORACLES)
    assert not set(TEXTBOOK) & APART


@pytest.mark.parametrize("letter", ["D", "Z"])
@pytest.mark.parametrize("name", sorted(TEXTBOOK))
def test_against_the_definition(tables: Tables, name: str, letter: str) -> None:
    function = one_of(tables, name, letter)

    @settings(max_examples=25, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @seed(1)
    @given(cases(function))
    def check(case: Case) -> None:
        whole = Case(case.function, case.values, case.scalars, case.seed, "whole", (), case.alias, False, False)
        if max([0, *whole.values.values()]) > 45:
            return
        _compare(function, whole)

    check()


def _compare(function: Function, case: Case) -> None:
    layout = lay_out(function, case)
    device, host = np.zeros(layout.device_size, np.uint8), np.zeros(max(layout.host_size, 16), np.uint8)
    fill(layout, case, function, device, host)
    arrays = {n: view(host if o.host else device, o) for n, o in layout.operands.items()}
    named = oracle_arguments(function, case, layout, arrays)
    before = {n: a.copy() for n, a in arrays.items()}
    claims = ORACLES[function.entry.oracle].function(**named)
    assert all((arrays[n].view(np.uint8) == before[n].view(np.uint8)).all() for n in arrays), "an oracle writes nothing"
    expected = _by_definition(function, case, layout.same, named)
    for claim in claims:
        assert isinstance(claim, Expected)
        target = layout.same.get(claim.array, claim.array)
        wanted = expected[target][claim.index]
        if function.entry.oracle == "nrm2":
            assert np.allclose(claim.values.astype(float), wanted.real, rtol=1e-12)
        else:
            assert (claim.values == wanted).all(), f"{case}: {claim.array}"
        wanted[...] = before[target][claim.index]
        expected[target][claim.index] = wanted
    for name, array in expected.items():  # what no claim speaks about stays as it was
        old = before[name]
        same = (array == old) | (np.isnan(array) & np.isnan(old)) if old.dtype.kind in "fc" else array == old
        assert same.all(), f"{case}: {name} is written, and no claim says so"


def _by_definition(function: Function, case: Case, same: dict[str, str], named: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in named.items():
        if isinstance(value, np.ndarray) and value.ndim:
            values[name] = [complex(z) for z in value] if value.dtype.kind in "fc" else list(value)
        elif isinstance(value, np.ndarray):
            values[name] = complex(value)
        else:
            values[name] = value
    TEXTBOOK[function.entry.oracle](values)
    found = {}
    for name, value in named.items():
        if isinstance(value, np.ndarray) and value.ndim and name not in same.values():
            found[same.get(name, name)] = np.array(values[name])
    return found


@pytest.mark.parametrize("name", ["trsm", "trsv", "tbsv", "tpsv"])
def test_solves_undo_products(tables: Tables, name: str) -> None:
    """The solution times the matrix gives back the right-hand side; a disturbed one is refused."""
    function = one_of(tables, name, "Z")

    @settings(max_examples=25, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @seed(1)
    @given(cases(function))
    def check(case: Case) -> None:
        case = Case(case.function, case.values, case.scalars, case.seed, "real")
        layout = lay_out(function, case)
        device, host = np.zeros(layout.device_size, np.uint8), np.zeros(max(layout.host_size, 16), np.uint8)
        fill(layout, case, function, device, host)
        arrays = {n: view(host if o.host else device, o) for n, o in layout.operands.items()}
        for claim in ORACLES[name].function(**oracle_arguments(function, case, layout, arrays)):
            assert isinstance(claim, Residual)
            after = {n: a.copy() for n, a in arrays.items()}
            after[claim.array][claim.index] = claim.values
            assert claim.faults(after) == []
            if case.scalars.get("alpha") != 0:
                worst = np.unravel_index(np.abs(claim.values).argmax(), claim.values.shape)
                after[claim.array][claim.index[worst]] *= 1 + 1e-11
                assert claim.faults(after)

    check()


@pytest.mark.parametrize(
    ("a", "b"), [(3.0, 4.0), (-5.0, 3.0), (0.0, 2.0), (2.0, 0.0), (0.0, 0.0), (-1.0, 1.0), (1.0, 1.0)]
)
def test_rotg_turns_the_second_into_zero(a: float, b: float) -> None:
    arrays = {n: np.array([v]) for n, v in (("a", a), ("b", b), ("c", 0.0), ("s", 0.0))}
    found = {c.array: float(c.values[0]) for c in ORACLES["rotg"].function(**arrays) if isinstance(c, Expected)}
    c, s, r = found["c"], found["s"], found["a"]
    assert np.isclose(c * a + s * b, r)
    assert np.isclose(c * b - s * a, 0)
    assert np.isclose(c * c + s * s, 1)
    z = found["b"]  # from z alone the rotation can be had back (Lawson et al.)
    back = (0.0, 1.0) if z == 1 else (np.sqrt(1 - z * z), z) if abs(z) < 1 else (1 / z, np.sqrt(1 - 1 / z**2))
    if (a, b) != (0, 0):
        assert np.allclose(np.abs(back), np.abs([c, s]))


@pytest.mark.parametrize(("a", "b"), [(3 + 4j, 1 - 2j), (0j, 2 + 1j), (1 - 1j, 0j)])
def test_complex_rotg(a: complex, b: complex) -> None:
    arrays = {"a": np.array([a]), "b": np.array([b]), "c": np.zeros(1), "s": np.zeros(1, complex)}
    found = {c.array: complex(c.values[0]) for c in ORACLES["rotg"].function(**arrays) if isinstance(c, Expected)}
    c, s = found["c"].real, found["s"]
    assert np.isclose(c * a + s * b, found["a"])
    assert np.isclose(c * b - np.conj(s) * a, 0)
    assert "b" not in found


@pytest.mark.parametrize("flag", [-2, -1, 0, 1])
def test_rotm_applies_its_flag(flag: int) -> None:
    h = {-2: (1, 0, 0, 1), -1: (2, -3, 4, 5), 0: (1, -3, 4, 1), 1: (2, -1, 1, 5)}[flag]
    x, y = np.array([1.0, 2.0]), np.array([4.0, 5.0])
    claims = ORACLES["rotm"].function(n=2, x=x, incx=1, y=y, incy=1, param=np.array([flag, 2.0, -3.0, 4.0, 5.0]))
    found = {c.array: c.values for c in claims if isinstance(c, Expected)}
    if flag == -2:
        assert not found
    else:
        assert (found["x"] == h[0] * x + h[2] * y).all()
        assert (found["y"] == h[1] * x + h[3] * y).all()


@pytest.mark.parametrize(
    ("d1", "d2", "x1", "y1", "flag"),
    [(2, 3, 4, 5, 1), (3, 1, 4, 1, 0), (-1, 1, 1, 1, -1), (1, 0, 1, 1, -2), (1, -3, 1, 2, -1), (0, 1, 1, 1, 1)],
)
def test_rotmg(d1: float, d2: float, x1: float, y1: float, flag: int) -> None:
    values = {"d1": d1, "d2": d2, "x1": x1}
    arrays = {n: np.array([float(v)]) for n, v in values.items()}
    claims = ORACLES["rotmg"].function(**arrays, y1=np.float64(y1), param=np.zeros(5))
    found = {c.array: c.values for c in claims if isinstance(c, Expected)}
    assert int(found["param"][0]) == flag
    if flag in (0, 1):
        _, h11, h21, h12, h22 = (float(v) for v in found["param"])
        assert np.isclose(h21 * x1 + h22 * y1, 0)
        assert np.isclose(h11 * x1 + h12 * y1, float(found["x1"][0]))
        # √d1'·x1' is the length that was there before.
        assert np.isclose(float(found["d1"][0]) * float(found["x1"][0]) ** 2, d1 * x1**2 + d2 * y1**2)


def test_nrm2_does_not_overflow() -> None:
    x = np.array([3e30, 4e30], np.float32)
    (claim,) = ORACLES["nrm2"].function(n=2, x=x, incx=1, result=np.zeros(1, np.float32))
    assert isinstance(claim, Expected)
    assert np.isclose(float(claim.values[0]), 5e30, rtol=1e-6)


def test_amax_passes_over_nan_and_takes_the_first() -> None:
    x = np.array([np.nan, 2.0, -3.0, 3.0, np.nan])
    for name, best in (("amax", 3), ("amin", 2)):
        (claim,) = ORACLES[name].function(n=5, x=x, incx=1, result=np.zeros(1, np.int32))
        assert isinstance(claim, Expected)
        assert claim.values[0] == best
