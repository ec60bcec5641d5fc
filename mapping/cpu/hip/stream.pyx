# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Streams and events of the CPU backend's HIP runtime.

Work is done when its call returns, so a stream is an identity with flags, never a queue: every query answers "done",
every wait returns at once, an event is the time of its record. Callbacks and host functions run on the caller's thread
inside the call, after all work before them. One thing that HIP allows cannot work on such a schedule: a host function
that waits for something its caller does after the call.
"""
include "hip.pxi"
include "state.pxi"


# ---- streams ----

cdef public hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority) noexcept nogil:
    cdef host_slot *slot
    if stream == NULL or flags > hipStreamNonBlocking:
        return host_fail(hipErrorInvalidValue)
    slot = host_slot_new(HOST_STREAM)
    if slot == NULL:
        return host_fail(hipErrorOutOfMemory)
    slot.flags = flags
    slot.priority = -1 if priority < -1 else (1 if priority > 1 else priority)
    stream[0] = slot
    return hipSuccess


cdef public hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) noexcept nogil:
    return hipStreamCreateWithPriority(stream, flags, 0)


cdef public hipError_t hipStreamCreate(hipStream_t *stream) noexcept nogil:
    return hipStreamCreateWithPriority(stream, 0, 0)


cdef public hipError_t hipStreamDestroy(hipStream_t stream) noexcept nogil:
    cdef host_slot *slot = host_slot_of(stream, HOST_STREAM)
    if slot == NULL:
        return host_fail(hipErrorInvalidHandle)
    host_slot_free(slot)
    return hipSuccess


cdef hipError_t known(hipStream_t stream) noexcept nogil:
    return hipSuccess if host_is_stream(stream) else host_fail(hipErrorInvalidHandle)


cdef public hipError_t hipStreamQuery(hipStream_t stream) noexcept nogil:
    return known(stream)


cdef public hipError_t hipStreamSynchronize(hipStream_t stream) noexcept nogil:
    return known(stream)


cdef public hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) noexcept nogil:
    if not host_is_stream(stream) or host_slot_of(event, HOST_EVENT) == NULL:
        return host_fail(hipErrorInvalidHandle)
    return hipSuccess if flags == 0 else host_fail(hipErrorInvalidValue)


cdef public hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags) noexcept nogil:
    if flags == NULL:
        return host_fail(hipErrorInvalidValue)
    if <uintptr_t>stream <= 2:
        flags[0] = 0
        return hipSuccess
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    flags[0] = (<host_slot *>stream).flags
    return hipSuccess


cdef public hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) noexcept nogil:
    if priority == NULL:
        return host_fail(hipErrorInvalidValue)
    if <uintptr_t>stream <= 2:
        priority[0] = 0
        return hipSuccess
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    priority[0] = (<host_slot *>stream).priority
    return hipSuccess


cdef public hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) noexcept nogil:
    if device == NULL:
        return host_fail(hipErrorInvalidValue)
    device[0] = 0
    return known(stream)


cdef public hipError_t hipStreamAddCallback(
    hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned int flags
) noexcept nogil:
    if callback == NULL or flags != 0:
        return host_fail(hipErrorInvalidValue)
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    callback(stream, hipSuccess, data)
    return hipSuccess


cdef public hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data) noexcept nogil:
    if function == NULL:
        return host_fail(hipErrorInvalidValue)
    if known(stream) != hipSuccess:
        return hipErrorInvalidHandle
    function(data)
    return hipSuccess


# ---- capture: this device has no graphs, so no stream ever captures ----

cdef public hipError_t hipStreamIsCapturing(hipStream_t stream, int *status) noexcept nogil:
    if status == NULL:
        return host_fail(hipErrorInvalidValue)
    status[0] = 0
    return known(stream)


cdef public hipError_t hipStreamGetCaptureInfo(hipStream_t stream, int *status, unsigned long long *id) noexcept nogil:
    if status == NULL:
        return host_fail(hipErrorInvalidValue)
    status[0] = 0
    if id != NULL:
        id[0] = 0
    return known(stream)


cdef public hipError_t hipStreamGetCaptureInfo_v2(
    hipStream_t stream, int *status, unsigned long long *id, void **graph, const void **dependencies, size_t *count
) noexcept nogil:
    if graph != NULL:
        graph[0] = NULL
    if dependencies != NULL:
        dependencies[0] = NULL
    if count != NULL:
        count[0] = 0
    return hipStreamGetCaptureInfo(stream, status, id)


cdef public hipError_t hipStreamBeginCapture(hipStream_t stream, int mode) noexcept nogil:
    return host_fail(hipErrorNotSupported if host_is_stream(stream) else hipErrorInvalidHandle)


cdef public hipError_t hipStreamEndCapture(hipStream_t stream, void **graph) noexcept nogil:
    if graph != NULL:
        graph[0] = NULL
    return host_fail(hipErrorIllegalState if host_is_stream(stream) else hipErrorInvalidHandle)


cdef extern from *:
    """
    static _Thread_local int host_capture_mode;
    """
    int host_capture_mode


cdef public hipError_t hipThreadExchangeStreamCaptureMode(int *mode) noexcept nogil:
    global host_capture_mode
    cdef int before = host_capture_mode
    if mode == NULL or mode[0] < 0 or mode[0] > 2:
        return host_fail(hipErrorInvalidValue)
    host_capture_mode = mode[0]
    mode[0] = before
    return hipSuccess


# ---- events ----

cdef public hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags) noexcept nogil:
    cdef host_slot *slot
    # the upper three bits are HIP's fence options
    if event == NULL or (flags & ~(hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | 0xE0000000u)):
        return host_fail(hipErrorInvalidValue)
    if (flags & hipEventInterprocess) and not (flags & hipEventDisableTiming):
        return host_fail(hipErrorInvalidValue)
    slot = host_slot_new(HOST_EVENT)
    if slot == NULL:
        return host_fail(hipErrorOutOfMemory)
    slot.flags = flags
    event[0] = slot
    return hipSuccess


cdef public hipError_t hipEventCreate(hipEvent_t *event) noexcept nogil:
    return hipEventCreateWithFlags(event, 0)


cdef public hipError_t hipEventDestroy(hipEvent_t event) noexcept nogil:
    cdef host_slot *slot = host_slot_of(event, HOST_EVENT)
    if slot == NULL:
        return host_fail(hipErrorInvalidHandle)
    host_slot_free(slot)
    return hipSuccess


cdef public hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) noexcept nogil:
    cdef host_slot *slot = host_slot_of(event, HOST_EVENT)
    if slot == NULL or not host_is_stream(stream):
        return host_fail(hipErrorInvalidHandle)
    slot.time = host_now()
    slot.recorded = 1
    return hipSuccess


cdef public hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) noexcept nogil:
    if flags > 1:
        return host_fail(hipErrorInvalidValue)
    return hipEventRecord(event, stream)


cdef public hipError_t hipEventQuery(hipEvent_t event) noexcept nogil:
    return hipSuccess if host_slot_of(event, HOST_EVENT) != NULL else host_fail(hipErrorInvalidHandle)


cdef public hipError_t hipEventSynchronize(hipEvent_t event) noexcept nogil:
    return hipEventQuery(event)


cdef public hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) noexcept nogil:
    cdef host_slot *first = host_slot_of(start, HOST_EVENT)
    cdef host_slot *last = host_slot_of(stop, HOST_EVENT)
    if ms == NULL:
        return host_fail(hipErrorInvalidValue)
    if first == NULL or last == NULL or (first.flags | last.flags) & hipEventDisableTiming:
        return host_fail(hipErrorInvalidHandle)
    if not first.recorded or not last.recorded:
        return host_fail(hipErrorInvalidHandle)
    ms[0] = <float>(<double>(last.time - first.time) / 1e6)
    return hipSuccess
