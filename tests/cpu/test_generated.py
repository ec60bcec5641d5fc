"""What the generator writes: one function as a whole, and its one message."""

from __future__ import annotations

from pathlib import Path

import pytest
from dragoman import paths
from dragoman.generate import cpu_library, cpu_record, cpu_rocblas
from dragoman.generate.cpu_record import Kept
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
    if rb_recorded_unread(handle):
        return rocblas_ssyr_record(handle, uplo, n, alpha, x, incx, A, lda)
    if alpha[0] == 0:
        return rocblas_status_success
    if x == NULL or A == NULL:
        return rocblas_status_invalid_pointer
    if rb_recorded(handle):
        return rocblas_ssyr_record(handle, uplo, n, alpha, x, incx, A, lda)
    syr(uplo, n, alpha[0], x, incx, A, lda)
    return rocblas_status_success
"""

# What a captured stream is given instead: the arguments, a factor on the host by its value.
RECORDED = """\
cdef struct rocblas_ssyr_call:
    rocblas_handle handle
    rb_handle handle_kept
    rocblas_fill uplo
    int64_t n
    const float *alpha
    float alpha_kept
    const float *x
    int64_t incx
    float *A
    int64_t lda


cdef int rocblas_ssyr_again(void *record) noexcept nogil:
    cdef rocblas_ssyr_call *call = <rocblas_ssyr_call *>record
    cdef rocblas_status status
    call.handle = &call.handle_kept
    if call.alpha != NULL and call.handle.pointer_mode == RB_HOST:
        call.alpha = &call.alpha_kept
    rb_replay(&call.handle_kept)
    status = rocblas_ssyr_64(call.handle, call.uplo, call.n, call.alpha, call.x, call.incx, call.A, call.lda)
    rb_replay(NULL)
    return status != rocblas_status_success


cdef rocblas_status rocblas_ssyr_record(rocblas_handle handle, rocblas_fill uplo, int64_t n,
    const float *alpha, const float *x, int64_t incx, float *A, int64_t lda) noexcept nogil:
    cdef rocblas_ssyr_call call
    cdef rocblas_status status = rb_admit(handle, False)
    if status != rocblas_status_success:
        return status
    call.handle = handle
    call.uplo = uplo
    call.n = n
    call.alpha = alpha
    call.x = x
    call.incx = incx
    call.A = A
    call.lda = lda
    memcpy(&call.handle_kept, handle, sizeof(rb_handle))
    if alpha != NULL and handle.pointer_mode == RB_HOST:
        memcpy(&call.alpha_kept, alpha, sizeof(float))
    return rb_keep(handle, rocblas_ssyr_again, &call, sizeof(call))
"""


def test_one_function_reads_like_this(tables: Tables) -> None:
    text = cpu_rocblas.generate(tables)["level2.pyx"]
    assert SYR in text
    assert RECORDED in text
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


def test_a_result_is_not_recorded_into_what_is_gone(tables: Tables) -> None:
    """The 32-bit form has its index through a variable of its own, so it is recorded itself."""
    text = cpu_rocblas.generate(tables)["level1.pyx"]
    narrow = text[text.index("cdef public rocblas_status rocblas_isamax(") :]
    assert narrow.index("return rocblas_isamax_narrow_record(handle") < narrow.index("rocblas_isamax_64(handle")
    again = text[text.index("cdef int rocblas_isamax_narrow_again(") :]
    assert "status = rocblas_isamax(call.handle" in again[: again.index("\n\n\n")]


def test_a_recorded_function_is_one(tmp_path: Path) -> None:
    (tmp_path / "a.pyx").write_text('return f_record(x)\ninclude "a_record.pxi"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"a.pyx: f_record is called, but there is no function f to be recorded"):
        cpu_record.hand_written(tmp_path, lambda ctype, name, types: Kept(ctype, name), cpu_rocblas.RECORDED)


def test_file_names_of_libraries_stand_in_one_place() -> None:
    """Libraries that look for one another are told the names by the build: no source repeats them."""
    sources = [p for p in (paths.package_dir() / "cpu").rglob("*") if p.suffix in (".h", ".pxi", ".pyx")]
    names = [name for pair in (cpu_library.HIP, cpu_library.ROCBLAS) for name in pair]
    assert sources
    assert [(p.name, name) for p in sources for name in names if f'"{name}"' in p.read_text(encoding="utf-8")] == []
