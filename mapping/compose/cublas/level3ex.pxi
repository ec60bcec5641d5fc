# Typed products that no single call of rocBLAS answers. Block names are those of tables/cublas/level3ex.yaml.
include "widen.pxi"


cdef inline cublasStatus_t byte_gemm(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    const void *A, cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype, int64_t ldb, const void *beta,
    void *C, cudaDataType Ctype, int64_t ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo
) noexcept nogil:
    """int8 into int32."""
    if packed_bytes(h):
        return CUBLAS_STATUS_NOT_SUPPORTED
    return status_of_rocblas(dg_rocblas.rocblas_gemm_ex_64(
        h.blas, to_op(transa), to_op(transb), m, n, k, alpha, A, rocblas_datatype_i8_r, lda, B, rocblas_datatype_i8_r,
        ldb, beta, C, rocblas_datatype_i32_r, ldc, C, rocblas_datatype_i32_r, ldc, rocblas_datatype_i32_r,
        rocblas_gemm_algo_standard, 0, 0))


cdef inline cublasStatus_t widened_gemm(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    const void *A, cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype, int64_t ldb, const void *beta,
    void *C, cudaDataType Ctype, int64_t ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo
) noexcept nogil:
    """int8 into float, or complex of int8 into complex of float."""
    return one_wide_gemm(h, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
                         PLAIN if Ctype == CUDA_R_32F else PAIRS)


cdef inline cublasStatus_t widened_sgemm(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const float *alpha,
    const void *A, cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype, int64_t ldb, const float *beta,
    void *C, cudaDataType Ctype, int64_t ldc
) noexcept nogil:
    return one_wide_gemm(h, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, PLAIN)


cdef inline cublasStatus_t widened_cgemm(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
    const cuComplex *alpha, const void *A, cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype,
    int64_t ldb, const cuComplex *beta, void *C, cudaDataType Ctype, int64_t ldc
) noexcept nogil:
    return one_wide_gemm(h, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, PAIRS)


# ---- products of a matrix with itself

cdef inline cublasStatus_t begin_wide_syrk(
    widening *w, wide_matrix *a, dg_blas *h, cublasOperation_t trans, int64_t n, int64_t *k, const void *alpha,
    int64_t parts, const void *A, int64_t lda, const void *beta, const void *C, int64_t ldc
) noexcept nogil:
    """As begin_wide_gemm, and A is widened. The factor has `parts` numbers; `k` becomes 0 where it is 0."""
    cdef cublasStatus_t status
    memset(w, 0, sizeof(widening))
    a.rows = n if trans == CUBLAS_OP_N else k[0]
    a.cols = k[0] if trans == CUBLAS_OP_N else n
    a.parts = PAIRS
    if n < 0 or k[0] < 0 or lda < 1 or ldc < 1 or lda < a.rows or ldc < n:
        return CUBLAS_STATUS_INVALID_VALUE
    if n == 0:
        return CUBLAS_STATUS_SUCCESS
    if alpha is NULL or beta is NULL or C is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if not counts(h, alpha, parts):
        k[0] = 0
    if k[0] == 0:
        a.cols = 0
    elif A is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if captured(h):
        return CUBLAS_STATUS_NOT_SUPPORTED
    status = begin_widening(h, w, numbers_of(a) + 1, numbers_of(a) + 1)
    a.at = <float *>w.device
    return status if status != CUBLAS_STATUS_SUCCESS else widen(w, A, lda, a)


cdef inline bint fits(int64_t n, int64_t k, const wide_matrix *a, int64_t ldc) noexcept nogil:
    """The 32-bit function serves: the _64 one does nothing where k is 0 (tables/cublas/level3.yaml, syrk)."""
    return not (dg_wide(n) or dg_wide(k) or dg_wide(a.rows) or dg_wide(ldc))


cdef inline cublasStatus_t widened_syrk(
    dg_blas *h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const cuComplex *alpha,
    const void *A, cudaDataType Atype, int64_t lda, const cuComplex *beta, void *C, cudaDataType Ctype, int64_t ldc
) noexcept nogil:
    cdef widening w
    cdef wide_matrix a
    cdef cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE
    if trans != CUBLAS_OP_C:  # a symmetric product has no conjugate
        status = begin_wide_syrk(&w, &a, h, trans, n, &k, alpha, PAIRS, A, lda, beta, C, ldc)
        if status == CUBLAS_STATUS_SUCCESS and w.device is not NULL:
            if fits(n, k, &a, ldc):
                status = status_of_rocblas(dg_rocblas.rocblas_csyrk(
                    h.blas, to_fill(uplo), to_op(trans), <int>n, <int>k, <const rocblas_float_complex *>alpha,
                    <const rocblas_float_complex *>a.at, <int>a.rows if a.rows > 0 else 1,
                    <const rocblas_float_complex *>beta, <rocblas_float_complex *>C, <int>ldc))
            else:
                status = status_of_rocblas(dg_rocblas.rocblas_csyrk_64(
                    h.blas, to_fill(uplo), to_op(trans), n, k, <const rocblas_float_complex *>alpha,
                    <const rocblas_float_complex *>a.at, a.rows if a.rows > 0 else 1,
                    <const rocblas_float_complex *>beta, <rocblas_float_complex *>C, ldc))
        end_widening(&w)
    return status


cdef inline cublasStatus_t widened_herk(
    dg_blas *h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const float *alpha, const void *A,
    cudaDataType Atype, int64_t lda, const float *beta, void *C, cudaDataType Ctype, int64_t ldc
) noexcept nogil:
    cdef widening w
    cdef wide_matrix a
    cdef cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE
    if trans != CUBLAS_OP_T:  # nor a Hermitian one a plain transpose
        status = begin_wide_syrk(&w, &a, h, trans, n, &k, alpha, PLAIN, A, lda, beta, C, ldc)
        if status == CUBLAS_STATUS_SUCCESS and w.device is not NULL:
            if fits(n, k, &a, ldc):
                status = status_of_rocblas(dg_rocblas.rocblas_cherk(
                    h.blas, to_fill(uplo), to_op(trans), <int>n, <int>k, alpha, <const rocblas_float_complex *>a.at,
                    <int>a.rows if a.rows > 0 else 1, beta, <rocblas_float_complex *>C, <int>ldc))
            else:
                status = status_of_rocblas(dg_rocblas.rocblas_cherk_64(
                    h.blas, to_fill(uplo), to_op(trans), n, k, alpha, <const rocblas_float_complex *>a.at,
                    a.rows if a.rows > 0 else 1, beta, <rocblas_float_complex *>C, ldc))
        end_widening(&w)
    return status
