# Products of 8-bit numbers whose sums are floats. rocBLAS multiplies 8-bit numbers into 32-bit integers only, and there
# is no kernel of ours: the operands are brought to the host, widened to float there, and multiplied on the device as
# floats. It waits for the stream, so a stream under capture is refused before anything is done.
from libc.stdint cimport int8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

include "captured.pxi"

cdef enum:
    PLAIN = 1  # numbers in an element: real
    PAIRS = 2  # complex


# An operand on its way: `rows`×`cols` elements of `parts` numbers. `at` is where it lies as floats on the device.
cdef struct wide_matrix:
    int64_t rows
    int64_t cols
    int64_t parts
    float *at


cdef inline int64_t numbers_of(const wide_matrix *matrix) noexcept nogil:
    return matrix.rows * matrix.cols * matrix.parts


# Host and device memory of one call, large enough for each member of a batch.
cdef struct widening:
    void *stream
    int8_t *bytes
    float *floats
    void *device


cdef inline bint counts(dg_blas *h, const void *alpha, int64_t parts) noexcept nogil:
    """Whether the product counts at all. A factor on the device cannot be looked at without waiting."""
    cdef const float *factor = <const float *>alpha
    return h.pointer_mode != CUBLAS_POINTER_MODE_HOST or factor[0] != 0 or factor[parts - 1] != 0


cdef inline cublasStatus_t begin_widening(dg_blas *h, widening *w, int64_t largest, int64_t total) noexcept nogil:
    """Memory for operands of `largest` numbers at most, `total` in all, on the handle's device."""
    cdef int device = h.device
    cdef uint32_t status
    memset(w, 0, sizeof(widening))
    w.stream = to_stream(h.stream)
    w.bytes = <int8_t *>malloc(<size_t>largest)
    w.floats = <float *>malloc(<size_t>largest * sizeof(float))
    if w.bytes is NULL or w.floats is NULL:
        return CUBLAS_STATUS_ALLOC_FAILED
    dg_hip.hipGetDevice(&device)
    if device != h.device:
        dg_hip.hipSetDevice(h.device)
    status = dg_hip.hipMalloc(&w.device, <size_t>total * sizeof(float))
    if device != h.device:
        dg_hip.hipSetDevice(device)
    return CUBLAS_STATUS_SUCCESS if status == 0 else CUBLAS_STATUS_ALLOC_FAILED


cdef inline void end_widening(widening *w) noexcept nogil:
    if w.device is not NULL:
        dg_hip.hipStreamSynchronize(<hipStream_t>w.stream)  # the product still reads it
        dg_hip.hipFree(w.device)
    free(w.bytes)
    free(w.floats)


cdef inline cublasStatus_t widen(widening *w, const void *narrow, int64_t ld, const wide_matrix *to) noexcept nogil:
    """One operand: down to the host, each number to a float, up again without padding."""
    cdef size_t line = <size_t>(to.rows * to.parts)
    cdef int64_t i, count = numbers_of(to)
    cdef uint32_t status
    if count == 0:
        return CUBLAS_STATUS_SUCCESS
    status = dg_hip.hipMemcpy2DAsync(w.bytes, line, narrow, <size_t>(ld * to.parts), line, <size_t>to.cols,
                                     hipMemcpyDeviceToHost, <hipStream_t>w.stream)
    if status == 0:
        # It has arrived, and what was sent up before it is there too: the floats may be written again.
        status = dg_hip.hipStreamSynchronize(<hipStream_t>w.stream)
    if status != 0:
        return status_of_hip(status)
    for i in range(count):
        w.floats[i] = <float>w.bytes[i]
    return status_of_hip(dg_hip.hipMemcpyAsync(to.at, w.floats, <size_t>count * sizeof(float), hipMemcpyHostToDevice,
                                               <hipStream_t>w.stream))


# ---- gemm

# op(A)·op(B) with operands of bytes, the same for each member of a batch.
cdef struct wide_gemm:
    dg_blas *h
    uint32_t transa
    uint32_t transb
    int64_t m
    int64_t n
    int64_t k
    int64_t lda
    int64_t ldb
    int64_t ldc
    const void *alpha
    const void *beta
    wide_matrix left
    wide_matrix right


