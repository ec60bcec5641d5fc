# Level 1 over numbers of 16 bits, for which rocBLAS has few functions. Block names are those of
# tables/cublas/level1ex.yaml.
#
# Searches and sums are made over floats, which hold every such number: a product of the vector with 1, summed in
# floats, is the vector itself. Scalars are computed as floats on the host and rounded once.
from libc.stdint cimport uint16_t
from libc.string cimport memcpy

include "captured.pxi"
include "scalars.pxi"
include "scratch.pxi"

cdef extern from "halves.h" nogil:
    float dg_from_half(uint16_t half, bint brain)
    uint16_t dg_to_half(float value, bint brain)

ctypedef fused place:  # an index: int, or int64_t in the _64 forms
    int
    int64_t


# ---- moves of bits

cdef inline cublasStatus_t copy_halves(
    dg_blas *h, int64_t n, const void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy
) noexcept nogil:
    """16-bit numbers by a copy of lines of one number each, where both walk the same way: the first is the
    lowest in both.

    Else number by number, which is slow, and right.
    """
    cdef int64_t widthx = incx if incx > 0 else -incx, widthy = incy if incy > 0 else -incy
    cdef int64_t i, ix = 0 if incx >= 0 else (1 - n) * incx, iy = 0 if incy >= 0 else (1 - n) * incy
    cdef uint32_t status = 0
    if n <= 0:
        return CUBLAS_STATUS_SUCCESS
    if x is NULL or y is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    if incx == 0 or incy == 0 or (incx > 0) != (incy > 0):
        for i in range(n):
            status |= dg_hip.hipMemcpyAsync(<char *>y + 2 * (iy + i * incy), <const char *>x + 2 * (ix + i * incx), 2,
                                            hipMemcpyDeviceToDevice, <hipStream_t>to_stream(h.stream))
        return status_of_hip(status)
    if widthx == 1 and widthy == 1:
        status = dg_hip.hipMemcpyAsync(y, x, <size_t>(2 * n), hipMemcpyDeviceToDevice, <hipStream_t>to_stream(h.stream))
    else:
        status = dg_hip.hipMemcpy2DAsync(y, <size_t>(2 * widthy), x, <size_t>(2 * widthx), 2, <size_t>n,
                                         hipMemcpyDeviceToDevice, <hipStream_t>to_stream(h.stream))
    return status_of_hip(status)


cdef inline int64_t towards(int64_t inc) noexcept nogil:
    """The increment of a dense copy that is walked as the vector is."""
    return 1 if inc >= 0 else -1


cdef inline cublasStatus_t swap_halves(
    dg_blas *h, int64_t n, void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy
) noexcept nogil:
    """By way of a dense copy of x."""
    cdef scratch own
    cdef cublasStatus_t status
    if n <= 0:
        return CUBLAS_STATUS_SUCCESS
    if x is NULL or y is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    status = scratch_take(h, <size_t>(2 * n), &own)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    status = copy_halves(h, n, x, xType, incx, own.memory, xType, towards(incx))
    if status == CUBLAS_STATUS_SUCCESS:
        status = copy_halves(h, n, y, yType, incy, x, xType, incx)
    if status == CUBLAS_STATUS_SUCCESS:
        status = copy_halves(h, n, own.memory, xType, towards(incx), y, yType, incy)
    scratch_give(h, &own)
    return status


# ---- searches and sums

cdef inline cublasStatus_t begin_floats(dg_blas *h, int64_t n, const void *x, cudaDataType xType, int64_t incx,
                                        scratch *own) noexcept nogil:
    """n > 0 numbers as floats, one after the other: op(A)·1, A a row of n columns. The 1 lies behind them. Both factors
    are ours."""
    cdef float one = 1, zero = 0
    cdef bint brain = xType == CUDA_R_16BF
    cdef void *unit
    cdef uint32_t status
    cdef cublasStatus_t taken = scratch_take(h, <size_t>n * sizeof(float) + sizeof(uint16_t), own)
    if taken != CUBLAS_STATUS_SUCCESS:
        return taken
    unit = <char *>own.memory + <size_t>n * sizeof(float)
    taken = status_of_hip(dg_hip.hipMemsetD16Async(unit, dg_to_half(one, brain), 1, <hipStream_t>to_stream(h.stream)))
    if taken == CUBLAS_STATUS_SUCCESS:
        host_scalars(h, True)
        if brain:
            status = dg_rocblas.rocblas_tssgemv_strided_batched_64(
                h.blas, rocblas_operation_transpose, 1, n, &one, <const rocblas_bfloat16 *>x, incx, 0,
                <const rocblas_bfloat16 *>unit, 1, 0, &zero, <float *>own.memory, 1, 0, 1)
        else:
            status = dg_rocblas.rocblas_hssgemv_strided_batched_64(
                h.blas, rocblas_operation_transpose, 1, n, &one, <const rocblas_half *>x, incx, 0,
                <const rocblas_half *>unit, 1, 0, &zero, <float *>own.memory, 1, 0, 1)
        host_scalars(h, False)
        taken = status_of_rocblas(status)
    if taken != CUBLAS_STATUS_SUCCESS:
        scratch_give(h, own)
    return taken


