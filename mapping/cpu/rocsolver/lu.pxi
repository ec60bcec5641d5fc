# LU factors of batches, with and without pivots: factorise, solve, invert. Blocks have the functions' names
# without the type.
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


cdef void lu_factors(element *const *A, members *b, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i, j, size = b.m if b.m < b.n else b.n
    cdef int64_t *rows = <int64_t *>malloc(<size_t>(size + 1) * sizeof(int64_t))
    if rows == NULL:
        b.status = rocblas_status_memory_error
        return
    for i in range(begin, end):
        b.info[i] = <rocblas_int>lapack_getrf(letter(A[i]), b.m, b.n, A[i], b.lda, rows)
        for j in range(size):
            b.ipiv[i * b.stride + j] = <rocblas_int>rows[j]
    free(rows)


cdef rocblas_status getrf_batched(
    rocblas_handle handle, rocblas_int m, rocblas_int n, element *const *A, rocblas_int lda, rocblas_int *ipiv,
    rocblas_stride strideP, rocblas_int *info, rocblas_int batch_count
) noexcept nogil:
    cdef int64_t i, size = m if m < n else n
    cdef members batch
    cdef rocblas_status status = rs_checked(
        handle, False, m < 0 or n < 0 or lda < m or batch_count < 0,
        (size > 0 and (A == NULL or ipiv == NULL)) or (batch_count > 0 and info == NULL))
    if status != rocblas_status_success:
        return status
    if size > 0 and any_missing(A, batch_count):
        return rocblas_status_invalid_pointer
    for i in range(batch_count):
        info[i] = 0
    if size == 0:
        return status
    batch = sized(m, n, 0, lda, 0)
    batch.ipiv = ipiv
    batch.stride = strideP
    batch.info = info
    return each_member(FACTOR, A, A, &batch, batch_count)


cdef void plain_factors(element *const *A, members *b, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i
    for i in range(begin, end):
        b.info[i] = <rocblas_int>plain_lu(b.m, b.n, A[i], b.lda)


cdef rocblas_status getrf_npvt_batched(
    rocblas_handle handle, rocblas_int m, rocblas_int n, element *const *A, rocblas_int lda, rocblas_int *info,
    rocblas_int batch_count
) noexcept nogil:
    cdef int64_t i
    cdef members batch
    cdef bint empty = m == 0 or n == 0
    cdef rocblas_status status = rs_checked(
        handle, False, m < 0 or n < 0 or lda < m or batch_count < 0,
        (not empty and A == NULL) or (batch_count > 0 and info == NULL))
    if status != rocblas_status_success:
        return status
    if not empty and any_missing(A, batch_count):
        return rocblas_status_invalid_pointer
    for i in range(batch_count):
        info[i] = 0
    if empty:
        return status
    batch = sized(m, n, 0, lda, 0)
    batch.info = info
    return each_member(FACTOR_PLAINLY, A, A, &batch, batch_count)


cdef void given_rows(int64_t n, const rocblas_int *ipiv, int64_t *rows) noexcept nogil:
    """LAPACK's pivots from rocSOLVER's; without them each row stays."""
    cdef int64_t j
    for j in range(n):
        rows[j] = j + 1
    if ipiv != NULL:
        for j in range(n):
            rows[j] = ipiv[j]


cdef void member_inverses(element *const *A, element *const *C, members *b, int64_t begin, int64_t end) noexcept nogil:
    """Each inverse into C, which may be A. A singular member is told and left as factors."""
    cdef int64_t i, j, k, n = b.n
    cdef const rocblas_int *own = NULL
    cdef int64_t *rows = <int64_t *>malloc(<size_t>(n + 1) * sizeof(int64_t))
    cdef element *work = <element *>malloc(<size_t>(n + 1) * PER_ROW * sizeof(element))
    if rows == NULL or work == NULL:
        free(rows)
        free(work)
        b.status = rocblas_status_memory_error
        return
    for i in range(begin, end):
        b.info[i] = <rocblas_int>first_zero(n, A[i], b.lda)
        if C[i] != A[i]:
            for j in range(n):
                for k in range(n):
                    C[i][k + j * b.ldb] = A[i][k + j * b.lda]
        if b.info[i] == 0:
            if b.given != NULL:
                own = b.given + i * b.stride
            given_rows(n, own, rows)
            lapack_getri(letter(C[i]), n, C[i], b.ldb, rows, work, n * PER_ROW)
    free(rows)
    free(work)


cdef rocblas_status inverses(
    int64_t n, element *const *A, int64_t lda, const rocblas_int *ipiv, int64_t strideP, element *const *C, int64_t ldc,
    rocblas_int *info, int64_t count
) noexcept nogil:
    cdef int64_t i
    cdef members batch = sized(n, n, 0, lda, ldc)
    batch.given = ipiv
    batch.stride = strideP
    batch.info = info
    if n > 0:
        return each_member(INVERT, A, C, &batch, count)
    for i in range(count):
        info[i] = 0
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


cdef void member_solutions(element *const *A, element *const *B, members *b, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i
    cdef char op = (c'N' if b.trans == rocblas_operation_none else c'T' if b.trans == rocblas_operation_transpose
        else c'C')
    cdef int64_t *rows = <int64_t *>malloc(<size_t>b.n * sizeof(int64_t))
    if rows == NULL:
        b.status = rocblas_status_memory_error
        return
    for i in range(begin, end):
        given_rows(b.n, b.given + i * b.stride, rows)
        lapack_getrs(letter(A[i]), op, b.n, b.nrhs, A[i], b.lda, rows, B[i], b.ldb)
    free(rows)


cdef rocblas_status getrs_batched(
    rocblas_handle handle, rocblas_operation trans, rocblas_int n, rocblas_int nrhs, element *const *A, rocblas_int lda,
    const rocblas_int *ipiv, rocblas_stride strideP, element *const *B, rocblas_int ldb, rocblas_int batch_count
) noexcept nogil:
    cdef members batch
    cdef rocblas_status status = rs_checked(
        handle, not is_op(trans), n < 0 or nrhs < 0 or lda < n or ldb < n or batch_count < 0,
        n > 0 and (A == NULL or ipiv == NULL or (nrhs > 0 and B == NULL)))
    if status != rocblas_status_success or n == 0 or nrhs == 0 or batch_count == 0:
        return status
    if any_missing(A, batch_count) or any_missing(B, batch_count):
        return rocblas_status_invalid_pointer
    batch = sized(n, n, nrhs, lda, ldb)
    batch.given = ipiv
    batch.stride = strideP
    batch.trans = trans
    return each_member(SOLVE, A, B, &batch, batch_count)
