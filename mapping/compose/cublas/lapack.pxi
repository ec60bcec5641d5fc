# LAPACK-like functions that need more than one call, or whose host `info` says which argument is wrong. Written once
# for all types; block names are those of tables/cublas/lapack.yaml. Empty calls change nothing.
include "scalars.pxi"
include "scratch.pxi"

ctypedef fused number:
    float
    double
    cuComplex
    cuDoubleComplex


cdef inline cublasStatus_t wrong(int *info, int place) noexcept nogil:
    """The argument that NVIDIA counts as `place` is refused."""
    info[0] = -place
    return CUBLAS_STATUS_INVALID_VALUE


# ---- LU: solve without pivots

cdef inline uint32_t triangle(dg_blas *h, uint32_t uplo, uint32_t trans, uint32_t diag, int n, int nrhs,
                              const number *const *A, int lda, number *const *B, int ldb, int count) noexcept nogil:
    """B ← op(A)⁻¹·B with one triangle of each member."""
    cdef float[2] one = [1, 0]
    cdef double[2] wide_one = [1, 0]
    if number is float:
        return dg_rocblas.rocblas_strsm_batched(h.blas, rocblas_side_left, uplo, trans, diag, n, nrhs, one, A, lda, B,
                                                ldb, count)
    elif number is double:
        return dg_rocblas.rocblas_dtrsm_batched(h.blas, rocblas_side_left, uplo, trans, diag, n, nrhs, wide_one, A, lda,
                                                B, ldb, count)
    elif number is cuComplex:
        return dg_rocblas.rocblas_ctrsm_batched(
            h.blas, rocblas_side_left, uplo, trans, diag, n, nrhs, <const rocblas_float_complex *>one,
            <const rocblas_float_complex *const *>A, lda, <rocblas_float_complex *const *>B, ldb, count)
    else:
        return dg_rocblas.rocblas_ztrsm_batched(
            h.blas, rocblas_side_left, uplo, trans, diag, n, nrhs, <const rocblas_double_complex *>wide_one,
            <const rocblas_double_complex *const *>A, lda, <rocblas_double_complex *const *>B, ldb, count)


cdef inline uint32_t solve_plain(dg_blas *h, uint32_t trans, int n, int nrhs, const number *const *A, int lda,
                                 number *const *B, int ldb, int count) noexcept nogil:
    """op(L·U)·X = B: L first, or U first where the product is transposed."""
    cdef bint straight = trans == rocblas_operation_none
    cdef uint32_t first = rocblas_fill_lower if straight else rocblas_fill_upper
    cdef uint32_t second = rocblas_fill_upper if straight else rocblas_fill_lower
    cdef uint32_t status
    host_scalars(h, True)
    status = triangle(h, first, trans, rocblas_diagonal_unit if straight else rocblas_diagonal_non_unit, n, nrhs, A,
                      lda, B, ldb, count)
    if status == 0:
        status = triangle(h, second, trans, rocblas_diagonal_non_unit if straight else rocblas_diagonal_unit, n, nrhs,
                          A, lda, B, ldb, count)
    host_scalars(h, False)
    return status


cdef inline uint32_t solve_pivoted(dg_blas *h, uint32_t trans, int n, int nrhs, const number *const *A, int lda,
                                   const rocblas_int *pivots, number *const *B, int ldb, int count) noexcept nogil:
    if number is float:
        return dg_rocsolver.rocsolver_sgetrs_batched(h.blas, trans, n, nrhs, <float *const *>A, lda, pivots, n, B, ldb,
                                                     count)
    elif number is double:
        return dg_rocsolver.rocsolver_dgetrs_batched(h.blas, trans, n, nrhs, <double *const *>A, lda, pivots, n, B, ldb,
                                                     count)
    elif number is cuComplex:
        return dg_rocsolver.rocsolver_cgetrs_batched(
            h.blas, trans, n, nrhs, <rocblas_float_complex *const *>A, lda, pivots, n,
            <rocblas_float_complex *const *>B, ldb, count)
    else:
        return dg_rocsolver.rocsolver_zgetrs_batched(
            h.blas, trans, n, nrhs, <rocblas_double_complex *const *>A, lda, pivots, n,
            <rocblas_double_complex *const *>B, ldb, count)


