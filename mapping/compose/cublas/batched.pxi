# Typed products of many members that no single call of rocBLAS answers. Block names are those of
# tables/cublas/batched.yaml.
include "widen.pxi"

ctypedef fused whole:  # sizes in arrays: int, or int64_t in the _64 forms
    int
    int64_t


cdef inline cublasStatus_t byte_gemm_batched(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    const void *const *A, cudaDataType Atype, int64_t lda, const void *const *B, cudaDataType Btype, int64_t ldb,
    const void *beta, void *const *C, cudaDataType Ctype, int64_t ldc, int64_t count, cublasComputeType_t computeType,
    cublasGemmAlgo_t algo
) noexcept nogil:
    """int8 into int32."""
    if packed_bytes(h):
        return CUBLAS_STATUS_NOT_SUPPORTED
    return status_of_rocblas(dg_rocblas.rocblas_gemm_batched_ex_64(
        h.blas, to_op(transa), to_op(transb), m, n, k, alpha, A, rocblas_datatype_i8_r, lda, B, rocblas_datatype_i8_r,
        ldb, beta, C, rocblas_datatype_i32_r, ldc, C, rocblas_datatype_i32_r, ldc, count, rocblas_datatype_i32_r,
        rocblas_gemm_algo_standard, 0, 0))


cdef inline cublasStatus_t byte_gemm_strided(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    const void *A, cudaDataType Atype, int64_t lda, int64_t strideA, const void *B, cudaDataType Btype, int64_t ldb,
    int64_t strideB, const void *beta, void *C, cudaDataType Ctype, int64_t ldc, int64_t strideC, int64_t count,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo
) noexcept nogil:
    """int8 into int32."""
    if packed_bytes(h):
        return CUBLAS_STATUS_NOT_SUPPORTED
    return status_of_rocblas(dg_rocblas.rocblas_gemm_strided_batched_ex_64(
        h.blas, to_op(transa), to_op(transb), m, n, k, alpha, A, rocblas_datatype_i8_r, lda, strideA, B,
        rocblas_datatype_i8_r, ldb, strideB, beta, C, rocblas_datatype_i32_r, ldc, strideC, C, rocblas_datatype_i32_r,
        ldc, strideC, count, rocblas_datatype_i32_r, rocblas_gemm_algo_standard, 0, 0))


cdef inline cublasStatus_t widened_gemm_batched(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    const void *const *A, cudaDataType Atype, int64_t lda, const void *const *B, cudaDataType Btype, int64_t ldb,
    const void *beta, void *const *C, cudaDataType Ctype, int64_t ldc, int64_t count, cublasComputeType_t computeType,
    cublasGemmAlgo_t algo
) noexcept nogil:
    """int8 into float member by member. The arrays of pointers lie on the device and come to the host first."""
    cdef wide_gemm g
    cdef widening w
    cdef void **members
    cdef size_t size = <size_t>count * sizeof(void *)
    cdef uint32_t copied
    cdef int64_t i
    cdef cublasStatus_t status
    if count < 0:
        return CUBLAS_STATUS_INVALID_VALUE
    status = begin_wide_gemm(&g, &w, h, transa, transb, m, n, k, alpha, lda, ldb, beta, ldc,
                             PLAIN if Ctype == CUDA_R_32F else PAIRS)
    if status != CUBLAS_STATUS_SUCCESS or w.device is NULL or count == 0:
        end_widening(&w)
        return status
    members = <void **>malloc(3 * size)
    if A is NULL or B is NULL or C is NULL:
        status = CUBLAS_STATUS_INVALID_VALUE
    elif members is NULL:
        status = CUBLAS_STATUS_ALLOC_FAILED
    else:
        copied = dg_hip.hipMemcpyAsync(members, A, size, hipMemcpyDeviceToHost, <hipStream_t>to_stream(h.stream))
        copied |= dg_hip.hipMemcpyAsync(members + count, B, size, hipMemcpyDeviceToHost,
                                        <hipStream_t>to_stream(h.stream))
        copied |= dg_hip.hipMemcpyAsync(members + 2 * count, C, size, hipMemcpyDeviceToHost,
                                        <hipStream_t>to_stream(h.stream))
        copied |= dg_hip.hipStreamSynchronize(<hipStream_t>to_stream(h.stream))
        status = CUBLAS_STATUS_SUCCESS if copied == 0 else CUBLAS_STATUS_EXECUTION_FAILED
        for i in range(count):
            if status == CUBLAS_STATUS_SUCCESS:
                status = wide_gemm_member(&g, &w, members[i], members[count + i], members[2 * count + i])
    free(members)
    end_widening(&w)
    return status


