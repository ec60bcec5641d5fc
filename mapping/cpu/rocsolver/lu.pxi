# LU factors of batches, with and without pivots: factorise, solve, invert. Blocks have the functions' names without the type.
from libc.stdlib cimport free, malloc


cdef int64_t plain_lu(int64_t m, int64_t n, element *a, int64_t lda) noexcept nogil:
    """L·U in place without pivots. A zero pivot is told, from 1, and divides nothing, as in rocSOLVER."""
    cdef int64_t i, j, k, info = 0
    cdef element pivot, f
    for k in range(m if m < n else n):
        pivot = a[k + k * lda]
        if pivot != 0:
            for i in range(k + 1, m):
                a[i + k * lda] = a[i + k * lda] / pivot
        elif info == 0:
            info = k + 1
        for j in range(k + 1, n):
            f = a[k + j * lda]
            for i in range(k + 1, m):
                a[i + j * lda] = a[i + j * lda] - a[i + k * lda] * f
    return info


cdef rocblas_status getrf_batched(
    rocblas_handle handle, rocblas_int m, rocblas_int n, element *const *A, rocblas_int lda, rocblas_int *ipiv,
    rocblas_stride strideP, rocblas_int *info, rocblas_int batch_count
) noexcept nogil:
    cdef int64_t i, j, size = m if m < n else n
    cdef int64_t *rows
    cdef rocblas_status status = rs_checked(
        handle, False, m < 0 or n < 0 or lda < m or batch_count < 0,
        (size > 0 and (A == NULL or ipiv == NULL)) or (batch_count > 0 and info == NULL))
    if status != rocblas_status_success:
        return status
    if size > 0 and any_missing(A, batch_count):
        return rocblas_status_invalid_pointer
    rows = <int64_t *>malloc(<size_t>(size + 1) * sizeof(int64_t))
    if rows == NULL:
        return rocblas_status_memory_error
    for i in range(batch_count):
        info[i] = 0
        if size > 0:
            info[i] = <rocblas_int>lapack_getrf(letter(A[i]), m, n, A[i], lda, rows)
            for j in range(size):
                ipiv[i * strideP + j] = <rocblas_int>rows[j]
    free(rows)
    return rocblas_status_success


cdef rocblas_status getrf_npvt_batched(
    rocblas_handle handle, rocblas_int m, rocblas_int n, element *const *A, rocblas_int lda, rocblas_int *info,
    rocblas_int batch_count
) noexcept nogil:
    cdef int64_t i
    cdef bint empty = m == 0 or n == 0
    cdef rocblas_status status = rs_checked(
        handle, False, m < 0 or n < 0 or lda < m or batch_count < 0,
        (not empty and A == NULL) or (batch_count > 0 and info == NULL))
    if status != rocblas_status_success:
        return status
    if not empty and any_missing(A, batch_count):
        return rocblas_status_invalid_pointer
    for i in range(batch_count):
        info[i] = 0 if empty else <rocblas_int>plain_lu(m, n, A[i], lda)
    return rocblas_status_success


cdef void given_rows(int64_t n, const rocblas_int *ipiv, int64_t *rows) noexcept nogil:
    """LAPACK's pivots from rocSOLVER's; without them each row stays."""
    cdef int64_t j
    for j in range(n):
        rows[j] = j + 1
    if ipiv != NULL:
        for j in range(n):
            rows[j] = ipiv[j]


cdef rocblas_status inverses(
    int64_t n, element *const *A, int64_t lda, const rocblas_int *ipiv, int64_t strideP, element *const *C, int64_t ldc,
    rocblas_int *info, int64_t count
) noexcept nogil:
    """Each inverse into C, which may be A. A singular member is told and left as factors."""
    cdef int64_t i, j, k
    cdef const rocblas_int *own = NULL
    cdef int64_t *rows = <int64_t *>malloc(<size_t>(n + 1) * sizeof(int64_t))
    cdef element *work = <element *>malloc(<size_t>(n + 1) * PER_ROW * sizeof(element))
    if rows == NULL or work == NULL:
        free(rows)
        free(work)
        return rocblas_status_memory_error
    for i in range(count):
        info[i] = <rocblas_int>first_zero(n, A[i], lda)
        if C[i] != A[i]:
            for j in range(n):
                for k in range(n):
                    C[i][k + j * ldc] = A[i][k + j * lda]
        if info[i] == 0 and n > 0:
            if ipiv != NULL:
                own = ipiv + i * strideP
            given_rows(n, own, rows)
            lapack_getri(letter(C[i]), n, C[i], ldc, rows, work, n * PER_ROW)
    free(rows)
    free(work)
    return rocblas_status_success


