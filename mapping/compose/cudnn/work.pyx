"""Memory of a handle's own, for steps whose caller has given none.

It grows and is used in the order of the handle's stream. Where the program goes on to another stream, the next use
waits for the last one: an event is recorded on the stream that is left, while it is sure to be there still. A stream
that is captured cannot wait for what was done outside, so then the caller does. What it has outgrown stays
until the handle is destroyed, since kernels on their way and captured graphs know its address; each growth at least
doubles it.
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
    void dnn_content_left(void *content)


cdef enum:
    OUTSIDE = 1  # the event stands for work
    CAPTURED = 2  # it stands for a place in a graph


cdef public bint dnn_captured(dnn_handle *h) noexcept nogil:
    cdef int state = 0
    return dg_hip.hipStreamIsCapturing(<hipStream_t>to_stream(h.stream), &state) == 0 and state != 0


cdef void wait(dnn_handle *h) noexcept nogil:
    """The handle's memory is used again, on another stream than last time."""
    cdef hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed
    cdef bint now = dnn_captured(h)
    if h.pending == CAPTURED:
        if now:  # in the same capture, or the two cannot use one memory
            dg_hip.hipStreamWaitEvent(<hipStream_t>to_stream(h.stream), <hipEvent_t>h.event, 0)
    elif now:
        dg_hip.hipThreadExchangeStreamCaptureMode(&mode)
        dg_hip.hipEventSynchronize(<hipEvent_t>h.event)
        dg_hip.hipThreadExchangeStreamCaptureMode(&mode)
    else:
        dg_hip.hipStreamWaitEvent(<hipStream_t>to_stream(h.stream), <hipEvent_t>h.event, 0)
    h.pending = 0


cdef public void dnn_stream_left(dnn_handle *h) noexcept nogil:
    if not h.used:
        return
    h.used = 0
    if h.event is NULL and dg_hip.hipEventCreateWithFlags(<hipEvent_t *>&h.event, 2) != 0:  # no timing
        h.event = NULL
    if h.event is not NULL and dg_hip.hipEventRecord(<hipEvent_t>h.event, <hipStream_t>to_stream(h.stream)) == 0:
        h.pending = CAPTURED if dnn_captured(h) else OUTSIDE
    else:
        dg_hip.hipDeviceSynchronize()


cdef enum:
    GROWTHS = 48

cdef struct outgrown:
    int count
    void *memory[GROWTHS]


cdef bint grown(dnn_handle *h, size_t bytes) noexcept nogil:
    cdef hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed
    cdef outgrown *old = <outgrown *>h.outgrown
    cdef void *memory = NULL
    cdef uint32_t status
    if old is NULL:
        old = <outgrown *>dg_the_core.alloc(sizeof(outgrown))
        if old is NULL:
            return False
        h.outgrown = old
    if bytes < 2 * h.scratch_size:
        bytes = 2 * h.scratch_size
    bytes = (bytes + 0xfffff) & ~<size_t>0xfffff
    # allocating is forbidden while any stream is captured, unless the thread allows itself all
    dg_hip.hipThreadExchangeStreamCaptureMode(&mode)
    status = dg_hip.hipMalloc(&memory, bytes)
    dg_hip.hipThreadExchangeStreamCaptureMode(&mode)
    if status != 0 or old.count == GROWTHS:
        if status == 0:
            dg_hip.hipFree(memory)
        return False
    if h.scratch is not NULL:
        old.memory[old.count] = h.scratch
        old.count += 1
    h.scratch = memory
    h.scratch_size = bytes
    return True


cdef public void *dnn_scratch(dnn_handle *h, size_t bytes) noexcept nogil:
    """At least so many bytes, or NULL. The next call may give the same memory."""
    bytes += h.kept
    if bytes > h.scratch_size and not grown(h, bytes):
        return NULL
    if h.pending:
        wait(h)
    h.used = 1
    return <char *>h.scratch + h.kept


cdef public void *dnn_kept(dnn_handle *h, size_t bytes) noexcept nogil:
    """Memory that stays until `dnn_kept_left`, also where the steps of a call use the handle's themselves: they get
    what lies behind it. Memory that has been outgrown is there as long as the handle."""
    cdef void *memory
    h.kept = 0
    memory = dnn_scratch(h, bytes)
    if memory is not NULL:
        h.kept = rounded(bytes)
    return memory


cdef public void dnn_kept_left(dnn_handle *h) noexcept nogil:
    h.kept = 0


cdef public void *dnn_host(dnn_handle *h, int which, size_t bytes) noexcept nogil:
    """At least so many bytes of host memory, or NULL; what was in it is in it still. The next call may
    give the same."""
    cdef void *memory
    if bytes <= h.host_size[which]:
        return h.host[which]
    if bytes < 2 * h.host_size[which]:
        bytes = 2 * h.host_size[which]
    memory = dg_the_core.alloc(bytes)
    if memory is NULL:
        return NULL
    if h.host[which] is not NULL:
        memcpy(memory, h.host[which], h.host_size[which])
        dg_the_core.release(h.host[which])
    h.host[which] = memory
    h.host_size[which] = bytes
    return memory


cdef public void dnn_handle_emptied(dnn_handle *h) noexcept nogil:
    """All that a handle owns but MIOpen's handle."""
    cdef outgrown *old = <outgrown *>h.outgrown
    cdef int i
    if old is not NULL:
        for i in range(old.count):
            dg_hip.hipFree(old.memory[i])
        dg_the_core.release(old)
    if h.scratch is not NULL:
        dg_hip.hipFree(h.scratch)
    if h.event is not NULL:
        dg_hip.hipEventDestroy(<hipEvent_t>h.event)
    if h.blas is not NULL:
        dg_rocblas.rocblas_destroy_handle(<rocblas_handle>h.blas)
    dnn_ring_emptied(h)
    for i in range(DNN_HOSTS):
        if h.host[i] is not NULL:
            dg_the_core.release(h.host[i])
    for i in range(DNN_HELD):
        dnn_content_left(h.held[i])
        h.held[i] = NULL
    if h.solutions is not NULL:
        dg_the_core.release(h.solutions)
