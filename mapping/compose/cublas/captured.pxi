# For blocks that wait for the stream: a capture must not be waited for.

cdef inline bint captured(dg_blas *h) noexcept nogil:
    """Whether the stream is being captured, or its state cannot be told."""
    cdef int state = 0
    return dg_hip.hipStreamIsCapturing(<hipStream_t>to_stream(h.stream), &state) != 0 or state != 0