cdef inline cublasStatus_t begin_wide_gemm(
    wide_gemm *g, widening *w, dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
    int64_t k, const void *alpha, int64_t lda, int64_t ldb, const void *beta, int64_t ldc, int64_t parts
) noexcept nogil:
    """What NVIDIA refuses is refused first. Success with `w.device` NULL: there is nothing to do."""
    memset(w, 0, sizeof(widening))
    g.h = h
    g.transa = to_op(transa)
    g.transb = to_op(transb)
    g.m = m
    g.n = n
    g.k = k
    g.lda = lda
    g.ldb = ldb
    g.ldc = ldc
    g.alpha = alpha
    g.beta = beta
    g.left.rows = m if transa == CUBLAS_OP_N else k
    g.left.cols = k if transa == CUBLAS_OP_N else m
    g.right.rows = k if transb == CUBLAS_OP_N else n
    g.right.cols = n if transb == CUBLAS_OP_N else k
    g.left.parts = g.right.parts = parts
    if m < 0 or n < 0 or k < 0 or lda < 1 or ldb < 1 or ldc < 1:
        return CUBLAS_STATUS_INVALID_VALUE
    if lda < g.left.rows or ldb < g.right.rows or ldc < m:
        return CUBLAS_STATUS_INVALID_VALUE
    if m == 0 or n == 0:
        return CUBLAS_STATUS_SUCCESS
    if alpha is NULL or beta is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if captured(h):
        return CUBLAS_STATUS_NOT_SUPPORTED
    if not counts(h, alpha, parts):  # as an empty sum: the operands are not needed
        g.k = 0
    if g.k == 0:
        g.left.cols = g.right.cols = 0
    cdef int64_t first = numbers_of(&g.left), second = numbers_of(&g.right)
    # One number more, so that an empty sum has memory as well.
    cdef cublasStatus_t status = begin_widening(h, w, (first if first > second else second) + 1, first + second + 1)
    g.left.at = <float *>w.device
    g.right.at = g.left.at + first
    return status


cdef inline cublasStatus_t wide_gemm_member(wide_gemm *g, widening *w, const void *A, const void *B,
        void *C) noexcept nogil:
    cdef cublasStatus_t status
    cdef int64_t lda = g.left.rows if g.left.rows > 0 else 1
    cdef int64_t ldb = g.right.rows if g.right.rows > 0 else 1
    if C is NULL or (g.k > 0 and (A is NULL or B is NULL)):
        return CUBLAS_STATUS_INVALID_VALUE
    status = widen(w, A, g.lda, &g.left)
    if status == CUBLAS_STATUS_SUCCESS:
        status = widen(w, B, g.ldb, &g.right)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    if g.left.parts == PLAIN:
        return status_of_rocblas(dg_rocblas.rocblas_sgemm_64(
            g.h.blas, g.transa, g.transb, g.m, g.n, g.k, <const float *>g.alpha, g.left.at, lda, g.right.at, ldb,
            <const float *>g.beta, <float *>C, g.ldc))
    return status_of_rocblas(dg_rocblas.rocblas_cgemm_64(
        g.h.blas, g.transa, g.transb, g.m, g.n, g.k, <const rocblas_float_complex *>g.alpha,
        <const rocblas_float_complex *>g.left.at, lda, <const rocblas_float_complex *>g.right.at, ldb,
        <const rocblas_float_complex *>g.beta, <rocblas_float_complex *>C, g.ldc))


cdef inline cublasStatus_t one_wide_gemm(
    dg_blas *h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    const void *A, int64_t lda, const void *B, int64_t ldb, const void *beta, void *C, int64_t ldc, int64_t parts
) noexcept nogil:
    cdef wide_gemm g
    cdef widening w
    cdef cublasStatus_t status = begin_wide_gemm(&g, &w, h, transa, transb, m, n, k, alpha, lda, ldb, beta, ldc, parts)
    if status == CUBLAS_STATUS_SUCCESS and w.device is not NULL:
        status = wide_gemm_member(&g, &w, A, B, C)
    end_widening(&w)
    return status


# ---- int8 into int32, which rocBLAS has

cdef inline bint packed_bytes(dg_blas *h) noexcept nogil:
    """rocBLAS before ROCm 6.0 takes some cards' int8 operands only as packed quadruples, which no program
    for cuBLAS has."""
    cdef uint32_t flag = 0
    if dg_rocblas.rocblas_query_int8_layout_flag(h.blas, &flag) != 0 or flag == 0:
        return False
    dg_refused_call("cublasGemmEx", "int8 on this card needs rocBLAS of ROCm 6.0 or newer")
    return True
