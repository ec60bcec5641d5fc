"""What the generator writes: one function as a whole, and its one message."""

from __future__ import annotations

from dragoman.generate import cpu_rocblas
from dragoman.tables.model import Tables

SYR = """\
cdef public rocblas_status rocblas_ssyr_64(rocblas_handle handle, rocblas_fill uplo, int64_t n,
    const float *alpha, const float *x, int64_t incx, float *A, int64_t lda) noexcept nogil:
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    if not is_fill(uplo):
        return rocblas_status_invalid_value
    if n < 0 or lda < n or lda < 1 or incx == 0:
        return rocblas_status_invalid_size
    if n == 0:
        return rocblas_status_success
    if alpha == NULL:
        return rocblas_status_invalid_pointer
    if alpha[0] == 0:
        return rocblas_status_success
    if x == NULL or A == NULL:
        return rocblas_status_invalid_pointer
    syr(uplo, n, alpha[0], x, incx, A, lda)
    return rocblas_status_success
"""


def test_one_function_reads_like_this(tables: Tables) -> None:
    text = cpu_rocblas.generate(tables)["level2.pyx"]
    assert SYR in text
    before = text[: text.index(SYR)].splitlines()
    assert before[-2].startswith("# tables/cublas/level2.yaml:")
    assert before[-2].endswith(" syr: A ← α·x·xᵀ + A, A symmetric")
    assert before[-1].startswith("# rocblas_status rocblas_ssyr_64(rocblas_handle handle, rocblas_fill uplo, int64_t n")


def test_it_is_the_same_twice(tables: Tables) -> None:
    assert cpu_rocblas.generate(tables) == cpu_rocblas.generate(tables)


def test_what_is_needed_of_openblas(tables: Tables) -> None:
    texts = [*cpu_rocblas.generate(tables).values()]
    names = cpu_rocblas.openblas_symbols(texts)
    assert "scipy_cblas_sgemm64_" in names
    assert all(name.startswith("scipy_cblas_") and name.endswith("64_") for name in names)
