"""Pairs: this entry gives this Cython. Small enough to see whole; the language of the tables can be learned from them."""

from __future__ import annotations

import textwrap

import pytest
from dragoman.generate import imports, translations
from dragoman.generate.translator import Chapter, ChapterWriter
from dragoman.tables.loader import load, load_text
from dragoman.tables.model import Tables
from dragoman.tables.types import load_types

HEAD = "file: {library: cublas, chapter: Test, header: cublas_api}\n"


def written(entry: str, only: str = "") -> tuple[str, str]:
    """Hot and cold text of an entry, without the comment lines."""
    libraries = load().libraries
    entries = load_text(HEAD + textwrap.dedent(entry), "tables/cublas/test.yaml", libraries)
    tables = Tables(libraries, entries)
    found = imports.collect(tables, {}, "cublas")
    functions = tuple(f for f in tables.functions() if not only or f.name == only)
    block = "mapping/compose/cublas/test.pxi" if any(f.entry.host or f.entry.compose for f in functions) else ""
    writer = ChapterWriter(
        Chapter(libraries["cublas"], "tables/cublas/test.yaml", functions, block, found, load_types())
    )

    def plain(text: str) -> str:
        return "\n".join(line for line in text.splitlines() if not line.startswith("#")).strip() + "\n"

    return plain(writer.hot.text()), plain(writer.cold.text())


DOT = """
    dot:
      summary: a dot product
      cuda: cublas{T}dot
      types: [S]
      forms: [v2, v1]
      params:
        handle: handle
        n: dim
        x: vector(in, n, incx)
        incx: inc
        result: result
      rocm: rocblas_{t}dot
"""


def test_a_direct_call_checks_the_handle_and_maps_the_status() -> None:
    hot, _ = written(DOT, "cublasSdot_v2")
    assert hot == textwrap.dedent("""\
        cdef public cublasStatus_t cublasSdot_v2(cublasHandle_t handle, int n, const float *x, int incx,
                float *result) noexcept nogil:
            if dg_foreign(handle, DG_BLAS):
                return cold_cublasSdot_v2(handle, n, x, incx, result)
            return status_of_rocblas(dg_rocblas.rocblas_sdot(
                (<dg_blas *>handle).blas,
                n,
                x,
                incx,
                result))
        """)


def test_the_cold_twin_says_why_and_traces() -> None:
    _, cold = written(DOT, "cublasSdot_v2")
    assert cold == textwrap.dedent("""\
        cdef public cublasStatus_t cold_cublasSdot_v2(cublasHandle_t handle, int n, const float *x, int incx,
                float *result) noexcept nogil:
            cdef cublasStatus_t status = <cublasStatus_t>0
            cdef int reason = dg_admit(handle, DG_BLAS)
            if reason == DG_OK and not dg_opened(&dg_own_backends[DG_OF_ROCBLAS]):
                reason = dg_need("rocblas")
            if reason != DG_OK:
                dg_refused_handle("cublasSdot_v2", reason)
                status = status_of_reason(reason)
            else:
                status = status_of_rocblas(dg_rocblas.rocblas_sdot(
                    (<dg_blas *>handle).blas,
                    n,
                    x,
                    incx,
                    result))
            if dg_tracing():
                dg_the_core.trace("cublasSdot_v2", <long long>status, "handle=%p n=%d x=%p incx=%d result=%p",
                    <void *>handle, n, <void *>x, incx, <void *>result)
            return status
        """)


def test_the_first_api_has_no_handle_and_returns_the_result() -> None:
    hot, _ = written(DOT)
    assert "cdef public float cublasSdot(int n, const float *x, int incx) noexcept nogil:" in hot
    assert hot.endswith(
        "    cdef float answer\n"
        "    dg_zero(&answer, sizeof(answer))\n"
        "    first_status(cublasSdot_v2(first_handle(), n, x, incx, &answer))\n"
        "    return answer\n"
    )


def test_options_are_checked_and_translated_by_kind() -> None:
    hot, cold = written("""
        syr:
          summary: a rank-1 update
          cuda: cublas{T}syr
          types: [C]
          params:
            handle: handle
            uplo: fill
            alpha: scalar(in)
          rocm: rocblas_{t}syr
    """)
    assert "if dg_foreign(handle, DG_BLAS) or bad_fill(uplo):" in hot
    assert "        to_fill(uplo),\n        <const rocblas_float_complex *>alpha))" in hot
    assert 'dg_refused("cublasCsyr", "uplo", <int32_t>uplo)\n        status = refusal_of_fill()' in cold


def test_the_first_target_whose_condition_holds_is_called() -> None:
    hot, _ = written("""
        getrf:
          summary: LU
          cuda: cublas{T}getrfBatched
          types: [S]
          params:
            handle: handle
            n: dim
            P: c(int *)
          rocm:
            - {to: "rocsolver_{t}getrf_npvt_batched", when: P is NULL, args: [handle, n, n]}
            - {to: "rocsolver_{t}getrf_batched", args: [handle, n, n, P, rocblas_stride(n)]}
    """)
    assert "not dg_opened(&dg_own_backends[DG_OF_ROCSOLVER])" in hot
    assert "    if P is NULL:\n        return status_of_rocsolver(dg_rocsolver.rocsolver_sgetrf_npvt_batched(" in hot
    assert "    else:\n        return status_of_rocsolver(dg_rocsolver.rocsolver_sgetrf_batched(" in hot
    assert "            P,\n            <rocblas_stride>n))" in hot