cdef inline cublasStatus_t widened_gemm_strided(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    const void *A, cudaDataType Atype, int64_t lda, int64_t strideA, const void *B, cudaDataType Btype, int64_t ldb,
    int64_t strideB, const void *beta, void *C, cudaDataType Ctype, int64_t ldc, int64_t strideC, int64_t count,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo
) noexcept nogil:
    """int8 into float member by member."""
    cdef wide_gemm g
    cdef widening w
    cdef int64_t i, parts = PLAIN if Ctype == CUDA_R_32F else PAIRS
    cdef cublasStatus_t status
    if count < 0:
        return CUBLAS_STATUS_INVALID_VALUE
    status = begin_wide_gemm(&g, &w, h, transa, transb, m, n, k, alpha, lda, ldb, beta, ldc, parts)
    if status == CUBLAS_STATUS_SUCCESS and w.device is not NULL and count > 0:
        if C is NULL or (g.k > 0 and (A is NULL or B is NULL)):
            status = CUBLAS_STATUS_INVALID_VALUE
        for i in range(count):
            if status == CUBLAS_STATUS_SUCCESS:
                status = wide_gemm_member(
                    &g, &w, <const int8_t *>A + i * strideA * parts, <const int8_t *>B + i * strideB * parts,
                    <float *>C + i * strideC * parts)
    end_widening(&w)
    return status


# ---- groups: each has its own options, sizes and factors, in host memory; the arrays of pointers lie on the device

