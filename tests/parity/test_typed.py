"""Calls with types as arguments: element types that NumPy lacks, rows, and the oracles of typed calls."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from dragoman.parity.cases import Case, fill, lay_out, oracle_arguments, view
from dragoman.parity.check import Workbench
from dragoman.parity.elements import draw
from dragoman.parity.numbers import check_numbers
from dragoman.parity.options import Options
from dragoman.parity.oracles import ORACLES, Expected
from dragoman.parity.oracles.claims import (
    BF16,
    CI8,
    from_bfloat16,
    is_complex,
    is_float,
    roundoff,
    smallest,
    to_bfloat16,
    to_elements,
    wide,
)
from dragoman.parity.rows import elements, numbers, row_of, rows, typed
from dragoman.parity.status import baseline, status_cases
from dragoman.parity.strategies import why_untested
from dragoman.tables.loader import load
from dragoman.tables.model import Function, Tables
from fake import FakeSubject

FUNCTIONS = [f for f in load().functions("cublas") if rows(f) and not why_untested(f) and not f.form.wide]
ROWS = [pytest.param(f, row, id=f"{f.name}-{'-'.join(row)}") for f in FUNCTIONS for row in rows(f)]


# ---- bfloat16


def test_every_bfloat16_goes_there_and_back() -> None:
    bits = np.arange(65536, dtype=np.uint16).view(BF16)
    values = from_bfloat16(bits)
    back = to_bfloat16(values)
    nan = np.isnan(values)
    assert (back["bf16"][~nan] == bits["bf16"][~nan]).all()
    assert np.isnan(from_bfloat16(back)[nan]).all()
    assert (wide(bits[~nan]) == values[~nan]).all()


def test_rounding_to_bfloat16_is_to_nearest_ties_to_even() -> None:
    rng = np.random.default_rng(3)
    values = np.exp2(rng.uniform(-40, 40, 2000)).astype(np.float32) * rng.choice([-1, 1], 2000).astype(np.float32)
    got = from_bfloat16(to_bfloat16(values))
    for value, rounded in zip(values.tolist(), got.tolist(), strict=True):
        step = Fraction(2) ** (int(np.frexp(value)[1]) - 8)
        assert abs(Fraction(value) - Fraction(rounded)) <= step / 2
    ties = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, -1 - 2.0**-8], np.float32)
    assert from_bfloat16(to_bfloat16(ties)).tolist() == [1.0, 1 + 2.0**-6, -1.0]
    assert np.isinf(from_bfloat16(to_bfloat16(np.array([3.4e38], np.float32)))).all()


@pytest.mark.parametrize("dtype", [BF16, CI8, np.dtype(np.float16), np.dtype(np.int8), np.dtype(np.int32)], ids=str)
@pytest.mark.parametrize("data", ["real", "whole"])
def test_drawn_elements_are_numbers_of_their_type(dtype: Any, data: str) -> None:
    values = draw(np.random.default_rng(1), 500, dtype, data)
    assert values.dtype == dtype
    numbers_ = wide(values)
    assert (wide(to_elements(numbers_, dtype)) == numbers_).all()
    assert is_complex(dtype) == (numbers_.dtype.kind == "c")
    if data == "whole":
        assert np.abs(numbers_.real).max() == 4
    elif not is_float(dtype):
        assert np.abs(numbers_.real).max() > 4


def test_roundoffs() -> None:
    assert roundoff(BF16) == 2.0**-8
    assert smallest(BF16) == 2.0**-126


# ---- rows


@pytest.mark.parametrize(("function", "row"), ROWS)
def test_a_call_names_its_row(function: Function, row: tuple[str, ...]) -> None:
    values = numbers(function, row)
    assert row_of(function, values) == row
    assert row_of(function, {**values, next(iter(values)): 1000}) is None
    assert typed(function, values).name == function.name


def test_every_row_is_drawn(tables: Tables) -> None:
    function = tables.function("cublasGemmEx")
    assert function is not None
    found: Counter[tuple[str, ...] | None] = Counter()

    def note(case: Case) -> None:
        found[row_of(function, case.values)] += 1

    check_numbers(function, Workbench(FakeSubject()), 2 * len(rows(function)), before=note)
    assert set(found) == set(rows(function))
    assert check_numbers(function, Workbench(FakeSubject()), 5).examples == 5


@pytest.mark.parametrize("name", ["cublasGemmEx", "cublasGemmBatchedEx", "cublasGemmStridedBatchedEx_64"])
def test_all_elements_are_drawn_where_rows_are_many(tables: Tables, name: str) -> None:
    """A usual run has fewer calls than such a function has rows."""
    function = tables.function(name)
    assert function is not None
    found: Counter[tuple[str, ...]] = Counter()

    def note(case: Case) -> None:
        row = row_of(function, case.values)
        assert row is not None
        found[elements(function, row)] += 1

    examples = Options().examples // (3 if function.form.wide else 1)
    assert examples < len(rows(function))
    check_numbers(function, Workbench(FakeSubject()), examples, before=note)
    assert set(found) == {elements(function, row) for row in rows(function)}
    assert sum(found.values()) <= examples


def test_every_row_is_asked_and_every_other_type_refused(tables: Tables) -> None:
    function = tables.function("cublasGemmEx")
    assert function is not None
    asked = {case.name: case for case in status_cases(function)}
    assert sum(case.numbers for case in asked.values()) >= len(rows(function))
    for name in ("Atype = CUDA_R_8F_E4M3", "Ctype = 1000", "Btype = -1", "computeType = CUBLAS_COMPUTE_64F"):
        assert asked[name].expected == 15, name
    assert "computeType = CUBLAS_COMPUTE_16F_PEDANTIC" not in asked, "a row of its own"


# ---- oracles


def _prepared(function: Function, case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    function = typed(function, case.values)
    layout = lay_out(function, case)
    device, host = np.zeros(layout.device_size, np.uint8), np.zeros(max(layout.host_size, 16), np.uint8)
    fill(layout, case, function, device, host)
    arrays = {n: view(host if o.host else device, o) for n, o in layout.operands.items()}
    return arrays, oracle_arguments(function, case, layout, arrays)


@pytest.mark.parametrize(("function", "row"), [p for p in ROWS if p.values[0].name == "cublasGemmEx"])
@pytest.mark.parametrize("factors", [(2, -1), (1, 0), (0, 2)], ids=str)
def test_products_of_whole_numbers_are_what_the_definition_says(
    function: Function, row: tuple[str, ...], factors: tuple[int, int]
) -> None:
    case = baseline(function, values=numbers(function, row), scalars=dict(zip(("alpha", "beta"), factors, strict=True)))
    case = Case(case.function, {**case.values, "transa": 1, "lda": 9}, case.scalars, 5, "whole")
    arrays, named = _prepared(function, case)
    (claim,) = ORACLES["GemmEx"].function(**named)
    assert isinstance(claim, Expected)
    a, b, c = (wide(arrays[name]) for name in "ABC")
    for j in range(named["n"]):
        for i in range(named["m"]):
            total = sum(a[p + i * 9] * b[p + j * named["ldb"]] for p in range(named["k"])) if factors[0] else 0
            old = c[i + j * named["ldc"]] if factors[1] else 0
            assert claim.values[i, j] == factors[0] * total + factors[1] * old
    assert claim.index[2, 1] == 2 + named["ldc"]


@pytest.mark.parametrize(("function", "row"), ROWS)
def test_a_right_answer_passes_and_a_wrong_one_does_not(function: Function, row: tuple[str, ...]) -> None:
    case = baseline(function, values=numbers(function, row))
    arrays, named = _prepared(function, case)
    with np.errstate(all="ignore"):
        claims = ORACLES[function.entry.oracle].function(**named)
    for claim in claims:
        assert isinstance(claim, Expected)
        array = arrays[claim.array].copy()
        values = np.where(np.isfinite(claim.values), claim.values, 0)
        array[claim.index] = to_elements(values, array.dtype)
        after = {**arrays, claim.array: array}
        with np.errstate(all="ignore"):
            assert claim.faults(after) == []
            if np.isinf(np.abs(claim.bound)).all():
                continue
            array[claim.index] = to_elements(values * 2 + 3, array.dtype)
            assert claim.faults(after) != []


def test_a_bound_knows_what_rounds() -> None:
    """One half of an ulp of the outcome passes, three do not; a product cut to 11 bits passes where that is allowed."""
    function = next(f for f in FUNCTIONS if f.name == "cublasGemmEx")
    found = {r[:-1]: r for r in rows(function)}
    tight = {}
    for compute, kinds in (
        ("COMPUTE_32F", "f32"),
        ("COMPUTE_32F_FAST_TF32", "f32"),
        ("COMPUTE_32F", "f16"),
        ("COMPUTE_32F", "bf16"),
    ):
        row = found[(compute, "f32", kinds, kinds, kinds)]
        case = baseline(function, values=numbers(function, row), scalars={"alpha": 1.0, "beta": 0.0})
        _, named = _prepared(function, case)
        (claim,) = ORACLES["GemmEx"].function(**named)
        assert isinstance(claim, Expected)
        size = 7 * np.abs(wide(named["A"][:1])).max()
        tight[compute, kinds] = float(np.max(claim.bound / max(size, 1)))
    assert tight["COMPUTE_32F", "f32"] < 2.0**-18
    assert 2.0**-11 < tight["COMPUTE_32F_FAST_TF32", "f32"] < 2.0**-7
    assert 2.0**-11 < tight["COMPUTE_32F", "f16"] < 2.0**-7
    assert 2.0**-8 < tight["COMPUTE_32F", "bf16"] < 2.0**-4


# ---- the suite over a subject in Python


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_the_suite_passes_what_the_oracles_say(function: Function) -> None:
    result = check_numbers(function, Workbench(FakeSubject()), 30)
    assert result.failing is None, result.lines


def test_the_suite_sees_a_type_taken_for_another(tables: Tables) -> None:
    """bfloat16 read as half precision, which has as many bits."""
    function = tables.function("cublasGemmEx")
    assert function is not None

    def halves(arguments: dict[str, Any]) -> None:
        for name in "AB":
            if arguments[name].dtype == BF16:
                arguments[name] = arguments[name].view(np.float16)

    result = check_numbers(function, Workbench(FakeSubject(wrong=halves)), 200)
    assert result.failing is not None
    assert 14 in (result.failing.values["Atype"], result.failing.values["Btype"])
