"""Wrong libraries are caught, and the smallest failing call is one that a person can read."""

from __future__ import annotations

from typing import Any

import broken
import numpy as np
import pytest
from dragoman.parity import call
from dragoman.parity.cases import Case, as_python
from dragoman.parity.check import Workbench
from dragoman.parity.numbers import NumbersResult, check_numbers
from dragoman.tables.loader import load_text
from dragoman.tables.model import Tables
from fake import FakeSubject


def numbers(tables: Tables, name: str, subject: FakeSubject, examples: int = 60) -> NumbersResult:
    function = tables.function(name, "cublas")
    assert function is not None
    return check_numbers(function, Workbench(subject), examples)


@pytest.mark.parametrize(
    "name",
    ["cublasSgemm_v2", "cublasZgemm_v2_64", "cublasCtrmm_v2", "cublasStrmm", "cublasDtrsm_v2", "cublasIsamax_v2_64",
     "cublasSdot", "cublasZhpr2_v2", "cublasCgemmBatched", "cublasSgemmStridedBatched", "cublasSrotmg", "cublasCherkx"],
)  # fmt: skip
def test_a_right_subject_passes(tables: Tables, name: str) -> None:
    result = numbers(tables, name, broken.right())
    assert result.failing is None, result.lines
    assert result.examples >= 50
    assert result.error <= 1


def swap_sizes(named: dict[str, Any]) -> None:
    named["m"], named["n"] = named["n"], named["m"]


def wrong_triangle(named: dict[str, Any]) -> None:
    named["uplo"] = 1 - named["uplo"]


def reads_beta_zero(arrays: dict[str, Any]) -> None:
    arrays["C"][0] += arrays["C"][0] * 0


def writes_padding(arrays: dict[str, Any]) -> None:
    if len(arrays["C"]) > 3:
        arrays["C"][3] = 0.0


def forward(named: dict[str, Any]) -> None:
    named["incx"] = abs(named["incx"])


def single(arrays: dict[str, Any]) -> None:
    arrays["C"][...] = arrays["C"].astype(np.float32)


def drops_imaginary(named: dict[str, Any]) -> None:
    named["alpha"] = named["alpha"].real + 0 * named["alpha"]


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        pytest.param("cublasSgemm_v2", broken.swapped_ld(), id="lda and ldb swapped"),
        pytest.param("cublasDgemm_v2", broken.forgets_beta(), id="beta forgotten"),
        pytest.param("cublasCgemm_v2", broken.never_conjugates(), id="C taken for T"),
        pytest.param("cublasSgeam", FakeSubject(swap_sizes), id="m and n swapped"),
        pytest.param("cublasDsyrk_v2", FakeSubject(wrong_triangle), id="the other triangle"),
        pytest.param("cublasDgemm_v2", FakeSubject(after=writes_padding), id="padding written"),
        pytest.param("cublasSaxpy_v2", FakeSubject(forward), id="negative increment ignored"),
        pytest.param("cublasDgemm_v2", FakeSubject(after=single), id="single precision"),
        pytest.param("cublasZgemm_v2", FakeSubject(drops_imaginary), id="imaginary part of alpha lost"),
    ],
)
def test_a_wrong_subject_is_caught(tables: Tables, name: str, subject: FakeSubject) -> None:
    try:
        result = numbers(tables, name, subject)
    except IndexError:  # it walked out of its arrays: in a child this is a crash
        return
    assert result.failing is not None
    assert result.lines


def test_the_failing_example_is_small_and_repeats(tables: Tables, capsys: pytest.CaptureFixture[str]) -> None:
    result = numbers(tables, "cublasDgemm_v2", broken.forgets_beta())
    assert result.failing is not None
    case = result.failing
    assert (case.values["m"], case.values["n"], case.seed, case.poison) == (3, 5, 0, ())
    function = tables.function("cublasDgemm_v2")
    assert function is not None
    program = as_python(case, function.entry)
    assert program.startswith("from dragoman.parity import call\ncall(")
    assert len(program.splitlines()) == 2
    words: dict[str, Any] = {}
    eval(program.splitlines()[1], {"call": lambda name, **w: words.update(w, name=name)})
    outcome = call(words.pop("name"), subject=broken.forgets_beta(), **words)
    assert not outcome.ok
    assert "cublasDgemm_v2: wrong" in capsys.readouterr().out
    assert call("cublasDgemm_v2", subject=broken.right(), m=3, n=5, k=7).ok
    assert call("cublasSgemm", subject=broken.right(), transa="T").ok  # the name that headers turn into _v2


def test_an_argument_check_repeats(capsys: pytest.CaptureFixture[str]) -> None:
    """As a report shows it: a library that checks is right, a lenient one is wrong in the same words."""
    assert call("cublasSgemm_v2", case="m = -1", subject=broken.right()).ok
    wrong = call("cublasSgemm_v2", case="m = -1", subject=broken.lenient())
    assert not wrong.ok
    assert "cublasSgemm_v2: wrong\n  m = -1: answers 0, expected 7" in capsys.readouterr().out
    with pytest.raises(ValueError, match="cublasSgemm_v2 has no argument check 'm = 77'; it has: handle null"):
        call("cublasSgemm_v2", case="m = 77", subject=broken.right())
    with pytest.raises(ValueError, match="has arguments of its own"):
        call("cublasSgemm_v2", case="m = -1", m=3, subject=broken.right())


def test_a_person_is_told_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="no function 'cublasSgem'"):
        call("cublasSgem", subject=broken.right())
    with pytest.raises(ValueError, match="cublasSgemm_v2 has no parameter 'ldd'"):
        call("cublasSgemm_v2", subject=broken.right(), ldd=3)


WRONG_TABLE = """
file: {library: cublas, chapter: Level-3}
gemm:
  summary: A's shape does not follow transa
  cuda: cublas{T}gemm
  types: [D]
  forms: [v2]
  params:
    handle: handle
    transa: op
    transb: op
    m: dim
    n: dim
    k: dim
    alpha: scalar(in)
    A: matrix(in, (m, k), lda)
    lda: ld
    B: matrix(in, op(transb, k, n), ldb)
    ldb: ld
    beta: scalar(in)
    C: matrix(inout, (m, n), ldc)
    ldc: ld
  rocm: rocblas_{t}gemm
  oracle: gemm
"""


def test_table_and_oracle_must_agree_on_what_is_read(tables: Tables) -> None:
    """A right library under a wrong description shows too: the oracle meets elements that the table does not know."""
    wrong = Tables(tables.libraries, load_text(WRONG_TABLE, "tables/cublas/level3.yaml", tables.libraries))
    (function,) = wrong.functions()
    bench = Workbench(broken.right())
    plain = {"transa": 0, "transb": 0, "m": 3, "n": 5, "k": 7, "lda": 8, "ldb": 8, "ldc": 4}
    scalars = {"alpha": 2.0, "beta": 0.5}
    assert bench.run(function, Case(function.name, plain, scalars)).ok
    outcome = bench.run(function, Case(function.name, plain | {"transa": 1}, scalars))
    assert outcome.lines() == [
        "C: the oracle reads elements that the table does not describe; table or oracle is wrong"
    ]