cdef inline cublasStatus_t getrs_batched(dg_blas *h, cublasOperation_t trans, int n, int nrhs, const number *const *A,
                                         int lda, const int *pivots, number *const *B, int ldb, int *info,
                                         int count) noexcept nogil:
    if info is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if bad_op(trans):
        return wrong(info, 1)
    if n < 0:
        return wrong(info, 2)
    if nrhs < 0:
        return wrong(info, 3)
    if lda < 1 or lda < n:
        return wrong(info, 5)
    if ldb < 1 or ldb < n:
        return wrong(info, 8)
    if count < 0:
        return wrong(info, 10)
    info[0] = 0
    if n == 0 or nrhs == 0 or count == 0:
        return CUBLAS_STATUS_SUCCESS
    if A is NULL:
        return wrong(info, 4)
    if B is NULL:
        return wrong(info, 7)
    if pivots is NULL:
        return status_of_rocblas(solve_plain(h, to_op(trans), n, nrhs, A, lda, B, ldb, count))
    return status_of_rocsolver(solve_pivoted(h, to_op(trans), n, nrhs, A, lda, <const rocblas_int *>pivots, B, ldb,
                                             count))


# ---- inverses of small matrices

cdef inline uint32_t invert(dg_blas *h, int n, const number *const *A, int lda, number *const *C, int ldc,
                            rocblas_int *pivots, rocblas_int *info, int count) noexcept nogil:
    """C ← A, then C ← C⁻¹ in place: rocSOLVER factorises where it reads, and A is the program's."""
    cdef uint32_t status
    cdef uint32_t none = rocblas_operation_none
    cdef float[2] one = [1, 0]
    cdef float[2] zero = [0, 0]
    cdef double[2] wide_one = [1, 0]
    cdef double[2] wide_zero = [0, 0]
    if number is float:
        status = dg_rocblas.rocblas_sgeam_batched(h.blas, none, none, n, n, one, A, lda, zero, A, lda, C, ldc, count)
        if status == 0:
            status = dg_rocsolver.rocsolver_sgetrf_batched(h.blas, n, n, C, ldc, pivots, n, info, count)
        if status == 0:
            status = dg_rocsolver.rocsolver_sgetri_batched(h.blas, n, C, ldc, pivots, n, info, count)
    elif number is double:
        status = dg_rocblas.rocblas_dgeam_batched(h.blas, none, none, n, n, wide_one, A, lda, wide_zero, A, lda, C, ldc,
                                                  count)
        if status == 0:
            status = dg_rocsolver.rocsolver_dgetrf_batched(h.blas, n, n, C, ldc, pivots, n, info, count)
        if status == 0:
            status = dg_rocsolver.rocsolver_dgetri_batched(h.blas, n, C, ldc, pivots, n, info, count)
    elif number is cuComplex:
        status = dg_rocblas.rocblas_cgeam_batched(
            h.blas, none, none, n, n, <const rocblas_float_complex *>one, <const rocblas_float_complex *const *>A, lda,
            <const rocblas_float_complex *>zero, <const rocblas_float_complex *const *>A, lda,
            <rocblas_float_complex *const *>C, ldc, count)
        if status == 0:
            status = dg_rocsolver.rocsolver_cgetrf_batched(h.blas, n, n, <rocblas_float_complex *const *>C, ldc, pivots,
                                                           n, info, count)
        if status == 0:
            status = dg_rocsolver.rocsolver_cgetri_batched(h.blas, n, <rocblas_float_complex *const *>C, ldc, pivots, n,
                                                           info, count)
    else:
        status = dg_rocblas.rocblas_zgeam_batched(
            h.blas, none, none, n, n, <const rocblas_double_complex *>wide_one,
            <const rocblas_double_complex *const *>A, lda, <const rocblas_double_complex *>wide_zero,
            <const rocblas_double_complex *const *>A, lda, <rocblas_double_complex *const *>C, ldc, count)
        if status == 0:
            status = dg_rocsolver.rocsolver_zgetrf_batched(h.blas, n, n, <rocblas_double_complex *const *>C, ldc,
                                                           pivots, n, info, count)
        if status == 0:
            status = dg_rocsolver.rocsolver_zgetri_batched(h.blas, n, <rocblas_double_complex *const *>C, ldc, pivots,
                                                           n, info, count)
    return status