def test_a_check_of_the_entry_goes_the_cold_way() -> None:
    hot, cold = written("""
        scal:
          summary: scale
          cuda: cublas{T}scal
          types: [S]
          params:
            handle: handle
            n: dim
            lda: ld
          rocm: rocblas_{t}scal
          checks:
            - {when: lda < 1 or n < 0, status: INVALID_VALUE}
    """)
    assert "if dg_foreign(handle, DG_BLAS) or dg_rare(lda < 1 or n < 0):" in hot
    assert "elif lda < 1 or n < 0:" in cold
    assert "status = CUBLAS_STATUS_INVALID_VALUE" in cold


def test_the_hot_path_asks_only_the_first_part_of_a_check() -> None:
    """`empty and (ld too small)`: empty sizes are rare, so they go the cold way whole and are looked at there."""
    hot, cold = written("""
        scal:
          summary: scale
          cuda: cublas{T}scal
          types: [S]
          params:
            handle: handle
            n: dim
            lda: ld
          rocm: rocblas_{t}scal
          checks:
            - {when: n == 0 and lda < 1, status: INVALID_VALUE}
    """)
    assert "or dg_rare(n == 0):" in hot
    assert "elif n == 0 and lda < 1:" in cold


def test_an_unsupported_function_says_so_once_and_answers_not_supported() -> None:
    hot, cold = written("""
        xt:
          summary: something
          cuda: cublasXtThing
          params: {n: dim}
          unsupported: nobody wrote it
    """)
    assert hot == textwrap.dedent("""\
        cdef public cublasStatus_t cublasXtThing(int n) noexcept nogil:
            dg_unsupported(&dg_said[0], "cublasXtThing", "nobody wrote it", "tables/cublas/test.yaml:3")
            return status_of_reason(DG_UNSUPPORTED)
        """)
    assert not cold.strip()


def test_names_that_cython_reserves_get_an_underscore() -> None:
    hot, _ = written("""
        odd:
          summary: reserved words
          cuda: cublasOdd
          params: {from: dim, lambda: dim}
          unsupported: nobody wrote it
    """)
    assert "cublasOdd(int from_, int lambda_)" in hot


def test_a_64_bit_form_falls_back_to_the_32_bit_function() -> None:
    entries = load_text(
        HEAD + textwrap.dedent(DOT).replace("[v2, v1]", "[v2, i64]"), "tables/cublas/test.yaml", load().libraries
    )
    found = imports.collect(Tables(load().libraries, entries), _calls(), "cublas")
    text = imports.adapters(found)
    assert (
        "cdef public rocblas_status older_rocblas_sdot_64(rocblas_handle handle, int64_t n, const float *x, int64_t incx"
        in text
    )
    assert "if dg_wide(n):\n        return rocblas_status_not_implemented" in text
    assert "return dg_rocblas.rocblas_sdot(handle, <int>n, x, <int>incx, result)" in text


def _calls() -> dict[str, imports.AmdCall]:
    from dragoman.tables.amd import load_calls

    return dict(load_calls())


def test_where_info_tells_which_argument_is_wrong_the_block_looks_at_the_options() -> None:
    entry = """
        getrs:
          summary: solve
          cuda: cublas{T}getrsBatched
          types: [S]
          params:
            handle: handle
            trans: op
            info: INFO
          compose: getrs_batched
          capture: safe
    """
    hot, cold = written(entry.replace("INFO", "info(trans)"))
    assert "    if dg_foreign(handle, DG_BLAS):" in hot
    assert "bad_op" not in hot + cold
    assert "int *info) noexcept nogil:" in hot
    hot, cold = written(entry.replace("INFO", "c(int *)"))
    assert "    if dg_foreign(handle, DG_BLAS) or bad_op(trans):" in hot
    assert "bad_op" in cold


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("op", "static inline uint32_t to_op(uint32_t x) { return x + 111u; }"),
        ("fill", "static inline uint32_t to_fill(uint32_t x) { return 122u - x; }"),
        ("side", "static inline uint32_t to_side(uint32_t x) { return x + 141u; }"),
        ("diag", "static inline uint32_t to_diag(uint32_t x) { return x + 131u; }"),
        ("op", "static inline int bad_op(uint32_t x) { return DG_UNLIKELY(x > 2u); }"),
    ],
)
def test_options_translate_by_arithmetic_where_a_constant_says_it(name: str, line: str) -> None:
    text = translations.header(load().libraries["cublas"], load_types().for_version(13), [name], ["rocblas"])
    assert line in text


def test_statuses_pass_through_the_table_by_name() -> None:
    text = translations.header(load().libraries["cublas"], load_types().for_version(13), [], ["rocblas"])
    body = text[text.index("other_status_of_rocblas") :]
    for roc, cuda in ((1, 1), (2, 15), (3, 7), (4, 7), (5, 3), (6, 14), (7, 0), (9, 0), (10, 0), (11, 7), (12, 0)):
        assert f"case {roc}: return {cuda}u;" in body