cdef rocblas_status getri_batched(
    rocblas_handle handle, rocblas_int n, element *const *A, rocblas_int lda, rocblas_int *ipiv, rocblas_stride strideP,
    rocblas_int *info, rocblas_int batch_count
) noexcept nogil:
    cdef rocblas_status status = rs_checked(
        handle, False, n < 0 or lda < n or batch_count < 0,
        (n > 0 and (A == NULL or ipiv == NULL)) or (batch_count > 0 and info == NULL))
    if status == rocblas_status_success and n > 0 and any_missing(A, batch_count):
        status = rocblas_status_invalid_pointer
    if status != rocblas_status_success:
        return status
    return inverses(n, A, lda, ipiv, strideP, A, lda, info, batch_count)


cdef rocblas_status getri_outofplace_batched(
    rocblas_handle handle, rocblas_int n, element *const *A, rocblas_int lda, rocblas_int *ipiv, rocblas_stride strideP,
    element *const *C, rocblas_int ldc, rocblas_int *info, rocblas_int batch_count
) noexcept nogil:
    cdef rocblas_status status = rs_checked(
        handle, False, n < 0 or lda < n or ldc < n or batch_count < 0,
        (n > 0 and (A == NULL or C == NULL or ipiv == NULL)) or (batch_count > 0 and info == NULL))
    if status == rocblas_status_success and n > 0 and (any_missing(A, batch_count) or any_missing(C, batch_count)):
        status = rocblas_status_invalid_pointer
    if status != rocblas_status_success:
        return status
    return inverses(n, A, lda, ipiv, strideP, C, ldc, info, batch_count)


cdef rocblas_status getri_npvt_outofplace_batched(
    rocblas_handle handle, rocblas_int n, element *const *A, rocblas_int lda, element *const *C, rocblas_int ldc,
    rocblas_int *info, rocblas_int batch_count
) noexcept nogil:
    cdef rocblas_status status = rs_checked(
        handle, False, n < 0 or lda < n or ldc < n or batch_count < 0,
        (n > 0 and (A == NULL or C == NULL)) or (batch_count > 0 and info == NULL))
    if status == rocblas_status_success and n > 0 and (any_missing(A, batch_count) or any_missing(C, batch_count)):
        status = rocblas_status_invalid_pointer
    if status != rocblas_status_success:
        return status
    return inverses(n, A, lda, NULL, 0, C, ldc, info, batch_count)


cdef rocblas_status getrs_batched(
    rocblas_handle handle, rocblas_operation trans, rocblas_int n, rocblas_int nrhs, element *const *A, rocblas_int lda,
    const rocblas_int *ipiv, rocblas_stride strideP, element *const *B, rocblas_int ldb, rocblas_int batch_count
) noexcept nogil:
    cdef int64_t i
    cdef int64_t *rows
    cdef char op = c'N' if trans == rocblas_operation_none else c'T' if trans == rocblas_operation_transpose else c'C'
    cdef rocblas_status status = rs_checked(
        handle, not is_op(trans), n < 0 or nrhs < 0 or lda < n or ldb < n or batch_count < 0,
        n > 0 and (A == NULL or ipiv == NULL or (nrhs > 0 and B == NULL)))
    if status != rocblas_status_success or n == 0 or nrhs == 0 or batch_count == 0:
        return status
    if any_missing(A, batch_count) or any_missing(B, batch_count):
        return rocblas_status_invalid_pointer
    rows = <int64_t *>malloc(<size_t>n * sizeof(int64_t))
    if rows == NULL:
        return rocblas_status_memory_error
    for i in range(batch_count):
        given_rows(n, ipiv + i * strideP, rows)
        lapack_getrs(letter(A[i]), op, n, nrhs, A[i], lda, rows, B[i], ldb)
    free(rows)
    return rocblas_status_success
