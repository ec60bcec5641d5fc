"""Matrix products by rocBLAS, in the order of the handle's stream.

A rocblas_handle has one workspace, so that two streams on it would race: like the handle's own memory, it waits for the
last use on a stream that was left.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"
include "shapes.pxi"
include "memory.pxi"


cdef uint32_t open_blas(dnn_handle *h) noexcept nogil:
    """On the device that the handle was created for. The reason of a failure is told."""
    cdef hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed
    cdef int device = h.device
    cdef uint32_t status
    cdef void *blas = NULL
    cdef int reason = dg_need(b"rocblas")
    if reason == DG_OK:
        reason = dg_the_core.check_kernels(&dg_own_library)
    if reason != DG_OK:
        return dnn_because(status_of_reason(reason), b"rocBLAS cannot be used here")
    dg_hip.hipGetDevice(&device)
    if device != h.device:
        dg_hip.hipSetDevice(h.device)
    # it allocates: forbidden while any stream is captured, unless the thread allows itself all
    dg_hip.hipThreadExchangeStreamCaptureMode(&mode)
    status = dg_rocblas.rocblas_create_handle(<rocblas_handle *>&blas)
    dg_hip.hipThreadExchangeStreamCaptureMode(&mode)
    if device != h.device:
        dg_hip.hipSetDevice(device)
    if status != 0:
        return dnn_failed(status_of_rocblas(status), b"rocblas_create_handle", status)
    h.blas = blas
    h.blas_stream = NULL
    return 0


cdef public void *dnn_blas(dnn_handle *h) noexcept nogil:
    """A rocblas_handle that reads its factors in host memory; NULL: there is none, and the reason is told."""
    cdef uint32_t status
    if h.blas is NULL and open_blas(h) != 0:
        return NULL
    dnn_scratch(h, 0)
    if h.blas_stream != h.stream:
        status = dg_rocblas.rocblas_set_stream(<rocblas_handle>h.blas, <hipStream_t>to_stream(h.stream))
        if status != 0:
            dnn_failed(status_of_rocblas(status), b"rocblas_set_stream", status)
            return NULL
        h.blas_stream = h.stream
    return h.blas


cdef public uint32_t dnn_gemm(dnn_handle *h, int type, int turns_a, int turns_b, int64_t m, int64_t n, int64_t k,
        double alpha, const void *a, int64_t lda, int64_t next_a, const void *b, int64_t ldb, int64_t next_b,
        double beta, void *c, int64_t ldc, int64_t next_c, int count) noexcept nogil:
    """`count` times C (m×n) ← α·A·B + β·C, all row by row; `turns` says that a factor is stored as its transpose.
    Halves are added up as floats."""
    cdef float[2] single
    cdef double[2] twice
    cdef void *factor = single
    cdef rocblas_datatype stored = rocblas_datatype_f32_r
    cdef rocblas_datatype computed = rocblas_datatype_f32_r
    cdef size_t scale = sizeof(float)
    cdef uint32_t status
    cdef void *blas
    if m == 0 or n == 0 or count == 0:
        return 0
    if (m | n | k | lda | ldb | ldc) > 0x7fffffff:  # none is negative
        return dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"a matrix of more than 2^31 rows or columns")
    blas = dnn_blas(h)
    if blas is NULL:
        return CUDNN_STATUS_INTERNAL_ERROR
    if type == CUDNN_DATA_DOUBLE:
        factor = twice
        stored = computed = rocblas_datatype_f64_r
        scale = sizeof(double)
    elif type == CUDNN_DATA_HALF:
        stored = rocblas_datatype_f16_r
    single[0], single[1] = <float>alpha, <float>beta
    twice[0], twice[1] = alpha, beta
    status = dg_rocblas.rocblas_gemm_strided_batched_ex(
        <rocblas_handle>blas, rocblas_operation_transpose if turns_b else rocblas_operation_none,
        rocblas_operation_transpose if turns_a else rocblas_operation_none, <int>n, <int>m, <int>k, factor, b, stored,
        <int>ldb, next_b, a, stored, <int>lda, next_a, <char *>factor + scale, c, stored, <int>ldc, next_c, c, stored,
        <int>ldc, next_c, count, computed, rocblas_gemm_algo_standard, 0, 0)
    return 0 if status == 0 else dnn_failed(status_of_rocblas(status), b"rocblas_gemm_strided_batched_ex", status)