cdef inline cublasStatus_t matinv_batched(dg_blas *h, int n, const number *const *A, int lda, number *const *Ainv,
                                          int lda_inv, int *info, int count) noexcept nogil:
    cdef scratch pivots
    cdef cublasStatus_t status
    if A is NULL or Ainv is NULL or info is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    status = scratch_take(h, <size_t>n * <size_t>count * sizeof(int), &pivots)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    host_scalars(h, True)
    status = status_of_rocsolver(invert(h, n, A, lda, Ainv, lda_inv, <rocblas_int *>pivots.memory, <rocblas_int *>info,
                                        count))
    host_scalars(h, False)
    scratch_give(h, &pivots)
    return status


# ---- QR

cdef inline uint32_t factor_qr(dg_blas *h, int m, int n, number *const *A, int lda, number *const *tau,
        int count) noexcept nogil:
    if number is float:
        return dg_rocsolver.rocsolver_sgeqrf_ptr_batched(h.blas, m, n, A, lda, tau, count)
    elif number is double:
        return dg_rocsolver.rocsolver_dgeqrf_ptr_batched(h.blas, m, n, A, lda, tau, count)
    elif number is cuComplex:
        return dg_rocsolver.rocsolver_cgeqrf_ptr_batched(
            h.blas, m, n, <rocblas_float_complex *const *>A, lda, <rocblas_float_complex *const *>tau, count)
    else:
        return dg_rocsolver.rocsolver_zgeqrf_ptr_batched(
            h.blas, m, n, <rocblas_double_complex *const *>A, lda, <rocblas_double_complex *const *>tau, count)


cdef inline cublasStatus_t geqrf_batched(dg_blas *h, int m, int n, number *const *A, int lda, number *const *tau,
                                         int *info, int count) noexcept nogil:
    if info is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if m < 0:
        return wrong(info, 1)
    if n < 0:
        return wrong(info, 2)
    if lda < 1 or lda < m:
        return wrong(info, 4)
    if count < 0:
        return wrong(info, 7)
    info[0] = 0
    if m == 0 or n == 0 or count == 0:
        return CUBLAS_STATUS_SUCCESS
    if A is NULL:
        return wrong(info, 3)
    if tau is NULL:
        return wrong(info, 5)
    return status_of_rocsolver(factor_qr(h, m, n, A, lda, tau, count))


# ---- least squares

cdef inline uint32_t least_squares(dg_blas *h, int m, int n, int nrhs, number *const *A, int lda, number *const *C,
                                   int ldc, rocblas_int *infos, int count) noexcept nogil:
    cdef uint32_t none = rocblas_operation_none
    if number is float:
        return dg_rocsolver.rocsolver_sgels_batched(h.blas, none, m, n, nrhs, A, lda, C, ldc, infos, count)
    elif number is double:
        return dg_rocsolver.rocsolver_dgels_batched(h.blas, none, m, n, nrhs, A, lda, C, ldc, infos, count)
    elif number is cuComplex:
        return dg_rocsolver.rocsolver_cgels_batched(
            h.blas, none, m, n, nrhs, <rocblas_float_complex *const *>A, lda, <rocblas_float_complex *const *>C, ldc,
            infos, count)
    else:
        return dg_rocsolver.rocsolver_zgels_batched(
            h.blas, none, m, n, nrhs, <rocblas_double_complex *const *>A, lda, <rocblas_double_complex *const *>C, ldc,
            infos, count)


