"""Names that stand outside the tables are refused at load, each with its place and what was expected."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest
from dragoman.tables import loader
from dragoman.tables.amd import load_calls
from dragoman.tables.known import Known
from dragoman.tables.marks import TableError
from dragoman.tables.sources import oracles
from dragoman.tables.types import load_types

pytestmark = pytest.mark.tables

HEAD = "file: {library: cublas, chapter: Level-3}\n"

# id: what an entry says, with @ before what is wrong; the message about it
WRONG = {
    "rocm": ("rocm: @rocblas_sgemmm", "'rocblas_sgemmm' is in no release of rocblas; did you mean 'rocblas_sgemm'?"),
    "rocm of a type": (
        "cuda: 'cublas{T}f', types: [S], rocm: @'rocblas_{t}gemmm'",
        "'rocblas_sgemmm' is in no release of rocblas; did you mean 'rocblas_sgemm'?",
    ),
    "target": (
        "rocm: [{to: @rocblas_dgemmm}]",
        "'rocblas_dgemmm' is in no release of rocblas; did you mean 'rocblas_dgemm'?",
    ),
    "older": (
        "rocm: [{to: rocblas_dgemm, older: @rocblas_dgemmm, before: '6.0'}]",
        "'rocblas_dgemmm' is in no release of rocblas; did you mean 'rocblas_dgemm'?",
    ),
    "not opened": (
        "rocm: @miopenCreate",
        "'miopenCreate' belongs to miopen, which cublas does not open; expected one of rocblas, hip, rocsolver",
    ),
    "hip": (
        "compose: widened_herk, capture: safe, calls: [@hipMemcpyAsynch]",
        "'hipMemcpyAsynch' is in no release of hip; did you mean 'hipMemcpyAsync'?",
    ),
    "compose": (
        "compose: @widened_herkx, capture: safe",
        "there is no block 'widened_herkx' in mapping/compose/cublas/level3ex.pxi; did you mean 'widened_herk'?",
    ),
    "host": (
        "host: @zzzzzz",
        "there is no block 'zzzzzz' in mapping/compose/cublas/level3ex.pxi; expected a function of that name there",
    ),
    "oracle": (
        "rocm: rocblas_sgemm, oracle: @geaam",
        "there is no oracle 'geaam'; did you mean 'geam'?",
    ),
    "status": (
        "params: {n: dim}, rocm: rocblas_sgemm, checks: [{when: n < 0, status: @INVALID_VALU}]",
        "'CUBLAS_STATUS_INVALID_VALU' is no constant of cublasStatus_t; did you mean 'INVALID_VALUE'?",
    ),
    "enumeration": (
        "params: {n: @enum(cublasMath)}, rocm: rocblas_sgemm",
        "'cublasMath' is no enumeration of tables/types; did you mean 'cublasMath_t'?",
    ),
    "translation": (
        "params: {n: @'enum(cublasFillMode_t, fil)'}, rocm: rocblas_sgemm",
        "there is no translation 'fil'; did you mean 'fill'?",
    ),
}


@pytest.fixture(scope="module")
def known() -> Callable[[], Known]:
    return lambda: Known(load_types(), load_calls())


@pytest.mark.parametrize("case", WRONG)
def test_a_name_of_nothing_is_refused_at_load(case: str, known: Callable[[], Known]) -> None:
    says, message = WRONG[case]
    text = HEAD + "f: {summary: s, " + says.replace("@", "") + "}\n"
    column = len("f: {summary: s, ") + says.index("@") + 1
    with pytest.raises(TableError) as caught:
        loader.load_text(text, "tables/cublas/level3ex.yaml", loader.load().libraries, known())
    assert str(caught.value) == f"tables/cublas/level3ex.yaml:2:{column}: {message}"


def test_oracles_are_found_without_their_modules() -> None:
    from dragoman.parity.oracles import ORACLES

    found = {name: set(inspect.signature(oracle.function).parameters) for name, oracle in ORACLES.items()}
    assert oracles() == found
