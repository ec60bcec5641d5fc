# QR factors and least squares of batches. Blocks have the functions' names without the type.
from libc.stdlib cimport free, malloc


cdef void qr_factors(element *const *A, element *const *tau, members *b, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i
    cdef element *work = <element *>malloc(<size_t>b.n * PER_ROW * sizeof(element))
    if work == NULL:
        b.status = rocblas_status_memory_error
        return
    for i in range(begin, end):
        lapack_geqrf(letter(A[i]), b.m, b.n, A[i], b.lda, tau[i], work, b.n * PER_ROW)
    free(work)


cdef rocblas_status geqrf_ptr_batched(
    rocblas_handle handle, rocblas_int m, rocblas_int n, element *const *A, rocblas_int lda, element *const *ipiv,
    rocblas_int batch_count
) noexcept nogil:
    """`ipiv` has a pointer to each member's factors τ; the documented function has them one after another."""
    cdef members batch
    cdef bint empty = m == 0 or n == 0
    cdef rocblas_status status = rs_checked(
        handle, False, m < 0 or n < 0 or lda < m or batch_count < 0, not empty and (A == NULL or ipiv == NULL))
    if status != rocblas_status_success or empty or batch_count == 0:
        return status
    if any_missing(A, batch_count) or any_missing(ipiv, batch_count):
        return rocblas_status_invalid_pointer
    batch = sized(m, n, 0, lda, 0)
    return each_member(QR, A, ipiv, &batch, batch_count)


cdef void zero_rows(int64_t begin, int64_t end, int64_t nrhs, element *b, int64_t ldb) noexcept nogil:
    cdef int64_t i, j
    for j in range(nrhs):
        for i in range(begin, end):
            b[i + j * ldb] = 0


cdef int64_t least_squares(
    bint transposed, int64_t m, int64_t n, int64_t nrhs, element *a, int64_t lda, element *b, int64_t ldb, element *tau,
    element *work, int64_t lwork
) noexcept nogil:
    """One member. Where the triangular factor has a zero nothing is solved with it, and its place is the answer."""
    cdef char t = letter(a), h = conjugated(a)
    cdef int64_t size = n if m >= n else m
    cdef int64_t info
    if m >= n:
        lapack_geqrf(t, m, n, a, lda, tau, work, lwork)
    else:
        lapack_gelqf(t, m, n, a, lda, tau, work, lwork)
    info = first_zero(size, a, lda)
    if m >= n and not transposed:
        lapack_ormqr(t, h, m, nrhs, n, a, lda, tau, b, ldb, work, lwork)
        if info == 0:
            lapack_trtrs(t, c'U', c'N', n, nrhs, a, lda, b, ldb)
    elif m >= n and info == 0:
        lapack_trtrs(t, c'U', h, n, nrhs, a, lda, b, ldb)
        zero_rows(n, m, nrhs, b, ldb)
        lapack_ormqr(t, c'N', m, nrhs, n, a, lda, tau, b, ldb, work, lwork)
    elif m < n and transposed:
        lapack_ormlq(t, c'N', n, nrhs, m, a, lda, tau, b, ldb, work, lwork)
        if info == 0:
            lapack_trtrs(t, c'L', h, m, nrhs, a, lda, b, ldb)
    elif m < n and info == 0:
        lapack_trtrs(t, c'L', c'N', m, nrhs, a, lda, b, ldb)
        zero_rows(m, n, nrhs, b, ldb)
        lapack_ormlq(t, h, n, nrhs, m, a, lda, tau, b, ldb, work, lwork)
    return info


cdef void member_least_squares(
    element *const *A, element *const *B, members *b, int64_t begin, int64_t end
) noexcept nogil:
    cdef int64_t i, larger = b.m if b.m > b.n else b.n
    cdef int64_t lwork = (larger + b.nrhs) * PER_ROW
    cdef element *tau = <element *>malloc(<size_t>larger * sizeof(element))
    cdef element *work = <element *>malloc(<size_t>lwork * sizeof(element))
    if tau == NULL or work == NULL:
        b.status = rocblas_status_memory_error
    else:
        for i in range(begin, end):
            b.info[i] = <rocblas_int>least_squares(
                b.trans != rocblas_operation_none, b.m, b.n, b.nrhs, A[i], b.lda, B[i], b.ldb, tau, work, lwork)
    free(tau)
    free(work)


cdef rocblas_status gels_batched(
    rocblas_handle handle, rocblas_operation trans, rocblas_int m, rocblas_int n, rocblas_int nrhs, element *const *A,
    rocblas_int lda, element *const *B, rocblas_int ldb, rocblas_int *info, rocblas_int batch_count
) noexcept nogil:
    cdef int64_t i, larger = m if m > n else n
    cdef members batch
    cdef bint empty = m == 0 or n == 0
    cdef bint bad_trans = not is_op(trans)
    # Real data knows the transpose, complex data the conjugate transpose.
    if element is float or element is double:
        bad_trans = bad_trans or trans == rocblas_operation_conjugate_transpose
    else:
        bad_trans = bad_trans or trans == rocblas_operation_transpose
    cdef rocblas_status status = rs_checked(
        handle, bad_trans, m < 0 or n < 0 or nrhs < 0 or lda < m or ldb < larger or batch_count < 0,
        (not empty and A == NULL) or (larger > 0 and nrhs > 0 and B == NULL) or (batch_count > 0 and info == NULL))
    if status != rocblas_status_success:
        return status
    if (not empty and any_missing(A, batch_count)) or (larger > 0 and nrhs > 0 and any_missing(B, batch_count)):
        return rocblas_status_invalid_pointer
    for i in range(batch_count):
        info[i] = 0
        if empty and larger > 0 and nrhs > 0:
            zero_rows(0, larger, nrhs, B[i], ldb)
    if empty or nrhs == 0 or batch_count == 0:
        return status
    batch = sized(m, n, nrhs, lda, ldb)
    batch.info = info
    batch.trans = trans
    return each_member(LEAST_SQUARES, A, B, &batch, batch_count)