cdef inline cublasStatus_t grouped_check(
    const cublasOperation_t *transa, const cublasOperation_t *transb, const whole *m, const whole *n, const whole *k,
    const whole *lda, const whole *ldb, const whole *ldc, int64_t count, const whole *size
) noexcept nogil:
    """All groups are looked at before the first one is computed."""
    cdef int64_t g
    for g in range(count):
        if bad_op(transa[g]) or bad_op(transb[g]):
            return CUBLAS_STATUS_INVALID_VALUE
        if m[g] < 0 or n[g] < 0 or k[g] < 0 or size[g] < 0:
            return CUBLAS_STATUS_INVALID_VALUE
        if lda[g] < 1 or ldb[g] < 1 or ldc[g] < 1 or ldc[g] < m[g]:
            return CUBLAS_STATUS_INVALID_VALUE
        if lda[g] < (m[g] if transa[g] == CUBLAS_OP_N else k[g]):
            return CUBLAS_STATUS_INVALID_VALUE
        if ldb[g] < (k[g] if transb[g] == CUBLAS_OP_N else n[g]):
            return CUBLAS_STATUS_INVALID_VALUE
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t grouped(
    dg_blas *h, const cublasOperation_t *transa, const cublasOperation_t *transb, const whole *m, const whole *n,
    const whole *k, const void *alpha, const void *const *A, const whole *lda, const void *const *B, const whole *ldb,
    const void *beta, void *const *C, const whole *ldc, int64_t count, const whole *size, uint32_t type,
    uint32_t compute, size_t scale
) noexcept nogil:
    """rocBLAS's batched product for each group. Factors are in host memory; NVIDIA's refuses the other pointer mode."""
    cdef cublasStatus_t status
    cdef uint32_t answer = 0
    cdef int64_t g, first = 0
    if count < 0:
        return CUBLAS_STATUS_INVALID_VALUE
    if count == 0:
        return CUBLAS_STATUS_SUCCESS
    if (transa is NULL or transb is NULL or m is NULL or n is NULL or k is NULL or alpha is NULL or lda is NULL
            or ldb is NULL or beta is NULL or ldc is NULL or size is NULL or A is NULL or B is NULL or C is NULL):
        return CUBLAS_STATUS_INVALID_VALUE
    status = grouped_check(transa, transb, m, n, k, lda, ldb, ldc, count, size)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    if h.pointer_mode != CUBLAS_POINTER_MODE_HOST:
        return CUBLAS_STATUS_NOT_SUPPORTED
    for g in range(count):
        if answer != 0 or size[g] == 0:
            continue
        if whole is int:
            answer = dg_rocblas.rocblas_gemm_batched_ex(
                h.blas, to_op(transa[g]), to_op(transb[g]), m[g], n[g], k[g], <const char *>alpha + g * scale,
                A + first, type, lda[g], B + first, type, ldb[g], <const char *>beta + g * scale, C + first, type,
                ldc[g], C + first, type, ldc[g], size[g], compute, rocblas_gemm_algo_standard, 0, 0)
        else:
            answer = dg_rocblas.rocblas_gemm_batched_ex_64(
                h.blas, to_op(transa[g]), to_op(transb[g]), m[g], n[g], k[g], <const char *>alpha + g * scale,
                A + first, type, lda[g], B + first, type, ldb[g], <const char *>beta + g * scale, C + first, type,
                ldc[g], C + first, type, ldc[g], size[g], compute, rocblas_gemm_algo_standard, 0, 0)
        first += size[g]
    return status_of_rocblas(answer)


cdef inline cublasStatus_t grouped_sgemm(
    dg_blas *h, const cublasOperation_t *transa, const cublasOperation_t *transb, const whole *m, const whole *n,
    const whole *k, const float *alpha, const float *const *A, const whole *lda, const float *const *B,
    const whole *ldb, const float *beta, float *const *C, const whole *ldc, whole count, const whole *size
) noexcept nogil:
    return grouped(h, transa, transb, m, n, k, alpha, <const void *const *>A, lda, <const void *const *>B, ldb, beta,
                   <void *const *>C, ldc, count, size, rocblas_datatype_f32_r, rocblas_datatype_f32_r, sizeof(float))


cdef inline cublasStatus_t grouped_dgemm(
    dg_blas *h, const cublasOperation_t *transa, const cublasOperation_t *transb, const whole *m, const whole *n,
    const whole *k, const double *alpha, const double *const *A, const whole *lda, const double *const *B,
    const whole *ldb, const double *beta, double *const *C, const whole *ldc, whole count, const whole *size
) noexcept nogil:
    return grouped(h, transa, transb, m, n, k, alpha, <const void *const *>A, lda, <const void *const *>B, ldb, beta,
                   <void *const *>C, ldc, count, size, rocblas_datatype_f64_r, rocblas_datatype_f64_r, sizeof(double))


cdef inline cublasStatus_t grouped_gemm_ex(
    dg_blas *h, const cublasOperation_t *transa, const cublasOperation_t *transb, const whole *m, const whole *n,
    const whole *k, const void *alpha, const void *const *A, cudaDataType Atype, const whole *lda, const void *const *B,
    cudaDataType Btype, const whole *ldb, const void *beta, void *const *C, cudaDataType Ctype, const whole *ldc,
    whole count, const whole *size, cublasComputeType_t computeType
) noexcept nogil:
    """Its rows have one type for all three matrices, and compute in float or double."""
    cdef bint wide = Atype == CUDA_R_64F
    return grouped(h, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, count, size, to_datatype(Atype),
                   rocblas_datatype_f64_r if wide else rocblas_datatype_f32_r,
                   sizeof(double) if wide else sizeof(float))
