# Typed level 1 that no function of rocBLAS answers. Block names are those of tables/cublas/level1ex.yaml.

cdef inline cublasStatus_t copy_halves(
    dg_blas *h, int64_t n, const void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType, int64_t incy
) noexcept nogil:
    """16-bit numbers by a copy of lines of one number each, where both walk the same way: the first is the lowest in both.

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
