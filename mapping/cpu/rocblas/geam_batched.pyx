# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""rocblas_<t>geam_batched: no cuBLAS function is one, so no table entry describes it, but blocks copy
batches with it."""
include "rocblas.pxi"
include "elements.pxi"
include "extensions.pxi"


cdef inline bint crossed(const element *a, int64_t lda, int trans, element *c, int64_t ldc) noexcept nogil:
    """Onto an operand only where each element falls onto itself."""
    return a == c and (lda != ldc or trans != rocblas_operation_none)


cdef rocblas_status geam_batched(
    rocblas_handle handle, int transA, int transB, rocblas_int m, rocblas_int n, const element *alpha,
    const element *const *A, rocblas_int lda, const element *beta, const element *const *B, rocblas_int ldb,
    element *const *C, rocblas_int ldc, rocblas_int batch_count
) noexcept nogil:
    cdef int64_t i
    cdef const element *a = NULL
    cdef const element *b = NULL
    cdef rocblas_status status = rb_enter(handle)
    if status != rocblas_status_success:
        return status
    if not is_op(transA) or not is_op(transB):
        return rocblas_status_invalid_value
    if m < 0 or n < 0 or batch_count < 0 or ldc < m:
        return rocblas_status_invalid_size
    if lda < pick(transA == rocblas_operation_none, m, n) or ldb < pick(transB == rocblas_operation_none, m, n):
        return rocblas_status_invalid_size
    if m == 0 or n == 0 or batch_count == 0:
        return rocblas_status_success
    if C == NULL or alpha == NULL or beta == NULL:
        return rocblas_status_invalid_pointer
    if rb_recorded_unread(handle):
        return RB_LATER
    if (alpha[0] != 0 and A == NULL) or (beta[0] != 0 and B == NULL):
        return rocblas_status_invalid_pointer
    if rb_recorded(handle):
        return RB_LATER
    for i in range(batch_count):
        if C[i] == NULL or (alpha[0] != 0 and A[i] == NULL) or (beta[0] != 0 and B[i] == NULL):
            return rocblas_status_invalid_pointer
        if (A != NULL and crossed(A[i], lda, transA, C[i], ldc)) or (B != NULL
                                                                     and crossed(B[i], ldb, transB, C[i], ldc)):
            return rocblas_status_invalid_size
    for i in range(batch_count):
        if A != NULL:
            a = A[i]
        if B != NULL:
            b = B[i]
        geam(transA, transB, m, n, alpha[0], a, lda, beta[0], b, ldb, C[i], ldc)
    return rocblas_status_success


cdef public rocblas_status rocblas_sgeam_batched(
    rocblas_handle handle, rocblas_operation transA, rocblas_operation transB, rocblas_int m, rocblas_int n,
    const float *alpha, const float *const *A, rocblas_int lda, const float *beta, const float *const *B,
    rocblas_int ldb, float *const *C, rocblas_int ldc, rocblas_int batch_count
) noexcept nogil:
    cdef rocblas_status status = geam_batched(
        handle, transA, transB, m, n, alpha, A, lda, beta, B, ldb, C, ldc, batch_count)
    if status != RB_LATER:
        return status
    return rocblas_sgeam_batched_record(
        handle, transA, transB, m, n, alpha, A, lda, beta, B, ldb, C, ldc, batch_count)


cdef public rocblas_status rocblas_dgeam_batched(
    rocblas_handle handle, rocblas_operation transA, rocblas_operation transB, rocblas_int m, rocblas_int n,
    const double *alpha, const double *const *A, rocblas_int lda, const double *beta, const double *const *B,
    rocblas_int ldb, double *const *C, rocblas_int ldc, rocblas_int batch_count
) noexcept nogil:
    cdef rocblas_status status = geam_batched(
        handle, transA, transB, m, n, alpha, A, lda, beta, B, ldb, C, ldc, batch_count)
    if status != RB_LATER:
        return status
    return rocblas_dgeam_batched_record(
        handle, transA, transB, m, n, alpha, A, lda, beta, B, ldb, C, ldc, batch_count)


cdef public rocblas_status rocblas_cgeam_batched(
    rocblas_handle handle, rocblas_operation transA, rocblas_operation transB, rocblas_int m, rocblas_int n,
    const rocblas_float_complex *alpha, const rocblas_float_complex *const *A, rocblas_int lda,
    const rocblas_float_complex *beta, const rocblas_float_complex *const *B, rocblas_int ldb,
    rocblas_float_complex *const *C, rocblas_int ldc, rocblas_int batch_count
) noexcept nogil:
    cdef rocblas_status status = geam_batched(
        handle, transA, transB, m, n, alpha, A, lda, beta, B, ldb, C, ldc, batch_count)
    if status != RB_LATER:
        return status
    return rocblas_cgeam_batched_record(
        handle, transA, transB, m, n, alpha, A, lda, beta, B, ldb, C, ldc, batch_count)


cdef public rocblas_status rocblas_zgeam_batched(
    rocblas_handle handle, rocblas_operation transA, rocblas_operation transB, rocblas_int m, rocblas_int n,
    const rocblas_double_complex *alpha, const rocblas_double_complex *const *A, rocblas_int lda,
    const rocblas_double_complex *beta, const rocblas_double_complex *const *B, rocblas_int ldb,
    rocblas_double_complex *const *C, rocblas_int ldc, rocblas_int batch_count
) noexcept nogil:
    cdef rocblas_status status = geam_batched(
        handle, transA, transB, m, n, alpha, A, lda, beta, B, ldb, C, ldc, batch_count)
    if status != RB_LATER:
        return status
    return rocblas_zgeam_batched_record(
        handle, transA, transB, m, n, alpha, A, lda, beta, B, ldb, C, ldc, batch_count)


include "geam_batched_record.pxi"