cdef inline cublasStatus_t extreme(dg_blas *h, int64_t n, const float *x, place *result, bint largest) noexcept nogil:
    if place is int:
        if largest:
            return status_of_rocblas(dg_rocblas.rocblas_isamax(h.blas, <int>n, x, 1, <rocblas_int *>result))
        return status_of_rocblas(dg_rocblas.rocblas_isamin(h.blas, <int>n, x, 1, <rocblas_int *>result))
    else:
        if largest:
            return status_of_rocblas(dg_rocblas.rocblas_isamax_64(h.blas, n, x, 1, result))
        return status_of_rocblas(dg_rocblas.rocblas_isamin_64(h.blas, n, x, 1, result))


cdef inline cublasStatus_t extreme_half(dg_blas *h, int64_t n, const void *x, cudaDataType xType, int64_t incx,
                                        place *result, bint largest) noexcept nogil:
    cdef scratch own
    cdef cublasStatus_t status
    if result is NULL or (x is NULL and n > 0 and incx > 0):
        return CUBLAS_STATUS_INVALID_VALUE
    if n <= 0 or incx <= 0:
        return extreme(h, 0, NULL, result, largest)
    status = begin_floats(h, n, x, xType, incx, &own)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    status = extreme(h, n, <const float *>own.memory, result, largest)
    scratch_give(h, &own)
    return status


cdef inline cublasStatus_t amax_halves(
    dg_blas *h, int64_t n, const void *x, cudaDataType xType, int64_t incx, place *result
) noexcept nogil:
    return extreme_half(h, n, x, xType, incx, result, True)


cdef inline cublasStatus_t amin_halves(
    dg_blas *h, int64_t n, const void *x, cudaDataType xType, int64_t incx, place *result
) noexcept nogil:
    return extreme_half(h, n, x, xType, incx, result, False)


cdef inline cublasStatus_t asum_halves(
    dg_blas *h, int64_t n, const void *x, cudaDataType xType, int64_t incx, void *result, cudaDataType resultType,
    cudaDataType executiontype
) noexcept nogil:
    cdef scratch own
    cdef cublasStatus_t status
    if result is NULL or (x is NULL and n > 0 and incx > 0):
        return CUBLAS_STATUS_INVALID_VALUE
    if n <= 0 or incx <= 0:
        return status_of_rocblas(dg_rocblas.rocblas_sasum(h.blas, 0, NULL, 1, <float *>result))
    status = begin_floats(h, n, x, xType, incx, &own)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    status = status_of_rocblas(dg_rocblas.rocblas_sasum_64(h.blas, n, <const float *>own.memory, 1, <float *>result))
    scratch_give(h, &own)
    return status


# ---- rotations. Scalars on the device are brought to the host, which waits: a stream under capture is refused before.

cdef inline cublasStatus_t read_halves(dg_blas *h, const void *source, int count, bint brain,
        float *values) noexcept nogil:
    cdef uint16_t[5] halves
    cdef uint32_t status
    cdef int i
    if h.pointer_mode == CUBLAS_POINTER_MODE_HOST:
        memcpy(halves, source, <size_t>(2 * count))
    else:
        if captured(h):
            return CUBLAS_STATUS_NOT_SUPPORTED
        status = dg_hip.hipMemcpyAsync(halves, source, <size_t>(2 * count), hipMemcpyDeviceToHost,
                                       <hipStream_t>to_stream(h.stream))
        if status == 0:
            status = dg_hip.hipStreamSynchronize(<hipStream_t>to_stream(h.stream))
        if status != 0:
            return status_of_hip(status)
    for i in range(count):
        values[i] = dg_from_half(halves[i], brain)
    return CUBLAS_STATUS_SUCCESS


cdef inline cublasStatus_t write_half(dg_blas *h, void *to, int at, float value, bint brain) noexcept nogil:
    """Number `at` of `to`. On the device by filling one number's place: no memory of ours need outlive the call."""
    cdef uint16_t half = dg_to_half(value, brain)
    if h.pointer_mode == CUBLAS_POINTER_MODE_HOST:
        memcpy(<char *>to + 2 * at, &half, 2)
        return CUBLAS_STATUS_SUCCESS
    return status_of_hip(dg_hip.hipMemsetD16Async(<char *>to + 2 * at, half, 1, <hipStream_t>to_stream(h.stream)))


cdef inline cublasStatus_t turn(dg_blas *h, int64_t n, void *x, int64_t incx, void *y, int64_t incy, float c, float s,
                                bint brain) noexcept nogil:
    """x ← c·x + s·y, in floats and rounded once; y is spoiled."""
    cdef uint16_t cosine = dg_to_half(c, brain), sine = dg_to_half(s, brain)
    cdef uint64_t kind = rocblas_datatype_bf16_r if brain else rocblas_datatype_f16_r
    cdef uint32_t status
    host_scalars(h, True)
    status = dg_rocblas.rocblas_rot_ex_64(h.blas, n, x, kind, incx, y, kind, incy, &cosine, &sine, kind,
                                          rocblas_datatype_f32_r)
    host_scalars(h, False)
    return status_of_rocblas(status)


