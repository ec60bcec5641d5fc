# Doubles on their way to the host and back (doubles.pyx, doubles_windows.pyx).

cdef extern from "support.h" nogil:
    bint dnn_captured(dnn_handle *h)
    void *dnn_host(dnn_handle *h, int which, size_t bytes)

cdef enum:
    PIECE = 32768  # numbers of one operand that are on the host at a time


cdef inline uint32_t moved(uint32_t status) noexcept nogil:
    return 0 if status == 0 else dnn_failed(CUDNN_STATUS_EXECUTION_FAILED, b"a copy of doubles", status)


cdef inline double *room(dnn_handle *h, int64_t numbers) noexcept nogil:
    """Host memory; NULL: a reason is told."""
    cdef void *memory
    if dnn_captured(h):
        cannot(b"doubles pass through the host here, which no captured stream can wait for")
        return NULL
    memory = dnn_host(h, 1, <size_t>numbers * sizeof(double))
    if memory is NULL:
        dnn_because(CUDNN_STATUS_ALLOC_FAILED, b"no memory for doubles on the host")
    return <double *>memory


cdef inline uint32_t fetched(dnn_handle *h, double *to, const double *source, int64_t pitch, int rows,
        int columns) noexcept nogil:
    cdef size_t width = <size_t>columns * sizeof(double)
    return moved(dg_hip.hipMemcpy2DAsync(to, width, source, <size_t>pitch * sizeof(double), width, <size_t>rows,
                                         hipMemcpyDeviceToHost, <hipStream_t>to_stream(h.stream)))


cdef inline uint32_t waited(dnn_handle *h) noexcept nogil:
    return moved(dg_hip.hipStreamSynchronize(<hipStream_t>to_stream(h.stream)))


cdef inline uint32_t stored(dnn_handle *h, double *to, int64_t pitch, const double *source, int rows,
        int columns) noexcept nogil:
    """And wait, before the memory is used again."""
    cdef size_t width = <size_t>columns * sizeof(double)
    cdef uint32_t status = moved(dg_hip.hipMemcpy2DAsync(
        to, <size_t>pitch * sizeof(double), source, width, width, <size_t>rows, hipMemcpyHostToDevice,
        <hipStream_t>to_stream(h.stream)))
    return status if status != 0 else waited(h)