cdef inline cublasStatus_t gels_batched(dg_blas *h, cublasOperation_t trans, int m, int n, int nrhs, number *const *A,
                                        int lda, number *const *C, int ldc, int *info, int *infos,
                                        int count) noexcept nogil:
    cdef scratch own
    cdef cublasStatus_t status
    if info is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if m < 0:
        return wrong(info, 1)
    if nrhs < 0:
        return wrong(info, 2)
    if n < 0:
        return wrong(info, 3)
    if lda < 1 or lda < m:
        return wrong(info, 5)
    if ldc < 1 or ldc < m:
        return wrong(info, 7)
    if count < 0:
        return wrong(info, 8)
    info[0] = 0
    if trans != CUBLAS_OP_N or m < n:
        return CUBLAS_STATUS_NOT_SUPPORTED
    if m == 0 or n == 0 or count == 0:
        return CUBLAS_STATUS_SUCCESS
    if nrhs == 0:  # nothing is solved, and NVIDIA's tells each member so
        if infos is NULL:
            return CUBLAS_STATUS_SUCCESS
        return status_of_hip(dg_hip.hipMemsetAsync(infos, 0, <size_t>count * sizeof(int),
                                                   <hipStream_t>to_stream(h.stream)))
    if A is NULL:
        return wrong(info, 4)
    if C is NULL:
        return wrong(info, 6)
    own.origin = SCRATCH_NONE
    if infos is NULL:  # rocSOLVER has no way to do without
        status = scratch_take(h, <size_t>count * sizeof(int), &own)
        if status != CUBLAS_STATUS_SUCCESS:
            return status
        infos = <int *>own.memory
    status = status_of_rocsolver(least_squares(h, m, n, nrhs, A, lda, C, ldc, <rocblas_int *>infos, count))
    scratch_give(h, &own)
    return status


# ---- packed triangles: a copy for each column, which needs no factors and so no pointer mode

cdef inline uint32_t copy_column(dg_blas *h, int n, const number *x, number *y) noexcept nogil:
    if number is float:
        return dg_rocblas.rocblas_scopy(h.blas, n, x, 1, y, 1)
    elif number is double:
        return dg_rocblas.rocblas_dcopy(h.blas, n, x, 1, y, 1)
    elif number is cuComplex:
        return dg_rocblas.rocblas_ccopy(h.blas, n, <const rocblas_float_complex *>x, 1, <rocblas_float_complex *>y, 1)
    else:
        return dg_rocblas.rocblas_zcopy(h.blas, n, <const rocblas_double_complex *>x, 1, <rocblas_double_complex *>y, 1)


cdef inline cublasStatus_t tpttr(dg_blas *h, cublasFillMode_t uplo, int n, const number *AP, number *A,
        int lda) noexcept nogil:
    cdef bint lower = uplo == CUBLAS_FILL_MODE_LOWER
    cdef int64_t at = 0
    cdef int j, size
    cdef uint32_t status = 0
    if n > 0 and (AP is NULL or A is NULL):
        return CUBLAS_STATUS_INVALID_VALUE
    for j in range(n):
        size = n - j if lower else j + 1
        if status == 0:
            status = copy_column(h, size, AP + at, A + (j if lower else 0) + <int64_t>j * lda)
        at += size
    return status_of_rocblas(status)


cdef inline cublasStatus_t trttp(dg_blas *h, cublasFillMode_t uplo, int n, const number *A, int lda,
        number *AP) noexcept nogil:
    cdef bint lower = uplo == CUBLAS_FILL_MODE_LOWER
    cdef int64_t at = 0
    cdef int j, size
    cdef uint32_t status = 0
    if n > 0 and (AP is NULL or A is NULL):
        return CUBLAS_STATUS_INVALID_VALUE
    for j in range(n):
        size = n - j if lower else j + 1
        if status == 0:
            status = copy_column(h, size, A + (j if lower else 0) + <int64_t>j * lda, AP + at)
        at += size
    return status_of_rocblas(status)