cdef inline cublasStatus_t rotm_halves(
    dg_blas *h, int64_t n, void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy,
    const void *param, cudaDataType paramType, cudaDataType executiontype
) noexcept nogil:
    """Each vector turns with a copy of the other: (h11, h12) makes x, (h22, h21) makes y."""
    cdef float[5] p
    cdef scratch own
    cdef void *old
    cdef bint brain = xType == CUDA_R_16BF
    cdef cublasStatus_t status
    if n <= 0:
        return CUBLAS_STATUS_SUCCESS
    if x is NULL or y is NULL or param is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    status = read_halves(h, param, 5, brain, p)
    if status != CUBLAS_STATUS_SUCCESS or p[0] == -2:
        return status
    if p[0] == 0:
        p[1] = p[4] = 1
    elif p[0] == 1:
        p[2] = -1
        p[3] = 1
    status = scratch_take(h, <size_t>(4 * n), &own)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    old = <char *>own.memory + 2 * n
    status = copy_halves(h, n, x, xType, incx, own.memory, xType, towards(incx))
    if status == CUBLAS_STATUS_SUCCESS:
        status = copy_halves(h, n, y, yType, incy, old, yType, towards(incy))
    if status == CUBLAS_STATUS_SUCCESS:
        status = turn(h, n, x, incx, old, towards(incy), p[1], p[3], brain)
    if status == CUBLAS_STATUS_SUCCESS:
        status = turn(h, n, y, incy, own.memory, towards(incx), p[4], p[2], brain)
    scratch_give(h, &own)
    return status


cdef inline cublasStatus_t rotg_halves(
    dg_blas *h, void *a, void *b, cudaDataType abType, void *c, void *s, cudaDataType csType, cudaDataType executiontype
) noexcept nogil:
    cdef float r, z, cosine, sine
    cdef bint brain = abType == CUDA_R_16BF
    cdef cublasStatus_t status
    if a is NULL or b is NULL or c is NULL or s is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    status = read_halves(h, a, 1, brain, &r)
    if status == CUBLAS_STATUS_SUCCESS:
        status = read_halves(h, b, 1, brain, &z)
    if status == CUBLAS_STATUS_SUCCESS:
        host_scalars(h, True)
        status = status_of_rocblas(dg_rocblas.rocblas_srotg(h.blas, &r, &z, &cosine, &sine))
        host_scalars(h, False)
    if status == CUBLAS_STATUS_SUCCESS:
        status = write_half(h, a, 0, r, brain)
    if status == CUBLAS_STATUS_SUCCESS:
        status = write_half(h, b, 0, z, brain)
    if status == CUBLAS_STATUS_SUCCESS:
        status = write_half(h, c, 0, cosine, brain)
    if status == CUBLAS_STATUS_SUCCESS:
        status = write_half(h, s, 0, sine, brain)
    return status


cdef inline cublasStatus_t rotmg_halves(
    dg_blas *h, void *d1, cudaDataType d1Type, void *d2, cudaDataType d2Type, void *x1, cudaDataType x1Type,
    const void *y1, cudaDataType y1Type, void *param, cudaDataType paramType, cudaDataType executiontype
) noexcept nogil:
    """Elements that the flag leaves out are not written."""
    cdef float[4] v
    cdef float[5] p
    cdef int i
    cdef bint brain = d1Type == CUDA_R_16BF, written
    cdef cublasStatus_t status
    if d1 is NULL or d2 is NULL or x1 is NULL or y1 is NULL or param is NULL:
        return CUBLAS_STATUS_INVALID_VALUE
    status = read_halves(h, d1, 1, brain, v)
    if status == CUBLAS_STATUS_SUCCESS:
        status = read_halves(h, d2, 1, brain, v + 1)
    if status == CUBLAS_STATUS_SUCCESS:
        status = read_halves(h, x1, 1, brain, v + 2)
    if status == CUBLAS_STATUS_SUCCESS:
        status = read_halves(h, y1, 1, brain, v + 3)
    if status == CUBLAS_STATUS_SUCCESS:
        host_scalars(h, True)
        status = status_of_rocblas(dg_rocblas.rocblas_srotmg(h.blas, v, v + 1, v + 2, v + 3, p))
        host_scalars(h, False)
    if status != CUBLAS_STATUS_SUCCESS:
        return status
    for i in range(5):
        written = i == 0 or p[0] == -1 or (p[0] == 0 and (i == 2 or i == 3)) or (p[0] == 1 and (i == 1 or i == 4))
        if status == CUBLAS_STATUS_SUCCESS and written:
            status = write_half(h, param, i, p[i], brain)
    if status == CUBLAS_STATUS_SUCCESS:
        status = write_half(h, d1, 0, v[0], brain)
    if status == CUBLAS_STATUS_SUCCESS:
        status = write_half(h, d2, 0, v[1], brain)
    if status == CUBLAS_STATUS_SUCCESS:
        status = write_half(h, x1, 0, v[2], brain)
    return status
