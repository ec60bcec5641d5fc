# Streams of the CUDA runtime: what one call of HIP does not answer. A stream is HIP's own, so that AMD's
# libraries take it.
include "common.pxi"


cdef inline cudaError_t stream_create_priority(cudaStream_t *stream, unsigned int flags, int priority) noexcept nogil:
    """CUDA's range ends at 0, HIP's goes on to 1: what a program asks for below the default is the default."""
    return of_hip(dg_hip.hipStreamCreateWithPriority(stream, flags, 0 if priority > 0 else priority))


cdef inline cudaError_t stream_id(cudaStream_t stream, unsigned long long *id) noexcept nogil:
    """The handle's own number: no two living streams share it. The default stream has two names and one number."""
    cdef uint32_t error
    if id == NULL:
        return refused(cudaErrorInvalidValue)
    error = dg_hip.hipStreamQuery(stream)
    if error != 0 and error != hipErrorNotReady:
        return of_hip(error)
    id[0] = <uintptr_t>stream if stream != NULL else 1
    return cudaSuccess


cdef inline cudaError_t attach(cudaStream_t stream, void *pointer, size_t length, unsigned int flags) noexcept nogil:
    """One of: all streams 1, the host 2, this stream alone 4, which the null stream cannot be: it is all of them."""
    if (flags != 1 and flags != 2 and flags != 4) or (flags == 4 and <size_t>stream <= 1):
        return refused(cudaErrorInvalidValue)
    return of_hip(dg_hip.hipStreamAttachMemAsync(stream, pointer, length, flags))


cdef inline cudaError_t nothing() noexcept nogil:
    return cudaSuccess


cdef inline cudaError_t stream_wait_event(cudaStream_t stream, cudaEvent_t event, unsigned int flags) noexcept nogil:
    cdef void *hip = NULL
    cdef cudaError_t status = event_of(event, &hip)
    if status != cudaSuccess:
        return status
    if flags > 1:
        return refused(cudaErrorInvalidValue)
    return of_hip(dg_hip.hipStreamWaitEvent(stream, hip, flags))


include "plain.pxi"
include "capture.pxi"


cdef inline cudaError_t host_function_v2(
    cudaStream_t stream, cudaHostFn_t fn, void *data, unsigned int mode
) noexcept nogil:
    """`mode` says how the stream waits for the function; HIP knows the default only."""
    if mode != 0:
        return refused(cudaErrorNotSupported)
    return of_hip(dg_hip.hipLaunchHostFunc(stream, fn, data))
