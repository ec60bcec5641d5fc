"""Memory of a handle's own, for steps whose caller has given none.

It grows and is used in the order of the handle's stream. Where the program goes on to another stream, the next use waits for
the last one: an event is recorded on the stream that is left, while it is sure to be there still.
"""

include "generated.pxi"
include "cudnn_abi.pxi"
include "cudnn_backend.pxi"
include "cudnn_translate.pxi"
include "slots.pxi"
include "say.pxi"
include "words.pxi"

cdef extern from "support.h" nogil:
    void dnn_ring_emptied(dnn_handle *h)


cdef public void dnn_stream_left(dnn_handle *h) noexcept nogil:
    if not h.used:
        return
    h.used = 0
    if h.event is NULL and dg_hip.hipEventCreateWithFlags(<hipEvent_t *>&h.event, 2) != 0:  # no timing
        h.event = NULL
    if h.event is not NULL and dg_hip.hipEventRecord(<hipEvent_t>h.event, <hipStream_t>to_stream(h.stream)) == 0:
        h.pending = 1
    else:
        dg_hip.hipDeviceSynchronize()


cdef public void *dnn_scratch(dnn_handle *h, size_t bytes) noexcept nogil:
    """At least so many bytes, or NULL. The next call may give the same memory."""
    cdef void *memory = NULL
    if bytes > h.scratch_size:
        bytes = (bytes + 0xfffff) & ~<size_t>0xfffff
        # hipFree waits for the device: nobody can still be using the old one
        if h.scratch is not NULL:
            dg_hip.hipFree(h.scratch)
            h.scratch = NULL
            h.scratch_size = 0
        if dg_hip.hipMalloc(&memory, bytes) != 0:
            return NULL
        h.scratch = memory
        h.scratch_size = bytes
    if h.pending:
        h.pending = 0
        dg_hip.hipStreamWaitEvent(<hipStream_t>to_stream(h.stream), <hipEvent_t>h.event, 0)
    h.used = 1
    return h.scratch


cdef public void *dnn_blas(dnn_handle *h) noexcept nogil:
    """rocBLAS's handle, which takes factors from the host and goes the way of the handle's stream."""
    cdef rocblas_handle blas = <rocblas_handle>h.blas
    cdef uint32_t status = 0
    if blas is NULL:
        if dg_need(b"rocblas") != DG_OK:
            dnn_because(CUDNN_STATUS_NOT_SUPPORTED, b"rocBLAS cannot be loaded")
            return NULL
        status = dg_rocblas.rocblas_create_handle(&blas)
        if status == 0:
            # rocBLAS allowed atomics by default before 5.0
            status = dg_rocblas.rocblas_set_atomics_mode(blas, rocblas_atomics_not_allowed)
        if status != 0:
            dnn_failed(status_of_rocblas(status), b"rocblas_create_handle", status)
            return NULL
        h.blas = blas
        h.blas_stream = NULL
    if h.blas_stream != h.stream:
        status = dg_rocblas.rocblas_set_stream(blas, <hipStream_t>to_stream(h.stream))
        if status != 0:
            dnn_failed(status_of_rocblas(status), b"rocblas_set_stream", status)
            return NULL
        h.blas_stream = h.stream
    return h.blas


cdef public void dnn_handle_emptied(dnn_handle *h) noexcept nogil:
    """All that a handle owns but MIOpen's handle."""
    if h.scratch is not NULL:
        dg_hip.hipFree(h.scratch)
    if h.event is not NULL:
        dg_hip.hipEventDestroy(<hipEvent_t>h.event)
    if h.blas is not NULL:
        dg_rocblas.rocblas_destroy_handle(<rocblas_handle>h.blas)
    dnn_ring_emptied(h)
    if h.solutions is not NULL:
        dg_the_core.release(h.solutions)
