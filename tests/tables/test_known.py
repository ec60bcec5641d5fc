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
    "translation of another enumeration": (
        "params: {n: @'enum(cublasFillMode_t, op)'}, rocm: rocblas_sgemm",
        "the translation 'op' is of cublasOperation_t, not of cublasFillMode_t; expected one of fill",
    ),
    "cpu": (
        "rocm: rocblas_sgemm, cpu: @syrup",
        "the CPU backend has no rule 'syrup' for rocblas_sgemm; did you mean 'syr'?",
    ),
    "cpu without rocBLAS": (
        "rocm: hipFree, cpu: @syr",
        "`cpu` without a target in rocBLAS; expected one under `rocm`",
    ),
    "header": (
        "rocm: rocblas_sgemm, header: @cublas_apy",
        "unknown header of cuBLAS 'cublas_apy'; did you mean 'cublas_api'?",
    ),
    "answer": (
        "unsupported: why, answer: @CUBLAS_STATUS_SUCCES",
        "'CUBLAS_STATUS_SUCCES' is no constant of any enumeration; did you mean 'CUBLAS_STATUS_SUCCESS'?",
    ),
    "cell": (
        "params: {t: enum(cublasComputeType_t)}, rocm: rocblas_sgemm, combos: {columns: [t], rows: [[@COMPUTE_32]], otherwise: A}",
        "'CUBLAS_COMPUTE_32' is no constant of cublasComputeType_t; did you mean 'COMPUTE_32I'?",
    ),
    "type that AMD has not": (
        "params: {t: datatype}, rocm: rocblas_sgemm, combos: {columns: [t], rows: [[@i64]], otherwise: NOT_SUPPORTED}",
        "AMD has no CUDA_R_64I; expected a type of AMD's, or a row that a block answers",
    ),
    "typed literal": (
        "params: {n: dim}, rocm: [{to: rocblas_sgemm, args: [@rocblas_strid(n)]}]",
        "the type 'rocblas_strid' is not in tables/types; did you mean 'rocblas_stride'?",
    ),
    "oracle of other parameters": (
        "params: {n: dim}, rocm: rocblas_sgemm, oracle: @amax",
        "the oracle 'amax' takes incx, n, result, x; expected one that takes n",
    ),
    "lacks": (
        "host: widened_herk, limits: l, lacks: {@tipe: [f64]}",
        "the suite draws no value 'tipe'; did you mean 'type'?",
    ),
    "attribute": (
        "params: {a: enum(cublasMath_t)}, host: widened_herk, attributes: {@CUBLAS_MATH: {type: int}}",
        "'CUBLAS_MATH' is no constant of cublasMath_t; did you mean 'CUBLAS_DEFAULT_MATH'?",
    ),
}


def test_a_type_of_no_version_is_refused_at_load(known: Callable[[], Known]) -> None:
    libraries, asked = loader.load().libraries, known()
    text = HEAD + "cublasX: {summary: s, params: {n: c(cublasHandle)}, host: widened_herk}\n"
    entries = loader.load_text(text, "tables/cublas/level3ex.yaml", libraries, asked)
    with pytest.raises(TableError) as caught:
        loader.assemble(libraries, [*loader.load().entries, *entries], asked)
    assert str(caught.value) == (
        "tables/cublas/level3ex.yaml:2:32: the type 'cublasHandle' is not in tables/types for cuBLAS for CUDA 11; "
        "did you mean 'cublasHandle_t'?"
    )


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
