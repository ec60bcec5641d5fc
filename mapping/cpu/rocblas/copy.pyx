# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""rocblas_set_/get_vector and _matrix: copies between host and "device", both host memory here.

One rule for all eight and their asynchronous twins: an empty copy succeeds before anything is looked at, then sizes,
then pointers.
"""
include "rocblas.pxi"

from libc.string cimport memmove


cdef rocblas_status refused(hipStream_t stream) noexcept nogil:
    """These are not recorded: hipMemcpyAsync is, and nothing of ours calls them."""
    if record_state(stream) == 0:
        return rocblas_status_success
    record_refuse(stream)
    return rocblas_status_internal_error


cdef rocblas_status copy_vector(
    int64_t n, int64_t elem_size, const void *x, int64_t incx, void *y, int64_t incy
) noexcept nogil:
    cdef int64_t i
    cdef size_t size = <size_t>elem_size
    if n == 0:
        return rocblas_status_success
    if n < 0 or incx <= 0 or incy <= 0 or elem_size <= 0:
        return rocblas_status_invalid_size
    if x == NULL or y == NULL:
        return rocblas_status_invalid_pointer
    if incx == 1 and incy == 1:
        memmove(y, x, <size_t>n * size)
        return rocblas_status_success
    for i in range(n):
        memmove(<char *>y + <size_t>(i * incy) * size, <const char *>x + <size_t>(i * incx) * size, size)
    return rocblas_status_success


cdef rocblas_status copy_matrix(
    int64_t rows, int64_t cols, int64_t elem_size, const void *a, int64_t lda, void *b, int64_t ldb
) noexcept nogil:
    cdef int64_t j
    cdef size_t size = <size_t>elem_size
    if rows == 0 or cols == 0:
        return rocblas_status_success
    if rows < 0 or cols < 0 or lda <= 0 or ldb <= 0 or rows > lda or rows > ldb or elem_size <= 0:
        return rocblas_status_invalid_size
    if a == NULL or b == NULL:
        return rocblas_status_invalid_pointer
    if lda == rows and ldb == rows:
        memmove(b, a, <size_t>(rows * cols) * size)
        return rocblas_status_success
    for j in range(cols):
        memmove(<char *>b + <size_t>(j * ldb) * size, <const char *>a + <size_t>(j * lda) * size, <size_t>rows * size)
    return rocblas_status_success


cdef public rocblas_status rocblas_set_vector(
    rocblas_int n, rocblas_int elem_size, const void *x, rocblas_int incx, void *y, rocblas_int incy
) noexcept nogil:
    return copy_vector(n, elem_size, x, incx, y, incy)


cdef public rocblas_status rocblas_set_vector_64(
    int64_t n, int64_t elem_size, const void *x, int64_t incx, void *y, int64_t incy
) noexcept nogil:
    return copy_vector(n, elem_size, x, incx, y, incy)


cdef public rocblas_status rocblas_set_vector_async(
    rocblas_int n, rocblas_int elem_size, const void *x, rocblas_int incx, void *y, rocblas_int incy, hipStream_t stream
) noexcept nogil:
    return refused(stream) or copy_vector(n, elem_size, x, incx, y, incy)


cdef public rocblas_status rocblas_set_vector_async_64(
    int64_t n, int64_t elem_size, const void *x, int64_t incx, void *y, int64_t incy, hipStream_t stream
) noexcept nogil:
    return refused(stream) or copy_vector(n, elem_size, x, incx, y, incy)


cdef public rocblas_status rocblas_get_vector(
    rocblas_int n, rocblas_int elem_size, const void *x, rocblas_int incx, void *y, rocblas_int incy
) noexcept nogil:
    return copy_vector(n, elem_size, x, incx, y, incy)


cdef public rocblas_status rocblas_get_vector_64(
    int64_t n, int64_t elem_size, const void *x, int64_t incx, void *y, int64_t incy
) noexcept nogil:
    return copy_vector(n, elem_size, x, incx, y, incy)


cdef public rocblas_status rocblas_get_vector_async(
    rocblas_int n, rocblas_int elem_size, const void *x, rocblas_int incx, void *y, rocblas_int incy, hipStream_t stream
) noexcept nogil:
    return refused(stream) or copy_vector(n, elem_size, x, incx, y, incy)


cdef public rocblas_status rocblas_get_vector_async_64(
    int64_t n, int64_t elem_size, const void *x, int64_t incx, void *y, int64_t incy, hipStream_t stream
) noexcept nogil:
    return refused(stream) or copy_vector(n, elem_size, x, incx, y, incy)


cdef public rocblas_status rocblas_set_matrix(
    rocblas_int rows, rocblas_int cols, rocblas_int elem_size, const void *a, rocblas_int lda, void *b, rocblas_int ldb
) noexcept nogil:
    return copy_matrix(rows, cols, elem_size, a, lda, b, ldb)


cdef public rocblas_status rocblas_set_matrix_64(
    int64_t rows, int64_t cols, int64_t elem_size, const void *a, int64_t lda, void *b, int64_t ldb
) noexcept nogil:
    return copy_matrix(rows, cols, elem_size, a, lda, b, ldb)


cdef public rocblas_status rocblas_set_matrix_async(
    rocblas_int rows, rocblas_int cols, rocblas_int elem_size, const void *a, rocblas_int lda, void *b, rocblas_int ldb,
    hipStream_t stream
) noexcept nogil:
    return refused(stream) or copy_matrix(rows, cols, elem_size, a, lda, b, ldb)


cdef public rocblas_status rocblas_set_matrix_async_64(
    int64_t rows, int64_t cols, int64_t elem_size, const void *a, int64_t lda, void *b, int64_t ldb, hipStream_t stream
) noexcept nogil:
    return refused(stream) or copy_matrix(rows, cols, elem_size, a, lda, b, ldb)


cdef public rocblas_status rocblas_get_matrix(
    rocblas_int rows, rocblas_int cols, rocblas_int elem_size, const void *a, rocblas_int lda, void *b, rocblas_int ldb
) noexcept nogil:
    return copy_matrix(rows, cols, elem_size, a, lda, b, ldb)


cdef public rocblas_status rocblas_get_matrix_64(
    int64_t rows, int64_t cols, int64_t elem_size, const void *a, int64_t lda, void *b, int64_t ldb
) noexcept nogil:
    return copy_matrix(rows, cols, elem_size, a, lda, b, ldb)


cdef public rocblas_status rocblas_get_matrix_async(
    rocblas_int rows, rocblas_int cols, rocblas_int elem_size, const void *a, rocblas_int lda, void *b, rocblas_int ldb,
    hipStream_t stream
) noexcept nogil:
    return refused(stream) or copy_matrix(rows, cols, elem_size, a, lda, b, ldb)


cdef public rocblas_status rocblas_get_matrix_async_64(
    int64_t rows, int64_t cols, int64_t elem_size, const void *a, int64_t lda, void *b, int64_t ldb, hipStream_t stream
) noexcept nogil:
    return refused(stream) or copy_matrix(rows, cols, elem_size, a, lda, b, ldb)
